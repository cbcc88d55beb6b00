package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/gpuc/gpuc/cmd/gpuc/internal/builder"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/cli"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/loader"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/targetflag"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/usage"
	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/opt/analysis"
)

var irCommand = cli.Command{
	Name:    "ir",
	Run:     runIR,
	Summary: "show the IR of a program, before, between or after passes",
	Usage:   "[flags] FILE",
	Help: `
Reads WGSL (.wgsl) or IR text (.ir), runs passes on it and prints the IR.

  gpuc ir saxpy.wgsl                          as the front end makes it
  gpuc ir -passes=standard saxpy.wgsl         after all portable passes
  gpuc ir -passes=inline,mem2reg saxpy.wgsl   after these two
  gpuc ir -passes=standard -dump=after:licm saxpy.wgsl
  gpuc ir -passes=standard -time saxpy.wgsl   how long each pass took
  gpuc ir -target=ptx -passes=standard,legalize saxpy.wgsl
                                              what the target's emitter gets
  gpuc ir -target=ptx -passes=robust,addresses saxpy.wgsl
  gpuc ir -passes=standard -facts saxpy.wgsl  with the intervals of numbers, what is proved
                                              of accesses and sums, what is uniform
  gpuc ir -passes=standard -dot saxpy.wgsl | dot -Tsvg >saxpy.svg
                                              draws where control goes (Graphviz)
  gpuc doc pass                               lists the passes
`,
}

func runIR(e *cli.Env, args []string) error {
	f := e.NewFlags()
	e.ColourFlag(f)
	passes := f.String("passes", "", "comma-separated `passes` to run; standard, minimal and a target's legalize are several")
	target := f.String("target", "", "the `target` whose passes can be run, on one kernel with its overrides bound")
	entry := f.String("entry", "", "with -target, the `name` of the entry point")
	dump := f.String("dump", "", "`after:PASS` or after:all prints the IR at that point to standard error")
	timed := f.Bool("time", false, "print the time of each pass to standard error")
	spans := f.Bool("spans", false, "print each instruction's place in the source")
	facts := f.Bool("facts", false, "say in comments what is known: intervals of integers, accesses in bounds, sums that do not wrap, what is uniform and what a part executes")
	dot := f.Bool("dot", false, "write a drawing of the control flow for Graphviz instead of the text")
	debug := f.String("d", "", "`verify` checks the IR and the declared properties around every pass")
	source, err := e.ParseFile(f, args)
	if err != nil {
		return err
	}
	var legalize []opt.Pass
	if *target != "" {
		chosen, err := targetflag.Choose(*target)
		if err != nil {
			return err
		}
		if len(chosen) > 1 {
			return usage.Errorf("gpuc ir takes one -target, found `%s`", *target)
		}
		legalize = chosen[0].Legalize
	} else if *entry != "" {
		return usage.Errorf("-entry chooses what -target prepares, and there is no -target; add one, or leave out -entry")
	}
	pipeline, err := choosePasses(*passes, legalize)
	if err != nil {
		return err
	}
	c := opt.Context{Timed: *timed, Verify: *debug == "verify", Dump: e.Stderr}
	if c.DumpAfter, err = dumpAfter(*dump, func() []string { return builder.PassNames(pipeline) }); err != nil {
		return err
	}
	if *dot && *spans {
		return usage.Errorf("-spans is about the text, and -dot writes a drawing; leave out one of them")
	}
	if *debug != "" && *debug != "verify" {
		return usage.Errorf("-d is verify, not `%s`", *debug)
	}
	p, err := loader.LoadReported(e, source, opt.MathWGSL)
	if err != nil {
		return err
	}
	ir.Verify(p.Module, p.List)
	if err := p.Report(e); err != nil {
		return err
	}
	c.List = p.List
	if *target != "" {
		codegen.Prepare(p.Module, *entry, nil, &codegen.DeviceLimits, p.List)
		if err := p.Report(e); err != nil {
			return err
		}
	}
	// what the text holds is not known to have any property, except that the
	// first pass may be chosen freely: a tool for looking does not refuse
	for n := range pipeline {
		pipeline[n].Needs = 0
	}
	c.Run(p.Module, pipeline, 0)
	if err := p.Report(e); err != nil {
		return err
	}
	if *timed {
		showTimes(e.Stderr, c.Times)
	}
	options := ir.PrintOptions{Spans: *spans}
	if *facts {
		options.Note = factNotes()
	}
	write := p.Module.AppendText
	if *dot {
		write = p.Module.AppendDot
	}
	_, err = e.Stdout.Write(write(nil, options))
	return err
}

// factNotes returns what analyses say of instructions. The text has one function after
// the other.
func factNotes() func(f *ir.Func, i ir.Inst) string {
	var facts analysis.Facts
	var analysed *ir.Func
	return func(f *ir.Func, i ir.Inst) string {
		if f != analysed {
			facts.Analyse(f)
			analysed = f
		}
		return facts.Note(i)
	}
}

// dumpAfter reads the value of -dump, after:PASS or after:all; stages names the passes that run.
func dumpAfter(value string, stages func() []string) (string, error) {
	if value == "" {
		return "", nil
	}
	name, found := strings.CutPrefix(value, "after:")
	if !found {
		return "", usage.Errorf("-dump is after:PASS or after:all, not `%s`", value)
	}
	if name == "all" {
		return name, nil
	}
	if passes := stages(); !slices.Contains(passes, name) {
		return "", usage.Errorf("-dump=%s names no pass that runs; they are %s", value, joined(passes))
	}
	return name, nil
}

func joined(names []string) string {
	if names == nil {
		return "none"
	}
	return strings.Join(names, ", ")
}

// choosePasses reads a list of passes, of which legalize are a target's.
func choosePasses(list string, legalize []opt.Pass) ([]opt.Pass, error) {
	if list == "" {
		return nil, nil
	}
	known := slices.Clone(legalize)
	for _, pass := range codegen.Passes {
		known = append(known, *pass)
	}
	var chosen []opt.Pass
	for name := range strings.SplitSeq(list, ",") {
		name = strings.TrimSpace(name)
		n := slices.IndexFunc(known, func(p opt.Pass) bool { return p.Name == name })
		switch {
		case name == "standard":
			chosen = append(chosen, opt.Standard...)
		case name == "minimal":
			chosen = append(chosen, opt.Minimal...)
		case name == "legalize" && legalize != nil:
			chosen = append(chosen, legalize...)
		case n < 0:
			return nil, usage.Errorf("there is no pass `%s`%s", name, usage.DidYouMean(name, builder.PassNames(known), "; the passes are "+joined(builder.PassNames(known))))
		default:
			chosen = append(chosen, known[n])
		}
	}
	return chosen, nil
}

// showTimes prints a table of passes with their times and shares.
func showTimes(w io.Writer, times []opt.PassTime) {
	var total time.Duration
	for _, t := range times {
		total += t.Time
	}
	for _, t := range times {
		fmt.Fprintf(w, "%10.1f µs %4.0f %%  %s\n", float64(t.Time.Nanoseconds())/1e3,
			100*float64(t.Time)/max(float64(total), 1), t.Pass.Name)
	}
	fmt.Fprintf(w, "%10.1f µs  all passes\n", float64(total.Nanoseconds())/1e3)
}

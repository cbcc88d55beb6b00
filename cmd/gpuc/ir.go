package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/workaround"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/opt/analysis"
)

var irCommand = command{
	name:    "ir",
	summary: "show the IR of a program, before, between or after passes",
	usage:   "[flags] FILE",
	help: `
Reads WGSL (.wgsl) or IR text (.ir), runs passes on it and prints the IR.

  gpuc ir saxpy.wgsl                          as the front end makes it
  gpuc ir -passes=standard saxpy.wgsl         after all portable passes
  gpuc ir -passes=inline,mem2reg saxpy.wgsl   after these two
  gpuc ir -passes=standard -dump=after:licm saxpy.wgsl
  gpuc ir -passes=standard -time saxpy.wgsl   how long each pass took
  gpuc ir -target=ptx -passes=standard,lower saxpy.wgsl
                                              what the target's emitter gets
  gpuc ir -target=ptx -passes=robustness,lower-access saxpy.wgsl
  gpuc ir -passes=standard -facts saxpy.wgsl  with the intervals of numbers, what is proved
                                              of accesses and sums, what is uniform
  gpuc ir -passes=standard -dot saxpy.wgsl | dot -Tsvg >saxpy.svg
                                              draws where control goes (Graphviz)
  gpuc doc pass                               lists the passes
`,
}

func init() { irCommand.run = runIR }

func runIR(e *environment, args []string) error {
	f := irCommand.newFlags()
	e.colourFlag(f)
	passes := f.String("passes", "", "comma-separated `passes` to run; standard, minimal and a target's lower are several")
	target := f.String("target", "", "the `target` whose passes can be run, on one kernel with its overrides bound")
	entry := f.String("entry", "", "with -target, the `name` of the entry point")
	dump := f.String("dump", "", "`after:PASS` or after:all prints the IR at that point to standard error")
	timed := f.Bool("time", false, "print the time of each pass to standard error")
	spans := f.Bool("spans", false, "print each instruction's place in the source")
	facts := f.Bool("facts", false, "say in comments what is known: intervals of integers, accesses in bounds, sums that do not wrap, what is uniform and what a part executes")
	dot := f.Bool("dot", false, "write a drawing of the control flow for Graphviz instead of the text")
	debug := f.String("d", "", "`verify` checks the IR and the declared properties around every pass")
	source, err := irCommand.parseFile(e, f, args)
	if err != nil {
		return err
	}
	var lowering []opt.Pass
	if *target != "" {
		chosen, err := chooseTargets(*target)
		if err != nil {
			return err
		}
		if len(chosen) > 1 {
			return usagef("gpuc ir takes one -target, found `%s`", *target)
		}
		lowering = chosen[0].Lowering(workaround.All)
	} else if *entry != "" {
		return usagef("-entry chooses what -target prepares, and there is no -target; add one, or leave out -entry")
	}
	pipeline, err := choosePasses(*passes, lowering)
	if err != nil {
		return err
	}
	c := opt.Context{Timed: *timed, Verify: *debug == "verify", Dump: e.stderr}
	if c.DumpAfter, err = dumpAfter(*dump, func() []string { return namesOf(pipeline) }); err != nil {
		return err
	}
	if *dot && *spans {
		return usagef("-spans is about the text, and -dot writes a drawing; leave out one of them")
	}
	if *debug != "" && *debug != "verify" {
		return usagef("-d is verify, not `%s`", *debug)
	}
	p, err := e.loadReported(source, opt.MathWGSL)
	if err != nil {
		return err
	}
	ir.Verify(p.module, p.list)
	if err := p.report(e); err != nil {
		return err
	}
	c.List = p.list
	if *target != "" {
		codegen.Prepare(p.module, *entry, nil, &codegen.DeviceLimits, p.list)
		if err := p.report(e); err != nil {
			return err
		}
	}
	// what the text holds is not known to have any property, except that the
	// first pass may be chosen freely: a tool for looking does not refuse
	for n := range pipeline {
		pipeline[n].Needs = 0
	}
	c.Run(p.module, pipeline, 0)
	if err := p.report(e); err != nil {
		return err
	}
	if *timed {
		showTimes(e.stderr, c.Times)
	}
	options := ir.PrintOptions{Spans: *spans}
	if *facts {
		options.Note = factNotes()
	}
	write := p.module.AppendText
	if *dot {
		write = p.module.AppendDot
	}
	_, err = e.stdout.Write(write(nil, options))
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
		return "", usagef("-dump is after:PASS or after:all, not `%s`", value)
	}
	if name == "all" {
		return name, nil
	}
	if passes := stages(); !slices.Contains(passes, name) {
		return "", usagef("-dump=%s names no pass that runs; they are %s", value, joined(passes))
	}
	return name, nil
}

// namesOf lists each pass once.
func namesOf(passes []opt.Pass) (names []string) {
	for n := range passes {
		if !slices.Contains(names, passes[n].Name) {
			names = append(names, passes[n].Name)
		}
	}
	return names
}

func joined(names []string) string {
	if names == nil {
		return "none"
	}
	return strings.Join(names, ", ")
}

// choosePasses reads a list of passes, of which lowering are a target's.
func choosePasses(list string, lowering []opt.Pass) ([]opt.Pass, error) {
	if list == "" {
		return nil, nil
	}
	known := slices.Clone(lowering)
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
		case name == "lower" && lowering != nil:
			chosen = append(chosen, lowering...)
		case n < 0:
			return nil, usagef("there is no pass `%s`%s", name, didYouMean(name, namesOf(known), "; the passes are "+joined(namesOf(known))))
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

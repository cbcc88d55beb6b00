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
	"github.com/gpuc/gpuc/codegen/workaround"
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
Reads WGSL (.wgsl) or IR text (.ir), runs passes on it, and prints the IR.

  gpuc ir saxpy.wgsl                          the output of the front end
  gpuc ir -passes=standard saxpy.wgsl         after all portable passes
  gpuc ir -passes=inline,mem2reg saxpy.wgsl   after these two passes
  gpuc ir -passes=standard -dump=after:licm saxpy.wgsl
                                              and after licm, to standard error
  gpuc ir -passes=standard -time saxpy.wgsl   with the time of each pass
  gpuc ir -target=ptx -passes=standard,lower saxpy.wgsl
                                              the target's own list, up to the emitter
  gpuc ir -target=ptx -passes=robustness,lower-access saxpy.wgsl
                                              after two passes of a target
  gpuc ir -passes=standard -facts saxpy.wgsl  with the results of analyses: ranges, accesses that
                                              are in bounds, sums that do not overflow, uniformity
  gpuc ir -passes=standard -dot saxpy.wgsl | dot -Tsvg >saxpy.svg
                                              the control flow graph, for Graphviz
  gpuc doc pass                               lists the passes
`,
}

func runIR(e *cli.Env, args []string) error {
	f := e.NewFlags()
	e.ColourFlag(f)
	passes := f.String("passes", "", "comma-separated `passes` to run; standard, minimal and a target's lower are several")
	target := f.String("target", "", "the `target` whose passes can be run, on one kernel with its overrides bound")
	entry := f.String("entry", "", "with -target, the `name` of the entry point")
	dump := f.String("dump", "", "`after:PASS` or after:all prints the IR at that point to standard error")
	timed := f.Bool("time", false, "print the time of each pass to standard error")
	spans := f.Bool("spans", false, "print the source position of each instruction")
	facts := f.Bool("facts", false, "print results of analyses in comments: ranges of integers, accesses in bounds, sums that do not overflow, uniformity")
	dot := f.Bool("dot", false, "write the control flow graph for Graphviz instead of the text")
	debug := f.String("d", "", "`verify` checks the IR and the declared properties around every pass")
	source, err := e.ParseFile(f, args)
	if err != nil {
		return err
	}
	standard, lowering := opt.Standard(), []opt.Pass(nil)
	if *target != "" {
		chosen, err := targetflag.Choose(*target)
		if err != nil {
			return err
		}
		if len(chosen) > 1 {
			return usage.Errorf("gpuc ir takes one -target, found `%s`", *target)
		}
		standard, lowering = chosen[0].PortablePasses(), chosen[0].Lowering(workaround.All)
	} else if *entry != "" {
		return usage.Errorf("-entry chooses what -target prepares, and there is no -target; add one, or leave out -entry")
	}
	pipeline, err := choosePasses(*passes, standard, lowering)
	if err != nil {
		return err
	}
	c := opt.Context{Timed: *timed, Verify: *debug == "verify", Dump: e.Stderr}
	if c.DumpAfter, err = dumpAfter(*dump, func() []string { return builder.PassNames(pipeline) }); err != nil {
		return err
	}
	if *dot && *spans {
		return usage.Errorf("-spans is for the text, and -dot writes a graph; leave out one of them")
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
	// any pass may run first, although it is not known which properties the IR has
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

// factNotes returns the function that prints the results of analyses for an instruction. It is
// called for one function after the other.
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

// dumpAfter parses the value of -dump, after:PASS or after:all. Stages lists the possible names.
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

// joined lists names in a sentence.
func joined(names []string) string {
	if names == nil {
		return "none"
	}
	return strings.Join(names, ", ")
}

// choosePasses parses a list of passes. Standard and lowering are those of the target; without one
// lowering is nil.
func choosePasses(list string, standard, lowering []opt.Pass) ([]opt.Pass, error) {
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
			chosen = append(chosen, standard...)
		case name == "minimal":
			chosen = append(chosen, opt.Minimal()...)
		case name == "lower" && lowering != nil:
			chosen = append(chosen, lowering...)
		case n < 0:
			return nil, usage.Errorf("there is no pass `%s`%s", name, usage.DidYouMean(name, builder.PassNames(known), "; the passes are "+joined(builder.PassNames(known))))
		default:
			chosen = append(chosen, known[n])
		}
	}
	return chosen, nil
}

// showTimes prints the time of each pass, and its share of the total.
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

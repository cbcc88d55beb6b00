package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/opt"
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
  gpuc doc pass                               lists the passes
`,
}

func init() { irCommand.run = runIR }

func runIR(e *environment, args []string) error {
	f := irCommand.newFlags()
	passes := f.String("passes", "", "comma-separated `passes` to run, or standard or minimal")
	dump := f.String("dump", "", "`after:PASS` or after:all prints the IR at that point to standard error")
	timed := f.Bool("time", false, "print the time of each pass to standard error")
	spans := f.Bool("spans", false, "print each instruction's place in the source")
	debug := f.String("d", "", "`verify` checks the IR and the declared properties around every pass")
	source, err := irCommand.parseFile(e, f, args)
	if err != nil {
		return err
	}
	pipeline, err := choosePasses(*passes)
	if err != nil {
		return err
	}
	c := opt.Context{Timed: *timed, Verify: *debug == "verify", Dump: e.stderr}
	if *dump != "" {
		name, found := strings.CutPrefix(*dump, "after:")
		if !found {
			return usagef("-dump is after:PASS or after:all, not `%s`", *dump)
		}
		if name != "all" && !slices.ContainsFunc(pipeline, func(p opt.Pass) bool { return p.Name == name }) {
			return usagef("-dump=%s names no pass that runs; -passes chooses them", *dump)
		}
		c.DumpAfter = name
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
	_, err = e.stdout.Write(p.module.AppendText(nil, ir.PrintOptions{Spans: *spans}))
	return err
}

func choosePasses(list string) ([]opt.Pass, error) {
	switch list {
	case "":
		return nil, nil
	case "standard":
		return slices.Clone(opt.Standard), nil
	case "minimal":
		return slices.Clone(opt.Minimal), nil
	}
	var chosen []opt.Pass
	for name := range strings.SplitSeq(list, ",") {
		found := false
		var names []string
		for _, pass := range codegen.Passes {
			names = append(names, pass.Name)
			if pass.Name == strings.TrimSpace(name) {
				chosen = append(chosen, *pass)
				found = true
				break
			}
		}
		if !found {
			return nil, usagef("there is no pass `%s`; the passes are %s", name, strings.Join(names, ", "))
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

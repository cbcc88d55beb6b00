package main

import (
	"errors"
	"fmt"

	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
	"github.com/gpuc/gpuc/runtime/driver/cpu"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// showProgress shows a long launch's progress where stderr is a terminal, and
// returns what ends that and clears the line.
func (e *environment) showProgress(device *gpu.Device) (stop func()) {
	if !e.terminal {
		return func() {}
	}
	shown := false
	device.OnProgress(func(done, total uint64) {
		if done < total {
			fmt.Fprintf(e.stderr, "\r%3d %% of %d workgroups ", 100*done/total, total)
			shown = true
		}
	})
	return func() {
		device.OnProgress(nil)
		if shown {
			fmt.Fprint(e.stderr, "\r\033[K")
		}
	}
}

// faults shows what the checked interpreter found or a kernel compiled with
// -bounds=trap recorded, if that is what err is, with the source lines. Findings
// that are no errors, such as reading workgroup memory that was never written, do
// not end the run.
func (e *environment) faults(p *program, err error) error {
	var report *cpu.Report
	var fault *gpu.KernelError
	checked, recorded := errors.As(err, &report), errors.As(err, &fault)
	if !checked && !recorded {
		return err
	}
	if checked {
		if err := e.show(report.Sources, report.Diagnostics); err != nil {
			return err
		}
	}
	if recorded {
		p.list.Add(p.fault(fault))
		return p.report(e)
	}
	if report.Failed() {
		return errReported
	}
	return nil
}

// fault makes a diagnostic of what a kernel recorded.
func (p *program) fault(f *gpu.KernelError) diag.Diagnostic {
	d := diag.Diagnostic{Code: diag.OutOfBounds, Message: f.Message()}
	if f.Assertion {
		d.Code = diag.AssertionFailed
	}
	for _, file := range p.set.Files() {
		if start := file.LineStart(f.Line); file.Name == f.File && start != 0 {
			start += source.Pos(byteOffset(file.Line(f.Line), f.Column-1))
			d.Span = source.Span{Start: start, End: start + source.Pos(f.Length)}
		}
	}
	if !d.Span.Valid() { // the code came with sources of its own, as IR text may
		d.Message = f.Error()
	}
	for i := range p.module.Globals {
		if g := &p.module.Globals[i]; g.Name == f.Name && f.Name != "" && g.Span.Valid() {
			d.Notes = append(d.Notes, diag.Note{Span: g.Span, Message: g.Name + " is declared here"})
		}
	}
	return d
}

// byteOffset returns where the n-th code point of a text begins.
func byteOffset(text string, n int) int {
	for i := range text {
		if n == 0 {
			return i
		}
		n--
	}
	return len(text)
}

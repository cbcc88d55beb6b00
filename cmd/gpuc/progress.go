package main

import (
	"errors"
	"fmt"

	"github.com/gpuc/gpuc/ir/diag"
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

// faults shows what the checked interpreter found, if that is what err is, with
// the source lines. Findings that are no errors, such as reading workgroup memory
// that was never written, do not end the run.
func (e *environment) faults(err error) error {
	var report *cpu.Report
	if !errors.As(err, &report) {
		return err
	}
	if err := diag.Write(e.stderr, report.Sources, report.Diagnostics); err != nil {
		return err
	}
	if report.Failed() {
		return errReported
	}
	return nil
}

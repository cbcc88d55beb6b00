package main

import (
	"errors"
	"fmt"

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

// faultError shows what the checked interpreter found, if err is that.
func faultError(e *environment, err error) error {
	var report *cpu.Report
	if !errors.As(err, &report) {
		return err
	}
	fmt.Fprintln(e.stderr, report.Error())
	return errReported
}

package kernelrun

import (
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/gpuc/gpuc/cmd/gpuc/internal/cli"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/loader"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
	"github.com/gpuc/gpuc/runtime/driver/cpu"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// progress shows a line on the terminal with how much of a run is done.
type progress struct {
	e           *cli.Env
	began       time.Time
	run, runs   int // the current launch, from 0, and their number
	mutex       sync.Mutex
	shown       bool
	done, total uint64 // workgroups
}

// showProgress shows the progress of the given number of launches until stop. The caller calls
// finish after each.
func showProgress(e *cli.Env, device *gpu.Device, runs int) *progress {
	p := &progress{e: e, began: time.Now(), runs: runs}
	if e.Terminal {
		device.OnProgress(func(done, total uint64) {
			p.mutex.Lock()
			defer p.mutex.Unlock()
			p.done, p.total = done, total
			p.show()
		})
	}
	return p
}

// finish notes that a launch has ended.
func (p *progress) finish() {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.run++
	p.done = 0
	if p.e.Terminal {
		p.show()
	}
}

// soonest is the time after which progress is shown.
const soonest = 500 * time.Millisecond

func (p *progress) show() {
	if elapsed := time.Since(p.began); elapsed >= soonest && p.run < p.runs {
		// without line wrap: a second line would not be erased
		fmt.Fprint(p.e.Stderr, "\r\033[K\033[?7l", progressLine(elapsed, p.run, p.runs, p.done, p.total), "\033[?7h")
		p.shown = true
	}
}

// stop erases the line.
func (p *progress) stop(device *gpu.Device) {
	device.OnProgress(nil)
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.shown {
		fmt.Fprint(p.e.Stderr, "\r\033[K")
	}
}

// progressLine returns the line: what is done, and the estimated total time.
func progressLine(elapsed time.Duration, run, runs int, done, total uint64) string {
	part := 0.0
	if total > 0 {
		part = float64(done) / float64(total)
	}
	part = (float64(run) + part) / float64(runs)
	text := fmt.Sprintf("%3.0f %%", math.Floor(100*part))
	if total > 0 {
		text += fmt.Sprintf(" of %d workgroups", total)
	}
	if runs > 1 {
		text += fmt.Sprintf(", run %d of %d", run+1, runs)
	}
	text += ", " + elapsed.Round(time.Second).String()
	if part > 0 {
		text += " of about " + time.Duration(float64(elapsed)/part).Round(time.Second).String()
	}
	return text
}

// faults shows err as diagnostics if it is the report of the checked interpreter or a fault that a
// kernel recorded (-bounds=trap, assertions). It returns nil if there are only warnings, and other
// errors as they are.
func faults(e *cli.Env, p *loader.Program, err error) error {
	var report *cpu.Report
	var recordedFault *gpu.KernelError
	checked, recorded := errors.As(err, &report), errors.As(err, &recordedFault)
	if !checked && !recorded {
		return err
	}
	if checked {
		if err := e.Show(report.Sources, report.Diagnostics); err != nil {
			return err
		}
	}
	if recorded {
		p.List.Add(faultDiagnostic(p, recordedFault))
		return p.Report(e)
	}
	if report.Failed() {
		return cli.ErrReported
	}
	return nil
}

// faultDiagnostic makes a diagnostic of a recorded fault.
func faultDiagnostic(p *loader.Program, f *gpu.KernelError) diag.Diagnostic {
	d := diag.Diagnostic{Code: diag.OutOfBounds, Message: f.Message()}
	if f.Assertion {
		d.Code = diag.AssertionFailed
	}
	for _, file := range p.Set.Files() {
		if start := file.LineStart(f.Line); file.Name == f.File && start != 0 {
			start += source.Pos(byteOffset(file.Line(f.Line), f.Column-1))
			d.Span = source.Span{Start: start, End: start + source.Pos(f.Length)}
		}
	}
	if !d.Span.Valid() { // IR text may have other sources
		d.Message = f.Error()
	}
	if g := variable(p, f.Kernel, f.Name); g != nil && g.Span.Valid() {
		d.Notes = append(d.Notes, diag.Note{Span: g.Span, Message: g.Name + " is declared here"})
	}
	return d
}

// variable finds a variable that a kernel uses, by name. Kernels in Go may have variables of the
// same name.
func variable(p *loader.Program, kernel, name string) *ir.Global {
	m := p.Module
	for _, k := range m.Kernels() {
		if k.Name != kernel {
			continue
		}
		reach := ir.ReachOf(m, k)
		for _, list := range [][]ir.Value{reach.Resources, reach.Handles, reach.Workgroup, reach.Private, reach.Constant, reach.Immediate} {
			for _, v := range list {
				if g := m.Global(v); g.Name == name && name != "" {
					return g
				}
			}
		}
	}
	return nil
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

package exectest_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/internal/exectest"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/driver/cpu"
	"github.com/gpuc/gpuc/runtime/gpu"
	"github.com/gpuc/gpuc/runtime/jit"
)

var faultPrograms = flag.Uint64("faults", 300, "how many programs with faults are tried; every tenth of them on GPUs")

// faultDevice runs programs with faults.
type faultDevice struct {
	*gpu.Device
	stream *gpu.Stream
}

func openFaultDevice(t *testing.T, id string) *faultDevice {
	t.Helper()
	d, err := gpu.Open(gpu.Named(id))
	if err != nil {
		t.Fatal(err)
	}
	s, err := d.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.Close()
		d.Close()
	})
	return &faultDevice{d, s}
}

// run returns what the launch of a program reports.
func (d *faultDevice) run(f *exectest.FaultProgram, o codegen.Options) error {
	p, err := jit.Parse("fault.wgsl", f.Source, o)
	if err != nil {
		return err
	}
	k, err := p.Load(d.Device, "main")
	if err != nil {
		return err
	}
	defer k.Close()
	args := k.Args()
	for n, b := range k.Describe().Arguments() {
		for _, have := range f.Buffers {
			if have.Name != b.Name {
				continue
			}
			buffer, err := gpu.Upload(context.Background(), d.Device, have.Data)
			if err != nil {
				return err
			}
			defer buffer.Close()
			if err := args.Set(n, buffer); err != nil {
				return err
			}
		}
	}
	if err := d.stream.Launch(args, gpu.D1(1)); err != nil {
		return err
	}
	return d.stream.Wait(context.Background())
}

// checkReport holds what the checked device reports against what a program does:
// each fault and each read of workgroup memory before a write, and nothing else.
func checkReport(f *exectest.FaultProgram, err error) error {
	var report *cpu.Report
	if err != nil && !errors.As(err, &report) {
		return err
	}
	want := map[string]bool{}
	for n := range f.Faults {
		at := &f.Faults[n]
		want[fmt.Sprintf("%d:%d+%d: %s", at.Line, at.Column, at.Length, at.Message())] = true
	}
	for n := range f.Discarded {
		at := &f.Discarded[n]
		want[fmt.Sprintf("%d:%d+%d: discarded: %s", at.Line, at.Column, at.Length, at.Message())] = true
	}
	for _, at := range f.Unwritten {
		want[fmt.Sprintf("%d:%d+%d: unwritten", at.Line, at.Column, at.Length)] = true
	}
	if report != nil {
		for _, d := range report.Diagnostics {
			at := report.Sources.Position(d.Span.Start)
			message, _, _ := strings.Cut(d.Message, ", in invocation")
			if d.Code == diag.UninitializedRead {
				message = "unwritten"
			} else if d.Code == diag.DiscardedRead {
				message = "discarded: " + message
				if d.Severity != diag.Info {
					return fmt.Errorf("a discarded read is of severity %v", d.Severity)
				}
			}
			got := fmt.Sprintf("%d:%d+%d: %s", at.Line, at.Column, d.Span.End-d.Span.Start, message)
			if !want[got] {
				return fmt.Errorf("reported is %s", got)
			}
			delete(want, got)
		}
	}
	for message := range want {
		return fmt.Errorf("not reported is %s", message)
	}
	return nil
}

// checkRecord holds what the trap mode recorded against a program's first fault.
func checkRecord(f *exectest.FaultProgram, err error) error {
	var got *gpu.KernelError
	var report *cpu.Report
	switch {
	case errors.As(err, &got):
	case err != nil && (!errors.As(err, &report) || report.Failed()):
		return err
	case len(f.Faults) > 0:
		return fmt.Errorf("nothing is recorded, want %+v", f.Faults[0])
	default:
		return nil
	}
	found := exectest.Fault{FaultPlace: exectest.FaultPlace{Line: got.Line, Column: got.Column, Length: got.Length},
		Name: got.Name, Index: got.Index, Elements: got.Elements}
	if len(f.Faults) == 0 {
		return fmt.Errorf("recorded is %+v, and the program has no fault", found)
	} else if found != f.Faults[0] {
		return fmt.Errorf("recorded is %+v, want %+v", found, f.Faults[0])
	}
	return nil
}

// levels are the options that reports must not depend on.
var levels = []codegen.Options{{NoOptimize: true, Lines: true}, {Lines: true}}

// TestGeneratedFaults runs generated programs, of which an evaluator of their own
// says what they access outside of their variables. The checked device reports
// exactly that; the trap mode records the first of it, or nothing, on every device
// and at every level.
func TestGeneratedFaults(t *testing.T) {
	checked := openFaultDevice(t, "cpu:checked")
	infos, err := gpu.Devices()
	if err != nil {
		t.Error(err)
	}
	var devices []*faultDevice
	for _, info := range infos {
		if isChosen(info.ID()) {
			devices = append(devices, openFaultDevice(t, info.ID()))
		}
	}
	faulty, places, failures := 0, 0, 0
	for seed := range *faultPrograms {
		f := exectest.GenerateFaults(seed)
		places += len(f.Faults)
		if len(f.Faults) > 0 {
			faulty++
		}
		fail := func(what string, o codegen.Options, err error) {
			failures++
			t.Errorf("seed %d on %s, passes %v: %v\n%s", seed, what, !o.NoOptimize, err, f.Source)
		}
		for _, o := range levels {
			if len(f.Faults)+len(f.Unwritten) < 20 { // where the device stops
				if err := checkReport(f, checked.run(f, o)); err != nil {
					fail("cpu:checked", o, err)
				}
			}
			o.Bounds = opt.BoundsTrap
			for _, d := range devices {
				if info := d.Info(); info.Driver != "cpu" && seed%10 != 0 {
					continue
				}
				if err := checkRecord(f, d.run(f, o)); err != nil {
					info := d.Info()
					fail(info.ID()+" in trap mode", o, err)
				}
			}
		}
		if failures > 3 {
			break
		}
	}
	if faulty == 0 || uint64(faulty) == *faultPrograms {
		t.Errorf("%d of %d programs are faulty", faulty, *faultPrograms)
	}
	t.Logf("%d programs, %d of them with faults, at %d places", *faultPrograms, faulty, places)
}

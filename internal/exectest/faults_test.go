package exectest_test

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/internal/emulate"
	"github.com/gpuc/gpuc/internal/emulate/ptx"
	"github.com/gpuc/gpuc/internal/exectest"
	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/driver/cpu"
	"github.com/gpuc/gpuc/runtime/gpu"
	"github.com/gpuc/gpuc/runtime/jit"
)

var faultPrograms = flag.Uint64("faults", 0, "how many programs with faults are tried, 0 for the mode's number; every tenth of them on GPUs")

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

// levels are the options that reports must not depend on.
var levels = []codegen.Options{{NoOptimize: true, Lines: true}, {Lines: true}}

// reported is what the checked device says of a program, as ranges with messages. unwritten are
// reads of workgroup memory before a write.
type reported struct{ faults, discarded, unwritten map[string]bool }

func (r *reported) equal(other *reported) bool {
	return maps.Equal(r.faults, other.faults) && maps.Equal(r.discarded, other.discarded) && maps.Equal(r.unwritten, other.unwritten)
}

func (r *reported) count() int { return len(r.faults) + len(r.discarded) + len(r.unwritten) }

func keyOf(at exectest.SourceRange, message string) string {
	return fmt.Sprintf("%d:%d+%d: %s", at.Line, at.Column, at.Length, message)
}

func report(err error) (r reported, wrong error) {
	r = reported{map[string]bool{}, map[string]bool{}, map[string]bool{}}
	var said *cpu.Report
	if err == nil {
		return r, nil
	} else if !errors.As(err, &said) {
		return r, err
	}
	for _, d := range said.Diagnostics {
		at := said.Sources.Position(d.Span.Start)
		message, _, _ := strings.Cut(d.Message, ", in invocation")
		key := keyOf(exectest.SourceRange{Line: at.Line, Column: at.Column, Length: int(d.Span.End - d.Span.Start)}, message)
		switch d.Code {
		case diag.DiscardedRead:
			if r.discarded[key] = true; d.Severity != diag.Info {
				return r, fmt.Errorf("a discarded read is of severity %v", d.Severity)
			}
		case diag.UninitializedRead:
			r.unwritten[key] = true
		default:
			r.faults[key] = true
		}
	}
	return r, nil
}

// checkReport compares what the checked device reports with the faults of a program.
func checkReport(f *exectest.FaultProgram, err error) error {
	got, err := report(err)
	if err != nil {
		return err
	}
	want := reported{map[string]bool{}, map[string]bool{}, map[string]bool{}}
	for _, x := range f.Faults {
		want.faults[keyOf(x.SourceRange, x.Message())] = true
	}
	for _, x := range f.Discarded {
		want.discarded[keyOf(x.SourceRange, x.Message())] = true
	}
	if !got.equal(&want) {
		return fmt.Errorf("reported is %v, want %v", got, want)
	}
	return nil
}

// checkRecord compares what trap mode recorded with the first fault of a program.
func checkRecord(f *exectest.FaultProgram, err error) error {
	got, err := record(err)
	if err != nil {
		return err
	}
	want := ""
	if len(f.Faults) > 0 {
		want = keyOf(f.Faults[0].SourceRange, f.Faults[0].Message())
	}
	if got != want {
		return fmt.Errorf("recorded is %q, want %q", got, want)
	}
	return nil
}

// record is the access that trap mode recorded, or "".
func record(err error) (string, error) {
	var got *gpu.KernelError
	var r *cpu.Report
	switch {
	case errors.As(err, &got):
		f := exectest.Fault{Name: got.Name, Index: got.Index, Elements: got.Elements}
		return keyOf(exectest.SourceRange{Line: got.Line, Column: got.Column, Length: got.Length}, f.Message()), nil
	case err != nil && (!errors.As(err, &r) || r.Failed()):
		return "", err
	}
	return "", nil
}

// emulated runs a program in trap mode on the emulator of PTX and returns what it records.
func emulated(f *exectest.FaultProgram, o codegen.Options) (string, error) {
	p, err := jit.Parse("fault.wgsl", f.Source, o)
	if err != nil {
		return "", err
	}
	a, err := p.Compile(abi.PTX, "main")
	if err != nil {
		return "", err
	}
	launch := &emulate.Launch{Entry: "main", Grid: [3]uint32{1, 1, 1}}
	for _, b := range a.Kernel.Bindings {
		data := make([]byte, b.Size) // that of the record
		for _, have := range f.Buffers {
			if have.Name == b.Name {
				data = slices.Clone(have.Data)
			}
		}
		launch.Buffers = append(launch.Buffers, emulate.Buffer{Group: b.Group, Binding: b.Binding, Data: data})
	}
	if err := ptx.Run(a.Code, &a.Kernel, launch); err != nil || a.Kernel.Fault == nil {
		return "", err
	}
	r, found := a.Kernel.Fault.Decode(launch.Buffers[len(launch.Buffers)-1].Data)
	if !found {
		return "", nil
	}
	message := exectest.Fault{Name: r.Site.Name, Index: r.Index, Elements: r.Length}
	return keyOf(exectest.SourceRange{Line: r.Site.Line, Column: r.Site.Column, Length: r.Site.Length}, message.Message()), nil
}

// TestGeneratedFaults runs generated programs on the checked device, with passes and without, which
// has to report the same. Trap mode records one of the accesses that it reports, the same one on
// every device and with passes or not, or nothing where it reports none.
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
	count := cmp.Or(*faultPrograms, uint64(testmode.Scaled(300)))
	faulty, accesses := uint64(0), 0
	for seed := range count {
		f := exectest.GenerateFaults(seed)
		fail := func(what string, o codegen.Options, format string, args ...any) {
			t.Errorf("seed %d on %s, passes %v: %s\n%s", seed, what, !o.NoOptimize, fmt.Sprintf(format, args...), f.Source)
		}
		var first reported
		recorded := map[string]bool{}
		for n, o := range levels {
			found, err := report(checked.run(f, o))
			if err != nil {
				fail("cpu:checked", o, "%v", err)
			} else if n == 0 {
				first = found
			} else if first.count() < 20 && !first.equal(&found) { // it stops at some number
				fail("cpu:checked", o, "reported is %v, and %v without passes", found, first)
			}
			faults := first.faults
			o.Bounds = opt.BoundsTrap
			take := func(what, got string, err error) {
				if recorded[got] = true; err != nil || len(recorded) > 1 || (got == "") != (len(faults) == 0) || got != "" && first.count() < 20 && !faults[got] {
					fail(what+" in trap mode", o, "recorded is %q, %v; the checked device reports %v, others record %v", got, err, faults, recorded)
				}
			}
			for _, d := range devices {
				if info := d.Info(); info.Driver == "cpu" || seed%10 == 0 {
					got, err := record(d.run(f, o))
					take(info.ID(), got, err)
				}
			}
			got, err := emulated(f, o)
			take("the emulator of PTX", got, err)
		}
		if accesses += len(first.faults); len(first.faults) > 0 {
			faulty++
		}
		if t.Failed() {
			break
		}
	}
	if faulty == 0 || faulty == count {
		t.Errorf("%d of %d programs are faulty", faulty, count)
	}
	t.Logf("%d programs, %d of them with %d out-of-bounds accesses", count, faulty, accesses)
}

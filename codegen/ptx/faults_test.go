package ptx_test

import (
	"slices"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/ptx"
	"github.com/gpuc/gpuc/frontend"
	"github.com/gpuc/gpuc/internal/exectest"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/abi"
)

// TestGeneratedFaults: in trap mode the code records the first access outside of a
// variable that an evaluator finds in the program, or nothing where it finds none,
// with and without passes.
func TestGeneratedFaults(t *testing.T) {
	faulty := 0
	for seed := range uint64(150) {
		f := exectest.GenerateFaults(seed)
		if len(f.Faults) > 0 {
			faulty++
		}
		for _, plain := range []bool{false, true} {
			r, found := recordedFault(t, f, plain)
			switch {
			case found != (len(f.Faults) > 0):
				t.Errorf("seed %d, without passes %v: recorded is %v, and the program does %v\n%s", seed, plain, found, f.Faults, f.Source)
			case found:
				got := exectest.Fault{FaultPlace: exectest.FaultPlace{Line: r.Site.Line, Column: r.Site.Column, Length: r.Site.Length},
					Name: r.Site.Name, Index: r.Index, Elements: r.Length}
				if got != f.Faults[0] {
					t.Errorf("seed %d, without passes %v: recorded is %+v, want %+v\n%s", seed, plain, got, f.Faults[0], f.Source)
				}
			}
		}
	}
	if faulty == 0 {
		t.Error("no program has a fault")
	}
}

// recordedFault runs a program in trap mode and returns what it records.
func recordedFault(t *testing.T, f *exectest.FaultProgram, plain bool) (abi.FaultRecord, bool) {
	t.Helper()
	set, list := new(source.Set), new(diag.List)
	file, err := set.Add("fault.wgsl", f.Source)
	if err != nil {
		t.Fatal(err)
	}
	m, err := frontend.Load(set, file, frontend.Options{}, list)
	if err != nil || m == nil {
		t.Fatalf("%v %v\n%s", err, list.Items(), f.Source)
	}
	a := codegen.Compile(m, "main", &ptx.Target, &codegen.Options{NoOptimize: plain, Bounds: opt.BoundsTrap}, list)
	if a == nil {
		t.Fatalf("%v\n%s", list.Items(), f.Source)
	}
	p, err := read(string(a.Code))
	if err != nil {
		t.Fatalf("%v\n%s", err, numbered(string(a.Code)))
	}
	buffers, lengths := make([][]byte, len(a.Kernel.Bindings)), make([]int64, len(a.Kernel.Bindings))
	for n, b := range a.Kernel.Bindings {
		buffers[n], lengths[n] = make([]byte, b.Size), -1 // that of the record
		for _, have := range f.Buffers {
			if have.Name == b.Name {
				buffers[n] = slices.Clone(have.Data)
			}
		}
		if b.Stride != 0 {
			lengths[n] = int64(b.Length(uint64(len(buffers[n]))))
		}
	}
	if err := p.launch("main", [3]uint32{1, 1, 1}, buffers, lengths, nil); err != nil {
		t.Fatalf("%v\n%s\n%s", err, f.Source, numbered(string(a.Code)))
	}
	if a.Kernel.Fault == nil {
		return abi.FaultRecord{}, false
	}
	return a.Kernel.Fault.Decode(buffers[len(buffers)-1])
}

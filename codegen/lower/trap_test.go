package lower_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen/guard"
	"github.com/gpuc/gpuc/codegen/instrument"
	"github.com/gpuc/gpuc/codegen/lower"
	"github.com/gpuc/gpuc/internal/irgen"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/interp"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/abi"
)

// trapLaunch runs a module with checks and returns its buffers without the record, and the record.
func trapLaunch(t *testing.T, m *ir.Module, seed uint64) ([][]byte, []byte) {
	t.Helper()
	p, err := interp.Compile(m, m.Kernels()[0])
	if err != nil {
		t.Fatalf("%v\n%s", err, m.Text())
	}
	record := make([]byte, abi.FaultRecordBytes)
	var buffers [][]byte
	for n, b := range p.Bindings() {
		switch {
		case b.Name != instrument.RecordName:
			buffers = append(buffers, fill(b, seed))
		case n != len(p.Bindings())-1 || b.Size != abi.FaultRecordBytes || m.WithRole(ir.FaultRecord) == ir.NoValue:
			t.Fatalf("the record is binding %d of %d with %d bytes", n, len(p.Bindings()), b.Size)
		}
	}
	all := buffers
	if m.WithRole(ir.FaultRecord) != ir.NoValue {
		all = append(all[:len(all):len(all)], record)
	}
	items, err := p.Run(&interp.Launch{Buffers: all, Grid: [3]uint32{irgen.Groups, 1, 1}, Workers: 1, Fuel: 1 << 22})
	if err != nil {
		t.Fatalf("%v\n%s", err, m.Text())
	}
	for _, d := range items {
		t.Errorf("%s\n%s", d.Message, m.Text())
	}
	return buffers, record
}

// compareTrap fails unless a module with checks has the same results as before, and records a fault
// exactly if the checked interpreter finds one in the original. It returns the number of faults
// found.
func compareTrap(t *testing.T, before, after *ir.Module, seed uint64) int {
	t.Helper()
	want, _ := launch(t, before, seed, false)
	got, record := trapLaunch(t, after, seed)
	for n := range want {
		if !bytes.Equal(want[n], got[n]) {
			t.Fatalf("seed %d: buffer %d differs:\n%x\nbefore\n%x\n%s", seed, n, got[n], want[n], after.Text())
		}
	}
	expected := found(t, &instrument.Trap, before, seed)
	f := abi.Fault{Sites: make([]abi.Site, len(after.FaultSites))}
	r, recorded := f.Decode(record)
	switch {
	case recorded != (expected > 0):
		t.Errorf("seed %d: the checked interpreter finds %d faults, and recorded is: %v\n%s", seed, expected, recorded, before.Text())
	case recorded && r.Index >= 0 && r.Index < int64(r.Length):
		t.Errorf("seed %d: index %d of %d is recorded as a fault", seed, r.Index, r.Length)
	}
	return expected
}

// TestTrapComesFirst: a pipeline panics if the checks come after a pass that may move, merge or
// remove accesses, or that does not declare whether it does.
func TestTrapComesFirst(t *testing.T) {
	for _, before := range append([]*opt.Pass{&guard.Robustness, &lower.Scalarize}, opt.Passes...) {
		keeps := slices.Contains([]string{opt.Inline.Name, opt.Specialize.Name, opt.InlineTiles.Name, opt.PromoteTiles.Name}, before.Name)
		t.Run(before.Name, func(t *testing.T) {
			defer func() {
				if r := recover(); (r == nil) != keeps {
					t.Errorf("checks behind %s: %v", before.Name, r)
				} else if message, _ := r.(string); r != nil && !strings.Contains(message, "pass trap needs as-written") {
					t.Error(r)
				}
			}()
			m := irgen.Generate(3, irgen.Options{})
			c := &opt.Context{List: new(diag.List)}
			c.Run(m, []opt.Pass{*before, instrument.Trap}, ir.Initial|ir.Rooted)
		})
	}
}

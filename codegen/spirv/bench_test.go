package spirv

import (
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/workaround"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/opt"
)

// emission prepares one legalised kernel of a few hundred instructions.
func emission(t testing.TB) *codegen.Emission {
	m := newRandomControl(28)
	var list diag.List
	c := &opt.Context{List: &list, Bounds: opt.BoundsOff}
	c.Run(m, Target.Lowering(workaround.All)[1:], ir.Initial)
	if list.Errors() > 0 {
		t.Fatal(list.Items())
	}
	return &codegen.Emission{Context: c, Module: m, Kernel: m.Kernels()[0], Profile: &profiles[0], Workarounds: workaround.All}
}

// BenchmarkEmit writes the same module again and again.
func BenchmarkEmit(b *testing.B) {
	e := emission(b)
	words := 0
	b.ReportAllocs()
	for b.Loop() {
		words += len(emit(e)) / 4
	}
	b.ReportMetric(float64(words)/1e6/b.Elapsed().Seconds(), "Mwords/s")
}

// TestEmissionAllocatesTheModuleOnly holds the emitter to reusing its memory.
func TestEmissionAllocatesTheModuleOnly(t *testing.T) {
	e := emission(t)
	emit(e)
	if n := testing.AllocsPerRun(10, func() { emit(e) }); n > 1 {
		t.Errorf("%v allocations a module, want 1, the module's own", n)
	}
}

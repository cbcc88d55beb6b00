package spirv

import (
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/ir/diag"
)

// BenchmarkEmit writes one legalised kernel of a few hundred instructions again
// and again. In steady state the module's bytes are the only allocation.
func BenchmarkEmit(b *testing.B) {
	m := newRandomControl(28)
	target := Target
	target.Legalize = target.Legalize[1:]
	target.Emit = func(e *codegen.Emission) []byte {
		code := emit(e)
		b.ReportAllocs()
		for b.Loop() {
			code = emit(e)
		}
		b.ReportMetric(float64(b.N)*float64(len(code)/4)/1e6/b.Elapsed().Seconds(), "Mwords/s")
		return code
	}
	var list diag.List
	if codegen.Compile(m, "", &target, &codegen.Options{NoOptimize: true}, &list) == nil {
		b.Fatal(list.Items())
	}
}

func TestEmissionAllocatesTheModuleOnly(t *testing.T) {
	m := newRandomControl(28)
	target := Target
	target.Legalize = target.Legalize[1:]
	allocations := 0.0
	target.Emit = func(e *codegen.Emission) []byte {
		code := emit(e)
		allocations = testing.AllocsPerRun(10, func() { emit(e) })
		return code
	}
	var list diag.List
	if codegen.Compile(m, "", &target, &codegen.Options{NoOptimize: true}, &list) == nil {
		t.Fatal(list.Items())
	}
	if allocations > 2 {
		t.Errorf("%v allocations a module, want the module's own", allocations)
	}
}

package ptx_test

import (
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/ptx"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/opt"
)

// BenchmarkEmit times the emitter alone, on the largest of the test programs.
func BenchmarkEmit(b *testing.B) {
	m := loadProgram(b, "../../testdata/exec/sha256.wgsl", opt.MathWGSL)
	var emission *codegen.Emission
	target := ptx.Target
	target.Emit = func(e *codegen.Emission) []byte { emission = e; return ptx.Emit(e) }
	var list diag.List
	if codegen.Compile(m, m.Kernels()[0].Name, &target, &codegen.Options{Context: new(opt.Context), Settings: []ir.Setting{}}, &list) == nil {
		b.Fatal(list.Items())
	}
	lines := 0
	for _, c := range ptx.Emit(emission) {
		if c == '\n' {
			lines++
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		ptx.Emit(emission)
	}
	b.ReportMetric(float64(lines)*float64(b.N)/b.Elapsed().Seconds(), "lines/s")
}

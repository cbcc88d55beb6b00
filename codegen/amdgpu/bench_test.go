package amdgpu_test

import (
	"os"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/amdgpu"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/jit"
)

// BenchmarkEmit times the emitter alone, on the largest of the test programs.
func BenchmarkEmit(b *testing.B) {
	text, err := os.ReadFile("../../testdata/exec/sha256.wgsl")
	if err != nil {
		b.Fatal(err)
	}
	p, err := jit.Parse("sha256.wgsl", string(text), codegen.Options{})
	if err != nil {
		b.Fatal(err)
	}
	var emission *codegen.Emission
	target := amdgpu.Target
	target.Emit = func(e *codegen.Emission) []byte { emission = e; return amdgpu.Emit(e) }
	var list diag.List
	if codegen.Compile(p.Module(), p.Module().Kernels()[0].Name, &target, &codegen.Options{Context: new(opt.Context)}, &list) == nil {
		b.Fatal(list.Items())
	}
	lines := 0
	for _, c := range amdgpu.Emit(emission) {
		if c == '\n' {
			lines++
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		amdgpu.Emit(emission)
	}
	b.ReportMetric(float64(lines), "lines")
	b.ReportMetric(float64(lines)*float64(b.N)/b.Elapsed().Seconds(), "lines/s")
}

package amdgpu_test

import (
	"bytes"
	"os"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/amdgpu"
	"github.com/gpuc/gpuc/internal/exectest"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/jit"
)

// BenchmarkEmit times the emitter alone, on the largest of the exec kernels.
func BenchmarkEmit(b *testing.B) {
	p := parse(b, "testdata/exec/sha256.wgsl")
	var emission *codegen.Emission
	target := amdgpu.Target
	target.Emit = func(e *codegen.Emission) []byte { emission = e; return amdgpu.Emit(e) }
	lines := bytes.Count(compile(b, p, &target, new(opt.Context)), []byte("\n"))
	b.ReportAllocs()
	for b.Loop() {
		amdgpu.Emit(emission)
	}
	report(b, lines)
}

// BenchmarkCompile times the compilation of the exec kernels without textures and overrides, from
// their modules to the text.
func BenchmarkCompile(b *testing.B) {
	var programs []*jit.Program
	for _, c := range exectest.Cases() {
		if len(c.Textures) == 0 && len(c.Dispatches[0].Overrides) == 0 {
			programs = append(programs, parse(b, c.File()))
		}
	}
	context, lines := new(opt.Context), 0
	b.ReportAllocs()
	for b.Loop() {
		lines = 0
		for _, p := range programs {
			lines += bytes.Count(compile(b, p, &amdgpu.Target, context), []byte("\n"))
		}
	}
	report(b, lines)
}

func parse(b *testing.B, file string) *jit.Program {
	text, err := os.ReadFile("../../" + file)
	if err != nil {
		b.Fatal(err)
	}
	p, err := jit.Parse(file, string(text), codegen.Options{})
	if err != nil {
		b.Fatal(err)
	}
	return p
}

// compile returns the code of a program's first kernel.
func compile(b *testing.B, p *jit.Program, target *codegen.Target, c *opt.Context) []byte {
	var list diag.List
	a := codegen.Compile(p.Module(), p.Module().Kernels()[0].Name, target, &codegen.Options{Context: c}, &list)
	if a == nil {
		b.Fatal(list.Items())
	}
	return a.Code
}

// report adds the time for 1,000 lines of code.
func report(b *testing.B, lines int) {
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/float64(lines)*1000, "µs/1000-lines")
}

package vector_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/cpu/lower"
	"github.com/gpuc/gpuc/codegen/cpu/vector"
	"github.com/gpuc/gpuc/internal/exectest"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/jit"
)

// BenchmarkCompile makes programs of the exec kernels, whose IR has been read, by way of the
// machine level and without it. An operation is a kernel.
func BenchmarkCompile(b *testing.B) {
	type kernel struct {
		m *ir.Module
		f *ir.Func
		p *lower.Program
	}
	var kernels []kernel
	for _, c := range exectest.Cases() {
		text, err := os.ReadFile(filepath.Join("..", "..", "..", filepath.FromSlash(c.File())))
		if err != nil {
			b.Fatal(err)
		}
		p, err := jit.Parse(c.Name+".wgsl", string(text), codegen.Options{})
		if err != nil {
			b.Fatal(err)
		}
		var settings []ir.Setting
		for _, o := range c.Dispatches[0].Overrides {
			settings = append(settings, ir.Setting{Key: o.Name, Value: o.Value})
		}
		a, err := p.Compile(abi.CPU, c.Dispatches[0].Entry, settings...)
		if err != nil {
			b.Fatal(err)
		}
		var set source.Set
		var list diag.List
		file, err := set.Add(c.Name, string(a.Code))
		if err != nil {
			b.Fatal(err)
		}
		m := ir.Parse(&set, file, &list)
		f := m.Func(a.Kernel.Name)
		s, err := lower.Build(m, f)
		if err != nil {
			b.Fatal(err)
		}
		kernels = append(kernels, kernel{m, f, s})
	}
	b.Run("all", func(b *testing.B) {
		b.ReportAllocs()
		for n := 0; b.Loop(); n++ {
			k := &kernels[n%len(kernels)]
			p, err := lower.Build(k.m, k.f)
			if err == nil {
				_, err = vector.Compile(p)
			}
			if err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("vector", func(b *testing.B) {
		b.ReportAllocs()
		for n := 0; b.Loop(); n++ {
			if _, err := vector.Compile(kernels[n%len(kernels)].p); err != nil {
				b.Fatal(err)
			}
		}
	})
}

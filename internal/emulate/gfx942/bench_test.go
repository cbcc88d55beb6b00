package gfx942

import (
	"slices"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	bench "github.com/gpuc/gpuc/internal/emulate/amdgpu"
	"github.com/gpuc/gpuc/internal/exectest"
)

// BenchmarkRun reports executed instructions of waves per second, on the kernel of the exec cases
// with the longest loops.
func BenchmarkRun(b *testing.B) {
	if missing := bench.MissingTools(); missing != "" {
		b.Skip("skipped: there is no " + missing)
	}
	cases := exectest.Cases()
	c := &cases[slices.IndexFunc(cases, func(c exectest.Case) bool { return c.Name == "mandelbrot" })]
	x := compileCase(b, c, "default", codegen.Options{}, 0, false)
	assembled, err := bench.Assemble(profile, x.programs)
	if err != nil {
		b.Fatal(err)
	}
	object, err := Load(assembled.Data)
	if err != nil {
		b.Fatal(err)
	}
	executed := 0
	for b.Loop() {
		err := x.runBy(0, func(l *Launch) error {
			l.Count = func(string, bool) { executed++ }
			return object.Run(l)
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(executed)/b.Elapsed().Seconds(), "instructions/s")
}

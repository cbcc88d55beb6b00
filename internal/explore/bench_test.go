package explore_test

import (
	"os"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/all"
	"github.com/gpuc/gpuc/internal/explore"
)

// BenchmarkExplore compiles a program for all targets.
func BenchmarkExplore(b *testing.B) {
	text, err := os.ReadFile("../../examples/edges/edges.wgsl")
	if err != nil {
		b.Fatal(err)
	}
	m := load(b, "edges.wgsl", string(text))
	targets := all.Targets
	for b.Loop() {
		if x := explore.Explore(m, []string{"main"}, targets, codegen.Options{}); x.Kernels[0].Targets[0].Code < 0 {
			b.Fatal(x.Kernels[0].Targets[0].Refusal)
		}
	}
}

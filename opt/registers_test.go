package opt_test

import (
	"path/filepath"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/internal/irtest"
	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/jit"
)

// TestUnrolledKernels interprets kernels whose arrays become values before and after the pipelines
// that unroll loops: helpers, triangles, counts after branches.
func TestUnrolledKernels(t *testing.T) {
	order, texts := irtest.Sections(t, filepath.Join("..", "codegen", "all", "testdata", "registers.txt"))
	for _, name := range order {
		p, err := jit.Parse(name+".wgsl", texts[name], codegen.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Run(name, func(t *testing.T) {
			testmode.Pick(t, name)
			for _, passes := range [][]opt.Pass{opt.Unrolled(), opt.Vulkan(), opt.VulkanLarge()} {
				m := p.Module().Clone()
				c := &opt.Context{List: new(diag.List), Verify: true}
				c.Run(m, passes, ir.Initial)
				for seed := range uint64(3) {
					compareRuns(t, p.Module(), m, seed+1)
				}
			}
		})
	}
}

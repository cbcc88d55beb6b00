package spirv

import (
	"github.com/gpuc/gpuc/codegen/legalize"
	"github.com/gpuc/gpuc/ir"
)

// checkLayout reports a binding whose layout Vulkan 1.1 does not take. For
// uniform buffers std140 has replaced it before; for storage buffers WGSL's own
// rules never lead here, but another front end's may.
func (w *emitter) checkLayout(g *ir.Global, space ir.Space, t ir.Type) {
	if problem := legalize.LayoutProblem(w.m, t, space == ir.Uniform); problem != "" {
		w.unsupported(g.Span, "the layout of @"+g.Name+": "+problem)
	}
}

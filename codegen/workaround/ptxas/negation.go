package ptxas

import (
	"github.com/gpuc/gpuc/codegen/rewrite"
	"github.com/gpuc/gpuc/codegen/workaround/shared"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/opt"
)

// NegateBySubtraction is workaround ptxas-negation. It replaces negations by subtractions, and
// removes complements from sums (shared.ComplementRules):
//
//	-x, 0 - x, x * -1  ─►  x - (x << 1)
//
// ptxas (12.9 and 13.0, fixed in 13.5) fuses max(max(x, -x), y) into an instruction that reads x
// twice. It treats k = -k in a loop as a copy, and then assumes that k is invariant. It
// canonicalises ~x + 1 and x * -1 to -x first. The subtraction it turns into a product with -2 and
// a sum, which is one instruction.
var NegateBySubtraction = opt.Pass{
	Name: "ptxas-negation",
	Doc:  "replace negations by subtractions, and remove complements from sums",
	Run:  negationRules.Where(op.SetOf(op.Not, op.Neg, op.Sub, op.Xor, op.Mul)),
}

var negationRules = rewrite.Rules{
	op.Add: shared.AddComplement,
	op.Sub: subtractInstead,
	op.Neg: subtractInstead,
	op.Mul: subtractProduct,
	op.Xor: shared.Complement,
}

func subtractInstead(r *rewrite.Rewriter) ir.Value {
	if v := shared.ComplementRules[r.F.Op(r.Inst)](r); v != ir.NoValue {
		return v
	}
	if x, ok := shared.Negated(r, r.F.Result(r.Inst)); ok {
		return r.Op(op.Sub, x, r.Shl(x, 1))
	}
	return ir.NoValue
}

func subtractProduct(r *rewrite.Rewriter) ir.Value {
	for n, x := range r.X[:2] {
		if shared.IsAllOnes(r, r.X[1-n]) && rewrite.IsInteger32(r.F, x) {
			return r.Op(op.Sub, x, r.Shl(x, 1))
		}
	}
	return ir.NoValue
}

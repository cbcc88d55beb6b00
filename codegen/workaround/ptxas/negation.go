package ptxas

import (
	"github.com/gpuc/gpuc/codegen/rewrite"
	"github.com/gpuc/gpuc/codegen/workaround/shared"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/opt"
)

// NegateBySubtraction subtracts instead of negating, and rewrites complements as said above:
//
//	-x, 0 - x, x * -1  ─►  x - (x << 1)
//
// ptxas (12.9 and 13.0, no more 13.5) makes one instruction of max(max(x, -x), y) that
// has x twice, and takes k = -k for a copy in a loop, where it then knows that k stays
// what it was. Of ~x + 1 and x * -1 it makes -x first, but of the difference a product
// with -2 and a sum, in one instruction.
var NegateBySubtraction = opt.Pass{
	Name: "ptxas-negation",
	Doc:  "subtract instead of negating, and have no complements in sums",
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
		if shared.IsOnes(r, r.X[1-n]) && rewrite.IsInteger32(r.F, x) {
			return r.Op(op.Sub, x, r.Shl(x, 1))
		}
	}
	return ir.NoValue
}

package legalize

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/opt"
)

// Negations subtracts instead of negating, and rewrites complements as said above:
//
//	-x, 0 - x, x * -1  ─►  x - (x << 1)
//
// ptxas (12.9 and 13.0, no more 13.5) makes one instruction of max(max(x, -x), y) that
// has x twice, and takes k = -k for a copy in a loop, where it then knows that k stays
// what it was. Of ~x + 1 and x * -1 it makes -x first, but of the difference a product
// with -2 and a sum, in one instruction.
var Negations = opt.Pass{
	Name: "negations",
	Doc:  "subtract instead of negating, and have no complements in sums",
	Run:  negationRules.where(op.SetOf(op.Not, op.Neg, op.Sub, op.Xor, op.Mul)),
}

var negationRules = rules{
	op.Add: addComplement,
	op.Sub: subtractInstead,
	op.Neg: subtractInstead,
	op.Mul: subtractProduct,
	op.Xor: complement,
}

func subtractInstead(r *rewriter) ir.Value {
	if v := complementRules[r.f.Op(r.i)](r); v != ir.NoValue {
		return v
	}
	if x, ok := r.negated(r.f.Result(r.i)); ok {
		return r.op(op.Sub, x, r.shl(x, 1))
	}
	return ir.NoValue
}

func subtractProduct(r *rewriter) ir.Value {
	for n, x := range r.x[:2] {
		if r.isOnes(r.x[1-n]) && isInteger32(r.f, x) {
			return r.op(op.Sub, x, r.shl(x, 1))
		}
	}
	return ir.NoValue
}

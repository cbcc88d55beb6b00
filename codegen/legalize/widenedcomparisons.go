package legalize

import (
	"math"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
)

// WidenedComparisons compares what was widened to 64 bits with its sign, and is compared with a constant, as it was:
//
//	i64(x) < 5            ─►  x < 5
//	i64(x) < 0x100000000  ─►  true
//
// Mesa's compilers (22.3.6) have rules for such comparisons that give the opposite: `i64(1) > 5` is true on lavapipe. Equations are right, and
// so are comparisons of two numbers that were widened, and of those that were widened without a sign.
var WidenedComparisons = opt.Pass{
	Name:  "widenedcomparisons",
	Doc:   "compare what is widened with its sign with constants as it was",
	Keeps: ir.Uncounted | ir.Unchained,
	Run:   widenedComparisonRules.where(op.SetOf(op.Convert)),
}

var widenedComparisonRules = rules{
	op.Lt: widenedComparison,
	op.Le: widenedComparison,
	op.Gt: widenedComparison,
	op.Ge: widenedComparison,
}

func widenedComparison(r *rewriter) ir.Value {
	if r.kind != scalar.I64 {
		return ir.NoValue
	}
	for n := range 2 {
		bits, constant := r.m.ConstSplatBits(r.x[1-n])
		i, ok := r.f.Def(r.x[n])
		if !constant || !ok || r.f.Op(i) != op.Convert {
			continue
		}
		x := r.f.Resolve(r.f.Arg(i, 0))
		t := r.f.TypeOf(x)
		from := r.m.ScalarOf(t)
		if !isSignedWord(from) {
			continue
		}
		o, limit := r.f.Op(r.i), int64(bits)
		if limit < math.MinInt32 || limit > math.MaxInt32 {
			// the constant stands on the left if n is 1; it is the greater side, or the smaller
			greaterLeft := (n == 1) == (limit > math.MaxInt32)
			if greaterLeft == (o == op.Gt || o == op.Ge) {
				return r.bits(r.t, 1)
			}
			return r.bits(r.t, 0)
		}
		if from != scalar.I32 {
			t = r.with(t, scalar.I32)
			x = r.b.Emit(op.Convert, t, 0, x)
		}
		var args [2]ir.Value
		args[n], args[1-n] = x, r.integer(t, limit)
		return r.op(o, args[0], args[1])
	}
	return ir.NoValue
}

package mesa

import (
	"github.com/gpuc/gpuc/codegen/rewrite"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
)

// RoundDoublesByFloor is workaround mesa-double-rounding. It makes trunc and round of f64 from
// floor and ceil:
//
//	trunc(x)  ─►  select(x < 0, ceil(x), floor(x))
//	round(x)  ─►  select(up, ceil(x), floor(x)), where up is
//	              x - floor(x) > 0.5 || x - floor(x) == 0.5 && floor(x) is odd
//
// On processors without AVX-512, llvmpipe (Mesa 22.3.6) converts vectors of f64 to i32 and back.
// The results are wrong beyond 32 bits, and zeros lose their sign. floor and ceil are right. The
// difference is rounded only where x is between -0.5 and 0. It is 0.5 or more there, and floor(x)
// is odd, so the result is ceil(x), which is right.
var RoundDoublesByFloor = opt.Pass{
	Name: "mesa-double-rounding",
	Doc:  "make trunc and round of f64 from floor and ceil",
	Run: func(c *opt.Context, m *ir.Module) {
		table := rewrite.Rules{op.Trunc: truncDouble, op.Round: roundDouble}
		table.Everywhere()(c, m)
	},
}

func truncDouble(r *rewrite.Rewriter) ir.Value {
	if r.Kind != scalar.F64 {
		return ir.NoValue
	}
	x := r.X[0]
	return r.Select(r.Op(op.Lt, x, r.Float(r.Type, 0)), r.Op(op.Ceil, x), r.Op(op.Floor, x))
}

func roundDouble(r *rewrite.Rewriter) ir.Value {
	if r.Kind != scalar.F64 {
		return ir.NoValue
	}
	x, half := r.X[0], r.Float(r.Type, 0.5)
	floor := r.Op(op.Floor, x)
	rest := r.Op(op.Sub, x, floor)
	halved := r.Op(op.Mul, floor, half)
	odd := r.Op(op.Ne, r.Op(op.Floor, halved), halved)
	up := r.Op(op.Or, r.Op(op.Gt, rest, half), r.Op(op.And, r.Op(op.Eq, rest, half), odd))
	return r.Select(up, r.Op(op.Ceil, x), floor)
}

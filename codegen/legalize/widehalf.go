package legalize

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
)

// WideHalf computes the functions that have no exact result in f32 when they are
// asked for in f16. No device has them in f16: drivers widen too, or crash, as
// Mesa 22.3's lavapipe does on the sine of an f16. Rounding the f32 result is
// within every bound of WGSL §15.7.4.
var WideHalf = opt.Pass{
	Name:   "widehalf",
	Doc:    "compute transcendental functions of f16 in f32",
	Breaks: ir.Expanded | ir.Total,
	Run:    made(makeWideHalfRules),
}

func makeWideHalfRules() *rules {
	table := new(rules)
	for _, o := range [...]op.Op{
		op.Sin, op.Cos, op.Tan, op.Asin, op.Acos, op.Atan, op.Atan2, op.Sinh, op.Cosh, op.Tanh, op.Asinh, op.Acosh,
		op.Atanh, op.Exp, op.Exp2, op.Log, op.Log2, op.Pow, op.InverseSqrt,
	} {
		table[o] = func(r *rewriter) ir.Value {
			if r.kind != scalar.F16 {
				return ir.NoValue
			}
			x := r.b.Convert(scalar.F32, r.x[0])
			if r.x[1] != ir.NoValue {
				return r.b.Convert(scalar.F16, r.op(o, x, r.b.Convert(scalar.F32, r.x[1])))
			}
			return r.b.Convert(scalar.F16, r.op(o, x))
		}
	}
	return table
}

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
	Run:    wideHalfRules.everywhere(),
}

var wideHalfRules = rules{
	op.Sin: widen, op.Cos: widen, op.Tan: widen, op.Asin: widen, op.Acos: widen, op.Atan: widen, op.Atan2: widen,
	op.Sinh: widen, op.Cosh: widen, op.Tanh: widen, op.Asinh: widen, op.Acosh: widen, op.Atanh: widen,
	op.Exp: widen, op.Exp2: widen, op.Log: widen, op.Log2: widen, op.Pow: widen, op.InverseSqrt: widen,
}

// widen computes an operation on f16 in f32.
func widen(r *rewriter) ir.Value {
	if r.kind != scalar.F16 {
		return ir.NoValue
	}
	var wide [len(r.x)]ir.Value
	n := len(r.f.Args(r.i))
	for k := range n {
		wide[k] = r.b.Convert(scalar.F32, r.x[k])
	}
	return r.b.Convert(scalar.F16, r.op(r.f.Op(r.i), wide[:n]...))
}

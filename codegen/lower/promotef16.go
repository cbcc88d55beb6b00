package lower

import (
	"github.com/gpuc/gpuc/codegen/rewrite"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
)

// PromoteF16 computes transcendental functions of f16 in f32 (LLVM: type legalisation by
// promotion):
//
//	sin(x)  ─►  f16(sin(f32(x)))
//
// No device has them in f16: drivers promote, too, or crash (workaround.Choices). The rounded f32
// result is within every bound of WGSL §15.7.4.
var PromoteF16 = opt.Pass{
	Name:   "promote-f16",
	Doc:    "compute transcendental functions of f16 in f32",
	Breaks: ir.Expanded | ir.Total,
	Run:    wideHalfRules.Everywhere(),
}

var wideHalfRules = rewrite.Rules{
	op.Sin: PromoteOp, op.Cos: PromoteOp, op.Tan: PromoteOp, op.Asin: PromoteOp, op.Acos: PromoteOp, op.Atan: PromoteOp, op.Atan2: PromoteOp,
	op.Sinh: PromoteOp, op.Cosh: PromoteOp, op.Tanh: PromoteOp, op.Asinh: PromoteOp, op.Acosh: PromoteOp, op.Atanh: PromoteOp,
	op.Exp: PromoteOp, op.Exp2: PromoteOp, op.Log: PromoteOp, op.Log2: PromoteOp, op.Pow: PromoteOp, op.InverseSqrt: PromoteOp,
}

// PromoteOp computes the current operation in f32 if it is one of f16, and else returns NoValue.
// f32 has more than twice the digits, so that the result is rounded only once more.
func PromoteOp(r *rewrite.Rewriter) ir.Value {
	if r.Kind != scalar.F16 {
		return ir.NoValue
	}
	var args [len(r.X)]ir.Value
	n := len(r.F.Args(r.Inst))
	for k, x := range r.X[:n] {
		if args[k] = x; r.M.ScalarOf(r.F.TypeOf(x)) == scalar.F16 {
			args[k] = r.B.Convert(scalar.F32, x)
		}
	}
	v := r.Op(r.F.Op(r.Inst), args[:n]...)
	if r.M.ScalarOf(r.Type).IsFloat() {
		return r.B.Convert(scalar.F16, v)
	}
	return v
}

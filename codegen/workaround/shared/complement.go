package shared

import (
	"github.com/gpuc/gpuc/codegen/rewrite"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// ComplementRules remove complements from sums. They are part of NegateBySubtraction (PTX) and of
// UnsignedMinMaxOfNegation (SPIR-V):
//
//	x - ~y  ─►  x + y + 1
//	x + ~y  ─►  x - y - 1
//	-~y     ─►  y + 1
//	x ^ -1  ─►  ~x
//
// NVIDIA's compilers (driver 580, ptxas 12.9 and 13.0, fixed in 13.5) lose complements and signs of
// operands when they fuse instructions or fold constants. They make ~y - 1 of 0 - ~y + 1:
// `d[local_id.z - ~group.x + 1]` read the last element instead of the third. They set y to 8 in
// `if x == 8 { y = x ^ -1 }`, where codegen/ptx emits a subtraction for ~x.
var ComplementRules = rewrite.Rules{
	op.Add: AddComplement,
	op.Sub: subtractComplement,
	op.Neg: negateComplement,
	op.Xor: Complement,
}

// Negated returns x if a value is -x of 32-bit integers.
func Negated(r *rewrite.Rewriter, v ir.Value) (x ir.Value, ok bool) {
	i, ok := r.F.Def(v)
	if !ok || !rewrite.IsInteger32(r.F, v) {
		return ir.NoValue, false
	}
	switch o := r.F.Op(i); {
	case o == op.Neg:
		return r.F.Resolve(r.F.Arg(i, 0)), true
	case o == op.Sub && r.M.IsZero(r.F.Arg(i, 0)):
		return r.F.Resolve(r.F.Arg(i, 1)), true
	}
	return ir.NoValue, false
}

// IsInteger32 reports whether the current instruction has operands of i32 or u32.
func IsInteger32(r *rewrite.Rewriter) bool { return r.Kind == scalar.I32 || r.Kind == scalar.U32 }

// complemented matches ~y, -1 - y and y ^ -1 for an operand of i32 or u32, and returns y.
func complemented(r *rewrite.Rewriter, v ir.Value) (y ir.Value, ok bool) {
	f := r.F
	i, ok := f.Def(v)
	if !ok || !IsInteger32(r) {
		return ir.NoValue, false
	}
	switch o := f.Op(i); {
	case o == op.Not, o == op.Xor && IsAllOnes(r, f.Arg(i, 1)):
		return f.Resolve(f.Arg(i, 0)), true
	case o == op.Sub && IsAllOnes(r, f.Arg(i, 0)), o == op.Xor && IsAllOnes(r, f.Arg(i, 0)):
		return f.Resolve(f.Arg(i, 1)), true
	}
	return ir.NoValue, false
}

// IsAllOnes reports whether a value is the constant -1 of i32 or u32.
func IsAllOnes(r *rewrite.Rewriter, v ir.Value) bool {
	bits, ok := r.M.ConstSplatBits(v)
	return ok && bits == 1<<32-1
}

// AddComplement rewrites x + ~y.
func AddComplement(r *rewrite.Rewriter) ir.Value {
	for n := range 2 {
		if y, ok := complemented(r, r.X[n]); ok {
			return r.Op(op.Sub, r.Op(op.Sub, r.X[1-n], y), r.Bits(r.Type, 1))
		}
	}
	return ir.NoValue
}

func subtractComplement(r *rewrite.Rewriter) ir.Value {
	if y, ok := complemented(r, r.X[1]); ok {
		return r.Op(op.Add, r.Op(op.Add, r.X[0], y), r.Bits(r.Type, 1))
	}
	return ir.NoValue
}

func negateComplement(r *rewrite.Rewriter) ir.Value {
	if y, ok := complemented(r, r.X[0]); ok {
		return r.Op(op.Add, y, r.Bits(r.Type, 1))
	}
	return ir.NoValue
}

// Complement rewrites x ^ -1.
func Complement(r *rewrite.Rewriter) ir.Value {
	if !IsInteger32(r) {
		return ir.NoValue
	}
	for n := range 2 {
		if IsAllOnes(r, r.X[n]) {
			return r.Op(op.Not, r.X[1-n])
		}
	}
	return ir.NoValue
}

// MinMaxFlipped builds a min, max or clamp o of args with the other signedness: operands and result
// are biased by 2^31.
func MinMaxFlipped(r *rewrite.Rewriter, o op.Op, args []ir.Value) ir.Value {
	from, to := scalar.I32, scalar.U32
	if r.M.ScalarOf(r.F.TypeOf(args[0])) == scalar.U32 {
		from, to = to, from
	}
	var x [3]ir.Value
	for n := range args {
		x[n] = r.Cast(to, r.FlipSign(args[n]))
	}
	return r.Cast(from, r.FlipSign(r.Op(o, x[:len(args)]...)))
}

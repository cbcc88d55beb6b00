package legalize

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// NVIDIA's compilers lose complements and the signs of operands when they join
// instructions or compute with what they know. The passes Negations, for PTX, and
// Extremes, for SPIR-V, keep both from them. They share what becomes of complements:
//
//	x - ~y  ─►  x + y + 1
//	x + ~y  ─►  x - y - 1
//	-~y     ─►  y + 1
//	x ^ -1  ─►  ~x
//
// The driver 580, ptxas 12.9 and 13.0 (no more 13.5) make y 8 of `if x == 8 { y = x ^ -1 }`,
// where codegen/ptx emits a subtraction for ~x, and of 0 - ~y + 1 they make ~y - 1:
// `d[local_id.z - ~group.x + 1]` read the last element instead of the third. Without
// a complement in the sum, it is right.
var complementRules = rules{
	op.Add: addComplement,
	op.Sub: subtractComplement,
	op.Neg: negateComplement,
	op.Xor: complement,
}

// negated returns x if a value is -x of 32-bit integers.
func (r *rewriter) negated(v ir.Value) (x ir.Value, ok bool) {
	i, ok := r.f.Def(v)
	if !ok || !isInteger32(r.f, v) {
		return ir.NoValue, false
	}
	switch o := r.f.Op(i); {
	case o == op.Neg:
		return r.f.Resolve(r.f.Arg(i, 0)), true
	case o == op.Sub && r.m.IsZero(r.f.Arg(i, 0)):
		return r.f.Resolve(r.f.Arg(i, 1)), true
	}
	return ir.NoValue, false
}

// isInteger32 reports whether the instruction in hand is about i32 or u32.
func (r *rewriter) isInteger32() bool { return r.kind == scalar.I32 || r.kind == scalar.U32 }

// complemented returns y if an operand, of i32 or u32, is ~y in any way to write it.
func (r *rewriter) complemented(v ir.Value) (y ir.Value, ok bool) {
	f := r.f
	i, ok := f.Def(v)
	if !ok || !r.isInteger32() {
		return ir.NoValue, false
	}
	switch o := f.Op(i); {
	case o == op.Not, o == op.Xor && r.isOnes(f.Arg(i, 1)):
		return f.Resolve(f.Arg(i, 0)), true
	case o == op.Sub && r.isOnes(f.Arg(i, 0)), o == op.Xor && r.isOnes(f.Arg(i, 0)):
		return f.Resolve(f.Arg(i, 1)), true
	}
	return ir.NoValue, false
}

// isOnes reports whether a value is the constant -1 of i32 or u32.
func (r *rewriter) isOnes(v ir.Value) bool {
	bits, ok := r.m.ConstSplatBits(v)
	return ok && bits == 1<<32-1
}

func addComplement(r *rewriter) ir.Value {
	for n := range 2 {
		if y, ok := r.complemented(r.x[n]); ok {
			return r.op(op.Sub, r.op(op.Sub, r.x[1-n], y), r.bits(r.t, 1))
		}
	}
	return ir.NoValue
}

func subtractComplement(r *rewriter) ir.Value {
	if y, ok := r.complemented(r.x[1]); ok {
		return r.op(op.Add, r.op(op.Add, r.x[0], y), r.bits(r.t, 1))
	}
	return ir.NoValue
}

func negateComplement(r *rewriter) ir.Value {
	if y, ok := r.complemented(r.x[0]); ok {
		return r.op(op.Add, y, r.bits(r.t, 1))
	}
	return ir.NoValue
}

func complement(r *rewriter) ir.Value {
	if !r.isInteger32() {
		return ir.NoValue
	}
	for n := range 2 {
		if r.isOnes(r.x[n]) {
			return r.op(op.Not, r.x[1-n])
		}
	}
	return ir.NoValue
}

// biased returns the extreme of numbers with a sign as that of numbers without one, or the
// other way round.
func (r *rewriter) biased(o op.Op, args []ir.Value) ir.Value {
	from, to := scalar.I32, scalar.U32
	if r.m.ScalarOf(r.f.TypeOf(args[0])) == scalar.U32 {
		from, to = to, from
	}
	var x [3]ir.Value
	for n := range args {
		x[n] = r.cast(to, r.bias(args[n]))
	}
	return r.cast(from, r.bias(r.op(o, x[:len(args)]...)))
}

package legalize

import (
	"math/bits"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// shiftedLeft returns by which constant an instruction shifts to the left, else 0, and what it
// shifts: products with powers of two and sums of a value with itself are shifts.
func (r *rewriter) shiftedLeft(i ir.Inst) (n uint64, of ir.Value) {
	f := r.f
	args := f.Args(i)
	switch f.Op(i) {
	case op.Shl:
		n, _ = r.m.ConstSplatBits(f.Resolve(args[1]))
		n &= 63
	case op.Mul:
		if c, ok := r.m.ConstSplatBits(f.Resolve(args[1])); ok && bits.OnesCount64(c) == 1 {
			n = uint64(bits.TrailingZeros64(c))
		}
	case op.Add:
		if r.plain(args[0]) == r.plain(args[1]) {
			n = 1
		}
	}
	if n == 0 {
		return 0, ir.NoValue
	}
	return n, r.plain(args[0])
}

// plain returns what a value of 64 bits is reinterpreted from.
func (r *rewriter) plain(v ir.Value) ir.Value {
	f := r.f
	v = f.Resolve(v)
	for {
		i, ok := f.Def(v)
		if !ok || f.Op(i) != op.Bitcast || r.m.ScalarOf(f.TypeOf(f.Arg(i, 0))).Bits() != 64 {
			return v
		}
		v = f.Resolve(f.Arg(i, 0))
	}
}

// signDepth bounds how far hasWordSign looks.
const signDepth = 6

// hasWordSign reports whether an integer of 64 bits was made of numbers that were widened with
// their sign from at most 32 bits.
func (r *rewriter) hasWordSign(v ir.Value, depth int) bool {
	f := r.f
	v = f.Resolve(v)
	if x, ok := r.m.ConstSplatBits(v); ok {
		return int64(x) == int64(int32(x))
	}
	i, ok := f.Def(v)
	if !ok || depth == 0 {
		return false
	}
	args := f.Args(i)
	if len(args) == 0 {
		return false
	}
	k := r.m.ScalarOf(f.TypeOf(args[0]))
	switch f.Op(i) {
	case op.Convert:
		return isSignedWord(k)
	case op.Bitcast, op.Not, op.Neg, op.Div, op.Rem:
		return k.Bits() == 64 && r.hasWordSign(args[0], depth-1)
	case op.Add, op.Sub, op.Mul, op.And, op.Or, op.Xor, op.Min, op.Max:
		return r.hasWordSign(args[0], depth-1) && r.hasWordSign(args[1], depth-1)
	case op.Select:
		return r.hasWordSign(args[1], depth-1) && r.hasWordSign(args[2], depth-1)
	case op.Shr:
		return k == scalar.I64 && r.hasWordSign(args[0], depth-1)
	}
	return false
}

// isSignedWord reports whether a kind is that of integers with a sign of at most 32 bits.
func isSignedWord(k scalar.Kind) bool { return k.IsInteger() && k.IsSigned() && k.Bits() <= 32 }

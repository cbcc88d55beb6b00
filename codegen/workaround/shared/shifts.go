package shared

import (
	"math/bits"

	"github.com/gpuc/gpuc/codegen/rewrite"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// MatchShl matches a 64-bit left shift by a constant: a shift, a product with a power of two, or
// the sum of a value with itself. It returns the distance, or 0 if there is none, and the shifted
// value.
func MatchShl(r *rewrite.Rewriter, i ir.Inst) (n uint64, of ir.Value) {
	f := r.F
	args := f.Args(i)
	switch f.Op(i) {
	case op.Shl:
		n, _ = r.M.ConstSplatBits(f.Resolve(args[1]))
		n &= 63
	case op.Mul:
		if c, ok := r.M.ConstSplatBits(f.Resolve(args[1])); ok && bits.OnesCount64(c) == 1 {
			n = uint64(bits.TrailingZeros64(c))
		}
	case op.Add:
		if plain(r, args[0]) == plain(r, args[1]) {
			n = 1
		}
	}
	if n == 0 {
		return 0, ir.NoValue
	}
	return n, plain(r, args[0])
}

// plain removes bitcasts between 64-bit types.
func plain(r *rewrite.Rewriter, v ir.Value) ir.Value {
	f := r.F
	v = f.Resolve(v)
	for {
		i, ok := f.Def(v)
		if !ok || f.Op(i) != op.Bitcast || r.M.ScalarOf(f.TypeOf(f.Arg(i, 0))).Bits() != 64 {
			return v
		}
		v = f.Resolve(f.Arg(i, 0))
	}
}

// ExtensionDepth bounds the depth of the search for an extension, in operations.
const ExtensionDepth = 6

// IsSignExtended reports whether a 64-bit integer is computed from values that were sign-extended
// from at most 32 bits.
func IsSignExtended(r *rewrite.Rewriter, v ir.Value, depth int) bool {
	f := r.F
	v = f.Resolve(v)
	if x, ok := r.M.ConstSplatBits(v); ok {
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
	k := r.M.ScalarOf(f.TypeOf(args[0]))
	switch f.Op(i) {
	case op.Convert:
		return IsSignedWord(k)
	case op.Bitcast, op.Not, op.Neg, op.Div, op.Rem:
		return k.Bits() == 64 && IsSignExtended(r, args[0], depth-1)
	case op.Add, op.Sub, op.Mul, op.And, op.Or, op.Xor, op.Min, op.Max:
		return IsSignExtended(r, args[0], depth-1) && IsSignExtended(r, args[1], depth-1)
	case op.Select:
		return IsSignExtended(r, args[1], depth-1) && IsSignExtended(r, args[2], depth-1)
	case op.Shr:
		return k == scalar.I64 && IsSignExtended(r, args[0], depth-1)
	}
	return false
}

// IsSignedWord reports whether a kind is that of signed integers of at most 32 bits.
func IsSignedWord(k scalar.Kind) bool { return k.IsInteger() && k.IsSigned() && k.Bits() <= 32 }

package ptxas

import (
	"math/bits"

	"github.com/gpuc/gpuc/codegen/rewrite"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
)

// ComplementSignedShift is workaround ptxas-sign-shift. It shifts the complement of a value whose
// sign bit is known to be 1:
//
//	(x | c) >> 3   ─►  ~(~(x | c) >> 3)   for an i32 and a negative c
//
// The known-bits analysis of ptxas (12.9 and 13.0, sm_90 and sm_100) shifts zeros into the known
// bits of such a value. It folds (x | 0x80000000) >> 3 >> 31, whose last shift is unsigned, to 0.
// Values whose sign bit is known to be 0, and constants, are right. Only 32-bit shifts by a
// constant are wrong, of values whose sign bit is set by bitwise operations, shifts, selects and
// sums without carries.
var ComplementSignedShift = opt.Pass{
	Name: "ptxas-sign-shift",
	Doc:  "shift the complement of values whose sign bit is known to be 1",
	Run: func(c *opt.Context, m *ir.Module) {
		r := opt.Scratch[rewrite.Rewriter](c, "rewriter")
		*r = rewrite.New(c, m)
		for _, f := range m.Funcs {
			if f.Had(&signedShifts) {
				negativeShifts(r, f)
			}
		}
	},
}

var signedShifts = op.SetOf(op.Shr)

func negativeShifts(r *rewrite.Rewriter, f *ir.Func) {
	r.F, r.B.F = f, f
	for i := f.First(f.Entry); i != 0; {
		next := f.After(i, f.Entry)
		if f.Op(i) == op.Shr && f.Type(i) == ir.I32 {
			r.At(i)
			_, distance := r.M.ConstSplatBits(r.X[1])
			if distance && computeKnownBits(r, r.X[0], knownBitsDepth).One>>31 == 1 {
				f.Replace(f.Result(i), r.Op(op.Not, r.Op(op.Shr, r.Op(op.Not, r.X[0]), r.X[1])))
				f.Remove(i)
			}
		}
		i = next
	}
	f.ApplyReplacements()
}

// knownBits are the bits of a value of at most 32 bits that are known to be 0 and to be 1. Narrower
// values count as extended to 32 bits, by their own signedness.
type knownBits struct{ Zero, One uint32 }

// knownBitsDepth bounds the depth of the search for known bits, in operations.
const knownBitsDepth = 8

// computeKnownBits computes the known bits of a scalar from its definition (LLVM ValueTracking:
// computeKnownBits).
func computeKnownBits(r *rewrite.Rewriter, v ir.Value, depth int) knownBits {
	f := r.F
	v = f.Resolve(v)
	kind := r.M.ScalarOf(f.TypeOf(v))
	if r.M.Components(f.TypeOf(v)) != 1 || !kind.IsInteger() && kind != scalar.Bool || kind.Bits() > 32 {
		return knownBits{}
	}
	if c, ok := r.M.ConstSplatBits(v); ok {
		return extended(knownBits{^uint32(c), uint32(c)}, kind)
	}
	i, ok := f.Def(v)
	if !ok || depth == 0 || kind == scalar.Bool {
		return extended(knownBits{}, kind)
	}
	arg := func(n int) knownBits { return computeKnownBits(r, f.Arg(i, n), depth-1) }
	var k knownBits
	switch f.Op(i) {
	case op.Or:
		a, b := arg(0), arg(1)
		k = knownBits{a.Zero & b.Zero, a.One | b.One}
	case op.And:
		a, b := arg(0), arg(1)
		k = knownBits{a.Zero | b.Zero, a.One & b.One}
	case op.Xor:
		a, b := arg(0), arg(1)
		k = knownBits{a.Zero&b.Zero | a.One&b.One, a.Zero&b.One | a.One&b.Zero}
	case op.Not:
		a := arg(0)
		k = knownBits{a.One, a.Zero}
	case op.Select:
		a, b := arg(1), arg(2)
		k = knownBits{a.Zero & b.Zero, a.One & b.One}
	case op.Add:
		k = sumBits(arg(0), arg(1), 0)
	case op.Sub:
		b := arg(1)
		k = sumBits(arg(0), knownBits{b.One, b.Zero}, 1)
	case op.Shl:
		if n, ok := r.M.ConstSplatBits(f.Resolve(f.Arg(i, 1))); ok && n < 32 {
			a := arg(0)
			k = knownBits{a.Zero<<n | (1<<n - 1), a.One << n}
		}
	case op.Mul:
		if c, ok := r.M.ConstSplatBits(f.Resolve(f.Arg(i, 1))); ok && bits.OnesCount32(uint32(c)) == 1 {
			n := bits.TrailingZeros32(uint32(c))
			a := arg(0)
			k = knownBits{a.Zero<<n | (1<<n - 1), a.One << n}
		}
	case op.Shr:
		if n, ok := r.M.ConstSplatBits(f.Resolve(f.Arg(i, 1))); ok && n < 32 {
			a := arg(0)
			if k = (knownBits{a.Zero>>n | ^(^uint32(0) >> n), a.One >> n}); kind.IsSigned() {
				k = knownBits{uint32(int32(a.Zero) >> n), uint32(int32(a.One) >> n)}
			}
		}
	case op.Convert, op.Bitcast:
		if from := r.M.ScalarOf(f.TypeOf(f.Arg(i, 0))); from.IsInteger() || from == scalar.Bool {
			k = arg(0)
		}
	}
	return extended(k, kind)
}

// sumBits returns the known bits of a + b + carry.
func sumBits(a, b knownBits, carry uint32) knownBits {
	// the sums of the greatest and of the smallest operands
	highest, lowest := ^a.Zero+^b.Zero+carry, a.One+b.One+carry
	carries := ^(highest ^ a.Zero ^ b.Zero) | (lowest ^ a.One ^ b.One)
	known := (a.Zero | a.One) & (b.Zero | b.One) & carries
	return knownBits{^highest & known, lowest & known}
}

// extended extends known bits from a kind's width to 32 bits.
func extended(k knownBits, kind scalar.Kind) knownBits {
	width := kind.Bits()
	if kind == scalar.Bool {
		width = 1
	}
	if width == 32 {
		return k
	}
	if high := ^uint32(0) << width; !kind.IsSigned() {
		return knownBits{k.Zero | high, k.One &^ high}
	}
	n := 32 - width
	return knownBits{uint32(int32(k.Zero<<n) >> n), uint32(int32(k.One<<n) >> n)}
}

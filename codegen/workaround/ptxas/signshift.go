package ptxas

import (
	"math/bits"

	"github.com/gpuc/gpuc/codegen/rewrite"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
)

// ComplementSignedShift shifts the complement of a value whose sign bit is known to be 1:
//
//	(x | c) >> 3   ─►  ~(~(x | c) >> 3)   for an i32 and a negative c
//
// The known-bits analysis of ptxas (12.9 and 13.0, sm_90 and sm_100) shifts the bits that it
// knows of such a value without the sign: it takes (x | 0x80000000) >> 3 >> 31, of which the
// last shift is unsigned, for 0. Values whose sign bit is known to be 0 are right, and so are
// values that it knows whole. Of 60 ways to make a sign bit, those that set it by bitwise
// operations, shifts, selections and sums without carries were wrong (known bits), in shifts of
// 32 bits by a constant alone.
var ComplementSignedShift = opt.Pass{
	Name: "ptxas-sign-shift",
	Doc:  "shift the complements of values that are known to be negative",
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
			if distance && ComputeKnownBits(r, r.X[0], KnownBitsDepth).One>>31 == 1 {
				f.Replace(f.Result(i), r.Op(op.Not, r.Op(op.Shr, r.Op(op.Not, r.X[0]), r.X[1])))
				f.Remove(i)
			}
		}
		i = next
	}
	f.ApplyReplacements()
}

// knownBits are the bits of a value of at most 32 bits that are known to be 0 and to be 1. What
// is narrower counts as extended to 32 bits, with its sign if it has one.
type knownBits struct{ Zero, One uint32 }

// KnownBitsDepth bounds how many operations lie between a value and what its bits are known by.
const KnownBitsDepth = 8

// ComputeKnownBits finds the known bits of a scalar as LLVM's ComputeKnownBits does
// (ValueTracking).
func ComputeKnownBits(r *rewrite.Rewriter, v ir.Value, depth int) knownBits {
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
	arg := func(n int) knownBits { return ComputeKnownBits(r, f.Arg(i, n), depth-1) }
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
	// the sums of the largest and least operands
	most, least := ^a.Zero+^b.Zero+carry, a.One+b.One+carry
	carries := ^(most ^ a.Zero ^ b.Zero) | (least ^ a.One ^ b.One)
	known := (a.Zero | a.One) & (b.Zero | b.One) & carries
	return knownBits{^most & known, least & known}
}

// extended returns the bits of what is extended from a kind's width to 32 bits.
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

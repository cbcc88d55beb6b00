package legalize

import (
	"math/bits"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
)

// NegativeShifts shifts the complement of a value whose sign bit is known to be 1:
//
//	(x | c) >> 3   ─►  ~(~(x | c) >> 3)   for an i32 and a negative c
//
// The known-bits analysis of ptxas (12.9 and 13.0, sm_90 and sm_100) shifts the bits that it
// knows of such a value without the sign: it takes (x | 0x80000000) >> 3 >> 31, of which the
// last shift is unsigned, for 0. Values whose sign bit is known to be 0 are right, and so are
// values that it knows whole. Of 60 ways to make a sign bit, those that set it by bitwise
// operations, shifts, selections and sums without carries were wrong (known bits), in shifts of
// 32 bits by a constant alone.
var NegativeShifts = opt.Pass{
	Name: "negativeshifts",
	Doc:  "shift the complements of values that are known to be negative",
	Run: func(c *opt.Context, m *ir.Module) {
		r := opt.Scratch[rewriter](c, "rewriter")
		*r = newRewriter(c, m)
		for _, f := range m.Funcs {
			if f.Had(&signedShifts) {
				r.negativeShifts(f)
			}
		}
	},
}

var signedShifts = op.SetOf(op.Shr)

func (r *rewriter) negativeShifts(f *ir.Func) {
	r.f, r.b.F = f, f
	for i := f.First(f.Entry); i != 0; {
		next := f.After(i, f.Entry)
		if f.Op(i) == op.Shr && f.Type(i) == ir.I32 {
			r.stand(i)
			_, distance := r.m.ConstSplatBits(r.x[1])
			if distance && r.knownBits(r.x[0], knownBitsDepth).one>>31 == 1 {
				f.Replace(f.Result(i), r.op(op.Not, r.op(op.Shr, r.op(op.Not, r.x[0]), r.x[1])))
				f.Remove(i)
			}
		}
		i = next
	}
	f.ApplyReplacements()
}

// knownBits are the bits of a value of at most 32 bits that are known to be 0 and to be 1. What
// is narrower counts as extended to 32 bits, with its sign if it has one.
type knownBits struct{ zero, one uint32 }

// knownBitsDepth bounds how many operations lie between a value and what its bits are known by.
const knownBitsDepth = 8

// knownBits finds the known bits of a scalar as LLVM's computeKnownBits does (ValueTracking).
func (r *rewriter) knownBits(v ir.Value, depth int) knownBits {
	f := r.f
	v = f.Resolve(v)
	kind := r.m.ScalarOf(f.TypeOf(v))
	if r.m.Components(f.TypeOf(v)) != 1 || !kind.IsInteger() && kind != scalar.Bool || kind.Bits() > 32 {
		return knownBits{}
	}
	if c, ok := r.m.ConstSplatBits(v); ok {
		return extended(knownBits{^uint32(c), uint32(c)}, kind)
	}
	i, ok := f.Def(v)
	if !ok || depth == 0 || kind == scalar.Bool {
		return extended(knownBits{}, kind)
	}
	arg := func(n int) knownBits { return r.knownBits(f.Arg(i, n), depth-1) }
	var k knownBits
	switch f.Op(i) {
	case op.Or:
		a, b := arg(0), arg(1)
		k = knownBits{a.zero & b.zero, a.one | b.one}
	case op.And:
		a, b := arg(0), arg(1)
		k = knownBits{a.zero | b.zero, a.one & b.one}
	case op.Xor:
		a, b := arg(0), arg(1)
		k = knownBits{a.zero&b.zero | a.one&b.one, a.zero&b.one | a.one&b.zero}
	case op.Not:
		a := arg(0)
		k = knownBits{a.one, a.zero}
	case op.Select:
		a, b := arg(1), arg(2)
		k = knownBits{a.zero & b.zero, a.one & b.one}
	case op.Add:
		k = sumBits(arg(0), arg(1), 0)
	case op.Sub:
		b := arg(1)
		k = sumBits(arg(0), knownBits{b.one, b.zero}, 1)
	case op.Shl:
		if n, ok := r.m.ConstSplatBits(f.Resolve(f.Arg(i, 1))); ok && n < 32 {
			a := arg(0)
			k = knownBits{a.zero<<n | (1<<n - 1), a.one << n}
		}
	case op.Mul:
		if c, ok := r.m.ConstSplatBits(f.Resolve(f.Arg(i, 1))); ok && bits.OnesCount32(uint32(c)) == 1 {
			n := bits.TrailingZeros32(uint32(c))
			a := arg(0)
			k = knownBits{a.zero<<n | (1<<n - 1), a.one << n}
		}
	case op.Shr:
		if n, ok := r.m.ConstSplatBits(f.Resolve(f.Arg(i, 1))); ok && n < 32 {
			a := arg(0)
			if k = (knownBits{a.zero>>n | ^(^uint32(0) >> n), a.one >> n}); kind.IsSigned() {
				k = knownBits{uint32(int32(a.zero) >> n), uint32(int32(a.one) >> n)}
			}
		}
	case op.Convert, op.Bitcast:
		if from := r.m.ScalarOf(f.TypeOf(f.Arg(i, 0))); from.IsInteger() || from == scalar.Bool {
			k = arg(0)
		}
	}
	return extended(k, kind)
}

// sumBits returns the known bits of a + b + carry.
func sumBits(a, b knownBits, carry uint32) knownBits {
	// the sums of the largest and least operands
	most, least := ^a.zero+^b.zero+carry, a.one+b.one+carry
	carries := ^(most ^ a.zero ^ b.zero) | (least ^ a.one ^ b.one)
	known := (a.zero | a.one) & (b.zero | b.one) & carries
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
		return knownBits{k.zero | high, k.one &^ high}
	}
	n := 32 - width
	return knownBits{uint32(int32(k.zero<<n) >> n), uint32(int32(k.one<<n) >> n)}
}

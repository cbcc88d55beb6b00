package legalize

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
)

// NarrowSources hides that a number has 8 or 16 bits where NVIDIA's compilers forget how it was
// widened:
//
//	f32(u32(i8 x)), u32(i8 x) / y   ─►  of (u32(x) & 0xff ^ 0x80) - 0x80
//
// Numbers that are widened with their sign, and are without one then, become floats as if they had
// one (ptxas 13.0, and the driver 580 through Vulkan, which divides u32 so): f32(0xfffffffc) is -4.
var NarrowSources = opt.Pass{
	Name:  "narrowsources",
	Doc:   "hide that numbers have 8 or 16 bits from conversions to floats and divisions",
	Keeps: ir.Total,
	Run:   narrowSourceRules.everywhere(),
}

var narrowSourceRules = rules{
	op.Convert: narrowFloat,
	op.Div:     narrowQuotient,
	op.Rem:     narrowQuotient,
}

// NarrowCounts counts the bits of numbers of 8 and 16 bits in a field of a word:
//
//	countOneBits(u32(u8 x)), countOneBits(x & 0xff)  ─►  countOneBits(extractBits(u32(x), 0, 8))
//
// NVIDIA's Vulkan driver (580) counts 24 or 16 bits more of a number from memory whose highest bit
// is set, where the kernel has a division of 64 bits, too.
var NarrowCounts = opt.Pass{
	Name:  "narrowcounts",
	Doc:   "count the bits of numbers of 8 and 16 bits in a field of a word",
	Keeps: ir.Total,
	Run:   narrowCountRules.everywhere(),
}

var narrowCountRules = rules{op.CountOneBits: narrowCount}

func narrowFloat(r *rewriter) ir.Value {
	if r.m.ScalarOf(r.t).IsFloat() {
		r.hideSign(0)
	}
	return ir.NoValue
}

func narrowQuotient(r *rewriter) ir.Value {
	r.hideSign(0)
	r.hideSign(1)
	return ir.NoValue
}

// hideSign makes an unsigned operand that was widened with its sign of its low bits again.
func (r *rewriter) hideSign(n int) {
	x := r.x[n]
	k := r.narrowSource(x)
	if r.kind != scalar.U32 && r.kind != scalar.U64 || !k.IsSigned() {
		return
	}
	t := r.f.TypeOf(x)
	sign := r.bits(t, 1<<(k.Bits()-1))
	low := r.op(op.And, x, r.bits(t, k.Mask()))
	r.f.SetArg(r.i, n, r.op(op.Sub, r.op(op.Xor, low, sign), sign))
}

func narrowCount(r *rewriter) ir.Value {
	k := r.narrowSource(r.x[0])
	if k == scalar.None || k.IsSigned() || r.kind.Bits() != 32 {
		return ir.NoValue
	}
	field := r.op(op.ExtractBits, r.cast(scalar.U32, r.x[0]), r.m.ConstU32(0), r.m.ConstU32(uint32(k.Bits())))
	r.f.SetArg(r.i, 0, r.cast(r.kind, field))
	return ir.NoValue
}

// narrowSource returns the kind of 8 or 16 bits that a value was widened from, or None: every bit
// above is the sign for a kind with one, else zero.
func (r *rewriter) narrowSource(v ir.Value) scalar.Kind {
	f := r.f
	unsigned := false // some step widened without the sign
	source := func(k scalar.Kind) scalar.Kind {
		if unsigned && k.IsSigned() {
			return scalar.None
		}
		return k
	}
	for range signDepth {
		i, ok := f.Def(f.Resolve(v))
		if !ok {
			break
		}
		switch o := f.Op(i); o {
		case op.ExtractBits: // NarrowPairs
			offset, _ := r.m.ConstUint(f.Resolve(f.Arg(i, 1)))
			count, ok := r.m.ConstUint(f.Resolve(f.Arg(i, 2)))
			for _, k := range [...]scalar.Kind{scalar.I8, scalar.I16} {
				if ok && offset == 0 && int(count) == k.Bits() && f.Type(i) == ir.I32 {
					return source(k)
				}
			}
			return scalar.None
		case op.And:
			mask, ok := r.m.ConstSplatBits(f.Resolve(f.Arg(i, 1)))
			for _, k := range [...]scalar.Kind{scalar.U8, scalar.U16} {
				if ok && mask == k.Mask() {
					return k
				}
			}
			return scalar.None
		case op.Convert, op.Bitcast:
			v = f.Arg(i, 0)
			k, to := r.m.ScalarOf(f.TypeOf(v)), r.m.ScalarOf(f.Type(i))
			switch {
			case !k.IsInteger(), o == op.Bitcast && k.Bits() != to.Bits():
				return scalar.None
			case k.IsNarrow():
				return source(k)
			}
			unsigned = unsigned || k.Bits() < to.Bits() && !k.IsSigned()
		default:
			return scalar.None
		}
	}
	return scalar.None
}

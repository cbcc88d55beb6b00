package shared

import (
	"github.com/gpuc/gpuc/codegen/rewrite"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
)

// HideNarrowExtension is workaround nv-narrow-ext. It replaces the sign extension of an 8- or
// 16-bit value by arithmetic, before conversions to floats and divisions:
//
//	f32(u32(i8 x)), u32(i8 x) / y   ─►  of (u32(x) & 0xff ^ 0x80) - 0x80
//
// NVIDIA's compilers (ptxas 13.0, and the driver 580 through Vulkan) convert a sign-extended and
// then unsigned value as if it were signed: f32(0xfffffffc) is -4. The driver divides u32 in the
// same way.
var HideNarrowExtension = opt.Pass{
	Name:  "nv-narrow-ext",
	Doc:   "hide sign extensions of 8- and 16-bit values from conversions to floats and divisions",
	Keeps: ir.Total,
	Run:   narrowSourceRules.Everywhere(),
}

var narrowSourceRules = rewrite.Rules{
	op.Convert: narrowFloat,
	op.Div:     narrowQuotient,
	op.Rem:     narrowQuotient,
}

// MaskNarrowPopcount is workaround nv-narrow-popcount. It counts the bits of an 8- or 16-bit value
// in a bit field of a word:
//
//	countOneBits(u32(u8 x)), countOneBits(x & 0xff)  ─►  countOneBits(extractBits(u32(x), 0, 8))
//
// NVIDIA's Vulkan driver (580) adds 24 or 16 to the count of a value from memory whose highest bit
// is set, if the kernel also has a 64-bit division.
var MaskNarrowPopcount = opt.Pass{
	Name:  "nv-narrow-popcount",
	Doc:   "count the bits of 8- and 16-bit values in a bit field of a word",
	Keeps: ir.Total,
	Run:   narrowCountRules.Everywhere(),
}

var narrowCountRules = rewrite.Rules{op.CountOneBits: narrowCount}

func narrowFloat(r *rewrite.Rewriter) ir.Value {
	if r.M.ScalarOf(r.Type).IsFloat() {
		hideSign(r, 0)
	}
	return ir.NoValue
}

func narrowQuotient(r *rewrite.Rewriter) ir.Value {
	hideSign(r, 0)
	hideSign(r, 1)
	return ir.NoValue
}

// hideSign rebuilds an unsigned operand that was sign-extended from its low bits.
func hideSign(r *rewrite.Rewriter, n int) {
	x := r.X[n]
	k := narrowSource(r, x)
	if r.Kind != scalar.U32 && r.Kind != scalar.U64 || !k.IsSigned() {
		return
	}
	t := r.F.TypeOf(x)
	sign := r.Bits(t, 1<<(k.Bits()-1))
	low := r.Op(op.And, x, r.Bits(t, k.Mask()))
	r.F.SetArg(r.Inst, n, r.Op(op.Sub, r.Op(op.Xor, low, sign), sign))
}

func narrowCount(r *rewrite.Rewriter) ir.Value {
	k := narrowSource(r, r.X[0])
	if k == scalar.None || k.IsSigned() || r.Kind.Bits() != 32 {
		return ir.NoValue
	}
	field := r.Op(op.ExtractBits, r.Cast(scalar.U32, r.X[0]), r.M.ConstU32(0), r.M.ConstU32(uint32(k.Bits())))
	r.F.SetArg(r.Inst, 0, r.Cast(r.Kind, field))
	return ir.NoValue
}

// narrowSource returns the kind of 8 or 16 bits that a value was extended from, or None. A signed
// kind means sign extension and an unsigned one zero extension.
func narrowSource(r *rewrite.Rewriter, v ir.Value) scalar.Kind {
	f := r.F
	unsigned := false // some step was a zero extension
	source := func(k scalar.Kind) scalar.Kind {
		if unsigned && k.IsSigned() {
			return scalar.None
		}
		return k
	}
	for range ExtensionDepth {
		i, ok := f.Def(f.Resolve(v))
		if !ok {
			break
		}
		switch o := f.Op(i); o {
		case op.ExtractBits: // peephole.CombineTruncExt
			offset, _ := r.M.ConstUint(f.Resolve(f.Arg(i, 1)))
			count, ok := r.M.ConstUint(f.Resolve(f.Arg(i, 2)))
			for _, k := range [...]scalar.Kind{scalar.I8, scalar.I16} {
				if ok && offset == 0 && int(count) == k.Bits() && f.Type(i) == ir.I32 {
					return source(k)
				}
			}
			return scalar.None
		case op.And:
			mask, ok := r.M.ConstSplatBits(f.Resolve(f.Arg(i, 1)))
			for _, k := range [...]scalar.Kind{scalar.U8, scalar.U16} {
				if ok && mask == k.Mask() {
					return k
				}
			}
			return scalar.None
		case op.Convert, op.Bitcast:
			v = f.Arg(i, 0)
			k, to := r.M.ScalarOf(f.TypeOf(v)), r.M.ScalarOf(f.Type(i))
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

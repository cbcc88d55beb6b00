package jit

import (
	"math"
	"strings"
	"sync"

	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// The table of templates on vectors: for each operation and the kinds of its first operand, the
// instructions (template.go). They see operands in the machine's domain, as the target's legalisers
// leave them. Divisors are not zero, shift amounts are below the width, and bit fields lie within
// their word. What they compute of others does not matter. Bits are those of package eval but for
// the patterns of NaN (nan.go).
//
// A value of 64 bits is two vectors of four lanes, and its template is used on each. Operands that
// are words are extended by zeros for that, predicates by their sign. Results of another width
// become narrow. A value of f16 is its pattern in a word. Templates of f32 serve it on what it
// widens to, and the result is rounded to f16 again.

type kindSet uint32

const (
	booleans kindSet = 1 << scalar.Bool
	int32s   kindSet = 1 << scalar.I32
	uint32s  kindSet = 1 << scalar.U32
	int64s   kindSet = 1 << scalar.I64
	uint64s  kindSet = 1 << scalar.U64
	words32          = int32s | uint32s
	longs64          = int64s | uint64s
	halves16 kindSet = 1 << scalar.F16
	singles  kindSet = 1 << scalar.F32
	doubles  kindSet = 1 << scalar.F64
	narrow   kindSet = 1<<scalar.I8 | 1<<scalar.U8 | 1<<scalar.I16 | 1<<scalar.U16
)

// row is a template, of those with by for a second operand that is a constant.
type row struct {
	o    op.Op
	on   kindSet
	by   byConstant
	text string
}

// byConstant says that a row is for a second operand that is a constant.
type byConstant uint8

const (
	byAny      byConstant = iota
	by                    // any constant
	byPositive            // one that is not 0
	byPower               // a power of two but 1
	byLesser              // a float other than NaN and 0, -0 may be one
	byGreater             // a float other than NaN and -0
	byRange               // such a float, and a third operand that byLesser accepts
	byKinds
)

// accepts reports whether such a row is for a constant of a kind.
func (b byConstant) accepts(k scalar.Kind, bits uint64) bool {
	switch b {
	case byPositive:
		return bits != 0
	case byPower:
		return bits > 1 && bits&(bits-1) == 0
	case byLesser:
		return !math.IsNaN(scalar.ToFloat64(k, bits)) && bits != 0
	case byGreater, byRange:
		return !math.IsNaN(scalar.ToFloat64(k, bits)) && bits != 1<<(k.Bits()-1)
	}
	return true
}

// A float that is an integer of 32 bits without its sign: the bits of the top one are the exponent
// (leading, trailing).
const (
	// exponent makes t3 the position of the top bit of t0, which may round up to no other power of
	// two, plus 127, or 0 of no bits. Of a number with its sign bit that is so if it has no other.
	exponent = "vcvtdq2ps t1, t0; vpsrld t2, t1, $23; vpand t3, t2, =ff; "
	leading  = "vpsrld t4, a, $1; vpandn t0, t4, a; " + exponent
	trailing = "vpxor t4, t4, t4; vpsubd t4, t4, a; vpand t0, t4, a; " + exponent
	// ordered32 makes t0 and t1 of words so that a signed comparison orders them.
	ordered32 = "vpxor t0, a, =80000000; vpxor t1, b, =80000000; "
	ordered64 = "vpxor t0, a, ==8000000000000000; vpxor t1, b, ==8000000000000000; "
	ones32    = "=ffffffff"
	ones64    = "==ffffffffffffffff"
	// product64 makes t4 the product of two words of 64 bits.
	product64 = "vpsrlq t0, a, $32; vpmuludq t1, t0, b; vpsrlq t2, b, $32; vpmuludq t3, t2, a; vpaddq t4, t1, t3; vpsllq t4, t4, $32; vpmuludq t5, a, b; vpaddq t4, t4, t5"
	// productHigh32 takes the upper words of the products of every second word, those of the others
	// stay where they are. productHigh64 adds the products of words as one does on paper: neither
	// sum in the middle exceeds 64 bits.
	productHigh32 = "vpmuludq t0, a, b; vpsrlq t1, a, $32; vpsrlq t2, b, $32; vpmuludq t1, t1, t2; vpsrlq t0, t0, $32; " +
		"vpand t1, t1, ==ffffffff00000000; vpor d, t0, t1"
	productHigh64 = "vpsrlq t0, a, $32; vpsrlq t1, b, $32; vpmuludq t2, a, b; vpsrlq t2, t2, $32; vpmuludq t3, t0, b; vpaddq t3, t3, t2; " +
		"vpmuludq t2, t1, a; vpand t4, t3, ==00000000ffffffff; vpaddq t2, t2, t4; vpmuludq t0, t0, t1; vpsrlq t3, t3, $32; vpsrlq t2, t2, $32; " +
		"vpaddq t0, t0, t3; vpaddq d, t0, t2"
)

// minMaxOf returns the lesser or the greater of two floats: -0 is below +0, and a number is
// preferred to a NaN. The instructions return their second operand where one is a NaN or both are
// zeros, so that both orders together have what is wanted.
func minMaxOf(o, both, kind, d, x, y string) string {
	return strings.NewReplacer("MIN", o, "BOTH", both, "PS", kind, "D", d, "X", x, "Y", y).Replace(
		"vMINPS t0, X, Y; vMINPS t1, Y, X; vBOTHPS t0, t0, t1; vcmpPS t1, X, X, $3; vblendvPS t0, t0, Y, t1; vcmpPS t2, Y, Y, $3; vblendvPS D, t0, X, t2")
}

func rows() []row {
	var (
		lesser32  = minMaxOf("min", "or", "ps", "d", "a", "b")
		greater32 = minMaxOf("max", "and", "ps", "d", "a", "b")
		lesser64  = minMaxOf("min", "or", "pd", "d", "a", "b")
		greater64 = minMaxOf("max", "and", "pd", "d", "a", "b")
		clamped32 = minMaxOf("max", "and", "ps", "t3", "a", "b") + "; " + minMaxOf("min", "or", "ps", "d", "t3", "c")
		clamped64 = minMaxOf("max", "and", "pd", "t3", "a", "b") + "; " + minMaxOf("min", "or", "pd", "d", "t3", "c")
	)
	return []row{
		{op.Neg, int32s, byAny, "vpxor t0, t0, t0; vpsubd d, t0, a"},
		{op.Neg, int64s, byAny, "vpxor t0, t0, t0; vpsubq d, t0, a"},
		{op.Neg, singles, byAny, "vxorps d, a, =80000000"},
		{op.Neg, halves16, byAny, "vpxor d, a, =8000"},
		{op.Neg, doubles, byAny, "vxorpd d, a, ==8000000000000000"},
		{op.Add, words32, byAny, "vpaddd d, a, b"},
		{op.Add, longs64, byAny, "vpaddq d, a, b"},
		{op.Add, singles, byAny, "vaddps d, a, b"},
		{op.Add, doubles, byAny, "vaddpd d, a, b"},
		{op.Sub, words32, byAny, "vpsubd d, a, b"},
		{op.Sub, longs64, byAny, "vpsubq d, a, b"},
		{op.Sub, singles, byAny, "vsubps d, a, b"},
		{op.Sub, doubles, byAny, "vsubpd d, a, b"},
		{op.Mul, words32, byAny, "vpmulld d, a, b"},
		{op.Mul, words32, byPower, "vpslld d, a, $log b"},
		{op.Mul, longs64, byAny, product64 + "; vmovups d, t4"},
		{op.MulHigh, uint32s, byAny, productHigh32},
		{op.MulHigh, uint64s, byAny, productHigh64},
		{op.Mul, singles, byAny, "vmulps d, a, b"},
		{op.Mul, doubles, byAny, "vmulpd d, a, b"},
		{op.Div, singles, byAny, "vdivps d, a, b"},
		{op.Div, doubles, byAny, "vdivpd d, a, b"},
		{op.Abs, int32s, byAny, "vpabsd d, a"},
		{op.Abs, int64s, byAny, "vpxor t0, t0, t0; vpcmpgtq t1, t0, a; vpxor t2, a, t1; vpsubq d, t2, t1"},
		{op.Abs, singles, byAny, "vandps d, a, =7fffffff"},
		{op.Abs, halves16, byAny, "vpand d, a, =7fff"},
		{op.Abs, doubles, byAny, "vandpd d, a, ==7fffffffffffffff"},
		{op.Min, int32s, byAny, "vpminsd d, a, b"},
		{op.Min, uint32s, byAny, "vpminud d, a, b"},
		{op.Min, int64s, byAny, "vpcmpgtq t0, a, b; vblendvpd d, a, b, t0"},
		{op.Min, uint64s, byAny, ordered64 + "vpcmpgtq t2, t0, t1; vblendvpd d, a, b, t2"},
		{op.Min, singles, byAny, lesser32},
		{op.Min, doubles, byAny, lesser64},
		// The instructions return their second operand where one is a NaN or both are zeros, which
		// is right if that is a constant.
		{op.Min, singles, byLesser, "vminps d, a, b"},
		{op.Min, doubles, byLesser, "vminpd d, a, b"},
		{op.Max, int32s, byAny, "vpmaxsd d, a, b"},
		{op.Max, uint32s, byAny, "vpmaxud d, a, b"},
		{op.Max, int64s, byAny, "vpcmpgtq t0, a, b; vblendvpd d, b, a, t0"},
		{op.Max, uint64s, byAny, ordered64 + "vpcmpgtq t2, t0, t1; vblendvpd d, b, a, t2"},
		{op.Max, singles, byAny, greater32},
		{op.Max, doubles, byAny, greater64},
		{op.Max, singles, byGreater, "vmaxps d, a, b"},
		{op.Max, doubles, byGreater, "vmaxpd d, a, b"},
		{op.Clamp, int32s, byAny, "vpmaxsd t0, a, b; vpminsd d, t0, c"},
		{op.Clamp, uint32s, byAny, "vpmaxud t0, a, b; vpminud d, t0, c"},
		{op.Clamp, singles, byAny, clamped32},
		{op.Clamp, doubles, byAny, clamped64},
		{op.Clamp, singles, byRange, "vmaxps t0, a, b; vminps d, t0, c"},
		{op.Clamp, doubles, byRange, "vmaxpd t0, a, b; vminpd d, t0, c"},
		{op.Sign, int32s, byAny, "vmovups t0, =1; vpsignd d, t0, a"},
		{op.Sign, int64s, byAny, "vpxor t0, t0, t0; vpcmpgtq t1, t0, a; vpcmpgtq t2, a, t0; vpsubq d, t1, t2"},
		{op.Sign, singles, byAny, "vxorps t2, t2, t2; vcmpps t0, a, t2, $12; vandps t1, a, =80000000; vorps t1, t1, =3f800000; vblendvps d, a, t1, t0"},
		{op.Fma, singles, byAny, "vmovups t0, a; vfmadd213ps t0, b, c; vmovups d, t0"},
		{op.Fma, doubles, byAny, "vmovups t0, a; vfmadd213pd t0, b, c; vmovups d, t0"},

		{op.Not, booleans, byAny, "vpxor d, a, " + ones32},
		{op.Not, words32, byAny, "vpxor d, a, " + ones32},
		{op.Not, longs64, byAny, "vpxor d, a, " + ones64},
		{op.And, booleans | words32 | longs64, byAny, "vpand d, a, b"},
		{op.Or, booleans | words32 | longs64, byAny, "vpor d, a, b"},
		{op.Xor, booleans | words32 | longs64, byAny, "vpxor d, a, b"},
		{op.Shl, words32, by, "vpslld d, a, $b"},
		{op.Shl, words32, byAny, "vpsllvd d, a, b"},
		{op.Shl, longs64, by, "vpsllq d, a, $b"},
		{op.Shl, longs64, byAny, "vpsllvq d, a, b"},
		{op.Shr, uint32s, by, "vpsrld d, a, $b"},
		{op.Shr, uint32s, byAny, "vpsrlvd d, a, b"},
		{op.Shr, int32s, by, "vpsrad d, a, $b"},
		{op.Shr, int32s, byAny, "vpsravd d, a, b"},
		{op.Shr, uint64s, by, "vpsrlq d, a, $b"},
		{op.Shr, uint64s, byAny, "vpsrlvq d, a, b"},
		{op.Shr, int64s, byAny, "vpsrlvq t0, a, b; vmovups t1, ==8000000000000000; vpsrlvq t2, t1, b; vpxor t0, t0, t2; vpsubq d, t0, t2"},
		{op.CountOneBits, words32, byAny, "vpand t0, a, =0f0f0f0f; vpsrld t1, a, $4; vpand t1, t1, =0f0f0f0f; vmovups t2, @ones; " +
			"vpshufb t0, t2, t0; vpshufb t1, t2, t1; vpaddb t0, t0, t1; vpmulld t0, t0, =01010101; vpsrld d, t0, $24"},
		{op.CountLeadingZeros, words32, byAny, leading + "vmovups t5, =9e; vpsubd t5, t5, t3; vpminud t5, t5, =20; vpxor t6, t6, t6; vblendvps d, t5, t6, a"},
		{op.CountTrailingZeros, words32, byAny, trailing + "vpsubd t5, t3, =7f; vpminud d, t5, =20"},
		{op.FirstLeadingBit, uint32s, byAny, leading + "vpsubd t5, t3, =7f; vpmaxsd t5, t5, " + ones32 + "; vblendvps d, t5, =1f, a"},
		{op.FirstLeadingBit, int32s, byAny, "vpsrad t5, a, $31; vpxor t5, a, t5; vpsrld t4, t5, $1; vpandn t0, t4, t5; " + exponent +
			"vpsubd t5, t3, =7f; vpmaxsd d, t5, " + ones32},
		{op.FirstTrailingBit, words32, byAny, trailing + "vpsubd t5, t3, =7f; vpmaxsd d, t5, " + ones32},
		{op.ReverseBits, words32, byAny, "vpshufb t0, a, @swap; vpand t1, t0, =0f0f0f0f; vpsrld t2, t0, $4; vpand t2, t2, =0f0f0f0f; " +
			"vmovups t3, @reversetop; vpshufb t1, t3, t1; vmovups t4, @reverse; vpshufb t2, t4, t2; vpor d, t1, t2"},
		{op.ReverseBits, longs64, byAny, "vpshufb t0, a, @swaplong; vpand t1, t0, =0f0f0f0f; vpsrld t2, t0, $4; vpand t2, t2, =0f0f0f0f; " +
			"vmovups t3, @reversetop; vpshufb t1, t3, t1; vmovups t4, @reverse; vpshufb t2, t4, t2; vpor d, t1, t2"},
		{op.ExtractBits, uint32s, byAny, "vmovups t0, =20; vpsubd t1, t0, b; vpsubd t2, t1, c; vpsllvd t3, a, t2; vpsubd t4, t0, c; vpsrlvd d, t3, t4"},
		{op.ExtractBits, int32s, byAny, "vmovups t0, =20; vpsubd t1, t0, b; vpsubd t2, t1, c; vpsllvd t3, a, t2; vpsubd t4, t0, c; vpsravd t3, t3, t4; " +
			"vpxor t5, t5, t5; vpcmpeqd t5, c, t5; vpandn d, t5, t3"},
		// The bytes are halves of words, of which products are added in pairs.
		{op.Dot4U8, uint32s, byAny, "vpand t0, a, =00ff00ff; vpand t1, b, =00ff00ff; vpmaddwd t0, t0, t1; vpsrlw t1, a, $8; vpsrlw t2, b, $8; vpmaddwd t1, t1, t2; vpaddd d, t0, t1"},
		{op.Dot4I8, uint32s, byAny, "vpsllw t0, a, $8; vpsraw t0, t0, $8; vpsllw t1, b, $8; vpsraw t1, t1, $8; vpmaddwd t0, t0, t1; " +
			"vpsraw t1, a, $8; vpsraw t2, b, $8; vpmaddwd t1, t1, t2; vpaddd d, t0, t1"},
		{op.InsertBits, words32, byAny, "vmovups t0, =20; vpsubd t0, t0, e; vmovups t1, " + ones32 + "; vpsrlvd t1, t1, t0; vpsllvd t1, t1, c; " +
			"vpsllvd t2, b, c; vpand t2, t2, t1; vpandn t3, t1, a; vpor d, t2, t3"},

		{op.Eq, booleans, byAny, "vpcmpeqd d, a, b"},
		{op.Ne, booleans, byAny, "vpxor d, a, b"},
		{op.Eq, words32, byAny, "vpcmpeqd d, a, b"},
		{op.Ne, words32, byAny, "vpcmpeqd t0, a, b; vpxor d, t0, " + ones32},
		{op.Lt, int32s, byAny, "vmovups t0, b; vpcmpgtd d, t0, a"},
		{op.Lt, uint32s, byPositive, "vpminud t0, a, b-1; vpcmpeqd d, t0, a"},
		{op.Lt, uint32s, byAny, ordered32 + "vpcmpgtd d, t1, t0"},
		{op.Le, int32s, byAny, "vpminsd t0, a, b; vpcmpeqd d, t0, a"},
		{op.Le, uint32s, byAny, "vpminud t0, a, b; vpcmpeqd d, t0, a"},
		{op.Gt, int32s, byAny, "vpcmpgtd d, a, b"},
		{op.Gt, uint32s, byAny, ordered32 + "vpcmpgtd d, t0, t1"},
		{op.Ge, int32s, byAny, "vpmaxsd t0, a, b; vpcmpeqd d, t0, a"},
		{op.Ge, uint32s, byAny, "vpmaxud t0, a, b; vpcmpeqd d, t0, a"},
		{op.Eq, longs64, byAny, "vpcmpeqq d, a, b"},
		{op.Ne, longs64, byAny, "vpcmpeqq t0, a, b; vpxor d, t0, " + ones64},
		{op.Lt, int64s, byAny, "vmovups t0, b; vpcmpgtq d, t0, a"},
		{op.Lt, uint64s, byAny, ordered64 + "vpcmpgtq d, t1, t0"},
		{op.Le, int64s, byAny, "vpcmpgtq t0, a, b; vpxor d, t0, " + ones64},
		{op.Le, uint64s, byAny, ordered64 + "vpcmpgtq t2, t0, t1; vpxor d, t2, " + ones64},
		{op.Gt, int64s, byAny, "vpcmpgtq d, a, b"},
		{op.Gt, uint64s, byAny, ordered64 + "vpcmpgtq d, t0, t1"},
		{op.Ge, int64s, byAny, "vmovups t1, b; vpcmpgtq t0, t1, a; vpxor d, t0, " + ones64},
		{op.Ge, uint64s, byAny, ordered64 + "vpcmpgtq t2, t1, t0; vpxor d, t2, " + ones64},
		{op.Eq, singles, byAny, "vcmpps d, a, b, $0"},
		{op.Ne, singles, byAny, "vcmpps d, a, b, $4"},
		{op.Lt, singles, byAny, "vcmpps d, a, b, $0x11"},
		{op.Le, singles, byAny, "vcmpps d, a, b, $0x12"},
		{op.Gt, singles, byAny, "vcmpps d, a, b, $0x1e"},
		{op.Ge, singles, byAny, "vcmpps d, a, b, $0x1d"},
		{op.Eq, doubles, byAny, "vcmppd d, a, b, $0"},
		{op.Ne, doubles, byAny, "vcmppd d, a, b, $4"},
		{op.Lt, doubles, byAny, "vcmppd d, a, b, $0x11"},
		{op.Le, doubles, byAny, "vcmppd d, a, b, $0x12"},
		{op.Gt, doubles, byAny, "vcmppd d, a, b, $0x1e"},
		{op.Ge, doubles, byAny, "vcmppd d, a, b, $0x1d"},
		{op.Select, booleans | words32 | halves16 | singles | narrow, byAny, "vblendvps d, c, b, a"},
		{op.Select, longs64 | doubles, byAny, "vblendvpd d, c, b, a"},

		{op.Floor, singles, byAny, "vroundps d, a, $9"},
		{op.Ceil, singles, byAny, "vroundps d, a, $10"},
		{op.Trunc, singles, byAny, "vroundps d, a, $11"},
		{op.Round, singles, byAny, "vroundps d, a, $8"},
		{op.Floor, doubles, byAny, "vroundpd d, a, $9"},
		{op.Ceil, doubles, byAny, "vroundpd d, a, $10"},
		{op.Trunc, doubles, byAny, "vroundpd d, a, $11"},
		{op.Round, doubles, byAny, "vroundpd d, a, $8"},
		{op.Fract, singles, byAny, "vroundps t0, a, $9; vsubps d, a, t0"},
		{op.Fract, doubles, byAny, "vroundpd t0, a, $9; vsubpd d, a, t0"},
		{op.Sqrt, singles, byAny, "vsqrtps d, a"},
		{op.Sqrt, doubles, byAny, "vsqrtpd d, a"},
		// The reciprocal root is rounded to f64 twice and then to f32, as package eval has it.
		{op.InverseSqrt, singles, byAny, "vcvtps2pd t0, a; vsqrtpd t0, t0; vmovups t1, ==3ff0000000000000; vdivpd t0, t1, t0; vcvtpd2ps t2, t0; " +
			"vextractf128 t3, a, $1; vcvtps2pd t3, t3; vsqrtpd t3, t3; vdivpd t3, t1, t3; vcvtpd2ps t4, t3; vinsertf128 d, t2, t4, $1"},
		{op.QuantizeF16, singles, byAny, "vcvtps2ph t0, a, $0; vcvtph2ps d, t0"},
	}
}

// table is the rows by operation and kind: those by a constant first.
var table = sync.OnceValue(func() *[op.Count][scalar.Count][byKinds]*template {
	return tableOf(append(rows(), quotientRows()...))
})

func tableOf(list []row) *[op.Count][scalar.Count][byKinds]*template {
	all := new([op.Count][scalar.Count][byKinds]*template)
	names := mnemonics()
	for _, r := range list {
		t := parse(names, r.text)
		for k := range scalar.Kind(scalar.Count) {
			if r.on>>k&1 == 0 {
				continue
			}
			all[r.o][k][r.by] = t
		}
	}
	return all
}

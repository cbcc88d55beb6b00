package jit

import (
	"sync"

	"github.com/gpuc/gpuc/codegen/cpu/amd64"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// The tables of what is no plain template of an operation on vectors: quotients of integers,
// conversions, and operations in general registers.

const (
	// quotient makes t9 the quotient of words without sign, in two halves by way of f64, which
	// holds all of them. What is not an integer differs from the next one by more than a quotient
	// is rounded. A word becomes f64 as the lower bits of 2^52.
	quotient = half + "; vmovups t8, t3; vextracti128 t4, a, $1; vextracti128 t5, b, $1; " +
		"vpmovzxdq t0, t4; vpor t0, t0, ==4330000000000000; vsubpd t0, t0, ==4330000000000000; " +
		"vpmovzxdq t1, t5; vpor t1, t1, ==4330000000000000; vsubpd t1, t1, ==4330000000000000; " +
		"vdivpd t2, t0, t1; vroundpd t2, t2, $11; vaddpd t3, t2, ==4330000000000000; vshufps t9, t8, t3, $0x88; vpermq t9, t9, $0xd8"
	half = "vpmovzxdq t0, a; vpor t0, t0, ==4330000000000000; vsubpd t0, t0, ==4330000000000000; " +
		"vpmovzxdq t1, b; vpor t1, t1, ==4330000000000000; vsubpd t1, t1, ==4330000000000000; " +
		"vdivpd t2, t0, t1; vroundpd t2, t2, $11; vaddpd t3, t2, ==4330000000000000"
	signedQuotient = "vcvtdq2pd t0, a; vcvtdq2pd t1, b; vdivpd t0, t0, t1; vcvttpd2dq t2, t0; vextracti128 t3, a, $1; vcvtdq2pd t3, t3; " +
		"vextracti128 t4, b, $1; vcvtdq2pd t4, t4; vdivpd t3, t3, t4; vcvttpd2dq t5, t3; vinserti128 t9, t2, t5, $1"
	byProduct = "; vpmulld t6, t9, b; vmovups t7, a; vpsubd d, t7, t6"
)

// The remainder of floats, x - y·trunc(x/y), is a number of the kind, so it is exact where nothing
// rounds in between. Let q be the quotient of two numbers, rounded to an integer as the division
// rounds, or towards zero. Then x - y·q is a number if it is rounded once (Boldo and Daumas,
// "Representable correcting terms for possibly underflowing floating point operations", 2003). A
// quotient that was rounded up to an integer leaves one below zero, which one y more sets right.
// Quotients of 2^24 and more have more digits than f32: what is left of these is divided again in
// f64, where each iteration takes 53 digits off. They have 277 at most. An infinite divisor leaves
// the dividend.
const (
	floatRemainder = "vandps t0, a, =7fffffff; vandps t9, b, =7fffffff; vorps t1, b, =80000000; vdivps t2, t0, t9; vroundps t3, t2, $11; " +
		"vfmadd213ps t3, t1, t0; vsubps t4, t3, t1; vblendvps t3, t3, t4, t3; vcmpps t2, t2, =4b800000, $0x1d; vptest t2, t2; je :0; " +
		"vcvtps2pd t5, t0; vcvtps2pd t6, t9; " + longRemainder + "; vcvtpd2ps t4, t5; " +
		"vextractf128 t2, t0, $1; vcvtps2pd t5, t2; vextractf128 t2, t9, $1; vcvtps2pd t6, t2; " + longRemainder + "; vcvtpd2ps t2, t5; " +
		"vinsertf128 t3, t4, t2, $1; :0; vcmpps t4, t0, t9, $0x11; vblendvps t3, t3, t0, t4; vandps t4, a, =80000000; vorps d, t3, t4"
	// longRemainder makes t5 the remainder of four t5 by t6, which are not below zero.
	longRemainder = "vorpd t7, t6, ==8000000000000000; " + longTurn + longTurn + longTurn + longTurn + longTurn + longTurn +
		"vaddpd t8, t5, t6; vblendvpd t5, t5, t8, t5"
	longTurn = "vdivpd t8, t5, t6; vroundpd t8, t8, $11; vfmadd231pd t5, t7, t8; "
)

func quotientRows() []row {
	return []row{
		{op.Rem, singles, byAny, floatRemainder},
		{op.Div, uint32s, byAny, quotient + "; vmovups d, t9"},
		{op.Div, int32s, byAny, signedQuotient + "; vmovups d, t9"},
		{op.Rem, uint32s, byAny, quotient + byProduct},
		{op.Rem, int32s, byAny, signedQuotient + byProduct},
	}
}

// conversion is a template of a conversion. One from or to 64 bits is used on each half: there,
// words are the four of the half, in 128 bits.
type conversion struct {
	from, to kindSet
	text     string
}

const (
	fromHalf = "vpackusdw t0, a, a; vpermq t0, t0, $0xd8; vcvtph2ps t0, t0; "
	// wholeSingle makes d an integer without sign of a float in t0 that is one, or has a fraction.
	wholeSingle = "vcmpps t1, t0, =4f000000, $0x1d; vandps t2, t1, =4f000000; vsubps t2, t0, t2; vcvttps2dq t2, t2; vpslld t3, t1, $31; vpxor d, t2, t3"
	// singleOfWord makes t2 the float of a word without sign, rounded once: its halves are the
	// lower bits of 2^23 and 2^39.
	singleOfWord = "vpand t0, a, =ffff; vpor t0, t0, =4b000000; vpsrld t1, a, $16; vpor t1, t1, =53000000; vsubps t1, t1, =53000080; vaddps t2, t1, t0"
	truth32      = "vpxor t1, t1, t1; vpcmpeqd t2, a, t1; vpxor d, t2, =ffffffff"
)

var conversionList = []conversion{
	{booleans, words32, "vpsrld d, a, $31"},
	{booleans, singles, "vpand d, a, =3f800000"},
	{booleans, halves16, "vpand d, a, =3c00"},
	{words32, booleans, truth32},
	{singles, booleans, "vxorps t0, t0, t0; vcmpps d, a, t0, $4"},
	{halves16, booleans, "vpand t0, a, =7fff; vpxor t1, t1, t1; vpcmpeqd t2, t0, t1; vpxor d, t2, =ffffffff"},
	{int32s, singles, "vcvtdq2ps d, a"},
	{uint32s, singles, singleOfWord + "; vmovups d, t2"},
	{singles, int32s, "vcmpps t0, a, a, $7; vandps t0, a, t0; vminps t0, t0, =4effffff; vcvttps2dq d, t0"},
	{singles, uint32s, "vxorps t1, t1, t1; vmaxps t0, a, t1; vminps t0, t0, =4f7fffff; " + wholeSingle},
	{halves16, singles, fromHalf + "vmovups d, t0"},
	{singles, halves16, "vcvtps2ph t0, a, $0; vpmovzxwd d, t0"},
	{halves16, int32s, fromHalf + "vcmpps t1, t0, t0, $7; vandps t0, t0, t1; vminps t0, t0, =477fe000; vmaxps t0, t0, =c77fe000; vcvttps2dq d, t0"},
	{halves16, uint32s, fromHalf + "vxorps t1, t1, t1; vmaxps t0, t0, t1; vminps t0, t0, =477fe000; vcvttps2dq d, t0"},
	{int32s, halves16, "vcvtdq2ps t0, a; vcvtps2ph t0, t0, $0; vpmovzxwd d, t0"},
	{uint32s, halves16, singleOfWord + "; vcvtps2ph t0, t2, $0; vpmovzxwd d, t0"},

	{int32s, longs64, "vpmovsxdq d, a"},
	{uint32s, longs64, "vpmovzxdq d, a"},
	{booleans, longs64, "vpmovzxdq t0, a; vpsrlq d, t0, $31"},
	{longs64, words32, "vextracti128 t0, a, $1; vshufps.n d, a, t0, $0x88"},
	{longs64, booleans, "vpxor t0, t0, t0; vpcmpeqq t0, a, t0; vpxor t0, t0, ==ffffffffffffffff; vextracti128 t1, t0, $1; vshufps.n d, t0, t1, $0x88"},
	{singles, doubles, "vcvtps2pd d, a"},
	{doubles, singles, "vcvtpd2ps d, a"},
	{int32s, doubles, "vcvtdq2pd d, a"},
	{uint32s, doubles, "vpmovzxdq t0, a; vpor t0, t0, ==4330000000000000; vsubpd d, t0, ==4330000000000000"},
	{booleans, doubles, "vpmovsxdq t0, a; vpand d, t0, ==3ff0000000000000"},
	{doubles, int32s, "vcmppd t0, a, a, $7; vandpd t0, a, t0; vminpd t0, t0, ==41dfffffffc00000; vcvttpd2dq d, t0"},
	{doubles, uint32s, "vxorpd t1, t1, t1; vmaxpd t0, a, t1; vminpd t0, t0, ==41efffffffe00000; vroundpd t0, t0, $11; vaddpd t0, t0, ==4330000000000000; " +
		"vextracti128 t1, t0, $1; vshufps.n d, t0, t1, $0x88"},
	{doubles, booleans, "vxorpd t0, t0, t0; vcmppd t0, a, t0, $4; vextracti128 t1, t0, $1; vshufps.n d, t0, t1, $0x88"},
}

// conversions is the list by both kinds.
var conversions = sync.OnceValue(func() *[scalar.Count][scalar.Count]*template {
	all := new([scalar.Count][scalar.Count]*template)
	names := mnemonics()
	for _, c := range conversionList {
		t := parse(names, c.text)
		for from := range scalar.Kind(scalar.Count) {
			for to := range scalar.Kind(scalar.Count) {
				if c.from>>from&1 == 1 && c.to>>to&1 == 1 {
					all[from][to] = t
				}
			}
		}
	}
	return all
})

const (
	lesser  = "mov d, a; cmp d, b; cmov"
	compare = "cmp a, b; mov g0, $0; set"
)

// scalarRows are the templates in general registers: a word is extended by zeros to 64 bits, a
// predicate is 0 or 1.
func scalarRows() []row {
	list := []row{
		{op.Neg, int32s | int64s, byAny, "mov d, a; neg d"},
		{op.Add, words32 | longs64, byAny, "mov d, a; add d, b"},
		{op.Sub, words32 | longs64, byAny, "mov d, a; sub d, b"},
		{op.Mul, words32 | longs64, byAny, "mov d, a; imul d, b"},
		{op.Not, words32 | longs64, byAny, "mov d, a; not d"},
		{op.Not, booleans, byAny, "mov d, a; xor d, $1"},
		{op.And, booleans | words32 | longs64, byAny, "mov d, a; and d, b"},
		{op.Or, booleans | words32 | longs64, byAny, "mov d, a; or d, b"},
		{op.Xor, booleans | words32 | longs64, byAny, "mov d, a; xor d, b"},
		{op.Ne, booleans, byAny, "mov d, a; xor d, b"},
		{op.Eq, booleans, byAny, "mov d, a; xor d, b; xor d, $1"},
		{op.Shl, words32 | longs64, by, "mov d, a; shl d, $b"},
		{op.Shr, uint32s | uint64s, by, "mov d, a; shr d, $b"},
		{op.Shr, int32s | int64s, by, "mov d, a; sar d, $b"},
		{op.Shl, words32 | longs64, byAny, "shlx d, a, b"},
		{op.Shr, uint32s | uint64s, byAny, "shrx d, a, b"},
		{op.Shr, int32s | int64s, byAny, "sarx d, a, b"},
		{op.Min, uint32s | uint64s, byAny, lesser + "a d, b"},
		{op.Min, int32s | int64s, byAny, lesser + "g d, b"},
		{op.Max, uint32s | uint64s, byAny, lesser + "b d, b"},
		{op.Max, int32s | int64s, byAny, lesser + "l d, b"},
		{op.CountOneBits, words32 | longs64, byAny, "popcnt d, a"},
		{op.CountLeadingZeros, words32 | longs64, byAny, "lzcnt d, a"},
		{op.CountTrailingZeros, words32 | longs64, byAny, "tzcnt d, a"},
		{op.Select, booleans | words32 | longs64, byAny, "mov d, c; test.n a, a; cmovne d, b"},
	}
	for _, r := range []struct {
		o                op.Op
		signed, unsigned string
	}{{op.Eq, "e", "e"}, {op.Ne, "ne", "ne"}, {op.Lt, "l", "b"}, {op.Le, "le", "be"}, {op.Gt, "g", "a"}, {op.Ge, "ge", "ae"}} {
		list = append(list, row{r.o, int32s | int64s, byAny, compare + r.signed + " g0; mov.n d, g0"},
			row{r.o, uint32s | uint64s, byAny, compare + r.unsigned + " g0; mov.n d, g0"})
	}
	return list
}

// scalarTable is the rows by operation and kind.
var scalarTable = sync.OnceValue(func() *[op.Count][scalar.Count][byKinds]*template {
	return tableOf(scalarRows())
})

// relations are the conditions of comparisons, with sign and without.
var relations = [op.Count][2]amd64.Condition{
	op.Eq: {amd64.Equal, amd64.Equal}, op.Ne: {amd64.NotEqual, amd64.NotEqual}, op.Lt: {amd64.Less, amd64.Below},
	op.Le: {amd64.LessEqual, amd64.BelowEqual}, op.Gt: {amd64.Greater, amd64.Above}, op.Ge: {amd64.GreaterEqual, amd64.AboveEqual},
}

// scalarConversionList has those in general registers.
var scalarConversionList = []conversion{
	{booleans, words32 | longs64, "mov.n d, a"},
	{uint32s, longs64, "mov.n d, a"},
	{int32s, longs64, "movsxd.w d, a"},
	{longs64, words32, "mov.n d, a"},
	{words32, booleans, "cmp.n a, $0; mov.n g0, $0; setne g0; mov.n d, g0"},
	{longs64, booleans, "cmp.w a, $0; mov.n g0, $0; setne g0; mov.n d, g0"},
}

var scalarConversions = sync.OnceValue(func() *[scalar.Count][scalar.Count]*template {
	all := new([scalar.Count][scalar.Count]*template)
	names := mnemonics()
	for _, c := range scalarConversionList {
		t := parse(names, c.text)
		for from := range scalar.Kind(scalar.Count) {
			for to := range scalar.Kind(scalar.Count) {
				if c.from>>from&1 == 1 && c.to>>to&1 == 1 {
					all[from][to] = t
				}
			}
		}
	}
	return all
})

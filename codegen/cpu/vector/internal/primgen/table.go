// Package primgen writes the primitives of package columns: Go functions that do one operation
// on whole columns, and the same in assembly for processors with AVX2 and for those with NEON.
//
//	table.go     the operations: what each does with one element
//	generate.go  the loops around them in Go, and the table that finds them
//	assembly.go  the loops in assembly for AVX2, and the tables of what is in assembly
//	neon.go      those for NEON
package primgen

import (
	"slices"
	"strings"

	"github.com/gpuc/gpuc/ir/eval"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// primitive is one operation on elements x, y and z, as package eval defines it.
type primitive struct {
	op       op.Op
	then     op.Op       // what is done to the result and the last operand, or none
	kind, to scalar.Kind // to is that of a conversion
	// in and out are the Go types as which operands and result are read and written. Columns of
	// words have uint32, int32 or float32, those of longs the types of 64 bits.
	in  []string
	out string
	// expression is the result in Go.
	expression string
	// avx2 is the result in Go's assembly: what makes register Y0 of Y0, Y1 and Y2, of words. SHORT
	// is a label that it jumps to. Empty, there is none.
	avx2 string
	// neon is the result in Arm's syntax: what makes register v0 of v0, v1 and v2, which are
	// vectors of longs if one of operands and result is. Empty, there is none.
	neon string
}

// integers are the kinds that integer operations are defined on, with the Go types of each.
var integers = [...]struct {
	kind             scalar.Kind
	own, signed, raw string
	bits             string
}{
	{scalar.I32, "int32", "int32", "uint32", "32"},
	{scalar.U32, "uint32", "int32", "uint32", "32"},
	{scalar.I64, "int64", "int64", "uint64", "64"},
	{scalar.U64, "uint64", "int64", "uint64", "64"},
}

// integerOperations are expressions over values of the kind's own type, but for those marked raw,
// which do not ask for the sign. Counts and bits come out in the same width.
var integerOperations = [...]struct {
	op         op.Op
	operands   int
	raw        bool
	compare    bool
	expression string
	avx2, neon [2]string // with a sign, and without; T is the vector's shape, .4s or .2d
}{
	{op.Neg, 1, true, false, "-x", both("VPXOR Y3, Y3, Y3; VPSUBD Y0, Y3, Y0"), both("neg v0.T, v0.T")},
	{op.Add, 2, true, false, "x + y", both("VPADDD Y1, Y0, Y0"), both("add v0.T, v0.T, v1.T")},
	{op.Sub, 2, true, false, "x - y", both("VPSUBD Y1, Y0, Y0"), both("sub v0.T, v0.T, v1.T")},
	{op.Mul, 2, true, false, "x * y", both("VPMULLD Y1, Y0, Y0"), both("mul v0.T, v0.T, v1.T")},
	{op.MulHigh, 2, false, false, "productHighBITS(x, y)", none, none},
	{op.Div, 2, false, false, "quotient(x, y)",
		none,
		[2]string{signedQuotient + ifDivided, unsignedQuotient + ifDivided}},
	{op.Rem, 2, false, false, "remainder(x, y)",
		none,
		[2]string{signedQuotient + rest, unsignedQuotient + rest}},
	{op.Abs, 1, false, false, "max(x, -x)",
		[2]string{"VPABSD Y0, Y0", ""},
		[2]string{"abs v0.T, v0.T", ""}},
	{op.Min, 2, false, false, "min(x, y)",
		[2]string{"VPMINSD Y1, Y0, Y0", "VPMINUD Y1, Y0, Y0"},
		[2]string{"smin v0.T, v0.T, v1.T", "umin v0.T, v0.T, v1.T"}},
	{op.Max, 2, false, false, "max(x, y)",
		[2]string{"VPMAXSD Y1, Y0, Y0", "VPMAXUD Y1, Y0, Y0"},
		[2]string{"smax v0.T, v0.T, v1.T", "umax v0.T, v0.T, v1.T"}},
	{op.Clamp, 3, false, false, "min(max(x, y), z)",
		[2]string{"VPMAXSD Y1, Y0, Y0; VPMINSD Y2, Y0, Y0", "VPMAXUD Y1, Y0, Y0; VPMINUD Y2, Y0, Y0"},
		[2]string{"smax v0.T, v0.T, v1.T; smin v0.T, v0.T, v2.T", "umax v0.T, v0.T, v1.T; umin v0.T, v0.T, v2.T"}},
	{op.Not, 1, true, false, "^x", both("VPXOR ones, Y0, Y0"), both("not v0.16b, v0.16b")},
	{op.And, 2, true, false, "x & y", both("VPAND Y1, Y0, Y0"), both("and v0.16b, v0.16b, v1.16b")},
	{op.Or, 2, true, false, "x | y", both("VPOR Y1, Y0, Y0"), both("orr v0.16b, v0.16b, v1.16b")},
	{op.Xor, 2, true, false, "x ^ y", both("VPXOR Y1, Y0, Y0"), both("eor v0.16b, v0.16b, v1.16b")},
	{op.Shl, 2, true, false, "x << (y & (BITS - 1))", both("VPAND thirtyone, Y1, Y1; VPSLLVD Y1, Y0, Y0"), both("and v1.16b, v1.16b, last.16b; ushl v0.T, v0.T, v1.T")},
	{op.Shr, 2, false, false, "x >> (y & (BITS - 1))",
		[2]string{"VPAND thirtyone, Y1, Y1; VPSRAVD Y1, Y0, Y0", "VPAND thirtyone, Y1, Y1; VPSRLVD Y1, Y0, Y0"},
		[2]string{"and v1.16b, v1.16b, last.16b; neg v1.T, v1.T; sshl v0.T, v0.T, v1.T", "and v1.16b, v1.16b, last.16b; neg v1.T, v1.T; ushl v0.T, v0.T, v1.T"}},
	{op.CountOneBits, 1, true, false, "RAW(bits.OnesCountBITS(x))", none, both(ones)},
	{op.CountLeadingZeros, 1, true, false, "RAW(bits.LeadingZerosBITS(x))", none, both("clz v0.T, v0.T")},
	{op.CountTrailingZeros, 1, true, false, "RAW(bits.TrailingZerosBITS(x))", none, both("rbit v0.16b, v0.16b; rev32 v0.16b, v0.16b; clz v0.T, v0.T")},
	{op.ReverseBits, 1, true, false, "bits.ReverseBITS(x)", none, both("rbit v0.16b, v0.16b; rev32 v0.16b, v0.16b")},
	{op.Eq, 2, true, true, "truth(x == y)", both("VPCMPEQD Y1, Y0, Y0"), both("cmeq v0.T, v0.T, v1.T")},
	{op.Ne, 2, true, true, "truth(x != y)", both("VPCMPEQD Y1, Y0, Y0; VPXOR ones, Y0, Y0"), both("cmeq v0.T, v0.T, v1.T; not v0.16b, v0.16b")},
	{op.Lt, 2, false, true, "truth(x < y)",
		[2]string{"VPCMPGTD Y0, Y1, Y0", "VPMAXUD Y1, Y0, Y3; VPCMPEQD Y3, Y0, Y0; VPXOR ones, Y0, Y0"},
		[2]string{"cmgt v0.T, v1.T, v0.T", "cmhi v0.T, v1.T, v0.T"}},
	{op.Le, 2, false, true, "truth(x <= y)",
		[2]string{"VPCMPGTD Y1, Y0, Y0; VPXOR ones, Y0, Y0", "VPMINUD Y1, Y0, Y3; VPCMPEQD Y3, Y0, Y0"},
		[2]string{"cmge v0.T, v1.T, v0.T", "cmhs v0.T, v1.T, v0.T"}},
	{op.Gt, 2, false, true, "truth(x > y)",
		[2]string{"VPCMPGTD Y1, Y0, Y0", "VPMINUD Y1, Y0, Y3; VPCMPEQD Y3, Y0, Y0; VPXOR ones, Y0, Y0"},
		[2]string{"cmgt v0.T, v0.T, v1.T", "cmhi v0.T, v0.T, v1.T"}},
	{op.Ge, 2, false, true, "truth(x >= y)",
		[2]string{"VPCMPGTD Y0, Y1, Y0; VPXOR ones, Y0, Y0", "VPMAXUD Y1, Y0, Y3; VPCMPEQD Y3, Y0, Y0"},
		[2]string{"cmge v0.T, v0.T, v1.T", "cmhs v0.T, v0.T, v1.T"}},
}

// both is the text of what does not depend on the sign, and none that of what is not in assembly.
func both(text string) [2]string { return [2]string{text, text} }

var none [2]string

// longOperations are those whose text for NEON is another one for elements of 64 bits, or of which
// there is none. What NEON lacks there is made of a comparison and a choice; products, quotients
// and counts of zeros are left to Go.
var longOperations = map[op.Op][2]string{
	op.Mul: none, op.Div: none, op.Rem: none, op.CountLeadingZeros: none, op.CountTrailingZeros: none,
	op.Min: {"cmgt v3.2d, v1.2d, v0.2d" + chosen, "cmhi v3.2d, v1.2d, v0.2d" + chosen},
	op.Max: {"cmgt v3.2d, v0.2d, v1.2d" + chosen, "cmhi v3.2d, v0.2d, v1.2d" + chosen},
	op.Clamp: {"cmgt v3.2d, v0.2d, v1.2d" + chosen + "; cmgt v3.2d, v2.2d, v0.2d; bif v0.16b, v2.16b, v3.16b",
		"cmhi v3.2d, v0.2d, v1.2d" + chosen + "; cmhi v3.2d, v2.2d, v0.2d; bif v0.16b, v2.16b, v3.16b"},
	op.CountOneBits: both(ones + "; uaddlp v0.2d, v0.4s"),
	op.ReverseBits:  both("rbit v0.16b, v0.16b; rev64 v0.16b, v0.16b"),
}

// Quotients of words, in v3, are those of doubles without their fraction. A quotient that is no
// integer differs from the next one by at least the inverse of the divisor, which is more than what
// a double of its size is rounded by, since it is below 2^32 divided by the divisor. ifDivided
// leaves the dividend where the divisor is 0, and rest makes the remainder, which is 0 there.
const (
	signedQuotient = "sshll v3.2d, v0.2s, #0; sshll2 v4.2d, v0.4s, #0; sshll v5.2d, v1.2s, #0; sshll2 v6.2d, v1.4s, #0; " +
		"scvtf v3.2d, v3.2d; scvtf v4.2d, v4.2d; scvtf v5.2d, v5.2d; scvtf v6.2d, v6.2d; fdiv v3.2d, v3.2d, v5.2d; fdiv v4.2d, v4.2d, v6.2d; " +
		"fcvtzs v3.2d, v3.2d; fcvtzs v4.2d, v4.2d; uzp1 v3.4s, v3.4s, v4.4s"
	unsignedQuotient = "ushll v3.2d, v0.2s, #0; ushll2 v4.2d, v0.4s, #0; ushll v5.2d, v1.2s, #0; ushll2 v6.2d, v1.4s, #0; " +
		"ucvtf v3.2d, v3.2d; ucvtf v4.2d, v4.2d; ucvtf v5.2d, v5.2d; ucvtf v6.2d, v6.2d; fdiv v3.2d, v3.2d, v5.2d; fdiv v4.2d, v4.2d, v6.2d; " +
		"fcvtzu v3.2d, v3.2d; fcvtzu v4.2d, v4.2d; uzp1 v3.4s, v3.4s, v4.4s"

	ifDivided = "; cmeq v4.4s, v1.4s, #0; bif v0.16b, v3.16b, v4.16b"
	rest      = "; mls v0.4s, v3.4s, v1.4s; cmtst v4.4s, v1.4s, v1.4s; and v0.16b, v0.16b, v4.16b"
)

// ones counts those of each word. chosen leaves v0 where v3 holds, and takes v1 elsewhere.
const (
	ones   = "cnt v0.16b, v0.16b; uaddlp v0.8h, v0.16b; uaddlp v0.4s, v0.8h"
	chosen = "; bif v0.16b, v1.16b, v3.16b"
)

// canonical makes the NaN that package eval gives of whatever NaN is in Y0, and canonicalNEON in
// v0.
const (
	canonical     = "; VCMPPS $3, Y0, Y0, Y3; VBLENDVPS Y3, nan, Y0, Y0"
	canonicalNEON = "; fcmeq v7.T, v0.T, v0.T; bif v0.16b, nan.16b, v7.16b"
)

// lesser and greater leave min and max of Y0 and Y1 in Y0, as package eval has them: of zeros that
// with the right sign, of a number and a NaN the number. Y3 and Y4 are what the instruction gives
// in either order, which is the second operand where neither is less.
const (
	lesser  = "VMINPS Y1, Y0, Y3; VMINPS Y0, Y1, Y4; VORPS Y4, Y3, Y3" + preferNumber
	greater = "VMAXPS Y1, Y0, Y3; VMAXPS Y0, Y1, Y4; VANDPS Y4, Y3, Y3" + preferNumber

	preferNumber = "; VCMPPS $3, Y0, Y0, Y4; VCMPPS $3, Y1, Y1, Y5; VBLENDVPS Y5, Y0, Y3, Y3; VBLENDVPS Y4, Y1, Y3, Y0" + canonical
)

// floatRemainder makes the remainder as machine code does (package native, quotientRows, which has
// the reasons): of Y3 and Y4, without signs, by their quotient in f32 and, where one has too many
// digits, by those of the halves in f64.
const (
	floatRemainder = "VPANDN Y0, sign, Y3; VPANDN Y1, sign, Y4; VPOR sign, Y1, Y5; VDIVPS Y4, Y3, Y6; VROUNDPS $11, Y6, Y7; VFMADD213PS Y3, Y5, Y7; " +
		"VSUBPS Y5, Y7, Y8; VBLENDVPS Y7, Y8, Y7, Y7; VCMPPS $29, wholes, Y6, Y6; VPTEST Y6, Y6; JEQ SHORT; " +
		"VCVTPS2PD X3, Y5; VCVTPS2PD X4, Y6; " + longRemainder + "; VCVTPD2PSY Y5, X9; " +
		"VEXTRACTF128 $1, Y3, X5; VCVTPS2PD X5, Y5; VEXTRACTF128 $1, Y4, X6; VCVTPS2PD X6, Y6; " + longRemainder + "; VCVTPD2PSY Y5, X7; " +
		"VINSERTF128 $1, X7, Y9, Y7; SHORT:; " +
		"VCMPPS $17, Y4, Y3, Y8; VBLENDVPS Y8, Y3, Y7, Y7; VPAND sign, Y0, Y8; VORPS Y8, Y7, Y0" + canonical
	longRemainder = "VXORPD Y7, Y7, Y7; VSUBPD Y6, Y7, Y7; " + longTurn + longTurn + longTurn + longTurn + longTurn + longTurn +
		"VADDPD Y6, Y5, Y8; VBLENDVPD Y5, Y8, Y5, Y5"
	longTurn = "VDIVPD Y6, Y5, Y8; VROUNDPD $11, Y8, Y8; VFMADD231PD Y8, Y7, Y5; "
)

// quiet makes quiet NaNs of those that signal, which fminnm and fmaxnm do not take for what a
// number is preferred to. Of zeros they take that with the right sign.
const quiet = "fminnm v0.T, v0.T, v0.T; fminnm v1.T, v1.T, v1.T"

// signNEON gives 1 the sign of what is neither zero nor NaN.
const signNEON = "fcmeq v7.T, v0.T, v0.T; fcmeq v4.T, v0.T, #0.0; and v3.16b, v0.16b, sign.16b; orr v3.16b, v3.16b, one.16b; " +
	"bif v0.16b, v3.16b, v4.16b; bif v0.16b, nan.16b, v7.16b"

// inverseSqrt is rounded once more, from doubles.
const inverseSqrt = "fcvtl v3.2d, v0.2s; fcvtl2 v4.2d, v0.4s; fsqrt v3.2d, v3.2d; fsqrt v4.2d, v4.2d; fdiv v3.2d, double.2d, v3.2d; fdiv v4.2d, double.2d, v4.2d; " +
	"fcvtn v0.2s, v3.2d; fcvtn2 v0.4s, v4.2d" + canonicalNEON

// floatOperations are expressions over float32 or float64, which FLOAT stands for. What may be NaN
// goes through number, which makes it the one that package eval gives. A product is rounded by a
// conversion, since Go may fuse it with a sum otherwise.
var floatOperations = [...]struct {
	op         op.Op
	operands   int
	compare    bool
	expression string
	avx2, neon string
}{
	{op.Add, 2, false, "number(x + y)", "VADDPS Y1, Y0, Y0" + canonical, "fadd v0.T, v0.T, v1.T" + canonicalNEON},
	{op.Sub, 2, false, "number(x - y)", "VSUBPS Y1, Y0, Y0" + canonical, "fsub v0.T, v0.T, v1.T" + canonicalNEON},
	{op.Mul, 2, false, "number(FLOAT(x * y))", "VMULPS Y1, Y0, Y0" + canonical, "fmul v0.T, v0.T, v1.T" + canonicalNEON},
	{op.Div, 2, false, "number(x / y)", "VDIVPS Y1, Y0, Y0" + canonical, "fdiv v0.T, v0.T, v1.T" + canonicalNEON},
	{op.Rem, 2, false, "number(FLOAT(math.Mod(float64(x), float64(y))))", floatRemainder, ""},
	{op.Min, 2, false, "minimum(x, y)", lesser, quiet + "; fminnm v0.T, v0.T, v1.T" + canonicalNEON},
	{op.Max, 2, false, "maximum(x, y)", greater, quiet + "; fmaxnm v0.T, v0.T, v1.T" + canonicalNEON},
	{op.Clamp, 3, false, "minimum(maximum(x, y), z)", greater + "; VMOVAPS Y2, Y1; " + lesser, quiet + "; fmaxnm v0.T, v0.T, v1.T; fminnm v2.T, v2.T, v2.T; fminnm v0.T, v0.T, v2.T" + canonicalNEON},
	{op.Sign, 1, false, "sign(x)", "", signNEON},
	{op.Floor, 1, false, "number(FLOAT(math.Floor(float64(x))))", "VROUNDPS $9, Y0, Y0" + canonical, "frintm v0.T, v0.T" + canonicalNEON},
	{op.Ceil, 1, false, "number(FLOAT(math.Ceil(float64(x))))", "VROUNDPS $10, Y0, Y0" + canonical, "frintp v0.T, v0.T" + canonicalNEON},
	{op.Trunc, 1, false, "number(FLOAT(math.Trunc(float64(x))))", "VROUNDPS $11, Y0, Y0" + canonical, "frintz v0.T, v0.T" + canonicalNEON},
	{op.Round, 1, false, "number(FLOAT(math.RoundToEven(float64(x))))", "VROUNDPS $8, Y0, Y0" + canonical, "frintn v0.T, v0.T" + canonicalNEON},
	{op.Fract, 1, false, "number(FLOAT(float64(x) - math.Floor(float64(x))))", "VROUNDPS $9, Y0, Y3; VSUBPS Y3, Y0, Y0" + canonical, "frintm v3.T, v0.T; fsub v0.T, v0.T, v3.T" + canonicalNEON},
	{op.Sqrt, 1, false, "number(FLOAT(math.Sqrt(float64(x))))", "VSQRTPS Y0, Y0" + canonical, "fsqrt v0.T, v0.T" + canonicalNEON},
	{op.InverseSqrt, 1, false, "number(FLOAT(1 / math.Sqrt(float64(x))))", "", "fsqrt v0.T, v0.T; fdiv v0.T, one.T, v0.T" + canonicalNEON},
	{op.Eq, 2, true, "truth(x == y)", "VCMPPS $0, Y1, Y0, Y0", "fcmeq v0.T, v0.T, v1.T"},
	{op.Ne, 2, true, "truth(x != y)", "VCMPPS $4, Y1, Y0, Y0", "fcmeq v0.T, v0.T, v1.T; not v0.16b, v0.16b"},
	{op.Lt, 2, true, "truth(x < y)", "VCMPPS $17, Y1, Y0, Y0", "fcmgt v0.T, v1.T, v0.T"},
	{op.Le, 2, true, "truth(x <= y)", "VCMPPS $18, Y1, Y0, Y0", "fcmge v0.T, v1.T, v0.T"},
	{op.Gt, 2, true, "truth(x > y)", "VCMPPS $30, Y1, Y0, Y0", "fcmgt v0.T, v0.T, v1.T"},
	{op.Ge, 2, true, "truth(x >= y)", "VCMPPS $29, Y1, Y0, Y0", "fcmge v0.T, v0.T, v1.T"},
}

// singles are what is left: signs as bits, bools, choices, conversions. Masks and words without a
// sign are uint32.
var singles = [...]primitive{
	{op.Neg, 0, scalar.F32, 0, []string{"uint32"}, "uint32", "x ^ 1<<31", "VPXOR sign, Y0, Y0", "fneg v0.4s, v0.4s"},
	{op.Abs, 0, scalar.F32, 0, []string{"uint32"}, "uint32", "x &^ (1 << 31)", "VPANDN Y0, sign, Y0", "fabs v0.4s, v0.4s"},
	{op.Neg, 0, scalar.F64, 0, []string{"uint64"}, "uint64", "x ^ 1<<63", "", "fneg v0.2d, v0.2d"},
	{op.Abs, 0, scalar.F64, 0, []string{"uint64"}, "uint64", "x &^ (1 << 63)", "", "fabs v0.2d, v0.2d"},
	{op.Neg, 0, scalar.F16, 0, []string{"uint32"}, "uint32", "x ^ 1<<15", "", "eor v0.16b, v0.16b, halfsign.16b"},
	{op.Abs, 0, scalar.F16, 0, []string{"uint32"}, "uint32", "x &^ (1 << 15)", "", "bic v0.16b, v0.16b, halfsign.16b"},
	{op.Fma, 0, scalar.F32, 0, []string{"float32", "float32", "float32"}, "float32", "multiplyAdd(x, y, z)", "VFMADD213PS Y2, Y1, Y0" + canonical, fused},
	{op.Fma, 0, scalar.F64, 0, []string{"float64", "float64", "float64"}, "float64", "number(math.FMA(x, y, z))", "", fused},

	{op.Mul, op.Add, scalar.F32, 0, []string{"float32", "float32", "float32"}, "float32", "number(float32(x*y) + z)", "VMULPS Y1, Y0, Y0; VADDPS Y2, Y0, Y0" + canonical,
		"fmul v0.T, v0.T, v1.T; fadd v0.T, v0.T, v2.T" + canonicalNEON},

	{op.Not, 0, scalar.Bool, 0, []string{"uint32"}, "uint32", "^x", "VPXOR ones, Y0, Y0", "not v0.16b, v0.16b"},
	{op.And, 0, scalar.Bool, 0, []string{"uint32", "uint32"}, "uint32", "x & y", "VPAND Y1, Y0, Y0", "and v0.16b, v0.16b, v1.16b"},
	{op.Or, 0, scalar.Bool, 0, []string{"uint32", "uint32"}, "uint32", "x | y", "VPOR Y1, Y0, Y0", "orr v0.16b, v0.16b, v1.16b"},
	{op.Xor, 0, scalar.Bool, 0, []string{"uint32", "uint32"}, "uint32", "x ^ y", "VPXOR Y1, Y0, Y0", "eor v0.16b, v0.16b, v1.16b"},
	{op.Eq, 0, scalar.Bool, 0, []string{"uint32", "uint32"}, "uint32", "^(x ^ y)", "VPXOR Y1, Y0, Y0; VPXOR ones, Y0, Y0", "eor v0.16b, v0.16b, v1.16b; not v0.16b, v0.16b"},
	{op.Ne, 0, scalar.Bool, 0, []string{"uint32", "uint32"}, "uint32", "x ^ y", "VPXOR Y1, Y0, Y0", "eor v0.16b, v0.16b, v1.16b"},
	{op.Select, 0, scalar.U32, 0, []string{"uint32", "uint32", "uint32"}, "uint32", "x&y | z&^x", "VBLENDVPS Y0, Y1, Y2, Y0", "bsl v0.16b, v1.16b, v2.16b"},
	{op.Select, 0, scalar.U64, 0, []string{"int32", "uint64", "uint64"}, "uint64", "uint64(int64(x))&y | z&^uint64(int64(x))", "", "bsl v0.16b, v1.16b, v2.16b"},

	{op.Convert, 0, scalar.Bool, scalar.U32, []string{"uint32"}, "uint32", "x & 1", "VPSRLD $31, Y0, Y0", "ushr v0.4s, v0.4s, #31"},
	{op.Convert, 0, scalar.Bool, scalar.F32, []string{"uint32"}, "float32", "float32(x & 1)", "VPSRLD $31, Y0, Y0; VCVTDQ2PS Y0, Y0", "ushr v0.4s, v0.4s, #31; ucvtf v0.4s, v0.4s"},
	{op.Convert, 0, scalar.Bool, scalar.U64, []string{"uint32"}, "uint64", "uint64(x & 1)", "", "ushr v0.2d, v0.2d, #31"},
	{op.Convert, 0, scalar.U32, scalar.Bool, []string{"uint32"}, "uint32", "truth(x != 0)", "VPXOR Y3, Y3, Y3; VPCMPEQD Y3, Y0, Y0; VPXOR ones, Y0, Y0", "cmtst v0.4s, v0.4s, v0.4s"},
	{op.Convert, 0, scalar.F32, scalar.Bool, []string{"float32"}, "uint32", "truth(x != 0)", "VXORPS Y3, Y3, Y3; VCMPPS $4, Y3, Y0, Y0", "fcmeq v0.4s, v0.4s, #0.0; not v0.16b, v0.16b"},
	{op.Convert, 0, scalar.U64, scalar.Bool, []string{"uint64"}, "uint32", "truth(x != 0)", "", "cmtst v0.2d, v0.2d, v0.2d"},
	{op.Convert, 0, scalar.I32, scalar.F32, []string{"int32"}, "float32", "float32(x)", "VCVTDQ2PS Y0, Y0", "scvtf v0.4s, v0.4s"},
	{op.Convert, 0, scalar.U32, scalar.F32, []string{"uint32"}, "float32", "float32(x)", toFloat, "ucvtf v0.4s, v0.4s"},
	{op.Convert, 0, scalar.I32, scalar.F64, []string{"int32"}, "float64", "float64(x)", "", "scvtf v0.2d, v0.2d"},
	{op.Convert, 0, scalar.U32, scalar.F64, []string{"uint32"}, "float64", "float64(x)", "", "ucvtf v0.2d, v0.2d"},
	{op.Convert, 0, scalar.F32, scalar.I32, []string{"float32"}, "int32", "toSigned(x)", toSigned, "fmin v0.4s, v0.4s, highest.4s; fcvtzs v0.4s, v0.4s"},
	{op.Convert, 0, scalar.F32, scalar.U32, []string{"float32"}, "uint32", "toUnsigned(x)", toUnsigned, "fmin v0.4s, v0.4s, highestunsigned.4s; fcvtzu v0.4s, v0.4s"},
	{op.Convert, 0, scalar.F32, scalar.F64, []string{"float32"}, "float64", "number(float64(x))", "", canonicalNEON},
	{op.Convert, 0, scalar.F64, scalar.F32, []string{"float64"}, "float32", "number(float32(x))", "", canonicalNEON},
	{op.Convert, 0, scalar.I32, scalar.U64, []string{"int32"}, "uint64", "uint64(x)", "", asLoaded},
	{op.Convert, 0, scalar.U32, scalar.U64, []string{"uint32"}, "uint64", "uint64(x)", "", asLoaded},
	{op.Convert, 0, scalar.U64, scalar.U32, []string{"uint64"}, "uint32", "uint32(x)", "", asLoaded},
	{op.Convert, 0, scalar.F16, scalar.F32, []string{"uint32"}, "float32", "fromHalf(x)", "", "xtn v0.4h, v0.4s; fcvtl v0.4s, v0.4h" + canonicalNEON},
	{op.Convert, 0, scalar.F32, scalar.F16, []string{"float32"}, "uint32", "toHalf(x)", "", canonicalNEON + "; fcvtn v0.4h, v0.4s; ushll v0.4s, v0.4h, #0"},
}

// asLoaded is for NEON the element as it has been made wide when it was loaded, or as it becomes
// narrow when it is stored.
const asLoaded = ";"

// fused is the sum z + x·y, rounded once.
const fused = "fmla v2.T, v0.T, v1.T; orr v0.16b, v2.16b, v2.16b" + canonicalNEON

// toSigned bounds the number, converts it, and makes 0 of NaN.
const toSigned = "VCMPPS $7, Y0, Y0, Y3; VMINPS highest, Y0, Y0; VCVTTPS2DQ Y0, Y0; VPAND Y3, Y0, Y0"

// toUnsigned makes 0 of NaN and of what is negative, bounds the number, and converts it less 2³¹
// where it is at least that.
const toUnsigned = "VXORPS Y3, Y3, Y3; VMAXPS Y3, Y0, Y0; VMINPS unsignedhighest, Y0, Y0; VCMPPS $29, halfway, Y0, Y3; VANDPS halfway, Y3, Y4; VSUBPS Y4, Y0, Y0; " +
	"VCVTTPS2DQ Y0, Y0; VPSLLD $31, Y3, Y3; VPXOR Y3, Y0, Y0"

// toFloat converts the upper half of a word and the lower one, both of which are exact, and rounds
// their sum.
const toFloat = "VPSRLD $16, Y0, Y3; VPSLLD $16, Y3, Y4; VPSUBD Y4, Y0, Y0; VCVTDQ2PS Y3, Y3; VCVTDQ2PS Y0, Y0; VFMADD231PS upperhalf, Y3, Y0"

// all returns the primitives.
func all() (list []primitive) {
	for _, o := range integerOperations {
		for _, k := range integers {
			if o.op == op.Abs && k.own != k.signed || o.op == op.Neg && k.own != k.signed {
				continue // there is nothing to do, or nothing like it
			}
			t := k.own
			if o.raw {
				t = k.raw
			}
			p := primitive{op: o.op, kind: k.kind, out: t}
			for range o.operands {
				p.in = append(p.in, t)
			}
			if o.op == op.Shr || o.op == op.Shl {
				p.in[1] = "uint32"
			}
			if o.compare {
				p.out = "uint32"
			}
			p.expression = strings.NewReplacer("BITS", k.bits, "RAW", k.raw).Replace(o.expression)
			sign := 0
			if k.own != k.signed {
				sign = 1
			}
			if p.neon = o.neon[sign]; wide(k.own) {
				if other, ok := longOperations[o.op]; ok {
					p.neon = other[sign]
				}
			} else {
				p.avx2 = o.avx2[sign]
			}
			list = append(list, p)
		}
	}
	for _, o := range floatOperations {
		for _, k := range [...]struct {
			kind scalar.Kind
			name string
		}{{scalar.F32, "float32"}, {scalar.F64, "float64"}} {
			p := primitive{op: o.op, kind: k.kind, out: k.name, expression: strings.ReplaceAll(o.expression, "FLOAT", k.name)}
			for range o.operands {
				p.in = append(p.in, k.name)
			}
			if o.compare {
				p.out = "uint32"
			}
			if p.neon = o.neon; k.kind == scalar.F32 {
				p.avx2 = o.avx2
				if o.op == op.InverseSqrt {
					p.neon = inverseSqrt
				}
			}
			list = append(list, p)
		}
	}
	list = append(list, singles[:]...)
	return slices.DeleteFunc(list, func(p primitive) bool { return p.op != op.Convert && eval.For(p.op, p.kind) == nil })
}

package ptx

import (
	"strings"
	"sync"

	"github.com/gpuc/gpuc/codegen/workaround"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
)

// The table of templates has the instructions for each operation and the kinds of its first value
// operand. Operands are in the machine's domain: lower.DefineArithmetic has guarded divisors, shift
// amounts and bit fields. An operation without a template for f16 is computed in f32 and rounded.
// That is right for every operation whose f32 result is, since f32 has more than twice the digits
// and two more.
//
// Floating-point instructions always name their rounding, since the assembler would fuse a plain
// add and mul; contraction is the pass contract's. Sums and products keep subnormal values, which
// costs nothing. The approximations flush them, as WGSL permits anywhere (WGSL §15.7.2). One that
// does not scales its operand and its result, by three instructions more. Flushing, their errors
// are within WGSL's bounds (WGSL §15.7.4.1; PTX ISA, Floating Point Instructions). A quotient's
// error is so for divisors from 2^-126 to 2^126, where WGSL has a bound. For greater divisors the
// quotient is 0.

type kindSet uint16

const (
	booleans  kindSet = 1 << scalar.Bool
	words     kindSet = 1<<scalar.I32 | 1<<scalar.U32
	longs     kindSet = 1<<scalar.I64 | 1<<scalar.U64
	integers          = words | longs
	signed    kindSet = 1<<scalar.I32 | 1<<scalar.I64
	bitKinds          = integers | booleans
	singles   kindSet = 1 << scalar.F32
	halves    kindSet = 1 << scalar.F16
	doubles   kindSet = 1 << scalar.F64
	numeric32         = words | singles
)

type templateRow struct {
	o    op.Op
	on   kindSet
	text string
}

// wgslRows are the templates of the modes wgsl and fast.
var wgslRows = []templateRow{
	{op.Neg, signed, "neg.$T $d, $a"},
	{op.Neg, singles | doubles, "neg.$T $d, $a"},
	{op.Neg, halves, "xor.b16 $d, $a, 0x8000"},
	{op.Add, integers, "add.$T $d, $a, $b"},
	{op.Add, singles | halves | doubles, "add.rn.$T $d, $a, $b"},
	{op.Sub, integers, "sub.$T $d, $a, $b"},
	{op.Sub, singles | halves | doubles, "sub.rn.$T $d, $a, $b"},
	{op.Mul, integers, "mul.lo.$T $d, $a, $b"},
	{op.Mul, singles | halves | doubles, "mul.rn.$T $d, $a, $b"},
	{op.MulHigh, 1<<scalar.U32 | 1<<scalar.U64, "mul.hi.$T $d, $a, $b"},
	{op.Div, integers, "div.$T $d, $a, $b"},
	{op.Div, singles, "div.approx.ftz.f32 $d, $a, $b"},
	{op.Div, doubles, "div.rn.f64 $d, $a, $b"},
	{op.Rem, integers, "rem.$T $d, $a, $b"},
	{op.Rem, singles, remainder},
	{op.Abs, 1<<scalar.I32 | 1<<scalar.I64, "abs.$T $d, $a"},
	{op.Abs, singles | doubles, "abs.$T $d, $a"},
	{op.Abs, halves, "and.b16 $d, $a, 0x7FFF"}, // PTX 6.3 has no abs.f16
	{op.Min, numeric32 | longs | doubles, "min.$T $d, $a, $b"},
	{op.Min, halves, "setp.lt.f16 $p0, $a, $b; selp.b16 $d, $a, $b, $p0"},
	{op.Max, numeric32 | longs | doubles, "max.$T $d, $a, $b"},
	{op.Max, halves, "setp.gt.f16 $p0, $a, $b; selp.b16 $d, $a, $b, $p0"},
	{op.Clamp, numeric32 | longs | doubles, "max.$T $t0, $a, $b; min.$T $d, $t0, $c"},
	{op.Sign, signed, "max.$T $t0, $a, -1; min.$T $d, $t0, 1"},
	{op.Sign, singles, "setp.gt.f32 $p0, $a, 0f00000000; selp.f32 $r0, 0f3F800000, 0f00000000, $p0;" +
		"setp.lt.f32 $p1, $a, 0f00000000; selp.f32 $d, 0fBF800000, $r0, $p1"},
	// of a zero and of a NaN the number itself
	{op.Sign, doubles, "setp.gt.f64 $p0, $a, 0d0000000000000000; selp.f64 $l0, 0d3FF0000000000000, $a, $p0;" +
		"setp.lt.f64 $p1, $a, 0d0000000000000000; selp.f64 $d, 0dBFF0000000000000, $l0, $p1"},
	{op.Fma, singles | halves | doubles, "fma.rn.$T $d, $a, $b, $c"},

	{op.Not, words | longs, "not.$B $d, $a"},
	{op.Not, booleans, "not.pred $d, $a"},
	{op.And, bitKinds, "and.$B $d, $a, $b"},
	{op.Or, bitKinds, "or.$B $d, $a, $b"},
	{op.Xor, bitKinds, "xor.$B $d, $a, $b"},
	{op.Shl, integers, "shl.$B $d, $a, $b"},
	{op.Shr, integers, "shr.$T $d, $a, $b"},
	{op.CountOneBits, words, "popc.b32 $d, $a"},
	{op.CountOneBits, longs, "popc.b64 $r0, $a; cvt.u64.u32 $d, $r0"},
	{op.CountLeadingZeros, words, "clz.b32 $d, $a"},
	{op.CountLeadingZeros, longs, "clz.b64 $r0, $a; cvt.u64.u32 $d, $r0"},
	{op.CountTrailingZeros, words, "brev.b32 $r0, $a; clz.b32 $d, $r0"},
	{op.CountTrailingZeros, longs, "brev.b64 $l0, $a; clz.b64 $r0, $l0; cvt.u64.u32 $d, $r0"},
	{op.FirstLeadingBit, words, "bfind.$T $d, $a"},
	{op.FirstLeadingBit, longs, "bfind.$T $r0, $a; cvt.s64.s32 $d, $r0"},
	{op.FirstTrailingBit, words, "brev.b32 $r0, $a; bfind.shiftamt.u32 $d, $r0"},
	{op.FirstTrailingBit, longs, "brev.b64 $l0, $a; bfind.shiftamt.u64 $r0, $l0; cvt.s64.s32 $d, $r0"},
	{op.ReverseBits, integers, "brev.$B $d, $a"},
	{op.ExtractBits, integers, "bfe.$T $d, $a, $b, $c"},
	{op.InsertBits, integers, "bfi.$B $d, $b, $a, $c, $e"},

	{op.Eq, integers | singles | halves | doubles, "setp.eq.$T $d, $a, $b"},
	{op.Eq, booleans, "xor.pred $p0, $a, $b; not.pred $d, $p0"},
	{op.Ne, integers, "setp.ne.$T $d, $a, $b"},
	{op.Ne, singles | halves | doubles, "setp.neu.$T $d, $a, $b"},
	{op.Ne, booleans, "xor.pred $d, $a, $b"},
	{op.Lt, integers | singles | halves | doubles, "setp.lt.$T $d, $a, $b"},
	{op.Le, integers | singles | halves | doubles, "setp.le.$T $d, $a, $b"},
	{op.Gt, integers | singles | halves | doubles, "setp.gt.$T $d, $a, $b"},
	{op.Ge, integers | singles | halves | doubles, "setp.ge.$T $d, $a, $b"},

	{op.Floor, singles | halves | doubles, "cvt.rmi.$T.$T $d, $a"},
	{op.Ceil, singles | halves | doubles, "cvt.rpi.$T.$T $d, $a"},
	{op.Trunc, singles | halves | doubles, "cvt.rzi.$T.$T $d, $a"},
	{op.Round, singles | halves | doubles, "cvt.rni.$T.$T $d, $a"},
	{op.Fract, singles | halves | doubles, "cvt.rmi.$T.$T $t0, $a; sub.rn.$T $d, $a, $t0"},
	{op.Sqrt, singles, "sqrt.approx.ftz.f32 $d, $a"},
	{op.Sqrt, doubles, "sqrt.rn.f64 $d, $a"},
	{op.InverseSqrt, singles, "rsqrt.approx.ftz.f32 $d, $a"},
	{op.Sin, singles, "sin.approx.ftz.f32 $d, $a"},
	{op.Cos, singles, "cos.approx.ftz.f32 $d, $a"},
	{op.Exp2, singles, "ex2.approx.ftz.f32 $d, $a"},
	{op.Log2, singles, "lg2.approx.ftz.f32 $d, $a"},
	{op.QuantizeF16, singles, "cvt.rn.f16.f32 $h0, $a; cvt.f32.f16 $d, $h0"},

	{op.Dot4I8, words, "dp4a.s32.s32 $d, $a, $b, 0"},
	{op.Dot4U8, words, "dp4a.u32.u32 $d, $a, $b, 0"},
	{op.Pack4xI8, words, "prmt.b32 $r4, $a, $b, 0x40; prmt.b32 $r5, $c, $e, 0x40; prmt.b32 $d, $r4, $r5, 0x5410"},
	{op.Pack4xU8, words, "prmt.b32 $r4, $a, $b, 0x40; prmt.b32 $r5, $c, $e, 0x40; prmt.b32 $d, $r4, $r5, 0x5410"},
	{op.Pack4xU8Clamp, words, "min.u32 $r0, $a, 255; min.u32 $r1, $b, 255; min.u32 $r2, $c, 255; min.u32 $r3, $e, 255; " + joinBytes},
	{op.Pack2x16Float, singles, "cvt.rn.f16.f32 $h0, $a; cvt.rn.f16.f32 $h1, $b; mov.b32 $d, {$h0, $h1}"},
	{op.Unpack4xI8, words, "bfe.s32 $d0, $a, 0, 8; bfe.s32 $d1, $a, 8, 8; bfe.s32 $d2, $a, 16, 8; shr.s32 $d3, $a, 24"},
	{op.Unpack4xU8, words, "and.b32 $d0, $a, 255; bfe.u32 $d1, $a, 8, 8; bfe.u32 $d2, $a, 16, 8; shr.u32 $d3, $a, 24"},
	{op.Unpack2x16Float, words, "mov.b32 {$h0, $h1}, $a; cvt.f32.f16 $d0, $h0; cvt.f32.f16 $d1, $h1"},
}

// strictRows replace templates where every device must round alike, and nothing is
// flushed.
var strictRows = []templateRow{
	{op.Div, singles, "div.rn.f32 $d, $a, $b"},
	{op.Sqrt, singles, "sqrt.rn.f32 $d, $a"},
	{op.InverseSqrt, singles, "sqrt.rn.f32 $r0, $a; rcp.rn.f32 $d, $r0"},
	{op.Sin, singles, "sin.approx.f32 $d, $a"},
	{op.Cos, singles, "cos.approx.f32 $d, $a"},
	{op.Exp2, singles, "ex2.approx.f32 $d, $a"},
	{op.Log2, singles, "lg2.approx.f32 $d, $a"},
	// of a zero and of a NaN the number itself
	{op.Sign, singles, "setp.gt.f32 $p0, $a, 0f00000000; selp.f32 $r0, 0f3F800000, $a, $p0;" +
		"setp.lt.f32 $p1, $a, 0f00000000; selp.f32 $d, 0fBF800000, $r0, $p1"},
	// in f32, of which a NaN and a zero's sign are what they should be
	{op.Min, halves, ""},
	{op.Max, halves, ""},
}

// remainder is x - y·trunc(x/y) with the product exact, corrected by one |y|
// where the approximate quotient was off by one: -0 ≤ r·sign(x) < |y|. Its quotient
// is one of all divisors.
const remainder = "div.full.f32 $r0, $a, $b; cvt.rzi.f32.f32 $r0, $r0; neg.f32 $r0, $r0; fma.rn.f32 $r1, $r0, $b, $a;" +
	"abs.f32 $r2, $b; and.b32 $r3, #a, 0x80000000; or.b32 $r4, $r2, $r3; xor.b32 $r5, $r1, $r3;" +
	"setp.lt.f32 $p0, $r5, 0f00000000; add.rn.f32 $r6, $r1, $r4; selp.f32 $r1, $r6, $r1, $p0;" +
	"abs.f32 $r7, $r1; setp.ge.f32 $p1, $r7, $r2; sub.rn.f32 $r6, $r1, $r4; selp.f32 $r1, $r6, $r1, $p1;" +
	"copysign.f32 $d, $a, $r1"

// joinBytes gathers the low bytes of $r0 to $r3.
const joinBytes = "prmt.b32 $r4, $r0, $r1, 0x40; prmt.b32 $r5, $r2, $r3, 0x40; prmt.b32 $d, $r4, $r5, 0x5410"

func clamped(x, n, kind, low, high string) string {
	return "max." + kind + " $r" + n + ", $" + x + ", " + low + "; min." + kind + " $r" + n + ", $r" + n + ", " + high + "; "
}

// snorm and unorm are ⌊½ + scale·clamp(x)⌋. The sum is rounded down, so that it
// never reaches an integer that it does not have.
func snorm(x, n, scale string) string {
	return clamped(x, n, "f32", "0fBF800000", "0f3F800000") + "fma.rm.f32 $r" + n + ", $r" + n + ", " + scale +
		", 0f3F000000; cvt.rmi.s32.f32 $r" + n + ", $r" + n + "; "
}

func unorm(x, n, scale string) string {
	return clamped(x, n, "f32", "0f00000000", "0f3F800000") + "fma.rm.f32 $r" + n + ", $r" + n + ", " + scale +
		", 0f3F000000; cvt.rmi.s32.f32 $r" + n + ", $r" + n + "; "
}

func snorm8(x, n string) string { return snorm(x, n, "0f42FE0000") }
func unorm8(x, n string) string { return unorm(x, n, "0f437F0000") }

// unpackUnsigned and unpackSigned make component n of a packed word: an integer
// field of the width in bits at the offset, times the reciprocal of its highest
// value. The lowest signed integer, which would be below -1, is held there.
func unpackUnsigned(n, offset, width, reciprocal string) string {
	return "bfe.u32 $r" + n + ", $a, " + offset + ", " + width + "; cvt.rn.f32.u32 $r" + n + ", $r" + n +
		"; mul.rn.f32 $d" + n + ", $r" + n + ", " + reciprocal + "; "
}

func unpackSigned(n, offset, width, reciprocal string) string {
	return "bfe.s32 $r" + n + ", $a, " + offset + ", " + width + "; cvt.rn.f32.s32 $r" + n + ", $r" + n +
		"; mul.rn.f32 $r" + n + ", $r" + n + ", " + reciprocal + "; max.f32 $d" + n + ", $r" + n + ", 0fBF800000; "
}

// packingRows are those of wgslRows whose text the functions above put together.
func packingRows() []templateRow {
	return []templateRow{
		{op.Pack4x8Snorm, singles, snorm8("a", "0") + snorm8("b", "1") + snorm8("c", "2") + snorm8("e", "3") + joinBytes},
		{op.Pack4x8Unorm, singles, unorm8("a", "0") + unorm8("b", "1") + unorm8("c", "2") + unorm8("e", "3") + joinBytes},
		{op.Pack4xI8Clamp, words, clamped("a", "0", "s32", "-128", "127") + clamped("b", "1", "s32", "-128", "127") +
			clamped("c", "2", "s32", "-128", "127") + clamped("e", "3", "s32", "-128", "127") + joinBytes},
		{op.Pack2x16Snorm, singles, snorm("a", "0", "0f46FFFE00") + snorm("b", "1", "0f46FFFE00") + "prmt.b32 $d, $r0, $r1, 0x5410"},
		{op.Pack2x16Unorm, singles, unorm("a", "0", "0f477FFF00") + unorm("b", "1", "0f477FFF00") + "prmt.b32 $d, $r0, $r1, 0x5410"},
		{op.Unpack4x8Snorm, words, unpackSigned("0", "0", "8", "0f3C010204") + unpackSigned("1", "8", "8", "0f3C010204") +
			unpackSigned("2", "16", "8", "0f3C010204") + unpackSigned("3", "24", "8", "0f3C010204")},
		{op.Unpack4x8Unorm, words, unpackUnsigned("0", "0", "8", "0f3B808081") + unpackUnsigned("1", "8", "8", "0f3B808081") +
			unpackUnsigned("2", "16", "8", "0f3B808081") + unpackUnsigned("3", "24", "8", "0f3B808081")},
		{op.Unpack2x16Snorm, words, unpackSigned("0", "0", "16", "0f38000100") + unpackSigned("1", "16", "16", "0f38000100")},
		{op.Unpack2x16Unorm, words, unpackUnsigned("0", "0", "16", "0f37800080") + unpackUnsigned("1", "16", "16", "0f37800080")},
	}
}

// forms are the templates of one mode by operation and kind.
type forms [op.Count][scalar.Count]string

// workaroundRows are the templates of workarounds.
var workaroundRows = []struct {
	id   workaround.ID
	rows []templateRow
}{
	{workaround.PTXASSubType, []templateRow{
		{op.Sub, 1 << scalar.I32, "sub.u32 $d, $a, $b"},
		{op.Sub, 1 << scalar.U32, "sub.s32 $d, $a, $b"}}},
	{workaround.PTXASAbs, []templateRow{
		{op.Abs, 1 << scalar.I32, "shl.b32 $t0, $a, 1; sub.s32 $t0, $a, $t0; max.s32 $d, $t0, $a"},
		{op.Abs, 1 << scalar.I64, "sub.s64 $t0, 0, $a; max.s64 $d, $t0, $a"}}},
	{workaround.PTXASAbsF16, []templateRow{
		{op.Abs, halves, "mov.b32 $r0, {$a, $a}; and.b32 $r0, $r0, 0x7FFF7FFF; mov.b32 {$d, $t0}, $r0"}}},
	{workaround.PTXASNot, []templateRow{
		{op.Not, words, "sub.s32 $d, -1, $a"},
		{op.Not, longs, "sub.s64 $d, -1, $a"}}},
}

// formsKey says which templates a kernel is written with.
type formsKey struct {
	strict      bool
	workarounds workaround.Set
}

// madeForms has the forms that were asked for, by formsKey.
var madeForms sync.Map

// formsOf returns the templates of a floating-point mode with workarounds. They are made when a
// kernel is first compiled so.
func formsOf(m opt.Math, set workaround.Set) *forms {
	key := formsKey{m == opt.MathStrict, 0}
	for _, w := range workaroundRows {
		key.workarounds |= set & workaround.Of(w.id)
	}
	if f, ok := madeForms.Load(key); ok {
		return f.(*forms)
	}
	f, _ := madeForms.LoadOrStore(key, makeForms(key))
	return f.(*forms)
}

func makeForms(key formsKey) *forms {
	all := new(forms)
	lists := [][]templateRow{wgslRows, packingRows()}
	for _, w := range workaroundRows {
		if key.workarounds.Has(w.id) {
			lists = append(lists, w.rows)
		}
	}
	if key.strict {
		lists = append(lists, strictRows)
	}
	for _, rows := range lists {
		for _, r := range rows {
			for k := range scalar.Count {
				if r.on>>k&1 == 1 {
					all[r.o][k] = strings.TrimRight(r.text, "; ")
				}
			}
		}
	}
	return all
}

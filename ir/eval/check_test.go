package eval_test

import (
	"math"
	"testing"

	"github.com/gpuc/gpuc/ir/eval"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// operand returns the storage of an operand of Check: counts, amounts and exponents have other
// kinds.
func operand(o op.Op, k scalar.Kind, i int, x float64) uint64 {
	kind := op.SignatureOf(o).Operands[i].Kind
	if kind == scalar.None {
		kind = k
	} else if k == scalar.AbstractFloat {
		kind = scalar.AbstractInt
	}
	return value(kind, x)
}

// TestCheckFindsWhatWGSLRejects has each error of const-evaluation beside its nearest neighbour
// that is none.
func TestCheckFindsWhatWGSLRejects(t *testing.T) {
	const (
		abstractInt, abstractFloat = scalar.AbstractInt, scalar.AbstractFloat
		i32, u32, f32, f16         = scalar.I32, scalar.U32, scalar.F32, scalar.F16
		greatest                   = math.MaxFloat32
	)
	for _, row := range []struct {
		o          op.Op
		k          scalar.Kind
		a, b, c, d float64
		want       eval.Problem
	}{
		// concrete integers wrap (§6.2.3)
		{o: op.Add, k: i32, a: highest32, b: 1, want: eval.OK},
		{o: op.Add, k: u32, a: maxUnsigned, b: 1, want: eval.OK},
		{o: op.Sub, k: u32, a: 0, b: 1, want: eval.OK},
		{o: op.Mul, k: i32, a: lowest32, b: -1, want: eval.OK},
		{o: op.Neg, k: i32, a: lowest32, want: eval.OK},
		{o: op.Abs, k: i32, a: lowest32, want: eval.OK},
		// abstract ones do not
		{o: op.Add, k: abstractInt, a: 0x1p62, b: 0x1p62, want: eval.Overflow},
		{o: op.Add, k: abstractInt, a: 0x1p62, b: 0x1p61, want: eval.OK},
		{o: op.Add, k: abstractInt, a: lowest64, b: -1, want: eval.Overflow},
		{o: op.Sub, k: abstractInt, a: lowest64, b: 1, want: eval.Overflow},
		{o: op.Sub, k: abstractInt, a: lowest64, b: -1, want: eval.OK},
		{o: op.Sub, k: abstractInt, a: 0, b: lowest64, want: eval.Overflow},
		{o: op.Mul, k: abstractInt, a: 0x1p32, b: 0x1p31, want: eval.Overflow},
		{o: op.Mul, k: abstractInt, a: 0x1p32, b: -0x1p31, want: eval.OK},
		{o: op.Mul, k: abstractInt, a: lowest64, b: -1, want: eval.Overflow},
		{o: op.Mul, k: abstractInt, a: -1, b: lowest64, want: eval.Overflow},
		{o: op.Mul, k: abstractInt, a: lowest64, b: 1, want: eval.OK},
		{o: op.Neg, k: abstractInt, a: lowest64, want: eval.OK},
		{o: op.Abs, k: abstractInt, a: lowest64, want: eval.OK},
		// division (§8.7)
		{o: op.Div, k: i32, a: 42, b: 0, want: eval.DivideByZero},
		{o: op.Div, k: u32, a: 42, b: 0, want: eval.DivideByZero},
		{o: op.Div, k: abstractInt, a: 42, b: 0, want: eval.DivideByZero},
		{o: op.Div, k: f32, a: 42, b: 0, want: eval.DivideByZero},
		{o: op.Div, k: abstractFloat, a: 42, b: negZero, want: eval.DivideByZero},
		{o: op.Div, k: i32, a: 0, b: 42, want: eval.OK},
		{o: op.Div, k: i32, a: lowest32, b: -1, want: eval.Overflow},
		{o: op.Div, k: i32, a: lowest32 + 1, b: -1, want: eval.OK},
		{o: op.Div, k: abstractInt, a: lowest64, b: -1, want: eval.Overflow},
		{o: op.Div, k: u32, a: 0x80000000, b: maxUnsigned, want: eval.OK},
		{o: op.Rem, k: i32, a: 42, b: 0, want: eval.DivideByZero},
		{o: op.Rem, k: f16, a: 42, b: 0, want: eval.DivideByZero},
		{o: op.Rem, k: i32, a: lowest32, b: -1, want: eval.Overflow},
		{o: op.Rem, k: i32, a: lowest32, b: 1, want: eval.OK},
		// shifts (§8.9)
		{o: op.Shl, k: u32, a: 0, b: 31, want: eval.OK},
		{o: op.Shl, k: u32, a: 0, b: 32, want: eval.ShiftTooLarge},
		{o: op.Shl, k: i32, a: 0, b: maxUnsigned, want: eval.ShiftTooLarge},
		{o: op.Shl, k: u32, a: 1, b: 31, want: eval.OK},
		{o: op.Shl, k: u32, a: 3, b: 31, want: eval.Overflow},
		{o: op.Shl, k: i32, a: 1, b: 30, want: eval.OK},
		{o: op.Shl, k: i32, a: 1, b: 31, want: eval.Overflow},
		{o: op.Shl, k: i32, a: -1, b: 31, want: eval.OK},
		{o: op.Shl, k: i32, a: lowest32, b: 1, want: eval.Overflow},
		{o: op.Shl, k: abstractInt, a: 1, b: 62, want: eval.OK},
		{o: op.Shl, k: abstractInt, a: 1, b: 63, want: eval.Overflow},
		{o: op.Shl, k: abstractInt, a: -1, b: 63, want: eval.OK},
		{o: op.Shl, k: abstractInt, a: -1, b: 64, want: eval.Overflow},
		{o: op.Shl, k: abstractInt, a: 0, b: 65, want: eval.OK},
		{o: op.Shr, k: u32, a: 1, b: 31, want: eval.OK},
		{o: op.Shr, k: u32, a: 1, b: 32, want: eval.ShiftTooLarge},
		{o: op.Shr, k: abstractInt, a: 1, b: 64, want: eval.OK},
		// bit fields, clamp, ldexp (§17.5)
		{o: op.ExtractBits, k: i32, a: 1, b: 16, c: 16, want: eval.OK},
		{o: op.ExtractBits, k: i32, a: 1, b: 16, c: 17, want: eval.FieldTooWide},
		{o: op.ExtractBits, k: u32, a: 1, b: maxUnsigned, c: maxUnsigned, want: eval.FieldTooWide},
		{o: op.InsertBits, k: u32, a: 1, b: 1, c: 32, d: 0, want: eval.OK},
		{o: op.InsertBits, k: u32, a: 1, b: 1, c: 33, d: 0, want: eval.FieldTooWide},
		{o: op.Clamp, k: i32, a: 0, b: 1, c: 1, want: eval.OK},
		{o: op.Clamp, k: i32, a: 0, b: 1, c: 0, want: eval.EmptyRange},
		{o: op.Clamp, k: i32, a: 0, b: -1, c: 0, want: eval.OK},
		{o: op.Clamp, k: f32, a: 0, b: 1, c: 0.5, want: eval.EmptyRange},
		{o: op.Ldexp, k: f32, a: 0, b: 128, want: eval.OK},
		{o: op.Ldexp, k: f32, a: 0, b: 129, want: eval.ExponentTooLarge},
		{o: op.Ldexp, k: f32, a: 0.5, b: 128, want: eval.OK},
		{o: op.Ldexp, k: f32, a: 1, b: 128, want: eval.Overflow},
		{o: op.Ldexp, k: f32, a: 1, b: lowest32, want: eval.OK},
		{o: op.Ldexp, k: f16, a: 0, b: 17, want: eval.ExponentTooLarge},
		{o: op.Ldexp, k: abstractFloat, a: 0.5, b: 1024, want: eval.OK},
		{o: op.Ldexp, k: abstractFloat, a: 0.5, b: 1025, want: eval.ExponentTooLarge},
		// results that are not finite (§15.7.3)
		{o: op.Add, k: f32, a: greatest / 2, b: greatest / 2, want: eval.OK},
		{o: op.Add, k: f32, a: greatest, b: greatest, want: eval.Overflow},
		{o: op.Sub, k: f16, a: -65504, b: 65504, want: eval.Overflow},
		{o: op.Mul, k: f16, a: 255, b: 255, want: eval.OK},
		{o: op.Mul, k: f16, a: 257, b: 257, want: eval.Overflow},
		{o: op.Mul, k: abstractFloat, a: 1e200, b: 1e200, want: eval.Overflow},
		{o: op.Div, k: f32, a: 1e30, b: 1e-30, want: eval.Overflow},
		{o: op.Fma, k: f32, a: greatest, b: 2, c: -greatest, want: eval.OK},
		{o: op.Fma, k: f32, a: greatest, b: 2, c: 0, want: eval.Overflow},
		{o: op.Exp, k: f32, a: 88, want: eval.OK},
		{o: op.Exp, k: f32, a: 89, want: eval.Overflow},
		{o: op.Exp2, k: f16, a: 15, want: eval.OK},
		{o: op.Exp2, k: f16, a: 16, want: eval.Overflow},
		{o: op.Sinh, k: f32, a: 100, want: eval.Overflow},
		{o: op.Cosh, k: abstractFloat, a: 100, want: eval.OK},
		{o: op.Add, k: f32, a: infinity, b: 1, want: eval.NotFinite},
		{o: op.Eq, k: f32, a: notANum, b: 1, want: eval.NotFinite},
		// domains (§15.7.7)
		{o: op.Sqrt, k: f32, a: 0, want: eval.OK},
		{o: op.Sqrt, k: f32, a: -1, want: eval.OutOfDomain},
		{o: op.InverseSqrt, k: f32, a: 0x1p-149, want: eval.OK},
		{o: op.InverseSqrt, k: f32, a: 0, want: eval.OutOfDomain},
		{o: op.Log, k: f32, a: 0x1p-149, want: eval.OK},
		{o: op.Log, k: f32, a: 0, want: eval.OutOfDomain},
		{o: op.Log2, k: abstractFloat, a: -1, want: eval.OutOfDomain},
		{o: op.Log2, k: abstractFloat, a: 1, want: eval.OK},
		{o: op.Asin, k: f32, a: -1, want: eval.OK},
		{o: op.Asin, k: f32, a: -1.0000001192092896, want: eval.OutOfDomain},
		{o: op.Acos, k: f32, a: 1, want: eval.OK},
		{o: op.Acos, k: f32, a: 2, want: eval.OutOfDomain},
		{o: op.Acosh, k: f16, a: 1, want: eval.OK},
		{o: op.Acosh, k: f16, a: 0.5, want: eval.OutOfDomain},
		{o: op.Atanh, k: f32, a: 0.5, want: eval.OK},
		{o: op.Atanh, k: f32, a: 1, want: eval.OutOfDomain},
		{o: op.Atanh, k: f32, a: -1, want: eval.OutOfDomain},
		{o: op.Pow, k: f32, a: 0, b: 1, want: eval.OK},
		{o: op.Pow, k: f32, a: 0, b: 0, want: eval.OutOfDomain},
		{o: op.Pow, k: f32, a: 0, b: -1, want: eval.OutOfDomain},
		{o: op.Pow, k: f32, a: -1, b: 2, want: eval.OutOfDomain},
		{o: op.Pow, k: f32, a: 10, b: 39, want: eval.Overflow},
		{o: op.Atan2, k: f32, a: 0, b: 0, want: eval.OK},
		{o: op.QuantizeF16, k: f32, a: 65504, want: eval.OK},
		{o: op.QuantizeF16, k: f32, a: 65505, want: eval.OutOfRange},
		// never an error
		{o: op.FrexpExponent, k: f32, a: greatest, want: eval.OK},
		{o: op.Sign, k: f32, a: -greatest, want: eval.OK},
	} {
		var stored [4]uint64
		for i, x := range []float64{row.a, row.b, row.c, row.d} {
			stored[i] = operand(row.o, row.k, i, x)
		}
		got, problem := eval.Check(row.o, row.k, stored[0], stored[1], stored[2], stored[3])
		if problem != row.want {
			t.Errorf("%s.%s(%v, %v, %v, %v): %v, want %v", row.o, row.k, row.a, row.b, row.c, row.d, problem, row.want)
			continue
		}
		abstractShift := row.k == abstractInt && row.b > 63
		if want := eval.For(row.o, row.k)(stored[0], stored[1], stored[2], stored[3]); problem == eval.OK && got != want && !abstractShift {
			t.Errorf("%s.%s: the checked result is %#x, the total one %#x", row.o, row.k, got, want)
		}
	}
}

// TestAbstractShiftsByMoreThanTheWidth: an abstract shift does not take its amount modulo 64.
func TestAbstractShiftsByMoreThanTheWidth(t *testing.T) {
	for _, row := range []struct {
		o    op.Op
		a    int64
		n    uint64
		want int64
	}{
		{op.Shr, 1, 64, 0},
		{op.Shr, -1, 64, -1},
		{op.Shr, math.MaxInt64, 1000, 0},
		{op.Shl, 0, 64, 0},
		{op.Shl, 0xFFFFF0000, 4, 0xFFFFF00000},
	} {
		got, problem := eval.Check(row.o, scalar.AbstractInt, uint64(row.a), row.n, 0, 0)
		if problem != eval.OK || int64(got) != row.want {
			t.Errorf("%s(%d, %d) = %d, %v; want %d", row.o, row.a, row.n, int64(got), problem, row.want)
		}
	}
}

// TestCheckKnown: some rules hold although an operand is a runtime value, here 0 in a row but not
// known.
func TestCheckKnown(t *testing.T) {
	for _, row := range []struct {
		o          op.Op
		k          scalar.Kind
		known      eval.Known
		a, b, c, d uint64
		want       eval.Problem
	}{
		{o: op.Div, k: scalar.I32, known: eval.KnownB, want: eval.DivideByZero},
		{o: op.Div, k: scalar.I32, known: eval.KnownA, a: 42, want: eval.OK},
		{o: op.Div, k: scalar.F32, known: eval.KnownB, want: eval.OK},
		{o: op.Rem, k: scalar.U32, known: eval.KnownB, want: eval.DivideByZero},
		{o: op.Shl, k: scalar.I32, known: eval.KnownB, b: 32, want: eval.ShiftTooLarge},
		{o: op.Shl, k: scalar.I32, known: eval.KnownA, b: 32, want: eval.OK},
		{o: op.Shr, k: scalar.U32, known: eval.KnownB, b: 31, want: eval.OK},
		{o: op.Clamp, k: scalar.U32, known: eval.KnownB | eval.KnownC, b: 1, want: eval.EmptyRange},
		{o: op.Clamp, k: scalar.U32, known: eval.KnownA | eval.KnownB, b: 1, want: eval.OK},
		{o: op.ExtractBits, k: scalar.U32, known: eval.KnownB | eval.KnownC, b: 30, c: 3, want: eval.FieldTooWide},
		{o: op.ExtractBits, k: scalar.U32, known: eval.KnownC, c: 33, want: eval.OK},
		{o: op.InsertBits, k: scalar.U32, known: eval.KnownC | eval.KnownD, c: 30, d: 3, want: eval.FieldTooWide},
		{o: op.Ldexp, k: scalar.F32, known: eval.KnownB, b: 129, want: eval.ExponentTooLarge},
		{o: op.Ldexp, k: scalar.F32, known: eval.KnownB, b: 128, want: eval.OK},
		{o: op.Add, k: scalar.I32, known: eval.KnownA, want: eval.OK},
	} {
		if got := eval.CheckKnown(row.o, row.k, row.known, row.a, row.b, row.c, row.d); got != row.want {
			t.Errorf("%s.%s, known %04b: %v, want %v", row.o, row.k, row.known, got, row.want)
		}
	}
}

func TestCheckConvert(t *testing.T) {
	double := math.Float64bits
	for _, row := range []struct {
		to, from scalar.Kind
		in       uint64
		want     uint64
		problem  eval.Problem
	}{
		{to: scalar.I32, from: scalar.AbstractInt, in: 1<<31 - 1, want: highest32},
		{to: scalar.I32, from: scalar.AbstractInt, in: 1 << 31, problem: eval.OutOfRange},
		{to: scalar.I32, from: scalar.AbstractInt, in: ^uint64(1<<31 - 1), want: 1 << 31},
		{to: scalar.I32, from: scalar.AbstractInt, in: ^uint64(1 << 31), problem: eval.OutOfRange},
		{to: scalar.U32, from: scalar.AbstractInt, in: maxUnsigned, want: maxUnsigned},
		{to: scalar.U32, from: scalar.AbstractInt, in: 1 << 32, problem: eval.OutOfRange},
		{to: scalar.U32, from: scalar.AbstractInt, in: math.MaxUint64, problem: eval.OutOfRange},
		{to: scalar.U64, from: scalar.AbstractInt, in: math.MaxUint64, problem: eval.OutOfRange},
		{to: scalar.I64, from: scalar.AbstractInt, in: math.MaxUint64, want: math.MaxUint64},
		{to: scalar.F32, from: scalar.AbstractInt, in: highest64, want: value(scalar.F32, 0x1p63)},
		{to: scalar.F16, from: scalar.AbstractInt, in: 65504, want: 0x7BFF},
		{to: scalar.F16, from: scalar.AbstractInt, in: 65505, problem: eval.OutOfRange},
		{to: scalar.F16, from: scalar.U32, in: 65505, problem: eval.OutOfRange},
		{to: scalar.F16, from: scalar.I32, in: scalar.FromInt64(scalar.I32, -65504), want: 0xFBFF},
		{to: scalar.F16, from: scalar.I32, in: scalar.FromInt64(scalar.I32, -65505), problem: eval.OutOfRange},
		{to: scalar.F32, from: scalar.AbstractFloat, in: double(math.MaxFloat32), want: 0x7F7FFFFF},
		{to: scalar.F32, from: scalar.AbstractFloat, in: double(3.4028235e38), problem: eval.OutOfRange},
		{to: scalar.F32, from: scalar.AbstractFloat, in: double(1e-60), want: 0},
		{to: scalar.F16, from: scalar.F32, in: value(scalar.F32, 65505), problem: eval.OutOfRange},
		{to: scalar.F16, from: scalar.F32, in: value(scalar.F32, -65504), want: 0xFBFF},
		{to: scalar.F32, from: scalar.F32, in: 0x7F800000, problem: eval.NotFinite},
		{to: scalar.I32, from: scalar.F32, in: 0x7FC00000, problem: eval.NotFinite},
		{to: scalar.I32, from: scalar.AbstractFloat, in: double(1.5), want: 1},
		{to: scalar.I32, from: scalar.AbstractFloat, in: double(1e20), want: highest32},
		{to: scalar.U32, from: scalar.F32, in: value(scalar.F32, -1), want: 0},
		{to: scalar.U32, from: scalar.I32, in: maxUnsigned, want: maxUnsigned},
		{to: scalar.Bool, from: scalar.AbstractInt, in: 1 << 40, want: 1},
	} {
		got, problem := eval.CheckConvert(row.to, row.from, row.in)
		if problem != row.problem || problem == eval.OK && got != row.want {
			t.Errorf("%s(%s %#x) = %#x, %v; want %#x, %v", row.to, row.from, row.in, got, problem, row.want, row.problem)
		}
	}
}

func TestCheckOfVectors(t *testing.T) {
	vector := func(k scalar.Kind, numbers ...float64) (stored []uint64) {
		for _, x := range numbers {
			stored = append(stored, value(k, x))
		}
		return stored
	}
	half := float64(math.MaxFloat32 / 2)
	for _, row := range []struct {
		k    scalar.Kind
		a, b []float64
		want eval.Problem
	}{
		{scalar.F32, []float64{half, half}, []float64{1, 1}, eval.OK},
		// a partial sum
		{scalar.F32, []float64{half, half, -half, -half}, []float64{1, 2, 1, 1}, eval.Overflow},
		{scalar.F32, []float64{1, half}, []float64{1, 4}, eval.Overflow},
		{scalar.I32, []float64{highest32, highest32}, []float64{2, 2}, eval.OK},
		{scalar.AbstractInt, []float64{0x1p62, 0x1p62}, []float64{1, 1}, eval.Overflow},
		{scalar.AbstractInt, []float64{0x1p62, -0x1p62}, []float64{1, 1}, eval.OK},
	} {
		if _, got := eval.CheckDot(row.k, vector(row.k, row.a...), vector(row.k, row.b...)); got != row.want {
			t.Errorf("dot.%s(%v, %v): %v, want %v", row.k, row.a, row.b, got, row.want)
		}
	}
	for _, row := range []struct {
		o    op.Op
		in   []float64
		want eval.Problem
	}{
		{op.Pack2x16Float, []float64{65504, -65504}, eval.OK},
		{op.Pack2x16Float, []float64{0, 65505}, eval.OutOfRange},
		{op.Pack2x16Float, []float64{-65505, 0}, eval.OutOfRange},
		{op.Pack2x16Snorm, []float64{1e30, -1e30}, eval.OK},
		{op.Pack2x16Snorm, []float64{notANum, 0}, eval.NotFinite},
	} {
		if _, got := eval.CheckPack(row.o, vector(scalar.F32, row.in...)); got != row.want {
			t.Errorf("%s(%v): %v, want %v", row.o, row.in, got, row.want)
		}
	}
	out := make([]uint64, 2)
	if got := eval.CheckUnpack(op.Unpack2x16Float, 0x7C003C00, out); got != eval.NotFinite {
		t.Errorf("unpack2x16_float of an infinity: %v", got)
	}
	if got := eval.CheckUnpack(op.Unpack2x16Float, 0x7BFF3C00, out); got != eval.OK || out[1] != value(scalar.F32, 65504) {
		t.Errorf("unpack2x16_float of finite halves: %v, %#x", got, out[1])
	}
	if got := eval.CheckFinite(scalar.F16, 0x7C01); got != eval.NotFinite {
		t.Errorf("the f16 pattern of a NaN: %v", got)
	}
	if got := eval.CheckFinite(scalar.U32, 0x7F800000); got != eval.OK {
		t.Errorf("a u32 with the bits of an infinity: %v", got)
	}
}

func TestProblemsReadAsPredicates(t *testing.T) {
	for _, row := range []struct {
		p    eval.Problem
		k    scalar.Kind
		want string
	}{
		{eval.Overflow, scalar.I32, "overflows i32"},
		{eval.DivideByZero, scalar.F32, "divides by zero"},
		{eval.OutOfRange, scalar.F16, "is out of range of f16"},
		{eval.ShiftTooLarge, scalar.U32, "shifts by at least the width of u32"},
	} {
		if got := row.p.For(row.k); got != row.want {
			t.Errorf("%q, want %q", got, row.want)
		}
	}
	for p := eval.OK; p <= eval.ExponentTooLarge; p++ {
		if p.String() == "" {
			t.Errorf("problem %d has no text", p)
		}
	}
	if got := eval.Overflow.String(); got != "overflows its type" {
		t.Errorf("%q", got)
	}
}

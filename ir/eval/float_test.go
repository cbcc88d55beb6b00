package eval_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/gpuc/gpuc/ir/eval"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

var floatKinds = []scalar.Kind{scalar.F32, scalar.F16, scalar.AbstractFloat}

var (
	infinity = math.Inf(1)
	notANum  = math.NaN()
	negZero  = math.Copysign(0, -1)
)

// TestFloatFacts: the same facts hold for every float kind.
func TestFloatFacts(t *testing.T) {
	for _, row := range []struct {
		o       op.Op
		a, b, c float64
		want    float64
	}{
		{op.Neg, 0, 0, 0, negZero},
		{op.Abs, negZero, 0, 0, 0},
		{op.Add, 1.5, 2.25, 0, 3.75},
		{op.Add, infinity, -infinity, 0, notANum},
		{op.Sub, 1, 1, 0, 0},
		{op.Mul, -3, 0, 0, negZero},
		{op.Div, 1, 0, 0, infinity},
		{op.Div, 1, negZero, 0, -infinity},
		{op.Div, 0, 0, 0, notANum},
		{op.Rem, 5.5, 2, 0, 1.5},
		{op.Rem, -5.5, 2, 0, -1.5},
		{op.Rem, -4, 2, 0, negZero},
		{op.Rem, 1, 0, 0, notANum},
		{op.Rem, 1, infinity, 0, 1},
		{op.Rem, 60000, 0.125, 0, 0}, // a quotient that f16 does not hold
		{op.Min, 1, 2, 0, 1},
		{op.Min, notANum, 2, 0, 2},
		{op.Min, 2, notANum, 0, 2},
		{op.Min, notANum, notANum, 0, notANum},
		{op.Min, 0, negZero, 0, negZero},
		{op.Max, 1, 2, 0, 2},
		{op.Max, notANum, -2, 0, -2},
		{op.Max, negZero, 0, 0, 0},
		{op.Clamp, 5, 0, 1, 1},
		{op.Clamp, -5, 0, 1, 0},
		{op.Clamp, 0.5, 0, 1, 0.5},
		{op.Clamp, 0.5, 2, 1, 1}, // min(max(x, 2), 1)
		{op.Clamp, notANum, 0, 1, 0},
		{op.Sign, -7, 0, 0, -1},
		{op.Sign, 0.25, 0, 0, 1},
		{op.Sign, negZero, 0, 0, negZero},
		{op.Sign, notANum, 0, 0, notANum},
		{op.Fma, 2, 3, 4, 10},
		{op.Fma, 1, -1, 1, 0},
		{op.Fma, infinity, 0, 1, notANum},
		{op.Floor, -0.5, 0, 0, -1},
		{op.Ceil, -0.5, 0, 0, negZero},
		{op.Trunc, -1.75, 0, 0, -1},
		{op.Round, 2.5, 0, 0, 2},
		{op.Round, 3.5, 0, 0, 4},
		{op.Round, -0.5, 0, 0, negZero},
		{op.Fract, -1.25, 0, 0, 0.75},
		{op.Fract, infinity, 0, 0, notANum},
		{op.Sqrt, 2.25, 0, 0, 1.5},
		{op.Sqrt, -1, 0, 0, notANum},
		{op.InverseSqrt, 4, 0, 0, 0.5},
		{op.InverseSqrt, 0, 0, 0, infinity},
		{op.Exp, 0, 0, 0, 1},
		{op.Exp2, 10, 0, 0, 1024},
		{op.Exp2, -3, 0, 0, 0.125},
		{op.Log, 1, 0, 0, 0},
		{op.Log, 0, 0, 0, -infinity},
		{op.Log2, 8, 0, 0, 3},
		{op.Pow, 3, 4, 0, 81},
		{op.Pow, -2, 2, 0, notANum},
		{op.Sin, 0, 0, 0, 0},
		{op.Cos, 0, 0, 0, 1},
		{op.Tan, 0, 0, 0, 0},
		{op.Asin, 2, 0, 0, notANum},
		{op.Acos, 1, 0, 0, 0},
		{op.Atan2, 0, 1, 0, 0},
		{op.Acosh, 1, 0, 0, 0},
		{op.Acosh, 0.5, 0, 0, notANum},
		{op.Atanh, 1, 0, 0, infinity},
		{op.Sinh, 0, 0, 0, 0},
		{op.Cosh, 0, 0, 0, 1},
		{op.Tanh, infinity, 0, 0, 1},
		{op.Asinh, 0, 0, 0, 0},
		{op.FrexpSignificand, 12, 0, 0, 0.75},
		{op.FrexpSignificand, -0.25, 0, 0, -0.5},
		{op.FrexpSignificand, 0, 0, 0, 0},
	} {
		for _, k := range floatKinds {
			got := eval.For(row.o, k)(value(k, row.a), value(k, row.b), value(k, row.c), 0)
			want := value(k, row.want)
			if row.want != row.want {
				want = quietNaN(k)
			}
			if got != want {
				t.Errorf("%s.%s(%v, %v, %v) = %v, want %v", row.o, k, row.a, row.b, row.c, scalar.ToFloat64(k, got), row.want)
			}
		}
	}
}

func quietNaN(k scalar.Kind) uint64 {
	return map[scalar.Kind]uint64{scalar.F16: 0x7E00, scalar.F32: 0x7FC00000, scalar.AbstractFloat: 0x7FF8 << 48}[k]
}

// TestFunctionValues: the functions that are not exact are near a value that is known otherwise.
func TestFunctionValues(t *testing.T) {
	for _, row := range []struct {
		o    op.Op
		a, b float64
		want float64
	}{
		{op.Sin, 1, 0, 0.8414709848078965066525},
		{op.Cos, 1, 0, 0.5403023058681397174009},
		{op.Tan, 1, 0, 1.5574077246549022305069},
		{op.Asin, 0.5, 0, math.Pi / 6},
		{op.Acos, 0.5, 0, math.Pi / 3},
		{op.Atan, 1, 0, math.Pi / 4},
		{op.Atan2, 1, -1, 3 * math.Pi / 4},
		{op.Atan2, -1, -1, -3 * math.Pi / 4},
		{op.Sinh, 1, 0, 1.1752011936438014568824},
		{op.Cosh, 1, 0, 1.5430806348152437784779},
		{op.Tanh, 1, 0, 0.7615941559557648881195},
		{op.Asinh, 1, 0, 0.8813735870195430252326},
		{op.Acosh, 2, 0, 1.3169578969248167086250},
		{op.Atanh, 0.5, 0, 0.5493061443340548456976},
		{op.Exp, 1, 0, math.E},
		{op.Exp2, 0.5, 0, math.Sqrt2},
		{op.Log, 10, 0, math.Ln10},
		{op.Log2, 10, 0, 3.3219280948873623478703},
		{op.Pow, 2, 0.5, math.Sqrt2},
		{op.InverseSqrt, 2, 0, 1 / math.Sqrt2},
	} {
		for k, unit := range map[scalar.Kind]float64{scalar.F16: 0x1p-10, scalar.F32: 0x1p-23, scalar.AbstractFloat: 0x1p-50} {
			got := scalar.ToFloat64(k, eval.For(row.o, k)(value(k, row.a), value(k, row.b), 0, 0))
			if math.Abs(got-row.want) > unit*math.Abs(row.want) {
				t.Errorf("%s.%s(%v, %v) = %v, want %v", row.o, k, row.a, row.b, got, row.want)
			}
		}
	}
}

// rounded returns a rational rounded to nearest even by a path that shares
// nothing with the evaluator: math/big for f32 and float64, a search for f16.
func rounded(k scalar.Kind, x *big.Rat) float64 {
	switch k {
	case scalar.F32:
		f, _ := x.Float32()
		return float64(f)
	case scalar.F16:
		return nearestHalf(x)
	}
	f, _ := x.Float64()
	return f
}

// randomFloat returns a finite float whose exponent is anything, and often one
// that is close to that of near, so that sums cancel and round.
func randomFloat(r *rand.Rand, k scalar.Kind, near float64) uint64 {
	for {
		bits := r.Uint64() & k.Mask()
		switch r.IntN(5) {
		case 0:
			bits = value(k, near) ^ r.Uint64N(8)
		case 1: // few significant bits: ties
			bits &= ^uint64(0) << (k.Bits()/2 - 2)
		case 2: // near 1
			bits = value(k, 1+r.Float64())
		}
		if x := scalar.ToFloat64(k, bits); x-x == 0 {
			return bits
		}
	}
}

// TestFloatArithmeticIsCorrectlyRounded: +, -, ×, ÷ and fma are the exact rational result, rounded
// once.
func TestFloatArithmeticIsCorrectlyRounded(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	rational := func(x float64) *big.Rat { return new(big.Rat).SetFloat64(x) }
	for _, k := range floatKinds {
		rounds := 6000
		if k == scalar.AbstractFloat {
			rounds = 300 // rationals with exponents of a thousand bits are slow
		}
		for range rounds {
			a := randomFloat(r, k, 1)
			x := scalar.ToFloat64(k, a)
			b := randomFloat(r, k, x)
			y := scalar.ToFloat64(k, b)
			near := -scalar.ToFloat64(k, scalar.FromFloat64(k, x*y))
			if near-near != 0 {
				near = 1
			}
			c := randomFloat(r, k, near)
			z := scalar.ToFloat64(k, c)
			check := func(o op.Op, want *big.Rat) {
				t.Helper()
				got, expected := scalar.ToFloat64(k, eval.For(o, k)(a, b, c, 0)), rounded(k, want)
				if got != expected { // zeros of either sign are equal here
					t.Fatalf("%s.%s(%x, %x, %x) = %x, want %x", o, k, x, y, z, got, expected)
				}
			}
			product := new(big.Rat).Mul(rational(x), rational(y))
			check(op.Add, new(big.Rat).Add(rational(x), rational(y)))
			check(op.Sub, new(big.Rat).Sub(rational(x), rational(y)))
			check(op.Mul, product)
			check(op.Fma, product.Add(product, rational(z)))
			if y != 0 {
				quotient := new(big.Rat).Quo(rational(x), rational(y))
				check(op.Div, quotient)
				if q := new(big.Int).Quo(quotient.Num(), quotient.Denom()); q.BitLen() < 4000 {
					exact := new(big.Rat).Mul(new(big.Rat).SetInt(q), rational(y))
					check(op.Rem, exact.Sub(rational(x), exact))
				}
			}
		}
	}
}

// TestFmaRoundsOnce has cases where rounding through float64 without care gives another result.
func TestFmaRoundsOnce(t *testing.T) {
	for _, row := range []struct {
		k       scalar.Kind
		x, y, z float64
		want    float64
	}{
		// x·y is a tie of f32; z decides, although float64 cannot hold the sum.
		{scalar.F32, 0x1.000002p0, 1.5, -0x1p-149, 0x1.800002p0},
		{scalar.F32, 0x1.000002p0, 1.5, 0, 0x1.800004p0},
		{scalar.F32, 0x1.000006p0, 1.5, 0x1p-149, 0x1.80000ap0},
		{scalar.F32, 0x1.000006p0, 1.5, 0, 0x1.800008p0},
		// x·y is 2^-24·(1 - 2^-46), nearly half a unit of z.
		{scalar.F32, 0x1.000002p-12, 0x1.fffffcp-13, 0x1.000002p0, 0x1.000002p0},
		// x·y is 2^-24·(1 + 2^-33), as (1 + u)(1 - u + u²) = 1 + u³.
		{scalar.F32, 0x1.002p-12, 0x1.ffc008p-13, 1, 0x1.000002p0},
		{scalar.F32, -0x1.002p-12, 0x1.ffc008p-13, -1, -0x1.000002p0},
		{scalar.F32, 0x1.002p-75, 0x1.ffc008p-76, 0x1p-127, 0x1.000004p-127}, // a subnormal result
		{scalar.F32, 0x1.000002p0, 0x1p-24, 1, 0x1.000002p0},                 // 1 + 2^-24 + 2^-47
		{scalar.F32, 0x1p-24, 1, 1, 1},
		{scalar.F32, 0x1p-24, 0x1p0, 0x1.000002p0, 0x1.000004p0},
		// the product is beyond f32
		{scalar.F32, 0x1.fffffep127, 2, -0x1.fffffep127, 0x1.fffffep127},
		// a tie of subnormals: to even
		{scalar.F32, 0x1p-75, 0x1p-75, 0x1p-149, 0x1p-148},
		{scalar.F32, 0x1p-75, -0x1p-75, 0x1p-149, 0},
		{scalar.F32, 0x1p-75, 0x1.000002p-75, 0, 0x1p-149},
		{scalar.F16, 0x1p-11, 0x1p0, 1, 1},
		{scalar.F16, 0x1p-11, 0x1.004p0, 1, 0x1.004p0},
		{scalar.F16, 0x1.ffcp15, 2, -0x1.ffcp15, 0x1.ffcp15},
		{scalar.AbstractFloat, 0x1p-53, 1, 1, 1},
		{scalar.AbstractFloat, 0x1p-53, 0x1.0000000000001p0, 1, 0x1.0000000000001p0},
	} {
		got := eval.For(op.Fma, row.k)(value(row.k, row.x), value(row.k, row.y), value(row.k, row.z), 0)
		if got != value(row.k, row.want) {
			t.Errorf("fma.%s(%x, %x, %x) = %x, want %x", row.k, row.x, row.y, row.z, scalar.ToFloat64(row.k, got), row.want)
		}
	}
}

// TestFmaNearTies does the same with random z whose unit is twice x·y but for a last bit, over all
// exponents.
func TestFmaNearTies(t *testing.T) {
	r := rand.New(rand.NewPCG(19, 20))
	fma := eval.For(op.Fma, scalar.F32)
	factors := [][2]float64{{0x1.002p0, 0x1.ffc008p-1}, {0x1.000002p0, 0x1.fffffcp-1}, {1, 1}, {0x1.ffep-1, 0x1.002004p0}}
	for range 20000 {
		exponent := r.IntN(250) - 148
		unit := math.Ldexp(1, max(exponent-23, -149))
		z := float64(float32(math.Ldexp(1+r.Float64(), exponent)))
		pair := factors[r.IntN(len(factors))]
		split := r.IntN(20) - 10
		x := math.Ldexp(pair[0], -60+split)
		y := pair[1] * unit / 2 * 0x1p60 * math.Ldexp(1, -split)
		if r.IntN(2) == 0 {
			x = -x
		}
		if r.IntN(2) == 0 {
			z = -z
		}
		a, b, c := value(scalar.F32, x), value(scalar.F32, y), value(scalar.F32, z)
		if scalar.ToFloat64(scalar.F32, a) != x || scalar.ToFloat64(scalar.F32, b) != y {
			continue
		}
		sum := new(big.Rat).Mul(new(big.Rat).SetFloat64(x), new(big.Rat).SetFloat64(y))
		sum.Add(sum, new(big.Rat).SetFloat64(z))
		if got, want := scalar.ToFloat64(scalar.F32, fma(a, b, c, 0)), rounded(scalar.F32, sum); got != want {
			t.Fatalf("fma.f32(%x, %x, %x) = %x, want %x", x, y, z, got, want)
		}
	}
}

func TestSqrtIsCorrectlyRounded(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, k := range floatKinds {
		for range 1000 {
			x := math.Abs(scalar.ToFloat64(k, randomFloat(r, k, 1)))
			root, _ := new(big.Float).SetPrec(200).Sqrt(new(big.Float).SetFloat64(x)).Rat(nil)
			got := scalar.ToFloat64(k, eval.For(op.Sqrt, k)(value(k, x), 0, 0, 0))
			if want := rounded(k, root); got != want {
				t.Fatalf("sqrt.%s(%x) = %x, want %x", k, x, got, want)
			}
		}
	}
}

// TestFrexpAndLdexpAreInverse: frexp splits a number and ldexp puts it together, subnormal ones
// too.
func TestFrexpAndLdexpAreInverse(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for _, k := range floatKinds {
		for range 2000 {
			a := randomFloat(r, k, 1)
			f := eval.For(op.FrexpSignificand, k)(a, 0, 0, 0)
			e := eval.For(op.FrexpExponent, k)(a, 0, 0, 0)
			if x := math.Abs(scalar.ToFloat64(k, f)); x != 0 && (x < 0.5 || x >= 1) {
				t.Fatalf("the significand of %#x is %v", a, x)
			}
			if got := eval.For(op.Ldexp, k)(f, e, 0, 0); got != a {
				t.Fatalf("ldexp.%s(%#x, %d) = %#x, want %#x", k, f, int32(e), got, a)
			}
		}
	}
}

func TestLdexpLimits(t *testing.T) {
	for _, row := range []struct {
		k    scalar.Kind
		x    float64
		n    int64
		want float64
	}{
		{scalar.F32, 1, 127, 0x1p127},
		{scalar.F32, 1, 128, infinity},
		{scalar.F32, 0x1p-149, 276, 0x1p127},
		{scalar.F32, 1, -149, 0x1p-149},
		{scalar.F32, 1, -150, 0},          // a tie: to even
		{scalar.F32, 1.5, -150, 0x1p-149}, // above the tie
		{scalar.F32, -1, math.MinInt32, negZero},
		{scalar.F32, 1, math.MaxInt32, infinity},
		{scalar.F32, 0, math.MaxInt32, 0},
		{scalar.F16, 1, 15, 32768},
		{scalar.F16, 1, 16, infinity},
		{scalar.F16, 1, -24, 0x1p-24},
		{scalar.F16, 0x1p-24, 39, 32768},
		{scalar.AbstractFloat, 1, 1023, 0x1p1023},
		{scalar.AbstractFloat, 0x1p-1074, 2097, 0x1p1023},
		{scalar.AbstractFloat, 1, math.MaxInt64, infinity},
		{scalar.AbstractFloat, 1, math.MinInt64, 0},
	} {
		n := scalar.FromInt64(scalar.I32, row.n)
		if row.k == scalar.AbstractFloat {
			n = uint64(row.n)
		}
		if got := eval.For(op.Ldexp, row.k)(value(row.k, row.x), n, 0, 0); got != value(row.k, row.want) {
			t.Errorf("ldexp.%s(%x, %d) = %x, want %x", row.k, row.x, row.n, scalar.ToFloat64(row.k, got), row.want)
		}
	}
}

func TestDotRoundsEachStepInOrder(t *testing.T) {
	for _, row := range []struct {
		k    scalar.Kind
		a, b []float64
		want float64
	}{
		{scalar.I32, []float64{1, -2, 3}, []float64{4, 5, 6}, 12},
		{scalar.U32, []float64{65536, 1}, []float64{65536, 7}, 7},
		// 2^24 + 1 rounds to 2^24
		{scalar.F32, []float64{0x1p24, 1, -0x1p24}, []float64{1, 1, 1}, 0},
		{scalar.F32, []float64{0x1p24, -0x1p24, 1}, []float64{1, 1, 1}, 1},
		{scalar.F16, []float64{2048, 1, 1, 0}, []float64{1, 1, 1, 0}, 2048},
		{scalar.AbstractFloat, []float64{0.5, 0.25}, []float64{2, 4}, 2},
	} {
		a, b := make([]uint64, len(row.a)), make([]uint64, len(row.b))
		for i := range a {
			a[i], b[i] = value(row.k, row.a[i]), value(row.k, row.b[i])
		}
		if got := eval.Dot(row.k, a, b); got != value(row.k, row.want) {
			t.Errorf("dot.%s(%v, %v) = %#x, want %v", row.k, row.a, row.b, got, row.want)
		}
	}
}

package gpu

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// fusedReference computes x·y + z of finite numbers exactly, and rounds that.
func fusedReference(x, y, z float32) float32 {
	number := func(v float32) *big.Float { return new(big.Float).SetPrec(1024).SetFloat64(float64(v)) }
	sum := new(big.Float).SetPrec(1024).Mul(number(x), number(y))
	result, _ := sum.Add(sum, number(z)).Float32()
	return result
}

// TestFMA compares FMA with exact sums. Exponents are close to each other, so that digits of z meet
// those of the product, and results are subnormal in a part of the cases.
func TestFMA(t *testing.T) {
	cases := [][3]float32{
		{0x1.0002p-12, 0x1.fffcp-13, 0x1.000002p0},       // less than a middle
		{-0x1.0002p-12, 0x1.fffcp-13, -0x1.000002p0},     // the same, negative
		{-0x1.0002p-12, 0x1.fffcp-13, 0x1.000002p0},      // more than a middle
		{0x1p-75, 0x1p-75, 0x1p-149},                     // a middle of subnormal numbers
		{0x1.0002p-75, 0x1.fffcp-76, 0x1p-149},           // less than that
		{0x1.8p-75, 0x1p-74, 0x1p-126},                   // close to the least normal one
		{math.MaxFloat32, 1 + 0x1p-23, -math.MaxFloat32}, // of large ones
		{math.MaxFloat32, 2, -math.MaxFloat32},           // the product alone is too large
		{0x1.fffffep63, 0x1.fffffep63, math.MaxFloat32},  // beyond the greatest
		{0x1p-149, 0x1.fffffep127, -0x1p-1},              // digits far from each other
	}
	random := rand.New(rand.NewPCG(1, 2))
	number := func(exponent int) float32 {
		bits := random.Uint32()&(1<<31|1<<23-1) | uint32(exponent+127)<<23
		if random.IntN(2) == 0 {
			bits &^= 1<<random.IntN(23) - 1 // few digits, so that sums are middles
		}
		return math.Float32frombits(bits)
	}
	for range 200_000 {
		x, y := random.IntN(180)-120, random.IntN(60)-30
		z := min(max(x+y+random.IntN(100)-50, -127), 126)
		cases = append(cases, [3]float32{number(x), number(y), number(z)})
	}
	for range 20_000 { // the product is next to a middle of two numbers of the size of z
		digits := math.Ldexp(1, -1-random.IntN(23))
		x, y := random.IntN(120)-80, random.IntN(60)-70
		cases = append(cases, [3]float32{float32(math.Ldexp(1+digits, x)), float32(math.Ldexp(1-digits, y)), number(max(x+y+24, -127))})
	}
	for _, c := range cases {
		got, want := FMA(c[0], c[1], c[2]), fusedReference(c[0], c[1], c[2])
		if got != want {
			t.Fatalf("%x · %x + %x = %x, want %x", c[0], c[1], c[2], got, want)
		}
	}
	infinity := float32(math.Inf(1))
	for _, c := range [][4]float32{{infinity, 2, 1, infinity}, {2, 3, -infinity, -infinity}, {infinity, -1, -infinity, -infinity}} {
		if got := FMA(c[0], c[1], c[2]); got != c[3] {
			t.Errorf("%g · %g + %g = %g, want %g", c[0], c[1], c[2], got, c[3])
		}
	}
	if got := FMA(infinity, 1, -infinity); got == got {
		t.Errorf("∞ - ∞ = %g, want NaN", got)
	}
	if got := FMA(-1, 0, float32(math.Copysign(0, -1))); !math.Signbit(float64(got)) {
		t.Error("-0 + -0 = 0, want -0")
	}
}

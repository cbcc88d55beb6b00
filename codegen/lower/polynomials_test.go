package lower_test

import (
	"math"
	"testing"

	"github.com/gpuc/gpuc/codegen/lower"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// TestPolynomials compares the expansions with float64. The bounds are those of
// TestTranscendentalAccuracy, for machines that have these functions.
func TestPolynomials(t *testing.T) {
	for _, c := range []struct {
		o              op.Op
		f              func(float64) float64
		low, high      float64
		ulps, absolute float64
	}{
		{op.Exp2, math.Exp2, -1, 1, 1, 0},
		{op.Exp2, math.Exp2, -126, 127.99, 1, 0},
		{op.Exp2, math.Exp2, -150, -126, 1, 0},
		{op.Log2, math.Log2, 0.5, 2, 2, 0},
		{op.Log2, math.Log2, 1e-38, 3e38, 1, 0},
		{op.Log2, math.Log2, 1e-45, 1e-38, 1, 0},
		{op.Sin, math.Sin, -4, 4, 0, 2e-7},
		{op.Sin, math.Sin, -0.78, 0.78, 2, 0},
		{op.Sin, math.Sin, -1e5, 1e5, 0, 2e-7},
		{op.Cos, math.Cos, -4, 4, 0, 2e-7},
		{op.Cos, math.Cos, -1e4, 1e4, 0, 2e-7},
		{op.Tan, math.Tan, -1.5, 1.5, 4, 0},
		{op.Exp, math.Exp, -80, 80, 100, 0},
		{op.Log, math.Log, 2, 1e30, 3, 0},
		{op.Tanh, math.Tanh, -10, 10, 3, 0},
	} {
		f := expanded(t, c.o, scalar.F32, lower.Polynomials)
		const samples = 20000
		worst, at := 0.0, 0.0
		for n := range samples + 1 {
			x := float64(float32(c.low + (c.high-c.low)*float64(n)/samples))
			got := float64(math.Float32frombits(uint32(f.run(t, uint64(math.Float32bits(float32(x)))))))
			want := c.f(x)
			err := math.Abs(got - want)
			if c.ulps > 0 {
				err /= ulp(want)
			}
			if err > worst || err != err {
				worst, at = err, x
			}
		}
		t.Logf("%-6s [%g, %g]: %.3g at %g", c.o, c.low, c.high, worst, at)
		if limit := max(c.ulps, c.absolute); !(worst <= limit) {
			t.Errorf("%s on [%g, %g]: error %g at %g, want at most %g", c.o, c.low, c.high, worst, at, limit)
		}
	}
}

// TestPolynomialsAtTheEnds: powers with integer exponents are exact, and infinities, zeros and NaN
// have the results of C.
func TestPolynomialsAtTheEnds(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	exp2, log2 := expanded(t, op.Exp2, scalar.F32, lower.Polynomials), expanded(t, op.Log2, scalar.F32, lower.Polynomials)
	value := func(f *machine, x float32) float32 {
		return math.Float32frombits(uint32(f.run(t, uint64(math.Float32bits(x)))))
	}
	for n := -149; n <= 127; n++ {
		power := float32(math.Ldexp(1, n))
		if got := value(exp2, float32(n)); got != power {
			t.Errorf("exp2(%d) is %g", n, got)
		}
		if got := value(log2, power); got != float32(n) {
			t.Errorf("log2(%g) is %g", power, got)
		}
	}
	for _, c := range []struct {
		f       *machine
		x, want float32
	}{
		{exp2, 128, inf}, {exp2, inf, inf}, {exp2, 1e30, inf}, {exp2, -151, 0}, {exp2, -inf, 0}, {exp2, nan, nan}, {exp2, 0, 1},
		{log2, 0, -inf}, {log2, float32(math.Copysign(0, -1)), -inf}, {log2, inf, inf}, {log2, -1, nan}, {log2, -inf, nan}, {log2, nan, nan},
	} {
		if got := value(c.f, c.x); got != c.want && (got == got || c.want == c.want) {
			t.Errorf("%s of %g is %g, expected %g", c.f.f.Name, c.x, got, c.want)
		}
	}
}

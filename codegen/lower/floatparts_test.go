package lower_test

import (
	"math"
	"testing"

	"github.com/gpuc/gpuc/ir/eval"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// TestFloatParts: frexp decomposes all kinds of values and ldexp rounds once, like the evaluator.
func TestFloatParts(t *testing.T) {
	values := []float32{0, float32(math.Copysign(0, -1)), 1, -1, 0.75, 3.1415927, -1e-30, 1e-38, 1.1754944e-38, 1.1754942e-38, 1e-40, -3e-45, 1.4e-45,
		3.4028235e38, 1e30, 5.960465e-08, 5.960464e-08, 2.9802322e-08}
	ldexp := expanded(t, op.Ldexp, scalar.F32)
	significand, exponent := expanded(t, op.FrexpSignificand, scalar.F32), expanded(t, op.FrexpExponent, scalar.F32)
	for _, x := range values {
		bits := uint64(math.Float32bits(x))
		for n := int32(-320); n <= 320; n++ {
			got := ldexp.run(t, bits, uint64(uint32(n)))
			if want := eval.For(op.Ldexp, scalar.F32)(bits, uint64(uint32(n)), 0, 0); got != want {
				t.Fatalf("ldexp(%g, %d) is %g, want %g", x, n, math.Float32frombits(uint32(got)), math.Float32frombits(uint32(want)))
			}
		}
		if got, want := significand.run(t, bits), eval.For(op.FrexpSignificand, scalar.F32)(bits, 0, 0, 0); got != want {
			t.Errorf("frexp(%g) has significand %#x, want %#x", x, got, want)
		}
		if got, want := exponent.run(t, bits), eval.For(op.FrexpExponent, scalar.F32)(bits, 0, 0, 0); got != want {
			t.Errorf("frexp(%g) has exponent %d, want %d", x, int32(got), int32(want))
		}
	}
}

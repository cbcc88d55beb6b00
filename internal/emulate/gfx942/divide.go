package gfx942

import (
	"math"
	"math/big"

	"github.com/gpuc/gpuc/internal/emulate"
)

// The instructions of a division. v_div_scale scales operands into a range where no step overflows
// or loses bits. v_div_fmas reverts the scaling in the last step. v_div_fixup handles special cases
// such as infinities. Near the limits of the range their results here are chosen such that
// divisions by LLVM's sequence are those of IEEE 754; a device may have other intermediate results.

// floatRange has exponents of a type, as of math.Frexp: the smallest of normal numbers, the scale
// step, and the bounds at which scaling is needed.
type floatRange struct {
	normal, step, near, tiny int
}

var (
	singleRange = floatRange{normal: -125, step: 64, near: 96, tiny: 23 - 126}
	doubleRange = floatRange{normal: -1021, step: 128, near: 768, tiny: 53 - 1022}
)

// denormal reports whether a number is a denormal of the type.
func (n floatRange) denormal(x float64) bool {
	_, e := math.Frexp(x)
	return x != 0 && e < n.normal
}

// scale returns a, which is b or c, scaled for the division of c by b. It also returns whether the
// quotient has to be scaled.
func scale(a, b, c float64, n floatRange) (float64, bool) {
	_, denominator := math.Frexp(b)
	_, numerator := math.Frexp(c)
	up, down := math.Ldexp(a, n.step), math.Ldexp(a, -n.step)
	small := func(x float64) bool { return x == 0 || n.denormal(x) }
	switch {
	case b == 0 || c == 0:
		return math.NaN(), false
	case math.IsNaN(b) || math.IsNaN(c) || math.IsInf(b, 0) || math.IsInf(c, 0):
		return a, false
	case numerator-denominator >= n.near: // the quotient is near the largest number
		if a == b {
			return up, true
		}
		return a, true
	case n.denormal(b):
		return up, false
	case small(1/b) && small(c/b): // scaled up, the denominator would overflow
		if a == b {
			return down, true
		}
		return a, true
	case small(1 / b):
		return down, false
	case small(c / b):
		if a == c {
			return up, true
		}
		return a, true
	case numerator-1 <= n.tiny:
		return up, false
	}
	return a, false
}

// unscale executes v_div_fmas: an FMA, scaled in lanes whose bit in VCC is set. The direction
// follows from v_div_scale. For a quotient of two or more it scaled the denominator up, otherwise
// the numerator up or the denominator down.
func (x *execution) unscale(i *instruction, k kind) {
	w := x.wave
	x.eachLane(func(lane int) {
		a, b, c := w.source(i, 0, k, lane), w.source(i, 1, k, lane), w.source(i, 2, k, lane)
		step := 0
		if w.read(i, vccLow, mask, lane)>>lane&1 != 0 {
			step = -1
			if magnitude(c, k) >= 2 {
				step = 1
			}
		}
		if k == f32 {
			exact := emulate.SumToOdd(float64(single(a))*float64(single(b)), float64(single(c)))
			w.result(i, lane, modified(i, singleBits(float32(math.Ldexp(exact, step*singleRange.step)))))
			return
		}
		w.result(i, lane, modified(i, math.Float64bits(scaledSum(math.Float64frombits(a), math.Float64frombits(b), math.Float64frombits(c), step*doubleRange.step))))
	})
}

// scaledSum returns (a·b + c)·2^power, rounded once.
func scaledSum(a, b, c float64, power int) float64 {
	fused := math.FMA(a, b, c)
	if power == 0 || fused == 0 || math.IsNaN(fused) || math.IsInf(fused, 0) {
		return fused
	}
	exact := new(big.Float).SetPrec(4000)
	exact.Add(exact.Mul(big.NewFloat(a), big.NewFloat(b)), big.NewFloat(c))
	scaled, _ := exact.SetMantExp(exact, power).Float64()
	return scaled
}

func magnitude(x uint64, k kind) float64 {
	if k == f32 {
		return math.Abs(float64(single(x)))
	}
	return math.Abs(math.Float64frombits(x))
}

// quotient executes v_div_fixup for an estimate of c / b. It returns the estimate with the sign of
// the quotient, unless the quotient is zero, infinite or NaN. The bounds under and over are
// differences of exponents beyond which the quotient underflows or overflows.
func quotient(estimate, b, c float64, under, over int) float64 {
	sign := 1.0
	if math.Signbit(b) != math.Signbit(c) {
		sign = -1
	}
	_, denominator := math.Frexp(b)
	_, numerator := math.Frexp(c)
	switch {
	case math.IsNaN(c):
		return c
	case math.IsNaN(b):
		return b
	case b == 0 && c == 0, math.IsInf(b, 0) && math.IsInf(c, 0):
		return math.NaN()
	case b == 0, math.IsInf(c, 0):
		return math.Inf(int(sign))
	case math.IsInf(b, 0), c == 0:
		return math.Copysign(0, sign)
	case numerator-denominator < under:
		return math.Copysign(0, sign)
	case numerator-denominator > over:
		return math.Inf(int(sign))
	}
	return math.Copysign(estimate, sign)
}

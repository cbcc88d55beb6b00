package image

import (
	"math"

	"github.com/gpuc/gpuc/runtime/gpu"
)

// This file has elementary functions that are made of exactly rounded operations, so that they have
// the same bits on every device. They are right to a few parts in a million.

// exponential returns e to the power x, for x ≤ 88.
func exponential(x float32) float32 { return exponential2(x * 1.44269504) }

// exponential2 returns 2 to the power x, for x < 128, and 0 for less than 2^-126. The polynomial is
// the Taylor series around 0, from which the fraction is at most 1/2 away.
func exponential2(x float32) float32 {
	if !(x > -126) {
		return 0
	}
	whole := gpu.Round(x)
	x -= whole
	p := float32(1.5403530e-4)
	p = p*x + 1.3333558e-3
	p = p*x + 9.6181291e-3
	p = p*x + 5.5504109e-2
	p = p*x + 0.24022651
	p = p*x + 0.69314718
	p = p*x + 1
	return p * math.Float32frombits(uint32(int32(whole)+127)<<23)
}

// logarithm2 returns the logarithm of x to base 2, for normal x > 0. With m in [√½, √2) it is the
// exponent and 2·artanh((m-1)/(m+1)) / ln 2, by its Taylor series.
func logarithm2(x float32) float32 {
	bits := math.Float32bits(x) - 0x3f3504f3
	exponent := float32(int32(bits) >> 23)
	m := math.Float32frombits(bits&0x7fffff + 0x3f3504f3)
	z := (m - 1) / (m + 1)
	q := z * z
	p := float32(1.0 / 9)
	p = p*q + 1.0/7
	p = p*q + 1.0/5
	p = p*q + 1.0/3
	p = p*q + 1
	return exponent + z*p*2.88539008
}

// power returns x to the power y, for normal x > 0, and 0 for smaller x.
func power(x, y float32) float32 {
	if !(x > 1.2e-38) {
		return 0
	}
	return exponential2(y * logarithm2(x))
}

package interp_test

import (
	"math"
	"math/big"
	"math/rand/v2"

	"github.com/gpuc/gpuc/ir/eval"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file computes with elements of tiles, by other ways than the interpreter.

// shortFormats have the fields of floats that only tiles have, with the exponents that are numbers.
var shortFormats = map[scalar.Kind]struct {
	fraction, exponent uint
	greatest, infinity uint64
}{
	scalar.E4M3: {fraction: 3, exponent: 4, greatest: 0x7E},
	scalar.E5M2: {fraction: 2, exponent: 5, greatest: 0x7B, infinity: 0x7C},
	scalar.BF16: {fraction: 7, exponent: 8, greatest: 0x7F7F, infinity: 0x7F80},
}

// decodeShort returns the number of a pattern: (2^fraction + f)·2^e in whole numbers.
func decodeShort(k scalar.Kind, bits uint64) float64 {
	s := shortFormats[k]
	sign := uint64(1) << (s.fraction + s.exponent)
	if bits&sign != 0 {
		return -decodeShort(k, bits^sign)
	}
	switch {
	case bits == s.infinity && s.infinity != 0:
		return math.Inf(1)
	case bits > s.greatest:
		return math.NaN()
	}
	significand, e := bits&(1<<s.fraction-1), int(bits>>s.fraction)
	if e > 0 {
		significand |= 1 << s.fraction
		e--
	}
	return float64(significand) * math.Pow(2, float64(e+1-int(s.fraction)-(1<<(s.exponent-1)-1)))
}

// encodeShort searches for the nearest pattern to a number, ties to even.
func encodeShort(k scalar.Kind, x float64) uint64 {
	s := shortFormats[k]
	sign := uint64(0)
	if math.Signbit(x) {
		sign, x = 1<<(s.fraction+s.exponent), -x
	}
	low, high := uint64(0), s.greatest
	greatest := decodeShort(k, high)
	switch {
	case x != x:
		return sign | 1<<(s.fraction+s.exponent) - 1
	case x > greatest && k != scalar.BF16:
		return sign | s.greatest
	case x > greatest: // half a step above is the limit
		if x-greatest >= (greatest-decodeShort(k, high-1))/2 {
			return sign | s.infinity
		}
		return sign | s.greatest
	}
	for high-low > 1 {
		if middle := (low + high) / 2; decodeShort(k, middle) <= x {
			low = middle
		} else {
			high = middle
		}
	}
	below, above := x-decodeShort(k, low), decodeShort(k, high)-x
	if below < above || below == above && low%2 == 0 {
		return sign | low
	}
	return sign | high
}

// convertTileElement is what tile_convert does with an element.
func convertTileElement(to, from scalar.Kind, bits uint64) uint64 {
	_, fromShort := shortFormats[from]
	_, toShort := shortFormats[to]
	switch {
	case to == from:
		return bits
	case fromShort: // each is an f32
		x := math.Float32bits(float32(decodeShort(from, bits)))
		if from == scalar.BF16 {
			x = uint32(bits) << 16
		}
		return convertTileElement(to, scalar.F32, uint64(x))
	case from == scalar.I8 || from == scalar.U8:
		wide := scalar.U32
		if from == scalar.I8 {
			wide, bits = scalar.I32, uint64(uint32(int8(bits)))
		}
		if to == scalar.I8 || to == scalar.U8 {
			return bits & 0xFF
		}
		return convertTileElement(to, wide, bits)
	case (toShort || to == scalar.F16) && from != scalar.F32:
		return convertTileElement(to, scalar.F32, eval.Convert(scalar.F32, from)(bits))
	case toShort:
		return encodeShort(to, float64(math.Float32frombits(uint32(bits))))
	case to == scalar.I8 || to == scalar.U8:
		if from.IsFloat() {
			bits = eval.Convert(scalar.I32, from)(bits)
		}
		return bits & 0xFF
	}
	return eval.Convert(to, from)(bits)
}

// isNaN reports whether an element is one; which one it is does not matter.
func isNaN(k scalar.Kind, bits uint64) bool {
	if _, short := shortFormats[k]; short {
		return math.IsNaN(decodeShort(k, bits))
	}
	return k.IsFloat() && math.IsNaN(number(k, bits))
}

// number returns the value of an element.
func number(k scalar.Kind, bits uint64) float64 {
	switch k {
	case scalar.F64:
		return math.Float64frombits(bits)
	case scalar.F32:
		return float64(math.Float32frombits(uint32(bits)))
	case scalar.F16:
		return float64(math.Float32frombits(uint32(eval.Convert(scalar.F32, k)(bits))))
	case scalar.I8:
		return float64(int8(bits))
	case scalar.I32:
		return float64(int32(bits))
	case scalar.U8, scalar.U32:
		return float64(bits)
	}
	return decodeShort(k, bits)
}

// fused returns x·y + z, rounded once, for finite numbers.
func fused(k scalar.Kind, x, y float64, z uint64) uint64 {
	if k == scalar.I32 {
		return uint64(uint32(int32(x)*int32(y) + int32(z)))
	}
	exact := func(v float64) *big.Float { return new(big.Float).SetPrec(4096).SetFloat64(v) }
	product := exact(0).Mul(exact(x), exact(y))
	sum := exact(0).Add(product, exact(number(k, z)))
	if k == scalar.F64 {
		rounded, _ := sum.Float64()
		return math.Float64bits(rounded)
	}
	rounded, _ := sum.Float32()
	return uint64(math.Float32bits(rounded))
}

// randomElement returns a finite element: mostly small, so that sums are rounded.
func randomElement(r *rand.Rand, k scalar.Kind) uint64 {
	for {
		bits := r.Uint64() & k.Mask()
		if k.Bits() >= 32 && k.IsFloat() {
			bits = scalar.FromFloat64(k, r.NormFloat64()*math.Exp(3*r.NormFloat64()))
		}
		if x := number(k, bits); !math.IsInf(x, 0) && !math.IsNaN(x) {
			return bits
		}
	}
}

package interp

import (
	"math"

	"github.com/gpuc/gpuc/ir/eval"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file converts elements of tiles. BF16, E4M3 and E5M2 are numbers for tiles only, so
// package eval does not know them.

// shortFloat is a float of 8 bits (OCP 8-bit Floating Point Specification).
type shortFloat struct {
	fraction int // its bits
	bias     int
	greatest uint64 // the pattern of the greatest finite number
	infinity uint64 // or 0 if there is none
}

var shortFloats = [scalar.Count]shortFloat{
	scalar.E4M3: {fraction: 3, bias: 7, greatest: 0x7E},
	scalar.E5M2: {fraction: 2, bias: 15, greatest: 0x7B, infinity: 0x7C},
}

const (
	shortSign = 0x80
	shortNaN  = 0x7F
)

// value returns the number of a pattern.
func (s *shortFloat) value(bits uint64) float64 {
	magnitude := bits &^ shortSign
	exponent, fraction := int(magnitude>>s.fraction), float64(magnitude&(1<<s.fraction-1))
	x := 0.0
	switch {
	case magnitude == s.infinity && s.infinity != 0:
		x = math.Inf(1)
	case magnitude > s.greatest:
		x = math.NaN()
	case exponent == 0:
		x = math.Ldexp(fraction, 1-s.bias-s.fraction)
	default:
		x = math.Ldexp(1+math.Ldexp(fraction, -s.fraction), exponent-s.bias)
	}
	if bits&shortSign != 0 {
		return math.Copysign(x, -1)
	}
	return x
}

// pattern returns the nearest pattern to a number, ties to even, with saturation.
func (s *shortFloat) pattern(x float64) (bits uint64) {
	if math.Signbit(x) {
		bits = shortSign
	}
	switch {
	case x != x:
		return bits | shortNaN
	case x == 0:
		return bits
	case math.Abs(x) >= s.value(s.greatest):
		return bits | s.greatest
	}
	_, exponent := math.Frexp(x)
	exponent = max(exponent-1, 1-s.bias) // subnormal numbers have that of the least normal one
	steps := uint64(math.RoundToEven(math.Ldexp(math.Abs(x), s.fraction-exponent)))
	return bits | (uint64(exponent+s.bias-1)<<s.fraction + steps)
}

// convertElement returns the conversion of elements between kinds, as invocations hold them, or nil
// if there is none.
func convertElement(to, from scalar.Kind) func(uint64) uint64 {
	if to == from {
		return func(bits uint64) uint64 { return bits }
	}
	widen, wide := widenElement(from)
	narrow, through := narrowElement(to, wide)
	middle := eval.Convert(through, wide)
	if middle == nil || narrow == nil {
		return nil
	}
	return func(bits uint64) uint64 { return narrow(middle(widen(bits))) }
}

// widenElement returns the conversion of a kind to one that there is arithmetic for.
func widenElement(from scalar.Kind) (convert func(uint64) uint64, wide scalar.Kind) {
	switch short := &shortFloats[from]; {
	case from == scalar.BF16:
		return func(bits uint64) uint64 { return bits << 16 }, scalar.F32
	case short.fraction != 0:
		return func(bits uint64) uint64 { return uint64(math.Float32bits(float32(short.value(bits)))) }, scalar.F32
	case from.IsNarrow() && from.IsSigned():
		return eval.Convert(scalar.I32, from), scalar.I32
	case from.IsNarrow():
		return eval.Convert(scalar.U32, from), scalar.U32
	}
	return eval.Convert(from, from), from
}

// narrowElement returns the conversion to a kind, and from which kind, for elements of a wide one.
func narrowElement(to, wide scalar.Kind) (convert func(uint64) uint64, through scalar.Kind) {
	switch short := &shortFloats[to]; {
	case to == scalar.BF16:
		return bfloat16, scalar.F32
	case short.fraction != 0:
		return func(bits uint64) uint64 { return short.pattern(float64(math.Float32frombits(uint32(bits)))) }, scalar.F32
	case to == scalar.F16:
		return eval.Convert(to, scalar.F32), scalar.F32
	case to.IsNarrow() && wide.IsFloat():
		return eval.Convert(to, scalar.I32), scalar.I32
	}
	return eval.Convert(to, to), to
}

// bfloat16 returns the pattern nearest to an f32, ties to even.
func bfloat16(bits uint64) uint64 {
	if x := math.Float32frombits(uint32(bits)); x != x {
		return bits>>16 | 0x40 // quiet
	}
	return (bits + 0x7FFF + bits>>16&1) >> 16
}

package gpu

import (
	"math"

	"github.com/gpuc/gpuc/ir/scalar"
)

// This file has bit operations that devices have instructions for (WGSL §17.3, §17.5, §17.9,
// §17.10): packing, dot products of packed bytes, bit fields, and Clamp. Compiled, each is that
// operation. The Go code follows the specification; a test compares it with the compiler's
// evaluator for all patterns that matter.

// Clamp returns the value in [low, high] nearest to x. low must not exceed high.
func Clamp[T Number](x, low, high T) T { return min(max(x, low), high) }

// ExtractBits returns count bits of x from bit offset on, sign-extended if T is signed. Bits beyond
// x are left out.
func ExtractBits[T ~int32 | ~uint32](x T, offset, count uint32) T {
	offset = min(offset, 32)
	count = min(count, 32-offset)
	if count == 0 {
		return 0
	}
	return x << (32 - offset - count) >> (32 - count)
}

// Dot4I8 is the dot product of vectors of four signed bytes, the first in the lowest byte.
func Dot4I8(a, b uint32) int32 { return Unpack4xI8(a).Dot(Unpack4xI8(b)) }

// Dot4U8 is the dot product of vectors of four unsigned bytes, the first in the lowest byte.
func Dot4U8(a, b uint32) uint32 { return Unpack4xU8(a).Dot(Unpack4xU8(b)) }

// Pack4x8Snorm packs numbers, clamped to [-1, 1], into bytes as multiples of 1/127, X in the
// lowest.
func Pack4x8Snorm(v Vec4f) uint32 {
	return packBytes(normalised(v.X, -1, 127), normalised(v.Y, -1, 127), normalised(v.Z, -1, 127), normalised(v.W, -1, 127))
}

// Pack4x8Unorm packs numbers, clamped to [0, 1], into bytes as multiples of 1/255, X in the lowest.
func Pack4x8Unorm(v Vec4f) uint32 {
	return packBytes(normalised(v.X, 0, 255), normalised(v.Y, 0, 255), normalised(v.Z, 0, 255), normalised(v.W, 0, 255))
}

// Pack4xI8 packs the lowest eight bits of each component, X in the lowest byte.
func Pack4xI8(v Vec4i) uint32 { return packBytes(uint32(v.X), uint32(v.Y), uint32(v.Z), uint32(v.W)) }

// Pack4xU8 packs the lowest eight bits of each component, X in the lowest byte.
func Pack4xU8(v Vec4u) uint32 { return packBytes(v.X, v.Y, v.Z, v.W) }

// Pack4xI8Clamp packs components clamped to [-128, 127], X in the lowest byte.
func Pack4xI8Clamp(v Vec4i) uint32 {
	return Pack4xI8(Vec4i{Clamp(v.X, -128, 127), Clamp(v.Y, -128, 127), Clamp(v.Z, -128, 127), Clamp(v.W, -128, 127)})
}

// Pack4xU8Clamp packs components clamped to [0, 255], X in the lowest byte.
func Pack4xU8Clamp(v Vec4u) uint32 {
	return packBytes(min(v.X, 255), min(v.Y, 255), min(v.Z, 255), min(v.W, 255))
}

// Pack2x16Snorm packs numbers, clamped to [-1, 1], into halfwords as multiples of 1/32767, X in the
// lower one.
func Pack2x16Snorm(v Vec2f) uint32 {
	return packHalves(normalised(v.X, -1, 32767), normalised(v.Y, -1, 32767))
}

// Pack2x16Unorm packs numbers, clamped to [0, 1], into halfwords as multiples of 1/65535, X in the
// lower one.
func Pack2x16Unorm(v Vec2f) uint32 {
	return packHalves(normalised(v.X, 0, 65535), normalised(v.Y, 0, 65535))
}

// Pack2x16Float packs numbers as 16-bit floats, X in the lower halfword.
func Pack2x16Float(v Vec2f) uint32 { return packHalves(half(v.X), half(v.Y)) }

// Unpack4x8Snorm is the inverse of Pack4x8Snorm.
func Unpack4x8Snorm(w uint32) Vec4f {
	b := Unpack4xI8(w)
	return Vec4f{fraction(b.X, 127), fraction(b.Y, 127), fraction(b.Z, 127), fraction(b.W, 127)}
}

// Unpack4x8Unorm is the inverse of Pack4x8Unorm.
func Unpack4x8Unorm(w uint32) Vec4f {
	b := Unpack4xU8(w)
	return Vec4f{float32(b.X) / 255, float32(b.Y) / 255, float32(b.Z) / 255, float32(b.W) / 255}
}

// Unpack4xI8 returns four signed bytes, the lowest first.
func Unpack4xI8(w uint32) Vec4i {
	return Vec4i{int32(int8(w)), int32(int8(w >> 8)), int32(int8(w >> 16)), int32(int8(w >> 24))}
}

// Unpack4xU8 returns four unsigned bytes, the lowest first.
func Unpack4xU8(w uint32) Vec4u { return Vec4u{w & 255, w >> 8 & 255, w >> 16 & 255, w >> 24} }

// Unpack2x16Snorm is the inverse of Pack2x16Snorm.
func Unpack2x16Snorm(w uint32) Vec2f {
	return Vec2f{fraction(int32(int16(w)), 32767), fraction(int32(int16(w>>16)), 32767)}
}

// Unpack2x16Unorm is the inverse of Pack2x16Unorm.
func Unpack2x16Unorm(w uint32) Vec2f { return Vec2f{float32(w&0xffff) / 65535, float32(w>>16) / 65535} }

// Unpack2x16Float is the inverse of Pack2x16Float.
func Unpack2x16Float(w uint32) Vec2f {
	return Vec2f{float32(scalar.HalfToFloat64(uint16(w))), float32(scalar.HalfToFloat64(uint16(w >> 16)))}
}

func packBytes(a, b, c, d uint32) uint32 { return a&255 | b&255<<8 | c&255<<16 | d&255<<24 }
func packHalves(low, high uint32) uint32 { return low&0xffff | high<<16 }

// normalised returns x in units of 1/scale. In float64 the product is exact, and so is the sum
// where it decides.
func normalised(x float32, low, scale float64) uint32 {
	bounded := min(max(float64(x), low), 1)
	if bounded != bounded {
		bounded = low
	}
	return uint32(int32(math.Floor(0.5 + float64(scale*bounded))))
}

// fraction returns n/scale, clamped at -1: the lowest n is one below.
func fraction(n int32, scale float32) float32 { return max(float32(n)/scale, -1) }

// half returns the bits of a 16-bit float.
func half(x float32) uint32 {
	if x != x {
		return 0x7e00
	}
	return uint32(scalar.HalfFromFloat64(float64(x)))
}

package gpu

import (
	"math"

	"github.com/gpuc/gpuc/ir/scalar"
)

// This file has what kernels say of bits and bounds that devices have an operation for, as WGSL has
// it (WGSL §17.3, §17.5, §17.9, §17.10): numbers packed into words, dot products of packed bytes,
// parts of words, and a number kept within bounds. Compiled, each of them is that operation. The
// plain Go is written from the specification, and a test holds it against the compiler's evaluator
// for all patterns that matter.

// Clamp returns the number nearest to x that is at least low and at most high. Low is not above
// high.
func Clamp[T Number](x, low, high T) T { return min(max(x, low), high) }

// ExtractBits returns the bits of x from offset on, count of them, as a number: with the sign that
// the highest of them is if T has signs. What lies outside of x is left out.
func ExtractBits[T ~int32 | ~uint32](x T, offset, count uint32) T {
	offset = min(offset, 32)
	count = min(count, 32-offset)
	if count == 0 {
		return 0
	}
	return x << (32 - offset - count) >> (32 - count)
}

// Dot4I8 is the sum of the products of four signed bytes each, and Dot4U8 of bytes without a sign.
// The first are the lowest.
func Dot4I8(a, b uint32) int32 {
	x, y := Unpack4xI8(a), Unpack4xI8(b)
	return x.Dot(y)
}
func Dot4U8(a, b uint32) uint32 {
	x, y := Unpack4xU8(a), Unpack4xU8(b)
	return x.Dot(y)
}

// Pack4x8Snorm packs numbers from -1 to 1 into bytes of a word as multiples of 1/127, and
// Pack4x8Unorm numbers from 0 to 1 as multiples of 1/255. The first one is in the lowest byte, and
// what is outside becomes the nearest that is not.
func Pack4x8Snorm(v Vec4f) uint32 {
	return packBytes(normalised(v.X, -1, 127), normalised(v.Y, -1, 127), normalised(v.Z, -1, 127), normalised(v.W, -1, 127))
}
func Pack4x8Unorm(v Vec4f) uint32 {
	return packBytes(normalised(v.X, 0, 255), normalised(v.Y, 0, 255), normalised(v.Z, 0, 255), normalised(v.W, 0, 255))
}

// Pack4xI8 and Pack4xU8 pack the lowest eight bits of numbers, Pack4xI8Clamp and Pack4xU8Clamp the
// nearest number that has eight.

func Pack4xI8(v Vec4i) uint32 { return packBytes(uint32(v.X), uint32(v.Y), uint32(v.Z), uint32(v.W)) }
func Pack4xU8(v Vec4u) uint32 { return packBytes(v.X, v.Y, v.Z, v.W) }
func Pack4xI8Clamp(v Vec4i) uint32 {
	return Pack4xI8(Vec4i{Clamp(v.X, -128, 127), Clamp(v.Y, -128, 127), Clamp(v.Z, -128, 127), Clamp(v.W, -128, 127)})
}
func Pack4xU8Clamp(v Vec4u) uint32 {
	return packBytes(min(v.X, 255), min(v.Y, 255), min(v.Z, 255), min(v.W, 255))
}

// Pack2x16Snorm and Pack2x16Unorm are as those of four bytes, with 16 bits for each number:
// multiples of 1/32767 and 1/65535. Pack2x16Float packs two numbers as floats of 16 bits.

func Pack2x16Snorm(v Vec2f) uint32 {
	return packHalves(normalised(v.X, -1, 32767), normalised(v.Y, -1, 32767))
}
func Pack2x16Unorm(v Vec2f) uint32 {
	return packHalves(normalised(v.X, 0, 65535), normalised(v.Y, 0, 65535))
}
func Pack2x16Float(v Vec2f) uint32 { return packHalves(half(v.X), half(v.Y)) }

// Each Unpack takes apart what the Pack of its name packs.

func Unpack4x8Snorm(w uint32) Vec4f {
	b := Unpack4xI8(w)
	return Vec4f{fraction(b.X, 127), fraction(b.Y, 127), fraction(b.Z, 127), fraction(b.W, 127)}
}
func Unpack4x8Unorm(w uint32) Vec4f {
	b := Unpack4xU8(w)
	return Vec4f{float32(b.X) / 255, float32(b.Y) / 255, float32(b.Z) / 255, float32(b.W) / 255}
}
func Unpack4xI8(w uint32) Vec4i {
	return Vec4i{int32(int8(w)), int32(int8(w >> 8)), int32(int8(w >> 16)), int32(int8(w >> 24))}
}
func Unpack4xU8(w uint32) Vec4u { return Vec4u{w & 255, w >> 8 & 255, w >> 16 & 255, w >> 24} }
func Unpack2x16Snorm(w uint32) Vec2f {
	return Vec2f{fraction(int32(int16(w)), 32767), fraction(int32(int16(w>>16)), 32767)}
}
func Unpack2x16Unorm(w uint32) Vec2f { return Vec2f{float32(w&0xffff) / 65535, float32(w>>16) / 65535} }
func Unpack2x16Float(w uint32) Vec2f {
	return Vec2f{float32(scalar.HalfToFloat64(uint16(w))), float32(scalar.HalfToFloat64(uint16(w >> 16)))}
}

func packBytes(a, b, c, d uint32) uint32 { return a&255 | b&255<<8 | c&255<<16 | d&255<<24 }
func packHalves(low, high uint32) uint32 { return low&0xffff | high<<16 }

// normalised returns x in units of 1/scale: in float64 the product is exact, and so is the sum
// where it decides.
func normalised(x float32, low, scale float64) uint32 {
	bounded := min(max(float64(x), low), 1)
	if bounded != bounded {
		bounded = low
	}
	return uint32(int32(math.Floor(0.5 + float64(scale*bounded))))
}

// fraction returns n/scale, of which the lowest n is one below -1.
func fraction(n int32, scale float32) float32 { return max(float32(n)/scale, -1) }

// half returns the pattern of a float of 16 bits.
func half(x float32) uint32 {
	if x != x {
		return 0x7e00
	}
	return uint32(scalar.HalfFromFloat64(float64(x)))
}

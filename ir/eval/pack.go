package eval

import (
	"math"

	"github.com/gpuc/gpuc/ir/op"
)

// The packings (WGSL §17.9, §17.10) and the packed dot products. A packing has a count of lanes, of
// so many bits each, with lane 0 in the lowest bits. Its functions encode a component in a lane and
// decode it.

type packing struct {
	lanes, bits int
	encode      func(uint64) uint64 // of a component; bits above the lane are cut
	decode      func(uint64) uint64 // of a zero-extended lane
}

var packings = [op.Count]packing{
	op.Pack4x8Snorm:    {lanes: 4, bits: 8, encode: func(a uint64) uint64 { return encodeNormalised(a, -1, 127) }},
	op.Pack4x8Unorm:    {lanes: 4, bits: 8, encode: func(a uint64) uint64 { return encodeNormalised(a, 0, 255) }},
	op.Pack4xI8:        {lanes: 4, bits: 8, encode: keep},
	op.Pack4xU8:        {lanes: 4, bits: 8, encode: keep},
	op.Pack4xI8Clamp:   {lanes: 4, bits: 8, encode: func(a uint64) uint64 { return uint64(min(max(int32(a), -128), 127)) }},
	op.Pack4xU8Clamp:   {lanes: 4, bits: 8, encode: func(a uint64) uint64 { return min(a, 255) }},
	op.Pack2x16Snorm:   {lanes: 2, bits: 16, encode: func(a uint64) uint64 { return encodeNormalised(a, -1, 32767) }},
	op.Pack2x16Unorm:   {lanes: 2, bits: 16, encode: func(a uint64) uint64 { return encodeNormalised(a, 0, 65535) }},
	op.Pack2x16Float:   {lanes: 2, bits: 16, encode: func(a uint64) uint64 { return half(float64(fromSingle(a))) }},
	op.Unpack4x8Snorm:  {lanes: 4, bits: 8, decode: func(a uint64) uint64 { return decodeNormalised(float32(int8(a)), 127) }},
	op.Unpack4x8Unorm:  {lanes: 4, bits: 8, decode: func(a uint64) uint64 { return decodeNormalised(float32(a), 255) }},
	op.Unpack4xI8:      {lanes: 4, bits: 8, decode: func(a uint64) uint64 { return uint64(uint32(int8(a))) }},
	op.Unpack4xU8:      {lanes: 4, bits: 8, decode: keep},
	op.Unpack2x16Snorm: {lanes: 2, bits: 16, decode: func(a uint64) uint64 { return decodeNormalised(float32(int16(a)), 32767) }},
	op.Unpack2x16Unorm: {lanes: 2, bits: 16, decode: func(a uint64) uint64 { return decodeNormalised(float32(a), 65535) }},
	op.Unpack2x16Float: {lanes: 2, bits: 16, decode: func(a uint64) uint64 { return single(float32(fromHalf(a))) }},
}

// encodeNormalised returns ⌊½ + scale·clamp(x, lowest, 1)⌋. The product is exact
// in float64, and the sum where it decides the floor. NaN becomes lowest, as
// the clamp of package eval has it.
func encodeNormalised(a uint64, lowest, scale float64) uint64 {
	x := clamp64(float64(fromSingle(a)), lowest, 1)
	return uint64(int64(math.Floor(0.5 + float64(scale*x))))
}

// decodeNormalised returns max(v / scale, -1), the quotient correctly rounded.
func decodeNormalised(v, scale float32) uint64 { return single(max(v/scale, -1)) }

// Pack packs a vector of f32, i32 or u32 components into a u32. It panics if o
// is not a packing or the number of components is not that of its operand.
func Pack(o op.Op, components []uint64) uint64 {
	p := &packings[o]
	if p.encode == nil || len(components) != p.lanes {
		panic("eval: " + o.String() + " does not pack these components")
	}
	var packed uint64
	for i, c := range components {
		packed |= p.encode(c) & (1<<p.bits - 1) << (i * p.bits)
	}
	return packed
}

// Unpack unpacks a u32 into out, which must have as many components as the
// result of o. It panics if o is not an unpacking.
func Unpack(o op.Op, packed uint64, out []uint64) {
	p := &packings[o]
	if p.decode == nil || len(out) != p.lanes {
		panic("eval: " + o.String() + " does not unpack to these components")
	}
	for i := range out {
		out[i] = p.decode(packed >> (i * p.bits) & (1<<p.bits - 1))
	}
}

// Dot4I8 returns the dot product, an i32, of two vectors of four signed bytes
// packed in u32.
func Dot4I8(a, b uint64) uint64 {
	var sum int32
	for shift := 0; shift < 32; shift += 8 {
		sum += int32(int8(a>>shift)) * int32(int8(b>>shift))
	}
	return uint64(uint32(sum))
}

// Dot4U8 returns the dot product, a u32, of two vectors of four unsigned bytes
// packed in u32.
func Dot4U8(a, b uint64) uint64 {
	var sum uint64
	for shift := 0; shift < 32; shift += 8 {
		sum += (a >> shift & 255) * (b >> shift & 255)
	}
	return sum
}

package texture

import (
	"encoding/binary"
	"math"
	"sync/atomic"

	"github.com/gpuc/gpuc/ir/scalar"
)

// This file converts between texels in memory and what kernels see of them (the
// channel transfer functions of WGSL §6.6.1), by tables over the encodings.
//
// Reading is exact, or rounded once to the nearest f32. Writing clamps to what the channel holds,
// integers too, which WGSL requires of normalised channels and WebGPU's devices do for all, and
// rounds to the nearest value, ties to even. A NaN becomes zero in encodings that have none. Memory
// is little-endian.

// Texel is four channels, each in the storage of package scalar for the format's
// Channel.
type Texel [4]uint64

// one is the alpha of formats without it, by the kind of the channels.
var one = [scalar.Count]uint64{scalar.F32: 0x3F800000, scalar.I32: 1, scalar.U32: 1}

// Missing returns the bits of a channel that the format does not have.
func (f Format) Missing(c int) uint32 {
	if c == 3 {
		return uint32(one[formats[f].Channel])
	}
	return 0
}

// Decode returns the texel in the first bytes of memory.
func (f Format) Decode(from []byte) (t Texel) {
	i := &formats[f]
	t[3] = one[i.Channel]
	switch i.Bits {
	case 8:
		values := Octets(i.Encoding)
		for c, n := range from[:i.Channels] {
			t[c] = uint64(values[n])
		}
		if i.Encoding == SRGB {
			t[3] = uint64(Octets(Unorm)[from[3]])
		}
		if i.Reversed {
			t[0], t[2] = t[2], t[0]
		}
	case 16:
		decode := decoders[i.Encoding]
		for c := range i.Channels {
			t[c] = decode(uint32(binary.LittleEndian.Uint16(from[2*c:])), 16)
		}
	case 32:
		for c := range i.Channels {
			t[c] = uint64(binary.LittleEndian.Uint32(from[4*c:]))
		}
	default:
		return unpackers[i.Encoding](binary.LittleEndian.Uint32(from))
	}
	return t
}

// Encode writes a texel to the first bytes of memory.
func (f Format) Encode(to []byte, t Texel) {
	i := &formats[f]
	if i.Reversed {
		t[0], t[2] = t[2], t[0]
	}
	encode := encoders[i.Encoding]
	switch i.Bits {
	case 8:
		for c := range i.Channels {
			to[c] = byte(encode(t[c], 8))
		}
		if i.Encoding == SRGB {
			to[3] = byte(encodeUnorm(t[3], 8))
		}
	case 16:
		for c := range i.Channels {
			binary.LittleEndian.PutUint16(to[2*c:], uint16(encode(t[c], 16)))
		}
	case 32:
		for c := range i.Channels {
			binary.LittleEndian.PutUint32(to[4*c:], uint32(t[c]))
		}
	default:
		binary.LittleEndian.PutUint32(to, packers[i.Encoding](t))
	}
}

// encodings is how many there are.
const encodings = Packed9995Ufloat + 1

// decoders read a channel of the given number of bits, fewer than 32.
var decoders = [encodings]func(n uint32, bits int) uint64{
	Unorm: decodeUnorm,
	Snorm: decodeSnorm,
	Uint:  func(n uint32, _ int) uint64 { return uint64(n) },
	Sint:  func(n uint32, bits int) uint64 { return uint64(uint32(signed(n, bits))) },
	Float: func(n uint32, _ int) uint64 { return uint64(math.Float32bits(Half(uint16(n)))) },
	SRGB:  decodeSRGB,
}

// Half returns the value of the bits of a half. A NaN stays one, with its bits.
func Half(n uint16) float32 { return float32(scalar.HalfToFloat64(n)) }

// encoders write a channel of the given number of bits, fewer than 32; bits above those are
// not part of it.
var encoders = [encodings]func(value uint64, bits int) uint32{
	Unorm: encodeUnorm,
	Snorm: encodeSnorm,
	Uint:  func(value uint64, bits int) uint32 { return uint32(min(value, 1<<bits-1)) },
	Sint: func(value uint64, bits int) uint32 {
		limit := int32(1) << (bits - 1)
		return uint32(min(max(int32(value), -limit), limit-1))
	},
	Float: func(value uint64, _ int) uint32 { return uint32(scalar.HalfFromFloat64(float(value))) },
	SRGB:  encodeSRGB,
}

// unpackers and packers convert the formats whose channels share 32 bits.
var (
	unpackers = [encodings]func(uint32) Texel{
		Packed1010102Unorm: unpack1010102Unorm, Packed1010102Uint: unpack1010102Uint,
		Packed111110Ufloat: unpack111110, Packed9995Ufloat: unpack9995,
	}
	packers = [encodings]func(Texel) uint32{
		Packed1010102Unorm: pack1010102Unorm, Packed1010102Uint: pack1010102Uint,
		Packed111110Ufloat: pack111110, Packed9995Ufloat: pack9995,
	}
)

// octets is what 8-bit channels hold, by encoding: most images have these. The table of an encoding
// is made when it is first used.
var octets [encodings]atomic.Pointer[[256]uint32]

// Octets returns what channels of 8 bits hold in an encoding. It is written so that Go inlines it.
func Octets(e Encoding) (table *[256]uint32) {
	if table = octets[e].Load(); table != nil {
		return
	}
	return makeOctets(e)
}

// makeOctets makes the table of an encoding; if two do at the same time, both make the same.
func makeOctets(e Encoding) *[256]uint32 {
	table := new([256]uint32)
	for n := range table {
		table[n] = uint32(decoders[e](uint32(n), 8))
	}
	octets[e].Store(table)
	return table
}

func float(bits uint64) float64 { return float64(math.Float32frombits(uint32(bits))) }

func floatBits(x float64) uint64 { return uint64(math.Float32bits(float32(x))) }

// signed extends the sign of a number of the given number of bits.
func signed(n uint32, bits int) int32 { return int32(n<<(32-bits)) >> (32 - bits) }

func decodeUnorm(n uint32, bits int) uint64 { return floatBits(float64(n) / float64(int(1)<<bits-1)) }

func encodeUnorm(value uint64, bits int) uint32 {
	return uint32(math.RoundToEven(clamp(float(value), 0, 1) * float64(int(1)<<bits-1)))
}

func decodeSnorm(n uint32, bits int) uint64 {
	return floatBits(max(float64(signed(n, bits))/float64(int(1)<<(bits-1)-1), -1))
}

func encodeSnorm(value uint64, bits int) uint32 {
	return uint32(int32(math.RoundToEven(clamp(float(value), -1, 1) * float64(int(1)<<(bits-1)-1))))
}

// clamp limits a number; a NaN becomes zero.
func clamp(x, low, high float64) float64 {
	if x != x {
		return 0
	}
	return min(max(x, low), high)
}

// decodeSRGB is the curve of sRGB (IEC 61966-2-1), in the constants that Vulkan gives it.
func decodeSRGB(n uint32, bits int) uint64 {
	x := float64(n) / float64(int(1)<<bits-1)
	if x <= 0.04045 {
		return floatBits(x / 12.92)
	}
	return floatBits(math.Pow((x+0.055)/1.055, 2.4))
}

func encodeSRGB(value uint64, bits int) uint32 {
	x := clamp(float(value), 0, 1)
	if x < 0.0031308 {
		x *= 12.92
	} else {
		x = 1.055*math.Pow(x, 1/2.4) - 0.055
	}
	return uint32(math.RoundToEven(x * float64(int(1)<<bits-1)))
}

func unpack1010102Unorm(n uint32) Texel {
	return Texel{decodeUnorm(n&1023, 10), decodeUnorm(n>>10&1023, 10), decodeUnorm(n>>20&1023, 10), decodeUnorm(n>>30, 2)}
}

func pack1010102Unorm(t Texel) uint32 {
	return encodeUnorm(t[0], 10) | encodeUnorm(t[1], 10)<<10 | encodeUnorm(t[2], 10)<<20 | encodeUnorm(t[3], 2)<<30
}

func unpack1010102Uint(n uint32) Texel {
	return Texel{uint64(n & 1023), uint64(n >> 10 & 1023), uint64(n >> 20 & 1023), uint64(n >> 30)}
}

func pack1010102Uint(t Texel) uint32 {
	return uint32(min(t[0], 1023) | min(t[1], 1023)<<10 | min(t[2], 1023)<<20 | min(t[3], 3)<<30)
}

// Unsigned floats of 11 and 10 bits are binary16 without its sign and without
// its last 4 or 5 bits.

func unpack111110(n uint32) Texel {
	value := func(n uint32, cut int) uint64 { return floatBits(scalar.HalfToFloat64(uint16(n << cut))) }
	return Texel{value(n&2047, 4), value(n>>11&2047, 4), value(n>>22, 5), one[scalar.F32]}
}

func pack111110(t Texel) uint32 {
	return encodeUfloat(float(t[0]), 6) | encodeUfloat(float(t[1]), 6)<<11 | encodeUfloat(float(t[2]), 5)<<22
}

// encodeUfloat rounds to a fraction of the given number of bits. Negative numbers become
// zero, those beyond the largest infinite; a NaN stays one.
func encodeUfloat(x float64, bits int) uint32 {
	switch {
	case x != x:
		return 1<<(bits+5) - 1
	case x <= 0:
		return 0
	}
	if !math.IsInf(x, 1) {
		_, e := math.Frexp(x)
		unit := math.Ldexp(1, max(e-1, -14)-bits)
		x = math.RoundToEven(x/unit) * unit
	}
	return uint32(scalar.HalfFromFloat64(x)) >> (10 - bits)
}

// The format with a common exponent: bias 15, three fractions of 9 bits without
// implicit one.
const (
	sharedBits    = 9
	sharedBias    = 15
	sharedLargest = 511.0 / 512 * (1 << 16)
)

func unpack9995(n uint32) Texel {
	value := func(n uint32, e int) uint64 { return floatBits(math.Ldexp(float64(n&511), e-sharedBias-sharedBits)) }
	e := int(n >> 27)
	return Texel{value(n, e), value(n>>9, e), value(n>>18, e), one[scalar.F32]}
}

func pack9995(t Texel) uint32 {
	r, g, b := clamp(float(t[0]), 0, sharedLargest), clamp(float(t[1]), 0, sharedLargest), clamp(float(t[2]), 0, sharedLargest)
	largest, e := max(r, g, b), 0
	if largest > 0 {
		_, e = math.Frexp(largest)
		e = max(e+sharedBias, 0)
	}
	fraction := func(x float64) uint32 {
		return uint32(math.RoundToEven(math.Ldexp(x, sharedBits+sharedBias-e)))
	}
	if fraction(largest) == 1<<sharedBits { // rounded up to the next power of two
		e++
	}
	return fraction(r) | fraction(g)<<9 | fraction(b)<<18 | uint32(e)<<27
}

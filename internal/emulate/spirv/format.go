package spirv

import "math"

// Texel formats of storage images (SPIR-V §3.11), and the values that the channels of each can
// represent. A texel is read as words of 32 bits. Storing a word that the format cannot represent
// is an error: the result would be undefined or depend on how a device rounds.

// texelFormat is a row of texelFormats.
type texelFormat struct {
	name     string
	encoding *encoding
	bits     [4]uint8 // of each channel, 0 for those that the format lacks
	extended bool     // whether it needs StorageImageExtendedFormats
}

// channels returns the number of channels.
func (f *texelFormat) channels() uint32 {
	n := uint32(0)
	for n < 4 && f.bits[n] != 0 {
		n++
	}
	return n
}

// encoding is how a channel encodes values.
type encoding struct {
	kind   kind // of the image's sampled type, with its sign
	signed bool
	one    uint32 // the alpha of formats without one
	// keep returns the word that is read after x was stored in a channel of so many bits, and
	// whether both are the same value.
	keep func(x uint32, bits uint8) (uint32, bool)
}

const singleOne = 0x3F800000

var (
	single          = encoding{floatKind, false, singleOne, func(x uint32, _ uint8) (uint32, bool) { return x, true }}
	half            = encoding{floatKind, false, singleOne, keepHalf}
	short           = encoding{floatKind, false, singleOne, keepShort}
	unorm           = encoding{floatKind, false, singleOne, keepUnorm}
	snorm           = encoding{floatKind, false, singleOne, keepSnorm}
	unsignedInteger = encoding{integerKind, false, 1, keepUnsigned}
	signedInteger   = encoding{integerKind, true, 1, keepSigned}
)

// The widths of channels.
var (
	one8, two8, four8    = [4]uint8{8}, [4]uint8{8, 8}, [4]uint8{8, 8, 8, 8}
	one16, two16, four16 = [4]uint8{16}, [4]uint8{16, 16}, [4]uint8{16, 16, 16, 16}
	one32, two32, four32 = [4]uint8{32}, [4]uint8{32, 32}, [4]uint8{32, 32, 32, 32}
	tens                 = [4]uint8{10, 10, 10, 2}
)

// texelFormats are the supported formats, by their SPIR-V enumerant.
var texelFormats = map[uint32]*texelFormat{
	1:  {"Rgba32f", &single, four32, false},
	2:  {"Rgba16f", &half, four16, false},
	3:  {"R32f", &single, one32, false},
	4:  {"Rgba8", &unorm, four8, false},
	5:  {"Rgba8Snorm", &snorm, four8, false},
	6:  {"Rg32f", &single, two32, true},
	7:  {"Rg16f", &half, two16, true},
	8:  {"R11fG11fB10f", &short, [4]uint8{11, 11, 10}, true},
	9:  {"R16f", &half, one16, true},
	10: {"Rgba16", &unorm, four16, true},
	11: {"Rgb10A2", &unorm, tens, true},
	12: {"Rg16", &unorm, two16, true},
	13: {"Rg8", &unorm, two8, true},
	14: {"R16", &unorm, one16, true},
	15: {"R8", &unorm, one8, true},
	16: {"Rgba16Snorm", &snorm, four16, true},
	17: {"Rg16Snorm", &snorm, two16, true},
	18: {"Rg8Snorm", &snorm, two8, true},
	19: {"R16Snorm", &snorm, one16, true},
	20: {"R8Snorm", &snorm, one8, true},
	21: {"Rgba32i", &signedInteger, four32, false},
	22: {"Rgba16i", &signedInteger, four16, false},
	23: {"Rgba8i", &signedInteger, four8, false},
	24: {"R32i", &signedInteger, one32, false},
	25: {"Rg32i", &signedInteger, two32, true},
	26: {"Rg16i", &signedInteger, two16, true},
	27: {"Rg8i", &signedInteger, two8, true},
	28: {"R16i", &signedInteger, one16, true},
	29: {"R8i", &signedInteger, one8, true},
	30: {"Rgba32ui", &unsignedInteger, four32, false},
	31: {"Rgba16ui", &unsignedInteger, four16, false},
	32: {"Rgba8ui", &unsignedInteger, four8, false},
	33: {"R32ui", &unsignedInteger, one32, false},
	34: {"Rgb10a2ui", &unsignedInteger, tens, true},
	35: {"Rg32ui", &unsignedInteger, two32, true},
	36: {"Rg16ui", &unsignedInteger, two16, true},
	37: {"Rg8ui", &unsignedInteger, two8, true},
	38: {"R16ui", &unsignedInteger, one16, true},
	39: {"R8ui", &unsignedInteger, one8, true},
}

// value decodes a word for a message.
func (e *encoding) value(x uint32) any {
	switch {
	case e.kind == floatKind:
		return math.Float32frombits(x)
	case e.signed:
		return int32(x)
	}
	return x
}

func keepUnsigned(x uint32, bits uint8) (uint32, bool) { return x, uint64(x)>>bits == 0 }

func keepSigned(x uint32, bits uint8) (uint32, bool) {
	rest := int32(x) >> (bits - 1) // the sign and the bits above, which must equal it
	return x, rest == 0 || rest == -1
}

// keepHalf accepts only one NaN, that of halfToDouble.
func keepHalf(x uint32, _ uint8) (uint32, bool) {
	y := uint32(doubleToSingle(halfToDouble(doubleToHalf(singleToDouble(uint64(x))))))
	return y, y == x
}

// keepShort is for floats of 11 and 10 bits, which are halves without the sign and the low bits of
// the fraction.
func keepShort(x uint32, bits uint8) (uint32, bool) {
	if singleToDouble(uint64(x)) == 0 {
		return 0, true
	}
	dropped := uint64(1)<<(15-bits) - 1
	y, ok := keepHalf(x, bits)
	return y, ok && x>>31 == 0 && doubleToHalf(singleToDouble(uint64(x)))&dropped == 0
}

// keepUnorm and keepSnorm are for normalised integers, which are read as the nearest float. There
// is no -0.
func keepUnorm(x uint32, bits uint8) (uint32, bool) { return fraction(x, 0, float32(int(1)<<bits-1)) }

func keepSnorm(x uint32, bits uint8) (uint32, bool) {
	largest := float32(int(1)<<(bits-1) - 1)
	return fraction(x, -largest, largest)
}

func fraction(x uint32, lowest, largest float32) (uint32, bool) {
	f := math.Float32frombits(x)
	if f == 0 {
		return 0, true
	}
	n := float32(math.RoundToEven(float64(f) * float64(largest)))
	y := n / largest
	return math.Float32bits(y), y == f && lowest <= n && n <= largest
}

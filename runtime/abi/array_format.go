// How CUDA's arrays hold texels: what a PTX kernel writes into surfaces, and what the driver
// converts copies from and to.

package abi

import (
	"math"

	"github.com/gpuc/gpuc/ir/texture"
)

// ArrayFormat returns the format of the array that holds textures of a format on a device of CUDA. Its
// arrays have one, two or four channels of one width (Driver API, cuArray3DCreate). Texels with
// channels of several widths are held in wider ones that have all of their values, those that have
// blue first in the usual order, and depths as numbers.
//
// Formats without alpha are held with a fourth channel, whose value no kernel sees
// (ChannelsParameter).
func ArrayFormat(f texture.Format) texture.Format {
	switch f {
	case texture.BGRA8Unorm:
		return texture.RGBA8Unorm
	case texture.BGRA8UnormSRGB:
		return texture.RGBA8UnormSRGB
	case texture.RGB10A2Unorm:
		return texture.RGBA32Float // a half has the values of 10 bits to within 2^-12 only
	case texture.RGB10A2Uint:
		return texture.RGBA16Uint
	case texture.RG11B10Ufloat, texture.RGB9E5Ufloat:
		return texture.RGBA16Float
	case texture.Depth16Unorm:
		return texture.R16Unorm
	case texture.Depth32Float:
		return texture.R32Float
	}
	return f
}

// FilterOf returns the filter that a sampler takes where the level of detail that is asked for is
// positive, or where it is not: an object of CUDA has one filter, so there are two objects. The
// sampler moves the level into its bounds before it looks at the sign.
func FilterOf(s *texture.Sampler, positive bool) texture.Filter {
	if s == nil {
		return texture.Nearest
	}
	if (positive || s.LowestLevel > 0) && s.HighestLevel > 0 {
		return s.Minify
	}
	return s.Magnify
}

// Comparison is what a PTX kernel must know of a comparison sampler and the texture it is used
// with: CUDA's samplers do not compare, so kernels do, with the four texels that a gather yields.
type Comparison uint32

// The parts of a Comparison: for which relations of the reference to a texel it holds, less, equal
// and greater; whether the four comparisons are weighed instead of the nearest one taken; whether
// the reference is kept from 0 to 1, as the texels are; and the level that is compared with.
const (
	ComparesLess Comparison = 1 << iota
	ComparesEqual
	ComparesGreater
	ComparesLinearly
	ComparesUnorm

	ComparisonLevel = 16 // the shift
)

// Compared describes the use of a sampler with a texture that has a format and so many levels. A
// comparison is one at level of detail 0, which the sampler may move to a higher level: then the
// nearest one.
func Compared(s *texture.Sampler, f texture.Format, levels uint32) Comparison {
	if s == nil {
		return 0
	}
	c := Comparison(s.Compare - texture.Never) // whose order is that of the three relations' sets
	level := uint32(0)
	if lowest := min(s.LowestLevel, s.HighestLevel); lowest > 0 {
		level = uint32(min(math.Floor(float64(lowest)+0.5), float64(levels-1)))
	}
	if FilterOf(s, false) == texture.Linear {
		c |= ComparesLinearly
	}
	if f.Info().Encoding == texture.Unorm {
		c |= ComparesUnorm
	}
	return c | Comparison(level)<<ComparisonLevel
}

// Level returns the level that is compared with.
func (c Comparison) Level() uint32 { return uint32(c >> ComparisonLevel) }

// How CUDA's arrays store texels: what a PTX kernel writes into surfaces, and what the driver
// converts copies from and to.

package abi

import (
	"math"

	"github.com/gpuc/gpuc/ir/texture"
)

// ArrayFormat returns the format of the CUDA array that stores textures of a format. Arrays have
// one, two or four channels of one width (Driver API, cuArray3DCreate). Texels with channels of
// several widths are stored in wider channels that represent all their values, BGRA as RGBA, and
// depths as numbers.
//
// Formats without alpha are stored with a fourth channel, whose value no kernel sees
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

// FilterOf returns the filter of a sampler for positive levels of detail, or for the others. A CUDA
// texture object has one filter, so there are two objects. The sampler clamps the level before it
// looks at the sign.
func FilterOf(s *texture.Sampler, positive bool) texture.Filter {
	if s == nil {
		return texture.Nearest
	}
	if (positive || s.LowestLevel > 0) && s.HighestLevel > 0 {
		return s.Minify
	}
	return s.Magnify
}

// Comparison is what a PTX kernel has to know of a comparison sampler and its texture. CUDA's
// samplers do not compare; kernels do it, on the four texels that a gather returns.
type Comparison uint32

// The bits of a Comparison. The first three are the relations of the reference to a texel for which
// it holds. ComparesLinearly weighs all four results; otherwise the nearest one is taken.
// ComparesUnorm clamps the reference to [0, 1], as the texels are. The mip level starts at bit
// ComparisonLevel.
const (
	ComparesLess Comparison = 1 << iota
	ComparesEqual
	ComparesGreater
	ComparesLinearly
	ComparesUnorm

	ComparisonLevel = 16 // the shift
)

// Compared describes the use of a sampler with a texture of a format and a number of levels. A
// comparison reads level of detail 0, which the sampler may clamp to a higher one: then the nearest
// level.
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

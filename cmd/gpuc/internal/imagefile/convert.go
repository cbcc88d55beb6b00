// Package imagefile reads PNG, JPEG and NumPy files as texels, converts texels between formats, and
// writes textures to images and NumPy arrays.
package imagefile

import (
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/ir/texture"
)

// Fill writes the texels to level 0 of an image of the same size. All samples of a texel get its
// value.
func (t *Texels) Fill(to *texture.Image) {
	data := convert(t.data, t.Format, to.Format)
	if to.Samples == 1 {
		copy(to.Level(0), data)
		return
	}
	out, size := to.Level(0)[:0], to.Format.Bytes()
	for ; len(data) > 0; data = data[size:] {
		for range to.Samples {
			out = append(out, data[:size]...)
		}
	}
}

// convertTo converts the texels to another format.
func (t *Texels) convertTo(format texture.Format) {
	t.data, t.Format = convert(t.data, t.Format, format), format
}

// convert converts texels from one format to another. Values out of range are clamped. The bytes of
// an image are encoded by the sRGB curve already. So they do not change between unorm and srgb
// formats.
func convert(data []byte, from, to texture.Format) []byte {
	if to.Info().Encoding == texture.SRGB && from.Info().Encoding == texture.Unorm {
		to = plainFormat(to)
	}
	if from == to {
		return data
	}
	step, size := from.Bytes(), to.Bytes()
	out := make([]byte, len(data)/step*size)
	for i := range len(data) / step {
		to.Encode(out[i*size:], from.Decode(data[i*step:]))
	}
	return out
}

// plainFormat returns the unorm format of an srgb format.
func plainFormat(f texture.Format) texture.Format {
	if f.Info().Reversed {
		return texture.BGRA8Unorm
	}
	return texture.RGBA8Unorm
}

// Downsample makes a mip level by a box filter: each texel is the mean of 2×2 texels (2×2×2 in
// three dimensions) of the level above. The mean is of linear values, also for srgb formats.
func Downsample(m *texture.Image, level uint32) {
	format, size := m.Format, m.Format.Bytes()
	from, to := m.Level(level-1), m.Level(level)
	width, height, depth := intSize(m, level-1)
	w, h, z := intSize(m, level)
	for layer := range int(m.Layers) * z {
		// an image has either layers or slices
		below := [2]int{layer, layer}
		if m.Dimension == texture.D3 {
			below = [2]int{2 * layer, min(2*layer+1, depth-1)}
		}
		for y := range h {
			for x := range w {
				var sum [4]float64
				for n := range 8 {
					at := below[n>>2]*height + min(2*y+n>>1&1, height-1)
					at = at*width + min(2*x+n&1, width-1)
					for c, bits := range format.Decode(from[at*size:]) {
						sum[c] += scalar.ToFloat64(scalar.F32, bits) / 8
					}
				}
				var mean texture.Texel
				for c := range mean {
					mean[c] = scalar.FromFloat64(scalar.F32, sum[c])
				}
				format.Encode(to[((layer*h+y)*w+x)*size:], mean)
			}
		}
	}
}

// intSize is LevelSize as int.
func intSize(m *texture.Image, level uint32) (width, height, depth int) {
	w, h, z := m.LevelSize(level)
	return int(w), int(h), int(z)
}

// CommonFormat returns a format of 16-bit floats for one of 16-bit fractions, which not every
// device samples, and otherwise texture.NoFormat.
func CommonFormat(f texture.Format) texture.Format {
	switch f {
	case texture.R16Unorm, texture.R16Snorm:
		return texture.R16Float
	case texture.RG16Unorm, texture.RG16Snorm:
		return texture.RG16Float
	case texture.RGBA16Unorm, texture.RGBA16Snorm:
		return texture.RGBA16Float
	}
	return texture.NoFormat
}

// Reformat returns a copy of an image in another format.
func Reformat(m *texture.Image, format texture.Format) *texture.Image {
	d := m.Description
	d.Format = format
	out := texture.NewImage(&d)
	for level := range d.Levels {
		copy(out.Level(level), convert(m.Level(level), m.Format, format))
	}
	return out
}

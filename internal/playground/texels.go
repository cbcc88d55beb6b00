package playground

import (
	"fmt"

	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/ir/texture"
	"github.com/gpuc/gpuc/runtime/abi"
)

// maxTexels is the maximum number of texels in a texture.
const maxTexels = 1 << 24

// formatOf returns the default format of a texture.
func formatOf(t *abi.Texture) texture.Format {
	switch {
	case t.Shape.IsStorage():
		return t.Format
	case t.Shape.IsDepth():
		return texture.Depth32Float
	case t.Channel == scalar.U32.String():
		return texture.RGBA8Uint
	case t.Channel == scalar.I32.String():
		return texture.RGBA8Sint
	}
	return texture.RGBA8Unorm
}

// textureDescription returns the description of a texture. Size is the width, the height, and the
// depth or the number of layers.
func textureDescription(h *abi.Handle, size [3]uint32) (texture.Description, error) {
	shape := h.Texture.Shape.Info()
	d := texture.Description{Dimension: shape.Dimension, Format: formatOf(h.Texture), Width: size[0], Height: size[1], Depth: 1, Layers: 1, Levels: 1, Samples: 1}
	switch {
	case shape.Dimension == texture.D1:
		d.Height = 1
	case shape.Dimension == texture.D3:
		d.Depth = size[2]
	case shape.Dimension == texture.Cube:
		d.Dimension, d.Layers = texture.D2, 6
		if shape.Arrayed {
			d.Layers = max(6, size[2]/6*6)
		}
	case shape.Arrayed:
		d.Layers = size[2]
	}
	if shape.Multisampled {
		d.Samples = 4
	}
	if err := d.Check(); err != nil {
		return d, fmt.Errorf("`%s`: %w", h.Name, err)
	}
	if n := uint64(d.Width) * uint64(d.Height) * uint64(d.Depth) * uint64(d.Layers); n > maxTexels {
		return d, fmt.Errorf("`%s` would have %d texels; the playground gives a texture %d", h.Name, n, maxTexels)
	}
	return d, nil
}

// Texels converts an image to texels. An image has a byte for red, green, blue and alpha of each
// pixel, by rows, as a canvas has. It is repeated for each layer.
func Texels(format texture.Format, count int, picture []byte) []byte {
	size := format.Bytes()
	out := make([]byte, count*size)
	info := format.Info()
	for n := range count {
		if len(picture) < 4 {
			break
		}
		from := 4 * n % (len(picture) &^ 3)
		var t texture.Texel
		for c := range t {
			x := picture[from+c]
			switch info.Channel {
			case scalar.F32:
				t[c] = scalar.FromFloat64(scalar.F32, float64(x)/255)
			default:
				t[c] = uint64(x)
			}
		}
		format.Encode(out[n*size:], t)
	}
	return out
}

// Picture converts texels to an image. Integers are clamped to bytes, and fractions to 0 to 1.
func Picture(format texture.Format, texels []byte) []byte {
	size := format.Bytes()
	info := format.Info()
	out := make([]byte, 0, len(texels)/size*4)
	for ; len(texels) >= size; texels = texels[size:] {
		t := format.Decode(texels)
		for c := range t {
			switch {
			case c < 3 && info.Channels == 1: // grey
				out = append(out, channel(info.Channel, t[0]))
			default:
				out = append(out, channel(info.Channel, t[c]))
			}
		}
		if info.Channels < 4 {
			out[len(out)-1] = 255
		}
	}
	return out
}

// channel returns a value as a byte of an image.
func channel(k scalar.Kind, bits uint64) byte {
	if k != scalar.F32 {
		return byte(max(0, min(255, scalar.ToInt64(k, bits))))
	}
	x := scalar.ToFloat64(k, bits)
	if !(x > 0) { // a NaN, too
		return 0
	}
	return byte(min(x, 1)*255 + 0.5)
}

package imagefile

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"math"

	"github.com/gpuc/gpuc/cmd/gpuc/internal/npy"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/ir/texture"
)

// Draw returns the texels of a texture with one layer as an image. Fractions are clamped to 0 to 1.
// Integers are kept. Formats with more than 8 bits make an image of 16 bits, formats with one
// channel a grey one, and those without alpha an opaque one.
func Draw(d *texture.Description, texels []byte) image.Image {
	i, size := d.Format.Info(), d.Format.Bytes()
	deep := i.Bits != 8
	format := d.Format
	if i.Encoding == texture.SRGB {
		format = plainFormat(format)
	}
	limit := 255.0
	if deep {
		limit = math.MaxUint16
	}
	channel := func(bits uint64) uint16 {
		if i.Channel == scalar.U32 {
			return uint16(min(float64(bits), limit))
		}
		x := scalar.ToFloat64(scalar.F32, bits)
		if !(x > 0) { // a NaN, too
			return 0
		}
		return uint16(math.RoundToEven(min(x, 1) * limit))
	}
	bounds := image.Rect(0, 0, int(d.Width), int(d.Height))
	var m interface {
		image.Image
		Set(x, y int, c color.Color)
	}
	var pixel func(c [4]uint16) color.Color
	switch {
	case i.Channels == 1 && deep:
		m, pixel = image.NewGray16(bounds), func(c [4]uint16) color.Color { return color.Gray16{Y: c[0]} }
	case i.Channels == 1:
		m, pixel = image.NewGray(bounds), func(c [4]uint16) color.Color { return color.Gray{Y: uint8(c[0])} }
	case deep:
		m, pixel = image.NewNRGBA64(bounds), func(c [4]uint16) color.Color { return color.NRGBA64{R: c[0], G: c[1], B: c[2], A: c[3]} }
	default:
		m, pixel = image.NewNRGBA(bounds), func(c [4]uint16) color.Color {
			return color.NRGBA{R: uint8(c[0]), G: uint8(c[1]), B: uint8(c[2]), A: uint8(c[3])}
		}
	}
	for y := range bounds.Max.Y {
		for x := range bounds.Max.X {
			var c [4]uint16
			for n, bits := range format.Decode(texels[(y*bounds.Max.X+x)*size:]) {
				c[n] = channel(bits)
			}
			if i.Channels < 4 {
				c[3] = uint16(limit)
			}
			m.Set(x, y, pixel(c))
		}
	}
	return m
}

// EncodeNPY returns a .npy file with the stored values, red first, and its shape as text. Formats
// whose channels share a word give the values that a kernel reads. The axes are layers or slices if
// the type has them, then rows, columns and channels.
func EncodeNPY(d *texture.Description, shape texture.Shape, texels []byte) (file []byte, axesText string) {
	axes := []uint64{uint64(d.Width), uint64(d.Format.Info().Channels)}
	if d.Dimension != texture.D1 {
		axes = append([]uint64{uint64(d.Height)}, axes...)
	}
	if s := shape.Info(); s.Arrayed || d.Dimension == texture.D3 || s.Dimension == texture.Cube {
		axes = append([]uint64{uint64(max(d.Depth, d.Layers))}, axes...)
	}
	i := d.Format.Info()
	if i.Bits != 0 {
		descr := descrOf(i.Encoding, i.Bits)
		if i.Reversed {
			texels = bytes.Clone(texels)
			for at := 0; at < len(texels); at += 4 {
				texels[at], texels[at+2] = texels[at+2], texels[at]
			}
		}
		return npy.Encode(npy.Quote(descr), axes, texels), npy.ShapeText(axes)
	}
	descr := "<f4"
	if i.Channel == scalar.U32 {
		descr = "<u4"
	}
	var out []byte
	for ; len(texels) > 0; texels = texels[d.Format.Bytes():] {
		t := d.Format.Decode(texels)
		for _, bits := range t[:i.Channels] {
			out = binary.LittleEndian.AppendUint32(out, uint32(bits))
		}
	}
	return npy.Encode(npy.Quote(descr), axes, out), npy.ShapeText(axes)
}

// descrOf returns the dtype string for the values of a channel.
func descrOf(encoding texture.Encoding, bits int) string {
	if encoding == texture.SRGB {
		encoding = texture.Unorm
	}
	for _, t := range arrayTypes {
		if t.bits == bits && t.encoding == encoding {
			return t.descr
		}
	}
	panic("no such channel")
}

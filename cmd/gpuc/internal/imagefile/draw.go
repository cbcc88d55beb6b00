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

// Draw makes a picture of the only layer. Fractions are clamped to what a
// picture holds; whole numbers stay what they are. Formats of more than 8 bits
// give a picture of 16 bits, formats of one channel a grey one, and those without
// alpha one that is opaque.
func Draw(d *texture.Description, texels []byte) image.Image {
	i := d.Format.Info()
	deep := i.Bits != 8
	bounds := image.Rect(0, 0, int(d.Width), int(d.Height))
	most := 255.0
	if deep {
		most = math.MaxUint16
	}
	channel := func(bits uint64) uint16 {
		if i.Channel == scalar.U32 {
			return uint16(min(float64(bits), most))
		}
		x := scalar.ToFloat64(scalar.F32, bits)
		if !(x > 0) { // a NaN, too
			return 0
		}
		return uint16(math.RoundToEven(min(x, 1) * most))
	}
	size := d.Format.Bytes()
	at := func(x, y int) (c [4]uint16) {
		t := d.Format.Decode(texels[(y*int(d.Width)+x)*size:])
		if i.Encoding == texture.SRGB {
			t = plainFormat(d.Format).Decode(texels[(y*int(d.Width)+x)*size:])
		}
		for n := range c {
			c[n] = channel(t[n])
		}
		if i.Channels < 4 {
			c[3] = uint16(most)
		}
		return c
	}
	draw := func(set func(x, y int, c [4]uint16)) {
		for y := range bounds.Max.Y {
			for x := range bounds.Max.X {
				set(x, y, at(x, y))
			}
		}
	}
	switch {
	case i.Channels == 1 && deep:
		m := image.NewGray16(bounds)
		draw(func(x, y int, c [4]uint16) { m.SetGray16(x, y, color.Gray16{Y: c[0]}) })
		return m
	case i.Channels == 1:
		m := image.NewGray(bounds)
		draw(func(x, y int, c [4]uint16) { m.SetGray(x, y, color.Gray{Y: uint8(c[0])}) })
		return m
	case deep:
		m := image.NewNRGBA64(bounds)
		draw(func(x, y int, c [4]uint16) {
			m.SetNRGBA64(x, y, color.NRGBA64{R: c[0], G: c[1], B: c[2], A: c[3]})
		})
		return m
	}
	m := image.NewNRGBA(bounds)
	draw(func(x, y int, c [4]uint16) {
		m.SetNRGBA(x, y, color.NRGBA{R: uint8(c[0]), G: uint8(c[1]), B: uint8(c[2]), A: uint8(c[3])})
	})
	return m
}

// EncodeNPY makes an array of the stored numbers, red first; formats whose
// channels share a word give what a kernel reads. The axes are layers or slices
// where the type has them, rows, columns, channels.
func EncodeNPY(d *texture.Description, shape texture.Shape, texels []byte) (file []byte, form string) {
	axes := []uint64{uint64(d.Width), uint64(d.Format.Info().Channels)}
	if d.Dimension != texture.D1 {
		axes = append([]uint64{uint64(d.Height)}, axes...)
	}
	if s := shape.Info(); s.Arrayed || d.Dimension == texture.D3 || s.Dimension == texture.Cube {
		axes = append([]uint64{uint64(max(d.Depth, d.Layers))}, axes...)
	}
	i := d.Format.Info()
	if i.Bits != 0 {
		descr := npyDescr(i.Encoding, i.Bits)
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

// npyDescr is NumPy's name for the numbers of a channel.
func npyDescr(encoding texture.Encoding, bits int) string {
	for _, t := range arrayTypes {
		if t.bits != bits {
			continue
		}
		for _, e := range t.encodings {
			if e == encoding || e == texture.Unorm && encoding == texture.SRGB {
				return t.descr
			}
		}
	}
	panic("no such channel")
}

// CommonFormat is the format that every device samples in place of one of 16-bit
// fractions, which it need not have.
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

// Reformat makes an image of another format with the same texels.
func Reformat(m *texture.Image, format texture.Format) *texture.Image {
	d := m.Description
	d.Format = format
	out := texture.NewImage(&d)
	for level := range d.Levels {
		copy(out.Level(level), convert(m.Level(level), m.Format, format))
	}
	return out
}

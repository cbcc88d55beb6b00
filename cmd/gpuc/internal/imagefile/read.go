package imagefile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/color"
	_ "image/jpeg"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gpuc/gpuc/cmd/gpuc/internal/memlimit"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/npy"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/usage"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/ir/texture"
	"github.com/gpuc/gpuc/runtime/abi"
)

// This file reads pictures and arrays as texels, converts texels between formats,
// and makes mip levels.

// Texels are texels as a file has them.
type Texels struct {
	Size   [3]uint32      // width, height, depth or layers
	Format texture.Format // one that holds the file's numbers exactly
	data   []byte         // slice by slice, row by row
}

// ReadLayers reads the files of a texture: one with everything, or one for each
// layer or slice.
func ReadLayers(h *abi.Handle, files []string, r *memlimit.Limit) (*Texels, error) {
	shape := h.Texture.Shape.Info()
	stacked := shape.Arrayed || shape.Dimension == texture.D3 || shape.Dimension == texture.Cube
	for _, file := range files {
		if !slices.Contains(Extensions, strings.ToLower(filepath.Ext(file))) {
			return nil, usage.Errorf("`%s` is no file that makes a texture: %s", file, Forms)
		}
	}
	if len(files) > 1 && !stacked {
		return nil, usage.Errorf("`%s` (%s) takes one file, not %d", h.Name, h.Type, len(files))
	}
	var whole *Texels
	for _, file := range files {
		p, err := readPixels(h, file, stacked && len(files) == 1, r)
		if err != nil {
			return nil, err
		}
		switch {
		case whole == nil:
			whole = p
			continue
		case p.Size != whole.Size:
			return nil, usage.Errorf("%s has %d×%d texels and %s %d×%d; layers and slices are of one size",
				files[0], whole.Size[0], whole.Size[1], file, p.Size[0], p.Size[1])
		case p.Format != whole.Format:
			p.data, p.Format = convert(p.data, p.Format, whole.Format), whole.Format
		}
		whole.data = append(whole.data, p.data...)
	}
	whole.Size[2] *= uint32(len(files))
	return whole, nil
}

func readPixels(h *abi.Handle, file string, stacked bool, r *memlimit.Limit) (*Texels, error) {
	if strings.ToLower(filepath.Ext(file)) == ".npy" {
		return readArrayPixels(h, file, stacked, r)
	}
	return readPicturePixels(h.Texture, file, r)
}

// mostPixels is how many pixels a byte of a picture's file can stand for: deflate
// shrinks to 1/1032 at best, and a pixel has a bit or more. JPEG does not reach it.
const mostPixels = 8 * 1032

// Open reads a picture once its size is known to fit, for memory is made of
// what the header says. Largest bounds width and height. Deep says that channels
// have 16 bits.
func Open(file string, largest int, r *memlimit.Limit) (picture image.Image, deep bool, err error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, false, usage.CannotRead(file, err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, false, err
	}
	config, _, err := image.DecodeConfig(f)
	if errors.Is(err, image.ErrFormat) {
		return nil, false, fmt.Errorf("%s is neither a PNG nor a JPEG image", file)
	}
	if err != nil {
		return nil, false, fmt.Errorf("%s: %w", file, err)
	}
	switch config.ColorModel {
	case color.NRGBA64Model, color.RGBA64Model, color.Gray16Model:
		deep = true
	}
	bytes := uint64(8) // of a pixel, in the decoder's memory and ours
	if deep {
		bytes = 16
	}
	n := uint64(config.Width) * uint64(config.Height)
	switch {
	case config.Width > largest || config.Height > largest:
		return nil, false, usage.Errorf("%s has %d×%d pixels; at most %d in each direction fit, so make it smaller",
			file, config.Width, config.Height, largest)
	case n > uint64(info.Size())*mostPixels:
		return nil, false, fmt.Errorf("%s is damaged: %d bytes cannot hold %d×%d pixels",
			file, info.Size(), config.Width, config.Height)
	}
	if err := r.Take(file, n, bytes); err != nil {
		return nil, false, err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, false, err
	}
	if picture, _, err = image.Decode(f); err != nil {
		return nil, false, fmt.Errorf("%s: %w", file, err)
	}
	return picture, deep, nil
}

// readPicturePixels reads a picture as numbers of 8 or 16 bits, not premultiplied.
// Textures of f32 take them as fractions, those of integers as they are, and
// depth textures the brightness.
func readPicturePixels(t *abi.Texture, file string, r *memlimit.Limit) (*Texels, error) {
	picture, deep, err := Open(file, texture.MaxDimension2D, r)
	if err != nil {
		return nil, err
	}
	b := picture.Bounds()
	p := &Texels{Size: [3]uint32{uint32(b.Dx()), uint32(b.Dy()), 1}, Format: pictureFormat(t, deep)}
	p.data = make([]byte, 0, b.Dx()*b.Dy()*p.Format.Bytes())
	bits := p.Format.Info().Bits
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			at := picture.At(x, y)
			switch {
			case t.Shape.IsDepth():
				c := color.NRGBA64Model.Convert(at).(color.NRGBA64)
				c.A = math.MaxUint16 // brightness knows no transparency
				grey := color.Gray16Model.Convert(c).(color.Gray16).Y
				p.data = binary.LittleEndian.AppendUint32(p.data, math.Float32bits(float32(grey)/math.MaxUint16))
			case deep:
				c := color.NRGBA64Model.Convert(at).(color.NRGBA64)
				p.data = appendChannels(p.data, bits, uint32(c.R), uint32(c.G), uint32(c.B), uint32(c.A))
			default:
				c := color.NRGBAModel.Convert(at).(color.NRGBA)
				p.data = appendChannels(p.data, bits, uint32(c.R), uint32(c.G), uint32(c.B), uint32(c.A))
			}
		}
	}
	return p, nil
}

func appendChannels(data []byte, bits int, channels ...uint32) []byte {
	for _, c := range channels {
		switch bits {
		case 8:
			data = append(data, byte(c))
		case 16:
			data = binary.LittleEndian.AppendUint16(data, uint16(c))
		default:
			data = binary.LittleEndian.AppendUint32(data, c)
		}
	}
	return data
}

// pictureFormat is the format that holds a picture's numbers for a texture. The
// signed formats are a size larger, for the numbers have no sign.
func pictureFormat(t *abi.Texture, deep bool) texture.Format {
	n := 0
	if deep {
		n = 1
	}
	switch {
	case t.Shape.IsDepth():
		return texture.Depth32Float
	case t.Channel == scalar.U32.String():
		return [...]texture.Format{texture.RGBA8Uint, texture.RGBA16Uint}[n]
	case t.Channel == scalar.I32.String():
		return [...]texture.Format{texture.RGBA16Sint, texture.RGBA32Sint}[n]
	}
	return [...]texture.Format{texture.RGBA8Unorm, texture.RGBA16Unorm}[n]
}

// arrayTypes says which encoding NumPy's types have in textures of each channel;
// what is missing does not fit.
var arrayTypes = []struct {
	descr, name string
	bits        int
	encodings   map[string]texture.Encoding
}{
	{"|u1", "uint8", 8, map[string]texture.Encoding{"f32": texture.Unorm, "u32": texture.Uint}},
	{"|i1", "int8", 8, map[string]texture.Encoding{"f32": texture.Snorm, "i32": texture.Sint}},
	{"<u2", "uint16", 16, map[string]texture.Encoding{"f32": texture.Unorm, "u32": texture.Uint}},
	{"<i2", "int16", 16, map[string]texture.Encoding{"f32": texture.Snorm, "i32": texture.Sint}},
	{"<u4", "uint32", 32, map[string]texture.Encoding{"u32": texture.Uint}},
	{"<i4", "int32", 32, map[string]texture.Encoding{"i32": texture.Sint}},
	{"<f2", "float16", 16, map[string]texture.Encoding{"f32": texture.Float}},
	{"<f4", "float32", 32, map[string]texture.Encoding{"f32": texture.Float}},
}

// readArrayPixels reads a NumPy array: rows, columns and, for more than one,
// channels; if it is stacked, slices or layers before them.
func readArrayPixels(h *abi.Handle, file string, stacked bool, r *memlimit.Limit) (*Texels, error) {
	if info, err := os.Stat(file); err == nil {
		if err := r.Take(file, uint64(info.Size()), 1); err != nil {
			return nil, err
		}
	}
	a, err := npy.Open(file)
	if err != nil {
		return nil, err
	}
	p := &Texels{Size: [3]uint32{1, 1, 1}, data: a.Contents}
	axes := int(h.Texture.Shape.Info().Dimension) // of texels
	if axes > 2 {
		axes = 2
	}
	form := [...]string{"(width)", "(height, width)"}[axes-1]
	if stacked {
		axes, form = 3, "(layers, height, width)"
	}
	channels := 1
	switch len(a.Shape) - axes {
	case 0:
	case 1:
		channels = int(min(a.Shape[axes], 5))
	default:
		return nil, usage.Errorf("%s has the shape %s; `%s` (%s) takes %s, with the channels behind if there are several",
			file, npy.ShapeText(a.Shape), h.Name, h.Type, form)
	}
	if channels != 1 && channels != 2 && channels != 4 {
		return nil, usage.Errorf("%s has the shape %s; the last number is that of the channels, and textures have 1, 2 or 4: pad them to 4",
			file, npy.ShapeText(a.Shape))
	}
	for i := range axes {
		n := a.Shape[axes-1-i]
		if n < 1 || n > texture.MaxDimension2D {
			return nil, usage.Errorf("%s has the shape %s; the sizes of a texture are from 1 to %d",
				file, npy.ShapeText(a.Shape), texture.MaxDimension2D)
		}
		p.Size[i] = uint32(n)
	}
	var fitting []string
	for _, t := range arrayTypes {
		encoding, ok := t.encodings[h.Texture.Channel]
		if !ok {
			continue
		}
		fitting = append(fitting, t.name)
		if t.descr == a.Descr {
			p.Format = formatOf(channels, t.bits, encoding)
		}
	}
	if p.Format == texture.NoFormat {
		return nil, usage.Errorf("%s has elements of type %s; `%s` (%s) takes %s",
			file, a.Descr, h.Name, h.Type, strings.Join(fitting, ", "))
	}
	if h.Texture.Shape.IsDepth() {
		p.toDepth()
	}
	return p, nil
}

// toDepth makes the format one of depth textures, with the same or more bits.
func (p *Texels) toDepth() {
	to := texture.Depth32Float
	if p.Format == texture.R16Unorm {
		to = texture.Depth16Unorm
	}
	p.data, p.Format = convert(p.data, p.Format, to), to
}

// formatOf finds the format of channels in the usual order.
func formatOf(channels, bits int, encoding texture.Encoding) texture.Format {
	for f := texture.NoFormat + 1; f < texture.Formats; f++ {
		if i := f.Info(); i.Channels == channels && i.Bits == bits && i.Encoding == encoding && !i.Reversed && !i.Depth {
			return f
		}
	}
	return texture.NoFormat
}

// Fill writes the texels to level 0 of an image of the same size, each to all of
// its samples.
func (p *Texels) Fill(to *texture.Image) {
	data := convert(p.data, p.Format, to.Format)
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

// convert changes texels from one format to another, as numbers: what is out of
// range becomes the nearest number in it. A picture's numbers are those of the
// sRGB curve already, so that unorm and srgb formats exchange them unchanged.
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

// plainFormat is the format of the same memory without the sRGB curve.
func plainFormat(f texture.Format) texture.Format {
	if f.Info().Reversed {
		return texture.BGRA8Unorm
	}
	return texture.RGBA8Unorm
}

// Downsample makes a mip level of the one before: each texel is the mean of the two
// by two (in three dimensions by two) that lie under it. The mean is taken of what
// reads yield, hence of light rather than of sRGB numbers.
func Downsample(m *texture.Image, level uint32) {
	format, size := m.Format, m.Format.Bytes()
	from, to := m.Level(level-1), m.Level(level)
	width, height, depth := intSize(m, level-1)
	w, h, z := intSize(m, level)
	for layer := range int(m.Layers) * z {
		// a level has either layers or slices
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

func intSize(m *texture.Image, level uint32) (width, height, depth int) {
	w, h, z := m.LevelSize(level)
	return int(w), int(h), int(z)
}

const Forms = "a texture takes .png, .jpg and .npy files, WxH for an empty one, or like(NAME)"

// Extensions are those of the files that textures are made from.
var Extensions = []string{".png", ".jpg", ".jpeg", ".npy"}

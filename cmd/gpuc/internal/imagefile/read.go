package imagefile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/color"
	_ "image/jpeg" // photographs
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

// Extensions are those of the files that textures are read from.
var Extensions = []string{".png", ".jpg", ".jpeg", ".npy"}

// Forms says in messages what a texture can be made from.
const Forms = "a texture takes .png, .jpg and .npy files, WxH for an empty one, or like(NAME)"

// Texels are the texels of one mip level.
type Texels struct {
	Size   [3]uint32      // width, height, and depth or layers
	Format texture.Format // holds the values of the file exactly
	data   []byte         // slice by slice, row by row
}

// ReadLayers reads the files of a texture: one file, or one for each layer or slice, which are then
// of the same size.
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
	var all *Texels
	for _, file := range files {
		var t *Texels
		var err error
		if strings.ToLower(filepath.Ext(file)) == ".npy" {
			t, err = readArray(h, file, stacked && len(files) == 1, r)
		} else {
			t, err = readImage(h.Texture, file, r)
		}
		switch {
		case err != nil:
			return nil, err
		case all == nil:
			all = t
			continue
		case t.Size != all.Size:
			return nil, usage.Errorf("%s has %d×%d texels and %s %d×%d; layers and slices are of one size",
				files[0], all.Size[0], all.Size[1], file, t.Size[0], t.Size[1])
		}
		t.convertTo(all.Format)
		all.data = append(all.data, t.data...)
	}
	all.Size[2] *= uint32(len(files))
	return all, nil
}

// maxPixelsPerByte bounds the pixels that a byte of a file can encode: deflate compresses by 1032
// at most, and a pixel has at least one bit. JPEG compresses less.
const maxPixelsPerByte = 8 * 1032

// Open reads a PNG or JPEG image. It first checks the size in the header against largest, the
// maximum of width and height, against the size of the file, and against the memory limit. Deep
// says that channels have 16 bits.
func Open(file string, largest int, r *memlimit.Limit) (img image.Image, deep bool, err error) {
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
	case n > uint64(info.Size())*maxPixelsPerByte:
		return nil, false, fmt.Errorf("%s is damaged: %d bytes cannot hold %d×%d pixels",
			file, info.Size(), config.Width, config.Height)
	}
	if err := r.Take(file, n, bytes); err != nil {
		return nil, false, err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, false, err
	}
	if img, _, err = image.Decode(f); err != nil {
		return nil, false, fmt.Errorf("%s: %w", file, err)
	}
	return img, deep, nil
}

// readImage reads an image as channels of 8 or 16 bits with straight alpha. A depth texture gets
// the brightness.
func readImage(t *abi.Texture, file string, r *memlimit.Limit) (*Texels, error) {
	img, deep, err := Open(file, texture.MaxDimension2D, r)
	if err != nil {
		return nil, err
	}
	b := img.Bounds()
	to := &Texels{Size: [3]uint32{uint32(b.Dx()), uint32(b.Dy()), 1}, Format: imageFormat(t, deep)}
	to.data = make([]byte, 0, b.Dx()*b.Dy()*to.Format.Bytes())
	bits := to.Format.Info().Bits
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			at := img.At(x, y)
			switch {
			case t.Shape.IsDepth():
				c := color.NRGBA64Model.Convert(at).(color.NRGBA64)
				c.A = math.MaxUint16 // the brightness of the colour alone
				grey := color.Gray16Model.Convert(c).(color.Gray16).Y
				to.data = binary.LittleEndian.AppendUint32(to.data, math.Float32bits(float32(grey)/math.MaxUint16))
			case deep:
				c := color.NRGBA64Model.Convert(at).(color.NRGBA64)
				to.data = appendChannels(to.data, bits, c.R, c.G, c.B, c.A)
			default:
				c := color.NRGBAModel.Convert(at).(color.NRGBA)
				to.data = appendChannels(to.data, bits, uint16(c.R), uint16(c.G), uint16(c.B), uint16(c.A))
			}
		}
	}
	return to, nil
}

// appendChannels appends channels as integers of the given number of bits.
func appendChannels(data []byte, bits int, channels ...uint16) []byte {
	for _, c := range channels {
		switch bits {
		case 8:
			data = append(data, byte(c))
		case 16:
			data = binary.LittleEndian.AppendUint16(data, c)
		default:
			data = binary.LittleEndian.AppendUint32(data, uint32(c))
		}
	}
	return data
}

// imageFormat returns the format for the channels of an image in a texture. Signed formats are
// twice as wide, since channels are unsigned.
func imageFormat(t *abi.Texture, deep bool) texture.Format {
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

// arrayTypes are the encodings of texels by the dtype of a NumPy array and the channel type of a
// texture. Other combinations are refused.
var arrayTypes = []struct {
	descr    string
	bits     int
	channel  string
	encoding texture.Encoding
}{
	{"|u1", 8, "f32", texture.Unorm}, {"|u1", 8, "u32", texture.Uint},
	{"|i1", 8, "f32", texture.Snorm}, {"|i1", 8, "i32", texture.Sint},
	{"<u2", 16, "f32", texture.Unorm}, {"<u2", 16, "u32", texture.Uint},
	{"<i2", 16, "f32", texture.Snorm}, {"<i2", 16, "i32", texture.Sint},
	{"<u4", 32, "u32", texture.Uint}, {"<i4", 32, "i32", texture.Sint},
	{"<f2", 16, "f32", texture.Float}, {"<f4", 32, "f32", texture.Float},
}

// readArray reads a NumPy array with the axes (height, width). More than one channel are an axis at
// the end, and the layers or slices of a stack an axis at the beginning.
func readArray(h *abi.Handle, file string, stacked bool, r *memlimit.Limit) (*Texels, error) {
	if info, err := os.Stat(file); err == nil {
		if err := r.Take(file, uint64(info.Size()), 1); err != nil {
			return nil, err
		}
	}
	a, err := npy.Open(file)
	if err != nil {
		return nil, err
	}
	t := &Texels{Size: [3]uint32{1, 1, 1}, data: a.Contents}
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
		t.Size[i] = uint32(n)
	}
	var fitting []string
	for _, row := range arrayTypes {
		if row.channel != h.Texture.Channel {
			continue
		}
		fitting = append(fitting, npy.TypeName(row.descr))
		if row.descr == a.Descr {
			t.Format = formatOf(channels, row.bits, row.encoding)
		}
	}
	if t.Format == texture.NoFormat {
		return nil, usage.Errorf("%s has elements of type %s; `%s` (%s) takes %s",
			file, a.Descr, h.Name, h.Type, strings.Join(fitting, ", "))
	}
	if h.Texture.Shape.IsDepth() {
		to := texture.Depth32Float
		if t.Format == texture.R16Unorm {
			to = texture.Depth16Unorm
		}
		t.convertTo(to)
	}
	return t, nil
}

// formatOf finds the format with the given number of channels of a width and encoding, in the order
// red, green, blue, alpha.
func formatOf(channels, bits int, encoding texture.Encoding) texture.Format {
	for f := texture.NoFormat + 1; f < texture.Formats; f++ {
		if i := f.Info(); i.Channels == channels && i.Bits == bits && i.Encoding == encoding && !i.Reversed && !i.Depth {
			return f
		}
	}
	return texture.NoFormat
}

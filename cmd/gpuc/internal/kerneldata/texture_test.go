package kerneldata

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/imagefile"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/memlimit"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/npy"
	"github.com/gpuc/gpuc/ir/texture"
	"github.com/gpuc/gpuc/runtime/abi"
)

// handleNamed returns the description of a texture variable.
func handleNamed(t *testing.T, shape, channel string, format texture.Format) *abi.Handle {
	t.Helper()
	s, ok := texture.ShapeNamed(shape)
	if !ok {
		t.Fatalf("no shape %s", shape)
	}
	access := abi.Read
	if s.IsStorage() {
		access = abi.Write
	}
	return &abi.Handle{Name: "t", Type: shape, Texture: &abi.Texture{Shape: s, Channel: channel, Format: format, Access: access}}
}

// save writes a file in a temporary folder and returns its path.
func save(t *testing.T, name string, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// encodePNG returns an image as a PNG file.
func encodePNG(t *testing.T, m image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestPictureTextures reads images as textures of different types and formats.
func TestPictureTextures(t *testing.T) {
	draw := func(m interface {
		image.Image
		Set(x, y int, c color.Color)
	}, c color.Color) image.Image {
		for i := range 6 {
			m.Set(i%3, i/3, c)
		}
		return m
	}
	box := image.Rect(0, 0, 3, 2)
	var (
		clear   = draw(image.NewNRGBA(box), color.NRGBA{R: 200, G: 100, B: 50, A: 10})
		deep    = draw(image.NewNRGBA64(box), color.NRGBA64{R: 1, G: 2, B: 40000, A: 50000})
		grey    = draw(image.NewGray(box), color.Gray{Y: 51})
		grey16  = draw(image.NewGray16(box), color.Gray16{Y: 0x1234})
		palette = draw(image.NewPaletted(box, color.Palette{color.NRGBA{A: 255}, color.NRGBA{R: 7, G: 8, B: 9, A: 255}}), color.NRGBA{R: 7, G: 8, B: 9, A: 255})
	)
	words := func(n ...uint16) (data []byte) {
		for _, x := range n {
			data = binary.LittleEndian.AppendUint16(data, x)
		}
		return data
	}
	float := func(x float32) []byte { return binary.LittleEndian.AppendUint32(nil, math.Float32bits(x)) }
	for _, test := range []struct {
		name           string
		picture        image.Image
		shape, channel string
		storage        texture.Format
		option         string
		want           texture.Format
		texel          []byte
	}{
		{"fractions", clear, "texture_2d", "f32", 0, "", texture.RGBA8Unorm, []byte{200, 100, 50, 10}},
		{"srgb", clear, "texture_2d", "f32", 0, ":rgba8unorm-srgb", texture.RGBA8UnormSRGB, []byte{200, 100, 50, 10}},
		{"reversed srgb", clear, "texture_2d", "f32", 0, ":bgra8unorm-srgb", texture.BGRA8UnormSRGB, []byte{50, 100, 200, 10}},
		{"numbers", clear, "texture_2d", "u32", 0, "", texture.RGBA8Uint, []byte{200, 100, 50, 10}},
		{"signed", clear, "texture_2d", "i32", 0, "", texture.RGBA16Sint, words(200, 100, 50, 10)},
		{"deep", deep, "texture_2d", "f32", 0, "", texture.RGBA16Unorm, words(1, 2, 40000, 50000)},
		{"deep srgb", deep, "texture_2d", "f32", 0, ":rgba8unorm-srgb", texture.RGBA8UnormSRGB, []byte{0, 0, 156, 195}},
		{"deep numbers", deep, "texture_2d", "u32", 0, "", texture.RGBA16Uint, words(1, 2, 40000, 50000)},
		{"deep signed", deep, "texture_2d", "i32", 0, "", texture.RGBA32Sint, words(1, 0, 2, 0, 40000, 0, 50000, 0)},
		{"grey", grey, "texture_2d", "f32", 0, "", texture.RGBA8Unorm, []byte{51, 51, 51, 255}},
		{"grey depth", grey, "texture_depth_2d", "f32", 0, "", texture.Depth32Float, float(0.2)},
		{"deep grey", grey16, "texture_2d", "u32", 0, "", texture.RGBA16Uint, words(0x1234, 0x1234, 0x1234, 0xFFFF)},
		{"deep depth", grey16, "texture_depth_2d", "f32", 0, ":depth16unorm", texture.Depth16Unorm, words(0x1234)},
		{"palette", palette, "texture_external", "f32", 0, "", texture.RGBA8Unorm, []byte{7, 8, 9, 255}},
		{"storage", clear, "texture_storage_2d", "f32", texture.RG16Float, "", texture.RG16Float, words(0x3A46, 0x3646)},
		{"storage numbers", clear, "texture_storage_2d", "i32", texture.R8Sint, "", texture.R8Sint, []byte{127}},
		{"samples", clear, "texture_multisampled_2d", "f32", 0, "", texture.RGBA8Unorm,
			[]byte{200, 100, 50, 10, 200, 100, 50, 10, 200, 100, 50, 10, 200, 100, 50, 10}},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := handleNamed(t, test.shape, test.channel, test.storage)
			b, err := readTexture(h, save(t, "p.png", encodePNG(t, test.picture))+test.option, memlimit.NewLimit())
			if err != nil {
				t.Fatal(err)
			}
			if b.Image.Format != test.want || b.Image.Width != 3 || b.Image.Height != 2 {
				t.Fatalf("made %+v, want %v of 3x2", b.Image.Description, test.want)
			}
			if diff := cmp.Diff(bytes.Repeat(test.texel, 6), b.Image.Level(0)); diff != "" {
				t.Errorf("texels (-want +got):\n%s", diff)
			}
		})
	}
}

// TestPhotograph reads a JPEG image.
func TestPhotograph(t *testing.T) {
	var b bytes.Buffer
	if err := jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, 8, 8)), nil); err != nil {
		t.Fatal(err)
	}
	got, err := readTexture(handleNamed(t, "texture_2d", "f32", 0), save(t, "p.JPG", b.Bytes()), memlimit.NewLimit())
	if err != nil || !bytes.Equal(got.Image.Level(0), bytes.Repeat([]byte{0, 0, 0, 255}, 64)) {
		t.Errorf("a black photograph gave %v, %v", got.Image, err)
	}
}

// TestMips: texels of a mip level are means. At odd borders the last texel counts twice.
func TestMips(t *testing.T) {
	m := image.NewGray(image.Rect(0, 0, 5, 3))
	copy(m.Pix, []byte{
		0, 10, 20, 30, 100,
		2, 12, 22, 32, 102,
		40, 60, 80, 81, 83,
	})
	b, err := readTexture(handleNamed(t, "texture_2d", "f32", 0), save(t, "p.png", encodePNG(t, m))+":mips", memlimit.NewLimit())
	if err != nil {
		t.Fatal(err)
	}
	if b.Image.Levels != 3 {
		t.Fatalf("%d levels, want 3", b.Image.Levels)
	}
	grey := func(level uint32) (reds []byte) {
		for texels := b.Image.Level(level); len(texels) > 0; texels = texels[4:] {
			reds = append(reds, texels[0])
		}
		return reds
	}
	if got := grey(1); !bytes.Equal(got, []byte{6, 26}) { // 0 10 2 12, 20 30 22 32
		t.Errorf("level 1 is %v", got)
	}
	if got := grey(2); !bytes.Equal(got, []byte{16}) { // 6 26
		t.Errorf("level 2 is %v", got)
	}

	// the linear mean of black and white is 188 in sRGB
	two := image.NewGray(image.Rect(0, 0, 2, 1))
	two.Pix[1] = 255
	b, err = readTexture(handleNamed(t, "texture_2d", "f32", 0), save(t, "p.png", encodePNG(t, two))+":rgba8unorm-srgb:mips", memlimit.NewLimit())
	if err != nil || !bytes.Equal(b.Image.Level(1), []byte{188, 188, 188, 255}) {
		t.Errorf("black and white make %v, %v", b.Image.Level(1), err)
	}
}

// TestMipsOfVolume: in three dimensions the mean is that of eight texels.
func TestMipsOfVolume(t *testing.T) {
	texels := []byte{0, 8, 16, 24, 32, 40, 48, 56}
	b, err := readTexture(handleNamed(t, "texture_3d", "f32", 0),
		save(t, "a.npy", npy.Encode("'|u1'", []uint64{2, 2, 2}, texels))+":mips", memlimit.NewLimit())
	if err != nil || b.Image.Levels != 2 || !bytes.Equal(b.Image.Level(1), []byte{28}) {
		t.Errorf("made %v, %v", b.Image, err)
	}
}

// TestArrayTextures reads NumPy arrays as textures, and writes them again.
func TestArrayTextures(t *testing.T) {
	count := func(n int) []byte {
		data := make([]byte, n)
		for i := range data {
			data[i] = byte(i)
		}
		return data
	}
	var none texture.Description
	sized := func(dimension texture.Dimension, format texture.Format, w, h, depth, layers uint32) texture.Description {
		return texture.Description{Dimension: dimension, Format: format, Width: w, Height: h, Depth: depth, Layers: layers, Levels: 1, Samples: 1}
	}
	for _, test := range []struct {
		shape, channel string
		descr          string
		axes           []uint64
		want           texture.Description
		err            string
	}{
		{"texture_2d", "f32", "<f4", []uint64{2, 3}, sized(texture.D2, texture.R32Float, 3, 2, 1, 1), ""},
		{"texture_2d", "f32", "<f2", []uint64{2, 3, 4}, sized(texture.D2, texture.RGBA16Float, 3, 2, 1, 1), ""},
		{"texture_2d", "f32", "|u1", []uint64{2, 3, 2}, sized(texture.D2, texture.RG8Unorm, 3, 2, 1, 1), ""},
		{"texture_2d", "f32", "|i1", []uint64{2, 3, 1}, sized(texture.D2, texture.R8Snorm, 3, 2, 1, 1), ""},
		{"texture_2d", "u32", "<u4", []uint64{2, 3, 4}, sized(texture.D2, texture.RGBA32Uint, 3, 2, 1, 1), ""},
		{"texture_2d", "i32", "<i2", []uint64{2, 3}, sized(texture.D2, texture.R16Sint, 3, 2, 1, 1), ""},
		{"texture_1d", "f32", "<f4", []uint64{5, 4}, sized(texture.D1, texture.RGBA32Float, 5, 1, 1, 1), ""},
		{"texture_2d_array", "f32", "<f4", []uint64{4, 2, 3}, sized(texture.D2, texture.R32Float, 3, 2, 1, 4), ""},
		{"texture_3d", "f32", "<f4", []uint64{4, 2, 3, 2}, sized(texture.D3, texture.RG32Float, 3, 2, 4, 1), ""},
		{"texture_cube_array", "f32", "<f4", []uint64{12, 2, 2}, sized(texture.D2, texture.R32Float, 2, 2, 1, 12), ""},
		{"texture_depth_2d", "f32", "<f4", []uint64{2, 3}, sized(texture.D2, texture.Depth32Float, 3, 2, 1, 1), ""},
		{"texture_depth_2d", "f32", "<u2", []uint64{2, 3}, sized(texture.D2, texture.Depth16Unorm, 3, 2, 1, 1), ""},

		{"texture_2d", "f32", "|u1", []uint64{2, 3, 3}, none,
			"has the shape (2, 3, 3); the last number is that of the channels, and textures have 1, 2 or 4: pad them to 4"},
		{"texture_2d", "f32", "<f4", []uint64{1, 2, 3, 4}, none,
			"has the shape (1, 2, 3, 4); `t` (texture_2d) takes (height, width), with the channels behind if there are several"},
		{"texture_2d", "f32", "<f4", []uint64{6}, none,
			"has the shape (6,); `t` (texture_2d) takes (height, width)"},
		{"texture_2d", "f32", "<i4", []uint64{2, 3}, none,
			"has elements of type <i4; `t` (texture_2d) takes uint8, int8, uint16, int16, float16, float32"},
		{"texture_2d", "f32", "<f8", []uint64{2, 3}, none,
			"has elements of type <f8"},
		{"texture_2d", "f32", "|u1", []uint64{1, 9000}, none,
			"has the shape (1, 9000); the sizes of a texture are from 1 to 8192"},
		{"texture_2d", "f32", "<f4", []uint64{0, 3}, none,
			"has the shape (0, 3); the sizes of a texture are from 1 to 8192"},
		{"texture_3d", "f32", "|u1", []uint64{1, 2049, 1}, none,
			"a texture of 1 x 2049 x 1 texels; each must be from 1 to 2048"},
		{"texture_cube", "f32", "|u1", []uint64{5, 2, 2}, none,
			"a texture of 5 layers of 2 x 2, and texture_cube takes square layers, six for each cube"},
		{"texture_2d", "f32", "<f4", []uint64{8192, 8192, 4}, none,
			"is cut off: its shape (8192, 8192, 4) needs 1073741824 bytes, it has 65536"},
	} {
		n := 1
		for _, x := range test.axes {
			n *= int(x)
		}
		size := int(test.descr[2] - '0')
		data := count(min(n*size, 1<<16))
		b, err := readTexture(handleNamed(t, test.shape, test.channel, 0), save(t, "a.npy", npy.Encode(npy.Quote(test.descr), test.axes, data)), memlimit.NewLimit())
		name := test.shape + " " + test.descr + " " + npy.ShapeText(test.axes)
		if test.err != "" {
			if err == nil || !strings.Contains(err.Error(), test.err) {
				t.Errorf("%s: error %v, want %s", name, err, test.err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(test.want, b.Image.Description); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if !bytes.Equal(b.Image.Level(0), data) {
			t.Errorf("%s: the texels changed", name)
		}
		back, _ := imagefile.EncodeNPY(&b.Image.Description, handleNamed(t, test.shape, test.channel, 0).Texture.Shape, b.Image.Level(0))
		if !bytes.HasSuffix(back, data) {
			t.Errorf("%s: the texels changed on the way back", name)
		}
	}
}

// TestHugePictures: no memory is allocated for an image whose file is too small for the size in its
// header.
func TestHugePictures(t *testing.T) {
	data := encodePNG(t, image.NewNRGBA(image.Rect(0, 0, 2, 2)))
	for _, test := range []struct {
		width, height uint32
		want          string
	}{
		{100000, 100000, "has 100000×100000 pixels; at most 8192 in each direction fit"},
		{8192, 8192, "is damaged: "},
	} {
		header := bytes.Clone(data)
		binary.BigEndian.PutUint32(header[16:], test.width)
		binary.BigEndian.PutUint32(header[20:], test.height)
		binary.BigEndian.PutUint32(header[29:], crc32.ChecksumIEEE(header[12:29]))
		file := save(t, "p.png", header)
		if _, err := readTexture(handleNamed(t, "texture_2d", "f32", 0), file, memlimit.NewLimit()); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%d x %d as a texture: %v", test.width, test.height, err)
		}
		if _, err := readImage(file, memlimit.NewLimit()); err == nil || !strings.Contains(err.Error(), "is damaged: ") {
			t.Errorf("%d x %d in a buffer: %v", test.width, test.height, err)
		}
	}
}

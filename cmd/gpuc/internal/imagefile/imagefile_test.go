package imagefile

import (
	"bytes"
	"encoding/binary"
	"image/color"
	"math"
	"testing"

	"github.com/gpuc/gpuc/ir/texture"
)

// TestDrawTexture compares pixels of images with those expected of each format.
func TestDrawTexture(t *testing.T) {
	f32 := func(x ...float32) (data []byte) {
		for _, x := range x {
			data = binary.LittleEndian.AppendUint32(data, math.Float32bits(x))
		}
		return data
	}
	nan := float32(math.NaN())
	for _, test := range []struct {
		format texture.Format
		texels []byte
		want   color.Color
	}{
		{texture.RGBA8Unorm, []byte{1, 2, 3, 4}, color.NRGBA{R: 1, G: 2, B: 3, A: 4}},
		{texture.BGRA8Unorm, []byte{1, 2, 3, 4}, color.NRGBA{R: 3, G: 2, B: 1, A: 4}},
		{texture.RGBA8Snorm, []byte{127, 0x80, 0, 127}, color.NRGBA{R: 255, A: 255}},
		{texture.RG8Unorm, []byte{9, 8}, color.NRGBA{R: 9, G: 8, A: 255}},
		{texture.R8Unorm, []byte{9}, color.Gray{Y: 9}},
		{texture.RGBA8Uint, []byte{1, 2, 3, 4}, color.NRGBA{R: 1, G: 2, B: 3, A: 4}},
		{texture.RGBA16Uint, []byte{0, 1, 2, 3, 4, 5, 6, 7}, color.NRGBA64{R: 0x100, G: 0x302, B: 0x504, A: 0x706}},
		{texture.R32Float, f32(0.5), color.Gray16{Y: 0x8000}},
		{texture.R32Float, f32(7), color.Gray16{Y: 0xFFFF}},
		{texture.R32Float, f32(nan), color.Gray16{}},
		{texture.RGBA32Float, f32(-1, 0, 1, 2), color.NRGBA64{B: 0xFFFF, A: 0xFFFF}},
		{texture.RGB10A2Unorm, []byte{0xFF, 3, 0, 0xC0}, color.NRGBA64{R: 0xFFFF, A: 0xFFFF}},
		{texture.RG11B10Ufloat, []byte{0, 0, 0, 0}, color.NRGBA64{A: 0xFFFF}},
	} {
		d := texture.Description{Dimension: texture.D2, Format: test.format, Width: 1, Height: 1, Depth: 1, Layers: 1, Levels: 1, Samples: 1}
		if got := Draw(&d, test.texels).At(0, 0); got != test.want {
			t.Errorf("%v %v is drawn as %T%v, want %T%v", test.format, test.texels, got, got, test.want, test.want)
		}
	}
}

// TestReformat: half floats replace 16-bit fractions, which some devices lack.
func TestReformat(t *testing.T) {
	d := texture.Description{Dimension: texture.D2, Format: texture.RG16Unorm, Width: 1, Height: 1, Depth: 1, Layers: 1, Levels: 1, Samples: 1}
	m := texture.NewImage(&d)
	copy(m.Level(0), []byte{0xFF, 0xFF, 0, 0x80})
	got := Reformat(m, CommonFormat(m.Format))
	if want := []byte{0, 0x3C, 0, 0x38}; got.Format != texture.RG16Float || !bytes.Equal(got.Level(0), want) {
		t.Errorf("became %v %v, want %v", got.Format, got.Level(0), want)
	}
}

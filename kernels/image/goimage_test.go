package image

import (
	"image"
	"image/color"
	"image/draw"
	"math/rand/v2"
	"testing"
)

// TestGoImages sends each type of Go's images to a device and back, as parts of larger ones.
func TestGoImages(t *testing.T) {
	forTypes(t, testGoImages[uint8], testGoImages[uint16], testGoImages[float32])
}

func testGoImages[T Sample](t *testing.T) {
	s, r := open(t)[0], rand.New(rand.NewPCG(22, 22))
	size, part := image.Rect(-3, 2, 20, 12), image.Rect(-2, 3, 15, 9)
	for _, test := range []struct {
		of16 bool
		of   func() draw.Image
	}{
		{false, func() draw.Image { return image.NewGray(size) }},
		{false, func() draw.Image { return image.NewRGBA(size) }},
		{false, func() draw.Image { return image.NewNRGBA(size) }},
		{true, func() draw.Image { return image.NewGray16(size) }},
		{true, func() draw.Image { return image.NewRGBA64(size) }},
		{true, func() draw.Image { return image.NewNRGBA64(size) }},
	} {
		from, to := test.of(), test.of()
		for _, m := range []draw.Image{from, to} {
			l, _ := layoutOf(m)
			for i := range l.pix {
				l.pix[i] = byte(r.UintN(256))
			}
			if test.of16 && kindOf[T]() == 0 { // only what 8 bits can hold
				for i := range l.pix {
					l.pix[i] = l.pix[i&^1]
				}
			}
		}
		sub := from.(interface {
			SubImage(image.Rectangle) image.Image
		}).SubImage(part)
		m, err := UploadGo[T](t.Context(), s, sub)
		ok(t, err)
		into := to.(interface {
			SubImage(image.Rectangle) image.Image
		}).SubImage(part).(draw.Image)
		ok(t, ReadGo(t.Context(), s, into, m))
		for y := part.Min.Y; y < part.Max.Y; y++ {
			for x := part.Min.X; x < part.Max.X; x++ {
				if to.At(x, y) != from.At(x, y) {
					t.Fatalf("%T: (%d, %d) is %v, and not %v", from, x, y, to.At(x, y), from.At(x, y))
				}
			}
		}
		m.Close()
	}
}

// TestOtherGoImages: images of other types become NRGBA, and three channels are opaque.
func TestOtherGoImages(t *testing.T) {
	s := open(t)[0]
	p := image.NewPaletted(image.Rect(1, 1, 4, 3), color.Palette{color.NRGBA{10, 20, 30, 255}, color.NRGBA{200, 100, 50, 128}})
	p.SetColorIndex(2, 1, 1)
	m, err := UploadGo[uint8](t.Context(), s, p)
	ok(t, err)
	back := image.NewNRGBA(image.Rect(0, 0, 3, 2))
	ok(t, ReadGo(t.Context(), s, back, m))
	if a, b := back.NRGBAAt(0, 0), back.NRGBAAt(1, 0); a != (color.NRGBA{10, 20, 30, 255}) || b.A != 128 || b.R < 198 || b.R > 201 {
		t.Errorf("got %v and %v", a, b)
	}
	three, err := Upload(t.Context(), s, 1, 1, 3, []float32{0.5, -1, 2})
	ok(t, err)
	one := image.NewRGBA64(image.Rect(0, 0, 1, 1))
	ok(t, ReadGo(t.Context(), s, one, three))
	if got := one.RGBA64At(0, 0); got != (color.RGBA64{32768, 0, 65535, 65535}) {
		t.Errorf("got %v", got)
	}
	short := image.NewGray(image.Rect(0, 0, 3, 2))
	short.Pix = short.Pix[:5]
	for _, img := range []image.Image{nil, (*image.RGBA)(nil), short, &image.NRGBA{Rect: image.Rect(0, 0, 1, 1)}} {
		if _, err := UploadGo[uint8](t.Context(), s, img); err == nil {
			t.Errorf("%T is no error", img)
		}
	}
	for _, dst := range []draw.Image{nil, (*image.RGBA)(nil), short, image.NewPaletted(image.Rect(0, 0, 1, 1), color.Palette{color.Black}), image.NewGray(image.Rect(0, 0, 1, 1)), image.NewRGBA(image.Rect(0, 0, 2, 1))} {
		if err := ReadGo(t.Context(), s, dst, three); err == nil {
			t.Errorf("%T is no error", dst)
		}
	}
}

package image

import (
	"testing"

	"github.com/gpuc/gpuc/runtime/gpu"
	"github.com/gpuc/gpuc/runtime/gpu/gputest"
)

// BenchmarkImages measures functions on a picture of 1920 by 1080 pixels on each device. Bytes are
// those of the source and the result.
func BenchmarkImages(b *testing.B) {
	devices, err := gpu.Devices()
	if err != nil {
		b.Fatal(err)
	}
	for _, info := range devices {
		if info.Label == "" {
			b.Run(info.ID(), func(b *testing.B) { benchmarkOn(b, info.ID()) })
		}
	}
}

func benchmarkOn(b *testing.B, id string) {
	s := must(gputest.Open(b, gpu.Named(id)).NewStream())(b)
	const width, height = 1920, 1080
	rgb, result := must(New[uint8](s, width, height, 3))(b), must(New[uint8](s, width, height, 3))(b)
	gray, edges := must(New[uint8](s, width, height, 1))(b), must(New[uint8](s, width, height, 1))(b)
	dx, dy := must(New[float32](s, width, height, 1))(b), must(New[float32](s, width, height, 1))(b)
	half, double := must(New[uint8](s, width/2, height/2, 3))(b), must(New[uint8](s, width*2, height*2, 3))(b)
	noise := make([]uint8, width*height*3)
	for i := range noise {
		noise[i] = uint8(i*i>>7 + i>>3)
	}
	ok(b, rgb.Write(s, noise))
	ok(b, gray.Write(s, noise[:width*height]))
	plan := func(dst Image[uint8], how Interpolation, antialias bool) *ResizePlan {
		return must(PlanResize(b.Context(), s.Device(), dst.Width, dst.Height, width, height, how, antialias))(b)
	}
	bilinear, area, lanczos, large := plan(half, Bilinear, false), plan(half, Area, false), plan(half, Lanczos3, true), plan(double, Bicubic, false)
	for _, test := range []struct {
		name  string
		bytes int
		f     func() error
	}{
		{"copy", 6, func() error { return Convert(s, result, rgb, 1) }},
		{"gauss5", 6, func() error { return GaussianBlur(s, result, rgb, 0.5, Mirror) }},
		{"gauss13", 6, func() error { return GaussianBlur(s, result, rgb, 1.5, Mirror) }},
		{"gauss41", 6, func() error { return GaussianBlur(s, result, rgb, 5, Mirror) }},
		{"box5", 6, func() error { return BoxBlur(s, result, rgb, 2, 2, Clamp) }},
		{"sobel", 9, func() error { return Sobel(s, dx, dy, gray, Mirror) }},
		{"filter5x5", 6, func() error { return Filter2D(s, result, rgb, make([]float32, 25), 5, Clamp) }},
		{"bilinear half", 6, func() error { return ResizeBy(s, bilinear, half, rgb) }},
		{"area half", 6, func() error { return ResizeBy(s, area, half, rgb) }},
		{"lanczos half", 6, func() error { return ResizeBy(s, lanczos, half, rgb) }},
		{"bicubic double", 15, func() error { return ResizeBy(s, large, double, rgb) }},
		{"median3", 6, func() error { return Median(s, result, rgb, 1, Clamp) }},
		{"erode3", 6, func() error { return Erode(s, result, rgb, Rectangle(3, 3), Clamp) }},
		{"erode15", 6, func() error { return Erode(s, result, rgb, Rectangle(15, 15), Clamp) }},
		{"gray", 4, func() error { return ToGray(s, gray, rgb, BT601) }},
		{"hsv", 6, func() error { return ToHSV(s, result, rgb) }},
		{"warp bilinear", 6, func() error { return Warp(s, result, rgb, Rotation(0.2, 1, 900, 500), Bilinear, Clamp) }},
		{"bilateral5", 6, func() error { return Bilateral(s, result, rgb, 2, 2, 0.1, Clamp) }},
		{"equalize", 2, func() error { return Equalize(s, edges, gray) }},
		{"canny", 2, func() error { return Canny(s, edges, gray, 50, 150, false) }},
	} {
		b.Run(test.name, func(b *testing.B) {
			b.SetBytes(int64(width * height * test.bytes))
			ok(b, test.f()) // which loads the kernels
			ok(b, s.Wait(b.Context()))
			for b.Loop() {
				ok(b, test.f())
				ok(b, s.Wait(b.Context()))
			}
		})
	}
}

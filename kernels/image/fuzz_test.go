package image

import (
	"testing"

	"github.com/gpuc/gpuc/runtime/gpu"
)

// FuzzArguments calls functions with images of any numbers. They return errors or do their work,
// and write nothing outside of the destination.
func FuzzArguments(f *testing.F) {
	f.Add(uint8(0), 3, 5, 4, 3, 15, 3, 5, 4, 3, 15, 1.5)
	f.Add(uint8(7), 0, 7, 7, 1, 7, 1, 7, 7, 1, 8, 0.2)
	f.Add(uint8(3), -1, 1<<40, 2, 9, 0, 1<<62, 65535, 65535, 4, 1<<61, -3.0)
	for n := range calls {
		f.Add(uint8(n), 1, 6, 5, 3, 20, 2, 6, 5, 3, 19, 0.9)
		f.Add(uint8(n), 1, 6, 5, 1, 20, 2, 6, 5, 1, 19, 7.5)
	}
	s := open(f)[0]
	const n = 160
	from := must(gpu.Alloc[uint8](s, n))(f)
	to := must(gpu.Alloc[uint8](s, n))(f)
	noise, got := make([]uint8, n), make([]uint8, n)
	for i := range noise {
		noise[i] = uint8(i*37 + 1)
	}
	ok(f, from.Write(s, noise))
	f.Fuzz(func(t *testing.T, which uint8, offset, width, height, channels, stride, offset2, width2, height2, channels2, stride2 int, number float64) {
		dst := Image[uint8]{to, offset, width, height, channels, stride}
		src := Image[uint8]{from, offset2, width2, height2, channels2, stride2}
		ok(t, to.Write(s, noise))
		err := calls[int(which)%len(calls)](s, dst, src, number)
		ok(t, to.Read(t.Context(), s, got))
		for i := range got {
			inside := err == nil && !dst.empty() && i >= offset && (i-offset)%max(stride, 1) < width*channels && (i-offset)/max(stride, 1) < height
			if height == 1 {
				inside = err == nil && i >= offset && i < offset+width*channels
			}
			if !inside && got[i] != noise[i] {
				t.Fatalf("element %d was written, of %v: %v", i, dst, err)
			}
		}
	})
}

// calls are functions that may get any numbers.
var calls = []func(s *gpu.Stream, dst, src Image[uint8], number float64) error{
	func(s *gpu.Stream, dst, src Image[uint8], x float64) error { return Convert(s, dst, src, float32(x)) },
	func(s *gpu.Stream, dst, src Image[uint8], x float64) error { return GaussianBlur(s, dst, src, x, Wrap) },
	func(s *gpu.Stream, dst, src Image[uint8], x float64) error {
		return BoxBlur(s, dst, src, int(x), int(x*3), Mirror)
	},
	func(s *gpu.Stream, dst, src Image[uint8], x float64) error {
		return Filter2D(s, dst, src, make([]float32, min(max(int(x), 0), 1000)), int(x)/3, Constant(float32(x)))
	},
	func(s *gpu.Stream, dst, src Image[uint8], x float64) error {
		return Resize(s, dst, src, Interpolation(int(x)&7), x < 2)
	},
	func(s *gpu.Stream, dst, src Image[uint8], x float64) error {
		return Warp(s, dst, src, Rotation(x, x, 1, 2), Interpolation(int(x)&3), Mirror)
	},
	func(s *gpu.Stream, dst, src Image[uint8], x float64) error { return Median(s, dst, src, int(x), Wrap) },
	func(s *gpu.Stream, dst, src Image[uint8], x float64) error {
		return Percentile(s, dst, src, 1, x, Constant(1, 2))
	},
	func(s *gpu.Stream, dst, src Image[uint8], x float64) error {
		return Bilateral(s, dst, src, int(x), x, x, Mirror)
	},
	func(s *gpu.Stream, dst, src Image[uint8], x float64) error {
		return Open(s, dst, src, Ellipse(int(x), 3), Mirror)
	},
	func(s *gpu.Stream, dst, src Image[uint8], x float64) error {
		return Erode(s, dst, src, Rectangle(int(x), int(x)), Wrap)
	},
	func(s *gpu.Stream, dst, src Image[uint8], x float64) error { return ToGray(s, dst, src, BT601) },
	func(s *gpu.Stream, dst, src Image[uint8], x float64) error { return FromGray(s, dst, src) },
	func(s *gpu.Stream, dst, src Image[uint8], x float64) error {
		return ToYCbCr(s, dst, src, Luma{float32(x), 0.5, 0.1}, true)
	},
	func(s *gpu.Stream, dst, src Image[uint8], x float64) error { return ToHSL(s, dst, src) },
	func(s *gpu.Stream, dst, src Image[uint8], x float64) error { return Equalize(s, dst, src) },
	func(s *gpu.Stream, dst, src Image[uint8], x float64) error {
		return EqualizeRegions(s, dst, src, int(x), 1+int(x)/2, x)
	},
	func(s *gpu.Stream, dst, src Image[uint8], x float64) error { return Otsu(s, dst, src) },
	func(s *gpu.Stream, dst, src Image[uint8], x float64) error {
		return Threshold(s, dst, src, uint8(int(x)), 3, 200)
	},
	func(s *gpu.Stream, dst, src Image[uint8], x float64) error {
		return Canny(s, dst, src, float32(x), float32(2*x), x < 1)
	},
	func(s *gpu.Stream, dst, src Image[uint8], x float64) error {
		return dst.Write(s, make([]uint8, min(max(int(x), 0), 99)))
	},
}

package image

import (
	"errors"
	"testing"

	"github.com/gpuc/gpuc/internal/vendorlib"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// BenchmarkVendor compares with NPP, which nvcc compiles calls of. Ratios above 1 mean that ours is
// faster. NPP's functions for Sobel make one of two gradients.
func BenchmarkVendor(b *testing.B) {
	_, s := vendorlib.Device(b)
	npp, err := vendorlib.BuildNPP(s, "../../internal/vendorlib/testdata")
	if err != nil {
		b.Skip("skipped: no NPP: ", err)
	}
	const side = 4096
	benchVendor[uint8](b, s, npp, side, "u8", map[int][]string{1: {"half", "double", "gauss5", "gauss13", "box5", "sobel"}, 3: {"half", "double", "cubic", "gauss5"}})
	benchVendor[float32](b, s, npp, side, "f32", map[int][]string{1: {"half", "double", "cubic", "gauss5", "gauss13", "box5", "sobel"}})
}

func benchVendor[T Sample](b *testing.B, s *gpu.Stream, npp *vendorlib.Wrapped, side int, suffix string, names map[int][]string) {
	for _, channels := range []int{1, 3} {
		of := func(side int) Image[T] {
			m := must(New[T](s, side, side, channels))(b)
			b.Cleanup(func() { _ = m.Close() })
			return m
		}
		src, same, half, double := of(side), of(side), of(side/2), of(side*2)
		noise := make([]T, side*side*channels)
		for i := range noise {
			noise[i] = T((i*i>>7 + i>>3) % 256)
		}
		ok(b, src.Write(s, noise))
		dx, dy := must(New[float32](s, side, side, 1))(b), must(New[float32](s, side, side, 1))(b)
		plan := func(dst Image[T], how Interpolation) *ResizePlan {
			p := must(PlanResize(b.Context(), s.Device(), dst.Width, dst.Height, side, side, how, false))(b)
			b.Cleanup(func() { _ = p.Close() })
			return p
		}
		toHalf, toDouble, cubic := plan(half, Bilinear), plan(double, Bilinear), plan(double, Bicubic)
		for _, name := range names[channels] {
			full := name + "_" + suffix
			if channels == 3 {
				full += "_rgb"
			}
			ways := map[string]struct {
				ours func() error
				to   gpu.Bound
			}{
				"half":    {func() error { return ResizeBy(s, toHalf, half, src) }, half.Buffer},
				"double":  {func() error { return ResizeBy(s, toDouble, double, src) }, double.Buffer},
				"cubic":   {func() error { return ResizeBy(s, cubic, double, src) }, double.Buffer},
				"gauss5":  {func() error { return SeparableFilter(s, same, src, five, five, Clamp) }, same.Buffer},
				"gauss13": {func() error { return SeparableFilter(s, same, src, thirteen, thirteen, Clamp) }, same.Buffer},
				"box5":    {func() error { return BoxBlur(s, same, src, 2, 2, Clamp) }, same.Buffer},
				"sobel":   {func() error { return Sobel(s, dx, dy, src, Clamp) }, nil},
			}
			way := ways[name]
			theirs := func() error { return npp.Run(full, side, src.Buffer, way.to) }
			if name == "sobel" {
				theirs = func() error {
					return errors.Join(npp.Run("sobel_x_"+suffix, side, src.Buffer, dx.Buffer), npp.Run("sobel_y_"+suffix, side, src.Buffer, dy.Buffer))
				}
			}
			b.Run(full, func(b *testing.B) { vendorlib.Compare(b, s, way.ours, theirs, 0, 0) })
		}
	}
}

// The weights of blurs of five and of thirteen pixels.
var five, thirteen = GaussianWeights(1, 2), GaussianWeights(2.4, 6)

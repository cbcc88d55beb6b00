package image

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestSpecialFloats: NaN, infinities, -0 and subnormals go through what moves samples, and reach
// only what they should of the rest.
func TestSpecialFloats(t *testing.T) {
	inf, nan, minus := float32(math.Inf(1)), float32(math.NaN()), float32(math.Copysign(0, -1))
	list := []float32{nan, inf, -inf, minus, 0, 1e-45, math.MaxFloat32, 1, -2}
	one := []float32{1}
	for _, s := range open(t) {
		src := must(Upload(t.Context(), s, 9, 1, 1, list))(t)
		for name, f := range map[string]func(dst Image[float32]) error{
			"convert":   func(dst Image[float32]) error { return Convert(s, dst, src, 1) },
			"separable": func(dst Image[float32]) error { return SeparableFilter(s, dst, src, one, one, Clamp) },
			"filter":    func(dst Image[float32]) error { return Filter2D(s, dst, src, one, 1, Clamp) },
			"nearest":   func(dst Image[float32]) error { return Resize(s, dst, src, Nearest, false) },
			"area":      func(dst Image[float32]) error { return Resize(s, dst, src, Area, false) },
			"warp":      func(dst Image[float32]) error { return Warp(s, dst, src, Affine(1, 0, 0, 0, 1, 0), Nearest, Clamp) },
			"erode":     func(dst Image[float32]) error { return Erode(s, dst, src, Rectangle(1, 1), Clamp) },
		} {
			dst := must(New[float32](s, 9, 1, 1))(t)
			ok(t, f(dst))
			got := make([]float32, 9)
			ok(t, dst.Read(t.Context(), s, got))
			differs(t, name, got, list)
		}
		for name, test := range map[string]struct {
			f    func(dst Image[float32]) error
			want []float32
		}{
			"erode":     {func(dst Image[float32]) error { return Erode(s, dst, src, Rectangle(3, 1), Clamp) }, []float32{inf, -inf, -inf, -inf, minus, 0, 1e-45, -2, -2}},
			"dilate":    {func(dst Image[float32]) error { return Dilate(s, dst, src, Rectangle(3, 1), Clamp) }, []float32{nan, nan, inf, 0, 1e-45, math.MaxFloat32, math.MaxFloat32, math.MaxFloat32, 1}},
			"median":    {func(dst Image[float32]) error { return Median(s, dst, src, 1, Clamp) }, []float32{nan, inf, minus, minus, 0, 1e-45, 1, 1, -2}},
			"threshold": {func(dst Image[float32]) error { return Threshold(s, dst, src, 0, -1, 5) }, []float32{-1, 5, -1, -1, -1, 5, 5, 5, -1}},
			"blur": {func(dst Image[float32]) error {
				return SeparableFilter(s, dst, src, []float32{0.5, 0, 0.5}, one, Clamp)
			}, nil},
		} {
			dst := must(New[float32](s, 9, 1, 1))(t)
			ok(t, test.f(dst))
			got := make([]float32, 9)
			ok(t, dst.Read(t.Context(), s, got))
			if name == "blur" { // what infinity and NaN reach, and no further
				for i, v := range got {
					if finite := v-v == 0; finite != (i > 3) {
						t.Errorf("blur: sample %d is %v", i, v)
					}
				}
				continue
			}
			differs(t, name, got, test.want)
		}
		// Integers of floats: NaN is 0, and all others are clamped.
		dst := must(New[uint8](s, 9, 1, 1))(t)
		ok(t, Convert(s, dst, src, 255))
		got := make([]uint8, 9)
		ok(t, dst.Read(t.Context(), s, got))
		differs(t, "integers", got, []uint8{0, 255, 0, 0, 0, 0, 255, 255, 0})
	}
}

// TestRounding: half of a step goes to the even number.
func TestRounding(t *testing.T) {
	list := []float32{0.5, 1.5, 2.5, 254.5, 255.5, -0.5, 126.49999, 126.5, 127.5}
	for _, s := range open(t) {
		src := must(Upload(t.Context(), s, 9, 1, 1, list))(t)
		dst := must(New[uint8](s, 9, 1, 1))(t)
		ok(t, Convert(s, dst, src, 1))
		got := make([]uint8, 9)
		ok(t, dst.Read(t.Context(), s, got))
		differs(t, "bytes", got, []uint8{0, 2, 2, 254, 255, 0, 126, 126, 128})
	}
}

// TestLarge compares some pixels of a large image: many workgroups in both directions.
func TestLarge(t *testing.T) {
	streams, r := open(t), rand.New(rand.NewPCG(26, 26))
	p := random(r, 1201, 807, 3, 255)
	window := GaussianWeights(1.3, 4)
	both := outer(window, window)
	plan := func(x, y, c int) float64 { return p.at(x, y, c, Mirror) }
	for _, s := range streams {
		src := must(Upload(t.Context(), s, p.width, p.height, 3, samplesOf[uint8](p)))(t)
		dst := must(New[uint8](s, p.width, p.height, 3))(t)
		moved := must(New[uint8](s, p.width, p.height, 3))(t)
		ok(t, SeparableFilter(s, dst, src, window, window, Mirror))
		ok(t, Warp(s, moved, src, Affine(1, 0, 300, 0, 1, -200), Nearest, Constant(9)))
		blurred, shifted := make([]uint8, len(p.samples)), make([]uint8, len(p.samples))
		ok(t, dst.Read(t.Context(), s, blurred))
		ok(t, moved.Read(t.Context(), s, shifted))
		for n := range 3000 {
			x, y, c := r.IntN(p.width), r.IntN(p.height), r.IntN(3)
			if n%3 == 0 { // at the edges
				x = []int{0, p.width - 1 - r.IntN(4)}[r.IntN(2)]
			}
			sum := 0.0
			for i, w := range both {
				sum += w * plan(x+i%9-4, y+i/9-4, c)
			}
			i := (y*p.width+x)*3 + c
			if math.Abs(sum-float64(blurred[i])) > 0.501 {
				t.Fatalf("sample %d of pixel (%d, %d) is %d, and not %v", c, x, y, blurred[i], sum)
			}
			if want := p.at(x-300, y+200, c, Constant(9)); float64(shifted[i]) != want {
				t.Fatalf("moved: sample %d of pixel (%d, %d) is %d, and not %v", c, x, y, shifted[i], want)
			}
		}
	}
}

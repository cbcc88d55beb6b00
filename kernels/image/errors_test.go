package image

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/runtime/gpu"
)

// TestErrors calls each function with what does not fit. The error says it, and nothing is written.
func TestErrors(t *testing.T) {
	s := open(t)[0]
	m := func(width, height, channels int) Image[uint8] {
		image := must(New[uint8](s, width, height, channels))(t)
		ok(t, Threshold(s, image, must(New[uint8](s, width, height, channels))(t), 0, 7, 7))
		return image
	}
	f := func(width, height, channels int) Image[float32] {
		return must(New[float32](s, width, height, channels))(t)
	}
	a, b, wide, rgb, gray := m(4, 3, 3), m(4, 3, 3), m(5, 3, 3), m(4, 3, 3), m(4, 3, 1)
	fa, fb := f(4, 3, 3), f(4, 3, 3)
	none := Image[uint8]{}
	with := func(m Image[uint8], change func(*Image[uint8])) Image[uint8] {
		change(&m)
		return m
	}
	counts := must(gpu.Alloc[uint32](s, Bins))(t)
	plan := must(PlanResize(t.Context(), s.Device(), 4, 3, 5, 3, Bilinear, true))(t)
	odd := Of(must(gpu.Alloc[uint8](s, 13))(t), 4, 1, 3)
	weights := make([]float32, 200)
	tests := []struct {
		says string
		err  error
	}{
		{"image.Convert: wrong shape: dst: got 5 × 3 × 3, want 4 × 3 × 3, as src has", Convert(s, wide, a, 1)},
		{"dst: got the same, want another buffer than src has", Convert(s, a, a.Sub(0, 0, 4, 3), 1)},
		{"dst: got nil, want a buffer", Convert(s, with(a, func(m *Image[uint8]) { m.Buffer = nil }), b, 1)},
		{"src: got 0, want 1 to 4 channels", Convert(s, a, none, 1)},
		{"dst: got 5, want 1 to 4 channels", Convert(s, with(a, func(m *Image[uint8]) { m.Channels = 5 }), b, 1)},
		{"dst: got -1 × 3, want 0 to 65535 columns and rows", Convert(s, with(a, func(m *Image[uint8]) { m.Width = -1 }), b, 1)},
		{"dst: got 4 × 65536, want", Convert(s, with(a, func(m *Image[uint8]) { m.Height = 65536 }), b, 1)},
		{"dst: got 11, want a stride of 12 or more", Convert(s, with(a, func(m *Image[uint8]) { m.Stride = 11 }), b, 1)},
		{"dst: got -4 to 32, want positions in a buffer of 36 elements", Convert(s, with(a, func(m *Image[uint8]) { m.Offset = -4 }), b, 1)},
		{"dst: got 1 to 37, want", Convert(s, with(a, func(m *Image[uint8]) { m.Offset = 1 }), b, 1)},
		{"dst: got 4611686018427387904, want a stride", Convert(s, with(a, func(m *Image[uint8]) { m.Stride = 1 << 62 }), b, 1)},
		{"dst: got 13, want a buffer with a multiple of 4 elements", Convert(s, odd, a.Sub(0, 0, 4, 1), 1)},
		{"image.ConvertLinear", ConvertLinear(s, wide, a, 1, 2)},
		{"image.Combine: wrong shape: b: got 5 × 3 × 3, want 4 × 3 × 3, as dst has", Combine(s, a, b, wide, 1, 1, 0)},
		{"image.Combine: wrong shape: dst: got the same, want another buffer than b has", Combine(s, a, b, a, 1, 1, 0)},
		{"image.SeparableFilter: wrong shape: x: got 2, want an odd number of weights", SeparableFilter(s, a, b, weights[:2], weights[:1], Clamp)},
		{"y: got 0, want an odd number", SeparableFilter(s, a, b, weights[:1], nil, Clamp)},
		{"image.SeparableFilter", SeparableFilter(s, wide, b, weights[:1], weights[:1], Clamp)},
		{"image.GaussianBlur: wrong shape: sigma: got -1, want 0 to 128", GaussianBlur(s, a, b, -1, Clamp)},
		{"sigma: got NaN", GaussianBlur(s, a, b, math.NaN(), Clamp)},
		{"sigma: got +Inf", GaussianBlur(s, a, b, math.Inf(1), Clamp)},
		{"image.GaussianBlur", GaussianBlur(s, wide, b, 1, Clamp)},
		{"image.BoxBlur: wrong shape: radiusX: got -1, want 0 to 512", BoxBlur(s, a, b, -1, 0, Clamp)},
		{"radiusY: got 513", BoxBlur(s, a, b, 0, 513, Clamp)},
		{"image.Filter2D: wrong shape: weights: got 4, want rows of 3, at most 121 in all", Filter2D(s, a, b, weights[:4], 3, Clamp)},
		{"weights: got 0", Filter2D(s, a, b, nil, 3, Clamp)},
		{"weights: got 122", Filter2D(s, a, b, weights[:122], 61, Clamp)},
		{"weights: got 3, want rows of 0", Filter2D(s, a, b, weights[:3], 0, Clamp)},
		{"dst: got uint8, want float32, or the type of src", Filter2D(s, a, fa, weights[:3], 3, Clamp)},
		{"image.Laplacian", Laplacian(s, fa, wide, Clamp)},
		{"image.Sobel: wrong shape: dy: got the same, want another buffer than dx has", Sobel(s, fa, fa, a, Clamp)},
		{"dx: got the same, want another buffer than src has", Sobel(s, fa, fb, fa, Clamp)},
		{"dy: got the same, want another buffer than src has", Scharr(s, fa, fb, fb, Clamp)},
		{"image.Sobel: wrong shape: dx: got 4 × 3 × 3, want 5 × 3 × 3", Sobel(s, fa, fb, wide, Clamp)},
		{"image.Magnitude: wrong shape: dst: got the same, want another buffer than dy has", Magnitude(s, fb, fa, fb, true)},
		{"image.Magnitude: wrong shape: dst: got the same, want another buffer than src has", Magnitude(s, fa, fa, fb, true)},
		{"image.Erode: wrong shape: element: got none", Erode(s, a, b, Element{}, Clamp)},
		{"image.Dilate: wrong shape: element: got none", Dilate(s, a, b, Rectangle(33, 1), Clamp)},
		{"image.Open: wrong shape: dst: got 5", Open(s, wide, b, Rectangle(2, 2), Clamp)},
		{"image.CloseGaps: wrong shape: element", CloseGaps(s, a, b, Element{}, Clamp)},
		{"image.Median: wrong shape: radius: got 0, want 1 to 7", Median(s, a, b, 0, Clamp)},
		{"radius: got 8", Median(s, a, b, 8, Clamp)},
		{"image.Median: wrong shape: dst", Median(s, wide, b, 1, Clamp)},
		{"image.Percentile: wrong shape: fraction: got NaN, want 0 to 1", Percentile(s, a, b, 1, math.NaN(), Clamp)},
		{"image.Bilateral: wrong shape: radius: got 17", Bilateral(s, a, b, 17, 1, 1, Clamp)},
		{"space: got 0", Bilateral(s, a, b, 1, 0, 1, Clamp)},
		{"tone: got NaN", Bilateral(s, a, b, 1, 1, math.NaN(), Clamp)},
		{"image.Warp: wrong shape: projection: got", Warp(s, a, b, Projection{}, Nearest, Clamp)},
		{"how: got Area, want Nearest, Bilinear, Bicubic or BicubicSharp", Warp(s, a, b, Affine(1, 0, 0, 0, 1, 0), Area, Clamp)},
		{"channels of dst: got 1, want 3 elements", Warp(s, gray, b, Affine(1, 0, 0, 0, 1, 0), Nearest, Clamp)},
		{"src: got 0 × 3 × 3, want pixels", Warp(s, a, b.Sub(0, 0, 0, 3), Affine(1, 0, 0, 0, 1, 0), Nearest, Clamp)},
		{"image.Remap: wrong shape: coordinates: got 4 × 3 × 3, want 4 × 3 × 2", Remap(s, a, b, fa, Nearest, Clamp)},
		{"how: got Interpolation(9)", Remap(s, a, b, f(4, 3, 2), 9, Clamp)},
		{"image.Resize: wrong shape: how: got Interpolation(6)", Resize(s, a, wide, 6, true)},
		{"channels of dst", Resize(s, a, gray, Nearest, true)},
		{"src: got 5 × 0 × 3, want pixels", Resize(s, a, wide.Sub(0, 0, 5, 0), Nearest, true)},
		{"image.ResizeBy: wrong shape: plan: got none", ResizeBy(s, nil, a, wide)},
		{"image.ResizeBy: wrong shape: plan: got none", ResizeBy(s, &ResizePlan{}, a, wide)},
		{"src: got 4 × 3, want 5 × 3, as the plan has", ResizeBy(s, plan, a, b)},
		{"dst: got 5 × 3, want 4 × 3", ResizeBy(s, plan, wide, b)},
		{"image.ToGray: wrong shape: dst: got 3, want 1 or 2 channels", ToGray(s, a, rgb, BT601)},
		{"image.FromGray: wrong shape: src: got 3", FromGray(s, a, rgb)},
		{"image.ToHSV: wrong shape: dst: got 1, want 3 or 4 channels", ToHSV(s, gray, rgb)},
		{"dst: got 5 × 3, want 4 × 3, as src has", FromLab(s, wide, rgb)},
		{"image.ToYCbCr: wrong shape: luma", ToYCbCr(s, a, rgb, Luma{1, 0, 0}, true)},
		{"image.FromYCbCr: wrong shape: luma", FromYCbCr(s, a, rgb, Luma{}, true)},
		{"image.Histogram: wrong shape: counts: got 256, want 768 elements", Histogram(s, counts, a)},
		{"counts: got 0", Histogram(s, nil, a)},
		{"image.Equalize: wrong shape: dst", Equalize(s, wide, a)},
		{"image.EqualizeRegions: wrong shape: src: got 3, want 1 channel", EqualizeRegions(s, a, b, 1, 1, 1)},
		{"columns: got 65", EqualizeRegions(s, gray, m(4, 3, 1), 65, 1, 1)},
		{"rows: got 0", EqualizeRegions(s, gray, m(4, 3, 1), 1, 0, 1)},
		{"limit: got NaN", EqualizeRegions(s, gray, m(4, 3, 1), 1, 1, math.NaN())},
		{"image.Otsu: wrong shape: dst", Otsu(s, wide, a)},
		{"image.Lookup: wrong shape: table: got 256, want 768 elements", Lookup(s, a, b, counts)},
		{"image.Threshold: wrong shape: dst", Threshold(s, wide, a, 1, 2, 3)},
		{"image.Canny: wrong shape: src: got 3, want 1 channel", Canny(s, a, b, 1, 2, true)},
		{"high: got 3 to 2", Canny(s, gray, m(4, 3, 1), 3, 2, true)},
		{"high: got -1 to 2", Canny(s, gray, m(4, 3, 1), -1, 2, true)},
		{"image.Write: wrong shape: samples: got 3, want 36 elements", a.Write(s, make([]uint8, 3))},
		{"image.Read: wrong shape: samples: got 3, want 36 elements", a.Read(t.Context(), s, make([]uint8, 3))},
	}
	for _, test := range tests {
		var shape *gpu.ShapeError
		if !errors.As(test.err, &shape) || !strings.Contains(test.err.Error(), test.says) {
			t.Errorf("%q: %v", test.says, test.err)
		}
	}
	for _, f := range []func() error{
		func() error { _, err := New[uint8](s, -1, 1, 1); return err },
		func() error { _, err := New[uint8](s, 1, 1, 0); return err },
		func() error { _, err := New[uint8](s, 65535, 65535, 4); return err },
		func() error { _, err := PlanResize(t.Context(), s.Device(), 0, 1, 1, 1, Area, false); return err },
		func() error { _, err := PlanResize(t.Context(), s.Device(), 1, 1, 1, 1, 77, false); return err },
	} {
		var shape *gpu.ShapeError
		if err := f(); !errors.As(err, &shape) {
			t.Errorf("got %v", err)
		}
	}
	for _, m := range []Image[uint8]{a, gray} {
		got := make([]uint8, m.Width*m.Height*m.Channels)
		ok(t, m.Read(t.Context(), s, got))
		for _, v := range got {
			if v != 7 {
				t.Fatalf("an output is %d", got)
			}
		}
	}
}

// TestClosed: what was closed, and no stream, are errors of package gpu.
func TestClosed(t *testing.T) {
	s := open(t)[0]
	a, b := must(New[uint8](s, 4, 3, 1))(t), must(New[uint8](s, 4, 3, 1))(t)
	ended := must(s.Device().NewStream())(t)
	ok(t, ended.Close())
	closed := must(New[uint8](s, 4, 3, 1))(t)
	ok(t, closed.Close())
	ok(t, closed.Close())
	plan := must(PlanResize(t.Context(), s.Device(), 4, 3, 4, 3, Lanczos3, true))(t)
	ok(t, plan.Close())
	ok(t, plan.Close())
	for i, err := range []error{
		GaussianBlur(ended, a, b, 1, Clamp), GaussianBlur(s, closed, b, 1, Clamp), GaussianBlur(s, a, closed, 1, Clamp),
		GaussianBlur(ended, a, b, 9, Clamp), Canny(ended, a, b, 1, 2, true), Canny(s, a, closed, 1, 2, true), Equalize(ended, a, b), Resize(ended, a, b, Area, true),
		ResizeBy(s, plan, a, b), Otsu(s, a, closed), a.Write(ended, make([]uint8, 12)), closed.Read(t.Context(), s, make([]uint8, 12)),
	} {
		if !errors.Is(err, gpu.ErrClosed) {
			t.Errorf("%d: %v", i, err)
		}
	}
	for i, err := range []error{GaussianBlur(nil, a, b, 1, Clamp), Canny(nil, a, b, 1, 2, true), Convert(new(gpu.Stream), a, b, 1), a.Write(nil, make([]uint8, 12))} {
		if err == nil {
			t.Errorf("no stream, call %d: no error", i)
		}
	}
	if err := (Image[uint8]{}).Close(); err != nil {
		t.Error(err)
	}
}

// TestEmpty: images without pixels are nothing to do.
func TestEmpty(t *testing.T) {
	s := open(t)[0]
	for _, size := range [][2]int{{0, 0}, {0, 3}, {3, 0}} {
		a, b := must(New[uint8](s, size[0], size[1], 3))(t), must(New[uint8](s, size[0], size[1], 3))(t)
		f, g := must(New[float32](s, size[0], size[1], 3))(t), must(New[float32](s, size[0], size[1], 3))(t)
		gray := must(New[uint8](s, size[0], size[1], 1))(t)
		for i, err := range []error{
			Convert(s, a, b, 1), GaussianBlur(s, a, b, 1, Clamp), Filter2D(s, a, b, []float32{1}, 1, Wrap), Sobel(s, f, g, a, Mirror), Magnitude(s, must(New[float32](s, size[0], size[1], 3))(t), f, g, true),
			Erode(s, a, b, Rectangle(3, 3), Clamp), Open(s, a, b, Rectangle(5, 5), Clamp), Median(s, a, b, 1, Clamp), Median(s, a, b, 2, Clamp), Bilateral(s, a, b, 1, 1, 1, Clamp),
			Warp(s, a, b, Affine(1, 0, 0, 0, 1, 0), Bilinear, Clamp), Resize(s, a, b, Area, true), ToGray(s, gray, a, BT601), ToLab(s, a, b), Equalize(s, a, b), Otsu(s, a, b), EqualizeRegions(s, gray, must(New[uint8](s, size[0], size[1], 1))(t), 2, 2, 1), Threshold(s, a, b, 1, 2, 3),
			Canny(s, gray, must(New[uint8](s, size[0], size[1], 1))(t), 1, 2, true), a.Write(s, nil), a.Read(t.Context(), s, nil),
			Warp(s, a, must(New[uint8](s, 5, 5, 3))(t), Affine(1, 0, 0, 0, 1, 0), Bilinear, Clamp), Resize(s, a, must(New[uint8](s, 5, 5, 3))(t), Bilinear, false),
		} {
			if err != nil {
				t.Errorf("%v, call %d: %v", size, i, err)
			}
		}
	}
}

// TestSub: parts of images are what is inside.
func TestSub(t *testing.T) {
	m := Image[uint8]{Offset: 5, Width: 10, Height: 8, Channels: 3, Stride: 40}
	for _, test := range []struct {
		x, y, width, height int
		want                Image[uint8]
	}{
		{2, 3, 4, 5, Image[uint8]{nil, 5 + 3*40 + 2*3, 4, 5, 3, 40}},
		{-2, -1, 4, 3, Image[uint8]{nil, 5, 2, 2, 3, 40}},
		{8, 7, 9, 9, Image[uint8]{nil, 5 + 7*40 + 8*3, 2, 1, 3, 40}},
		{20, 2, 3, 3, Image[uint8]{nil, 5 + 2*40 + 10*3, 0, 3, 3, 40}},
		{1, 1, -4, math.MinInt, Image[uint8]{nil, 5 + 40 + 3, 0, 0, 3, 40}},
		{1, 1, math.MaxInt - 1, 2, Image[uint8]{nil, 5 + 40 + 3, 9, 2, 3, 40}},
	} {
		if got := m.Sub(test.x, test.y, test.width, test.height); got != test.want {
			t.Errorf("%v: got %v", test, got)
		}
	}
}

// TestNoAllocation: calls without memory of the stream allocate nothing the second time, and others
// the handles of that memory.
func TestNoAllocation(t *testing.T) {
	if raceEnabled {
		t.Skip("skipped: the race detector allocates; this runs without -race")
	}
	s := open(t)[0]
	a, b := must(New[uint8](s, 8, 6, 3))(t), must(New[uint8](s, 8, 6, 3))(t)
	gray, edges := must(New[uint8](s, 8, 6, 1))(t), must(New[uint8](s, 8, 6, 1))(t)
	dx, dy := must(New[float32](s, 8, 6, 3))(t), must(New[float32](s, 8, 6, 3))(t)
	small := must(New[uint8](s, 4, 3, 3))(t)
	plan := must(PlanResize(t.Context(), s.Device(), 4, 3, 8, 6, Bilinear, false))(t)
	counts := must(gpu.Alloc[uint32](s, 3*Bins))(t)
	for name, test := range map[string]struct {
		most float64
		f    func() error
	}{
		"Convert":   {0, func() error { return Convert(s, dx, a, 1) }},
		"Gaussian":  {0, func() error { return GaussianBlur(s, a, b, 1, Mirror) }},
		"Constant":  {0, func() error { return BoxBlur(s, a, b, 1, 2, Constant(1, 2, 3)) }},
		"Sobel":     {0, func() error { return Sobel(s, dx, dy, a, Clamp) }},
		"Laplacian": {0, func() error { return Laplacian(s, dx, a, Clamp) }},
		"Median":    {0, func() error { return Median(s, a, b, 2, Clamp) }},
		"Bilateral": {0, func() error { return Bilateral(s, a, b, 1, 1, 1, Clamp) }},
		"Erode":     {0, func() error { return Erode(s, a, b, Rectangle(3, 3), Clamp) }},
		"Warp":      {0, func() error { return Warp(s, a, b, Rotation(1, 1, 2, 3), Bicubic, Clamp) }},
		"ResizeBy":  {0, func() error { return ResizeBy(s, plan, small, a) }},
		"Gray":      {0, func() error { return ToGray(s, gray, a, BT709) }},
		"YCbCr":     {0, func() error { return ToYCbCr(s, a, b, BT709, true) }},
		"Histogram": {0, func() error { return Histogram(s, counts, a) }},
		"Threshold": {0, func() error { return Threshold(s, a, b, 1, 2, 3) }},
		"Equalize":  {30, func() error { return Equalize(s, a, b) }},
		"Canny":     {60, func() error { return Canny(s, edges, gray, 1, 2, true) }},
		"wide":      {30, func() error { return GaussianBlur(s, a, b, 5, Mirror) }},
	} {
		const calls = 50
		many := func() {
			for range calls {
				ok(t, test.f())
			}
			ok(t, s.Wait(t.Context()))
		}
		many()
		many()
		n := testing.AllocsPerRun(2, many) / calls
		if n > test.most+0.2 { // the device's own queue grows now and then
			t.Errorf("%s allocates %v times", name, n)
		}
	}
}

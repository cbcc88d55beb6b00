package image

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"testing"

	"github.com/gpuc/gpuc/runtime/gpu"
)

// other is an array of testdata/others.json, as make.py has written it.
type other struct {
	Shape []int
	Type  string
	Data  []byte
}

func (o *other) UnmarshalJSON(text []byte) error {
	var entry struct {
		Shape []int
		Type  string
		Data  string
	}
	if err := json.Unmarshal(text, &entry); err != nil {
		return err
	}
	o.Shape, o.Type = entry.Shape, entry.Type
	var err error
	o.Data, err = base64.StdEncoding.DecodeString(entry.Data)
	return err
}

// picture returns the samples as numbers.
func (o other) picture() picture {
	channels := 1
	if len(o.Shape) == 3 {
		channels = o.Shape[2]
	}
	p := newPicture(o.Shape[1], o.Shape[0], channels)
	for i := range p.samples {
		if o.Type == "float32" {
			p.samples[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(o.Data[4*i:])))
		} else {
			p.samples[i] = float64(o.Data[i])
		}
	}
	return p
}

// TestOtherLibraries compares with SciPy, OpenCV, Pillow and scikit-image. Libraries that compute
// in fixed point may differ by a step of 8 bits.
func TestOtherLibraries(t *testing.T) {
	text, err := os.ReadFile("testdata/others.json")
	ok(t, err)
	var all struct{ Pictures map[string]other }
	ok(t, json.Unmarshal(text, &all))
	s := open(t)[0]
	rgb, gray := all.Pictures["rgb"].picture(), all.Pictures["gray"].picture()
	unit := newPicture(gray.width, gray.height, 1).each(func(x, y, _ int) float64 { return float64(float32(gray.at(x, y, 0, Clamp) / 255)) })
	unitRGB := newPicture(rgb.width, rgb.height, 3).each(func(x, y, c int) float64 { return float64(float32(rgb.at(x, y, c, Clamp) / 255)) })

	type call8 = func(dst, src Image[uint8]) error
	resize := func(how Interpolation, antialias bool) call8 {
		return func(dst, src Image[uint8]) error { return Resize(s, dst, src, how, antialias) }
	}
	rotated := Rotation(30*math.Pi/180, 0.8, 20, 14)
	perspective, _ := Quadrilateral([4][2]float64{{0, 0}, {40, 0}, {40, 28}, {0, 28}}, [4][2]float64{{3, 2}, {35, 5}, {38, 25}, {1, 27}})
	window := GaussianWeights(1.5, 3)
	for name, test := range map[string]struct {
		tolerance float64
		from      picture
		bytes     call8
		floats    func(dst, src Image[float32]) error
		mixed     func(dst Image[float32], src Image[uint8]) error
	}{
		"scipy gaussian 1.3 mirror": {1e-6, unit, nil, func(dst, src Image[float32]) error { return GaussianBlur(s, dst, src, 1.3, Mirror) }, nil},
		"scipy gaussian 2.5 wrap":   {1e-6, unit, nil, func(dst, src Image[float32]) error { return GaussianBlur(s, dst, src, 2.5, Wrap) }, nil},
		"scipy uniform 5 nearest":   {1e-6, unit, nil, func(dst, src Image[float32]) error { return BoxBlur(s, dst, src, 2, 2, Clamp) }, nil},
		"scipy median 5 mirror":     {0, gray, func(dst, src Image[uint8]) error { return Median(s, dst, src, 2, Mirror) }, nil, nil},
		"scipy percentile 3 constant": {0, gray, func(dst, src Image[uint8]) error {
			return Percentile(s, dst, src, 1, 1, Constant(9))
		}, nil, nil},
		"scipy erosion cross":   {0, gray, func(dst, src Image[uint8]) error { return Erode(s, dst, src, Cross(3, 3), Clamp) }, nil, nil},
		"scipy laplace mirror":  {0, gray, nil, nil, func(dst Image[float32], src Image[uint8]) error { return Laplacian(s, dst, src, Mirror) }},
		"opencv gaussian 7 1.5": {1, gray, func(dst, src Image[uint8]) error { return SeparableFilter(s, dst, src, window, window, Mirror) }, nil, nil},
		"opencv box 5x3":        {1, rgb, func(dst, src Image[uint8]) error { return BoxBlur(s, dst, src, 2, 1, Clamp) }, nil, nil},
		"opencv sobel x": {0, gray, nil, nil, func(dst Image[float32], src Image[uint8]) error {
			return Sobel(s, dst, must(New[float32](s, src.Width, src.Height, 1))(t), src, Mirror)
		}},
		"opencv scharr y": {0, gray, nil, nil, func(dst Image[float32], src Image[uint8]) error {
			return Scharr(s, must(New[float32](s, src.Width, src.Height, 1))(t), dst, src, Clamp)
		}},
		"opencv median 3":        {0, rgb, func(dst, src Image[uint8]) error { return Median(s, dst, src, 1, Clamp) }, nil, nil},
		"opencv median 5":        {0, rgb, func(dst, src Image[uint8]) error { return Median(s, dst, src, 2, Clamp) }, nil, nil},
		"opencv canny":           {0, gray, func(dst, src Image[uint8]) error { return Canny(s, dst, src, 60, 180, false) }, nil, nil},
		"opencv canny l2":        {0, gray, func(dst, src Image[uint8]) error { return Canny(s, dst, src, 60, 180, true) }, nil, nil},
		"opencv equalize":        {0, gray, func(dst, src Image[uint8]) error { return Equalize(s, dst, src) }, nil, nil},
		"opencv clahe 4x3":       {1, gray, func(dst, src Image[uint8]) error { return EqualizeRegions(s, dst, src, 4, 3, 2) }, nil, nil},
		"opencv clahe 1x1":       {1, gray, func(dst, src Image[uint8]) error { return EqualizeRegions(s, dst, src, 1, 1, 40) }, nil, nil},
		"opencv otsu":            {0, gray, func(dst, src Image[uint8]) error { return Otsu(s, dst, src) }, nil, nil},
		"opencv open 5x3":        {0, gray, func(dst, src Image[uint8]) error { return Open(s, dst, src, Rectangle(5, 3), Clamp) }, nil, nil},
		"opencv gray":            {1, rgb, func(dst, src Image[uint8]) error { return ToGray(s, dst, src, BT601) }, nil, nil},
		"opencv lab":             {1, rgb, func(dst, src Image[uint8]) error { return ToLab(s, dst, src) }, nil, nil},
		"opencv resize linear":   {1, rgb, resize(Bilinear, false), nil, nil},
		"opencv resize cubic":    {1, rgb, resize(BicubicSharp, false), nil, nil},
		"opencv resize area":     {1, rgb, resize(Area, false), nil, nil},
		"opencv enlarge cubic":   {1, rgb, resize(BicubicSharp, false), nil, nil},
		"opencv warp":            {1e-5, unit, nil, func(dst, src Image[float32]) error { return Warp(s, dst, src, rotated, Bilinear, Constant(0.25)) }, nil},
		"opencv perspective":     {1e-5, unit, nil, func(dst, src Image[float32]) error { return Warp(s, dst, src, perspective, Bilinear, Clamp) }, nil},
		"pillow resize bilinear": {1, rgb, resize(Bilinear, true), nil, nil},
		"pillow resize bicubic":  {1, rgb, resize(Bicubic, true), nil, nil},
		"pillow resize lanczos":  {1, rgb, resize(Lanczos3, true), nil, nil},
		"pillow resize nearest":  {0, rgb, resize(Nearest, false), nil, nil},
		// Pillow rounds between its two passes.
		"pillow enlarge bilinear": {1, rgb, resize(Bilinear, true), nil, nil},
		"pillow enlarge bicubic":  {1, rgb, resize(Bicubic, true), nil, nil},
		"pillow enlarge lanczos":  {1, rgb, resize(Lanczos3, true), nil, nil},
		"pillow enlarge nearest":  {0, rgb, resize(Nearest, true), nil, nil},
		"pillow ycbcr":            {1, rgb, func(dst, src Image[uint8]) error { return ToYCbCr(s, dst, src, BT601, false) }, nil, nil},
		// Pillow truncates.
		"pillow hsv":  {1, rgb, func(dst, src Image[uint8]) error { return ToHSV(s, dst, src) }, nil, nil},
		"skimage lab": {0.01, unitRGB, nil, func(dst, src Image[float32]) error { return ToLab(s, dst, src) }, nil},
	} {
		want, found := all.Pictures[name]
		if !found {
			t.Errorf("there is no %q", name)
			continue
		}
		p := want.picture()
		var got []float64
		switch {
		case test.bytes != nil:
			got = called(t, s, p, test.from, test.bytes)
		case test.floats != nil:
			got = called(t, s, p, test.from, test.floats)
		default:
			got = called(t, s, p, test.from, test.mixed)
		}
		worst, at := 0.0, 0
		for i, v := range p.samples {
			if d := math.Abs(got[i] - v); d > worst {
				worst, at = d, i
			}
		}
		if worst > test.tolerance {
			t.Errorf("%s: sample %d is %v, and not %v", name, at, got[at], p.samples[at])
		}
	}
}

// called returns what f makes of a picture, in the sizes of another.
func called[T, U Sample](t *testing.T, s *gpu.Stream, sizes, from picture, f func(dst Image[T], src Image[U]) error) []float64 {
	t.Helper()
	src := must(Upload(t.Context(), s, from.width, from.height, from.channels, samplesOf[U](from)))(t)
	dst := must(New[T](s, sizes.width, sizes.height, sizes.channels))(t)
	ok(t, f(dst, src))
	samples := make([]T, len(sizes.samples))
	ok(t, dst.Read(t.Context(), s, samples))
	list := make([]float64, len(samples))
	for i, v := range samples {
		list[i] = float64(v)
	}
	return list
}

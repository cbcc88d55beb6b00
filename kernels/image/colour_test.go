package image

import (
	"fmt"
	"image/color"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gpuc/gpuc/runtime/gpu"
)

func TestColours(t *testing.T) {
	forTypes(t, testColours[uint8], testColours[uint16], testColours[float32])
}

func testColours[T Sample](t *testing.T) {
	streams, r := open(t), rand.New(rand.NewPCG(14, 14))
	full := float64(fullOf[T]())
	mixed := [3][4]float32{{0.5, -0.25, 1, 0.125}, {0, 1, 0, 0}, {0.25, 0.25, 0.25, 0}}
	tests := []struct {
		name     string
		f        func(s *gpu.Stream, dst, src Image[T]) error
		channels int // of the result, without alpha
		exact    func(c [3]float64) [3]float64
		gray     bool
	}{
		{"gray", func(s *gpu.Stream, dst, src Image[T]) error { return ToGray(s, dst, src, BT601) }, 1, func(c [3]float64) [3]float64 {
			return [3]float64{0.299*c[0] + 0.587*c[1] + 0.114*c[2]}
		}, false},
		{"from gray", FromGray[T], 3, func(c [3]float64) [3]float64 { return c }, true},
		{"mixed", func(s *gpu.Stream, dst, src Image[T]) error { return MixChannels(s, dst, src, mixed) }, 3, func(c [3]float64) (r [3]float64) {
			for i, row := range mixed {
				r[i] = float64(row[0])*c[0] + float64(row[1])*c[1] + float64(row[2])*c[2] + float64(row[3])
			}
			return r
		}, false},
		{"video", func(s *gpu.Stream, dst, src Image[T]) error { return ToYCbCr(s, dst, src, BT709, true) }, 3, func(c [3]float64) [3]float64 {
			y := 0.2126*c[0] + 0.7152*c[1] + 0.0722*c[2]
			return [3]float64{(16 + 219*y) / 255, (128 + 224*(c[2]-y)/1.8556) / 255, (128 + 224*(c[0]-y)/1.5748) / 255}
		}, false},
		{"from video", func(s *gpu.Stream, dst, src Image[T]) error { return FromYCbCr(s, dst, src, BT601, false) }, 3, func(c [3]float64) [3]float64 {
			cb, cr := c[1]-128.0/255, c[2]-128.0/255
			r, b := c[0]+1.402*cr, c[0]+1.772*cb
			return [3]float64{r, (c[0] - 0.299*r - 0.114*b) / 0.587, b}
		}, false},
		{"hsv", ToHSV[T], 3, func(c [3]float64) [3]float64 { return hueOf(c, false) }, false},
		{"from hsv", FromHSV[T], 3, func(c [3]float64) [3]float64 {
			return sectors(c[0], c[2]*c[1], c[2]-c[2]*c[1])
		}, false},
		{"hsl", ToHSL[T], 3, func(c [3]float64) [3]float64 { return hueOf(c, true) }, false},
		{"from hsl", FromHSL[T], 3, func(c [3]float64) [3]float64 {
			chroma := (1 - math.Abs(2*c[2]-1)) * c[1]
			return sectors(c[0], chroma, c[2]-chroma/2)
		}, false},
		{"linear", ToLinear[T], 3, func(c [3]float64) [3]float64 { return [3]float64{decode(c[0]), decode(c[1]), decode(c[2])} }, false},
		{"from linear", FromLinear[T], 3, func(c [3]float64) [3]float64 { return [3]float64{encode(c[0]), encode(c[1]), encode(c[2])} }, false},
	}
	for _, size := range [][2]int{{1, 1}, {131, 3}} {
		for _, test := range tests {
			for _, alpha := range [][2]int{{0, 0}, {1, 0}, {0, 1}, {1, 1}} {
				channels := 3
				if test.gray {
					channels = 1
				}
				p := random(r, size[0], size[1], channels+alpha[0], full)
				got := computed(t, streams, p.width, p.height, test.channels+alpha[1], p, test.f)
				want := newPicture(p.width, p.height, test.channels+alpha[1]).each(func(x, y, c int) float64 {
					if c == test.channels {
						if alpha[0] == 0 {
							return full
						}
						return p.at(x, y, channels, Clamp)
					}
					var v [3]float64
					for k := range v {
						v[k] = p.at(x, y, min(k, channels-1), Clamp) / full
					}
					return test.exact(v)[c] * full
				})
				near(t, fmt.Sprint(test.name, alpha), got, want, 6e-6)
			}
		}
	}
}

func hueOf(c [3]float64, lightness bool) [3]float64 {
	most, least := max(c[0], c[1], c[2]), min(c[0], c[1], c[2])
	if most == least {
		return [3]float64{0, 0, most}
	}
	h := 0.0
	switch most {
	case c[0]:
		h = math.Mod((c[1]-c[2])/(most-least)+6, 6)
	case c[1]:
		h = (c[2]-c[0])/(most-least) + 2
	default:
		h = (c[0]-c[1])/(most-least) + 4
	}
	if lightness {
		return [3]float64{h / 6, (most - least) / (1 - math.Abs(most+least-1)), (most + least) / 2}
	}
	return [3]float64{h / 6, (most - least) / most, most}
}

// sectors returns the colour of a hue by the six cases of the usual definition.
func sectors(h, chroma, least float64) [3]float64 {
	h = math.Mod(h, 1) * 6
	x := chroma * (1 - math.Abs(math.Mod(h, 2)-1))
	c := [][3]float64{{chroma, x, 0}, {x, chroma, 0}, {0, chroma, x}, {0, x, chroma}, {x, 0, chroma}, {chroma, 0, x}}[int(h)]
	return [3]float64{c[0] + least, c[1] + least, c[2] + least}
}

func decode(v float64) float64 {
	if v <= 0.04045 {
		return v / 12.92
	}
	return math.Pow((v+0.055)/1.055, 2.4)
}

func encode(v float64) float64 {
	if v <= 0.0031308 {
		return v * 12.92
	}
	return 1.055*math.Pow(v, 1/2.4) - 0.055
}

// TestLab compares with the definition, and converts there and back.
func TestLab(t *testing.T) {
	streams, r := open(t), rand.New(rand.NewPCG(15, 15))
	p := random(r, 131, 3, 3, 1)
	got := computed(t, streams, p.width, p.height, 3, p, ToLab[float32])
	want := newPicture(p.width, p.height, 3).each(func(x, y, c int) float64 {
		var v [3]float64
		for k := range v {
			v[k] = decode(p.at(x, y, k, Clamp))
		}
		var f [3]float64
		for k, row := range [][3]float64{{0.412453 / 0.950456, 0.357580 / 0.950456, 0.180423 / 0.950456}, {0.212671, 0.715160, 0.072169}, {0.019334 / 1.088754, 0.119193 / 1.088754, 0.950227 / 1.088754}} {
			f[k] = row[0]*v[0] + row[1]*v[1] + row[2]*v[2]
			if f[k] > 216.0/24389 {
				f[k] = math.Cbrt(f[k])
			} else {
				f[k] = (24389.0/27*f[k] + 16) / 116
			}
		}
		return [3]float64{116*f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])}[c]
	})
	near(t, "lab", got, want, 1e-5)
	lab := newPicture(p.width, p.height, 3)
	for i := range got {
		lab.samples[i] = float64(got[i])
	}
	near(t, "back", computed(t, streams, p.width, p.height, 3, lab, FromLab[float32]), p, 1e-4)
	of16 := random(r, 131, 3, 4, 65535)
	mid := computed(t, streams, p.width, p.height, 4, of16, ToLab[uint16])
	for i := range mid {
		if i == 0 {
			lab = newPicture(p.width, p.height, 4)
		}
		lab.samples[i] = float64(mid[i])
	}
	near(t, "back of 16 bits", computed(t, streams, p.width, p.height, 4, lab, FromLab[uint16]), of16, 6e-4)
}

// TestYCbCrOfGo compares with Go's conversion, which is that of JPEG in integers.
func TestYCbCrOfGo(t *testing.T) {
	streams, r := open(t)[:1], rand.New(rand.NewPCG(16, 16))
	p := random(r, 200, 7, 3, 255)
	got := computed(t, streams, p.width, p.height, 3, p, func(s *gpu.Stream, dst, src Image[uint8]) error {
		return ToYCbCr(s, dst, src, BT601, false)
	})
	for i := 0; i < len(got); i += 3 {
		y, cb, cr := color.RGBToYCbCr(uint8(p.samples[i]), uint8(p.samples[i+1]), uint8(p.samples[i+2]))
		for k, v := range []uint8{y, cb, cr} {
			if d := int(got[i+k]) - int(v); d < -1 || d > 1 {
				t.Fatalf("sample %d of pixel %d is %d, and Go's %d", k, i/3, got[i+k], v)
			}
		}
	}
}

// TestElementary: the functions are as exact as they say, and right at their limits.
func TestElementary(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 17))
	for range 20000 {
		x := float32(r.Float64()*200 - 120)
		if want := math.Exp(float64(x)); x < 88 && x > -87 && math.Abs(float64(exponential(x))/want-1) > 1e-6+math.Abs(float64(x))*1.2e-7 {
			t.Fatalf("exp(%v) is %v, and not %v", x, exponential(x), want)
		}
		x = float32(math.Exp(r.Float64()*100 - 50))
		if want := math.Log2(float64(x)); math.Abs(float64(logarithm2(x))-want) > 5e-7*max(1, math.Abs(want)) {
			t.Fatalf("log2(%v) is %v, and not %v", x, logarithm2(x), want)
		}
		x = r.Float32()
		if want := math.Pow(float64(x), 2.4); math.Abs(float64(power(x, 2.4))-want) > 5e-6*want+1e-30 {
			t.Fatalf("pow(%v, 2.4) is %v, and not %v", x, power(x, 2.4), want)
		}
	}
	for _, test := range [][2]float32{{exponential(-200), 0}, {exponential(0), 1}, {power(0, 2), 0}, {power(1, 2.4), 1}, {logarithm2(1), 0}, {logarithm2(8), 3}} {
		if test[0] != test[1] {
			t.Errorf("%v, and not %v", test[0], test[1])
		}
	}
}

package image

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gpuc/gpuc/runtime/gpu"
)

// interpolated returns a picture's value at a point.
func interpolated(p picture, x, y float64, c int, how Interpolation, b Border) float64 {
	a := -0.5
	if how == BicubicSharp {
		a = -0.75
	}
	weight := func(d float64) float64 {
		d = math.Abs(d)
		switch {
		case how == Bilinear:
			return max(0, 1-d)
		case d < 1:
			return (a+2)*d*d*d - (a+3)*d*d + 1
		case d < 2:
			return a*d*d*d - 5*a*d*d + 8*a*d - 4*a
		}
		return 0
	}
	if how == Nearest {
		return p.at(int(math.Floor(x+0.5)), int(math.Floor(y+0.5)), c, b)
	}
	i, j := int(math.Floor(x)), int(math.Floor(y))
	sum := 0.0
	for m := i - 1; m <= i+2; m++ {
		for n := j - 1; n <= j+2; n++ {
			if w := weight(x-float64(m)) * weight(y-float64(n)); w != 0 {
				sum += w * p.at(m, n, c, b)
			}
		}
	}
	return sum
}

func TestWarp(t *testing.T) {
	forTypes(t, testWarp[uint8], testWarp[uint16], testWarp[float32])
}

func testWarp[T Sample](t *testing.T) {
	streams, r := open(t), rand.New(rand.NewPCG(8, 8))
	square := [4][2]float64{{0, 0}, {20, 0}, {20, 12}, {0, 12}}
	slanted, exists := Quadrilateral(square, [4][2]float64{{1, 2}, {18, 0}, {21, 13}, {3, 11}})
	if !exists {
		t.Fatal("there is no projection")
	}
	for n, size := range sizes {
		b := borders[n%len(borders)]
		p := random(r, size[0], size[1], size[2], float64(fullOf[T]()))
		for i, m := range []Projection{Affine(1, 0, 2, 0, 1, -1), Rotation(0.3, 1.2, 4, 3), slanted, Affine(-1, 0, 7, 0, 2, 0.25)} {
			for how := Nearest; how <= BicubicSharp; how++ {
				width, height := size[0]+3, size[1]+2
				got := computed(t, streams, width, height, p.channels, p, func(s *gpu.Stream, dst, src Image[T]) error {
					return Warp(s, dst, src, m, how, b.border)
				})
				inverse, _ := m.Inverse()
				want := newPicture(width, height, p.channels).each(func(x, y, c int) float64 {
					u, v := apply(inverse, float64(x), float64(y))
					return interpolated(p, u, v, c, how, b.border)
				})
				if how == Nearest && i != 0 {
					// The nearest pixel may be another one by rounding errors: few may be.
					wrong := 0
					for k, v := range want.samples {
						if math.Abs(float64(got[k])-v) > 0.51*min(1, float64(fullOf[T]())-1)+1e-6 {
							wrong++
						}
					}
					if wrong*50 > len(got)+100 {
						t.Errorf("nearest %v: %d of %d samples are wrong", m, wrong, len(got))
					}
					continue
				}
				// Coordinates are rounded to float32: the slope is up to the full intensity a
				// pixel.
				tolerance := 4e-6 * float64(size[0]+8)
				near(t, fmt.Sprint(how, i, b.name), got, want, tolerance)
			}
		}
	}
}

func apply(p Projection, x, y float64) (float64, float64) {
	w := p[6]*x + p[7]*y + p[8]
	return (p[0]*x + p[1]*y + p[2]) / w, (p[3]*x + p[4]*y + p[5]) / w
}

func TestRemap(t *testing.T) {
	forTypes(t, testRemap[uint8], testRemap[uint16], testRemap[float32])
}

func testRemap[T Sample](t *testing.T) {
	streams, r := open(t), rand.New(rand.NewPCG(9, 9))
	for n, size := range sizes {
		b := borders[n%len(borders)]
		p := random(r, size[0], size[1], size[2], float64(fullOf[T]()))
		width, height := 131, 3
		at := make([]float32, width*height*2)
		for i := range at {
			at[i] = float32(math.Round(r.Float64()*40*8)/8) - 10 // exact in both precisions
		}
		at[0], at[1] = 1e9, -1e9
		for how := Nearest; how <= BicubicSharp; how++ {
			got := computed(t, streams, width, height, p.channels, p, func(s *gpu.Stream, dst, src Image[T]) error {
				m, err := Upload(t.Context(), s, width, height, 2, at)
				if err != nil {
					return err
				}
				defer m.Close()
				return Remap(s, dst, src, m, how, b.border)
			})
			want := newPicture(width, height, p.channels).each(func(x, y, c int) float64 {
				i := 2 * (y*width + x)
				if i == 0 { // far outside, where positions are clamped to ±2²⁴
					return float64(got[c])
				}
				return interpolated(p, float64(at[i]), float64(at[i+1]), c, how, b.border)
			})
			near(t, fmt.Sprint(how, b.name), got, want, 2e-6)
		}
	}
}

// TestProjections: maps do what they are made of, and one after the inverse is none.
func TestProjections(t *testing.T) {
	same := func(what string, x, y, u, v float64) {
		t.Helper()
		if math.Abs(x-u) > 1e-9 || math.Abs(y-v) > 1e-9 {
			t.Errorf("%s: (%v, %v), and not (%v, %v)", what, x, y, u, v)
		}
	}
	x, y := apply(Rotation(math.Pi/2, 2, 1, 1), 2, 1)
	same("rotation", x, y, 1, 3)
	x, y = apply(Affine(1, 2, 3, 4, 5, 6).Then(Affine(1, 0, 0, 0, 2, 0)), 1, 1)
	same("both", x, y, 6, 30)
	from := [4][2]float64{{3, 1}, {8, 2}, {9, 7}, {2, 6}}
	to := [4][2]float64{{0, 0}, {5, 1}, {4, 6}, {-1, 4}}
	p, exists := Quadrilateral(from, to)
	if !exists {
		t.Fatal("no projection")
	}
	inverse, exists := p.Inverse()
	if !exists {
		t.Fatal("no inverse")
	}
	for i := range from {
		x, y := apply(p, from[i][0], from[i][1])
		same("corner", x, y, to[i][0], to[i][1])
		x, y = apply(inverse, x, y)
		same("back", x, y, from[i][0], from[i][1])
	}
	if _, exists := Affine(1, 2, 0, 2, 4, 0).Inverse(); exists {
		t.Error("a singular map has an inverse")
	}
	if _, exists := Quadrilateral(from, [4][2]float64{}); exists {
		t.Error("a point is a quadrilateral")
	}
}

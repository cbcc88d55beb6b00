package image

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gpuc/gpuc/runtime/gpu"
)

// resampled computes a change of size of a window by its definition. Each pixel of the result is a
// sum over all pixels of the source and those beyond, weighted by a kernel.
func resampled(p picture, w Window, width, height int, how Interpolation, antialias bool) picture {
	weights := func(n, from int, begin, size float64) [][]float64 {
		rows := make([][]float64, n)
		for i := range rows {
			rows[i] = make([]float64, from)
			scale := size / float64(n)
			wide := 1.0
			if antialias && scale > 1 {
				wide = scale
			}
			sum := 0.0
			for j := -from - 8; j < 2*from+8; j++ {
				x := (float64(j) + 0.5 - begin - (float64(i)+0.5)*scale) / wide
				w := 0.0
				switch d := math.Abs(x); how {
				case Nearest:
					if int(math.Floor(begin+(float64(i)+0.5)*scale)) == j {
						w = 1
					}
				case Area:
					if j >= 0 && j < from {
						w = max(0, min(begin+float64(i+1)*scale, float64(j+1))-max(begin+float64(i)*scale, float64(j)))
					}
				case Bilinear:
					w = max(0, 1-d)
				case Bicubic, BicubicSharp:
					a := -0.5
					if how == BicubicSharp {
						a = -0.75
					}
					if d < 1 {
						w = (a+2)*d*d*d - (a+3)*d*d + 1
					} else if d < 2 {
						w = a*d*d*d - 5*a*d*d + 8*a*d - 4*a
					}
				case Lanczos3:
					if d == 0 {
						w = 1
					} else if d < 3 {
						w = 3 * math.Sin(math.Pi*d) * math.Sin(math.Pi*d/3) / (math.Pi * math.Pi * d * d)
					}
				}
				if antialias && (j < 0 || j >= from) {
					continue
				}
				rows[i][min(max(j, 0), from-1)] += w
				sum += w
			}
			if sum == 0 {
				rows[i][min(max(int(begin+(float64(i)+0.5)*scale), 0), from-1)], sum = 1, 1
			}
			for j := range rows[i] {
				rows[i][j] /= sum
			}
		}
		return rows
	}
	across, down := weights(width, p.width, w.X, w.Width), weights(height, p.height, w.Y, w.Height)
	return newPicture(width, height, p.channels).each(func(x, y, c int) float64 {
		sum := 0.0
		for j, v := range down[y] {
			for i, u := range across[x] {
				if u != 0 && v != 0 {
					sum += u * v * p.at(i, j, c, Clamp)
				}
			}
		}
		return sum
	})
}

func TestResize(t *testing.T) {
	forTypes(t, testResize[uint8], testResize[uint16], testResize[float32])
}

func testResize[T Sample](t *testing.T) {
	streams, r := open(t), rand.New(rand.NewPCG(7, 7))
	n := 0
	for _, sizes := range [][5]int{{1, 1, 1, 1, 1}, {1, 1, 3, 4, 2}, {5, 4, 1, 1, 3}, {12, 8, 6, 4, 4}, {6, 4, 12, 8, 1}, {10, 7, 9, 6, 3}, {133, 3, 40, 9, 1}, {31, 17, 140, 50, 3}, {64, 5, 64, 5, 1}, {300, 2, 600, 4, 1}, {200, 6, 100, 3, 3},
		// halves
		{31, 5, 62, 10, 3}, {16, 4, 32, 8, 1}, {5, 3, 10, 6, 2}, {9, 2, 18, 4, 4}} {
		for how := Nearest; how <= Area; how++ {
			for _, antialias := range []bool{false, true} {
				if antialias && (how == Nearest || how == Area) {
					continue
				}
				width, height := sizes[0], sizes[1]
				p := random(r, sizes[2], sizes[3], sizes[4], float64(fullOf[T]()))
				got := computed(t, streams, width, height, p.channels, p, func(s *gpu.Stream, dst, src Image[T]) error {
					if n++; n%2 == 0 {
						return Resize(s, dst, src, how, antialias)
					}
					plan, err := PlanResize(t.Context(), s.Device(), width, height, p.width, p.height, how, antialias)
					if err != nil {
						return err
					}
					defer plan.Close()
					return ResizeBy(s, plan, dst, src)
				})
				near(t, fmt.Sprint(how, antialias, sizes), got, resampled(p, Window{0, 0, float64(p.width), float64(p.height)}, width, height, how, antialias), 2e-6)
			}
		}
	}
}

// TestResizeWindow compares windows of all kinds with the definition, and windows that have no
// pixel of the source with its edge.
func TestResizeWindow(t *testing.T) {
	streams, r := open(t), rand.New(rand.NewPCG(8, 8))
	p := random(r, 11, 9, 2, 1)
	resize := func(w Window, how Interpolation, antialias bool) []float32 {
		return computed(t, streams, 7, 6, p.channels, p, func(s *gpu.Stream, dst, src Image[float32]) error {
			plan, err := PlanResizeWindow(t.Context(), s.Device(), dst.Width, dst.Height, p.width, p.height, w, how, antialias)
			if err != nil {
				return err
			}
			defer plan.Close()
			return ResizeBy(s, plan, dst, src)
		})
	}
	for _, w := range []Window{{2, 1, 7, 6}, {3.25, 2.125, 2.5, 1.75}, {-1.5, 0.75, 10, 12}, {0.5 - 5./6, 0.5 - 4./5, 7 * 5. / 3, 6 * 8. / 5}} {
		for how := Nearest; how <= Area; how++ {
			for _, antialias := range []bool{false, true} {
				near(t, fmt.Sprint(how, antialias, w), resize(w, how, antialias), resampled(p, w, 7, 6, how, antialias && how != Nearest && how != Area), 2e-6)
			}
		}
	}
	for how := Nearest; how <= Area; how++ {
		for _, corner := range []int{-1, 1} {
			got := resize(Window{float64(corner) * 30, float64(corner) * 30, 5, 5}, how, true)
			near(t, fmt.Sprint(how, " at corner ", corner), got, newPicture(7, 6, 2).each(func(_, _, c int) float64 { return p.at(corner*30, corner*30, c, Clamp) }), 2e-6)
		}
	}
	d := streams[0].Device()
	nan, inf := math.NaN(), math.Inf(1)
	for _, w := range []Window{{}, {0, 0, 1, 0}, {0, 0, -1, 1}, {nan, 0, 1, 1}, {0, 0, nan, 1}, {0, -inf, 1, 1}, {0, 0, inf, 1}, {-65537, 0, 1, 1}, {0, 65500, 1, 100}} {
		if _, err := PlanResizeWindow(t.Context(), d, 7, 6, 11, 9, w, Bilinear, false); !errors.As(err, new(*gpu.ShapeError)) {
			t.Errorf("window %v: %v", w, err)
		}
	}
}

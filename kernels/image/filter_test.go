package image

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gpuc/gpuc/runtime/gpu"
)

func TestConvert(t *testing.T) {
	forTypes(t, testConvert[uint8], testConvert[uint16], testConvert[float32])
}

func testConvert[T Sample](t *testing.T) {
	testConvertTo[T, uint8](t)
	testConvertTo[T, uint16](t)
	testConvertTo[T, float32](t)
}

func testConvertTo[U, T Sample](t *testing.T) {
	streams, r := open(t), rand.New(rand.NewPCG(1, 1))
	for _, size := range sizes {
		p := random(r, size[0], size[1], size[2], float64(fullOf[U]()))
		scale := Scale[T, U]()
		got := computed(t, streams, p.width, p.height, p.channels, p, func(s *gpu.Stream, dst Image[T], src Image[U]) error {
			return Convert(s, dst, src, scale)
		})
		want := newPicture(p.width, p.height, p.channels).each(func(x, y, c int) float64 {
			return p.at(x, y, c, Clamp) * float64(fullOf[T]()) / float64(fullOf[U]())
		})
		near(t, fmt.Sprintf("%T of %T", *new(T), *new(U)), got, want, 1e-6)
		got = computed(t, streams, p.width, p.height, p.channels, p, func(s *gpu.Stream, dst Image[T], src Image[U]) error {
			return ConvertLinear(s, dst, src, -scale, fullOf[T]())
		})
		for i := range want.samples {
			want.samples[i] = float64(fullOf[T]()) - want.samples[i]
		}
		near(t, "negative", got, want, 1e-6)
	}
}

func TestCombine(t *testing.T) {
	forTypes(t, testCombine[uint8], testCombine[uint16], testCombine[float32])
}

func testCombine[T Sample](t *testing.T) {
	streams, r := open(t), rand.New(rand.NewPCG(24, 24))
	full := float64(fullOf[T]())
	for _, size := range sizes {
		p, q := random(r, size[0], size[1], size[2], full), random(r, size[0], size[1], size[2], full)
		got := computed(t, streams, p.width, p.height, p.channels, p, func(s *gpu.Stream, dst, src Image[T]) error {
			other, err := Upload(t.Context(), s, q.width, q.height, q.channels, samplesOf[T](q))
			if err != nil {
				return err
			}
			defer other.Close()
			return Combine(s, dst, src, other, 0.75, -0.5, float32(full/4))
		})
		near(t, "combine", got, newPicture(p.width, p.height, p.channels).each(func(x, y, c int) float64 {
			return 0.75*p.at(x, y, c, Clamp) - 0.5*q.at(x, y, c, Clamp) + float64(float32(full/4))
		}), 1e-6)
	}
}

// correlated is the filter of all others here: the weighted sums of what is around.
func correlated(p picture, weights []float64, width int, b Border) picture {
	height := len(weights) / width
	return newPicture(p.width, p.height, p.channels).each(func(x, y, c int) float64 {
		sum := 0.0
		for j := range height {
			for i := range width {
				sum += weights[j*width+i] * p.at(x+i-width/2, y+j-height/2, c, b)
			}
		}
		return sum
	})
}

// outer is the weights of two filters one behind the other.
func outer(x, y []float32) (list []float64) {
	for _, v := range y {
		for _, u := range x {
			list = append(list, float64(u)*float64(v))
		}
	}
	return list
}

func TestSeparableFilter(t *testing.T) {
	forTypes(t, testSeparable[uint8], testSeparable[uint16], testSeparable[float32])
}

func testSeparable[T Sample](t *testing.T) {
	streams, r := open(t), rand.New(rand.NewPCG(2, 2))
	for n, size := range sizes {
		b := borders[n%len(borders)]
		for _, radii := range [][2]int{{0, 0}, {1, 1}, {2, 2}, {1, 2}, {3, 0}, {32, 1}, {2, 33}, {36, 2}} {
			if radii[0]+radii[1] > 10 && n%3 != 0 && n%5 != 4 {
				continue
			}
			p := random(r, size[0], size[1], size[2], float64(fullOf[T]()))
			x, y := make([]float32, 2*radii[0]+1), make([]float32, 2*radii[1]+1)
			for i := range x {
				x[i] = (r.Float32() - 0.2) / float32(len(x))
			}
			for i := range y {
				y[i] = (r.Float32() + 0.4) / float32(len(y))
			}
			got := computed(t, streams, p.width, p.height, p.channels, p, func(s *gpu.Stream, dst, src Image[T]) error {
				return SeparableFilter(s, dst, src, x, y, b.border)
			})
			near(t, fmt.Sprint(b.name, radii), got, correlated(p, outer(x, y), len(x), b.border), 2e-6)
		}
	}
}

func TestBlurs(t *testing.T) {
	forTypes(t, testBlurs[uint8], testBlurs[uint16], testBlurs[float32])
}

func testBlurs[T Sample](t *testing.T) {
	streams, r := open(t), rand.New(rand.NewPCG(3, 3))
	p := random(r, 43, 21, 3, float64(fullOf[T]()))
	for n, sigma := range []float64{0, 0.7, 1.5, 4.6} {
		radius := int(4*sigma + 0.5)
		var w []float64
		sum := 0.0
		for i := -radius; i <= radius; i++ {
			v := 1.0
			if i != 0 {
				v = math.Exp(-float64(i*i) / (2 * sigma * sigma))
			}
			w = append(w, v)
			sum += v
		}
		var both []float64
		for _, v := range w {
			for _, u := range w {
				both = append(both, u*v/sum/sum)
			}
		}
		b := borders[n]
		got := computed(t, streams, p.width, p.height, p.channels, p, func(s *gpu.Stream, dst, src Image[T]) error {
			return GaussianBlur(s, dst, src, sigma, b.border)
		})
		near(t, fmt.Sprint("gauss ", sigma), got, correlated(p, both, len(w), b.border), 3e-6)
	}
	wide := random(r, 1100, 13, 1, float64(fullOf[T]())) // of several tiles
	for n, radii := range [][2]int{{0, 1}, {2, 3}, {45, 1}, {2, 2}, {7, 3}} {
		if n == 3 {
			p = wide
		}
		got := computed(t, streams, p.width, p.height, p.channels, p, func(s *gpu.Stream, dst, src Image[T]) error {
			return BoxBlur(s, dst, src, radii[0], radii[1], Mirror)
		})
		w := make([]float64, (2*radii[0]+1)*(2*radii[1]+1))
		for i := range w {
			w[i] = 1 / float64(len(w))
		}
		near(t, fmt.Sprint("box ", radii), got, correlated(p, w, 2*radii[0]+1, Mirror), 3e-6)
	}
}

func TestFilter2D(t *testing.T) {
	forTypes(t, func(t *testing.T) { testFilter[uint8, uint8](t); testFilter[float32, uint8](t) },
		func(t *testing.T) { testFilter[uint16, uint16](t); testFilter[float32, uint16](t) }, testFilter[float32, float32])
}

func testFilter[T, U Sample](t *testing.T) {
	streams, r := open(t), rand.New(rand.NewPCG(4, 4))
	for n, size := range sizes {
		b := borders[n%len(borders)]
		p := random(r, size[0], size[1], size[2], float64(fullOf[U]()))
		width, height := 1+r.IntN(6), 1+r.IntN(5)
		w, exact := make([]float32, width*height), make([]float64, width*height)
		for i := range w {
			w[i] = (r.Float32() - 0.25) / float32(len(w)) * 3
			exact[i] = float64(w[i])
		}
		got := computed(t, streams, p.width, p.height, p.channels, p, func(s *gpu.Stream, dst Image[T], src Image[U]) error {
			return Filter2D(s, dst, src, w, width, b.border)
		})
		near(t, fmt.Sprint(b.name, width, height), got, correlated(p, exact, width, b.border), 4e-6)
	}
}

func TestGradients(t *testing.T) {
	forTypes(t, testGradients[uint8], testGradients[uint16], testGradients[float32])
}

func testGradients[T Sample](t *testing.T) {
	streams, r := open(t), rand.New(rand.NewPCG(5, 5))
	// Also rows of whole words, of which GPUs compute several at once.
	for n, size := range append(sizes[:len(sizes):len(sizes)], [3]int{132, 11, 1}, [3]int{40, 9, 3}, [3]int{6, 12, 4}, [3]int{8, 17, 1}, [3]int{12, 10, 2}) {
		b := borders[n%len(borders)]
		p := random(r, size[0], size[1], size[2], float64(fullOf[T]()))
		for _, operator := range []struct {
			name           string
			corner, middle float64
			f              func(s *gpu.Stream, dx, dy Image[float32], src Image[T], b Border) error
		}{{"sobel", 1, 2, Sobel[T]}, {"scharr", 3, 10, Scharr[T]}} {
			k, m := operator.corner, operator.middle
			for axis, w := range [][]float64{{-k, 0, k, -m, 0, m, -k, 0, k}, {-k, -m, -k, 0, 0, 0, k, m, k}} {
				got := computed(t, streams, p.width, p.height, p.channels, p, func(s *gpu.Stream, dst Image[float32], src Image[T]) error {
					other, err := New[float32](s, src.Width, src.Height, src.Channels)
					if err != nil {
						return err
					}
					defer other.Close()
					if axis == 0 {
						return operator.f(s, dst, other, src, b.border)
					}
					return operator.f(s, other, dst, src, b.border)
				})
				near(t, fmt.Sprint(operator.name, b.name, axis), got, correlated(p, w, 3, b.border), 4e-6)
			}
		}
		got := computed(t, streams, p.width, p.height, p.channels, p, func(s *gpu.Stream, dst Image[float32], src Image[T]) error {
			return Laplacian(s, dst, src, b.border)
		})
		near(t, "laplacian "+b.name, got, correlated(p, []float64{0, 1, 0, 1, -4, 1, 0, 1, 0}, 3, b.border), 4e-6)
	}
}

func TestMagnitude(t *testing.T) {
	streams, r := open(t), rand.New(rand.NewPCG(6, 6))
	p := random(r, 133, 5, 2, 1)
	for _, sums := range []bool{true, false} {
		got := computed(t, streams, p.width, p.height, p.channels, p, func(s *gpu.Stream, dst, src Image[float32]) error {
			dy, err := New[float32](s, src.Width, src.Height, src.Channels)
			if err != nil {
				return err
			}
			defer dy.Close()
			if err := ConvertLinear(s, dy, src, -2, 0.5); err != nil {
				return err
			}
			return Magnitude(s, dst, src, dy, sums)
		})
		want := newPicture(p.width, p.height, p.channels).each(func(x, y, c int) float64 {
			dx := p.at(x, y, c, Clamp)
			dy := -2*dx + 0.5
			if sums {
				return math.Abs(dx) + math.Abs(dy)
			}
			return math.Hypot(dx, dy)
		})
		near(t, "magnitude", got, want, 1e-6)
	}
}

package image

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gpuc/gpuc/runtime/gpu"
)

func TestMedian(t *testing.T) {
	forTypes(t, testMedian[uint8], testMedian[uint16], testMedian[float32])
}

func testMedian[T Sample](t *testing.T) {
	streams, r := open(t), rand.New(rand.NewPCG(10, 10))
	for n, size := range sizes {
		b := borders[n%len(borders)]
		p := random(r, size[0], size[1], size[2], float64(fullOf[T]()))
		if size[0]*size[1]*size[2] > 1000 && fullOf[T]() != 255 {
			continue // 16 and 32 passes
		}
		for _, test := range []struct {
			radius   int
			fraction float64
		}{{1, 0.5}, {2, 0.5}, {1, 0}, {1, 1}, {3, 0.9}} {
			got := computed(t, streams, p.width, p.height, p.channels, p, func(s *gpu.Stream, dst, src Image[T]) error {
				if test.fraction == 0.5 {
					return Median(s, dst, src, test.radius, b.border)
				}
				return Percentile(s, dst, src, test.radius, test.fraction, b.border)
			})
			want := newPicture(p.width, p.height, p.channels).each(func(x, y, c int) float64 {
				var list []float64
				for j := -test.radius; j <= test.radius; j++ {
					for i := -test.radius; i <= test.radius; i++ {
						list = append(list, p.at(x+i, y+j, c, b.border))
					}
				}
				slices.Sort(list)
				return list[int(math.RoundToEven(test.fraction*float64(len(list)-1)))]
			})
			near(t, fmt.Sprint(test, b.name), got, want, 0)
		}
	}
}

// TestMedianOrders: the median of three by three numbers is that of any order of them.
func TestMedianOrders(t *testing.T) {
	s, r := open(t)[0], rand.New(rand.NewPCG(11, 11))
	p := newPicture(9*64, 3, 1)
	for i := range p.samples {
		p.samples[i] = float64(r.IntN(4))
	}
	src := must(Upload(t.Context(), s, p.width, 3, 1, samplesOf[uint8](p)))(t)
	dst := must(New[uint8](s, p.width, 3, 1))(t)
	ok(t, Median(s, dst, src, 1, Clamp))
	got := make([]uint8, len(p.samples))
	ok(t, dst.Read(t.Context(), s, got))
	for x := 1; x < p.width-1; x++ {
		var list []float64
		for y := range 3 {
			list = append(list, p.samples[y*p.width+x-1], p.samples[y*p.width+x], p.samples[y*p.width+x+1])
		}
		slices.Sort(list)
		if v := got[p.width+x]; float64(v) != list[4] {
			t.Fatalf("the median of %v is %v", list, v)
		}
	}
}

func TestMorphology(t *testing.T) {
	forTypes(t, testMorphology[uint8], testMorphology[uint16], testMorphology[float32])
}

func testMorphology[T Sample](t *testing.T) {
	streams, r := open(t), rand.New(rand.NewPCG(12, 12))
	odd := ElementOf([]bool{true, false, false, false, true, true}, 3)
	for n, size := range sizes {
		b := borders[n%len(borders)]
		p := random(r, size[0], size[1], size[2], float64(fullOf[T]()))
		for i, e := range []Element{Rectangle(3, 3), Rectangle(5, 4), Cross(3, 5), Ellipse(5, 5), odd, Rectangle(1, 1)} {
			eroded := wantMinMax(p, e, false, b.border)
			dilated := wantMinMax(p, e, true, b.border)
			for _, test := range []struct {
				name string
				f    func(s *gpu.Stream, dst, src Image[T], e Element, b Border) error
				want picture
			}{
				{"erode", Erode[T], eroded}, {"dilate", Dilate[T], dilated},
				{"open", Open[T], wantMinMax(eroded, e.mirrored(), true, b.border)},
				{"close", CloseGaps[T], wantMinMax(dilated, e.mirrored(), false, b.border)},
			} {
				got := computed(t, streams, p.width, p.height, p.channels, p, func(s *gpu.Stream, dst, src Image[T]) error {
					return test.f(s, dst, src, e, b.border)
				})
				near(t, fmt.Sprint(test.name, i, b.name), got, test.want, 0)
			}
		}
	}
}

func wantMinMax(p picture, e Element, largest bool, b Border) picture {
	return newPicture(p.width, p.height, p.channels).each(func(x, y, c int) float64 {
		best := math.Inf(1)
		if largest {
			best = math.Inf(-1)
		}
		for j := range e.element.Height {
			for i := range e.element.Width {
				if e.element.Rows[j]>>i&1 == 0 {
					continue
				}
				v := p.at(x+i-e.element.Width/2, y+j-e.element.Height/2, c, b)
				if largest {
					best = max(best, v)
				} else {
					best = min(best, v)
				}
			}
		}
		return best
	})
}

// TestElements: shapes are what they are called.
func TestElements(t *testing.T) {
	for _, test := range []struct {
		name string
		e    Element
		want []uint32
	}{
		{"cross", Cross(3, 3), []uint32{2, 7, 2}},
		{"ellipse", Ellipse(5, 5), []uint32{0b01110, 0b11111, 0b11111, 0b11111, 0b01110}},
		{"rectangle", Rectangle(2, 1), []uint32{3}},
		{"rows", ElementOf([]bool{true, false, false, true}, 2), []uint32{1, 2}},
		{"mirrored", ElementOf([]bool{true, false, false, false, false, true}, 3).mirrored(), []uint32{1, 4}},
		{"too wide", Rectangle(33, 1), nil}, {"no rows", ElementOf([]bool{true}, 2), nil}, {"none", Rectangle(0, 1), nil},
	} {
		if got := test.e.element.Rows[:test.e.element.Height]; !slices.Equal(got, test.want) {
			t.Errorf("%s is %b", test.name, got)
		}
	}
}

func TestBilateral(t *testing.T) {
	forTypes(t, testBilateral[uint8], testBilateral[uint16], testBilateral[float32])
}

func testBilateral[T Sample](t *testing.T) {
	streams, r := open(t), rand.New(rand.NewPCG(13, 13))
	full := float64(fullOf[T]())
	for n, size := range sizes {
		b := borders[n%len(borders)]
		p := random(r, size[0], size[1], size[2], full)
		const space, tone = 1.7, 0.3
		for _, radius := range []int{0, 2} {
			got := computed(t, streams, p.width, p.height, p.channels, p, func(s *gpu.Stream, dst, src Image[T]) error {
				return Bilateral(s, dst, src, radius, space, tone, b.border)
			})
			want := newPicture(p.width, p.height, p.channels).each(func(x, y, c int) float64 {
				var sum, total float64
				for j := -radius; j <= radius; j++ {
					for i := -radius; i <= radius; i++ {
						d := 0.0
						for k := range p.channels {
							v := (p.at(x+i, y+j, k, b.border) - p.at(x, y, k, Clamp)) / full
							d += v * v
						}
						w := math.Exp(-float64(i*i+j*j)/(2*space*space) - d/(2*tone*tone))
						sum += w * p.at(x+i, y+j, c, b.border)
						total += w
					}
				}
				return sum / total
			})
			near(t, fmt.Sprint(radius, b.name), got, want, 3e-6)
		}
	}
}

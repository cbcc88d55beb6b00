package image

import (
	"image"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gpuc/gpuc/runtime/gpu"
)

func TestHistogram(t *testing.T) {
	forTypes(t, testHistogram[uint8], testHistogram[uint16], testHistogram[float32])
}

func testHistogram[T Sample](t *testing.T) {
	streams, r := open(t), rand.New(rand.NewPCG(18, 18))
	for _, size := range append(sizes, [3]int{0, 3, 2}) {
		p := random(r, size[0], size[1], size[2], float64(fullOf[T]()))
		samples := samplesOf[T](p)
		if len(samples) > 3 && fullOf[T]() == 1 {
			samples[0], samples[1], samples[2] = T(-p.samples[0]-1), T(fullOf[T]()*2), T(float32(math.NaN()))
		}
		want := make([]uint32, Bins*p.channels)
		for i, v := range samples {
			n := int(math.Floor(float64(v) * Bins / (float64(fullOf[T]()) + 1)))
			if fullOf[T]() == 1 {
				n = 0
				if v == v {
					n = min(max(int(math.Floor(float64(v)*Bins)), 0), Bins-1)
				}
			}
			want[i%p.channels*Bins+n]++
		}
		for _, s := range streams {
			for layout := range layouts {
				m, _ := layOut[T](t, s, layout, p.width, p.height, p.channels)
				ok(t, m.Write(s, samples))
				counts := must(gpu.Alloc[uint32](s, Bins*p.channels))(t)
				ok(t, Histogram(s, counts, m))
				got := make([]uint32, len(want))
				ok(t, counts.Read(t.Context(), s, got))
				if !slices.Equal(got, want) {
					t.Fatalf("%v, layout %d: %d, and not %d", size, layout, got, want)
				}
			}
		}
	}
}

// TestTables: samples through the tables of Equalize, Otsu and Lookup.
func TestTables(t *testing.T) {
	streams, r := open(t), rand.New(rand.NewPCG(19, 19))
	for _, size := range sizes {
		p := random(r, size[0], size[1], size[2], 90)
		for i := range p.samples {
			if r.IntN(3) == 0 {
				p.samples[i] += 120
			}
		}
		n := p.width * p.height
		counts := make([][Bins]int, p.channels)
		for i, v := range p.samples {
			counts[i%p.channels][int(v)]++
		}
		got := computed(t, streams, p.width, p.height, p.channels, p, Equalize)
		want := newPicture(p.width, p.height, p.channels).each(func(x, y, c int) float64 {
			v, first, below := p.at(x, y, c, Clamp), 0, 0
			for i, count := range counts[c] {
				if first == 0 {
					first = count
				}
				if i <= int(v) {
					below += count
				}
			}
			if first == n {
				return v
			}
			return math.RoundToEven(float64(below-first) / float64(n-first) * 255)
		})
		near(t, "equalize", got, want, 1e-6)

		got = computed(t, streams, p.width, p.height, p.channels, p, Otsu)
		want = newPicture(p.width, p.height, p.channels)
		for c := range p.channels {
			best, level := 0.0, 0
			for l := range Bins - 1 {
				var a, b, sumA, sumB float64
				for i, count := range counts[c] {
					if i <= l {
						a, sumA = a+float64(count), sumA+float64(count*i)
					} else {
						b, sumB = b+float64(count), sumB+float64(count*i)
					}
				}
				if a > 0 && b > 0 {
					if v := a * b * (sumA/a - sumB/b) * (sumA/a - sumB/b) / float64(n*n); v > best*(1+1e-6) {
						best, level = v, l
					}
				}
			}
			for i := c; i < len(p.samples); i += p.channels {
				if p.samples[i] > float64(level) {
					want.samples[i] = 255
				}
			}
		}
		near(t, "otsu", got, want, 0)

		table := make([]uint32, Bins*p.channels)
		for i := range table {
			table[i] = uint32(i*7+i/Bins) % 256
		}
		got = computed(t, streams, p.width, p.height, p.channels, p, func(s *gpu.Stream, dst, src Image[uint8]) error {
			b, err := gpu.Upload(t.Context(), s.Device(), table)
			if err != nil {
				return err
			}
			return Lookup(s, dst, src, b)
		})
		near(t, "lookup", got, newPicture(p.width, p.height, p.channels).each(func(x, y, c int) float64 {
			return float64(table[c*Bins+int(p.at(x, y, c, Clamp))])
		}), 0)
	}
}

// TestEqualizeRegions compares with the definition, in regions that do not fit the image.
func TestEqualizeRegions(t *testing.T) {
	streams, r := open(t), rand.New(rand.NewPCG(25, 25))
	for _, test := range []struct {
		width, height, columns, rows int
		limit                        float64
	}{{1, 1, 1, 1, 1}, {1, 5, 3, 2, 2}, {37, 20, 4, 3, 1.5}, {150, 9, 8, 2, 4}, {64, 64, 1, 2, 1000}} {
		p := random(r, test.width, test.height, 1, 200)
		got := computed(t, streams, p.width, p.height, 1, p, func(s *gpu.Stream, dst, src Image[uint8]) error {
			return EqualizeRegions(s, dst, src, test.columns, test.rows, test.limit)
		})
		width, height := (p.width+test.columns-1)/test.columns, (p.height+test.rows-1)/test.rows
		tables := make([][]float64, test.columns*test.rows)
		for n := range tables {
			var counts [Bins]int
			for y := range height {
				for x := range width {
					counts[int(p.at(n%test.columns*width+x, n/test.columns*height+y, 0, Mirror))]++
				}
			}
			limit, excess := max(1, int(test.limit*float64(width*height)/Bins)), 0
			for i := range counts {
				excess += max(counts[i]-limit, 0)
				counts[i] = min(counts[i], limit)
			}
			rest := excess % Bins
			for i, step := 0, max(1, Bins/max(rest, 1)); i < Bins; i++ {
				counts[i] += excess / Bins
				if i%step == 0 && rest > 0 {
					counts[i]++
					rest--
				}
			}
			sum := 0
			for _, count := range counts {
				sum += count
				tables[n] = append(tables[n], math.RoundToEven(float64(sum)*255/float64(width*height)))
			}
		}
		weight := func(x, size, i, count int) float64 { // of region i for position x
			at := min(max((float64(x))/float64(size)-0.5, 0), float64(count-1))
			return max(0, 1-math.Abs(at-float64(i)))
		}
		near(t, "regions", got, newPicture(p.width, p.height, 1).each(func(x, y, c int) float64 {
			sum := 0.0
			for n, table := range tables {
				sum += weight(x, width, n%test.columns, test.columns) * weight(y, height, n/test.columns, test.rows) * table[int(p.at(x, y, 0, Clamp))]
			}
			return sum
		}), 1e-6)
	}
}

func TestThreshold(t *testing.T) {
	forTypes(t, testThreshold[uint8], testThreshold[uint16], testThreshold[float32])
}

func testThreshold[T Sample](t *testing.T) {
	streams, r := open(t), rand.New(rand.NewPCG(20, 20))
	full := float64(fullOf[T]())
	p := random(r, 130, 3, 3, full)
	level := T(p.samples[5])
	got := computed(t, streams, p.width, p.height, p.channels, p, func(s *gpu.Stream, dst, src Image[T]) error {
		return Threshold(s, dst, src, level, T(full/3), T(full))
	})
	near(t, "threshold", got, newPicture(p.width, p.height, p.channels).each(func(x, y, c int) float64 {
		if p.at(x, y, c, Clamp) > float64(level) {
			return full
		}
		return float64(T(full / 3))
	}), 1e-7)
}

// TestCanny compares with a search of all chains from strong candidates.
func TestCanny(t *testing.T) {
	forTypes(t, testCanny[uint8], testCanny[uint16], testCanny[float32])
}

func testCanny[T Sample](t *testing.T) {
	streams, r := open(t), rand.New(rand.NewPCG(21, 21))
	full := float64(fullOf[T]())
	for _, size := range [][2]int{{1, 1}, {2, 9}, {40, 30}, {150, 13}} {
		p := random(r, size[0], size[1], 1, 255)
		for i := range p.samples { // curved edges, and noise; whole numbers for exact strengths
			x, y := i%p.width, i/p.width
			p.samples[i] = math.Floor(p.samples[i]/8) + 100*math.Floor(1.2+math.Sin(float64(x)/5)*math.Cos(float64(y)/4))
			if full == 1 {
				p.samples[i] /= 256
			}
		}
		unit := 1.0
		if full == 1 {
			unit = 1.0 / 256
		}
		low, high := 150*unit, 320*unit
		for _, euclidean := range []bool{false, true} {
			got := computed(t, streams, p.width, p.height, 1, p, func(s *gpu.Stream, dst Image[uint8], src Image[T]) error {
				return Canny(s, dst, src, float32(low), float32(high), euclidean)
			})
			near(t, "canny", got, outlines(p, low, high, euclidean), 0)
		}
	}
}

func outlines(p picture, low, high float64, euclidean bool) picture {
	dx := correlated(p, []float64{-1, 0, 1, -2, 0, 2, -1, 0, 1}, 3, Clamp)
	dy := correlated(p, []float64{-1, -2, -1, 0, 0, 0, 1, 2, 1}, 3, Clamp)
	strength := func(x, y int) float64 {
		if x < 0 || y < 0 || x >= p.width || y >= p.height {
			return 0
		}
		gx, gy := dx.at(x, y, 0, Clamp), dy.at(x, y, 0, Clamp)
		if euclidean {
			return float64(float32(math.Sqrt(gx*gx + gy*gy)))
		}
		return math.Abs(gx) + math.Abs(gy)
	}
	candidates := map[image.Point]bool{}
	var chain []image.Point
	for y := range p.height {
		for x := range p.width {
			gx, gy, m := dx.at(x, y, 0, Clamp), dy.at(x, y, 0, Clamp), strength(x, y)
			d, strict := image.Point{1, 0}, 0
			switch angle := math.Atan2(math.Abs(gy), math.Abs(gx)) * 180 / math.Pi; {
			case angle > 67.5:
				d = image.Point{0, 1}
			case angle >= 22.5:
				d, strict = image.Point{1, 1}, 1
				if (gx < 0) != (gy < 0) {
					d.X = -1
				}
			}
			behind := strength(x+d.X, y+d.Y)
			if m > low && m > strength(x-d.X, y-d.Y) && (m > behind || strict == 0 && m == behind) {
				candidates[image.Point{x, y}] = true
				if m > high {
					chain = append(chain, image.Point{x, y})
				}
			}
		}
	}
	edges := newPicture(p.width, p.height, 1)
	for len(chain) > 0 {
		at := chain[len(chain)-1]
		chain = chain[:len(chain)-1]
		if !candidates[at] {
			continue
		}
		delete(candidates, at)
		edges.samples[at.Y*p.width+at.X] = 255
		for j := -1; j <= 1; j++ {
			for i := -1; i <= 1; i++ {
				chain = append(chain, at.Add(image.Point{i, j}))
			}
		}
	}
	return edges
}

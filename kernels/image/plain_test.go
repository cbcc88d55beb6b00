package image

import (
	"math/rand/v2"
	"testing"

	"github.com/gpuc/gpuc/runtime/gpu"
)

// TestPlainGo runs kernels as plain Go, one for each way of reading and writing, and compares with
// a device. An index out of bounds panics there.
func TestPlainGo(t *testing.T) {
	s, r := open(t)[0], rand.New(rand.NewPCG(23, 23))
	for n, size := range [][3]int{{1, 1, 1}, {5, 4, 3}, {37, 6, 4}, {131, 3, 1}} {
		b := borders[n%len(borders)].border
		p := random(r, size[0], size[1], size[2], 255)
		src := must(New[uint8](s, size[0], size[1], size[2]))(t)
		dst := must(New[uint8](s, size[0], size[1], size[2]))(t)
		ok(t, src.Write(s, samplesOf[uint8](p)))
		from := wordsOf(t, s, src)
		v := src.view()
		by := byRuns(src)
		pixels := grid(src.Width, src.Height)
		w := GaussianWeights(0.8, 2)
		filterWeights := weights{Width: 3, Height: 2}
		copy(filterWeights.Values[:], []float32{0.1, 0.2, 0.3, -0.1, 0.4, 0.05})
		var taps [5]float32
		copy(taps[:], w)
		rotated := Rotation(0.4, 1.1, 2, 1)
		inverse, _ := rotated.Inverse()
		var m projection
		for i := range m {
			m[i] = float32(inverse[i])
		}
		for _, test := range []struct {
			name   string
			plain  func(to []uint32)
			device func() error
		}{
			{"separable", func(to []uint32) {
				bands := gpu.D2(1, uint32((src.Height+tileRows-1)/tileRows))
				goSeparableRows[bytes, four](bands, taps, taps, 2, 2, (src.Width*src.Channels+3)&^3, b.border, v, v, to, from)
			}, func() error { return SeparableFilter(s, dst, src, w, w, b) }},
			{"filter", func(to []uint32) {
				goFilter[bytes, four, uint32, bytes](by, filterWeights, b.border, v, v, to, from)
			}, func() error { return Filter2D(s, dst, src, filterWeights.Values[:6], 3, b) }},
			{"median", func(to []uint32) { goMedian3[orderedBytes, keys4](by, b.border, v, v, to, from) },
				func() error { return Median(s, dst, src, 1, b) }},
			{"rank", func(to []uint32) { goRank[bytes, four](by, 2, 12, b.border, v, v, to, from) },
				func() error { return Median(s, dst, src, 2, b) }},
			{"minMax", func(to []uint32) {
				goMinMax[orderedBytes, keys4](by, true, Cross(3, 3).element, b.border, v, v, to, from)
			}, func() error { return Dilate(s, dst, src, Cross(3, 3), b) }},
			{"warp", func(to []uint32) { goWarp[bytes, four](pixels, m, Bicubic, b.border, v, v, to, from) },
				func() error { return Warp(s, dst, src, rotated, Bicubic, b) }},
			{"bilateral", func(to []uint32) {
				goBilateral[bytes, four](pixels, 1, -0.5, float32(-1/(2*(0.1*255)*(0.1*255))), b.of(src.Channels), v, v, to, from)
			}, func() error { return Bilateral(s, dst, src, 1, 1, 0.1, b) }},
			{"convert", func(to []uint32) {
				goConvert[bytes, four, uint32, bytes, four](by, -1, 255, v, v, to, from)
			}, func() error { return ConvertLinear(s, dst, src, -1, 255) }},
		} {
			to := make([]uint32, len(from))
			test.plain(to)
			ok(t, test.device())
			if i := differ(to, wordsOf(t, s, dst)); i >= 0 {
				t.Errorf("%s of %v: word %d differs", test.name, size, i)
			}
		}
	}
}

// wordsOf returns the memory of an image.
func wordsOf(t *testing.T, s *gpu.Stream, m Image[uint8]) []uint32 {
	t.Helper()
	samples := make([]uint8, m.Buffer.Len())
	ok(t, m.Buffer.Read(t.Context(), s, samples))
	list := make([]uint32, len(samples)/4)
	for i := range list {
		for k := range 4 {
			list[i] |= uint32(samples[4*i+k]) << (8 * k)
		}
	}
	return list
}

func differ(a, b []uint32) int {
	for i := range a {
		if a[i] != b[i] {
			return i
		}
	}
	return -1
}

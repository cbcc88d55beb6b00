package image

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/gpuc/gpuc/runtime/gpu"
)

// TestMeans compares means of integers with exact ones, for all sums.
func TestMeans(t *testing.T) {
	for n := uint32(1); n <= 255; n += 2 {
		scale := (1<<24 + n/2) / n
		for sum := range 255*n + 1 {
			if got, want := means(sum<<16, sum, scale), (2*sum+n)/(2*n); got != want<<8|want<<16 {
				t.Fatalf("%d / %d: got %#x, want %d", sum, n, got, want)
			}
		}
	}
	for sum := range uint32(4*255 + 1) {
		if got, want := quarter(sum<<16), rounded(float32(sum)/4, 255); got != want<<16 {
			t.Fatalf("%d / 4: got %#x, want %d", sum, got, want)
		}
	}
}

// TestBox compares means by integers with exact ones. Images at odd positions take other kernels,
// with the same results.
func TestBox(t *testing.T) {
	streams, r := open(t), rand.New(rand.NewPCG(31, 31))
	for n, size := range [][3]int{{32, 5, 1}, {160, 35, 1}, {64, 18, 3}, {16, 40, 2}, {16, 17, 4}, {30, 3, 1}} {
		for k, radii := range [][2]int{{1, 1}, {2, 2}, {0, 3}, {3, 1}, {4, 2}, {8, 0}, {2, 3}} {
			b := borders[(n+k)%len(borders)]
			p := random(r, size[0], size[1], size[2], 255)
			got := computed(t, streams, p.width, p.height, p.channels, p, func(s *gpu.Stream, dst, src Image[uint8]) error {
				return BoxBlur(s, dst, src, radii[0], radii[1], b.border)
			})
			w := make([]float64, (2*radii[0]+1)*(2*radii[1]+1))
			for i := range w {
				w[i] = 1 / float64(len(w))
			}
			near(t, fmt.Sprint("box ", radii, b.name), got, correlated(p, w, 2*radii[0]+1, b.border), 1e-6)
		}
	}
}

// TestPlainWords runs kernels that read whole words as plain Go, and compares with a device.
func TestPlainWords(t *testing.T) {
	s, r := open(t)[0], rand.New(rand.NewPCG(32, 32))
	for n, size := range [][3]int{{32, 7, 1}, {64, 5, 3}, {16, 20, 4}} {
		b := borders[n].border
		p := random(r, size[0], size[1], size[2], 255)
		src := must(Upload(t.Context(), s, p.width, p.height, p.channels, samplesOf[uint8](p)))(t)
		dst, half := must(New[uint8](s, p.width, p.height, p.channels))(t), must(New[uint8](s, p.width/2, p.height/2, p.channels))(t)
		from := wordsOf(t, s, src)
		masks, count := masksOf(2, p.channels)
		to := make([]uint32, len(from))
		if count == 2 {
			goBox(grid(p.width/16, (p.height+boxRows-1)/boxRows), [2][4]uint32(masks[:2]), 2, (1<<24+12)/25, b.border, dst.view(), src.view(), to, from)
			ok(t, BoxBlur(s, dst, src, 2, 2, b))
			if i := differ(to, wordsOf(t, s, dst)); i >= 0 {
				t.Errorf("box of %v: word %d differs", size, i)
			}
		}
		ok(t, Resize(s, half, src, Bilinear, false))
		want := wordsOf(t, s, half)
		to = make([]uint32, len(want))
		goHalve(grid((half.Width*half.Channels+11)/12, half.Height), half.view(), src.view(), to, from)
		if i := differ(to, want); i >= 0 && size[1]%2 == 0 {
			t.Errorf("halve of %v: word %d differs", size, i)
		}
	}
}

package image

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// picture is an image on the host, which references compute with in float64.
type picture struct {
	width, height, channels int
	samples                 []float64
}

func newPicture(width, height, channels int) picture {
	return picture{width, height, channels, make([]float64, width*height*channels)}
}

// random returns a picture of samples from 0 to full, whole ones unless full is 1. It has flat
// areas.
func random(r *rand.Rand, width, height, channels int, full float64) picture {
	p := newPicture(width, height, channels)
	for i := range p.samples {
		switch v := r.Float64(); {
		case i > 0 && r.IntN(3) == 0:
			p.samples[i] = p.samples[i-1]
		case full == 1:
			p.samples[i] = float64(float32(v))
		default:
			p.samples[i] = math.Floor(v * (full + 1))
		}
	}
	return p
}

// at returns a sample, which may be beyond the edges.
func (p picture) at(x, y, c int, b Border) float64 {
	inside := func(i, n int) int {
		for i < 0 || i >= n {
			switch b.border.Mode {
			case clamp:
				i = min(max(i, 0), n-1)
			case mirror:
				if n == 1 {
					return 0
				}
				if i < 0 {
					i = -i
				} else {
					i = 2*(n-1) - i
				}
			case reflect:
				if i < 0 {
					i = -1 - i
				} else {
					i = 2*n - 1 - i
				}
			case wrap:
				if i < 0 {
					i += n
				} else {
					i -= n
				}
			case constant:
				return -1
			}
		}
		return i
	}
	x, y = inside(x, p.width), inside(y, p.height)
	if x < 0 || y < 0 {
		return float64(b.border.Value[c])
	}
	return p.samples[(y*p.width+x)*p.channels+c]
}

// each calls f for each sample of a picture and makes it what f returns.
func (p picture) each(f func(x, y, c int) float64) picture {
	for i := range p.samples {
		c := i % p.channels
		x := i / p.channels % p.width
		p.samples[i] = f(x, i/p.channels/p.width, c)
	}
	return p
}

var borders = []struct {
	name   string
	border Border
}{{"clamp", Clamp}, {"mirror", Mirror}, {"wrap", Wrap}, {"reflect", Reflect}, {"constant", Constant(3, 77, 0.5, 200)}}

// sizes are those of images: one pixel, one row or column, around the words of formats and the
// tiles of workgroups, and larger ones.
var sizes = [][3]int{{1, 1, 1}, {1, 7, 3}, {9, 1, 2}, {2, 2, 4}, {5, 4, 1}, {17, 9, 3}, {127, 3, 4}, {130, 5, 1}, {515, 6, 1}, {173, 11, 3}}

func samplesOf[T Sample](p picture) []T {
	list := make([]T, len(p.samples))
	for i, v := range p.samples {
		list[i] = T(v)
	}
	return list
}

// devices are those that functions are tested on, opened by the first test.
var devices struct {
	once    sync.Once
	streams []*gpu.Stream
	err     error
}

// open returns a stream of the processor and, in long mode, those of GPUs through CUDA and Vulkan,
// whose compilers take seconds for all of these kernels. Tests share them.
func open(t testing.TB) []*gpu.Stream {
	t.Helper()
	devices.once.Do(func() {
		names := []string{gpu.CPU}
		if testmode.IsLong() {
			names = append(names, gpu.CUDA, gpu.Vulkan)
		}
		for _, name := range names {
			d, err := gpu.Open(gpu.Named(name))
			if name != gpu.CPU && errors.Is(err, gpu.ErrNoDevice) {
				t.Logf("not on %s: %v", name, err)
				continue
			}
			if err != nil {
				devices.err = err
				return
			}
			s, err := d.NewStream()
			if err != nil {
				devices.err = err
				return
			}
			devices.streams = append(devices.streams, s)
		}
	})
	if devices.err != nil {
		t.Fatal(devices.err)
	}
	return devices.streams
}

// layouts is how many layouts of images layOut knows.
const layouts = 3

// layOut makes an image in one of three layouts: with rows at multiples of words, without gaps, or
// at an odd position of a larger image. Around is all of its buffer.
func layOut[T Sample](t testing.TB, s *gpu.Stream, layout, width, height, channels int) (m, around Image[T]) {
	t.Helper()
	switch layout {
	case 0:
		m = must(New[T](s, width, height, channels))(t)
		around = m
	case 1:
		around = Of(must(gpu.Alloc[T](s, (width*height*channels+3)&^3))(t), width, height, channels)
		m = around
	case 2:
		around = Of(must(gpu.Alloc[T](s, ((width+3)*(height+2)*channels+3)&^3))(t), width+3, height+2, channels)
		m = around.Sub(1, 1, width, height)
		around = Of(around.Buffer, around.Buffer.Len(), 1, 1)
		noise := make([]T, around.Width)
		for i := range noise {
			noise[i] = T(i%7 + 1)
		}
		ok(t, around.Write(s, noise))
	}
	return m, around
}

func must[V any](v V, err error) func(testing.TB) V {
	return func(t testing.TB) V {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func ok(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// computed returns what f writes to an image of this size. It does so on each device and with each
// layout of both images, and checks that all have the same bits, and that nothing else is written.
func computed[T, U Sample](t *testing.T, streams []*gpu.Stream, width, height, channels int, src picture, f func(s *gpu.Stream, dst Image[T], src Image[U]) error) []T {
	t.Helper()
	var first []T
	for n, s := range streams {
		for layout := range layouts {
			if n > 0 && layout == 1 {
				continue // as any other
			}
			from, _ := layOut[U](t, s, layout, src.width, src.height, src.channels)
			to, around := layOut[T](t, s, layout, width, height, channels)
			ok(t, from.Write(s, samplesOf[U](src)))
			before := make([]T, around.Buffer.Len())
			ok(t, around.Buffer.Read(t.Context(), s, before))
			ok(t, f(s, to, from))
			got := make([]T, width*height*channels)
			ok(t, to.Read(t.Context(), s, got))
			all := make([]T, around.Buffer.Len())
			ok(t, around.Buffer.Read(t.Context(), s, all))
			if layout == 2 {
				for y := range height {
					for x := range width * channels {
						i := to.Offset + y*to.Stride + x
						all[i] = before[i]
					}
				}
				differs(t, "beside the image", all, before)
			}
			if first == nil {
				first = got
			} else if i := differs(t, fmt.Sprintf("device %d, layout %d", n, layout), got, first); i >= 0 {
				t.Fatalf("%d × %d × %d of %d × %d × %d: pixel (%d, %d)", width, height, channels, src.width, src.height, src.channels, i/channels%width, i/channels/width)
			}
			from.Close()
			to.Close()
		}
	}
	return first
}

// differs reports the first element that has other bits, and returns its index or -1. NaN is NaN.
func differs[T Sample](t *testing.T, what string, got, want []T) int {
	t.Helper()
	for i := range got {
		a, b := any(got[i]), any(want[i])
		if x, ok := a.(float32); ok {
			y := b.(float32)
			if math.Float32bits(x) != math.Float32bits(y) && (x == x || y == y) {
				t.Errorf("%s: element %d is %v, and not %v", what, i, x, y)
				return i
			}
		} else if a != b {
			t.Errorf("%s: element %d is %v, and not %v", what, i, a, b)
			return i
		}
	}
	return -1
}

// near checks results against exact ones. Integers are those rounded, and may be off where rounding
// errors of float32 decide; floats may be off by a relative tolerance of the largest.
func near[T Sample](t *testing.T, what string, got []T, want picture, tolerance float64) {
	t.Helper()
	scale := 1.0
	for _, v := range want.samples {
		scale = max(scale, math.Abs(v))
	}
	full := float64(fullOf[T]())
	for i, v := range want.samples {
		limit := tolerance * scale
		if full > 1 {
			v = min(max(v, 0), full)
			limit += 0.5
		}
		if !(math.Abs(float64(got[i])-v) <= limit) {
			t.Errorf("%s: %d × %d × %d: sample %d of pixel (%d, %d) is %v, and not %v", what, want.width, want.height, want.channels,
				i%want.channels, i/want.channels%want.width, i/want.channels/want.width, got[i], v)
			return
		}
	}
}

// forTypes calls a test for the three types of samples.
func forTypes(t *testing.T, bytes func(*testing.T), halves func(*testing.T), floats func(*testing.T)) {
	t.Run("uint8", bytes)
	t.Run("uint16", halves)
	t.Run("float32", floats)
}

package signal

import (
	"fmt"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// TestAllSizes compares all sizes to 1024 with the definition.
func TestAllSizes(t *testing.T) {
	s := stream(t, gpu.CPU)
	for n := 1; n <= 1024; n++ {
		if testmode.IsLong() || n%97 == 5 {
			testFFT[complex64](t, s, []int{n}, 1)
		}
	}
	if testmode.IsLong() { // two passes of 1024 and of 2048
		testProperties[complex64](t, s, []int{1 << 20}, rand.New(rand.NewPCG(1, 1)))
		testProperties[complex64](t, s, []int{1 << 21}, rand.New(rand.NewPCG(1, 1)))
	}
}

// checkProperties verifies large transforms as FFTW does: they are linear, the transform of an
// impulse is known, and a shift in time is a multiplication in frequency. Source: Ergün,
// "Testing multivariate linear functions: overcoming the generator bottleneck", 1995.
func checkProperties(t *testing.T, s *gpu.Stream) {
	r := rand.New(rand.NewPCG(7, 7))
	shapes := [][]int{{1 << 13}, {3000}, {1 << 16}, {256, 256}, {9973}, {2048, 8}, {64, 128}}
	long := testmode.IsLong() && s.Device().Info().Target == abi.CPU
	if long {
		shapes = append(shapes, []int{1 << 14}, []int{1 << 15}, []int{1 << 18}, []int{512, 24}, []int{1024, 40}, []int{81, 512}, []int{20, 30, 40}, []int{60013}, []int{1155}, []int{2500}, []int{3718}, []int{300, 200})
		for range 6 {
			shapes = append(shapes, []int{1 + r.IntN(1<<17)})
		}
	}
	for _, shape := range shapes {
		testProperties[complex64](t, s, shape, r)
	}
	testProperties[complex128](t, s, []int{5000}, r)
	if long {
		testProperties[complex128](t, s, []int{1 << 15}, r)
		testProperties[complex128](t, s, []int{9973}, r)
	}
}

func testProperties[C Complex](t *testing.T, s *gpu.Stream, shape []int, r *rand.Rand) {
	t.Helper()
	plan, err := PlanFFT[C](s, shape, 1)
	check(t, err)
	defer plan.Close()
	size, _ := product(shape...)
	x, y := buffer(t, s, make([]C, size)), buffer(t, s, make([]C, size))
	transform := func(host []complex128) []complex128 {
		check(t, x.Write(s, narrow[C](host)))
		check(t, plan.Forward(x, y))
		return wide(read(t, s, y))
	}
	limit := 3 * limit[C](size)
	fail := func(what string, got, want []complex128) {
		t.Helper()
		if e := relativeError(got, want); !(e < limit) {
			t.Fatalf("%T: %s of shape %v: an error of %.3g", *new(C), what, shape, e)
		}
	}
	a, b := random(size, r.Uint64()), random(size, r.Uint64())
	sum := make([]complex128, size)
	for k := range sum {
		sum[k] = 2*a[k] + complex(0, 1)*b[k]
	}
	ya, yb := transform(a), transform(b)
	want := make([]complex128, size)
	for k := range want {
		want[k] = 2*ya[k] + complex(0, 1)*yb[k]
	}
	fail("linearity", transform(sum), want)

	// the transform of an impulse at a position
	impulse, at := make([]complex128, size), r.IntN(size)
	impulse[at] = 1
	phase := func(k, at int) complex128 {
		angle, inner := 0.0, 1
		for d := len(shape) - 1; d >= 0; d-- {
			n := shape[d]
			angle += float64(k/inner%n*(at/inner%n)%n) / float64(n)
			inner *= n
		}
		return cmplx.Rect(1, -2*math.Pi*angle)
	}
	for k := range want {
		want[k] = phase(k, at)
	}
	fail("impulse", transform(impulse), want)

	// a rotation of the last dimension by one
	n := shape[len(shape)-1]
	shifted := make([]complex128, size)
	for k := range shifted {
		shifted[k/n*n+(k+1)%n] = a[k]
		want[k] = ya[k] * phase(k, 1)
	}
	fail("shift", transform(shifted), want)

	check(t, plan.Inverse(y, y))
	fail("inverse", wide(read(t, s, y)), wide(narrow[C](shifted)))
}

// TestSameBits compares the results of all devices.
func TestSameBits(t *testing.T) {
	type result struct {
		name string
		bits []complex64
	}
	var first []result
	onDevices(t, func(t *testing.T, s *gpu.Stream) {
		var all []result
		fft := func(shape []int, batch int, o ...Option) {
			plan := must(PlanFFT[complex64](s, shape, batch, o...))
			defer plan.Close()
			size, _ := product(shape...)
			x := buffer(t, s, narrow[complex64](random(size*batch, 9)))
			check(t, plan.Forward(x, x))
			all = append(all, result{fmt.Sprint("forward ", shape), read(t, s, x)})
			check(t, plan.Inverse(x, x))
			all = append(all, result{fmt.Sprint("inverse ", shape), read(t, s, x)})
		}
		fft([]int{256}, 5)
		fft([]int{4096}, 1)
		fft([]int{1 << 13}, 1, Strict())
		fft([]int{1024, 8}, 1, Strict())
		fft([]int{1001}, 2)
		fft([]int{31, 512}, 1)
		host, _ := reals[float32](3000, 1)
		short, _ := reals[float32](300, 2)
		x, h := buffer(t, s, host), buffer(t, s, short)
		complexes := func(name string, y *gpu.Buffer[float32]) {
			r := result{name: name}
			for _, v := range read(t, s, y) {
				r.bits = append(r.bits, complex(v, 0))
			}
			all = append(all, r)
		}
		for _, method := range []Method{Direct, ByFFT} {
			plan := must(PlanConvolution[float32](s, []int{3000}, []int{300}, 1, Same, By(method)))
			y := buffer(t, s, make([]float32, 3000))
			check(t, plan.Convolve(x, h, y))
			complexes(fmt.Sprint("convolution ", method), y)
			check(t, plan.Close())
		}
		y := buffer(t, s, make([]float32, 3000))
		check(t, FIR(s, h, x, y, 2, 1))
		complexes("FIR", y)
		check(t, Sections(s, buffer(t, s, []float32{0.3, 0.2, 0.1, 1.1, -0.7, 0.2}), buffer(t, s, make([]float32, 12)), x, y, 6))
		complexes("sections", y)
		for kind := 2; kind <= 4; kind++ {
			check(t, must(PlanDCT[float32](s, kind, 300, 10)).Transform(x, y))
			complexes(fmt.Sprint("DCT ", kind), y)
		}
		if first == nil {
			first = all
			return
		}
		for n, r := range all {
			if !sameBits(r.bits, first[n].bits) {
				t.Errorf("%s: other bits than on the first device", r.name)
			}
		}
	})
}

func sameBits(a, b []complex64) bool {
	return slices.EqualFunc(a, b, func(v, w complex64) bool {
		return math.Float32bits(real(v)) == math.Float32bits(real(w)) && math.Float32bits(imag(v)) == math.Float32bits(imag(w))
	})
}

package signal

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/gpu"
	"github.com/gpuc/gpuc/runtime/gpu/gputest"
)

// reference is the discrete Fourier transform of an array by its definition, one dimension after
// the other, in complex128.
func reference(x []complex128, shape []int, inverse bool) []complex128 {
	y := slices.Clone(x)
	inner := 1
	for d := len(shape) - 1; d >= 0; d-- {
		n := shape[d]
		row, roots := make([]complex128, n), make([]complex128, n)
		for k := range roots {
			roots[k] = cmplx.Rect(1, -2*math.Pi*float64(k)/float64(n))
			if inverse {
				roots[k] = cmplx.Conj(roots[k])
			}
		}
		for at := range y {
			if at/inner%n != 0 {
				continue
			}
			for k := range row {
				row[k] = 0
				for j := range n {
					row[k] += y[at+j*inner] * roots[j*k%n]
				}
			}
			for k, v := range row {
				y[at+k*inner] = v
			}
		}
		inner *= n
	}
	return y
}

// random returns complex numbers in a square around zero.
func random(n int, seed uint64) []complex128 {
	r := rand.New(rand.NewPCG(seed, 1))
	x := make([]complex128, n)
	for k := range x {
		x[k] = complex(r.Float64()-0.5, r.Float64()-0.5)
	}
	return x
}

func narrow[C Complex](x []complex128) []C {
	y := make([]C, len(x))
	for k, v := range x {
		y[k] = C(v)
	}
	return y
}

func wide[C Complex](x []C) []complex128 {
	y := make([]complex128, len(x))
	for k, v := range x {
		y[k] = complex128(v)
	}
	return y
}

// relativeError is the root of the mean square of the error, by that of what is right.
func relativeError(got, want []complex128) float64 {
	var errors, all float64
	for k, v := range want {
		d := got[k] - v
		errors += real(d)*real(d) + imag(d)*imag(d)
		all += real(v)*real(v) + imag(v)*imag(v)
	}
	if all == 0 {
		return math.Sqrt(errors)
	}
	return math.Sqrt(errors / all)
}

// limit is the error that a transform of n numbers may have.
func limit[C Complex](n int) float64 {
	digits := math.Log2(float64(n)) + 1
	if isDouble[C]() {
		return 2e-16 * digits
	}
	return 1e-7 * digits
}

// TestOnDevices runs tests on the CPU and on all other devices that there are. Each device
// compiles the kernels once.
func TestOnDevices(t *testing.T) {
	onDevices(t, func(t *testing.T, s *gpu.Stream) {
		for _, test := range []struct {
			name string
			run  func(*testing.T, *gpu.Stream)
		}{
			{"FFT", checkFFT}, {"RealFFT", checkRealFFT}, {"Properties", checkProperties}, {"Convolution", checkConvolution}, {"STFT", checkSTFT},
			{"DCT", checkDCT}, {"FIR", checkFIR}, {"Sections", checkSections}, {"ApplyWindow", checkApplyWindow},
		} {
			t.Run(test.name, func(t *testing.T) { test.run(t, s) })
		}
	})
}

func onDevices(t *testing.T, test func(t *testing.T, s *gpu.Stream)) {
	t.Helper()
	infos, err := gpu.Devices()
	if err != nil {
		t.Logf("a driver fails, and its devices are left out: %v", err)
	}
	for _, info := range infos {
		if info.Target == abi.Checked { // there is no code for it
			continue
		}
		t.Run(info.ID(), func(t *testing.T) { test(t, stream(t, info.ID())) })
	}
}

// chosen returns a part of a list unless all tests run.
func chosen[T any](list []T) (part []T) {
	for n, v := range list {
		if testmode.IsLong() || n%3 == 2 {
			part = append(part, v)
		}
	}
	return part
}

func stream(t testing.TB, device string) *gpu.Stream {
	t.Helper()
	return must(gputest.Open(t, gpu.Named(device)).NewStream())
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func buffer[T any](t testing.TB, s *gpu.Stream, host []T) *gpu.Buffer[T] {
	t.Helper()
	b, err := gpu.Alloc[T](s, len(host))
	check(t, err)
	t.Cleanup(func() { b.Close() })
	check(t, b.Write(s, host))
	return b
}

func read[T any](t testing.TB, s *gpu.Stream, b *gpu.Buffer[T]) []T {
	t.Helper()
	host := make([]T, b.Len())
	check(t, b.Read(t.Context(), s, host))
	return host
}

func checkFFT(t *testing.T, s *gpu.Stream) {
	sizes := []int{1, 2, 3, 4, 5, 7, 8, 11, 13, 16, 17, 30, 64, 97, 100, 210, 256, 1001, 1024, 2048, 2310, 4096}
	for _, n := range chosen(sizes) {
		testFFT[complex64](t, s, []int{n}, 3)
		testFFT[complex128](t, s, []int{n}, 2)
	}
	for _, n := range []int{256, 512} { // several workgroups of rows
		testFFT[complex64](t, s, []int{n}, 9)
	}
	for _, shape := range chosen([][]int{{5, 7}, {16, 32}, {17, 4}, {3, 1, 8}, {3, 2600}, {6, 5, 4}, {1024, 3}, {8, 1024}, {2, 19, 3}}) {
		testFFT[complex64](t, s, shape, 2)
		testFFT[complex128](t, s, shape, 1)
	}
	for _, shape := range [][]int{{6}, {17}, {256}, {3, 4}, {4, 17}, {2, 3, 5}, {5000}, {8, 256}} {
		size, _ := product(shape...)
		testDistances(t, s, shape, 3, size+3, size+8)
		testDistances(t, s, shape, 3, size+5, size+5)
	}
}

// testDistances compares batches that are apart with adjacent ones. Nothing between them
// changes.
func testDistances(t *testing.T, s *gpu.Stream, shape []int, batch, time, frequency int) {
	t.Helper()
	size, _ := product(shape...)
	apart := must(PlanFFT[complex64](s, shape, batch, Distances(time, frequency)))
	defer apart.Close()
	adjacent := must(PlanFFT[complex64](s, shape, batch))
	defer adjacent.Close()
	host := narrow[complex64](random(apart.timeLength, 8))
	var dense []complex64
	for b := range batch {
		dense = append(dense, host[b*time:][:size]...)
	}
	fill := make([]complex64, apart.frequencyLength)
	for k := range fill {
		fill[k] = 7
	}
	x, y, z := buffer(t, s, host), buffer(t, s, fill), buffer(t, s, dense)
	check(t, apart.Forward(x, y))
	check(t, adjacent.Forward(z, z))
	got, want := read(t, s, y), read(t, s, z)
	for k, v := range got {
		right := complex64(7)
		if k%frequency < size {
			right = want[k/frequency*size+k%frequency]
		}
		if v != right {
			t.Fatalf("shape %v with distances %d and %d: number %d is %v, want %v", shape, time, frequency, k, v, right)
		}
	}
	check(t, apart.Inverse(y, x))
	check(t, adjacent.Inverse(z, z))
	got, want = read(t, s, x), read(t, s, z)
	for k, v := range got {
		right := host[k]
		if k%time < size {
			right = want[k/time*size+k%time]
		}
		if v != right {
			t.Fatalf("inverse of shape %v with distances %d and %d: number %d is %v, want %v", shape, time, frequency, k, v, right)
		}
	}
}

// testFFT compares transforms with the definition: to another buffer and to the same one,
// forward and back.
func testFFT[C Complex](t *testing.T, s *gpu.Stream, shape []int, batch int) {
	t.Helper()
	plan, err := PlanFFT[C](s, shape, batch)
	check(t, err)
	defer plan.Close()
	size, _ := product(shape...)
	host := random(size*batch, uint64(size))
	x, y := buffer(t, s, narrow[C](host)), buffer(t, s, make([]C, len(host)))
	check(t, plan.Forward(x, y))
	got := wide(read(t, s, y))
	for b := range batch {
		part := func(x []complex128) []complex128 { return x[b*size : (b+1)*size] }
		want := reference(part(wide(narrow[C](host))), shape, false)
		if e := relativeError(part(got), want); !(e < limit[C](size)) {
			t.Fatalf("%T: shape %v, batch %d of %d: an error of %.3g", *new(C), shape, b, batch, e)
		}
	}
	if !slices.Equal(read(t, s, x), narrow[C](host)) {
		t.Fatalf("shape %v: the input has changed", shape)
	}
	check(t, plan.Forward(x, x))
	if !slices.Equal(wide(read(t, s, x)), got) {
		t.Fatalf("%T: shape %v: other numbers in place", *new(C), shape)
	}
	check(t, plan.Inverse(y, x))
	if e := relativeError(wide(read(t, s, x)), wide(narrow[C](host))); !(e < 2*limit[C](size)) {
		t.Fatalf("%T: shape %v: an error of %.3g after the inverse", *new(C), shape, e)
	}
	check(t, plan.Inverse(y, y))
	if !slices.Equal(read(t, s, x), read(t, s, y)) {
		t.Fatalf("%T: shape %v: another inverse in place", *new(C), shape)
	}
}

package signal

import (
	"math"
	"testing"

	"github.com/gpuc/gpuc/runtime/gpu"
)

func checkFIR(t *testing.T, s *gpu.Stream) {
	for _, n := range chosen([]int{0, 1, 2, 255, 256, 257, 1023, 1024, 1025, 3000}) {
		for _, taps := range []int{1, 2, 31} {
			for _, decimation := range []int{1, 2, 7} {
				testFIR[float32](t, s, n, taps, decimation, 3)
			}
		}
	}
	testFIR[float64](t, s, 1000, 12, 3, 2)
}

func testFIR[T Float](t *testing.T, s *gpu.Stream, n, taps, decimation, channels int) {
	t.Helper()
	host, x := reals[T](n*channels, 1)
	hostTaps, h := reals[T](taps, 2)
	results := (n + decimation - 1) / decimation
	y := buffer(t, s, make([]T, results*channels))
	check(t, FIR(s, buffer(t, s, hostTaps), buffer(t, s, host), y, channels, decimation))
	for i, v := range read(t, s, y) {
		c, at := i/results, i%results*decimation
		sum := 0.0
		for k := 0; k < taps && k <= at; k++ {
			sum += h[k] * x[c*n+at-k]
		}
		limit := 1e-6
		if isDouble[T]() {
			limit = 1e-15
		}
		if e := math.Abs(float64(v) - sum); !(e < limit*float64(taps)) {
			t.Fatalf("%d samples, %d taps, decimation %d: result %d of channel %d: got %v, want %v", n, taps, decimation, i%results, c, v, sum)
		}
	}
}

func checkSections(t *testing.T, s *gpu.Stream) {
	for _, n := range []int{0, 1, 2, 3, 100} {
		testSections[float32](t, s, n, 67)
		testSections[float64](t, s, n, 2)
	}
}

// testSections compares with the difference equation, in two blocks that the state joins.
func testSections[T Float](t *testing.T, s *gpu.Stream, n, channels int) {
	t.Helper()
	coefficients := []T{0.5, 0.25, 0.125, 2, -0.5, 0.25, 1, 0, -1, 1, 0.5, -0.25, 0.25, 0.5, 0.25, 1, -1, 0.5}
	count := len(coefficients) / 6
	state := buffer(t, s, make([]T, 2*count*channels))
	sos := buffer(t, s, coefficients)
	before := make([][]float64, channels) // the samples of earlier blocks
	for block := range 2 {
		host, x := reals[T](n*channels, uint64(block+1))
		y := buffer(t, s, make([]T, n*channels))
		check(t, Sections(s, sos, state, buffer(t, s, host), y, channels))
		got := read(t, s, y)
		for c := range channels {
			before[c] = append(before[c], x[c*n:][:n]...)
			want := before[c]
			for k := range count {
				want = section(want, coefficients[6*k:])
			}
			for i := range n {
				limit := 2e-6
				if isDouble[T]() {
					limit = 4e-15
				}
				if e := math.Abs(float64(got[c*n+i]) - want[block*n+i]); !(e < limit) {
					t.Fatalf("%T: block %d, channel %d, sample %d of %d: got %v, want %v", *new(T), block, c, i, n, got[c*n+i], want[block*n+i])
				}
			}
		}
	}
}

// section is the direct form I.
func section[T Float](x []float64, c []T) []float64 {
	y := make([]float64, len(x))
	at := func(x []float64, i int) float64 {
		if i < 0 {
			return 0
		}
		return x[i]
	}
	for i := range x {
		y[i] = (float64(c[0])*at(x, i) + float64(c[1])*at(x, i-1) + float64(c[2])*at(x, i-2) - float64(c[4])*at(y, i-1) - float64(c[5])*at(y, i-2)) / float64(c[3])
	}
	return y
}

func checkApplyWindow(t *testing.T, s *gpu.Stream) {
	host, _ := reals[float32](3*300, 1)
	weights, _ := reals[float32](300, 2)
	x := buffer(t, s, host)
	check(t, ApplyWindow(s, buffer(t, s, weights), x))
	for i, v := range read(t, s, x) {
		if want := host[i] * weights[i%300]; v != want {
			t.Fatalf("sample %d: got %v, want %v", i, v, want)
		}
	}
}

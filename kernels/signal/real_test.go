package signal

import (
	"testing"

	"github.com/gpuc/gpuc/runtime/gpu"
)

func checkRealFFT(t *testing.T, s *gpu.Stream) {
	for _, shape := range chosen([][]int{{1}, {2}, {3}, {4}, {6}, {17}, {100}, {97}, {38}, {1024}, {1023}, {4098}, {5000}, {4, 6}, {3, 5}, {17, 8}, {2, 3, 4}, {3, 2, 7}}) {
		testRealFFT[float32, complex64](t, s, shape, 3)
		testRealFFT[float64, complex128](t, s, shape, 2)
	}
	testRealFFT[float32, complex64](t, s, []int{6}, 2, Distances(7, 5))
	testRealFFT[float32, complex64](t, s, []int{2, 6}, 2, Distances(16, 9))
}

// testRealFFT compares transforms of real samples with the definition.
func testRealFFT[T Float, C Complex](t *testing.T, s *gpu.Stream, shape []int, batch int, o ...Option) {
	t.Helper()
	plan, err := PlanRealFFT[T, C](s, shape, batch, o...)
	check(t, err)
	defer plan.Close()
	var set options
	for _, option := range o {
		option(&set)
	}
	size, _ := product(shape...)
	n := shape[len(shape)-1]
	h := n/2 + 1
	spectrum := size / n * h
	time, frequency := distance(set.in, size), distance(set.out, spectrum)
	host := make([]T, plan.timeLength)
	for k, v := range random(len(host), 3) {
		host[k] = T(real(v))
	}
	x, y := buffer(t, s, host), buffer(t, s, make([]C, plan.frequencyLength))
	check(t, plan.Forward(x, y))
	got := wide(read(t, s, y))
	for b := range batch {
		row := make([]complex128, size)
		for k := range row {
			row[k] = complex(float64(host[b*time+k]), 0)
		}
		var want []complex128
		for k, v := range reference(row, shape, false) {
			if k%n < h {
				want = append(want, v)
			}
		}
		if e := relativeError(got[b*frequency:][:spectrum], want); !(e < 2*limit[C](size)) {
			t.Fatalf("%T: shape %v, batch %d of %d: an error of %.3g", *new(C), shape, b, batch, e)
		}
	}
	back := buffer(t, s, make([]T, len(host)))
	check(t, plan.Inverse(y, back))
	var a, b []complex128
	for k, v := range read(t, s, back) {
		if k%time < size {
			a, b = append(a, complex(float64(v), 0)), append(b, complex(float64(host[k]), 0))
		} else if v != 0 {
			t.Fatalf("%T: shape %v: element %d between batches is %v", *new(C), shape, k, v)
		}
	}
	if e := relativeError(a, b); !(e < 3*limit[C](size)) {
		t.Fatalf("%T: shape %v: an error of %.3g after the inverse", *new(C), shape, e)
	}
}

package signal

import (
	"fmt"
	"math"
	"testing"

	"github.com/gpuc/gpuc/runtime/gpu"
)

// convolution is a convolution by its definition, in float64, with the part that a mode names.
func convolution(x []float64, signal []int, h []float64, kernel []int, mode Mode) []float64 {
	if len(signal) == 1 {
		signal, kernel = []int{1, signal[0]}, []int{1, kernel[0]}
		if mode == Valid {
			mode = Valid
		}
	}
	if len(x) == 0 || len(h) == 0 {
		return nil
	}
	full := [2]int{signal[0] + kernel[0] - 1, signal[1] + kernel[1] - 1}
	all := make([]float64, full[0]*full[1])
	for i := range signal[0] {
		for j := range signal[1] {
			for k := range kernel[0] {
				for l := range kernel[1] {
					all[(i+k)*full[1]+j+l] += x[i*signal[1]+j] * h[k*kernel[1]+l]
				}
			}
		}
	}
	var part []float64
	for i := range full[0] {
		for j := range full[1] {
			in := true
			for d, at := range []int{i, j} {
				switch mode {
				case Same:
					first := (kernel[d] - 1) / 2
					in = in && at >= first && at < first+signal[d]
				case Valid:
					in = in && at >= kernel[d]-1 && at < signal[d]
				}
			}
			if in {
				part = append(part, all[i*full[1]+j])
			}
		}
	}
	return part
}

// reals returns numbers between -0.5 and 0.5.
func reals[T Float](n int, seed uint64) ([]T, []float64) {
	list, same := make([]T, n), make([]float64, n)
	for k, v := range random(n, seed) {
		list[k] = T(real(v))
		same[k] = float64(list[k])
	}
	return list, same
}

func checkConvolution(t *testing.T, s *gpu.Stream) {
	for _, method := range []Method{Direct, ByFFT} {
		for _, mode := range []Mode{Full, Same, Valid} {
			for _, shapes := range chosen([][2][]int{
				{{1}, {1}}, {{5}, {3}}, {{3}, {5}}, {{300}, {17}}, {{1025}, {2}}, {{2100}, {200}}, {{0}, {3}}, {{4}, {0}},
				{{7, 9}, {3, 2}}, {{1, 40}, {1, 5}}, {{40, 1}, {4, 1}}, {{33, 65}, {5, 8}}, {{2, 3}, {4, 5}}, {{6}, {2}}, {{3, 2600}, {2, 5}},
			}) {
				testConvolution[float32](t, s, shapes[0], shapes[1], 2, mode, method)
				testConvolution[float64](t, s, shapes[0], shapes[1], 1, mode, method)
			}
		}
	}
}

func testConvolution[T Float](t *testing.T, s *gpu.Stream, signal, kernel []int, batch int, mode Mode, method Method) {
	t.Helper()
	name := fmt.Sprintf("%T: %v with %v, mode %d, method %d", *new(T), signal, kernel, mode, method)
	plan, err := PlanConvolution[T](s, signal, kernel, batch, mode, By(method))
	check(t, err)
	defer plan.Close()
	size, _ := product(signal...)
	taps, _ := product(kernel...)
	result, _ := product(plan.Shape()...)
	host, exact := reals[T](size*batch, 1)
	hostH, h := reals[T](taps, 2)
	x, k, y := buffer(t, s, host), buffer(t, s, hostH), buffer(t, s, make([]T, result*batch))
	reversed := make([]float64, len(h))
	for n, v := range h {
		reversed[len(h)-1-n] = v
	}
	limit := 1e-15
	if !isDouble[T]() {
		limit = 4e-7
	}
	limit *= math.Sqrt(float64(taps)) + math.Log2(float64(size+taps+1))
	for n, run := range []func(x, h, y *gpu.Buffer[T]) error{plan.Convolve, plan.Correlate} {
		check(t, run(x, k, y))
		got := read(t, s, y)
		for b := range batch {
			want := convolution(exact[b*size:][:size], signal, [][]float64{h, reversed}[n], kernel, mode)
			if len(want) != result {
				t.Fatalf("%s: %d results, want %d", name, result, len(want))
			}
			for i, v := range want {
				if e := math.Abs(float64(got[b*result+i]) - v); !(e < limit) {
					t.Fatalf("%s: result %d of batch %d: got %v, want %v", name, i, b, got[b*result+i], v)
				}
			}
		}
	}
}

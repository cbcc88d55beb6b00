package signal

import (
	"math"
	"testing"

	"github.com/gpuc/gpuc/runtime/gpu"
)

func checkDCT(t *testing.T, s *gpu.Stream) {
	for kind := 2; kind <= 4; kind++ {
		for _, n := range chosen([]int{1, 2, 3, 4, 5, 8, 17, 60, 255, 256, 257, 400}) {
			testDCT[float32](t, s, kind, n, 3)
			testDCT[float64](t, s, kind, n, 2)
			testDCT[float32](t, s, kind, n, 2, Normalize(Ortho))
		}
	}
}

// testDCT compares with the definition. An orthogonal transform is also followed by its inverse.
func testDCT[T Float](t *testing.T, s *gpu.Stream, kind, n, batch int, o ...Option) {
	t.Helper()
	plan, err := PlanDCT[T](s, kind, n, batch, o...)
	check(t, err)
	defer plan.Close()
	host, exact := reals[T](n*batch, 5)
	x, y := buffer(t, s, host), buffer(t, s, make([]T, n*batch))
	check(t, plan.Transform(x, y))
	got := read(t, s, y)
	limit := 3e-7
	if isDouble[T]() {
		limit = 1e-15
	}
	limit *= 4 * math.Sqrt(float64(n))
	cos := func(numerator, denominator int) float64 {
		return math.Cos(math.Pi * float64(numerator%(2*denominator)) / float64(denominator))
	}
	for i, v := range got {
		k, x := i%n, exact[i/n*n:][:n]
		sum := 0.0
		for j, v := range x {
			switch {
			case kind == 2:
				sum += 2 * v * cos(k*(2*j+1), 2*n)
			case kind == 3 && j == 0:
				if sum = v; len(o) > 0 {
					sum *= math.Sqrt2
				}
			case kind == 3:
				sum += 2 * v * cos(j*(2*k+1), 2*n)
			default:
				sum += 2 * v * cos((2*j+1)*(2*k+1), 4*n)
			}
		}
		if len(o) > 0 {
			if sum /= math.Sqrt(float64(2 * n)); kind == 2 && k == 0 {
				sum /= math.Sqrt2
			}
		}
		if e := math.Abs(float64(v) - sum); !(e < limit) {
			t.Fatalf("%T: type %d of %d numbers, row %d: y[%d] is %v, want %v", *new(T), kind, n, i/n, k, v, sum)
		}
	}
	if len(o) == 0 {
		return
	}
	back, err := PlanDCT[T](s, []int{2: 3, 3: 2, 4: 4}[kind], n, batch, o...)
	check(t, err)
	defer back.Close()
	check(t, back.Transform(y, y))
	for i, v := range read(t, s, y) {
		if e := math.Abs(float64(v - host[i])); !(e < limit) {
			t.Fatalf("%T: type %d of %d numbers and its inverse: x[%d] is %v, want %v", *new(T), kind, n, i, v, host[i])
		}
	}
}

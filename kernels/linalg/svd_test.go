package linalg

import (
	"fmt"
	"math"
	"testing"

	"github.com/gpuc/gpuc/runtime/gpu"
)

// TestPreconditioned: singular values of matrices that are factored before, which only large ones
// are otherwise.
func TestPreconditioned(t *testing.T) {
	defer func(n int) { preconditioned = n }(preconditioned)
	preconditioned = 40
	onDevices(t, true, func(t *testing.T, s *gpu.Stream) {
		conditioned[float32](t, s)
		conditioned[float64](t, s)
	})
}

func conditioned[T Real](t *testing.T, s *gpu.Stream) {
	r := sourceOf(t, s, 32)
	for _, size := range some(r, [][2]int{{75, 70}, {66, 70}, {160, 66}}, 2) {
		svdOf(r, fmt.Sprintf("SVD of %v %T", size, T(0)), matrix[T](r, size[0], size[1]), nil)
	}
	// Columns 30 to 69 are multiples of earlier ones, or zero.
	a := matrix[T](r, 72, 70)
	first := operand[T]{a.MatrixBuffer, append([]T(nil), a.host...)}
	a.fill(r, func(i, j int) float64 { return first.at(i, j%30) * float64(j/30*(2-j/30)+1-min(j/30, 1)) })
	svdOf(r, fmt.Sprintf("SVD of 30 columns, %T", T(0)), a, nil)

	a.fill(r, func(i, j int) float64 {
		if i == 5 && j == 7 {
			return math.NaN()
		}
		return 1
	})
	u, v, values, info := matrix[T](r, 72, 70), matrix[T](r, 70, 70), matrix[T](r, 1, 70), numbers(r, 1)
	check(t, SVD(s, a.MatrixBuffer, u.MatrixBuffer, values.Buffer, v.MatrixBuffer, info))
	if got := read(r, info)[0]; got != -1 {
		t.Errorf("with NaN: info is %d", got)
	}
	for _, x := range read(r, values.Buffer)[:70] {
		if x == x {
			t.Fatalf("with NaN: a value is %v", x)
		}
	}
	for _, x := range []operand[T]{u, v} {
		now := operand[T]{x.MatrixBuffer, read(r, x.Buffer)}
		for i := range x.Rows {
			for j := range x.Cols {
				if x := now.at(i, j); x == x {
					t.Fatalf("with NaN: element (%d, %d) of a vector is %v", i, j, x)
				}
			}
		}
	}
}

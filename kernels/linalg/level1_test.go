package linalg

import (
	"fmt"
	"math"
	"testing"

	"github.com/gpuc/gpuc/runtime/gpu"
)

func TestElementwise(t *testing.T) {
	onDevices(t, false, func(t *testing.T, s *gpu.Stream) {
		elementwise[float32](t, s)
		elementwise[float64](t, s)
	})
}

// elementwise compares functions of two vectors with the same arithmetic in Go, bit by bit.
func elementwise[T Real](t *testing.T, s *gpu.Stream) {
	r := sourceOf(t, s, 1)
	const c, sin = 0.75, -0.5
	for _, n := range some(r, lengths, 5) {
		for _, f := range []struct {
			name string
			call func(x, y Vector[T]) error
			want func(x, y T) (T, T)
		}{
			{"Axpy", func(x, y Vector[T]) error { return Axpy(s, c, x, y) }, func(x, y T) (T, T) { return x, c*x + y }},
			{"Axpy of 0", func(x, y Vector[T]) error { return Axpy(s, 0, x, y) }, func(x, y T) (T, T) { return x, y }},
			{"Copy", func(x, y Vector[T]) error { return Copy(s, x, y) }, func(x, _ T) (T, T) { return x, x }},
			{"Swap", func(x, y Vector[T]) error { return Swap(s, x, y) }, func(x, y T) (T, T) { return y, x }},
			{"Rot", func(x, y Vector[T]) error { return Rot(s, x, y, c, sin) }, func(x, y T) (T, T) { return c*x + sin*y, c*y - sin*x }},
			{"Scal", func(_, y Vector[T]) error { return Scal(s, c, y) }, func(x, y T) (T, T) { return x, c * y }},
			{"Scal by 0", func(_, y Vector[T]) error { return Scal(s, 0, y) }, func(x, _ T) (T, T) { return x, 0 }},
		} {
			x, y := vector[T](r, n), vector[T](r, n)
			check(t, f.call(x.vector(), y.vector()))
			what := fmt.Sprintf("%s of %d %T", f.name, n, T(0))
			x.expect(r, what, func(_, i int) (float64, float64) {
				v, _ := f.want(T(x.element(i)), T(y.element(i)))
				return float64(v), 0
			})
			y.expect(r, what, func(_, i int) (float64, float64) {
				_, v := f.want(T(x.element(i)), T(y.element(i)))
				return float64(v), 0
			})
		}
	}
}

func TestReductions(t *testing.T) {
	onDevices(t, false, func(t *testing.T, s *gpu.Stream) {
		reductions[float32](t, s)
		reductions[float64](t, s)
	})
}

// reductions compares functions that make one number with loops in float64. All devices have the
// same bits.
func reductions[T Real](t *testing.T, s *gpu.Stream) {
	r := sourceOf(t, s, 2)
	for _, n := range some(r, append(lengths, maxStates*block+block/2+5), 5) {
		x, y := vector[T](r, n), vector[T](r, n)
		var dot, terms, squares, greatest float64
		index := -1
		for i := range n {
			dot += x.element(i) * y.element(i)
			terms += math.Abs(x.element(i))
			squares += x.element(i) * x.element(i)
			if v := math.Abs(x.element(i)); index < 0 || v > greatest {
				index, greatest = i, v
			}
		}
		bound := epsilon[T]() * (8 + math.Sqrt(float64(n))) * terms
		for _, f := range []struct {
			name string
			call func(to *gpu.Buffer[T]) error
			want float64
		}{
			{"Dot", func(to *gpu.Buffer[T]) error { return Dot(s, x.vector(), y.vector(), to) }, dot},
			{"Asum", func(to *gpu.Buffer[T]) error { return Asum(s, x.vector(), to) }, terms},
			{"Nrm2", func(to *gpu.Buffer[T]) error { return Nrm2(s, x.vector(), to) }, math.Sqrt(squares)},
		} {
			what := fmt.Sprintf("%s of %d %T", f.name, n, T(0))
			to := upload(r, gpu.MatrixLayout{Rows: 1, Cols: 1}, []T{99, 98})
			check(t, f.call(to.Buffer))
			to.expect(r, what, func(int, int) (float64, float64) { return f.want, bound })
		}
		to := must[*gpu.Buffer[int32]](t)(gpu.Alloc[int32](s, 2))
		check(t, Iamax(s, x.vector(), to))
		if got := read(r, to); got[0] != int32(index) || got[1] != 0 {
			t.Errorf("Iamax of %d %T is %d, want %d", n, T(0), got, index)
		}
		check(t, to.Close())
	}
}

// TestExtremes: norms neither overflow nor underflow, and what is not finite stays so.
func TestExtremes(t *testing.T) {
	onDevices(t, false, func(t *testing.T, s *gpu.Stream) {
		nearLimits[float32](t, s, 0x1p127, 0x1p-149, 0x1p-126)
		nearLimits[float64](t, s, 0x1p1023, 0x1p-1074, 0x1p-1022)
	})
}

func nearLimits[T Real](t *testing.T, s *gpu.Stream, great, tiny, small T) {
	r := sourceOf(t, s, 3)
	inf, nan := T(math.Inf(1)), T(math.NaN())
	for _, test := range []struct {
		x     []T
		norm  float64
		index int32
	}{
		{[]T{great / 2, 0, -great / 2}, float64(great/2) * math.Sqrt2, 0},
		{[]T{great / 4, great / 4, great / 4, great / 4}, float64(great / 2), 0},
		{[]T{3 * tiny, 4 * tiny}, 5 * float64(tiny), 1},
		{[]T{3 * small, -4 * small, 0}, 5 * float64(small), 1},
		{[]T{1, tiny, -1}, math.Sqrt2, 0},
		{[]T{great / 2, 1, tiny}, float64(great / 2), 0},
		{[]T{0, 0}, 0, 0},
		{[]T{1, -inf, 2}, math.Inf(1), 1},
		{[]T{1, 2, nan, inf, nan}, math.NaN(), 2},
		{[]T{great, nan}, math.NaN(), 1},
	} {
		x := upload(r, gpu.MatrixLayout{Rows: 1, Cols: len(test.x), ColStride: 1}, test.x)
		to := upload(r, gpu.MatrixLayout{Rows: 1, Cols: 1}, []T{99})
		check(t, Nrm2(s, x.vector(), to.Buffer))
		to.expect(r, fmt.Sprintf("Nrm2 of %v", test.x), func(int, int) (float64, float64) { return test.norm, 4 * epsilon[T]() * test.norm })
		index := must[*gpu.Buffer[int32]](t)(gpu.Alloc[int32](s, 1))
		check(t, Iamax(s, x.vector(), index))
		if got := read(r, index)[0]; got != test.index {
			t.Errorf("Iamax of %v is %d, want %d", test.x, got, test.index)
		}
	}
}

package linalg

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/gpuc/gpuc/runtime/gpu"
)

func TestQR(t *testing.T) {
	onDevices(t, true, func(t *testing.T, s *gpu.Stream) {
		qrs[float32](t, s)
		qrs[float64](t, s)
	})
}

func qrs[T Real](t *testing.T, s *gpu.Stream) {
	r := sourceOf(t, s, 13)
	for _, size := range some(r, [][2]int{{0, 4}, {4, 0}, {1, 1}, {5, 5}, {3, 40}, {40, 3}, {panel, panel}, {300, panel + 1}, {70, 130}, {3*panel + 5, 2*panel + 3}}, 4) {
		qrOf[T](r, size[0], size[1])
	}
	for _, size := range [][3]int{{0, 3, 3}, {1, 1, 1}, {5, 7, 4}, {3, order, order}, {2, 4, 20}, {3, 16, 9}, {2, 40, 64}} {
		for _, o := range []Option{{}, Strict()} {
			count, m, n, r := size[0], size[1], size[2], r.of("QRBatch", size)
			r.loose = !o.strict
			whole, tau := matrix[T](r, count*m, n), vector[T](r, count*min(m, n)+1)
			check(t, QRBatch(s, Batch[T]{whole.MatrixBuffer.Sub(0, 0, m, n), count, m * whole.RowStride}, tau.Buffer, o))
			for p := range count {
				one := operand[T]{whole.MatrixBuffer.Sub(p*m, 0, m, n), whole.host}
				expectQR(r, fmt.Sprintf("QRBatch of %v %T, matrix %d", size, T(0), p), one, read(r, tau.Buffer)[p*min(m, n):])
			}
		}
	}
	// Powers of two that multiply a matrix change nothing but R, although squares overflow, or
	// underflow.
	a := matrix[T](r, 2*own+5, 20)
	var want []T
	for _, scale := range []float64{1, 0x1p-90, 0x1p90} {
		b, tau := matrix[T](r, a.Rows, a.Cols), vector[T](r, a.Cols)
		b.fill(r, func(i, j int) float64 { return a.at(i, j) * scale })
		check(t, QR(s, b.MatrixBuffer, tau.Buffer))
		switch list := read(r, tau.Buffer)[:a.Cols]; {
		case want == nil:
			want = list
		case !slices.Equal(list, want):
			t.Errorf("tau of a matrix times %v of %T is %v, want %v", scale, T(0), list, want)
		}
	}
	// A column whose elements below the diagonal are zero has no reflection.
	for _, sign := range []float64{1, -1} {
		a, tau := matrix[T](r, 5, 3), vector[T](r, 3)
		a.fill(r, func(i, j int) float64 {
			if j != 1 && i > j {
				return 0
			}
			return sign * (a.at(i, j) + 2)
		})
		check(t, QR(s, a.MatrixBuffer, tau.Buffer))
		list := read(r, tau.Buffer)
		expectQR(r, fmt.Sprintf("QR with zeros of %T", T(0)), a, list)
		if list[0] != 0 {
			t.Errorf("tau of a column with zeros is %v", list[0])
		}
	}
}

// reflections are those of factors, in float64.
type reflections struct {
	m, n int
	at   dense
	tau  func(k int) float64
}

// apply replaces x by the product of the reflections and x, or of the transpose and x.
func (q reflections) apply(x []float64, transposed bool) {
	for e := range min(q.m, q.n) {
		k := e
		if !transposed {
			k = min(q.m, q.n) - 1 - e
		}
		v := func(i int) float64 {
			if i == k {
				return 1
			}
			return q.at(i, k)
		}
		sum := 0.0
		for i := k; i < q.m; i++ {
			sum += v(i) * x[i]
		}
		for i := k; i < q.m; i++ {
			x[i] -= q.tau(k) * sum * v(i)
		}
	}
}

// expectQR compares the product of factors with the matrix.
func expectQR[T Real](r *source, what string, a operand[T], tau []T) {
	r.t.Helper()
	f := operand[T]{a.MatrixBuffer, read(r, a.Buffer)}
	same(r, what, f.host)
	q := reflections{a.Rows, a.Cols, f.at, func(k int) float64 { return float64(tau[k]) }}
	for j := range a.Cols {
		x := make([]float64, a.Rows)
		for i := range min(j+1, a.Rows) {
			x[i] = f.at(i, j)
		}
		q.apply(x, false)
		for i := range x {
			if !(math.Abs(x[i]-a.at(i, j)) <= beyond[T](8, float64(a.Rows))) {
				r.t.Fatalf("%s: element (%d, %d) of the product is %v, want %v", what, i, j, x[i], a.at(i, j))
			}
		}
	}
}

// qrOf factors a matrix, multiplies by Q, and finds least squares.
func qrOf[T Real](r *source, m, n int) {
	r.t.Helper()
	what := fmt.Sprintf("QR of %d × %d %T", m, n, T(0))
	a, tau := matrix[T](r, m, n), vector[T](r, min(m, n)+2)
	tau.Offset, tau.ColStride = 0, 1
	check(r.t, QR(r.s, a.MatrixBuffer, tau.Buffer, Strict()))
	list := read(r, tau.Buffer)
	expectQR(r, what, a, list)
	f := operand[T]{a.MatrixBuffer, read(r, a.Buffer)}
	q := reflections{m, n, f.at, func(k int) float64 { return float64(list[k]) }}
	for _, transposed := range []bool{false, true} {
		b := matrix[T](r, m, 6)
		check(r.t, QRMultiply(r.s, a.MatrixBuffer, tau.Buffer, transposed, b.MatrixBuffer, Strict()))
		want := map[[2]int]float64{}
		for j := range b.Cols {
			x := make([]float64, m)
			for i := range x {
				x[i] = b.at(i, j)
			}
			q.apply(x, transposed)
			for i, v := range x {
				want[[2]int{i, j}] = v
			}
		}
		b.expect(r, fmt.Sprintf("QRMultiply %s, transposed: %v", what, transposed), func(i, j int) (float64, float64) {
			return want[[2]int{i, j}], beyond[T](8, float64(m))
		})
	}
	if m < n {
		return
	}
	// The columns are so different that rounding does not grow.
	a = matrix[T](r, m, n)
	a.fill(r, func(i, j int) float64 {
		if i == j {
			return float64(n) + 1
		}
		return a.at(i, j)
	})
	b := matrix[T](r, m, 3)
	check(r.t, LeastSquares(r.s, a.MatrixBuffer, tau.Buffer, b.MatrixBuffer))
	x := operand[T]{b.MatrixBuffer, read(r, b.Buffer)}
	for j := range b.Cols {
		for k := range n {
			sum := 0.0 // of column k times the residual, which is orthogonal
			for i := range m {
				product, _ := dense(a.at).row(i, n, func(l int) float64 { return x.at(l, j) })
				sum += a.at(i, k) * (product - b.at(i, j))
			}
			if !(math.Abs(sum) <= 8*beyond[T](m, float64(m*(n+1)))) {
				r.t.Fatalf("LeastSquares of %d × %d %T: column %d times the residual is %v", m, n, T(0), k, sum)
			}
		}
	}
}

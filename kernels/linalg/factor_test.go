package linalg

import (
	"fmt"
	"math"
	"testing"

	"github.com/gpuc/gpuc/runtime/gpu"
)

func TestFactorisations(t *testing.T) {
	onDevices(t, true, func(t *testing.T, s *gpu.Stream) {
		factors[float32](t, s)
		factors[float64](t, s)
	})
}

func factors[T Real](t *testing.T, s *gpu.Stream) {
	r := sourceOf(t, s, 12)
	for _, n := range some(r, []int{0, 1, 31, order, order + 1, 3*order + 7}, 3) {
		for _, uplo := range uplos {
			choleskyOf[T](r, n, uplo)
		}
		luOf[T](r, n, n)
	}
	for _, size := range some(r, [][2]int{{3, 40}, {40, 3}, {0, 4}, {4, 0}, {70, 33}, {33, 130}}, 2) {
		luOf[T](r, size[0], size[1])
	}
	batches[T](r)
}

// numbers is a new buffer with one number too many, all of which are 99.
func numbers(r *source, n int) *gpu.Buffer[int32] {
	r.t.Helper()
	host := make([]int32, n+1)
	for i := range host {
		host[i] = 99
	}
	b := must[*gpu.Buffer[int32]](r.t)(gpu.Upload(r.t.Context(), r.s.Device(), host))
	r.t.Cleanup(func() { check(r.t, b.Close()) })
	return b
}

// positive makes a the sum of a multiple of the unit matrix and a symmetric matrix.
func positive[T Real](r *source, a operand[T]) operand[T] {
	return a.fill(r, func(i, j int) float64 {
		if i == j {
			return float64(a.Rows)/2 + 1
		}
		return float64((max(i, j)*7+min(i, j)*5)%11)/11 - 0.5
	})
}

// choleskyOf compares the product of a factor with the matrix, and solves a system.
func choleskyOf[T Real](r *source, n int, uplo Uplo) {
	r.t.Helper()
	what := fmt.Sprintf("Cholesky of %d %T, triangle %d", n, T(0), uplo)
	a, b, info := positive(r, matrix[T](r, n, n)), matrix[T](r, n, 5), numbers(r, 1)
	check(r.t, Cholesky(r.s, uplo, a.MatrixBuffer, info, Strict()))
	if got := read(r, info); got[0] != 0 || got[1] != 99 {
		r.t.Errorf("%s: info is %d", what, got)
	}
	expectCholesky(r, what, a, uplo)
	same(r, what, read(r, a.Buffer))
	check(r.t, CholeskySolve(r.s, uplo, a.MatrixBuffer, b.MatrixBuffer))
	expectSystem(r, what, a, b)
	if n == 0 {
		return
	}
	a, k := positive(r, matrix[T](r, n, n)), r.IntN(n)
	a.fill(r, func(i, j int) float64 {
		if i == k && j == k {
			return -1
		}
		return a.at(i, j)
	})
	check(r.t, Cholesky(r.s, uplo, a.MatrixBuffer, info))
	if got := read(r, info); got[0] != int32(k)+1 {
		r.t.Errorf("%s with a negative element %d: info is %d", what, k, got[0])
	}
}

// expectCholesky compares the product of a factor with the matrix, and what is beside it.
func expectCholesky[T Real](r *source, what string, a operand[T], uplo Uplo) {
	r.t.Helper()
	f := operand[T]{a.MatrixBuffer, read(r, a.Buffer)}
	l := dense(f.at).triangle(uplo, NonUnit)
	for i := range a.Rows {
		for j := range a.Cols {
			if l(i, j) == 0 && i != j {
				if f.at(i, j) != a.at(i, j) {
					r.t.Fatalf("%s: element (%d, %d) beside the triangle is %v, and was %v", what, i, j, f.at(i, j), a.at(i, j))
				}
				continue
			}
			sum := 0.0
			for k := range a.Rows {
				if uplo == Lower {
					sum += l(i, k) * l(j, k)
				} else {
					sum += l(k, i) * l(k, j)
				}
			}
			if !(math.Abs(sum-a.at(i, j)) <= beyond[T](a.Rows, float64(a.Rows))) {
				r.t.Fatalf("%s: element (%d, %d) of the product is %v, want %v", what, i, j, sum, a.at(i, j))
			}
		}
	}
}

// expectSystem compares a·x with b as it was, where b has become x.
func expectSystem[T Real](r *source, what string, a, b operand[T]) {
	r.t.Helper()
	x := operand[T]{b.MatrixBuffer, read(r, b.Buffer)}
	for j := range b.Cols {
		for i := range a.Rows {
			sum, size := dense(a.at).row(i, a.Cols, func(k int) float64 { return x.at(k, j) })
			if !(math.Abs(sum-b.at(i, j)) <= 8*beyond[T](a.Rows, size)) {
				r.t.Fatalf("%s: row %d of a·x is %v, want %v", what, i, sum, b.at(i, j))
			}
		}
	}
}

// luOf compares the product of factors with the rows in the order of the pivots, and solves a
// system.
func luOf[T Real](r *source, m, n int) {
	r.t.Helper()
	what := fmt.Sprintf("LU of %d × %d %T", m, n, T(0))
	least := min(m, n)
	a, pivots, info := matrix[T](r, m, n), numbers(r, least), numbers(r, 1)
	check(r.t, LU(r.s, a.MatrixBuffer, pivots, info, Strict()))
	if got := read(r, info); got[0] != 0 || got[1] != 99 {
		r.t.Errorf("%s: info is %d", what, got)
	}
	same(r, what, read(r, a.Buffer))
	list := read(r, pivots)
	if list[least] != 99 {
		r.t.Errorf("%s: there is a pivot too many", what)
	}
	expectLU(r, what, a, list[:least])
	if m == n {
		// The diagonal is so large that rounding does not grow.
		a := matrix[T](r, n, n)
		a.fill(r, func(i, j int) float64 {
			if (i+3)%n == j {
				return float64(n)
			}
			return a.at(i, j)
		})
		b := matrix[T](r, n, 5)
		check(r.t, LU(r.s, a.MatrixBuffer, pivots, info))
		check(r.t, LUSolve(r.s, a.MatrixBuffer, pivots, b.MatrixBuffer))
		expectSystem(r, what, a, b)
	}
	if least == 0 {
		return
	}
	k := r.IntN(least)
	a = matrix[T](r, m, n)
	a.fill(r, func(i, j int) float64 {
		if j == k {
			return 0
		}
		return a.at(i, j)
	})
	check(r.t, LU(r.s, a.MatrixBuffer, pivots, info))
	if got := read(r, info); got[0] != int32(k)+1 {
		r.t.Errorf("%s with zeros in column %d: info is %d", what, k, got[0])
	}
	expectLU(r, what+" with a column of zeros", a, read(r, pivots)[:least])
}

// expectLU compares the product of factors with the rows in the order of the pivots.
func expectLU[T Real](r *source, what string, a operand[T], pivots []int32) {
	r.t.Helper()
	f := operand[T]{a.MatrixBuffer, read(r, a.Buffer)}
	order := make([]int, a.Rows)
	for i := range order {
		order[i] = i
	}
	for k, p := range pivots {
		if int(p) < k || int(p) >= a.Rows {
			r.t.Fatalf("%s: pivot %d is %d", what, k, p)
		}
		order[k], order[p] = order[p], order[k]
	}
	l, u := dense(f.at).triangle(Lower, Unit), dense(f.at).triangle(Upper, NonUnit)
	for i := range a.Rows {
		for j := range a.Cols {
			if j < i && j < len(pivots) && !(math.Abs(f.at(i, j)) <= 1) {
				r.t.Fatalf("%s: element (%d, %d) of L is %v", what, i, j, f.at(i, j))
			}
			sum, size := l.row(i, len(pivots), func(k int) float64 { return u(k, j) })
			if want := a.at(order[i], j); !(math.Abs(sum-want) <= beyond[T](len(pivots), size)) {
				r.t.Fatalf("%s: element (%d, %d) of the product is %v, want %v", what, i, j, sum, want)
			}
		}
	}
}

// batches factors small matrices, of which one has no factor.
func batches[T Real](r *source) {
	r.t.Helper()
	for _, size := range [][2]int{{0, 3}, {1, 1}, {5, 7}, {3, order}} {
		count, n := size[0], size[1]
		what := fmt.Sprintf("a batch of %d matrices of %d %T", count, n, T(0))
		whole := matrix[T](r, count*n, n)
		part := func(p int) operand[T] {
			return operand[T]{whole.MatrixBuffer.Sub(p*n, 0, n, n), whole.host}
		}
		batch := Batch[T]{whole.MatrixBuffer.Sub(0, 0, n, n), count, n * whole.RowStride}
		for p := range count {
			positive(r, part(p))
		}
		info, pivots := numbers(r, count), numbers(r, count*n)
		check(r.t, CholeskyBatch(r.s, Lower, batch, info))
		for p := range count {
			expectCholesky(r, what, part(p), Lower)
		}
		for p, got := range read(r, info) {
			if p == count && got != 99 || p < count && got != 0 {
				r.t.Errorf("%s: info of matrix %d is %d", what, p, got)
			}
		}
		if count < 2 {
			continue
		}
		last := part(count - 1)
		last.fill(r, func(i, j int) float64 { return 0 })
		check(r.t, CholeskyBatch(r.s, Upper, batch, info))
		if got := read(r, info); got[count-1] != 1 || got[0] != 0 {
			r.t.Errorf("%s with zeros at last: info is %d", what, got)
		}
		check(r.t, whole.Buffer.Write(r.s, whole.host))
		check(r.t, LUBatch(r.s, batch, pivots, info))
		if got := read(r, info); got[count-1] != 1 || got[0] != 0 || got[count] != 99 {
			r.t.Errorf("%s with zeros at last: info is %d", what, got)
		}
		list := read(r, pivots)
		for p := range count {
			expectLU(r, what, part(p), list[p*n:(p+1)*n])
		}
	}
}

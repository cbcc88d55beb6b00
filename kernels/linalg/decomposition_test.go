package linalg

import (
	"fmt"
	"math"
	"testing"

	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/runtime/gpu"
)

func TestDecompositions(t *testing.T) {
	onDevices(t, true, func(t *testing.T, s *gpu.Stream) {
		for name, test := range map[string]func(t *testing.T, s *gpu.Stream){
			"float32": decompositions[float32], "float64": decompositions[float64],
			"edges of float32": edges[float32], "edges of float64": edges[float64], "NumPy": numpy,
		} {
			t.Run(name, func(t *testing.T) { test(t, s) }) // which share what the device compiles
		}
	})
}

func decompositions[T Real](t *testing.T, s *gpu.Stream) {
	r, share := sourceOf(t, s, 31), shareOf(s)
	for _, size := range some(r, every([][2]int{{0, 3}, {90, 70}, {3, 0}, {31, 32}, {1, 1}, {1, 5}, {33, 31}, {130, 40}, {2, 1}, {40, 65}}, share), 5) {
		r := r.of("SVD", size)
		svdOf(r, fmt.Sprintf("SVD of %v %T", size, T(0)), matrix[T](r, size[0], size[1]), nil)
	}
	orders := every([]int{33, 0, 1, 32, 2, 31, 75}, share)
	if testmode.IsLong() && share == 1 {
		orders = append(orders, 190) // whose norm several workgroups make
	}
	for _, n := range some(r, orders, 4) {
		r := r.of("SymmetricEigen", n)
		for _, uplo := range uplos {
			eigenOf(r, fmt.Sprintf("eigenvalues of %d %T, triangle %d", n, T(0), uplo), uplo, matrix[T](r, n, n), nil)
		}
	}
	for _, o := range []Option{{}, Strict()} {
		svdBatches[T](r, share, o)
		eigenBatches[T](r, share, o)
	}
}

// closeTo is the bound for errors of values and vectors, relative to the greatest value: some ulp,
// and more for larger matrices.
func closeTo[T Real](m, n int) float64 { return epsilon[T]() * (16 + 2*float64(m+n)) }

// beside reports elements beside a result that have changed, and compares bits with those of the
// other device. It returns the operand with what it has now.
func (x operand[T]) beside(r *source, what string) operand[T] {
	r.t.Helper()
	now := operand[T]{x.MatrixBuffer, read(r, x.Buffer)}
	x.expect(r, what, func(i, j int) (float64, float64) { return now.at(i, j), 0 })
	return now
}

// orthonormal reports columns that are not orthonormal.
func (x operand[T]) orthonormal(r *source, what string, bound float64) {
	r.t.Helper()
	for i := range x.Cols {
		for j := range i + 1 {
			sum := 0.0
			for k := range x.Rows {
				sum += x.at(k, i) * x.at(k, j)
			}
			if i == j {
				sum--
			}
			if !(math.Abs(sum) <= bound) {
				r.t.Fatalf("%s: the product of columns %d and %d differs by %v", what, i, j, sum)
			}
		}
	}
}

// svdOf checks the decomposition of a, and compares values with those wanted, if there are any.
func svdOf[T Real](r *source, what string, a operand[T], want []float64) {
	r.t.Helper()
	k := min(a.Rows, a.Cols)
	u, v, values, info := matrix[T](r, a.Rows, k), matrix[T](r, a.Cols, k), matrix[T](r, 1, k+1), numbers(r, 1)
	check(r.t, SVD(r.s, a.MatrixBuffer, u.MatrixBuffer, values.Buffer, v.MatrixBuffer, info, Strict()))
	if got := read(r, info); got[0] != 0 || got[1] != 99 {
		r.t.Errorf("%s: info is %d", what, got)
	}
	a.beside(r, what)
	list := read(r, values.Buffer)
	same(r, what, list)
	if k < len(list) && list[k] != values.host[k] {
		r.t.Errorf("%s: there is a value too many", what)
	}
	expectSVD(r, what, a, u.beside(r, what), list[:k], v.beside(r, what), want)

	if k > 0 {
		wide, tall := matrix[T](r, a.Cols, a.Cols), matrix[T](r, a.Rows, a.Rows)
		check(r.t, SVD(r.s, a.MatrixBuffer, tall.MatrixBuffer, values.Buffer, wide.MatrixBuffer, info, Strict()))
		tall, wide = tall.beside(r, what), wide.beside(r, what)
		tall.orthonormal(r, what+", all of u", closeTo[T](a.Rows, a.Cols))
		wide.orthonormal(r, what+", all of v", closeTo[T](a.Rows, a.Cols))
		tall.Cols, wide.Cols = k, k
		expectSVD(r, what+", all of u and v", a, tall, list[:k], wide, want)
	}
	none := numbers(r, 1)
	alone := matrix[T](r, 1, k+1)
	check(r.t, SVD(r.s, a.MatrixBuffer, gpu.MatrixBuffer[T]{}, alone.Buffer, gpu.MatrixBuffer[T]{}, none, Strict()))
	for i, x := range read(r, alone.Buffer)[:k] {
		if x != list[i] {
			r.t.Fatalf("%s: value %d without vectors is %v, and %v with them", what, i, x, list[i])
		}
	}
}

// expectSVD checks values and vectors of a.
func expectSVD[T Real](r *source, what string, a, u operand[T], values []T, v operand[T], want []float64) {
	r.t.Helper()
	if len(values) == 0 {
		return
	}
	bound := closeTo[T](a.Rows, a.Cols)
	u.orthonormal(r, what+", u", bound)
	v.orthonormal(r, what+", v", bound)
	absolute := bound * float64(values[0])
	for k, x := range values {
		if !(x >= 0) || k > 0 && !(x <= values[k-1]) {
			r.t.Fatalf("%s: value %d is %v, after %v", what, k, x, values[max(k-1, 0)])
		}
		if want != nil && !(math.Abs(float64(x)-want[k]) <= bound*want[0]) {
			r.t.Fatalf("%s: value %d is %v, and NumPy's %v", what, k, x, want[k])
		}
	}
	for i := range a.Rows {
		for j := range a.Cols {
			sum := 0.0
			for k, x := range values {
				sum += u.at(i, k) * float64(x) * v.at(j, k)
			}
			if !(math.Abs(sum-a.at(i, j)) <= absolute) {
				r.t.Fatalf("%s: element (%d, %d) of the product is %v, want %v within %v", what, i, j, sum, a.at(i, j), absolute)
			}
		}
	}
}

// eigenOf checks the decomposition of a triangle of a, and compares values with those wanted, if
// there are any.
func eigenOf[T Real](r *source, what string, uplo Uplo, a operand[T], want []float64) {
	r.t.Helper()
	n := a.Rows
	vectors, values, info := matrix[T](r, n, n), matrix[T](r, 1, n+1), numbers(r, 1)
	check(r.t, SymmetricEigen(r.s, uplo, a.MatrixBuffer, values.Buffer, vectors.MatrixBuffer, info, Strict()))
	if got := read(r, info); got[0] != 0 || got[1] != 99 {
		r.t.Errorf("%s: info is %d", what, got)
	}
	a.beside(r, what)
	list := read(r, values.Buffer)
	same(r, what, list)
	if n < len(list) && list[n] != values.host[n] {
		r.t.Errorf("%s: there is a value too many", what)
	}
	expectEigen(r, what, uplo, a, list[:n], vectors.beside(r, what), want)

	alone := matrix[T](r, 1, n+1)
	check(r.t, SymmetricEigen(r.s, uplo, a.MatrixBuffer, alone.Buffer, gpu.MatrixBuffer[T]{}, info, Strict()))
	for i, x := range read(r, alone.Buffer)[:n] {
		if x != list[i] {
			r.t.Fatalf("%s: value %d without vectors is %v, and %v with them", what, i, x, list[i])
		}
	}
}

// expectEigen checks values and vectors of a triangle of a.
func expectEigen[T Real](r *source, what string, uplo Uplo, a operand[T], values []T, vectors operand[T], want []float64) {
	r.t.Helper()
	if len(values) == 0 {
		return
	}
	bound := closeTo[T](a.Rows, a.Cols)
	vectors.orthonormal(r, what, bound)
	absolute := bound * math.Max(math.Abs(float64(values[0])), math.Abs(float64(values[len(values)-1])))
	for k, x := range values {
		if !(k == 0 || x >= values[k-1]) {
			r.t.Fatalf("%s: value %d is %v, after %v", what, k, x, values[k-1])
		}
		if want != nil && !(math.Abs(float64(x)-want[k]) <= absolute) {
			r.t.Fatalf("%s: value %d is %v, and NumPy's %v", what, k, x, want[k])
		}
	}
	for i := range a.Rows {
		for j := range a.Cols {
			if uplo == Lower && j > i || uplo == Upper && j < i {
				continue
			}
			sum := 0.0
			for k, x := range values {
				sum += vectors.at(i, k) * float64(x) * vectors.at(j, k)
			}
			if !(math.Abs(sum-a.at(i, j)) <= absolute) {
				r.t.Fatalf("%s: element (%d, %d) of the product is %v, want %v within %v", what, i, j, sum, a.at(i, j), absolute)
			}
		}
	}
}

// part returns matrix p of those that follow each other in x, with so many rows each.
func (x operand[T]) part(p, rows int) operand[T] {
	return operand[T]{x.MatrixBuffer.Sub(p*rows, 0, rows, x.Cols), x.host}
}

// batch returns x as count matrices.
func (x operand[T]) batch(count int) Batch[T] {
	rows := x.Rows / max(count, 1)
	return Batch[T]{x.MatrixBuffer.Sub(0, 0, rows, x.Cols), count, rows * x.RowStride}
}

func svdBatches[T Real](r *source, share int, o Option) {
	r.t.Helper()
	for _, size := range some(r, every([][3]int{{7, 4, 9}, {0, 3, 3}, {5, 1, 1}, {2, 70, 35}, {3, 32, 32}, {4, 20, 33}, {2, 5, 140}, {2, 64, 64}, {9, 8, 6}, {5, 16, 15}, {3, 50, 40}}, share), 4) {
		count, m, n, r := size[0], size[1], size[2], r.of("SVDBatch", size)
		k := min(m, n)
		what := fmt.Sprintf("SVDBatch of %v %T, strict: %v", size, T(0), o.strict)
		r.loose = !o.strict
		a, u, v := matrix[T](r, count*m, n), matrix[T](r, count*m, k), matrix[T](r, count*n, k)
		values, info := matrix[T](r, 1, count*k+1), numbers(r, count)
		if count > 1 { // one matrix is zero
			a.fill(r, func(i, j int) float64 {
				if i/m == 1 {
					return 0
				}
				return a.at(i, j)
			})
		}
		check(r.t, SVDBatch(r.s, a.batch(count), u.batch(count), values.Buffer, v.batch(count), info, o))
		for p, got := range read(r, info) {
			if p == count && got != 99 || p < count && got != 0 {
				r.t.Errorf("%s: info of matrix %d is %d", what, p, got)
			}
		}
		list := read(r, values.Buffer)
		u, v = u.beside(r, what), v.beside(r, what)
		for p := range count {
			expectSVD(r, fmt.Sprintf("%s, matrix %d", what, p), a.part(p, m), u.part(p, m), list[p*k:(p+1)*k], v.part(p, n), nil)
		}
	}
}

func eigenBatches[T Real](r *source, share int, o Option) {
	r.t.Helper()
	for _, size := range some(r, every([][2]int{{7, 6}, {0, 3}, {5, 1}, {2, 50}, {3, 32}, {3, 16}, {2, 64}}, share), 3) {
		count, n, r := size[0], size[1], r.of("SymmetricEigenBatch", size)
		what := fmt.Sprintf("SymmetricEigenBatch of %v %T, strict: %v", size, T(0), o.strict)
		r.loose = !o.strict
		a, vectors, values, info := matrix[T](r, count*n, n), matrix[T](r, count*n, n), matrix[T](r, 1, count*n+1), numbers(r, count)
		check(r.t, SymmetricEigenBatch(r.s, Upper, a.batch(count), values.Buffer, vectors.batch(count), info, o))
		for p, got := range read(r, info) {
			if p == count && got != 99 || p < count && got != 0 {
				r.t.Errorf("%s: info of matrix %d is %d", what, p, got)
			}
		}
		list := read(r, values.Buffer)
		vectors = vectors.beside(r, what)
		for p := range count {
			expectEigen(r, fmt.Sprintf("%s, matrix %d", what, p), Upper, a.part(p, n), list[p*n:(p+1)*n], vectors.part(p, n), nil)
		}
	}
}

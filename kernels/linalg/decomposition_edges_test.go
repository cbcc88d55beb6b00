package linalg

import (
	"fmt"
	"math"
	"testing"

	"github.com/gpuc/gpuc/runtime/gpu"
)

// edges decomposes, inverts and solves what is singular, not finite, very large or small, or has no
// elements or one.
func edges[T Real](t *testing.T, s *gpu.Stream) {
	r, share := sourceOf(t, s, 33), shareOf(s)
	for k, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		for _, n := range some(r, every([]int{3, 40}, share), 1+k%2) {
			notFinite[T](r.of(n, bad), n, bad)
		}
		notFiniteSystems[T](r.of("systems", bad), bad)
	}
	for _, size := range some(r, every([][2]int{{5, 5}, {90, 4}, {4, 90}, {36, 34}, {20000, 3}}, share), 2) {
		allNaN[T](r.of(size), size[0], size[1])
	}
	for _, n := range some(r, every([]int{40, 1, 2, 70}, share), 2) {
		zeroColumn[T](r.of("zero", n), n)
	}
	nothing[T](r.of("nothing"))
	oneElement[T](r.of("oneElement"))
	determinants[T](r.of("determinants"))
	for _, scale := range []float64{float64(least[T]()), float64(1/ulp[T]()) * float64(least[T]())} {
		smallest[T](r.of(scale), every([]int{3, 36}, share), scale)
	}
}

// number1 is the only element of a buffer, behind which numbers has one more.
func number1(r *source, b *gpu.Buffer[int32]) int32 {
	r.t.Helper()
	got := read(r, b)
	if len(got) != 2 || got[1] != 99 {
		r.t.Errorf("numbers %d, of which one is too many", got)
	}
	return got[0]
}

// now is the operand with what its buffer has.
func (x operand[T]) now(r *source) operand[T] {
	r.t.Helper()
	return operand[T]{x.MatrixBuffer, read(r, x.Buffer)}
}

// count returns how many elements of rows from to to − 1 are NaN, and how many are infinite.
func (x operand[T]) count(from, to int) (nan, infinite int) {
	for i := from; i < to; i++ {
		for j := range x.Cols {
			switch v := x.at(i, j); {
			case v != v:
				nan++
			case math.IsInf(v, 0):
				infinite++
			}
		}
	}
	return nan, infinite
}

// expectNaN reports rows of which an element is not NaN, or below from, one that is.
func (x operand[T]) expectNaN(r *source, what string, from int) {
	r.t.Helper()
	x = x.now(r)
	if nan, infinite := x.count(0, from); nan != 0 || infinite != 0 {
		r.t.Errorf("%s: %d elements above row %d are NaN, and %d infinite", what, nan, from, infinite)
	}
	if nan, _ := x.count(from, x.Rows); nan != (x.Rows-from)*x.Cols {
		r.t.Errorf("%s: %d of %d × %d elements are NaN", what, nan, x.Rows-from, x.Cols)
	}
}

// with sets an element of an operand.
func (x operand[T]) with(r *source, row, col int, v float64) operand[T] {
	return x.fill(r, func(i, j int) float64 {
		if i == row && j == col {
			return v
		}
		return x.at(i, j)
	})
}

// notFinite decomposes matrices of which the second one has an infinity or NaN: all of its results
// are NaN, and none of the other's.
func notFinite[T Real](r *source, n int, bad float64) {
	r.t.Helper()
	at := r.IntN(n)
	a := matrix[T](r, 2*n, n).with(r, n+at, at, bad)
	for _, name := range []string{"SVDBatch", "SymmetricEigenBatch"} {
		u, v, values, info := matrix[T](r, 2*n, n), matrix[T](r, 2*n, n), rowsOf(upload(r, gpu.MatrixLayout{}, make([]T, 2*n)).Buffer, 2, n), numbers(r, 2)
		what := fmt.Sprintf("%s of %d %T with %v", name, n, T(0), bad)
		if name == "SVDBatch" {
			check(r.t, SVDBatch(r.s, a.batch(2), u.batch(2), values.Buffer, v.batch(2), info, Strict()))
			u.expectNaN(r, what+", u", n)
		} else {
			check(r.t, SymmetricEigenBatch(r.s, Lower, a.batch(2), values.Buffer, v.batch(2), info, Strict()))
		}
		if got := read(r, info); got[0] != 0 || got[1] != -1 || got[2] != 99 {
			r.t.Errorf("%s: info is %d", what, got)
		}
		v.expectNaN(r, what+", vectors", n)
		operand[T]{values, nil}.expectNaN(r, what+", values", 1)
	}
}

// allNaN decomposes a matrix that has NaN, with all vectors unless it is so large that several
// workgroups look for the NaN.
func allNaN[T Real](r *source, rows, cols int) {
	r.t.Helper()
	what := fmt.Sprintf("SVD of %d × %d %T", rows, cols, T(0))
	a, u, v, info := matrix[T](r, rows, cols), matrix[T](r, rows, min(rows, 100)), matrix[T](r, cols, cols), numbers(r, 1)
	a = a.with(r, r.IntN(rows), r.IntN(cols), math.NaN())
	if rows > 100 {
		u = operand[T]{}
	}
	values := upload(r, gpu.MatrixLayout{Rows: 1, Cols: min(rows, cols), ColStride: 1}, make([]T, min(rows, cols)))
	check(r.t, SVD(r.s, a.MatrixBuffer, u.MatrixBuffer, values.Buffer, v.MatrixBuffer, info, Strict()))
	if got := number1(r, info); got != -1 {
		r.t.Errorf("%s: info is %d", what, got)
	}
	if u.Buffer != nil {
		u.expectNaN(r, what+", u", 0)
	}
	v.expectNaN(r, what+", v", 0)
	values.expectNaN(r, what+", values", 0)
}

// notFiniteSystems inverts and solves with a matrix that has an infinity or NaN, and with a right
// side that has.
func notFiniteSystems[T Real](r *source, bad float64) {
	r.t.Helper()
	const rows, cols = 5, 4
	what := fmt.Sprintf("%T with %v", T(0), bad)
	a, b, x, inverse, rank := matrix[T](r, rows, cols), matrix[T](r, rows, 3), matrix[T](r, cols, 3), matrix[T](r, cols, rows), numbers(r, 1)
	row, col := r.IntN(cols), r.IntN(cols)
	finite := a.at(row, col)
	a = a.with(r, row, col, bad)
	check(r.t, PseudoInverse(r.s, a.MatrixBuffer, -1, inverse.MatrixBuffer, rank, Strict()))
	inverse.expectNaN(r, "PseudoInverse of "+what, 0)
	if got := number1(r, rank); got != -1 {
		r.t.Errorf("PseudoInverse of %s: the rank is %d", what, got)
	}
	check(r.t, Lstsq(r.s, a.MatrixBuffer, b.MatrixBuffer, -1, x.MatrixBuffer, rank, Strict()))
	x.expectNaN(r, "Lstsq of "+what, 0)
	if got := number1(r, rank); got != -1 {
		r.t.Errorf("Lstsq of %s: the rank is %d", what, got)
	}
	result := vector[T](r, 1)
	result.Offset = 0
	check(r.t, Cond(r.s, a.MatrixBuffer, result.Buffer, Strict()))
	if got := result.now(r).at(0, 0); got == got {
		r.t.Errorf("Cond of %s is %v", what, got)
	}
	square := operand[T]{a.Sub(0, 0, cols, cols), a.host}
	check(r.t, Det(r.s, square.MatrixBuffer, result.Buffer, Strict()))
	if got := result.now(r).at(0, 0); got-got == 0 {
		r.t.Errorf("Det of %s is %v", what, got)
	}
	inverse = matrix[T](r, cols, cols)
	check(r.t, Inverse(r.s, square.MatrixBuffer, inverse.MatrixBuffer, rank, Strict()))
	if got := number1(r, rank); got != 0 {
		r.t.Errorf("Inverse of %s: info is %d", what, got)
	}
	if nan, _ := inverse.now(r).count(0, cols); bad != bad && nan == 0 {
		r.t.Errorf("Inverse of %s has no NaN", what)
	}

	a, b = a.with(r, row, col, finite), b.with(r, r.IntN(rows), 1, bad)
	check(r.t, Lstsq(r.s, a.MatrixBuffer, b.MatrixBuffer, -1, x.MatrixBuffer, rank, Strict()))
	if got := number1(r, rank); got != cols {
		r.t.Errorf("Lstsq of a right side of %s: the rank is %d", what, got)
	}
	x = x.now(r)
	for i := range cols {
		for j := range 3 {
			if v := x.at(i, j); (v-v == 0) != (j != 1) {
				r.t.Errorf("Lstsq of a right side of %s: element (%d, %d) is %v", what, i, j, v)
			}
		}
	}
}

// zeroColumn inverts a matrix with a column of zeros.
func zeroColumn[T Real](r *source, n int) {
	r.t.Helper()
	what := fmt.Sprintf("%d %T", n, T(0))
	zero := r.IntN(n)
	a, inverse, info, result := matrix[T](r, n, n), matrix[T](r, n, n), numbers(r, 1), vector[T](r, 1)
	result.Offset = 0
	a.fill(r, func(i, j int) float64 {
		if j == zero {
			return 0
		}
		return a.at(i, j)
	})
	check(r.t, Inverse(r.s, a.MatrixBuffer, inverse.MatrixBuffer, info, Strict()))
	if got := number1(r, info); got != int32(zero)+1 {
		r.t.Errorf("Inverse of %s without column %d: info is %d", what, zero, got)
	}
	if nan, infinite := inverse.now(r).count(0, n); nan+infinite == 0 {
		r.t.Errorf("Inverse of %s without column %d is finite", what, zero)
	}
	check(r.t, Det(r.s, a.MatrixBuffer, result.Buffer, Strict()))
	if got := result.now(r).at(0, 0); got != 0 {
		r.t.Errorf("Det of %s without column %d is %v", what, zero, got)
	}
	check(r.t, Cond(r.s, a.MatrixBuffer, result.Buffer, Strict()))
	if got := result.now(r).at(0, 0); !(got > 1/epsilon[T]()) {
		r.t.Errorf("Cond of %s without column %d is %v", what, zero, got)
	}
	check(r.t, PseudoInverse(r.s, a.MatrixBuffer, -1, inverse.MatrixBuffer, info, Strict()))
	if got := number1(r, info); got != int32(n-1) {
		r.t.Errorf("PseudoInverse of %s without column %d: the rank is %d", what, zero, got)
	}
	inverse = inverse.now(r)
	for j := range n {
		if v := inverse.at(zero, j); !(math.Abs(v) <= 1e-3) {
			r.t.Errorf("PseudoInverse of %s without column %d: element (%d, %d) is %v", what, zero, zero, j, v)
		}
	}
}

// nothing decomposes, inverts and solves matrices without rows or without columns.
func nothing[T Real](r *source) {
	r.t.Helper()
	for _, size := range [][2]int{{0, 3}, {3, 0}} {
		m, n := size[0], size[1]
		what := fmt.Sprintf("of %v %T", size, T(0))
		a, u, v, info := matrix[T](r, 2*m, n), matrix[T](r, 2*m, m), matrix[T](r, 2*n, n), numbers(r, 2)
		check(r.t, SVDBatch(r.s, a.batchOf(2, m), u.batchOf(2, m), nil, v.batchOf(2, n), info, Strict()))
		if got := read(r, info); got[0] != 0 || got[1] != 0 || got[2] != 99 {
			r.t.Errorf("SVDBatch %s: info is %d", what, got)
		}
		unit := func(i, j int) (float64, float64) {
			if i%3 == j {
				return 1, 0
			}
			return 0, 0
		}
		u.expect(r, "SVDBatch "+what, unit)
		v.expect(r, "SVDBatch "+what, unit)
		one, b, x, rank := matrix[T](r, m, n), matrix[T](r, m, 2), matrix[T](r, n, 2), numbers(r, 1)
		check(r.t, Lstsq(r.s, one.MatrixBuffer, b.MatrixBuffer, -1, x.MatrixBuffer, rank, Strict()))
		x.expect(r, "Lstsq "+what, func(int, int) (float64, float64) { return 0, 0 })
		if got := number1(r, rank); got != 0 {
			r.t.Errorf("Lstsq %s: the rank is %d", what, got)
		}
		rank = numbers(r, 1)
		check(r.t, PseudoInverse(r.s, one.MatrixBuffer, -1, matrix[T](r, n, m).MatrixBuffer, rank, Strict()))
		if got := number1(r, rank); got != 0 {
			r.t.Errorf("PseudoInverse %s: the rank is %d", what, got)
		}
		result := vector[T](r, 1)
		result.Offset = 0
		check(r.t, Cond(r.s, one.MatrixBuffer, result.Buffer, Strict()))
		result.expect(r, "Cond "+what, func(int, int) (float64, float64) { return 0, 0 })
	}
	a, rank, result := matrix[T](r, 3, 3), numbers(r, 1), vector[T](r, 1)
	check(r.t, Lstsq(r.s, a.MatrixBuffer, matrix[T](r, 3, 0).MatrixBuffer, -1, matrix[T](r, 3, 0).MatrixBuffer, rank, Strict()))
	if got := number1(r, rank); got != 3 {
		r.t.Errorf("Lstsq of 3 × 3 %T without right sides: the rank is %d", T(0), got)
	}
	result.Offset = 0
	none := matrix[T](r, 0, 0)
	check(r.t, Det(r.s, none.MatrixBuffer, result.Buffer, Strict()))
	result.expect(r, fmt.Sprintf("Det of no %T", T(0)), func(int, int) (float64, float64) { return 1, 0 })
	info := numbers(r, 1)
	check(r.t, Inverse(r.s, none.MatrixBuffer, none.MatrixBuffer, info, Strict()))
	if got := number1(r, info); got != 0 {
		r.t.Errorf("Inverse of no %T: info is %d", T(0), got)
	}
	info = numbers(r, 1)
	check(r.t, SymmetricEigen(r.s, Lower, none.MatrixBuffer, nil, gpu.MatrixBuffer[T]{}, info, Strict()))
	if got := number1(r, info); got != 0 {
		r.t.Errorf("SymmetricEigen of no %T: info is %d", T(0), got)
	}
	info = numbers(r, 0)
	check(r.t, SymmetricEigenBatch(r.s, Lower, Batch[T]{}, nil, Batch[T]{}, info, Strict()))
	check(r.t, SVDBatch(r.s, Batch[T]{}, Batch[T]{}, nil, Batch[T]{}, info, Strict()))
	if got := read(r, info); got[0] != 99 {
		r.t.Errorf("batches without matrices of %T: info is %d", T(0), got)
	}
}

// batchOf returns x, which may have no rows, as count matrices of so many rows.
func (x operand[T]) batchOf(count, rows int) Batch[T] {
	m := x.MatrixBuffer
	m.Rows = rows
	return Batch[T]{m, count, rows * x.RowStride}
}

// oneElement decomposes, inverts and solves matrices of one element.
func oneElement[T Real](r *source) {
	r.t.Helper()
	for _, e := range []float64{-3, 0, 2, 0x1p-100, -0x1p100} {
		what := fmt.Sprintf("of %v, %T", e, T(0))
		one := func() operand[T] {
			return upload(r, gpu.MatrixLayout{Rows: 1, Cols: 1, RowStride: 1, ColStride: 1}, make([]T, 1))
		}
		a, b, u, v, x, info := one(), one().with(r, 0, 0, 6), one(), one(), one(), numbers(r, 1)
		a = a.with(r, 0, 0, e)
		expect := func(name string, x operand[T], want float64) {
			r.t.Helper()
			x.expect(r, name+" "+what, func(int, int) (float64, float64) { return want, 2 * epsilon[T]() * math.Abs(want) })
		}
		check(r.t, SVD(r.s, a.MatrixBuffer, u.MatrixBuffer, x.Buffer, v.MatrixBuffer, info, Strict()))
		expect("SVD", x, math.Abs(e))
		if p, sign := u.now(r).at(0, 0)*v.now(r).at(0, 0), math.Copysign(1, e); p != sign && (e != 0 || p != -sign) {
			r.t.Errorf("SVD %s: the product of vectors is %v", what, p)
		}
		check(r.t, SymmetricEigen(r.s, Upper, a.MatrixBuffer, x.Buffer, v.MatrixBuffer, info, Strict()))
		expect("SymmetricEigen", x, e)
		if got := v.now(r).at(0, 0); math.Abs(got) != 1 {
			r.t.Errorf("SymmetricEigen %s: the vector is %v", what, got)
		}
		check(r.t, Det(r.s, a.MatrixBuffer, x.Buffer, Strict()))
		expect("Det", x, e)
		inverse, condition, rank, failed := 1/e, 1.0, int32(1), int32(0)
		if e == 0 {
			inverse, condition, rank, failed = 0, math.Inf(1), 0, 1
		}
		check(r.t, Cond(r.s, a.MatrixBuffer, x.Buffer, Strict()))
		expect("Cond", x, condition)
		check(r.t, PseudoInverse(r.s, a.MatrixBuffer, -1, x.MatrixBuffer, info, Strict()))
		expect("PseudoInverse", x, inverse)
		check(r.t, Lstsq(r.s, a.MatrixBuffer, b.MatrixBuffer, 0, x.MatrixBuffer, info, Strict()))
		expect("Lstsq", x, 6*inverse)
		if got := number1(r, info); got != rank {
			r.t.Errorf("Lstsq %s: the rank is %d", what, got)
		}
		check(r.t, Inverse(r.s, a.MatrixBuffer, x.MatrixBuffer, info, Strict()))
		if got := number1(r, info); got != failed {
			r.t.Errorf("Inverse %s: info is %d", what, got)
		}
		if e == 0 {
			inverse = math.Inf(1)
		}
		expect("Inverse", x, inverse)
	}
}

// determinants have products on the way that are too large or too small for the type.
func determinants[T Real](r *source) {
	r.t.Helper()
	greatest := 1 / float64(least[T]())
	for _, test := range []struct {
		diagonal []float64
		want     float64
	}{
		{[]float64{greatest, greatest, greatest, 1 / greatest, 1 / greatest, -2 / greatest}, -2},
		{[]float64{1 / greatest, 1 / greatest, 3 / greatest, greatest, greatest, greatest}, 3},
		{[]float64{1 / greatest, greatest, greatest}, greatest},
		{[]float64{greatest, 2, -greatest}, math.Inf(-1)},
		{[]float64{1 / greatest, 1 / greatest, 1}, 0},
		{[]float64{greatest, greatest, 0}, 0},
		{[]float64{math.Inf(1), 0x1p-60, 1}, math.Inf(1)},
	} {
		n := len(test.diagonal)
		a, result := matrix[T](r, n, n), vector[T](r, 1)
		result.Offset = 0
		a.fill(r, func(i, j int) float64 {
			if i == j {
				return test.diagonal[i]
			}
			return 0
		})
		check(r.t, Det(r.s, a.MatrixBuffer, result.Buffer, Strict()))
		result.expect(r, fmt.Sprintf("Det of %v, %T", test.diagonal, T(0)), func(int, int) (float64, float64) { return test.want, 0 })
	}
}

// least is the least normal number of a type whose reciprocal is one, too.
func least[T Real]() T {
	if x := any(T(0)); x == any(float32(0)) {
		return 0x1p-126
	}
	return T(math.Ldexp(1, -1022))
}

// smallest decomposes matrices whose elements are near the least number of the type, and compares
// values with those of a larger matrix.
func smallest[T Real](r *source, orders []int, scale float64) {
	r.t.Helper()
	for _, n := range orders {
		what := fmt.Sprintf("elements of %v, %d %T", scale, n, T(0))
		a, small, large, below, info := matrix[T](r, n, n), vector[T](r, n), vector[T](r, n), matrix[T](r, n, n), numbers(r, 1)
		a.fill(r, func(i, j int) float64 { return math.Round(8*a.at(i, j)) / 2 })
		below.fill(r, func(i, j int) float64 { return a.at(i, j) * scale })
		for _, name := range []string{"SVD", "SymmetricEigen"} {
			for _, x := range []struct{ a, values operand[T] }{{a, large}, {below, small}} {
				if name == "SVD" {
					check(r.t, SVD(r.s, x.a.MatrixBuffer, gpu.MatrixBuffer[T]{}, x.values.Buffer, gpu.MatrixBuffer[T]{}, info, Strict()))
				} else {
					check(r.t, SymmetricEigen(r.s, Lower, x.a.MatrixBuffer, x.values.Buffer, gpu.MatrixBuffer[T]{}, info, Strict()))
				}
				if got := number1(r, info); got != 0 {
					r.t.Errorf("%s of %s: info is %d", name, what, got)
				}
			}
			want, got := read(r, large.Buffer), read(r, small.Buffer)
			bound := closeTo[T](n, n)*math.Max(float64(want[0]), -float64(want[0]))*scale + 4*float64(least[T]())*epsilon[T]()
			for k := range n {
				if w := float64(want[k]) * scale; !(math.Abs(float64(got[k])-w) <= bound) {
					r.t.Fatalf("%s of %s: value %d is %v, want %v", name, what, k, got[k], w)
				}
			}
		}
	}
}

package gonum

// The functions for both types. Each copies its slices, calls package linalg, and copies back.

import (
	"context"

	"gonum.org/v1/gonum/blas"

	"github.com/gpuc/gpuc/kernels/linalg"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// scalar returns the result that a call writes to a buffer of one element.
func scalar[R any](s *gpu.Stream, call func(result *gpu.Buffer[R]) error) R {
	b, err := gpu.Alloc[R](s, 1)
	must(err)
	must(call(b))
	var host [1]R
	must(b.Read(context.Background(), s, host[:]))
	must(b.Close())
	return host[0]
}

func dot[T linalg.Real](s *gpu.Stream, n int, x []T, incX int, y []T, incY int) T {
	a, b := upload(s, x), upload(s, y)
	defer a.close(s, false)
	defer b.close(s, false)
	return scalar(s, func(to *gpu.Buffer[T]) error {
		return linalg.Dot(s, a.vector(n, incX), b.vector(n, incY), to)
	})
}

// reduce calls a function of one vector. As in gonum, one with a negative increment has no
// elements.
func reduce[T number, R any](s *gpu.Stream, n int, x []T, incX int, f func(*gpu.Stream, linalg.Vector[T], *gpu.Buffer[R]) error) R {
	a := upload(s, x)
	defer a.close(s, false)
	v := a.vector(n, incX)
	if incX < 0 {
		v.Len = 0
	}
	return scalar(s, func(to *gpu.Buffer[R]) error { return f(s, v, to) })
}

// pair calls a function that changes two vectors.
func pair[T number](s *gpu.Stream, n int, x []T, incX int, y []T, incY int, f func(x, y linalg.Vector[T]) error) {
	a, b := upload(s, x), upload(s, y)
	must(f(a.vector(n, incX), b.vector(n, incY)))
	a.close(s, true)
	b.close(s, true)
}

// scal changes nothing if the increment is negative, as in gonum.
func scal[T linalg.Real](s *gpu.Stream, n int, alpha T, x []T, incX int) {
	a := upload(s, x)
	if v := a.vector(n, incX); incX > 0 {
		must(linalg.Scal(s, alpha, v))
	}
	a.close(s, true)
}

// change calls a function that changes the last of three arrays.
func change[T number](s *gpu.Stream, a, b, c []T, f func(a, b, c array[T]) error) {
	x, y, z := upload(s, a), upload(s, b), upload(s, c)
	must(f(x, y, z))
	x.close(s, false)
	y.close(s, false)
	z.close(s, true)
}

func gemv[T linalg.Real](s *gpu.Stream, t blas.Transpose, m, n int, alpha T, a []T, lda int, x []T, incX int, beta T, y []T, incY int) {
	change(s, a, x, y, func(a, x, y array[T]) error {
		p := a.matrix(m, n, lda)
		if transposes(t) {
			p = p.T()
		}
		from, to := x.vector(p.Cols, incX), y.vector(p.Rows, incY)
		if m == 0 || n == 0 { // y is not scaled, as in gonum
			return nil
		}
		return linalg.Gemv(s, alpha, p, from, beta, to)
	})
}

func gbmv[T linalg.Real](s *gpu.Stream, t blas.Transpose, m, n, below, above int, alpha T, a []T, lda int, x []T, incX int, beta T, y []T, incY int) {
	change(s, a, x, y, func(a, x, y array[T]) error {
		p, rows, cols := a.band(m, n, below, above, lda), m, n
		if transposes(t) {
			p, rows, cols = p.T(), n, m
		}
		from, to := x.vector(cols, incX), y.vector(rows, incY)
		if m == 0 || n == 0 { // y is not scaled, as in gonum
			return nil
		}
		return linalg.Gbmv(s, alpha, p, from, beta, to)
	})
}

func symv[T linalg.Real](s *gpu.Stream, u blas.Uplo, n int, alpha T, a []T, lda int, x []T, incX int, beta T, y []T, incY int) {
	change(s, a, x, y, func(a, x, y array[T]) error {
		return linalg.Symv(s, uplo(u), alpha, a.matrix(n, n, lda), x.vector(n, incX), beta, y.vector(n, incY))
	})
}

func sbmv[T linalg.Real](s *gpu.Stream, u blas.Uplo, n, k int, alpha T, a []T, lda int, x []T, incX int, beta T, y []T, incY int) {
	change(s, a, x, y, func(a, x, y array[T]) error {
		return linalg.Sbmv(s, alpha, a.triangleBand(u, blas.NoTrans, n, k, lda), x.vector(n, incX), beta, y.vector(n, incY))
	})
}

func ger[T linalg.Real](s *gpu.Stream, m, n int, alpha T, x []T, incX int, y []T, incY int, a []T, lda int) {
	change(s, x, y, a, func(x, y, a array[T]) error {
		return linalg.Ger(s, alpha, x.vector(m, incX), y.vector(n, incY), a.matrix(m, n, lda))
	})
}

func syr[T linalg.Real](s *gpu.Stream, u blas.Uplo, n int, alpha T, x []T, incX int, a []T, lda int) {
	change(s, x, nil, a, func(x, _, a array[T]) error {
		return linalg.Syr(s, uplo(u), alpha, x.vector(n, incX), a.matrix(n, n, lda))
	})
}

func syr2[T linalg.Real](s *gpu.Stream, u blas.Uplo, n int, alpha T, x []T, incX int, y []T, incY int, a []T, lda int) {
	change(s, x, y, a, func(x, y, a array[T]) error {
		return linalg.Syr2(s, uplo(u), alpha, x.vector(n, incX), y.vector(n, incY), a.matrix(n, n, lda))
	})
}

// triangular is a function of a triangular matrix that changes x.
type triangular[T linalg.Real] func(*gpu.Stream, linalg.Uplo, linalg.Diag, gpu.MatrixBuffer[T], linalg.Vector[T]) error

func triangle[T linalg.Real](s *gpu.Stream, f triangular[T], u blas.Uplo, t blas.Transpose, d blas.Diag, n int, a []T, lda int, x []T, incX int) {
	change(s, a, nil, x, func(a, _, x array[T]) error {
		return f(s, uploOf(u, t), diag(d), a.operand(t, n, n, lda), x.vector(n, incX))
	})
}

// banded is triangular for a matrix with few diagonals.
type banded[T linalg.Real] func(*gpu.Stream, linalg.Diag, linalg.Band[T], linalg.Vector[T]) error

func bandTriangle[T linalg.Real](s *gpu.Stream, f banded[T], u blas.Uplo, t blas.Transpose, d blas.Diag, n, k int, a []T, lda int, x []T, incX int) {
	change(s, a, nil, x, func(a, _, x array[T]) error {
		return f(s, diag(d), a.triangleBand(u, t, n, k, lda), x.vector(n, incX))
	})
}

func gemm[T linalg.Real](s *gpu.Stream, tA, tB blas.Transpose, m, n, k int, alpha T, a []T, lda int, b []T, ldb int, beta T, c []T, ldc int) {
	change(s, a, b, c, func(a, b, c array[T]) error {
		return linalg.Gemm(s, float64(alpha), a.operand(tA, m, k, lda), b.operand(tB, k, n, ldb), float64(beta), c.matrix(m, n, ldc))
	})
}

func symm[T linalg.Real](s *gpu.Stream, side blas.Side, u blas.Uplo, m, n int, alpha T, a []T, lda int, b []T, ldb int, beta T, c []T, ldc int) {
	change(s, a, b, c, func(a, b, c array[T]) error {
		on, order := sideOf(side, m, n)
		return linalg.Symm(s, on, uplo(u), alpha, a.matrix(order, order, lda), b.matrix(m, n, ldb), beta, c.matrix(m, n, ldc))
	})
}

func syrk[T linalg.Real](s *gpu.Stream, u blas.Uplo, t blas.Transpose, n, k int, alpha T, a []T, lda int, beta T, c []T, ldc int) {
	change(s, a, nil, c, func(a, _, c array[T]) error {
		return linalg.Syrk(s, uplo(u), alpha, a.operand(t, n, k, lda), beta, c.matrix(n, n, ldc))
	})
}

func syr2k[T linalg.Real](s *gpu.Stream, u blas.Uplo, t blas.Transpose, n, k int, alpha T, a []T, lda int, b []T, ldb int, beta T, c []T, ldc int) {
	change(s, a, b, c, func(a, b, c array[T]) error {
		return linalg.Syr2k(s, uplo(u), alpha, a.operand(t, n, k, lda), b.operand(t, n, k, ldb), beta, c.matrix(n, n, ldc))
	})
}

// onSide is a function of a triangular matrix that changes b.
type onSide[T linalg.Real] func(*gpu.Stream, linalg.Side, linalg.Uplo, linalg.Diag, T, gpu.MatrixBuffer[T], gpu.MatrixBuffer[T], ...linalg.Option) error

func sided[T linalg.Real](s *gpu.Stream, f onSide[T], side blas.Side, u blas.Uplo, t blas.Transpose, d blas.Diag, m, n int, alpha T, a []T, lda int, b []T, ldb int) {
	change(s, a, nil, b, func(a, _, b array[T]) error {
		on, order := sideOf(side, m, n)
		return f(s, on, uploOf(u, t), diag(d), alpha, a.operand(t, order, order, lda), b.matrix(m, n, ldb))
	})
}

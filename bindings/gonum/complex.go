package gonum

// The functions of complex128. Their arguments are those of the BLAS, with rows that are
// contiguous.

import (
	"gonum.org/v1/gonum/blas"

	"github.com/gpuc/gpuc/kernels/linalg"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// complexOperand returns the matrix, its transpose or its adjoint, that has so many rows and
// columns.
func complexOperand(x array[complex128], t blas.Transpose, rows, cols, stride int) linalg.Operand[complex128] {
	return linalg.Operand[complex128]{MatrixBuffer: x.operand(t, rows, cols, stride), Conjugated: t == blas.ConjTrans}
}

// Zdotu is the sum of products.
func (i Implementation) Zdotu(n int, x []complex128, incX int, y []complex128, incY int) complex128 {
	return zdot(i.stream, n, x, incX, y, incY, linalg.CDotu[complex128])
}

// Zdotc is the sum of products with conjugates of x.
func (i Implementation) Zdotc(n int, x []complex128, incX int, y []complex128, incY int) complex128 {
	return zdot(i.stream, n, x, incX, y, incY, linalg.CDotc[complex128])
}

func zdot(s *gpu.Stream, n int, x []complex128, incX int, y []complex128, incY int, f func(s *gpu.Stream, x, y linalg.Vector[complex128], to *gpu.Buffer[complex128]) error) complex128 {
	a, b := upload(s, x), upload(s, y)
	defer a.close(s, false)
	defer b.close(s, false)
	return scalar(s, func(to *gpu.Buffer[complex128]) error { return f(s, a.vector(n, incX), b.vector(n, incY), to) })
}

// Dznrm2 is the Euclidean norm.
func (i Implementation) Dznrm2(n int, x []complex128, incX int) float64 {
	return reduce(i.stream, n, x, incX, linalg.CNrm2[complex128, float64])
}

// Dzasum is the sum of the absolute values of the parts.
func (i Implementation) Dzasum(n int, x []complex128, incX int) float64 {
	return reduce(i.stream, n, x, incX, linalg.CAsum[complex128, float64])
}

// Izamax is the index of the greatest sum of the absolute values of an element's parts.
func (i Implementation) Izamax(n int, x []complex128, incX int) int {
	return int(reduce(i.stream, n, x, incX, linalg.CIamax[complex128]))
}

// Zswap exchanges x and y.
func (i Implementation) Zswap(n int, x []complex128, incX int, y []complex128, incY int) {
	pair(i.stream, n, x, incX, y, incY, func(x, y linalg.Vector[complex128]) error { return linalg.CSwap(i.stream, x, y) })
}

// Zcopy makes y = x.
func (i Implementation) Zcopy(n int, x []complex128, incX int, y []complex128, incY int) {
	pair(i.stream, n, x, incX, y, incY, func(x, y linalg.Vector[complex128]) error { return linalg.CCopy(i.stream, x, y) })
}

// Zaxpy makes y = alpha·x + y.
func (i Implementation) Zaxpy(n int, alpha complex128, x []complex128, incX int, y []complex128, incY int) {
	pair(i.stream, n, x, incX, y, incY, func(x, y linalg.Vector[complex128]) error { return linalg.CAxpy(i.stream, alpha, x, y) })
}

// Zscal makes x = alpha·x. It changes nothing if the increment is negative, as in gonum.
func (i Implementation) Zscal(n int, alpha complex128, x []complex128, incX int) {
	a := upload(i.stream, x)
	if v := a.vector(n, incX); incX > 0 {
		must(linalg.CScal(i.stream, alpha, v))
	}
	a.close(i.stream, true)
}

// Zdscal makes x = alpha·x for a real alpha.
func (i Implementation) Zdscal(n int, alpha float64, x []complex128, incX int) {
	i.Zscal(n, complex(alpha, 0), x, incX)
}

// Zgemv makes y = alpha·a·x + beta·y.
func (i Implementation) Zgemv(t blas.Transpose, m, n int, alpha complex128, a []complex128, lda int, x []complex128, incX int, beta complex128, y []complex128, incY int) {
	rows, cols := m, n
	if transposes(t) {
		rows, cols = n, m
	}
	change(i.stream, a, x, y, func(a, x, y array[complex128]) error {
		p, from, to := complexOperand(a, t, rows, cols, lda), x.vector(cols, incX), y.vector(rows, incY)
		if m == 0 || n == 0 { // y is not scaled, as in gonum
			return nil
		}
		return linalg.CGemv(i.stream, alpha, p, from, beta, to)
	})
}

// Zgeru adds alpha·x·yᵀ to a.
func (i Implementation) Zgeru(m, n int, alpha complex128, x []complex128, incX int, y []complex128, incY int, a []complex128, lda int) {
	change(i.stream, x, y, a, func(x, y, a array[complex128]) error {
		return linalg.CGeru(i.stream, alpha, x.vector(m, incX), y.vector(n, incY), a.matrix(m, n, lda))
	})
}

// Zgerc adds alpha·x·yᴴ to a.
func (i Implementation) Zgerc(m, n int, alpha complex128, x []complex128, incX int, y []complex128, incY int, a []complex128, lda int) {
	change(i.stream, x, y, a, func(x, y, a array[complex128]) error {
		return linalg.CGerc(i.stream, alpha, x.vector(m, incX), y.vector(n, incY), a.matrix(m, n, lda))
	})
}

// column returns n elements with a distance of increment as a matrix of one column.
func (x array[T]) column(n, increment int) gpu.MatrixBuffer[T] {
	v := x.vector(n, increment)
	return gpu.MatrixBuffer[T]{Buffer: v.Buffer, MatrixLayout: gpu.MatrixLayout{Offset: v.Offset, Rows: n, Cols: 1, RowStride: v.Stride, ColStride: 1}}
}

// Zhemv makes y = alpha·a·x + beta·y for a Hermitian matrix.
func (i Implementation) Zhemv(u blas.Uplo, n int, alpha complex128, a []complex128, lda int, x []complex128, incX int, beta complex128, y []complex128, incY int) {
	change(i.stream, a, x, y, func(a, x, y array[complex128]) error {
		return linalg.CHemm(i.stream, linalg.Left, uplo(u), alpha, a.matrix(n, n, lda), x.column(n, incX), beta, y.column(n, incY))
	})
}

// Zher adds alpha·x·xᴴ to a triangle of a Hermitian matrix.
func (i Implementation) Zher(u blas.Uplo, n int, alpha float64, x []complex128, incX int, a []complex128, lda int) {
	change(i.stream, x, nil, a, func(x, _, a array[complex128]) error {
		p, from := a.matrix(n, n, lda), linalg.Plain(x.column(n, incX))
		if t := uplo(u); alpha != 0 { // otherwise imaginary parts of the diagonal stay, as in gonum
			return linalg.CHerk(i.stream, t, alpha, from, 1, p)
		}
		return nil
	})
}

// Zher2 adds alpha·x·yᴴ + conj(alpha)·y·xᴴ to a triangle of a Hermitian matrix.
func (i Implementation) Zher2(u blas.Uplo, n int, alpha complex128, x []complex128, incX int, y []complex128, incY int, a []complex128, lda int) {
	change(i.stream, x, y, a, func(x, y, a array[complex128]) error {
		p, from, with := a.matrix(n, n, lda), linalg.Plain(x.column(n, incX)), linalg.Plain(y.column(n, incY))
		if t := uplo(u); alpha != 0 {
			return linalg.CHer2k(i.stream, t, alpha, from, with, 1, p)
		}
		return nil
	})
}

// Ztrmv makes x = a·x for a triangular matrix.
func (i Implementation) Ztrmv(u blas.Uplo, t blas.Transpose, d blas.Diag, n int, a []complex128, lda int, x []complex128, incX int) {
	i.ztrv(linalg.CTrmm[complex128], u, t, d, n, a, lda, x, incX)
}

// Ztrsv solves a·y = x for a triangular matrix. x becomes y.
func (i Implementation) Ztrsv(u blas.Uplo, t blas.Transpose, d blas.Diag, n int, a []complex128, lda int, x []complex128, incX int) {
	i.ztrv(linalg.CTrsm[complex128], u, t, d, n, a, lda, x, incX)
}

func (i Implementation) ztrv(f complexOnSide, u blas.Uplo, t blas.Transpose, d blas.Diag, n int, a []complex128, lda int, x []complex128, incX int) {
	change(i.stream, a, nil, x, func(a, _, x array[complex128]) error {
		return f(i.stream, linalg.Left, uploOf(u, t), diag(d), 1, complexOperand(a, t, n, n, lda), x.column(n, incX))
	})
}

// Zgemm makes c = alpha·a·b + beta·c.
func (i Implementation) Zgemm(tA, tB blas.Transpose, m, n, k int, alpha complex128, a []complex128, lda int, b []complex128, ldb int, beta complex128, c []complex128, ldc int) {
	change(i.stream, a, b, c, func(a, b, c array[complex128]) error {
		return linalg.CGemm(i.stream, alpha, complexOperand(a, tA, m, k, lda), complexOperand(b, tB, k, n, ldb), beta, c.matrix(m, n, ldc))
	})
}

// Zherk makes a triangle of c = alpha·a·aᴴ + beta·c.
func (i Implementation) Zherk(u blas.Uplo, t blas.Transpose, n, k int, alpha float64, a []complex128, lda int, beta float64, c []complex128, ldc int) {
	change(i.stream, a, nil, c, func(a, _, c array[complex128]) error {
		return linalg.CHerk(i.stream, uplo(u), alpha, complexOperand(a, t, n, k, lda), beta, c.matrix(n, n, ldc))
	})
}

// Zsyrk makes a triangle of c = alpha·a·aᵀ + beta·c.
func (i Implementation) Zsyrk(u blas.Uplo, t blas.Transpose, n, k int, alpha complex128, a []complex128, lda int, beta complex128, c []complex128, ldc int) {
	change(i.stream, a, nil, c, func(a, _, c array[complex128]) error {
		return linalg.CSyrk(i.stream, uplo(u), alpha, complexOperand(a, t, n, k, lda), beta, c.matrix(n, n, ldc))
	})
}

// Zher2k makes a triangle of c = alpha·a·bᴴ + conj(alpha)·b·aᴴ + beta·c.
func (i Implementation) Zher2k(u blas.Uplo, t blas.Transpose, n, k int, alpha complex128, a []complex128, lda int, b []complex128, ldb int, beta float64, c []complex128, ldc int) {
	change(i.stream, a, b, c, func(a, b, c array[complex128]) error {
		return linalg.CHer2k(i.stream, uplo(u), alpha, complexOperand(a, t, n, k, lda), complexOperand(b, t, n, k, ldb), beta, c.matrix(n, n, ldc))
	})
}

// Zsyr2k makes a triangle of c = alpha·a·bᵀ + alpha·b·aᵀ + beta·c.
func (i Implementation) Zsyr2k(u blas.Uplo, t blas.Transpose, n, k int, alpha complex128, a []complex128, lda int, b []complex128, ldb int, beta complex128, c []complex128, ldc int) {
	change(i.stream, a, b, c, func(a, b, c array[complex128]) error {
		return linalg.CSyr2k(i.stream, uplo(u), alpha, complexOperand(a, t, n, k, lda), complexOperand(b, t, n, k, ldb), beta, c.matrix(n, n, ldc))
	})
}

// withTriangle is a function of a matrix of which one triangle is read.
type withTriangle func(*gpu.Stream, linalg.Side, linalg.Uplo, complex128, gpu.MatrixBuffer[complex128], gpu.MatrixBuffer[complex128], complex128, gpu.MatrixBuffer[complex128]) error

func (i Implementation) zsymm(f withTriangle, side blas.Side, u blas.Uplo, m, n int, alpha complex128, a []complex128, lda int, b []complex128, ldb int, beta complex128, c []complex128, ldc int) {
	change(i.stream, a, b, c, func(a, b, c array[complex128]) error {
		on, order := sideOf(side, m, n)
		return f(i.stream, on, uplo(u), alpha, a.matrix(order, order, lda), b.matrix(m, n, ldb), beta, c.matrix(m, n, ldc))
	})
}

// Zhemm makes c = alpha·a·b + beta·c for a Hermitian matrix.
func (i Implementation) Zhemm(side blas.Side, u blas.Uplo, m, n int, alpha complex128, a []complex128, lda int, b []complex128, ldb int, beta complex128, c []complex128, ldc int) {
	i.zsymm(linalg.CHemm[complex128], side, u, m, n, alpha, a, lda, b, ldb, beta, c, ldc)
}

// Zsymm makes c = alpha·a·b + beta·c for a symmetric matrix.
func (i Implementation) Zsymm(side blas.Side, u blas.Uplo, m, n int, alpha complex128, a []complex128, lda int, b []complex128, ldb int, beta complex128, c []complex128, ldc int) {
	i.zsymm(linalg.CSymm[complex128], side, u, m, n, alpha, a, lda, b, ldb, beta, c, ldc)
}

// complexOnSide is a function of a triangular matrix that changes b.
type complexOnSide func(*gpu.Stream, linalg.Side, linalg.Uplo, linalg.Diag, complex128, linalg.Operand[complex128], gpu.MatrixBuffer[complex128]) error

func (i Implementation) zsided(f complexOnSide, side blas.Side, u blas.Uplo, t blas.Transpose, d blas.Diag, m, n int, alpha complex128, a []complex128, lda int, b []complex128, ldb int) {
	change(i.stream, a, nil, b, func(a, _, b array[complex128]) error {
		on, order := sideOf(side, m, n)
		return f(i.stream, on, uploOf(u, t), diag(d), alpha, complexOperand(a, t, order, order, lda), b.matrix(m, n, ldb))
	})
}

// Ztrmm makes b = alpha·a·b for a triangular matrix.
func (i Implementation) Ztrmm(side blas.Side, u blas.Uplo, t blas.Transpose, d blas.Diag, m, n int, alpha complex128, a []complex128, lda int, b []complex128, ldb int) {
	i.zsided(linalg.CTrmm[complex128], side, u, t, d, m, n, alpha, a, lda, b, ldb)
}

// Ztrsm solves a·x = alpha·b for a triangular matrix.
func (i Implementation) Ztrsm(side blas.Side, u blas.Uplo, t blas.Transpose, d blas.Diag, m, n int, alpha complex128, a []complex128, lda int, b []complex128, ldb int) {
	i.zsided(linalg.CTrsm[complex128], side, u, t, d, m, n, alpha, a, lda, b, ldb)
}

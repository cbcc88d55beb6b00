package gonum

// The functions of float64. Their arguments are those of the BLAS, with rows that are contiguous.

import (
	"gonum.org/v1/gonum/blas"

	"github.com/gpuc/gpuc/kernels/linalg"
)

// Ddot is the sum of products.
func (i Implementation) Ddot(n int, x []float64, incX int, y []float64, incY int) float64 {
	return dot(i.stream, n, x, incX, y, incY)
}

// Dnrm2 is the Euclidean norm.
func (i Implementation) Dnrm2(n int, x []float64, incX int) float64 {
	return reduce(i.stream, n, x, incX, linalg.Nrm2[float64])
}

// Dasum is the sum of absolute values.
func (i Implementation) Dasum(n int, x []float64, incX int) float64 {
	return reduce(i.stream, n, x, incX, linalg.Asum[float64])
}

// Idamax is the index of the greatest absolute value.
func (i Implementation) Idamax(n int, x []float64, incX int) int {
	return int(reduce(i.stream, n, x, incX, linalg.Iamax[float64]))
}

// Dswap exchanges x and y.
func (i Implementation) Dswap(n int, x []float64, incX int, y []float64, incY int) {
	pair(i.stream, n, x, incX, y, incY, func(x, y linalg.Vector[float64]) error { return linalg.Swap(i.stream, x, y) })
}

// Dcopy makes y = x.
func (i Implementation) Dcopy(n int, x []float64, incX int, y []float64, incY int) {
	pair(i.stream, n, x, incX, y, incY, func(x, y linalg.Vector[float64]) error { return linalg.Copy(i.stream, x, y) })
}

// Daxpy makes y = alpha·x + y.
func (i Implementation) Daxpy(n int, alpha float64, x []float64, incX int, y []float64, incY int) {
	pair(i.stream, n, x, incX, y, incY, func(x, y linalg.Vector[float64]) error { return linalg.Axpy(i.stream, alpha, x, y) })
}

// Drot rotates points.
func (i Implementation) Drot(n int, x []float64, incX int, y []float64, incY int, c, s float64) {
	pair(i.stream, n, x, incX, y, incY, func(x, y linalg.Vector[float64]) error { return linalg.Rot(i.stream, x, y, c, s) })
}

// Dscal makes x = alpha·x.
func (i Implementation) Dscal(n int, alpha float64, x []float64, incX int) {
	scal(i.stream, n, alpha, x, incX)
}

// Dgemv makes y = alpha·a·x + beta·y.
func (i Implementation) Dgemv(tA blas.Transpose, m, n int, alpha float64, a []float64, lda int, x []float64, incX int, beta float64, y []float64, incY int) {
	gemv(i.stream, tA, m, n, alpha, a, lda, x, incX, beta, y, incY)
}

// Dgbmv is Dgemv for few diagonals.
func (i Implementation) Dgbmv(tA blas.Transpose, m, n, kL, kU int, alpha float64, a []float64, lda int, x []float64, incX int, beta float64, y []float64, incY int) {
	gbmv(i.stream, tA, m, n, kL, kU, alpha, a, lda, x, incX, beta, y, incY)
}

// Dsymv is Dgemv for a symmetric matrix.
func (i Implementation) Dsymv(ul blas.Uplo, n int, alpha float64, a []float64, lda int, x []float64, incX int, beta float64, y []float64, incY int) {
	symv(i.stream, ul, n, alpha, a, lda, x, incX, beta, y, incY)
}

// Dsbmv is Dgemv for a symmetric matrix with few diagonals.
func (i Implementation) Dsbmv(ul blas.Uplo, n, k int, alpha float64, a []float64, lda int, x []float64, incX int, beta float64, y []float64, incY int) {
	sbmv(i.stream, ul, n, k, alpha, a, lda, x, incX, beta, y, incY)
}

// Dger adds alpha·x·yᵀ.
func (i Implementation) Dger(m, n int, alpha float64, x []float64, incX int, y []float64, incY int, a []float64, lda int) {
	ger(i.stream, m, n, alpha, x, incX, y, incY, a, lda)
}

// Dsyr adds alpha·x·xᵀ to a triangle.
func (i Implementation) Dsyr(ul blas.Uplo, n int, alpha float64, x []float64, incX int, a []float64, lda int) {
	syr(i.stream, ul, n, alpha, x, incX, a, lda)
}

// Dsyr2 adds alpha·x·yᵀ and its transpose to a triangle.
func (i Implementation) Dsyr2(ul blas.Uplo, n int, alpha float64, x []float64, incX int, y []float64, incY int, a []float64, lda int) {
	syr2(i.stream, ul, n, alpha, x, incX, y, incY, a, lda)
}

// Dtrmv makes x = a·x for a triangle.
func (i Implementation) Dtrmv(ul blas.Uplo, tA blas.Transpose, d blas.Diag, n int, a []float64, lda int, x []float64, incX int) {
	triangle(i.stream, linalg.Trmv[float64], ul, tA, d, n, a, lda, x, incX)
}

// Dtrsv solves a·x = b for a triangle.
func (i Implementation) Dtrsv(ul blas.Uplo, tA blas.Transpose, d blas.Diag, n int, a []float64, lda int, x []float64, incX int) {
	triangle(i.stream, linalg.Trsv[float64], ul, tA, d, n, a, lda, x, incX)
}

// Dtbmv is Dtrmv for few diagonals.
func (i Implementation) Dtbmv(ul blas.Uplo, tA blas.Transpose, d blas.Diag, n, k int, a []float64, lda int, x []float64, incX int) {
	bandTriangle(i.stream, linalg.Tbmv[float64], ul, tA, d, n, k, a, lda, x, incX)
}

// Dtbsv is Dtrsv for few diagonals.
func (i Implementation) Dtbsv(ul blas.Uplo, tA blas.Transpose, d blas.Diag, n, k int, a []float64, lda int, x []float64, incX int) {
	bandTriangle(i.stream, linalg.Tbsv[float64], ul, tA, d, n, k, a, lda, x, incX)
}

// Dgemm makes c = alpha·a·b + beta·c.
func (i Implementation) Dgemm(tA, tB blas.Transpose, m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	gemm(i.stream, tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
}

// Dsymm is Dgemm for a symmetric matrix.
func (i Implementation) Dsymm(s blas.Side, ul blas.Uplo, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	symm(i.stream, s, ul, m, n, alpha, a, lda, b, ldb, beta, c, ldc)
}

// Dsyrk makes a triangle of c = alpha·a·aᵀ + beta·c.
func (i Implementation) Dsyrk(ul blas.Uplo, t blas.Transpose, n, k int, alpha float64, a []float64, lda int, beta float64, c []float64, ldc int) {
	syrk(i.stream, ul, t, n, k, alpha, a, lda, beta, c, ldc)
}

// Dsyr2k makes a triangle of c = alpha·a·bᵀ + alpha·b·aᵀ + beta·c.
func (i Implementation) Dsyr2k(ul blas.Uplo, t blas.Transpose, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	syr2k(i.stream, ul, t, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
}

// Dtrmm makes b = alpha·a·b for a triangle.
func (i Implementation) Dtrmm(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int) {
	sided(i.stream, linalg.Trmm[float64], s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
}

// Dtrsm solves a·x = alpha·b for a triangle.
func (i Implementation) Dtrsm(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int) {
	sided(i.stream, linalg.Trsm[float64], s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
}

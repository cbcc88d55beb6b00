package gonum

// The functions of float32. Their arguments are those of the BLAS, with rows that are contiguous.

import (
	"gonum.org/v1/gonum/blas"

	"github.com/gpuc/gpuc/kernels/linalg"
)

// Sdot is the sum of products.
func (i Implementation) Sdot(n int, x []float32, incX int, y []float32, incY int) float32 {
	return dot(i.stream, n, x, incX, y, incY)
}

// Snrm2 is the Euclidean norm.
func (i Implementation) Snrm2(n int, x []float32, incX int) float32 {
	return reduce(i.stream, n, x, incX, linalg.Nrm2[float32])
}

// Sasum is the sum of absolute values.
func (i Implementation) Sasum(n int, x []float32, incX int) float32 {
	return reduce(i.stream, n, x, incX, linalg.Asum[float32])
}

// Isamax is the index of the greatest absolute value.
func (i Implementation) Isamax(n int, x []float32, incX int) int {
	return int(reduce(i.stream, n, x, incX, linalg.Iamax[float32]))
}

// Sswap exchanges x and y.
func (i Implementation) Sswap(n int, x []float32, incX int, y []float32, incY int) {
	pair(i.stream, n, x, incX, y, incY, func(x, y linalg.Vector[float32]) error { return linalg.Swap(i.stream, x, y) })
}

// Scopy makes y = x.
func (i Implementation) Scopy(n int, x []float32, incX int, y []float32, incY int) {
	pair(i.stream, n, x, incX, y, incY, func(x, y linalg.Vector[float32]) error { return linalg.Copy(i.stream, x, y) })
}

// Saxpy makes y = alpha·x + y.
func (i Implementation) Saxpy(n int, alpha float32, x []float32, incX int, y []float32, incY int) {
	pair(i.stream, n, x, incX, y, incY, func(x, y linalg.Vector[float32]) error { return linalg.Axpy(i.stream, alpha, x, y) })
}

// Srot rotates points.
func (i Implementation) Srot(n int, x []float32, incX int, y []float32, incY int, c, s float32) {
	pair(i.stream, n, x, incX, y, incY, func(x, y linalg.Vector[float32]) error { return linalg.Rot(i.stream, x, y, c, s) })
}

// Sscal makes x = alpha·x.
func (i Implementation) Sscal(n int, alpha float32, x []float32, incX int) {
	scal(i.stream, n, alpha, x, incX)
}

// Sgemv makes y = alpha·a·x + beta·y.
func (i Implementation) Sgemv(tA blas.Transpose, m, n int, alpha float32, a []float32, lda int, x []float32, incX int, beta float32, y []float32, incY int) {
	gemv(i.stream, tA, m, n, alpha, a, lda, x, incX, beta, y, incY)
}

// Sgbmv is Sgemv for few diagonals.
func (i Implementation) Sgbmv(tA blas.Transpose, m, n, kL, kU int, alpha float32, a []float32, lda int, x []float32, incX int, beta float32, y []float32, incY int) {
	gbmv(i.stream, tA, m, n, kL, kU, alpha, a, lda, x, incX, beta, y, incY)
}

// Ssymv is Sgemv for a symmetric matrix.
func (i Implementation) Ssymv(ul blas.Uplo, n int, alpha float32, a []float32, lda int, x []float32, incX int, beta float32, y []float32, incY int) {
	symv(i.stream, ul, n, alpha, a, lda, x, incX, beta, y, incY)
}

// Ssbmv is Sgemv for a symmetric matrix with few diagonals.
func (i Implementation) Ssbmv(ul blas.Uplo, n, k int, alpha float32, a []float32, lda int, x []float32, incX int, beta float32, y []float32, incY int) {
	sbmv(i.stream, ul, n, k, alpha, a, lda, x, incX, beta, y, incY)
}

// Sger adds alpha·x·yᵀ.
func (i Implementation) Sger(m, n int, alpha float32, x []float32, incX int, y []float32, incY int, a []float32, lda int) {
	ger(i.stream, m, n, alpha, x, incX, y, incY, a, lda)
}

// Ssyr adds alpha·x·xᵀ to a triangle.
func (i Implementation) Ssyr(ul blas.Uplo, n int, alpha float32, x []float32, incX int, a []float32, lda int) {
	syr(i.stream, ul, n, alpha, x, incX, a, lda)
}

// Ssyr2 adds alpha·x·yᵀ and its transpose to a triangle.
func (i Implementation) Ssyr2(ul blas.Uplo, n int, alpha float32, x []float32, incX int, y []float32, incY int, a []float32, lda int) {
	syr2(i.stream, ul, n, alpha, x, incX, y, incY, a, lda)
}

// Strmv makes x = a·x for a triangle.
func (i Implementation) Strmv(ul blas.Uplo, tA blas.Transpose, d blas.Diag, n int, a []float32, lda int, x []float32, incX int) {
	triangle(i.stream, linalg.Trmv[float32], ul, tA, d, n, a, lda, x, incX)
}

// Strsv solves a·x = b for a triangle.
func (i Implementation) Strsv(ul blas.Uplo, tA blas.Transpose, d blas.Diag, n int, a []float32, lda int, x []float32, incX int) {
	triangle(i.stream, linalg.Trsv[float32], ul, tA, d, n, a, lda, x, incX)
}

// Stbmv is Strmv for few diagonals.
func (i Implementation) Stbmv(ul blas.Uplo, tA blas.Transpose, d blas.Diag, n, k int, a []float32, lda int, x []float32, incX int) {
	bandTriangle(i.stream, linalg.Tbmv[float32], ul, tA, d, n, k, a, lda, x, incX)
}

// Stbsv is Strsv for few diagonals.
func (i Implementation) Stbsv(ul blas.Uplo, tA blas.Transpose, d blas.Diag, n, k int, a []float32, lda int, x []float32, incX int) {
	bandTriangle(i.stream, linalg.Tbsv[float32], ul, tA, d, n, k, a, lda, x, incX)
}

// Sgemm makes c = alpha·a·b + beta·c.
func (i Implementation) Sgemm(tA, tB blas.Transpose, m, n, k int, alpha float32, a []float32, lda int, b []float32, ldb int, beta float32, c []float32, ldc int) {
	gemm(i.stream, tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
}

// Ssymm is Sgemm for a symmetric matrix.
func (i Implementation) Ssymm(s blas.Side, ul blas.Uplo, m, n int, alpha float32, a []float32, lda int, b []float32, ldb int, beta float32, c []float32, ldc int) {
	symm(i.stream, s, ul, m, n, alpha, a, lda, b, ldb, beta, c, ldc)
}

// Ssyrk makes a triangle of c = alpha·a·aᵀ + beta·c.
func (i Implementation) Ssyrk(ul blas.Uplo, t blas.Transpose, n, k int, alpha float32, a []float32, lda int, beta float32, c []float32, ldc int) {
	syrk(i.stream, ul, t, n, k, alpha, a, lda, beta, c, ldc)
}

// Ssyr2k makes a triangle of c = alpha·a·bᵀ + alpha·b·aᵀ + beta·c.
func (i Implementation) Ssyr2k(ul blas.Uplo, t blas.Transpose, n, k int, alpha float32, a []float32, lda int, b []float32, ldb int, beta float32, c []float32, ldc int) {
	syr2k(i.stream, ul, t, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
}

// Strmm makes b = alpha·a·b for a triangle.
func (i Implementation) Strmm(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha float32, a []float32, lda int, b []float32, ldb int) {
	sided(i.stream, linalg.Trmm[float32], s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
}

// Strsm solves a·x = alpha·b for a triangle.
func (i Implementation) Strsm(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha float32, a []float32, lda int, b []float32, ldb int) {
	sided(i.stream, linalg.Trsm[float32], s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
}

package gonum

import (
	"fmt"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/gonum"

	"github.com/gpuc/gpuc/kernels/linalg"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// LAPACK implements lapack.Float64. NewLAPACK makes one. Functions that have no counterpart in
// package linalg are gonum's own. Work that callers bring is not used, and one element is enough.
type LAPACK struct {
	gonum.Implementation
	stream *gpu.Stream
}

var _ lapack.Float64 = LAPACK{}

// NewLAPACK returns an implementation that runs on the device of a stream.
func NewLAPACK(s *gpu.Stream) LAPACK { return LAPACK{stream: s} }

// asked reports whether a caller asks for the length of work. The answer is three times n, which is
// what callers who subtract some of it can do with.
func asked(work []float64, length, n int) bool {
	if len(work) == 0 || length == 0 && n > 0 || length < -1 {
		panic("gonum: no work")
	}
	work[0] = float64(max(3*n, 1))
	return length == -1
}

// info calls a function that writes a number, and returns it.
func (l LAPACK) info(call func(info *gpu.Buffer[int32]) error) int32 { return scalar(l.stream, call) }

// indices copies numbers to the device.
func (l LAPACK) indices(list []int) array[int32] {
	host := make([]int32, len(list))
	for i, x := range list {
		host[i] = int32(x)
	}
	return upload(l.stream, host)
}

// Dpotrf replaces a triangle of a by its Cholesky factor. It reports whether there is one.
func (l LAPACK) Dpotrf(ul blas.Uplo, n int, a []float64, lda int) bool {
	x := upload(l.stream, a)
	m := x.matrix(n, n, lda)
	info := l.info(func(info *gpu.Buffer[int32]) error { return linalg.Cholesky(l.stream, uplo(ul), m, info) })
	x.close(l.stream, true)
	return info == 0
}

// Dpotrs solves a system by the factor of Dpotrf.
func (l LAPACK) Dpotrs(ul blas.Uplo, n, nrhs int, a []float64, lda int, b []float64, ldb int) {
	change(l.stream, a, nil, b, func(a, _, b array[float64]) error {
		return linalg.CholeskySolve(l.stream, uplo(ul), a.matrix(n, n, lda), b.matrix(n, nrhs, ldb))
	})
}

// Dgetrf replaces a by its factors with partial pivoting. It reports whether no pivot is zero.
func (l LAPACK) Dgetrf(m, n int, a []float64, lda int, ipiv []int) bool {
	if len(ipiv) != min(m, n) {
		panic(fmt.Sprintf("gonum: %d pivots of %d × %d elements", len(ipiv), m, n))
	}
	x, pivots := upload(l.stream, a), l.indices(ipiv)
	matrix := x.matrix(m, n, lda)
	info := l.info(func(info *gpu.Buffer[int32]) error { return linalg.LU(l.stream, matrix, pivots.buffer, info) })
	x.close(l.stream, true)
	pivots.close(l.stream, true)
	for i, p := range pivots.host {
		ipiv[i] = int(p)
	}
	return info == 0
}

// Dgetrs solves a system by the factors of Dgetrf, or one of the transpose.
func (l LAPACK) Dgetrs(trans blas.Transpose, n, nrhs int, a []float64, lda int, ipiv []int, b []float64, ldb int) {
	if !transposes(trans) {
		pivots := l.indices(ipiv)
		change(l.stream, a, nil, b, func(a, _, b array[float64]) error {
			return linalg.LUSolve(l.stream, a.matrix(n, n, lda), pivots.buffer, b.matrix(n, nrhs, ldb))
		})
		pivots.close(l.stream, false)
		return
	}
	change(l.stream, a, nil, b, func(a, _, b array[float64]) error {
		factors, right := a.matrix(n, n, lda).T(), b.matrix(n, nrhs, ldb)
		if err := linalg.Trsm(l.stream, linalg.Left, linalg.Lower, linalg.NonUnit, 1, factors, right); err != nil {
			return err
		}
		return linalg.Trsm(l.stream, linalg.Left, linalg.Upper, linalg.Unit, 1, factors, right)
	})
	for i := n - 1; i >= 0; i-- {
		for j := range nrhs {
			b[i*ldb+j], b[ipiv[i]*ldb+j] = b[ipiv[i]*ldb+j], b[i*ldb+j]
		}
	}
}

// Dgesv factors a, as Dgetrf does, and solves a system.
func (l LAPACK) Dgesv(n, nrhs int, a []float64, lda int, ipiv []int, b []float64, ldb int) bool {
	if n == 0 || nrhs == 0 {
		return true
	}
	if !l.Dgetrf(n, n, a, lda, ipiv) {
		return false
	}
	l.Dgetrs(blas.NoTrans, n, nrhs, a, lda, ipiv, b, ldb)
	return true
}

// Dgetri makes the inverse of the factors of Dgetrf. It reports whether there is one.
func (l LAPACK) Dgetri(n int, a []float64, lda int, ipiv []int, work []float64, lwork int) bool {
	if asked(work, lwork, n) || n == 0 {
		return true
	}
	unit := make([]float64, n*n)
	for i := range n {
		if a[i*lda+i] == 0 {
			return false
		}
		unit[i*n+i] = 1
	}
	l.Dgetrs(blas.NoTrans, n, n, a, lda, ipiv, unit, n)
	for i := range n {
		copy(a[i*lda:i*lda+n], unit[i*n:])
	}
	return true
}

// Dgeqrf replaces a by R and the reflections of Q.
func (l LAPACK) Dgeqrf(m, n int, a []float64, lda int, tau, work []float64, lwork int) {
	if asked(work, lwork, n) {
		return
	}
	x, t := upload(l.stream, a), upload(l.stream, tau)
	must(linalg.QR(l.stream, x.matrix(m, n, lda), t.buffer))
	x.close(l.stream, true)
	t.close(l.stream, true)
}

// Dormqr multiplies c by Q, or its transpose, which is that of the first k reflections of Dgeqrf.
func (l LAPACK) Dormqr(side blas.Side, trans blas.Transpose, m, n, k int, a []float64, lda int, tau, c []float64, ldc int, work []float64, lwork int) {
	if asked(work, lwork, n) || m == 0 || n == 0 || k == 0 {
		return
	}
	change(l.stream, a, tau, c, func(a, tau, c array[float64]) error {
		to, transposed := c.matrix(m, n, ldc), transposes(trans)
		if on, _ := sideOf(side, m, n); on == linalg.Right {
			to, transposed = to.T(), !transposed
		}
		return linalg.QRMultiply(l.stream, a.matrix(to.Rows, k, lda), tau.buffer, transposed, to)
	})
}

// Dorgqr replaces the first k reflections of Dgeqrf by the first n columns of their product.
func (l LAPACK) Dorgqr(m, n, k int, a []float64, lda int, tau, work []float64, lwork int) {
	if asked(work, lwork, n) || n == 0 {
		return
	}
	q := make([]float64, m*n)
	for i := range n {
		q[i*n+i] = 1
	}
	l.Dormqr(blas.Left, blas.NoTrans, m, n, k, a, lda, tau, q, n, work, 1)
	for i := range m {
		copy(a[i*lda:i*lda+n], q[i*n:])
	}
}

// Dgels finds least squares of a or of its transpose, or the solution of least norm if there are
// fewer equations than unknowns. It reports whether the rank is full.
func (l LAPACK) Dgels(trans blas.Transpose, m, n, nrhs int, a []float64, lda int, b []float64, ldb int, work []float64, lwork int) bool {
	if asked(work, lwork, n) {
		return true
	}
	s := l.stream
	x, y := upload(s, a), upload(s, b)
	equations, unknowns := m, n
	if transposes(trans) {
		equations, unknowns = n, m
	}
	matrix, right := x.operand(trans, equations, unknowns, lda), y.matrix(max(m, n), nrhs, ldb)
	least := min(m, n)
	tau, err := gpu.Alloc[float64](s, max(least, 1))
	must(err)
	if equations < unknowns {
		// Of the factors of the transpose: the solution is Q·y for Rᵀ·y = b, and zeros below y.
		must(linalg.QR(s, matrix.T(), tau))
		must(linalg.Trsm(s, linalg.Left, linalg.Lower, linalg.NonUnit, 1, matrix.Sub(0, 0, least, least), right.Sub(0, 0, least, nrhs)))
		must(zeros(s, right.Sub(equations, 0, unknowns-equations, nrhs)))
		must(linalg.QRMultiply(s, matrix.T(), tau, false, right.Sub(0, 0, unknowns, nrhs)))
	} else {
		must(linalg.LeastSquares(s, matrix, tau, right.Sub(0, 0, equations, nrhs)))
	}
	must(tau.Close())
	x.close(s, true)
	y.close(s, true)
	for i := range least {
		if a[i*lda+i] == 0 {
			return false
		}
	}
	return true
}

// zeros makes the elements of a matrix zero.
func zeros(s *gpu.Stream, m gpu.MatrixBuffer[float64]) error {
	for i := range m.Rows {
		row := linalg.Vector[float64]{Buffer: m.Buffer, Offset: m.Offset + i*m.RowStride, Len: m.Cols, Stride: m.ColStride}
		if err := linalg.Scal(s, 0, row); err != nil {
			return err
		}
	}
	return nil
}

// Dsyev finds eigenvalues of a triangle of a, and replaces it by eigenvectors if they are wanted.
// It reports whether it has converged.
func (l LAPACK) Dsyev(jobz lapack.EVJob, ul blas.Uplo, n int, a []float64, lda int, w, work []float64, lwork int) bool {
	if jobz != lapack.EVNone && jobz != lapack.EVCompute {
		panic(fmt.Sprintf("gonum: vectors %q", jobz))
	}
	if asked(work, lwork, n) || n == 0 {
		return true
	}
	x, values := upload(l.stream, a), upload(l.stream, w[:n])
	var vectors array[float64]
	var to gpu.MatrixBuffer[float64]
	if jobz == lapack.EVCompute {
		vectors = upload(l.stream, make([]float64, n*n))
		to = vectors.matrix(n, n, n)
	}
	info := l.info(func(info *gpu.Buffer[int32]) error {
		return linalg.SymmetricEigen(l.stream, uplo(ul), x.matrix(n, n, lda), values.buffer, to, info)
	})
	x.close(l.stream, false)
	values.close(l.stream, true)
	vectors.close(l.stream, true)
	if jobz == lapack.EVCompute {
		for i := range n {
			copy(a[i*lda:i*lda+n], vectors.host[i*n:])
		}
	}
	return info == 0
}

// Dgesvd finds singular values, and singular vectors as the jobs say: all of them, as many as
// values, or none. It reports whether it has converged.
func (l LAPACK) Dgesvd(jobU, jobVT lapack.SVDJob, m, n int, a []float64, lda int, s, u []float64, ldu int, vt []float64, ldvt int, work []float64, lwork int) bool {
	k := min(m, n)
	columns := func(job lapack.SVDJob, all int) int {
		switch job {
		case lapack.SVDAll:
			return all
		case lapack.SVDStore:
			return k
		case lapack.SVDNone:
			return 0
		}
		panic(fmt.Sprintf("gonum: vectors %q", job))
	}
	left, right := columns(jobU, m), columns(jobVT, n)
	if asked(work, lwork, n) || k == 0 {
		return true
	}
	x, values, us, vs := upload(l.stream, a), upload(l.stream, s[:k]), array[float64]{}, array[float64]{}
	var to, toV gpu.MatrixBuffer[float64]
	if left > 0 {
		us = upload(l.stream, u)
		to = us.matrix(m, left, ldu)
	}
	if right > 0 {
		vs = upload(l.stream, vt)
		toV = vs.matrix(right, n, ldvt).T()
	}
	info := l.info(func(info *gpu.Buffer[int32]) error {
		return linalg.SVD(l.stream, x.matrix(m, n, lda), to, values.buffer, toV, info)
	})
	x.close(l.stream, false)
	values.close(l.stream, true)
	us.close(l.stream, true)
	vs.close(l.stream, true)
	return info == 0
}

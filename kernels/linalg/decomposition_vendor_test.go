package linalg

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gpuc/gpuc/internal/vendorlib"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// BenchmarkVendorDecompositions compares with cuSOLVER, and QR of small matrices with cuBLAS: with
// the fastest of several functions. Theirs replace their operand, so that a copy before counts, as
// for our QR. Operations are counted as in BenchmarkDecompositions, and 4/3·n³ for QR (§5.2.1).
func BenchmarkVendorDecompositions(b *testing.B) {
	_, s := vendorlib.Device(b)
	solver, err := vendorlib.OpenSolver(s)
	if err != nil {
		b.Skip("skipped: no cuSOLVER: ", err)
	}
	b.Cleanup(func() { _ = solver.Close() })
	cublas, err := vendorlib.OpenBLAS(s)
	if err != nil {
		b.Skip("skipped: no cuBLAS: ", err)
	}
	b.Cleanup(func() { _ = cublas.Close() })
	compareDecompositions[float32](b, s, solver, cublas, vendorlib.F32)
	compareDecompositions[float64](b, s, solver, cublas, vendorlib.F64)
}

func compareDecompositions[T Real](b *testing.B, s *gpu.Stream, solver *vendorlib.Solver, cublas *vendorlib.BLAS, kind vendorlib.Kind) {
	const count = 10000
	sides := func(b *testing.B, count, n int) (ours, theirs side[T]) {
		return newSide[T](b, s, count, n), newSide[T](b, s, count, n)
	}
	run := func(name string, routines []vendorlib.Routine, count, n int, flops float64, call func(x side[T]) error) {
		b.Run(fmt.Sprintf("%s %T/%d", name, T(0), n), func(b *testing.B) {
			ours, theirs := sides(b, count, n)
			var ways []vendorlib.Way
			for _, r := range routines {
				if !solver.Has(r) {
					continue
				}
				enqueue, closeWork, err := solver.Prepare(r, theirs.decomposition(kind))
				if errors.Is(err, gpu.ErrLimit) {
					b.Logf("%s is left out: its work has more than 4 GiB", r.Name)
					continue
				}
				check(b, err)
				b.Cleanup(func() { _ = closeWork() })
				ways = append(ways, vendorlib.Way{Name: r.Name, Run: func() error { return first(theirs.restore(s), enqueue()) }})
			}
			vendorlib.CompareAll(b, s, func() error { return call(ours) }, ways, 0, flops*float64(count)*float64(n)*float64(n)*float64(n))
			if norm := ours.norm(name); !isNorm(b, s, ours.values, norm) {
				b.Fatalf("the sum of the squares of the values is not %v, that of the elements", norm)
			} else if !isNorm(b, s, theirs.values, norm) {
				b.Log("the library's values are wrong: the sum of their squares is not that of the elements")
				return
			}
			sameResults(b, s, ours.values, theirs.values, n, n)
		})
	}
	for _, n := range []int{8, 16, 32} {
		run("SVDBatch", vendorlib.SVDBatches, count, n, 22, func(x side[T]) error { return SVDBatch(s, x.a.T(), x.u, x.values, x.v, x.info) })
	}
	for _, n := range []int{8, 16, 32, 64} {
		run("SymmetricEigenBatch", vendorlib.EigenBatches, count, n, 9, func(x side[T]) error {
			return SymmetricEigenBatch(s, Lower, x.a.T(), x.values, x.v, x.info)
		})
		b.Run(fmt.Sprintf("QRBatch %T/%d", T(0), n), func(b *testing.B) {
			ours, theirs := sides(b, count, n)
			enqueue, closeWork, err := cublas.QRBatch(theirs.decomposition(kind))
			check(b, err)
			b.Cleanup(func() { _ = closeWork() })
			compareQR(b, s, ours, theirs, func() error { return QRBatch(s, ours.a.T(), ours.tau) }, enqueue)
		})
	}
	for _, n := range []int{1024, 4096} {
		run("SVD", vendorlib.SVDs, 1, n, 22, func(x side[T]) error {
			return SVD(s, x.a.MatrixBuffer.T(), x.u.MatrixBuffer, x.values, x.v.MatrixBuffer, x.info)
		})
		run("SymmetricEigen", vendorlib.Eigens, 1, n, 9, func(x side[T]) error {
			return SymmetricEigen(s, Lower, x.a.MatrixBuffer.T(), x.values, x.v.MatrixBuffer, x.info)
		})
		b.Run(fmt.Sprintf("QR %T/%d", T(0), n), func(b *testing.B) {
			ours, theirs := sides(b, 1, n)
			enqueue, closeWork, err := solver.Prepare(vendorlib.QRs[0], theirs.decomposition(kind))
			check(b, err)
			b.Cleanup(func() { _ = closeWork() })
			compareQR(b, s, ours, theirs, func() error { return QR(s, ours.a.MatrixBuffer.T(), ours.tau) }, enqueue)
		})
	}
}

// compareQR compares factorisations. Each is of what the one before left, since a copy
// would count. The last ones are of the same matrices.
func compareQR[T Real](b *testing.B, s *gpu.Stream, ours, theirs side[T], call, library func() error) {
	b.Helper()
	n := float64(ours.a.Rows)
	vendorlib.Compare(b, s, call, library, 0, 4./3*float64(ours.a.Count)*n*n*n)
	check(b, first(ours.restore(s), call(), theirs.restore(s), library()))
	sameResults(b, s, ours.tau, theirs.tau, ours.a.Rows, ours.a.Rows/2)
}

// side has the operands of one side: matrices, which original has unchanged, and results.
type side[T Real] struct {
	a, u, v               Batch[T]
	original, values, tau *gpu.Buffer[T]
	info                  *gpu.Buffer[int32]
	elements              []T
}

func newSide[T Real](b *testing.B, s *gpu.Stream, count, n int) side[T] {
	b.Helper()
	r := rand.New(rand.NewPCG(3, uint64(n)))
	host := make([]T, count*n*n)
	for i := range host {
		host[i] = T(2*r.Float64() - 1)
	}
	batch := func() Batch[T] { return BatchOf(allocate[T](b, s, count*n*n), count, n, n) }
	x := side[T]{batch(), batch(), batch(), allocate[T](b, s, count*n*n), allocate[T](b, s, count*n), allocate[T](b, s, count*n), allocate[int32](b, s, count), host}
	check(b, x.original.Write(s, host))
	check(b, x.restore(s))
	return x
}

// norm is the sum of the squares of all elements: of a triangle and its reflection for eigenvalues.
func (x side[T]) norm(name string) (sum float64) {
	n := x.a.Rows
	for e, v := range x.elements {
		i, j, square := e/n%n, e%n, float64(v)*float64(v)
		switch {
		case name[:3] == "SVD" || i == j:
			sum += square
		case i < j: // columns are contiguous, so that these are below the diagonal
			sum += 2 * square
		}
	}
	return sum
}

// isNorm reports whether the sum of the squares of values is a norm.
func isNorm[T Real](b *testing.B, s *gpu.Stream, values *gpu.Buffer[T], norm float64) bool {
	b.Helper()
	host, sum := make([]T, values.Len()), 0.0
	check(b, values.Read(b.Context(), s, host))
	for _, v := range host {
		sum += float64(v) * float64(v)
	}
	return math.Abs(sum-norm) <= 1e-4*norm
}

// restore makes a what it was.
func (x side[T]) restore(s *gpu.Stream) error {
	return Copy(s, VectorOf(x.original), VectorOf(x.a.Buffer))
}

func (x side[T]) decomposition(kind vendorlib.Kind) *vendorlib.Decomposition {
	return &vendorlib.Decomposition{Kind: kind, N: x.a.Rows, Count: x.a.Count, A: x.a.Buffer, Values: x.values, U: x.u.Buffer, V: x.v.Buffer, Tau: x.tau, Info: x.info}
}

// sameResults fails unless the results of both sides are close to each other: then both have
// computed the same. Of the n results of each matrix it compares the first ones, since rounding
// changes the last reflections of QR.
func sameResults[T Real](b *testing.B, s *gpu.Stream, ours, theirs *gpu.Buffer[T], n, compared int) {
	b.Helper()
	x, y := make([]T, ours.Len()), make([]T, theirs.Len())
	check(b, ours.Read(b.Context(), s, x))
	check(b, theirs.Read(b.Context(), s, y))
	most := 0.0
	for _, v := range y {
		most = max(most, math.Abs(float64(v)))
	}
	for i, v := range x {
		if d := math.Abs(float64(v) - float64(y[i])); i%n < compared && !(d <= 1e-3*most) {
			b.Fatalf("result %d is %v, and the library's %v", i, v, y[i])
		}
	}
}

package linalg

import (
	"fmt"
	"testing"

	"github.com/gpuc/gpuc/runtime/gpu"
)

// BenchmarkDecompositions waits for each call. Operations are counted as in Golub and Van Loan,
// "Matrix Computations": 22·n³ for singular values, with vectors or without (§8.6.4), and 9·n³ for
// eigenvalues (§8.3.5). The processor gets smaller sizes than other devices.
func BenchmarkDecompositions(b *testing.B) {
	s := benchStream(b)
	count, large := 10000, []int{512, 1024, 4096}
	if s.Device().Info().Driver == gpu.CPU {
		count, large = 200, []int{128}
	}
	info := must[*gpu.Buffer[int32]](b)(gpu.Alloc[int32](s, count))
	b.Cleanup(func() { check(b, info.Close()) })
	benchSmall[float32](b, s, count, info)
	benchSmall[float64](b, s, count, info)
	for _, n := range large {
		benchLarge[float32](b, s, n, info)
		benchLarge[float64](b, s, n, info)
	}
}

func benchSmall[T Real](b *testing.B, s *gpu.Stream, count int, info *gpu.Buffer[int32]) {
	for _, n := range []int{8, 16, 32, 64} {
		batch := func() Batch[T] { return BatchOf(random[T](b, s, count*n*n), count, n, n) }
		a, u, v, values := batch(), batch(), batch(), allocate[T](b, s, count*n)
		cube := float64(count) * float64(n*n*n)
		benchWaiting(b, fmt.Sprintf("SVDBatch %T/%d", T(0), n), s, 22*cube, 0, func() error { return SVDBatch(s, a, u, values, v, info) })
		benchWaiting(b, fmt.Sprintf("SymmetricEigenBatch %T/%d", T(0), n), s, 9*cube, 0, func() error { return SymmetricEigenBatch(s, Lower, a, values, v, info) })
	}
}

func benchLarge[T Real](b *testing.B, s *gpu.Stream, n int, info *gpu.Buffer[int32]) {
	square := func() gpu.MatrixBuffer[T] { return gpu.MatrixOf(random[T](b, s, n*n), n, n) }
	a, u, v, values := square(), square(), square(), allocate[T](b, s, n)
	cube := float64(n) * float64(n) * float64(n)
	benchWaiting(b, fmt.Sprintf("SVD %T/%d", T(0), n), s, 22*cube, 0, func() error { return SVD(s, a, u, values, v, info) })
	benchWaiting(b, fmt.Sprintf("SVD without vectors %T/%d", T(0), n), s, 22*cube, 0, func() error { return SVD(s, a, gpu.MatrixBuffer[T]{}, values, gpu.MatrixBuffer[T]{}, info) })
	benchWaiting(b, fmt.Sprintf("SymmetricEigen %T/%d", T(0), n), s, 9*cube, 0, func() error { return SymmetricEigen(s, Lower, a, values, v, info) })
}

// benchWaiting is bench with a wait for each call.
func benchWaiting(b *testing.B, name string, s *gpu.Stream, flops, bytes float64, call func() error) {
	bench(b, name, s, flops, bytes, func() error {
		if err := call(); err != nil {
			return err
		}
		return s.Wait(b.Context())
	})
}

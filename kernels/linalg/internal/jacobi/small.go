package jacobi

import (
	"github.com/gpuc/gpuc/kernels/linalg/internal/columns"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// EigenSmall makes eigenvalues and eigenvectors of count symmetric matrices of up to Order rows,
// whose distance is stride. Of a, the triangle below the diagonal is read. Values of a matrix
// ascend and follow those of the one before. If wanted is not 0, column j of its vectors belongs to
// value j; otherwise vectors is not written.
//
// Elements are divided by a power of two before. Those beside the diagonal count as zero if they
// are at most the floor then.
//
//gpuc:kernel workgroup=halves types=float32,float64
func EigenSmall[T Real](it gpu.Item, shared *small[T], count int, a gpu.Matrix[T], stride int, floor T, values []T, wanted int, vectors gpu.Matrix[T], vectorStride int, info []int32) {
	l, n := it.LocalIndex(), a.Rows()
	for p := it.Group().X; p < count; p += it.Groups().X {
		m := a.Skip(p * stride)
		for e := l; e < Order*Order; e += halves {
			i, j := e/Order, e%Order
			var x T
			if i < n && j < n {
				x = m.At(max(i, j), min(i, j))
			}
			shared.A[i][j], shared.Vectors[i][j] = x, 0
		}
		it.Barrier()
		if l < Order {
			most := T(0)
			for j := range n {
				most = greater(most, shared.A[l][j])
			}
			shared.A[l][Order] = most
		}
		it.Barrier()
		if l == 0 {
			most := T(0)
			for i := range n {
				most = greater(most, shared.A[i][Order])
			}
			shared.Scale = columns.ScaleOf(most)
		}
		it.Barrier()
		scale := gpu.UniformLoad(it, &shared.Scale)
		for e := l; e < Order*Order; e += halves {
			i, j := e/Order, e%Order
			shared.A[i][j] /= scale
			if scale != scale {
				shared.Vectors[i][j] = scale
			}
		}
		it.Barrier()
		_, unfinished := diagonalise(it, shared, n, maxSweeps, 0, floor)
		sortDiagonal(it, shared, n, false)
		if l < n {
			k := shared.Order[l]
			values[p*n+l] = shared.A[k][k] * scale
		}
		if wanted != 0 {
			to := vectors.Skip(p * vectorStride)
			for e := l; e < n*n; e += halves {
				i, j := e/n, e%n
				to.Set(i, j, shared.vector(uint32(shared.Order[j%Order]), uint32(i)))
			}
		}
		if l == 0 {
			info[p] = columns.State(scale != scale, unfinished)
		}
		it.Barrier()
	}
}

// maxSweeps is how many sweeps a small matrix gets at most. About eight are enough.
const maxSweeps = 30

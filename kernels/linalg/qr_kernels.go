package linalg

// The kernels of QR factorisations by Householder's reflections (Golub and Van Loan, "Matrix
// Computations", §5.1 and §5.2). A reflection is I − tau·v·vᵀ, where v has zeros above the diagonal
// and a one on it.

import "github.com/gpuc/gpuc/runtime/gpu"

// reflecting is what the items of qrPanel share.
type reflecting[T Real] struct {
	Squares [items]squares[T]
	Sums    [items]T
}

// qrPanel factors a, for each of count matrices whose distance is stride, and which have up to
// order columns. The upper triangle becomes R, and columns below it those of v. A matrix has as
// many elements of tau as columns, or as rows if these are fewer; the first ones are behind base
// others.
//
//gpuc:kernel workgroup=items types=float32,float64
func qrPanel[T Real](it gpu.Item, shared *reflecting[T], count int, o norm[T], a gpu.Matrix[T], stride, base int, tau []T) {
	l := it.LocalIndex()
	lane := l % lanes
	n := min(a.Rows(), a.Cols())
	for p := it.Group().X; p < count; p += it.Groups().X {
		m := a.Skip(p * stride)
		for k := range n {
			var s squares[T]
			for i := k + 1 + l; i < a.Rows(); i += items {
				s = o.add(s, i, m.At(i, k), 0)
			}
			joinAll[norm[T], T, squares[T], T](it, o, &shared.Squares, s)
			it.Barrier()
			diagonal := m.At(k, k)
			t, beta := reflection(diagonal, o.result(gpu.UniformLoad(it, &shared.Squares[0])))
			it.Barrier()
			if t != 0 {
				for i := k + 1 + l; i < a.Rows(); i += items {
					m.Set(i, k, m.At(i, k)/(diagonal-beta))
				}
			}
			if l == 0 {
				m.Set(k, k, beta)
				tau[p*n+base+k] = t
			}
			it.Barrier()
			for first := k + 1; first < a.Cols(); first += rowsAtOnce {
				j := first + l/lanes
				var sum T
				if j < a.Cols() {
					if lane == 0 {
						sum = m.At(k, j)
					}
					for i := k + 1 + lane; i < a.Rows(); i += lanes {
						sum += m.At(i, k) * m.At(i, j)
					}
				}
				shared.Sums[l] = sum
				for step := lanes / 2; step > 0; step /= 2 {
					it.Barrier()
					if lane < step {
						shared.Sums[l] += shared.Sums[l+step]
					}
				}
				it.Barrier()
				if j < a.Cols() {
					sum = t * shared.Sums[l-lane]
					if lane == 0 {
						m.Set(k, j, m.At(k, j)-sum)
					}
					for i := k + 1 + lane; i < a.Rows(); i += lanes {
						m.Set(i, j, m.At(i, j)-m.At(i, k)*sum)
					}
				}
				it.Barrier()
			}
		}
	}
}

// reflection returns tau, and what becomes of the element on the diagonal, if those below it have a
// norm. They become zero.
func reflection[T Real](diagonal, below T) (tau, beta T) {
	if below == 0 {
		return 0, diagonal
	}
	high, low := max(size(diagonal), below), min(size(diagonal), below)
	beta = high * root(1+low/high*(low/high))
	if diagonal > 0 {
		beta = -beta
	}
	return (beta - diagonal) / beta, beta
}

// joinReflections makes the triangle t of n reflections, whose product is I − v·t·vᵀ. It takes the
// products g = vᵀ·v and their tau, which are behind base others (Schreiber and Van Loan, "A
// Storage-Efficient WY Representation for Products of Householder Transformations", 1989).
//
//gpuc:kernel workgroup=panel types=float32,float64
func joinReflections[T Real](it gpu.Item, shared *[panel][panel]T, n int, g gpu.Matrix[T], tau []T, base int, t gpu.Matrix[T]) {
	i := it.LocalIndex()
	for k := range n {
		var v T
		if i == k {
			v = tau[base+k]
		}
		if i < k {
			for c := i; c < k; c++ {
				v -= shared[i][c] * g.At(c, k)
			}
			v *= tau[base+k]
		}
		if i < n {
			shared[i][k] = v
			t.Set(i, k, v)
		}
		it.Barrier()
	}
}

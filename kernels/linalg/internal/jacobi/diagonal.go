package jacobi

import (
	"math"
	"sync/atomic"

	"github.com/gpuc/gpuc/runtime/gpu"
)

// Real is a number that the kernels compute with.
type Real interface{ float32 | float64 }

// Order is how many rows and columns a workgroup diagonalises.
const Order = 32

// pairs is how many pairs of rows and columns a round rotates.
const pairs = Order / 2

// small is what the items of a workgroup share that diagonalise a symmetric matrix a. Row j of
// vectors is the eigenvector of row and column j, without the 1 on its diagonal: after small
// rotations that is more exact.
type small[T Real] struct {
	A, Vectors [Order][Order + 1]T
	Rotations  [pairs]rotation[T]
	Scale      T
	Left       int32
	Order      [Order]int32
}

// rotation rotates rows and columns p and q: its sine, and the tangent of half its angle. The
// cosine is 1 − Sin·Tau, and more exact than a number close to one (Rutishauser, "The Jacobi
// Method for Real Symmetric Matrices", 1966).
type rotation[T Real] struct {
	Sin, Tau T
	P, Q     uint32
}

// vector returns element j of vector k.
func (s *small[T]) vector(k, j uint32) T {
	if k == j {
		return s.Vectors[k%Order][j%Order] + 1
	}
	return s.Vectors[k%Order][j%Order]
}

// halves are the items of the kernels that diagonalise: half of the blocks of 2 × 2 elements that a
// round changes.
const halves = 128

// Partners returns pair k of a round in which n elements play against each other, as in a
// tournament: in n − 1 rounds, each meets each other one once. The number n is even, and k below
// n/2.
func Partners(n, round, k uint32) (p, q uint32) {
	p, q = n-1, round
	if k > 0 {
		p, q = round+k, round+n-1-k
		if p >= n-1 {
			p -= n - 1
		}
		if q >= n-1 {
			q -= n - 1
		}
	}
	return min(p, q), max(p, q)
}

// diagonalise makes the first n rows and columns of the symmetric matrix a diagonal (Jacobi,
// 1846). The vectors become the product of the rotations that do it, whose order is that of a
// tournament (Brent and Luk, 1985). Rows and columns p and q are rotated unless a[p][q] is at most
// the floor, or its square at most relative times the product of their diagonal elements. It
// returns whether there was a rotation, and whether some are left after all sweeps.
//
// The vectors have been made zero. If n is odd, row n has zeros.
func diagonalise[T Real](it gpu.Item, shared *small[T], columns, sweeps int, relative, floor T) (rotated, unfinished bool) {
	l := uint32(it.LocalIndex())
	n := uint32(columns+1) / 2 * 2
	half := n / 2
	unfinished = isLeft(it, shared, n, relative, floor)
	for sweep := 0; sweep < sweeps && unfinished; sweep++ {
		rotated = true
		for round := range n - 1 {
			it.Barrier()
			if l < half && l < pairs {
				p, q := Partners(n, round, l)
				p, q = p%Order, q%Order
				r := rotation[T]{P: p, Q: q}
				if x, a, b := shared.A[p][q], shared.A[p][p], shared.A[q][q]; rotates(x, a, b, relative, floor) {
					r.Sin, r.Tau = halfAngle(a, b, x)
				}
				shared.Rotations[l] = r
			}
			it.Barrier()
			// Blocks (i, i + d) of pairs, which are all of a triangle.
			i := l % pairs
			for d := l / pairs; d <= half/2; d += halves / pairs {
				if i < half && (2*d < half || i < d) {
					j := i + d
					if j >= half {
						j -= half
					}
					rotateBlock(shared, i, j)
				}
			}
			j := l % Order
			for k := l / Order; k < half && j < n; k += halves / Order {
				if r := shared.Rotations[k%pairs]; r.Sin != 0 {
					x, y := shared.vector(r.P, j), shared.vector(r.Q, j)
					shared.Vectors[r.P%Order][j] -= r.Sin * (y + r.Tau*x)
					shared.Vectors[r.Q%Order][j] += r.Sin * (x - r.Tau*y)
				}
			}
		}
		it.Barrier()
		unfinished = isLeft(it, shared, n, relative, floor)
	}
	return rotated, unfinished
}

// rotates reports whether x, which is beside the diagonal elements a and b, is to become zero.
func rotates[T Real](x, a, b, relative, floor T) bool {
	return size(x) > floor && x*x > relative*size(a*b)
}

// isLeft reports whether rows and columns are left to be rotated, of the first n.
func isLeft[T Real](it gpu.Item, shared *small[T], n uint32, relative, floor T) bool {
	l := uint32(it.LocalIndex())
	if l == 0 {
		shared.Left = 0
	}
	it.Barrier()
	j := l % Order
	for i := l / Order; i < Order; i += halves / Order {
		if i < j && j < n && rotates(shared.A[i][j], shared.A[i][i], shared.A[j][j], relative, floor) {
			atomic.StoreInt32(&shared.Left, 1)
		}
	}
	it.Barrier()
	return gpu.UniformLoad(it, &shared.Left) != 0
}

// halfAngle returns the sine, and the tangent of half the angle, of the rotation that makes x zero,
// which is beside the diagonal elements a and b.
func halfAngle[T Real](a, b, x T) (s, tau T) {
	z := (b - a) / (2 * x)
	t := 1 / (size(z) + root(1+z*z))
	if z < 0 {
		t = -t
	}
	c := 1 / root(1+t*t)
	s = t * c
	return s, s / (1 + c)
}

// apply returns elements of rows, or columns, p and q after the rotation.
func (r rotation[T]) apply(x, y T) (T, T) {
	return x - r.Sin*(y+r.Tau*x), y + r.Sin*(x-r.Tau*y)
}

// rotateBlock rotates the elements of the rows of pair i and the columns of pair j, and those of
// the transpose.
func rotateBlock[T Real](shared *small[T], i, j uint32) {
	row := shared.Rotations[i%pairs]
	p, q := row.P%Order, row.Q%Order
	if i == j {
		if row.Sin != 0 {
			d := row.Sin / (1 - row.Sin*row.Tau) * shared.A[p][q]
			shared.A[p][p] -= d
			shared.A[q][q] += d
			shared.A[p][q], shared.A[q][p] = 0, 0
		}
		return
	}
	col := shared.Rotations[j%pairs]
	if row.Sin == 0 && col.Sin == 0 {
		return
	}
	r, t := col.P%Order, col.Q%Order
	pr, qr := row.apply(shared.A[p][r], shared.A[q][r])
	pt, qt := row.apply(shared.A[p][t], shared.A[q][t])
	pr, pt = col.apply(pr, pt)
	qr, qt = col.apply(qr, qt)
	shared.A[p][r], shared.A[p][t], shared.A[q][r], shared.A[q][t] = pr, pt, qr, qt
	shared.A[r][p], shared.A[t][p], shared.A[r][q], shared.A[t][q] = pr, pt, qr, qt
}

// sortDiagonal writes to order which of the first n diagonal elements is at each position: they
// ascend, or descend. Others stay.
func sortDiagonal[T Real](it gpu.Item, shared *small[T], n int, descending bool) {
	if l := it.LocalIndex(); l < Order {
		at := uint32(l)
		if l < n {
			at = 0
			x := shared.A[l][l]
			for k := range Order {
				if k < n && before(shared.A[k][k], x, k, l, descending) {
					at++
				}
			}
		}
		shared.Order[at%Order] = int32(l)
	}
	it.Barrier()
}

// before reports whether y, which is element k, comes before x, which is element l. Those that are
// equal keep their order, and NaN is equal to all.
func before[T Real](y, x T, k, l int, descending bool) bool {
	if descending {
		x, y = y, x
	}
	return y < x || !(x < y) && k < l
}

// size returns |x|.
func size[T Real](x T) T {
	if x < 0 {
		return -x
	}
	return x
}

// root returns the square root.
func root[T Real](x T) T { return T(math.Sqrt(float64(x))) }

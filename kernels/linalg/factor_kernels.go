package linalg

// The kernels of factorisations: a workgroup factors a small matrix, or a panel of a large one.

import "github.com/gpuc/gpuc/runtime/gpu"

// order is how many rows and columns a workgroup factors.
const order = 64

// packed is the lower triangle of a matrix, row by row, and the order of the first leading minor
// that is not positive, or 0.
type packed[T Real] struct {
	Elements [order * (order + 1) / 2]T
	Failed   int32
}

func (l *packed[T]) at(row, col int) T { return l.Elements[row*(row+1)/2+col] }

func (l *packed[T]) set(row, col int, v T) { l.Elements[row*(row+1)/2+col] = v }

// cholesky replaces the lower triangle of a by L with L·Lᵀ = a, for each of count matrices of up to
// order rows, whose distance is stride. It writes to info, for each matrix, 0 or base and the order
// of the first leading minor that is not positive. If base is above zero, and info is not 0 yet, it
// stays.
//
// An item has a row. Column after column, it subtracts products with those before (left-looking).
//
//gpuc:kernel workgroup=order types=float32,float64
func cholesky[T Real](it gpu.Item, l *packed[T], count int, a gpu.Matrix[T], stride, base int, info []int32) {
	i, n := it.LocalIndex(), a.Rows()
	for p := it.Group().X; p < count; p += it.Groups().X {
		m := a.Skip(p * stride)
		if i == 0 {
			l.Failed = 0
		}
		if i < n {
			for j := range i + 1 {
				l.set(i, j, m.At(i, j))
			}
		}
		it.Barrier()
		for k := range n {
			var v T
			if i >= k && i < n {
				v = l.at(i, k)
				for c := range k {
					v -= l.at(i, c) * l.at(k, c)
				}
				if i == k {
					if !(v > 0) && l.Failed == 0 {
						l.Failed = int32(k) + 1
					}
					v = root(v)
					l.set(k, k, v)
				}
			}
			it.Barrier()
			if i > k && i < n {
				l.set(i, k, v/l.at(k, k))
			}
			it.Barrier()
		}
		if i < n {
			for j := range i + 1 {
				m.Set(i, j, l.at(i, j))
			}
		}
		if i == 0 && (base == 0 || info[p] == 0) {
			info[p] = 0
			if l.Failed != 0 {
				info[p] = int32(base) + l.Failed
			}
		}
		it.Barrier()
	}
}

// panel is how many columns of a large matrix a workgroup factors at a time.
const panel = 32

// luPanel factors a with partial pivoting, for each of count matrices whose distance is stride, and
// which have up to order columns. Columns become those of L, without the ones on its diagonal, and
// of U. Pivot k is the row with which row k was exchanged; base is added to it. A matrix has as
// many pivots as columns, or as rows if these are fewer. It writes to info, for each matrix, 0 or
// base and the number of the first pivot that is zero, counted from one. If base is above zero, and
// info is not 0 yet, it stays.
//
//gpuc:kernel workgroup=items types=float32/uint32/magnitude32,float64/uint64/magnitude64
func luPanel[T Real, K key, M magnitudes[T, K]](it gpu.Item, shared *[items]ranked[K], count int, a gpu.Matrix[T], stride, base int, pivots, info []int32) {
	l := it.LocalIndex()
	n := min(a.Rows(), a.Cols())
	var o highest[T, K, M]
	for p := it.Group().X; p < count; p += it.Groups().X {
		m := a.Skip(p * stride)
		failed := int32(0)
		for k := range n {
			var s ranked[K]
			for i := k + l; i < a.Rows(); i += items {
				s = o.add(s, i, m.At(i, k), 0)
			}
			it.Barrier()
			joinAll[highest[T, K, M], T, ranked[K], int32](it, o, shared, s)
			it.Barrier()
			best := gpu.UniformLoad(it, &shared[0])
			row := int(best.Index) - 1
			if l == 0 {
				pivots[p*n+base+k] = int32(base + row)
			}
			if best.Key == 0 && failed == 0 {
				failed = int32(base+k) + 1
			}
			if row != k && l < a.Cols() {
				u, v := m.At(k, l), m.At(row, l)
				m.Set(k, l, v)
				m.Set(row, l, u)
			}
			it.Barrier()
			if best.Key != 0 {
				d := m.At(k, k)
				for i := k + 1 + l; i < a.Rows(); i += items {
					f := m.At(i, k) / d
					m.Set(i, k, f)
					for j := k + 1; j < a.Cols(); j++ {
						m.Set(i, j, m.At(i, j)-f*m.At(k, j))
					}
				}
			}
			it.Barrier()
		}
		if l == 0 && (base == 0 || info[p] == 0) {
			info[p] = failed
		}
	}
}

// exchangeRows exchanges rows k and pivots[k] of a, for k from first to last − 1.
//
//gpuc:kernel workgroup=items types=float32,float64
func exchangeRows[T Real](it gpu.Item, a gpu.Matrix[T], pivots []int32, first, last int) {
	for j := it.Global().X; j < a.Cols(); j += it.Groups().X * items {
		for k := first; k < last; k++ {
			if row := int(pivots[k]); row != k {
				u, v := a.At(k, j), a.At(row, j)
				a.Set(k, j, v)
				a.Set(row, j, u)
			}
		}
	}
}

// determinant multiplies the elements on the diagonal of the factors of n rows that luPanel made.
// For each row that was exchanged with another one, the sign changes. A power of two is kept apart,
// so that no product on the way overflows or underflows.
//
//gpuc:kernel workgroup=1 types=float32,float64
func determinant[T Real](it gpu.Item, n int, factors gpu.Matrix[T], pivots []int32, result []T) {
	product, power := T(1), 0
	for k := range n {
		x, p := mantissa(factors.At(k, k))
		y, q := mantissa(product * x)
		product, power = y, power+p+q
		if int(pivots[k]) != k {
			product = -product
		}
	}
	for ; power > 0 && product-product == 0 && product != 0; power-- {
		product *= up
	}
	for ; power < 0 && product != 0; power++ {
		product *= down
	}
	result[0] = product
}

// Powers of two by which mantissa multiplies.
const (
	up   = 0x1p32
	down = 0x1p-32
)

// mantissa returns x·2⁻³²ᵖ, whose absolute value is between 2⁻³² and 2³², and p. Zero, infinities
// and NaN are returned as they are.
func mantissa[T Real](x T) (y T, p int) {
	if x == 0 || x-x != 0 {
		return x, 0
	}
	for size(x) > up {
		x *= down
		p++
	}
	for size(x) < down && x != 0 {
		x *= up
		p--
	}
	return x, p
}

// clearNumbers makes n numbers zero.
//
//gpuc:kernel workgroup=items
func clearNumbers(it gpu.Item, n int, x []int32) {
	for i := it.Global().X; i < n; i += it.Groups().X * items {
		x[i] = 0
	}
}

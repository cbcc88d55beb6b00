package jacobi

// The kernels that make inverses and condition numbers of singular values.

import (
	"github.com/gpuc/gpuc/kernels/linalg/internal/columns"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// Reciprocals divides the columns of v by singular values, which descend. Where a value is at most
// limit times the greatest one, the column becomes zero. It writes to rank how many values are
// greater, or −1 if info is not columns.Converged.
//
//gpuc:kernel workgroup=items types=float32,float64
func Reciprocals[T Real](it gpu.Item, limit T, values []T, info []int32, v gpu.Matrix[T], rank []int32) {
	n := v.Cols()
	for e := it.Index(); e < v.Rows()*n; e += it.Groups().X * items {
		i, j := e/n, e%n
		x := T(0)
		if !(values[j] <= limit*values[0]) { // also NaN
			x = v.At(i, j) / values[j]
		}
		v.Set(i, j, x)
	}
	if it.Index() == 0 {
		count := int32(0)
		for j := range n {
			if values[j] > limit*values[0] {
				count++
			}
		}
		if info[0] != columns.Converged {
			count = -1
		}
		rank[0] = count
	}
}

// Condition writes the quotient of the first and the last one of n values, which are not negative.
// It is infinite if the last one is zero.
//
//gpuc:kernel workgroup=1 types=float32,float64
func Condition[T Real](it gpu.Item, n int, values, result []T) {
	high, low := values[0], values[n-1]
	if low == 0 {
		high = 1
	}
	result[0] = high / low
}

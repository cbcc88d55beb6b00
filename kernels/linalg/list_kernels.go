package linalg

import (
	"github.com/gpuc/gpuc/kernels/linalg/internal/product"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// listed makes c = alpha·a·b + beta·c for the matrices that entries of a list name, by an element
// an item. Matrices are at distances of stepA, stepB and stepC, and have numbers below limit. Sums
// begin with zero, and products follow in ascending order.
//
//gpuc:kernel workgroup=items types=float32/product.F32,float64/product.F64
func listed[T Real, V product.Arithmetic[T, T]](it gpu.Item, count int, alpha T, a gpu.Matrix[T], stepA int, b gpu.Matrix[T], stepB int, beta T, c gpu.Matrix[T], stepC int, list [][3]int32, limit [3]int32) {
	var v V
	for p := it.Group().Y; p < count; p += it.Groups().Y {
		at := list[p]
		if uint32(at[0]) >= uint32(limit[0]) || uint32(at[1]) >= uint32(limit[1]) || uint32(at[2]) >= uint32(limit[2]) {
			continue
		}
		x, y, z := a.Skip(int(at[0])*stepA), b.Skip(int(at[1])*stepB), c.Skip(int(at[2])*stepC)
		for n := it.Global().X; n < c.Rows()*c.Cols(); n += it.Groups().X * items {
			i, j := n/c.Cols(), n%c.Cols()
			var sum T
			for k := range a.Cols() {
				sum = v.MulAdd(x.At(i, k), y.At(k, j), sum)
			}
			z.Set(i, j, product.Joined[T, T, V](alpha*sum, beta, z, product.All, i, j))
		}
	}
}

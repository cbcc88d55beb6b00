package jacobi

import "github.com/gpuc/gpuc/runtime/gpu"

// part is how many elements of a row an item of Pair has.
const part = Order * Order / halves

// Pair makes the columns of each matrix orthogonal that has one pair of blocks, as sweeps of Gram,
// Rotate and Update do with further launches. If wanted is not 0, it multiplies v by the same
// rotations. It writes to done whether a matrix has converged.
//
//gpuc:kernel workgroup=halves types=float32,float64
func Pair[T Real](it gpu.Item, shared *small[T], s Shape, sweeps, inner int, relative, floor T, wanted int, w, v []T, done []int32) {
	l := it.LocalIndex()
	rows, n := int(s.Rows), int(s.Columns)
	i, j := l/(Order/part), l%(Order/part)*part
	for m := it.Group().X; m < int(s.Count); m += it.Groups().X {
		left := true
		for sweep := 0; sweep < sweeps && left; sweep++ {
			var sum [part]T
			for first := 0; first < rows; first += Order {
				stage(it, shared, w, m*rows+first, rows-first)
				if i < n && j < n {
					for r := range min(rows-first, Order) {
						x := shared.A[r][i]
						for k := range part {
							sum[k] += x * shared.A[r][j+k]
						}
					}
				}
			}
			it.Barrier()
			for k := range part {
				shared.A[i][j+k], shared.Vectors[i][j+k] = sum[k], 0
			}
			it.Barrier()
			left, _ = diagonalise(it, shared, n, inner, relative, floor)
			if left {
				sortDiagonal(it, shared, n, true)
				for first := 0; first < rows; first += Order {
					combineRows(it, shared, n, w, m*rows+first, rows-first)
				}
				if wanted != 0 {
					combineRows(it, shared, n, v, m*Order, Order)
				}
			}
		}
		if l == 0 {
			done[m] = 1
			if left {
				done[m] = 0
			}
		}
	}
}

// stage copies rows of x to the matrix of the workgroup, from row first on. Beyond so many rows, it
// gets zeros.
func stage[T Real](it gpu.Item, shared *small[T], x []T, first, rows int) {
	it.Barrier()
	for e := it.LocalIndex(); e < Order*Order; e += halves {
		v := T(0)
		if e/Order < rows {
			v = x[first*Order+e]
		}
		shared.A[e/Order][e%Order] = v
	}
	it.Barrier()
}

// combineRows multiplies rows of x by the rotations of the workgroup, in the order of its diagonal.
func combineRows[T Real](it gpu.Item, shared *small[T], n int, x []T, first, rows int) {
	stage(it, shared, x, first, rows)
	l := it.LocalIndex()
	i, j := l/(Order/part), l%(Order/part)*part
	if i >= rows || j >= n {
		return
	}
	var sum [part]T
	var from [part]uint32
	for c := range part {
		from[c] = uint32(shared.Order[j+c]) % Order
		sum[c] = shared.A[i][from[c]]
	}
	for k := range min(n, Order) {
		y := shared.A[i][k]
		for c := range part {
			sum[c] += y * shared.Vectors[from[c]][k]
		}
	}
	for c := range part {
		x[(first+i)*Order+j+c] = sum[c]
	}
}

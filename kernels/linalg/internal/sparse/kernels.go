// Package sparse has the kernels of package linalg for sparse matrices in compressed rows. Products
// with a vector are balanced by the merge path (Merrill and Garland, "Merge-based Parallel Sparse
// Matrix-Vector Multiplication", 2016). Each workgroup has as many row ends and elements together,
// whatever the lengths of rows are.
//
// Numbers of a matrix that is not well formed are never used as they are. Rows are cut to the
// elements that there are, and elements of columns that there are not count as zero.
package sparse

import "github.com/gpuc/gpuc/runtime/gpu"

//go:generate go tool gpuc gen -math=strict .

// float is the type of elements.
type float interface{ float32 | float64 }

const (
	items      = 256 // of a workgroup
	each       = 8   // elements of an item at a time
	block      = items * each
	lanes      = 32 // items that compute a row
	rowsAtOnce = items / lanes
	few        = 4 // elements that an item loads before it adds products
)

// What grids are made of.
const (
	Items      = items
	Block      = block
	Lanes      = lanes
	RowsAtOnce = rowsAtOnce
	PathTile   = pathTile
)

// Line says where the elements of a vector are.
type Line struct{ Offset, Stride int32 }

func (l Line) at(i int) int { return int(l.Offset) + i*int(l.Stride) }

// scaledSum returns alpha·sum + beta·y[at], and reads y only if beta is not zero.
func scaledSum[T float](alpha, sum, beta T, y []T, at int) T {
	sum *= alpha
	if beta != 0 {
		sum += beta * y[at]
	}
	return sum
}

// pathTile is how many row ends and elements a workgroup has.
const pathTile = block

// Shape says how large a sparse matrix is: rows, columns, and for how many elements its buffers
// have room.
type Shape struct{ Rows, Cols, Room int32 }

// elements returns the elements of row i, from first to last − 1.
func (m Shape) elements(starts []int32, i int) (first, last int) {
	first = min(max(int(starts[i]), 0), int(m.Room))
	return first, max(min(int(starts[i+1]), int(m.Room)), first)
}

// count is how many elements there are.
func (m Shape) count(starts []int32) int {
	return min(max(int(starts[m.Rows]), 0), int(m.Room))
}

// PathRows writes how many row ends come before each tile on the merge path, and how many there are
// in all.
//
//gpuc:kernel workgroup=items
func PathRows(it gpu.Item, m Shape, starts []int32, tiles int, rows []int32) {
	count := m.count(starts)
	for n := it.Global().X; n <= tiles; n += it.Groups().X * items {
		at := min(n*pathTile, int(m.Rows)+count)
		low, high := max(at-count, 0), min(at, int(m.Rows))
		for low < high {
			if middle := (low + high) / 2; int(starts[middle+1]) <= at-middle-1 {
				low = middle + 1
			} else {
				high = middle
			}
		}
		rows[n] = int32(low)
	}
}

// PathSums makes y = alpha·a·x + beta·y for the rows that begin and end in the same tile of the
// merge path. Tile n writes two more sums. That of the first row that ends in it goes to
// parts[2·n], if the row begins before. That of the row that goes on after it goes to parts[2·n +
// 1].
//
// A row has as many lanes as all rows of the tile have room for. They add every lanes-th product,
// and then sums at distances of lanes/2, lanes/4 … are added.
//
//gpuc:kernel workgroup=items types=float32,float64
func PathSums[T float](it gpu.Item, products *[pathTile]T, sums *[items]T, m Shape, starts, columns []int32, values []T, tiles int, rows []int32, alpha T, x []T, px Line, beta T, y []T, py Line, parts []T) {
	l := it.LocalIndex()
	all := int(m.Rows) + m.count(starts)
	for n := it.Group().X; n < tiles; n += it.Groups().X {
		row, lastRow := int(rows[n]), int(rows[n+1])
		first, last := min(n*pathTile, all)-row, min((n+1)*pathTile, all)-lastRow
		var v [each]T
		var column [each]int32
		for e := range each {
			j := max(min(first+e*items+l, last-1), 0) // those beyond the last are not used
			v[e], column[e] = values[j], columns[j]
		}
		for e := range each {
			products[e*items+l] = v[e] * elementOf(m, x, px, column[e])
		}
		it.Barrier()
		count := lastRow - row + 1
		lanes := items
		for lanes > 1 && lanes*count > items {
			lanes /= 2
		}
		for done := 0; done < count; done += items / lanes {
			i, lane := row+done+l/lanes, l%lanes
			var sum T
			from, to := last, last
			if i < lastRow {
				from, to = m.elements(starts, i)
			} else if i == lastRow && i < int(m.Rows) {
				from, _ = m.elements(starts, i)
			}
			for j := max(from, first) + lane; j < min(to, last); j += lanes {
				sum += products[j-first]
			}
			sums[l] = sum
			for step := lanes / 2; step > 0; step /= 2 {
				it.Barrier()
				if lane < step {
					sums[l] += sums[l+step]
				}
			}
			if lane == 0 {
				switch {
				case i == lastRow:
					parts[2*n+1] = sums[l]
				case i == row && from < first:
					parts[2*n] = sums[l]
				case i < lastRow:
					at := py.at(i)
					y[at] = scaledSum(alpha, sums[l], beta, y, at)
				}
			}
			it.Barrier()
		}
	}
}

// elementOf returns the element of x for a column, and zero if there is none. It loads one always.
func elementOf[T float](m Shape, x []T, px Line, column int32) T {
	v := x[px.at(int(min(uint32(column), uint32(m.Cols-1))))]
	if uint32(column) >= uint32(m.Cols) {
		v = 0
	}
	return v
}

// JoinSums makes y = alpha·a·x + beta·y for the rows that end in another tile than they begin in,
// from the sums of PathSums.
//
// Item l of a row's lanes adds the sums of every lanes-th tile. Then sums at distances of 16, 8 …
// are added, and that of the last tile.
//
//gpuc:kernel workgroup=lanes,rowsAtOnce types=float32,float64
func JoinSums[T float](it gpu.Item, shared *[rowsAtOnce][lanes]T, m Shape, starts []int32, tiles int, rows []int32, alpha, beta T, y []T, py Line, parts []T) {
	lane, r := it.Local().X, it.Local().Y
	all := int(m.Rows) + m.count(starts)
	for next := it.Group().X * rowsAtOnce; next < tiles; next += it.Groups().X * rowsAtOnce {
		n := min(next+r, tiles-1)
		row := int(rows[n])
		from := 0
		if row < int(m.Rows) {
			from, _ = m.elements(starts, row)
		}
		goesOn := next+r < tiles && row < int(rows[n+1]) && from < min(n*pathTile, all)-row
		var sum T
		if goesOn {
			for k := (row+from)/pathTile + lane; k < n; k += lanes {
				sum += parts[2*k+1]
			}
		}
		shared[r][lane] = sum
		for step := lanes / 2; step > 0; step /= 2 {
			it.Barrier()
			if lane < step {
				shared[r][lane] += shared[r][lane+step]
			}
		}
		if goesOn && lane == 0 {
			at := py.at(row)
			y[at] = scaledSum(alpha, shared[r][0]+parts[2*n], beta, y, at)
		}
		it.Barrier()
	}
}

// Times makes c = alpha·a·b + beta·c for dense matrices b and c. An item adds the products of an
// element of c in the order of the row's elements.
//
//gpuc:kernel workgroup=lanes,rowsAtOnce types=float32,float64
func Times[T float](it gpu.Item, m Shape, starts, columns []int32, values []T, alpha T, b gpu.Matrix[T], beta T, c gpu.Matrix[T]) {
	for i := it.Global().Y; i < int(m.Rows); i += it.Groups().Y * rowsAtOnce {
		first, last := m.elements(starts, i)
		for col := it.Global().X; col < c.Cols(); col += it.Groups().X * lanes {
			var sum T
			j := first
			for ; j+few <= last; j += few {
				var v, w [few]T
				for e := range few {
					v[e], w[e] = values[j+e], rowElement(m, b, columns[j+e], col)
				}
				for e := range few {
					sum += v[e] * w[e]
				}
			}
			for ; j < last; j++ {
				sum += values[j] * rowElement(m, b, columns[j], col)
			}
			sum *= alpha
			if beta != 0 {
				sum += beta * c.At(i, col)
			}
			c.Set(i, col, sum)
		}
	}
}

// rowElement returns the element of a row of b, and zero if there is no such row. It loads one
// always.
func rowElement[T float](m Shape, b gpu.Matrix[T], row int32, col int) T {
	v := b.At(int(min(uint32(row), uint32(m.Cols-1))), col)
	if uint32(row) >= uint32(m.Cols) {
		v = 0
	}
	return v
}

// ToDense writes the elements of a sparse matrix to a dense one.
//
//gpuc:kernel workgroup=lanes,rowsAtOnce types=float32,float64
func ToDense[T float](it gpu.Item, m Shape, starts, columns []int32, values []T, b gpu.Matrix[T]) {
	for i := it.Global().Y; i < int(m.Rows); i += it.Groups().Y * rowsAtOnce {
		first, last := m.elements(starts, i)
		for k := first + it.Local().X; k < last; k += lanes {
			if j := columns[k]; uint32(j) < uint32(m.Cols) {
				b.Set(i, int(j), values[k])
			}
		}
	}
}

// CountRows writes how many elements of each row are not zero to starts[i + 1].
//
//gpuc:kernel workgroup=lanes,rowsAtOnce types=float32,float64
func CountRows[T float](it gpu.Item, shared *[rowsAtOnce][lanes]int32, a gpu.Matrix[T], starts []int32) {
	lane, r := it.Local().X, it.Local().Y
	for first := it.Group().X * rowsAtOnce; first < a.Rows(); first += it.Groups().X * rowsAtOnce {
		i := first + r
		count := int32(0)
		if i < a.Rows() {
			for j := lane; j < a.Cols(); j += lanes {
				if a.At(i, j) != 0 {
					count++
				}
			}
		}
		shared[r][lane] = count
		for step := lanes / 2; step > 0; step /= 2 {
			it.Barrier()
			if lane < step {
				shared[r][lane] += shared[r][lane+step]
			}
		}
		if lane == 0 && i < a.Rows() {
			starts[i+1] = shared[r][0]
		}
		it.Barrier()
	}
}

// SumStarts makes starts of counts: starts[i] becomes the sum of those up to it, and starts[0]
// zero.
//
//gpuc:kernel workgroup=items
func SumStarts(it gpu.Item, shared *[items]int32, rows int, starts []int32) {
	l := it.LocalIndex()
	before := int32(0)
	if l == 0 {
		starts[0] = 0
	}
	for first := 1; first <= rows; first += items {
		v := int32(0)
		if first+l <= rows {
			v = starts[first+l]
		}
		shared[l] = v
		for step := 1; step < items; step *= 2 {
			it.Barrier()
			if l >= step {
				v += shared[l-step]
			}
			it.Barrier()
			shared[l] = v
		}
		it.Barrier()
		if first+l <= rows {
			starts[first+l] = before + v
		}
		before += shared[items-1]
		it.Barrier()
	}
}

// FromDense writes the elements of a that are not zero, row by row. Those that the buffers have no
// room for are left out.
//
//gpuc:kernel workgroup=lanes,rowsAtOnce types=float32,float64
func FromDense[T float](it gpu.Item, shared *[rowsAtOnce][lanes]int32, m Shape, a gpu.Matrix[T], starts, columns []int32, values []T) {
	lane, r := it.Local().X, it.Local().Y
	for first := it.Group().X * rowsAtOnce; first < a.Rows(); first += it.Groups().X * rowsAtOnce {
		i := min(first+r, a.Rows()-1)
		at := starts[i]
		for done := 0; done < a.Cols(); done += lanes {
			j := done + lane
			var v T
			if j < a.Cols() && first+r == i {
				v = a.At(i, j)
			}
			sum := int32(0)
			if v != 0 {
				sum = 1
			}
			shared[r][lane] = sum
			for step := 1; step < lanes; step *= 2 {
				it.Barrier()
				if lane >= step {
					sum += shared[r][lane-step]
				}
				it.Barrier()
				shared[r][lane] = sum
			}
			it.Barrier()
			if to := at + sum - 1; v != 0 && to < m.Room {
				columns[to], values[to] = int32(j), v
			}
			at += shared[r][lanes-1]
			it.Barrier()
		}
	}
}

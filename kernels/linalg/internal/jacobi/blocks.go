package jacobi

import (
	"sync/atomic"

	"github.com/gpuc/gpuc/runtime/gpu"
)

// Block is how many columns a block has.
const Block = Order / 2

// Shape says what one of Count matrices has.
type Shape struct {
	Count, Rows, Columns int32
	// Blocks are those of all columns, and of those that are too many.
	Blocks int32
	// Parts are those of the rows whose products are added separately.
	Parts int32
}

const (
	// PartRows is how many rows a part has.
	PartRows = 512
	// UpdateRows is how many rows of columns a workgroup updates.
	UpdateRows = 64
)

// width is how many elements a row has.
func (s Shape) width() int { return int(s.Blocks) * Block }

// column returns the column of column c of a pair of blocks.
func column(p, q uint32, c int) int {
	if c < Block {
		return int(p)*Block + c
	}
	return int(q)*Block + c - Block
}

// The items of Gram and Update, each of which has 4 × 4 results.
const (
	GramItems   = 64
	UpdateItems = 128
)

const (
	gramRows = 16 // that are in workgroup memory
	side     = 4  // rows and columns of an item
	across   = Order / side
)

// Rows are those of columns that a workgroup multiplies.
type Rows[T Real] struct{ X [gramRows][Order]T }

// Gram makes the products of all columns of each pair of blocks with each other: the parts of a
// pair follow each other, with Order × Order elements each.
//
//gpuc:kernel workgroup=GramItems types=float32,float64
func Gram[T Real](it gpu.Item, shared *Rows[T], s Shape, round int, w []T, done []int32, g []T) {
	Multiply(it, shared, s, round, w, done, g)
}

// Multiply is the body of Gram.
func Multiply[T Real](it gpu.Item, shared *Rows[T], s Shape, round int, w []T, done []int32, g []T) {
	l := it.LocalIndex()
	half, parts, rows, width := int(s.Blocks)/2, int(s.Parts), int(s.Rows), s.width()
	for n := it.Group().X; n < int(s.Count)*half*parts; n += it.Groups().X {
		pair, part := n/parts, n%parts
		m := pair / half
		if done[m] != 0 {
			continue
		}
		p, q := Partners(uint32(s.Blocks), uint32(round), uint32(pair%half))
		row, col := l/across*side, l%across*side
		var sum [side][side]T
		for first := part * PartRows; first < min((part+1)*PartRows, rows); first += gramRows {
			it.Barrier()
			for e := l; e < gramRows*Order; e += GramItems {
				r, c := e/Order, e%Order
				var x T
				if first+r < rows {
					x = w[(m*rows+first+r)*width+column(p, q, c)]
				}
				shared.X[r][c] = x
			}
			it.Barrier()
			for r := range gramRows {
				var x, y [side]T
				for k := range side {
					x[k], y[k] = shared.X[r][row+k], shared.X[r][col+k]
				}
				for i := range side {
					for j := range side {
						sum[i][j] += x[i] * y[j]
					}
				}
			}
		}
		for i := range side {
			for j := range side {
				g[n*Order*Order+(row+i)*Order+col+j] = sum[i][j]
			}
		}
	}
}

// Rotate diagonalises the products of each pair of blocks. If there was a rotation, it sets
// rotated of the matrix. New column j of the pair is to be the one with the greatest norm but j
// others. It is old column changes[j], plus the product of all old ones with column j of what
// replaces the first part of the products. Pairs have Order changes each, whose first is −1 if
// there was no rotation. Columns that are too many are the last ones of a pair, and stay there.
// Limits for diagonalise are relative and floor.
//
//gpuc:kernel workgroup=halves types=float32,float64
func Rotate[T Real](it gpu.Item, shared *small[T], s Shape, round, sweeps int, relative, floor T, done []int32, g []T, changes, rotated []int32) {
	l := it.LocalIndex()
	half, parts := int(s.Blocks)/2, int(s.Parts)
	for pair := it.Group().X; pair < int(s.Count)*half; pair += it.Groups().X {
		m := pair / half
		if done[m] != 0 {
			continue
		}
		p, q := Partners(uint32(s.Blocks), uint32(round), uint32(pair%half))
		n := min(max(int(s.Columns)-int(p)*Block, 0), Block) + min(max(int(s.Columns)-int(q)*Block, 0), Block)
		from := pair * parts * Order * Order
		for e := l; e < Order*Order; e += halves {
			i, j := e/Order, e%Order
			x := g[from+e]
			for part := 1; part < parts; part++ {
				x += g[from+part*Order*Order+e]
			}
			shared.A[i][j], shared.Vectors[i][j] = x, 0
		}
		it.Barrier()
		changed, _ := diagonalise(it, shared, n, sweeps, relative, floor)
		if changed {
			sortDiagonal(it, shared, n, true)
			for e := l; e < Order*Order; e += halves {
				i, j := e/Order, e%Order
				g[from+e] = shared.Vectors[uint32(shared.Order[j])%Order][i]
			}
		}
		if l < Order {
			change := int32(-1)
			if changed {
				change = shared.Order[l]
			}
			changes[pair*Order+l] = change
		}
		if l == 0 && changed {
			atomic.StoreInt32(&rotated[m], 1)
		}
		it.Barrier()
	}
}

// Updating is what the items of Update share: rows of a pair of blocks, and rotations.
type Updating[T Real] struct {
	X [UpdateRows][Order + 1]T
	J [Order][Order]T
}

// Update makes the new columns of each pair of blocks, as Rotate says.
//
//gpuc:kernel workgroup=UpdateItems types=float32,float64
func Update[T Real](it gpu.Item, shared *Updating[T], s Shape, round, rows int, done, changes []int32, g, w []T) {
	Combine(it, shared, s, round, rows, done, changes, g, w)
}

// Combine is the body of Update.
func Combine[T Real](it gpu.Item, shared *Updating[T], s Shape, round, rows int, done, changes []int32, g, w []T) {
	l := it.LocalIndex()
	half, width := int(s.Blocks)/2, s.width()
	chunks := (rows + UpdateRows - 1) / UpdateRows
	for n := it.Group().X; n < int(s.Count)*half*chunks; n += it.Groups().X {
		pair, first := n/chunks, n%chunks*UpdateRows
		m := pair / half
		if done[m] != 0 || changes[pair*Order] < 0 {
			continue
		}
		p, q := Partners(uint32(s.Blocks), uint32(round), uint32(pair%half))
		from := pair * int(s.Parts) * Order * Order
		it.Barrier()
		for e := l; e < Order*Order; e += UpdateItems {
			shared.J[e/Order][e%Order] = g[from+e]
		}
		for e := l; e < UpdateRows*Order; e += UpdateItems {
			r, c := e/Order, e%Order
			var x T
			if first+r < rows {
				x = w[(m*rows+first+r)*width+column(p, q, c)]
			}
			shared.X[r][c] = x
		}
		it.Barrier()
		row, col := l/across*side, l%across*side
		var sum [side][side]T
		for i := range side {
			for j := range side {
				sum[i][j] = shared.X[row+i][uint32(changes[pair*Order+col+j])%Order]
			}
		}
		for k := range Order {
			var x, y [side]T
			for e := range side {
				x[e], y[e] = shared.X[row+e][k], shared.J[k][col+e]
			}
			for i := range side {
				for j := range side {
					sum[i][j] += x[i] * y[j]
				}
			}
		}
		for i := range side {
			for j := range side {
				if first+row+i < rows {
					w[(m*rows+first+row+i)*width+column(p, q, col+j)] = sum[i][j]
				}
			}
		}
	}
}

// EndSweep makes those of count matrices done that have not been rotated in a sweep.
//
//gpuc:kernel workgroup=256
func EndSweep(it gpu.Item, count int, rotated, done []int32) {
	for m := it.Index(); m < count; m += it.Groups().X * it.Size().X {
		if rotated[m] == 0 {
			done[m] = 1
		}
		rotated[m] = 0
	}
}

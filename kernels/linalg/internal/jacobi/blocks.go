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
	PartRows = 256
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

// The items of Gram, each of which has 4 × 4 results, and of Update, of which it has 8 × 4.
const (
	GramItems   = 64
	UpdateItems = 64
)

const (
	gramRows = 32 // that are in workgroup memory
	quads    = Order / 4
)

// Rows are those of columns that a workgroup multiplies.
type Rows[T Real] struct{ X [gramRows][quads][4]T }

// Gram makes the products of all columns of each pair of blocks with each other: the parts of a
// pair follow each other, with Order × Order elements each.
//
//gpuc:kernel workgroup=GramItems types=float32,float64
func Gram[T Real](it gpu.Item, shared *Rows[T], s Shape, round int, w []T, done []int32, g []T) {
	Multiply(it, shared, s, round, w, done, g)
}

// Multiply is the body of Gram. While it adds the products of some rows, it loads the next ones.
func Multiply[T Real](it gpu.Item, shared *Rows[T], s Shape, round int, w []T, done []int32, g []T) {
	l := it.LocalIndex()
	half, parts, rows := int(s.Blocks)/2, int(s.Parts), int(s.Rows)
	for n := it.Group().X; n < int(s.Count)*half*parts; n += it.Groups().X {
		pair, part := n/parts, n%parts
		m := pair / half
		if done[m] != 0 {
			continue
		}
		p, q := Partners(uint32(s.Blocks), uint32(round), uint32(pair%half))
		first, end := part*PartRows, min((part+1)*PartRows, rows)
		var sum [4][4]T
		next := rowsFrom(s, w, m*rows, first, end, p, q, l)
		for ; first < end; first += gramRows {
			it.Barrier()
			for e := range gramLoads {
				r, c := (e*GramItems+l)/Order, (e*GramItems+l)%Order
				shared.X[r][c/4][c%4] = next[e]
			}
			it.Barrier()
			next = rowsFrom(s, w, m*rows, first+gramRows, end, p, q, l)
			for r := range gramRows {
				x, y := shared.X[r][l/quads], shared.X[r][l%quads]
				for i := range 4 {
					for j := range 4 {
						sum[i][j] += x[i] * y[j]
					}
				}
			}
		}
		for i := range 4 {
			for j := range 4 {
				g[n*Order*Order+(l/quads*4+i)*Order+l%quads*4+j] = sum[i][j]
			}
		}
	}
}

// gramLoads is how many elements of some rows an item loads.
const gramLoads = gramRows * Order / GramItems

// rowsFrom loads elements of a column of rows that begin at a row, for item l. Those from row end
// on are zero.
func rowsFrom[T Real](s Shape, w []T, matrix, first, end int, p, q uint32, l int) (x [gramLoads]T) {
	const step = GramItems / Order // rows from one element to the next
	row, at, width := first+l/Order, column(p, q, l%Order), s.width()
	if first+gramRows <= end {
		at += (matrix + row) * width
		for e := range gramLoads {
			x[e] = w[at+e*step*width]
		}
		return x
	}
	for e := range gramLoads {
		if row+e*step < end {
			x[e] = w[(matrix+row+e*step)*width+at]
		}
	}
	return x
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

// Updating is what the items of Update share: rows of a pair of blocks, and rotations. Element
// (r, c) of the rows is X[c][r/4 ^ c%8][r%4], so that items which write neighbouring elements, and
// those which read four rows, have different banks.
type Updating[T Real] struct {
	X [Order][UpdateRows / 4][4]T
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
	const ahead = 4 // rows that are loaded before they are stored
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
		var rotations [Order * Order / UpdateItems]T
		for e := range len(rotations) {
			rotations[e] = g[from+e*UpdateItems+l]
		}
		it.Barrier()
		for e := range len(rotations) {
			shared.J[(e*UpdateItems+l)/Order][(e*UpdateItems+l)%Order] = rotations[e]
		}
		// The item's columns are at distances of 8.
		near, far := column(p, q, l%8), column(p, q, l%8+Block)
		for begin := 0; begin < UpdateRows; begin += 8 * ahead {
			var x [ahead][4]T
			for e := range ahead {
				at := (m*rows + min(first+begin+8*e+l/8, rows-1)) * width
				x[e] = [4]T{w[at+near], w[at+near+8], w[at+far], w[at+far+8]}
			}
			for e := range ahead {
				r := begin + 8*e + l/8
				for f := range 4 {
					c := l%8 + 8*f
					shared.X[c][r/4^c%8][r%4] = x[e][f]
				}
			}
		}
		it.Barrier()
		row, col := l/8*8, l%8 // the item's rows, and columns at distances of 8
		var sum [8][4]T
		for j := range 4 {
			k := int(uint32(changes[pair*Order+col+8*j]) % Order)
			x, y := shared.X[k][row/4^k%8], shared.X[k][(row/4+1)^k%8]
			for i := range 4 {
				sum[i][j], sum[i+4][j] = x[i], y[i]
			}
		}
		for k := range Order {
			x, y := shared.X[k][row/4^k%8], shared.X[k][(row/4+1)^k%8]
			for j := range 4 {
				z := shared.J[k][col+8*j]
				for i := range 4 {
					sum[i][j] += x[i] * z
					sum[i+4][j] += y[i] * z
				}
			}
		}
		for i := range 8 {
			if at := (m*rows + first + row + i) * width; first+row+i < rows {
				w[at+near], w[at+near+8], w[at+far], w[at+far+8] = sum[i][0], sum[i][1], sum[i][2], sum[i][3]
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

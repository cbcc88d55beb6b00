// Package columns has the kernels of package linalg that decompose many small matrices. An item
// has a column of a matrix in its registers. Subgroups of 32 items or more exchange columns by
// shuffles; smaller ones, and the 64 items of larger matrices, do so in the workgroup's memory.
//
// All kernels exist for 8, 16 and 32 rows and columns, and those of package fast also for 64. Rows
// and columns that are too many are zero. A workgroup has 32 columns, which are those of several
// matrices, or 64 of one.
package columns

import (
	"math"

	"github.com/gpuc/gpuc/runtime/gpu"
)

//go:generate go tool gpuc gen -math=strict .

// Largest is how many rows and columns matrices have at most.
const Largest = 64

// Real is a number that the kernels compute with.
type Real interface{ float32 | float64 }

// column is what an item has of a matrix: all rows of a column.
type column[T Real] interface{ [8]T | [16]T | [32]T | [64]T }

// Arithmetic is what differs between types of numbers.
type Arithmetic[T Real] interface {
	// shuffle returns the x of a lane of the subgroup.
	shuffle(it gpu.Item, x T, lane int) T
	// quick says whether shuffles take less time than memory where one column is for all items.
	quick() bool
	// norm returns the root of a sum of squares, which is not close to the least number.
	norm(square T) T
	// cosine returns the reciprocal of the root of x, which is from 1 to 2.
	cosine(x T) T
	// rough returns a number times a power of two, so that no square of what tangent takes is too
	// large or too small.
	rough(x T) float32
	// least is a sum of squares whose root is nothing beside one, and that has lost no digits.
	least() T
}

// Single and Double are the arithmetics of both types. Devices may have inexact quotients and roots
// of float32, which are corrected where errors would add up. Those of float64 take long.
type (
	Single struct{}
	Double struct{}
)

func (Single) shuffle(it gpu.Item, x float32, lane int) float32 {
	return gpu.SubgroupShuffle(it, x, lane)
}

func (Single) quick() bool { return true }

func (Single) norm(square float32) float32 { return square * newton(square, 1/root(square)) }

func (Single) cosine(x float32) float32 { return newton(x, 1/root(x)) }

func (Single) rough(x float32) float32 { return x }

func (Single) least() float32 { return 0x1p-90 }

func (Double) shuffle(it gpu.Item, x float64, lane int) float64 {
	b := math.Float64bits(x)
	low, high := gpu.SubgroupShuffle(it, uint32(b), lane), gpu.SubgroupShuffle(it, uint32(b>>32), lane)
	return math.Float64frombits(uint64(high)<<32 | uint64(low))
}

func (Double) quick() bool { return false }

func (Double) norm(square float64) float64 { return math.Sqrt(square) }

func (Double) cosine(x float64) float64 {
	return newton(x, newton(x, float64(1/root(float32(x)))))
}

func (Double) rough(x float64) float32 { return float32(x * 0x1p46) }

func (Double) least() float64 { return 0x1p-400 }

// newton returns a better reciprocal of the root of x than r.
func newton[T Real](x, r T) T { return r + r*(0.5-0.5*x*r*r) }

// Shared is what the items of a workgroup share. Columns are those of its matrices, in pairs of
// rows. Between columns is a pair, so that the same rows of all columns are in different banks.
// The rest has an element for each item. Side is how many rows and columns a matrix has, with those
// that are too many. Blocks, 2 or 4, is how many blocks of steps reflections have: fewer take more
// time, and less code.
type Shared[T Real] struct {
	side, blocks  int
	columns       [][2]T
	norms, scales []T
	numbers       []int32
	left          *int32
}

// Memory8 and so on are the memory of workgroups whose matrices have so many columns.
type (
	Memory8[T Real] struct {
		Columns       [32 * (8/2 + 1)][2]T
		Norms, Scales [32]T
		Numbers       [32]int32
		Left          int32
	}
	Memory16[T Real] struct {
		Columns       [32 * (16/2 + 1)][2]T
		Norms, Scales [32]T
		Numbers       [32]int32
		Left          int32
	}
	Memory32[T Real] struct {
		Columns       [32 * (32/2 + 1)][2]T
		Norms, Scales [32]T
		Numbers       [32]int32
		Left          int32
	}
	Memory64[T Real] struct {
		Columns       [64 * (64/2 + 1)][2]T
		Norms, Scales [64]T
		Numbers       [64]int32
		Left          int32
	}
)

// Shared returns what kernels use of it.
func (m *Memory8[T]) Shared() Shared[T] {
	return Shared[T]{8, 4, m.Columns[:], m.Norms[:], m.Scales[:], m.Numbers[:], &m.Left}
}

// Shared returns what kernels use of it.
func (m *Memory16[T]) Shared() Shared[T] {
	return Shared[T]{16, 4, m.Columns[:], m.Norms[:], m.Scales[:], m.Numbers[:], &m.Left}
}

// Shared returns what kernels use of it.
func (m *Memory32[T]) Shared() Shared[T] {
	return Shared[T]{32, 4, m.Columns[:], m.Norms[:], m.Scales[:], m.Numbers[:], &m.Left}
}

// Shared returns what kernels use of it.
func (m *Memory64[T]) Shared() Shared[T] {
	return Shared[T]{64, 4, m.Columns[:], m.Norms[:], m.Scales[:], m.Numbers[:], &m.Left}
}

// warp is how many items a workgroup has, unless matrices have more columns.
const warp = 32

// matrices is how many matrices a workgroup has.
func (s Shared[T]) matrices() int { return max(warp/s.side, 1) }

// pairs is the distance of columns in memory.
func (s Shared[T]) pairs() int { return s.side/2 + 1 }

// shuffles reports whether the items of a matrix are in one subgroup.
func (s Shared[T]) shuffles(it gpu.Item) bool { return s.side <= warp && it.SubgroupSize() >= warp }

// seat says which column an item has: column j of a matrix, which the items from first on have.
// The item counts those of a workgroup in the order of subgroups and their lanes.
type seat struct{ item, first, j int }

func (s Shared[T]) seat(it gpu.Item) seat {
	item := it.LocalIndex()
	if s.side <= warp {
		item = (it.Subgroup()*it.SubgroupSize() + it.SubgroupLane()) % warp
	}
	return seat{item, item / s.side * s.side, item % s.side}
}

// keep writes the first rows of the item's column to memory.
func keep[C column[T], T Real](o seat, s Shared[T], rows int, x *C) {
	for i := range rows / 2 {
		s.columns[o.item*s.pairs()+i] = [2]T{(*x)[2*i], (*x)[2*i+1]}
	}
}

// fetch reads the first rows of the column of an item from memory.
func fetch[C column[T], T Real](s Shared[T], rows, item int, x *C) {
	for i := range rows / 2 {
		p := s.columns[item*s.pairs()+i]
		(*x)[2*i], (*x)[2*i+1] = p[0], p[1]
	}
}

// show makes the first rows of y those of column k, which is that of one item of each matrix. Each
// call concerns another column than the one before.
func show[A Arithmetic[T], C column[T], T Real](it gpu.Item, o seat, s Shared[T], rows, k int, x, y *C) {
	var a A
	if a.quick() && s.shuffles(it) {
		for i := range rows {
			(*y)[i] = a.shuffle(it, (*x)[i], o.first+k)
		}
		return
	}
	if o.j == k {
		keep(o, s, rows, x)
	}
	it.Barrier()
	fetch(s, rows, o.first+k, y)
}

// valueOf returns the v of column k. Before the next call is a barrier, as show has one.
func valueOf[A Arithmetic[T], T Real](it gpu.Item, o seat, s Shared[T], k int, v T) T {
	if s.shuffles(it) {
		var a A
		return a.shuffle(it, v, o.first+k)
	}
	s.norms[o.item] = v
	it.Barrier()
	return s.norms[o.first+k]
}

// greatest returns the greatest v of a matrix, and NaN if there is one.
func greatest[T Real](it gpu.Item, o seat, s Shared[T], v T) (most T) {
	it.Barrier()
	s.norms[o.item] = v
	it.Barrier()
	for k := range s.side {
		if other := s.norms[o.first+k]; other > most || other != other {
			most = other
		}
	}
	return most
}

// product returns the product of rows from to to − 1 of two columns, in four partial sums.
func product[C column[T], T Real](from, to int, x, y *C) T {
	var sum [4]T
	for i := from; i < to; i++ {
		sum[i%4] += (*x)[i] * (*y)[i]
	}
	return sum[0] + sum[1] + (sum[2] + sum[3])
}

// batch is matrices that are read or written. Columns are contiguous if along says so.
type batch[T Real] struct {
	gpu.Matrix[T]
	stride int
	along  bool
}

// matrix returns matrix m, or its transpose if rows are contiguous. So its columns always are. They
// are called lines.
func (b batch[T]) matrix(m int) gpu.Matrix[T] {
	if one := b.Skip(m * b.stride); b.along {
		return one
	}
	return b.Skip(m * b.stride).T()
}

// lines says where the item's elements of lines are in memory: of line e, element at + e·step. The
// number of the element in a line is that of the item's column.
func (o seat) lines(pairs int, along bool) (at, step uint32) {
	if along {
		return uint32(o.first*2*pairs + o.j), uint32(2 * pairs)
	}
	return uint32((o.first + o.j) * 2 * pairs), 1
}

// ahead is how many elements an item loads before it writes them to memory.
const ahead = 8

// load reads the item's column of matrix m, and leaves all columns in the memory of the workgroup.
// If symmetric, the triangle above the diagonal is not read.
func load[C column[T], T Real](it gpu.Item, o seat, s Shared[T], b batch[T], m int, symmetric bool, x *C) {
	it.Barrier()
	for i := range len(*x) {
		(*x)[i] = 0
	}
	keep(o, s, s.side, x)
	it.Barrier()
	one := b.matrix(m)
	at, step := o.lines(s.pairs(), b.along)
	row, last := min(o.j, one.Rows()-1), one.Cols()-1
	for e := 0; e <= last; e += ahead {
		var v [ahead]T
		for t := range ahead {
			i, j := row, min(e+t, last)
			if symmetric && (i < j) == b.along {
				i, j = j, i
			}
			v[t] = one.At(i, j)
		}
		it.Barrier() // so that no load waits for another
		if o.j == row {
			for t := range ahead {
				n := at + uint32(min(e+t, last))*step
				s.columns[n/2][n%2] = v[t]
			}
		}
	}
	it.Barrier()
	fetch(s, s.side, o.item, x)
}

// store writes the columns of all items to matrix m, if has says so.
func store[C column[T], T Real](it gpu.Item, o seat, s Shared[T], b batch[T], m int, has bool, x *C) {
	it.Barrier()
	keep(o, s, s.side, x)
	it.Barrier()
	one := b.matrix(m)
	at, step := o.lines(s.pairs(), b.along)
	if has && o.j < one.Rows() {
		for e := range one.Cols() {
			one.Set(o.j, e, s.columns[at/2][at%2])
			at += step
		}
	}
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

package linalg

// The bodies of the kernels of QR factorisations. For each column, a workgroup makes one pass over
// the products of that column with all others below the diagonal, of which one is the square of its
// norm. So there is one exchange of sums for a column.

import (
	"sync/atomic"

	"github.com/gpuc/gpuc/kernels/linalg/internal/columns"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// rounds are those of a column: of sums, of its greatest element if its norm is much too large or
// small, and of sums again, with another scale.
const rounds = 3

// parts are those of what the items of a workgroup share.
type parts[T Real, Q quad[T]] struct {
	v                          []Q
	sums, joined, tops, staged []T
	made                       *made[T]
}

// made is what the items of a workgroup get to know of a column: the square of its norm, or its
// greatest element, and what reflection returns.
type made[T Real] struct{ Square, Tau, Beta, By T }

// share is what an item has: rows from chunk·own on of column j.
type share struct{ chunk, j int }

func (s spread) share(it gpu.Item) share {
	l := it.LocalIndex()
	return share{l / s.cols, l % s.cols}
}

// passing passes the sums of blocks on to all workgroups of a panel.
type passing[T Real, Q quad[T]] interface {
	// give passes on the sum of a block, which the items of one chunk have, and the row of the
	// diagonal.
	give(p parts[T, Q], s spread, o share, iteration, k, blocks, block int, x T)
	// take returns the sum of every so many blocks, from chunk on. An item has added up those of
	// its own workgroup, which are x. If first is not zero, another workgroup has the row of the
	// diagonal, and it puts that where all items find it.
	take(p parts[T, Q], s spread, o share, iteration, k, blocks, first int, greatest bool, x T) T
}

// alone is a workgroup that has a panel for itself.
type alone[T Real, Q quad[T]] struct{}

func (alone[T, Q]) give(parts[T, Q], spread, share, int, int, int, int, T) {}

func (alone[T, Q]) take(_ parts[T, Q], _ spread, _ share, _, _, _, _ int, _ bool, x T) T { return x }

// among are workgroups that factor a panel together. They exchange words as those of a chain.
// Number is the epoch before the first exchange, and each exchange has the next one. Its words are
// written again in the next but one, which begins when all have read them.
type among[T Real, Q quad[T], W words[T]] struct {
	status []uint64
	number uint32
}

// at is where a word is, of a column in a block. The row of the diagonal is behind all blocks.
func (among[T, Q, W]) at(iteration, blocks, block, word, j int) int {
	var w W
	return firstState + ((iteration&1*(blocks+1)+block)*w.count()+word)*reflected + j
}

func (e among[T, Q, W]) give(p parts[T, Q], s spread, o share, iteration, k, blocks, block int, x T) {
	if o.chunk == block%s.chunks {
		e.publish(iteration, blocks, block, o.j, x)
	}
	if block == 0 && o.chunk == 1 {
		e.publish(iteration, blocks, blocks, o.j, p.tops[k&1*reflected+o.j])
	}
}

func (e among[T, Q, W]) publish(iteration, blocks, block, j int, x T) {
	var w W
	for n := range w.count() {
		atomic.StoreUint64(&e.status[e.at(iteration, blocks, block, n, j)], wholeWord(w.word(x, n), e.number+uint32(iteration)+1))
	}
}

// together is how many states an item loads before it waits for one of them.
const together = 4

func (e among[T, Q, W]) take(p parts[T, Q], s spread, o share, iteration, k, blocks, first int, greatest bool, _ T) (x T) {
	var w W
	number := e.number + uint32(iteration) + 1
	for from := o.chunk; from <= blocks; from += together * s.chunks {
		var found [together][2]uint64
		for c := range together {
			for n := range w.count() {
				found[c][n] = atomic.LoadUint64(&e.status[e.at(iteration, blocks, min(from+c*s.chunks, blocks), n, o.j)])
			}
		}
		for c := range together {
			block := from + c*s.chunks
			if block > blocks || block == blocks && first == 0 {
				continue
			}
			var list [most]uint32
			for n := range w.count() {
				list[n] = arrived(e.status, e.at(iteration, blocks, block, n, o.j), number, found[c][n])
			}
			if block < blocks {
				x = joinSums(x, w.state(list), greatest)
			} else {
				p.tops[k&1*reflected+o.j] = w.state(list)
			}
		}
	}
	return x
}

// joinSums returns the sum of two sums, or the greater one. NaN is greater than all numbers.
func joinSums[T Real](a, b T, greatest bool) T {
	if !greatest {
		return a + b
	}
	if b > a || b != b {
		return b
	}
	return a
}

// load loads a block that begins at a row of m. Elements that there are not are zero. Neighbouring
// items load what is close in memory: columns, unless along is 0.
func load[T Real](it gpu.Item, staged []T, s spread, m gpu.Matrix[T], along, row int, x *[own]T) {
	o, rows := s.share(it), s.rows()
	for first := 0; first < s.cols; first += stagedCols {
		it.Barrier()
		for e := range stagedCols * rows / s.items() {
			r, c := staging(e*s.items()+it.LocalIndex(), rows, along)
			staged[c*(rows+1)+r] = elementOr0(m, row+r, first+c)
		}
		it.Barrier()
		if o.j/stagedCols == first/stagedCols {
			for r := range own {
				x[r] = staged[o.j%stagedCols*(rows+1)+o.chunk*own+r]
			}
		}
	}
}

// store stores a block, and with keeps to v the vectors that are in it.
func store[T Real](it gpu.Item, staged []T, s spread, m gpu.Matrix[T], along, row int, keeps bool, v gpu.Matrix[T], x *[own]T) {
	o, rows := s.share(it), s.rows()
	for first := 0; first < s.cols; first += stagedCols {
		it.Barrier()
		if o.j/stagedCols == first/stagedCols {
			for r := range own {
				staged[o.j%stagedCols*(rows+1)+o.chunk*own+r] = x[r]
			}
		}
		it.Barrier()
		for e := range stagedCols * rows / s.items() {
			r, c := staging(e*s.items()+it.LocalIndex(), rows, along)
			i, j := row+r, first+c
			if i < m.Rows() && j < m.Cols() {
				y := staged[c*(rows+1)+r]
				m.Set(i, j, y)
				if keeps {
					if i == j {
						y = 1
					}
					if i < j {
						y = 0
					}
					v.Set(i, j, y)
				}
			}
		}
	}
}

// staging is where element n of columns in workgroup memory is, counted along rows or columns.
func staging(n, rows, along int) (row, col int) {
	if along != 0 {
		return n % rows, n / rows
	}
	return n / stagedCols, n % stagedCols
}

// elementOr0 returns an element, or zero where there is none.
func elementOr0[T Real](m gpu.Matrix[T], i, j int) T {
	v := m.At(min(i, m.Rows()-1), min(j, m.Cols()-1))
	if i >= m.Rows() || j >= m.Cols() {
		v = 0
	}
	return v
}

// ahead is how many columns a matrix of one chunk has in each part. Its rows before are finished,
// and nothing is computed for them.
const ahead = 8

// show puts column k of a block, below the diagonal and times scale, where all items see it.
func show[T Real, Q quad[T]](p parts[T, Q], s spread, o share, from, iteration, k, row int, scale T, x *[own]T) {
	var y Q
	if o.j != k {
		return
	}
	last := k - row - o.chunk*own // of the rows that are finished
	for r := from / len(y); r < own/len(y); r++ {
		for e := range len(y) {
			y[e] = x[r*len(y)+e] * scale
			if (s.chunks > 1 || r*len(y) < from+ahead) && r*len(y)+e <= last {
				y[e] = 0
			}
		}
		p.v[(iteration&1*s.rows()+o.chunk*own)/len(y)+r] = y
	}
}

// rowsToSearch is up to which row an item searches for row k, from row from on.
func (s spread) rowsToSearch(from int) int {
	if s.chunks == 1 {
		return from + ahead
	}
	return own
}

// blockSum returns the sum of the products of column k of a block, times scale, with the item's.
// With greatest, it is the greatest absolute value of column k. If there are several chunks, it
// puts the sums of each to workgroup memory. So it does with the row of the diagonal.
func blockSum[T Real, Q quad[T]](it gpu.Item, p parts[T, Q], s spread, from, iteration, k, row int, scale T, greatest bool, x *[own]T) T {
	o := s.share(it)
	show(p, s, o, from, iteration, k, row, scale, x)
	if row == 0 && o.chunk == k/own {
		var top T
		for r := from; r < s.rowsToSearch(from); r++ {
			if r == k&(own-1) {
				top = x[r]
			}
		}
		p.tops[k&1*s.cols+o.j] = top
	}
	it.Barrier()
	var sum T
	if greatest {
		sum = greatestShown(p, s, o, from, iteration)
	} else {
		sum = sumOfProducts(p, s, o, from, iteration, x)
	}
	if s.chunks > 1 {
		p.sums[it.LocalIndex()] = sum
		it.Barrier()
	}
	return sum
}

// sumOfProducts returns the sum of the products of the item's rows with what show has put into
// workgroup memory, where row r is of partial sum r%4.
func sumOfProducts[T Real, Q quad[T]](p parts[T, Q], s spread, o share, from, iteration int, x *[own]T) T {
	var y Q
	var sum [4]T
	for r := from / len(y); r < own/len(y); r++ {
		y = p.v[(iteration&1*s.rows()+o.chunk*own)/len(y)+r]
		for e := range len(y) {
			n := r*len(y) + e
			sum[n%4] += y[e] * x[n]
		}
	}
	return sum[0] + sum[1] + (sum[2] + sum[3])
}

// greatestShown returns the greatest absolute value of the item's rows of what show has put into
// workgroup memory.
func greatestShown[T Real, Q quad[T]](p parts[T, Q], s spread, o share, from, iteration int) (all T) {
	var y Q
	for r := from / len(y); r < own/len(y); r++ {
		y = p.v[(iteration&1*s.rows()+o.chunk*own)/len(y)+r]
		for e := range len(y) {
			all = joinSums(all, size(y[e]), true)
		}
	}
	return all
}

// joinChunks joins the sums of a column's chunks.
func joinChunks[T Real](sums []T, s spread, o share, greatest bool) (all T) {
	for c := range s.chunks {
		all = joinSums(all, sums[c*s.cols+o.j], greatest)
	}
	return all
}

// change applies the reflection of column k to a block: it subtracts by times what show has put
// into workgroup memory. The item's element of the row of the diagonal becomes top. Column k has
// its elements still, which finishColumn makes those of v.
func change[T Real, Q quad[T]](p parts[T, Q], s spread, o share, from, iteration, k, row int, by, top T, x *[own]T) {
	var y Q
	if o.j > k {
		for r := from / len(y); r < own/len(y); r++ {
			y = p.v[(iteration&1*s.rows()+o.chunk*own)/len(y)+r]
			for e := range len(y) {
				x[r*len(y)+e] -= by * y[e]
			}
		}
	}
	if row == 0 && o.chunk == k/own && o.j >= k {
		for r := from; r < s.rowsToSearch(from); r++ {
			if r == k&(own-1) {
				x[r] = top
			}
		}
	}
}

// finishColumn multiplies the elements of the item's column below the diagonal by two numbers.
func finishColumn[T Real](s spread, o share, row int, power, by T, x *[own]T) {
	last := o.j - row - o.chunk*own
	for r := range own {
		if r > last {
			x[r] = x[r] * power * by
		}
	}
}

// factorBatch factors matrices of one block.
func factorBatch[T Real, Q quad[T]](it gpu.Item, p parts[T, Q], s spread, count int, a gpu.Matrix[T], stride, along int, tau []T) {
	n := min(a.Rows(), a.Cols())
	for g := it.Group().X; g < count; g += it.Groups().X {
		m := a.Skip(g * stride)
		factor(it, p, s, alone[T, Q]{}, work[T]{m, along, 0, 1, 1, n, tau, g * n, false, m, m})
	}
}

// factorPanel factors a panel.
func factorPanel[T Real, Q quad[T], E passing[T, Q]](it gpu.Item, p parts[T, Q], e E, first, step int, a gpu.Matrix[T], along int, tau []T, base int, v, g gpu.Matrix[T]) {
	s := spread{reflected, blockRows / own}
	factor(it, p, s, e, work[T]{a, along, first, step, (a.Rows() + s.rows() - 1) / s.rows(), a.Cols(), tau, base, true, v, g})
}

// work is a panel, or a small matrix, and who has which blocks of it.
type work[T Real] struct {
	a           gpu.Matrix[T]
	along       int
	first, step int // a workgroup's first block, and the distance to its next one
	blocks      int
	columns     int // which make reflections
	tau         []T
	base        int
	keeps       bool // v gets the vectors, and g the products of each with those before
	v, g        gpu.Matrix[T]
}

// several reports whether a workgroup has several blocks. If it has one, that stays in registers.
func (w work[T]) several() bool { return w.blocks > w.step }

// progress is how far a workgroup is: the power of two by which columns are multiplied, the number
// of exchanges, and of what show has put into workgroup memory.
type progress[T Real] struct {
	scale, inverse   T
	iteration, shown int
	// power and by multiply the item's column to make that of v. They are 1 if no reflection has
	// been made of it.
	power, by T
}

// factor makes the reflections of a matrix.
func factor[T Real, Q quad[T], E passing[T, Q]](it gpu.Item, p parts[T, Q], s spread, e E, w work[T]) {
	var x [own]T
	if !w.several() {
		load(it, p.staged, s, w.a, w.along, w.first*s.rows(), &x)
	}
	at := progress[T]{1, 1, 0, 0, 1, 1}
	if s.chunks == 1 {
		reflectColumns(it, p, s, e, w, 0, 0, min(ahead, w.columns), &at, &x)
		reflectColumns(it, p, s, e, w, ahead, ahead, min(2*ahead, w.columns), &at, &x)
		reflectColumns(it, p, s, e, w, 2*ahead, 2*ahead, min(3*ahead, w.columns), &at, &x)
		reflectColumns(it, p, s, e, w, 3*ahead, 3*ahead, w.columns, &at, &x)
	} else {
		reflectColumns(it, p, s, e, w, 0, 0, w.columns, &at, &x)
	}
	if !w.several() {
		finishColumn(s, s.share(it), w.first*s.rows(), at.power, at.by, &x)
		store(it, p.staged, s, w.a, w.along, w.first*s.rows(), w.keeps, w.v, &x)
	}
}

// reflectColumns makes the reflections of columns begin to end − 1. Rows before row from of the
// only chunk are finished.
func reflectColumns[T Real, Q quad[T], E passing[T, Q]](it gpu.Item, p parts[T, Q], s spread, e E, w work[T], from, begin, end int, at *progress[T], x *[own]T) {
	o := s.share(it)
	for k := begin; k < end; k++ {
		var total T
		var now made[T]
		for round := range rounds {
			greatest, by := round == 1, at.scale
			if greatest {
				by = 1
			}
			total = sumOf(it, p, s, e, w, from, k, by, greatest, at, x)
			if o.j == k && o.chunk == 0 {
				square := total * by // since one factor of each product has not been scaled
				t, beta, by := reflection(p.tops[k&1*s.cols+k], square, at.scale, at.inverse)
				*p.made = made[T]{square, t, beta, by}
			}
			now = gpu.UniformLoad(it, p.made)
			if greatest {
				at.scale = columns.ScaleFor(now.Square)
				at.inverse = 1 / at.scale
			} else if round > 0 || k+1 >= w.a.Rows() || now.Square >= leastSquare && now.Square <= 1/leastSquare {
				break
			}
		}
		top, t, beta, by := p.tops[k&1*s.cols+o.j], now.Tau, now.Beta, now.By
		dot := top + by*total
		if w.first == 0 && o.chunk == 0 {
			if o.j == k {
				w.tau[w.base+k] = t
			}
			if w.keeps && o.j < k {
				w.g.Set(o.j, k, dot*at.power*at.by)
			}
		}
		top -= t * dot
		if o.j == k {
			top, at.power, at.by = beta, at.scale, by
		}
		by *= t * dot
		if !w.several() {
			change(p, s, o, from, at.shown, k, w.first*s.rows(), by, top, x)
			continue
		}
		for block := w.first; block < w.blocks; block += w.step {
			row := block * s.rows()
			load(it, p.staged, s, w.a, w.along, row, x)
			at.shown++
			show(p, s, o, from, at.shown, k, row, at.scale, x)
			it.Barrier()
			change(p, s, o, from, at.shown, k, row, by, top, x)
			if k+1 == w.columns {
				finishColumn(s, o, row, at.power, at.by, x)
			}
			store(it, p.staged, s, w.a, w.along, row, w.keeps && k+1 == w.columns, w.v, x)
		}
	}
}

// sumOf returns the sum of the products of column k of all blocks, times scale, with the item's.
// With greatest, it is the greatest absolute value of column k.
func sumOf[T Real, Q quad[T], E passing[T, Q]](it gpu.Item, p parts[T, Q], s spread, e E, w work[T], from, k int, scale T, greatest bool, at *progress[T], x *[own]T) T {
	o := s.share(it)
	if s.chunks == 1 || w.blocks == 1 {
		at.shown++
		sum := blockSum(it, p, s, from, at.shown, k, 0, scale, greatest, x)
		if s.chunks == 1 {
			return sum
		}
		return joinChunks(p.sums, s, o, greatest)
	}
	var mine T
	for block := w.first; block < w.blocks; block += w.step {
		if w.several() {
			load(it, p.staged, s, w.a, w.along, block*s.rows(), x)
		}
		at.shown++
		blockSum(it, p, s, from, at.shown, k, block*s.rows(), scale, greatest, x)
		var sum T
		if o.chunk == block%s.chunks {
			sum = joinChunks(p.sums, s, o, greatest)
			mine = joinSums(mine, sum, greatest)
		}
		e.give(p, s, o, at.iteration, k, w.blocks, block, sum)
	}
	mine = e.take(p, s, o, at.iteration, k, w.blocks, w.first, greatest, mine)
	at.iteration++
	p.joined[it.LocalIndex()] = mine
	it.Barrier()
	return joinChunks(p.joined, s, o, greatest)
}

// leastSquare is the least square of a norm that is taken as it is, and its reciprocal the greatest
// one.
const leastSquare = 0x1p-40

// reflection returns tau, what becomes of the element on the diagonal, and by what those below it,
// times scale, are multiplied to be those of v. They have a norm with such a square. All of it is
// computed with elements times scale, since others may be subnormal, and inexact.
func reflection[T Real](diagonal, square, scale, inverse T) (tau, beta, by T) {
	if square == 0 {
		return 0, diagonal, 0
	}
	d := diagonal * scale
	if d-d != 0 { // the others are nothing beside it
		return (-diagonal - diagonal) / -diagonal, -diagonal, 0
	}
	if d*d <= 1/leastSquare {
		beta = root(square + d*d)
	} else {
		low := root(square) / d
		beta = size(d) * root(1+low*low)
	}
	if d > 0 {
		beta = -beta
	}
	return (beta - d) / beta, beta * inverse, 1 / (d - beta)
}

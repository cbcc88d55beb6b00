package signal

import (
	"github.com/gpuc/gpuc/kernels/signal/internal/fast"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// wideRoom is how many numbers a workgroup of wideColumns transforms.
const (
	wideRoom = 2 * binaryRoom
	wideGaps = 2 * withGaps
)

// binaryColumns transforms columns of 64 to 2048 numbers, a power of two.
//
//gpuc:kernel workgroup=8,32 types=n64,n128,n256,n512,n1024,n2048
func binaryColumns[N size](it gpu.Item, memory *[withGaps]float32, p pass, scale float32, stages []factorTable[float32], outer, x, y [][2]float32) {
	columns[N](it, memory, p, scale, stages, outer, x, y)
}

// wideColumns is binaryColumns for 1024 and 2048 numbers, where devices have the memory. Its
// workgroups are larger, so that they have more columns, whose adjacent numbers they read together.
//
//gpuc:kernel workgroup=8,64 types=n1024,n2048
func wideColumns[N size](it gpu.Item, memory *[wideGaps]float32, p pass, scale float32, stages []factorTable[float32], outer, x, y [][2]float32) {
	columns[N](it, memory, p, scale, stages, outer, x, y)
}

// columns transforms columns of n numbers, of which items have 16 in registers. The stages are one
// of radix 16, another one if n is more than 256, and one of what is left, of which an item has
// several transforms: its slots. Between stages items exchange first the real parts and then the
// imaginary ones, by workgroup memory, where the numbers of batch columns are adjacent.
//
// Of eight columns or more, eight items with the same Y have what is adjacent.
func columns[N size, P planeOf[float32]](it gpu.Item, memory *P, p pass, scale float32, stages []factorTable[float32], outer, x, y [][2]float32) {
	var length N
	n := uint32(len(length))
	all := uint32(len(*memory)) / 17 // items
	batch := 16 * all / n
	group := fast.GroupOf(it)
	if group >= p.Groups {
		return
	}
	lane, block := uint32(it.Local().X), uint32(it.Local().Y)
	id := block*8 + lane
	factors := &stages[0]
	o := group / p.Blocks
	first := (group - o*p.Blocks) * p.Batch

	// An item has the numbers of column c from k on, n/16 apart. In later stages they are in memory
	// as far apart as there are items.
	c, k := id%batch, id/batch
	if batch >= 8 {
		c, k = block%(batch/8)*8+lane, block/(batch/8)
	}
	column := min(first+c, p.Columns-1)
	v := take(x, y, &p, p.InBase+o*p.InOuter+column+k*p.InElement, n/16*p.InElement)
	conjugate(&v, p.Flags)
	if p.Flags&twiddled != 0 {
		j := column % p.Span / p.Inner
		powers(&v, twiddle(&p, j*k, outer), twiddle(&p, j*(n/16), outer))
	}

	// The last stage follows those that make span. Where its results are in rows, eight items have
	// adjacent ones, q and so on, of the columns of their slots.
	span, table := uint32(16), uint32(secondStage)
	if n > 256 {
		span, table = 256, thirdStage
	}
	slots := 16 * span / n
	rows := p.Flags&rowsOut != 0
	q, next := k, n/16 // of the first slot, and to the next one
	groups := all / span
	inRow, adjacent := block/groups%(span/8)*8, block%groups*slots
	at := (inRow+lane)*batch + adjacent
	// Memory has a gap of one number behind each 16. For long columns it is one of batch numbers
	// behind each 16·batch: then 32 items never read from both sides of a gap.
	wide := n >= 1024
	plain := reader{at: id + block/2, step: 17 * all / 16}
	if wide {
		plain.at = id + block/(2*batch)*batch
	}
	own := plain
	own.rows, own.slots, own.rowAt, own.rowStep = rows, slots, at+at/16, 17*span*batch/16
	if wide {
		own.rowAt = at + inRow/16*batch
	}
	if rows {
		q, next = inRow+lane, 0
	}
	dft16(&v)
	to, gaps := 17*batch*k+c+c/16, batch
	if wide {
		to, gaps = 17*batch*k+c, 0
	}
	if n > 256 {
		v = exchange(it, memory, &v, to, batch, gaps, plain)
		weigh(&v, factors, secondStage+k%16, 16)
		dft16(&v)
		it.Barrier()
		in := block % (2 * batch)
		to = block/(2*batch)*(272*batch) + in*8 + lane
		if !wide {
			to += in / 2
		}
		v = exchange(it, memory, &v, to, 16*batch, 16*batch, own)
	} else {
		v = exchange(it, memory, &v, to, batch, gaps, own)
	}
	lastStage(&v, n/span, factors, span, table+q, next)

	z := sinkOf(scale, p.Flags)
	z.slots, z.slot, z.step, z.left = slots, next*p.Span, span*p.Span, slots
	z.at = p.OutBase + o*p.OutOuter
	if rows {
		column = first + adjacent
		z.at += column*p.OutBlock + inRow
		z.at += lane
		z.slot = p.OutBlock
		z.left = p.Columns - min(column, p.Columns)
		z.storeAll(y, &v)
		return
	}
	if first+c >= p.Columns {
		z.left = 0
	}
	if batch < 8 {
		column = first + c
		z.at += column/p.Span*p.OutBlock + column%p.Span + k*p.Span
		z.storeAll(y, &v)
		return
	}
	// Eight items have what is adjacent, so the rest is the same for them. Span is a multiple of
	// 8.
	column = first + block%(batch/8)*8
	z.at += column/p.Span*p.OutBlock + column%p.Span + block/(batch/8)*p.Span
	z.at += lane
	z.storeAll(y, &v)
}

// reader says where an item reads its numbers: step apart, or in rows number e of slot s, which are
// adjacent, at s + e·step. Gaps are included.
type reader struct {
	rows                  bool
	at, step              uint32
	slots, rowAt, rowStep uint32
}

func readPart[P planeOf[float32]](memory *P, r reader) [16]float32 {
	if r.rows {
		return getSlots[float32](memory, r.rowAt, r.slots, r.rowStep)
	}
	return get[float32](memory, r.at, r.step)
}

// exchange writes numbers to memory, and reads others.
func exchange[P planeOf[float32]](it gpu.Item, memory *P, v *sixteen[float32], to, step, gaps uint32, r reader) sixteen[float32] {
	put(memory, to, step, gaps, v.reals())
	it.Barrier()
	re := readPart(memory, r)
	it.Barrier()
	put(memory, to, step, gaps, v.imaginaries())
	it.Barrier()
	return join(re, readPart(memory, r))
}

package signal

import "github.com/gpuc/gpuc/runtime/gpu"

// binaryColumns transforms columns of 256, 512 or 1024 numbers, in the stages of binaryRows. In
// workgroup memory the numbers of batch columns are adjacent. Of 16 or 8 columns, eight items
// with the same Y have what is adjacent.
//
//gpuc:kernel workgroup=8,32 types=n256,n512,n1024
func binaryColumns[N size](it gpu.Item, plane *[withGaps]float32, p pass, scale float32, stages []factorTable[float32], outer, x, y [][2]float32) {
	var length N
	n := uint32(len(length))
	batch := binaryRoom / n
	group := groupOf(it)
	if group >= p.Groups {
		return
	}
	lane, block := uint32(it.Local().X), uint32(it.Local().Y)
	id := block*8 + lane
	factors := &stages[0]
	o := group / p.Blocks
	first := (group - o*p.Blocks) * p.Batch
	rows := p.Flags&rowsOut != 0

	// An item has the numbers of column c from k on, n/16 apart. In later stages they are from
	// 16·batch·k on, or from batch·k on, and 256 apart in memory.
	c, k := id%batch, id/batch
	if batch >= 8 {
		c, k = block%(batch/8)*8+lane, block/(batch/8)
	}
	column := min(first+c, p.Columns-1)
	v := take(x, y, &p, p.InBase+o*p.InOuter+column+k*p.InElement, n/16*p.InElement)
	if p.Flags&swapIn != 0 {
		swap(&v)
	}
	if p.Flags&twiddled != 0 {
		j := column % p.Span / p.Inner
		powers(&v, twiddle(&p, j*k, outer), twiddle(&p, j*(n/16), outer))
	}
	dft16(&v)
	to := 17*batch*k + c
	from := id + block/2
	last := n == 256 && rows // stage 2 is the last one, and its results are in rows
	put(plane, to, batch, v.reals())
	it.Barrier()
	re := second(plane, from, block, lane, last)
	it.Barrier()
	put(plane, to, batch, v.imaginaries())
	it.Barrier()
	v = join(re, second(plane, from, block, lane, last))
	if last {
		c, k = block/2, block%2*8+lane
	}
	weigh(&v, factors, secondStage+k%16, 16)
	dft16(&v)

	z := sink[float32]{scale: scale, swap: p.Flags & swapOut, slots: 1, step: 16 * p.Span, left: 1}
	if n == 256 {
		k %= 16
	} else {
		at := block % (2 * batch)
		to := block/(2*batch)*(272*batch) + at*8 + at/2 + lane
		it.Barrier()
		put(plane, to, 16*batch, v.reals())
		it.Barrier()
		re = third(plane, from, id, batch, rows)
		it.Barrier()
		put(plane, to, 16*batch, v.imaginaries())
		it.Barrier()
		v = join(re, third(plane, from, id, batch, rows))
		// Slots are several columns, or several results of one that are 256/batch apart.
		z.slots, z.left, z.step = batch, batch, 256*p.Span
		if rows {
			c, k = 0, id
			z.slot, z.left = p.OutBlock, p.Columns-first
			lastStage(&v, n/256, factors, k, 0)
		} else {
			z.slot = 256 / batch * p.Span
			lastStage(&v, n/256, factors, k, 256/batch)
		}
	}
	if first+c >= p.Columns {
		z.left = 0
	}
	z.at = p.OutBase + o*p.OutOuter
	if !rows && batch < 8 {
		column = first + c
		z.at += column/p.Span*p.OutBlock + column%p.Span + k*p.Span
		z.storeAll(y, &v)
		return
	}
	// Eight items have what is adjacent, so the rest is the same for them. Span is a multiple of
	// 8.
	switch {
	case last:
		z.at += (first+block/2)*p.OutBlock + block%2*8
	case rows:
		z.at += first*p.OutBlock + block*8
	default:
		column, k = first+block%(batch/8)*8, block/(batch/8)
		if n == 256 {
			k %= 16
		}
		z.at += column/p.Span*p.OutBlock + column%p.Span + k*p.Span
	}
	z.at += lane
	z.storeAll(y, &v)
}

// second reads what stage 2 begins with.
func second(plane *[withGaps]float32, from, block, lane uint32, rows bool) [16]float32 {
	if rows {
		return get(plane, 17*(block%2*8+lane)+block/2, 272)
	}
	return get(plane, from, 272)
}

// third reads what stage 3 begins with.
func third(plane *[withGaps]float32, from, id, slots uint32, rows bool) [16]float32 {
	if rows {
		return getRows(plane, id, slots)
	}
	return get(plane, from, 272)
}

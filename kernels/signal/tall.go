package signal

import "github.com/gpuc/gpuc/runtime/gpu"

// tallNumbers is how many numbers a workgroup of tallColumns transforms, 32 each item. tallRoom is
// its workgroup memory, with gaps: number r of item k of column c is at pitch·c + 33·k + r. So
// items with adjacent columns, and those with adjacent numbers, have different banks.
const (
	tallNumbers = 32 * items
	tallRoom    = 8 * 1060
)

// tallColumns transforms columns of 512 and 1024 numbers.
//
//gpuc:kernel workgroup=8,32 types=n512,n1024
func tallColumns[N size](it gpu.Item, memory *[tallRoom]float32, p pass, scale float32, stages []factorTable[float32], outer, x, y [][2]float32) {
	tall[N](it, memory, p, scale, false, stages, outer, x, y)
}

// turnedRows transforms rows of 512 and 1024 numbers, and writes them as columns.
//
//gpuc:kernel workgroup=8,32 types=n512,n1024
func turnedRows[N size](it gpu.Item, memory *[tallRoom]float32, p pass, scale float32, stages []factorTable[float32], outer, x, y [][2]float32) {
	tall[N](it, memory, p, scale, true, stages, outer, x, y)
}

// tall transforms columns of n numbers. Items have 32 of them in registers, and exchange them once,
// first the real parts and then the imaginary ones. The stage before is of radix 32. The one behind
// is of radix n/32, and an item has one transform of it, or two.
//
// Eight items with the same Y have what is adjacent: numbers of eight columns, or eight numbers of
// a column where it is a row in memory.
func tall[N size](it gpu.Item, memory *[tallRoom]float32, p pass, scale float32, turned bool, stages []factorTable[float32], outer, x, y [][2]float32) {
	var length N
	n := uint32(len(length))
	batch := tallNumbers / n
	pitch := tallRoom / batch
	slots := 1024 / n
	group := groupOf(it)
	if group >= p.Groups {
		return
	}
	lane, block := uint32(it.Local().X), uint32(it.Local().Y)
	factors := &stages[0]
	o := group / p.Blocks
	first := (group - o*p.Blocks) * p.Batch

	// An item has the numbers of column c from k on, n/32 apart. Of rows it has those of another
	// column from another one on.
	c, k := block%(batch/8)*8, block/(batch/8)
	row, inRow := block/(n/256), block%(n/256)*8
	row = row/slots + row%slots*8
	at, step := p.InBase+o*p.InOuter+lane, n/32
	to, column := c*pitch+33*k+lane*pitch, uint32(0)
	if turned {
		column = min(first+row, p.Columns-1)
		at += column*p.InColumn + inRow
		to = row*pitch + 33*inRow + 33*lane
	} else {
		column = min(first+c, p.Columns-8)
		at += column + k*p.InElement
		step *= p.InElement
		column += lane
	}
	w, power := pair[float32]{}, pair[float32]{}
	if p.Flags&twiddled != 0 {
		j, q := column%p.Span/p.Inner, k
		if turned {
			q = inRow + lane
		}
		w, power = twiddle(&p, j*q, outer), twiddle(&p, j*(n/32), outer)
	}
	v := take32(x, y, &p, at, step)
	v.conjugate(p.Flags)
	if p.Flags&twiddled != 0 {
		v.powers(w, power)
	}
	dft32(&v)

	rows := !turned && p.Flags&rowsOut != 0
	from, fromRow := c*pitch+k+lane*pitch, row*pitch+inRow+lane
	for e := range uint32(32) {
		(*memory)[to+e] = v[e].re
	}
	it.Barrier()
	re := readTall(memory, rows, from, fromRow, slots)
	it.Barrier()
	for e := range uint32(32) {
		(*memory)[to+e] = v[e].im
	}
	it.Barrier()
	im := readTall(memory, rows, from, fromRow, slots)
	for e := range uint32(32) {
		v[e] = pair[float32]{re[e], im[e]}
	}
	q := k
	if rows {
		q = inRow + lane
	}
	if slots == 1 {
		v.weigh(factors, 31+q, 32)
		dft32(&v)
	} else {
		v.weighHalves(factors, 31+q, 31+16+q, 32)
		v.halves()
	}

	at = p.OutBase + o*p.OutOuter
	if rows {
		column = first + row
		at += column*p.OutBlock + inRow
		step = n / 32
	} else {
		column = first + c
		at += column/p.Span*p.OutBlock + column%p.Span + k*p.Span
		step = n / 32 * p.Span
	}
	v.store(y, &p, scale, column, at+lane, step)
}

// readTall reads what the stages before have written of the numbers of an item.
func readTall(memory *[tallRoom]float32, rows bool, from, fromRow, slots uint32) (v [32]float32) {
	if rows {
		for e := range uint32(32) {
			v[e] = (*memory)[fromRow+e/slots*33+e%slots*16]
		}
		return v
	}
	for e := range uint32(32) {
		v[e] = (*memory)[from+e/slots*33+e%slots*16]
	}
	return v
}

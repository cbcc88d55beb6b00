package fast

import "github.com/gpuc/gpuc/runtime/gpu"

// Size says how many numbers a column has.
type Size interface{ N512 | N1024 }

type (
	N512  [512]byte
	N1024 [1024]byte
)

// TallNumbers is how many numbers a workgroup of TallColumns transforms, 32 each item. TallRoom is
// its workgroup memory, with gaps: number r of item k of column c is at pitch·c + 33·k + r. So
// items with adjacent columns, and those with adjacent numbers, have different banks.
const (
	TallNumbers = 32 * 256
	TallRoom    = 8 * 1060
)

// TallColumns transforms columns of 512 and 1024 numbers, without twiddle factors.
//
//gpuc:kernel workgroup=8,32 resident=3 types=N512,N1024
func TallColumns[N Size](it gpu.Item, memory *[TallRoom]float32, p Pass, scale float32, stages []FactorTable, x, y [][2]float32) {
	tall[N](it, memory, p, scale, false, stages, nil, x, y)
}

// TurnedRows transforms rows of 512 and 1024 numbers, with twiddle factors, and writes them as
// columns.
//
//gpuc:kernel workgroup=8,32 resident=3 types=N512,N1024
func TurnedRows[N Size](it gpu.Item, memory *[TallRoom]float32, p Pass, scale float32, stages []FactorTable, outer, x, y [][2]float32) {
	tall[N](it, memory, p, scale, true, stages, outer, x, y)
}

// tall transforms columns of n numbers. Items have 32 of them in registers, and exchange them once,
// first the real parts and then the imaginary ones. The stage before is of radix 32. The one behind
// is of radix n/32, and an item has one transform of it, or two.
//
// Eight items with the same Y have what is adjacent: numbers of eight columns, or eight numbers of
// a column where it is a row in memory.
func tall[N Size](it gpu.Item, memory *[TallRoom]float32, p Pass, scale float32, turned bool, stages []FactorTable, outer, x, y [][2]float32) {
	var length N
	n := uint32(len(length))
	batch := TallNumbers / n
	pitch := TallRoom / batch
	slots := 1024 / n
	group := GroupOf(it)
	if group >= p.Groups {
		return
	}
	lane, block := uint32(it.Local().X), uint32(it.Local().Y)
	o := group / p.Blocks
	first := (group - o*p.Blocks) * p.Batch

	// An item has the numbers of column c from k on, n/32 apart. Of rows it first has those of
	// another column, from inRow on.
	c, k := block%(batch/8)*8, block/(batch/8)
	v := ThirtyTwo{}
	to := c*pitch + 33*k + lane*pitch
	if turned {
		row, inRow := block/(n/256), block%(n/256)*8
		row = row/slots + row%slots*8
		to = row*pitch + 33*inRow + 33*lane
		row = min(first+row, p.Columns-1)
		j := row % p.Span / p.Inner
		start, w, w8 := p.twiddle(j*(inRow+lane), outer), p.twiddle(j*(n/32), outer), p.twiddle(j*(n/4), outer)
		v = p.Take(x, y, p.InBase+o*p.InOuter+row*p.InColumn+inRow+lane, n/32)
		v.powers(start, w, w8)
	} else {
		v = p.Take(x, y, p.InBase+o*p.InOuter+min(first+c, p.Columns-8)+k*p.InElement+lane, n/32*p.InElement)
	}
	v.DFT()

	from := c*pitch + k + lane*pitch
	for e := range uint32(32) {
		(*memory)[to+e] = v.Re[e]
	}
	it.Barrier()
	for e := range uint32(32) {
		v.Re[e] = (*memory)[from+e/slots*33+e%slots*16]
	}
	it.Barrier()
	for e := range uint32(32) {
		(*memory)[to+e] = v.Im[e]
	}
	it.Barrier()
	for e := range uint32(32) {
		v.Im[e] = (*memory)[from+e/slots*33+e%slots*16]
	}
	v.Last(n/32, &stages[0], k)

	c += first
	at := p.OutBase + o*p.OutOuter + c/p.Span*p.OutBlock + c%p.Span + k*p.Span
	p.Store(&v, scale, y, c, at+lane, n/32*p.Span)
}

package signal

import (
	"github.com/gpuc/gpuc/kernels/signal/internal/fast"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// size says how many numbers a kernel of fixed size transforms.
type size interface {
	n64 | n128 | n256 | n512 | n1024 | n2048 | n4096
}

type (
	n64   [64]byte
	n128  [128]byte
	n256  [256]byte
	n512  [512]byte
	n1024 [1024]byte
	n2048 [2048]byte
	n4096 [4096]byte
)

// binaryRoom is how many numbers a workgroup of binary transforms, 16 each item. Workgroup memory
// has gaps, so that items which are adjacent have different banks.
const (
	binaryRoom = 16 * items
	withGaps   = binaryRoom + binaryRoom/16
	shortRoom  = 1024 // of shortRows
)

// binaryRows transforms rows of 256, 2048 and 4096 numbers. n/16 items work on a row, and each has
// 16 numbers in registers, n/16 apart. There are two stages of radix 16, and one of the radix that
// is left. Between stages items exchange first the real parts and then the imaginary ones, by
// workgroup memory.
//
// Eight items with the same Y have what is adjacent: addresses are the sum of what they have in
// common and of their X.
//
//gpuc:kernel workgroup=8,32 types=n256,n2048,n4096
func binaryRows[N size](it gpu.Item, plane *[withGaps]float32, p pass, scale float32, stages []factorTable[float32], x, y [][2]float32) {
	var length N
	n := uint32(len(length))
	group := fast.GroupOf(it)
	if group >= p.Groups {
		return
	}
	lane, block := uint32(it.Local().X), uint32(it.Local().Y)
	factors := &stages[0]
	o := group / p.Blocks
	row := (group-o*p.Blocks)*p.Batch + block/(n/128)
	base := block / (n / 128) * (17 * n / 16) // of the row in memory
	low := block % 2 * 8
	block %= n / 128
	k := block*8 + lane
	v := take(x, y, &p, p.InBase+o*p.InOuter+min(row, p.Columns-1)*p.InColumn+k, n/16)
	conjugate(&v, p.Flags)
	dft16(&v)

	if n > 256 { // all memory is written, or the compiler would set it to zero before
		(*plane)[base+17*k+16] = 0
	}
	// a gap behind each 16 numbers
	v = exchangeInRow(it, plane, &v, base+17*k, 1, base+block/2+k, 17*n/256, 16)
	weigh(&v, factors, secondStage+low+lane, 16)
	dft16(&v)

	if n > 256 { // a gap of 16 behind each 256 numbers
		it.Barrier()
		v = exchangeInRow(it, plane, &v, base+block/2*272+low+lane, 16, base+k, n/16, 4096/n)
		lastStage(&v, n/256, factors, 256, thirdStage+k, n/16)
	}
	if row < p.Columns {
		z := sinkOf(scale, p.Flags)
		z.slots, z.step, z.left = 1, n/16, 1
		z.at = p.OutBase + o*p.OutOuter + row*p.OutBlock + k
		z.storeAll(y, &v)
	}
}

// exchangeInRow writes numbers that are step apart to memory, and reads others that are apart, with
// a gap of 16 numbers behind each part of them.
func exchangeInRow(it gpu.Item, plane *[withGaps]float32, v *sixteen[float32], to, step, from, apart, part uint32) sixteen[float32] {
	for e := range uint32(16) {
		(*plane)[to+e*step] = v[e].re
	}
	it.Barrier()
	var re, im [16]float32
	for e := range uint32(16) {
		re[e] = (*plane)[from+e*apart+e/part*16]
	}
	it.Barrier()
	for e := range uint32(16) {
		(*plane)[to+e*step] = v[e].im
	}
	it.Barrier()
	for e := range uint32(16) {
		im[e] = (*plane)[from+e*apart+e/part*16]
	}
	return join(re, im)
}

// shortRows transforms rows of 512 and 1024 numbers. Items have 32 of them in registers, and
// exchange them once, between a stage of radix 32 and one of radix 16 or 32. There is a gap of one
// number behind each 32 in memory. A workgroup has so few items that they hardly wait for each
// other.
//
//gpuc:kernel workgroup=8,4 types=n512,n1024
func shortRows[N size](it gpu.Item, plane *[shortRoom + shortRoom/32]float32, p pass, scale float32, stages []fast.FactorTable, x, y [][2]float32) {
	var length N
	n := uint32(len(length))
	slots := 1024 / n
	group := fast.GroupOf(it)
	if group >= p.Groups {
		return
	}
	lane, block := uint32(it.Local().X), uint32(it.Local().Y)
	o := group / p.Blocks
	row := (group-o*p.Blocks)*p.Batch + block/(n/256)
	base, k := block/(n/256)*(n+n/32), block%(n/256)*8+lane
	v := p.Take(x, y, p.InBase+o*p.InOuter+min(row, p.Columns-1)*p.InColumn+k, n/32)
	v.DFT()
	for e := range uint32(32) {
		(*plane)[base+33*k+e] = v.Re[e]
	}
	it.Barrier()
	for e := range uint32(32) {
		v.Re[e] = (*plane)[base+k+e/slots*33+e%slots*16]
	}
	it.Barrier()
	for e := range uint32(32) {
		(*plane)[base+33*k+e] = v.Im[e]
	}
	it.Barrier()
	for e := range uint32(32) {
		v.Im[e] = (*plane)[base+k+e/slots*33+e%slots*16]
	}
	v.Last(n/32, &stages[0], k)
	p.Store(&v, scale, y, row, p.OutBase+o*p.OutOuter+row*p.OutBlock+k, n/32)
}

package fast

import "github.com/gpuc/gpuc/runtime/gpu"

// secondStage is where the factors of the second stage begin.
const secondStage = 15

// LongRoom is how many numbers the workgroup memory of LongRows has room for, with gaps.
const LongRoom = 8192 * 17 / 16

// LongRows transforms rows of 8192 numbers. A workgroup has one row. Items have 32 numbers of it in
// registers, 256 apart. The stages are two of radix 16, of which an item has two transforms, and
// one of radix 32. Between stages items exchange real parts and then imaginary ones. The gaps in
// memory are such that adjacent items have different banks.
//
//gpuc:kernel workgroup=8,32 resident=3
func LongRows(it gpu.Item, plane *[LongRoom]float32, p Pass, scale float32, stages []FactorTable, x, y [][2]float32) {
	const step, half = 8192 / 32, LongRoom / 2
	group := GroupOf(it)
	if group >= p.Groups {
		return
	}
	factors := &stages[0]
	o := group / p.Blocks
	row := group - o*p.Blocks
	k := uint32(it.Local().Y)*8 + uint32(it.Local().X)
	v := p.Take(x, y, p.InBase+o*p.InOuter+row*p.InColumn+k, step)
	v.halves()

	// There is a gap of one number behind each 32. All memory is written, or the compiler would set
	// it to zero before.
	(*plane)[33*k+32], (*plane)[33*step+k] = 0, 0
	to, from := 16*k+k/2, k+k/32
	for e := range uint32(32) {
		(*plane)[to+e/2+e%2*(16*step+step/2)] = v.Re[e]
	}
	it.Barrier()
	for e := range uint32(32) {
		v.Re[e] = (*plane)[from+e*(step+step/32)]
	}
	it.Barrier()
	for e := range uint32(32) {
		(*plane)[to+e/2+e%2*(16*step+step/2)] = v.Im[e]
	}
	it.Barrier()
	for e := range uint32(32) {
		v.Im[e] = (*plane)[from+e*(step+step/32)]
	}
	v.weighHalves(factors, secondStage+k%16, secondStage+k%16, 16)
	v.halves()

	// And here there is a gap of 16 behind each 256.
	to = k/16*272 + k%16
	it.Barrier()
	for e := range uint32(32) {
		(*plane)[to+e/2*16+e%2*half] = v.Re[e]
	}
	it.Barrier()
	for e := range uint32(32) {
		v.Re[e] = (*plane)[k+e*272]
	}
	it.Barrier()
	for e := range uint32(32) {
		(*plane)[to+e/2*16+e%2*half] = v.Im[e]
	}
	it.Barrier()
	for e := range uint32(32) {
		v.Im[e] = (*plane)[k+e*272]
	}
	v.weighLast(factors, secondStage+15*16+k, step)
	v.DFT()
	p.Store(&v, scale, y, row, p.OutBase+o*p.OutOuter+row*p.OutBlock+k, step)
}

// LongestRows transforms rows of 16384 numbers, with a first stage of radix 16 and two of radix 32.
// Workgroup memory has no room for gaps. Bits of the addresses are exchanged instead.
//
//gpuc:kernel workgroup=8,64
func LongestRows(it gpu.Item, plane *[16384]float32, p Pass, scale float32, stages []FactorTable, x, y [][2]float32) {
	const step, half = 16384 / 32, 16384 / 2
	group := GroupOf(it)
	if group >= p.Groups {
		return
	}
	factors := &stages[0]
	o := group / p.Blocks
	row := group - o*p.Blocks
	k := uint32(it.Local().Y)*8 + uint32(it.Local().X)
	v := p.Take(x, y, p.InBase+o*p.InOuter+row*p.InColumn+k, step)
	v.halves()

	// Bits 5 to 8 of a number change the lowest ones of its address.
	to, mix, from := 16*k, k/2%16, k^k/32
	for e := range uint32(32) {
		(*plane)[to+(e/2^mix)+e%2*half] = v.Re[e]
	}
	it.Barrier()
	for e := range uint32(32) {
		v.Re[e] = (*plane)[from+e*step]
	}
	it.Barrier()
	for e := range uint32(32) {
		(*plane)[to+(e/2^mix)+e%2*half] = v.Im[e]
	}
	it.Barrier()
	for e := range uint32(32) {
		v.Im[e] = (*plane)[from+e*step]
	}
	v.weigh(factors, secondStage+k%16, 16)
	v.DFT()

	// Bit 9 of a number changes bit 4 of its address.
	to = k/16*step + k%16 + k/16%2*16
	it.Barrier()
	for e := range uint32(32) {
		(*plane)[(to^e%2*16)+e/2*32] = v.Re[e]
	}
	it.Barrier()
	for e := range uint32(32) {
		v.Re[e] = (*plane)[(k^e%2*16)+e*step]
	}
	it.Barrier()
	for e := range uint32(32) {
		(*plane)[(to^e%2*16)+e/2*32] = v.Im[e]
	}
	it.Barrier()
	for e := range uint32(32) {
		v.Im[e] = (*plane)[(k^e%2*16)+e*step]
	}
	v.weighLast(factors, secondStage+31*16+k, step)
	v.DFT()
	p.Store(&v, scale, y, row, p.OutBase+o*p.OutOuter+row*p.OutBlock+k, step)
}

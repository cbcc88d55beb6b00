package signal

import "github.com/gpuc/gpuc/runtime/gpu"

// longRows transforms rows of 8192 numbers. A workgroup has one row.
//
//gpuc:kernel workgroup=8,32
func longRows(it gpu.Item, plane *[8192]float32, p pass, scale float32, stages []factorTable[float32], x, y [][2]float32) {
	longRow(it, plane, p, scale, stages, x, y)
}

// longestRows is longRows for 16384 numbers.
//
//gpuc:kernel workgroup=8,64
func longestRows(it gpu.Item, plane *[16384]float32, p pass, scale float32, stages []factorTable[float32], x, y [][2]float32) {
	longRow(it, plane, p, scale, stages, x, y)
}

// planeOfRow is the workgroup memory of a long row, for its real or its imaginary parts.
type planeOfRow interface{ [8192]float32 | [16384]float32 }

// longRow transforms a row of n numbers. Items have 32 of them in registers, n/32 apart. The stages
// are one of radix 16, of which an item has two transforms, one of radix 16 or 32, and one of radix
// 32. Between stages items exchange real parts and then imaginary ones.
//
// Workgroup memory has no gaps, so that 8192 numbers fit in 32 KiB. Bits of the addresses are
// exchanged instead, so that adjacent items write to different banks.
func longRow[P planeOfRow](it gpu.Item, plane *P, p pass, scale float32, stages []factorTable[float32], x, y [][2]float32) {
	n := uint32(len(*plane))
	step := n / 32
	group := groupOf(it)
	if group >= p.Groups {
		return
	}
	lane, block := uint32(it.Local().X), uint32(it.Local().Y)
	factors := &stages[0]
	o := group / p.Blocks
	row := group - o*p.Blocks
	k := block*8 + lane
	v := take32(x, y, &p, p.InBase+o*p.InOuter+row*p.InColumn+k, step)
	v.conjugate(p.Flags)
	v.halves()

	// An item writes numbers 16·k to 16·k+15, and those n/2 behind. Bits 5 to 8 of a number change
	// the lowest ones of its address.
	to, mix, from := 16*k, k/2%16, k^k/32
	for e := range uint32(32) {
		(*plane)[to+(e/2^mix)+e%2*(n/2)] = v[e].re
	}
	it.Barrier()
	var re [32]float32
	for e := range uint32(32) {
		re[e] = (*plane)[from^n/1024*e%16+step*e]
	}
	it.Barrier()
	for e := range uint32(32) {
		(*plane)[to+(e/2^mix)+e%2*(n/2)] = v[e].im
	}
	it.Barrier()
	for e := range uint32(32) {
		v[e] = pair[float32]{re[e], (*plane)[from^n/1024*e%16+step*e]}
	}
	slots := 16384 / n
	if slots == 1 {
		v.weigh(factors, secondStage+k%16, 16)
		dft32(&v)
	} else {
		v.weighHalves(factors, secondStage+k%16, secondStage+k%16, 16)
		v.halves()
	}

	// Bit n/32 of a number changes bit 4 of its address.
	to = k/16*step + k%16 + k/16%2*16
	it.Barrier()
	for e := range uint32(32) {
		(*plane)[to^e/slots%2*16+e/slots/2*32+e%slots*(n/2)] = v[e].re
	}
	it.Barrier()
	for e := range uint32(32) {
		re[e] = (*plane)[k^e%2*16+step*e]
	}
	it.Barrier()
	for e := range uint32(32) {
		(*plane)[to^e/slots%2*16+e/slots/2*32+e%slots*(n/2)] = v[e].im
	}
	it.Barrier()
	for e := range uint32(32) {
		v[e] = pair[float32]{re[e], (*plane)[k^e%2*16+step*e]}
	}
	v.weighLast(factors, secondStage+16*(32/slots-1)+k, step)
	dft32(&v)

	v.store(y, &p, scale, row, p.OutBase+o*p.OutOuter+row*p.OutBlock+k, step)
}

// weighLast is weigh for the last stage. The table has the factors of numbers 1 to 7, and those of
// 8, 16 and 24. The others are products of one of each.
func (v *thirtyTwo) weighLast(factors *factorTable[float32], at, step uint32) {
	var low [8]pair[float32]
	var high [4]pair[float32]
	for e := uint32(1); e < 8; e++ {
		low[e] = factors.at(at + (e-1)*step)
		v[e] = v[e].times(low[e])
	}
	for e := uint32(1); e < 4; e++ {
		high[e] = factors.at(at + (e+6)*step)
		v[8*e] = v[8*e].times(high[e])
	}
	for e := range uint32(21) {
		v[8*(e/7)+e%7+9] = v[8*(e/7)+e%7+9].times(low[e%7+1].times(high[e/7+1]))
	}
}

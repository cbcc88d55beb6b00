package signal

import "github.com/gpuc/gpuc/runtime/gpu"

// longRows transforms rows of 8192 numbers. A workgroup has one row.
//
//gpuc:kernel workgroup=8,64
func longRows(it gpu.Item, plane *[8192]float32, p pass, scale float32, stages []factorTable[float32], x, y [][2]float32) {
	longRow(it, plane, p, scale, stages, x, y)
}

// longestRows is longRows for 16384 numbers.
//
//gpuc:kernel workgroup=8,128
func longestRows(it gpu.Item, plane *[16384]float32, p pass, scale float32, stages []factorTable[float32], x, y [][2]float32) {
	longRow(it, plane, p, scale, stages, x, y)
}

// planeOfRow is the workgroup memory of a long row, for its real or its imaginary parts.
type planeOfRow interface{ [8192]float32 | [16384]float32 }

// longRow transforms a row of n numbers. Items have 16 of them in registers, n/16 apart. There are
// three stages of radix 16, and one of radix 2 or 4. Between stages items exchange real parts and
// then imaginary ones.
//
// Workgroup memory has no gaps, so that 8192 numbers fit in 32 KiB. Bits of the addresses are
// exchanged instead, so that adjacent items write to different banks.
func longRow[P planeOfRow](it gpu.Item, plane *P, p pass, scale float32, stages []factorTable[float32], x, y [][2]float32) {
	n := uint32(len(*plane))
	group := groupOf(it)
	if group >= p.Groups {
		return
	}
	lane, block := uint32(it.Local().X), uint32(it.Local().Y)
	factors := &stages[0]
	o := group / p.Blocks
	row := group - o*p.Blocks
	k := block*8 + lane
	v := take(x, y, &p, p.InBase+o*p.InOuter+row*p.InColumn+k, n/16)
	conjugate(&v, p.Flags)
	dft16(&v)

	// Numbers 16·k to 16·k+15: bits 5 to 8 of a number change the lowest ones of its address.
	to, mix, from := 16*k, k/2%16, k^k/32%16
	putMixed(plane, to, mix, v.reals())
	it.Barrier()
	re := getApart(plane, from, n/16)
	it.Barrier()
	putMixed(plane, to, mix, v.imaginaries())
	it.Barrier()
	v = join(re, getApart(plane, from, n/16))
	weigh(&v, factors, secondStage+k%16, 16)
	dft16(&v)

	// Bit 8 of a number changes bit 4 of its address.
	even := k/16*256 + k%16 + k/16%2*16
	odd := even + 16 - k/16%2*32
	from = k ^ k/256%2*16
	it.Barrier()
	putPairs(plane, even, odd, 32, v.reals())
	it.Barrier()
	re = getApart(plane, from, n/16)
	it.Barrier()
	putPairs(plane, even, odd, 32, v.imaginaries())
	it.Barrier()
	v = join(re, getApart(plane, from, n/16))
	weigh(&v, factors, thirdStage+k%256, 256)
	dft16(&v)

	to = k/256*4096 + k%256
	it.Barrier()
	putPairs(plane, to, to+256, 512, v.reals())
	it.Barrier()
	re = getApart(plane, k, n/16)
	it.Barrier()
	putPairs(plane, to, to+256, 512, v.imaginaries())
	it.Barrier()
	v = join(re, getApart(plane, k, n/16))
	lastOfLong(&v, n, factors, k)

	z := sinkOf(scale, p.Flags)
	z.slots, z.step, z.left = 1, n/16, 1
	z.at = p.OutBase + o*p.OutOuter + row*p.OutBlock + k
	z.storeAll(y, &v)
}

// fourthStage is where the factors of stage 4 begin: for each input but the first, those of the
// first slot. Their products with roots of one of order 16 are those of other slots.
const fourthStage = thirdStage + 15*256

// lastOfLong is the stage of radix n/4096.
func lastOfLong[T Float](v *sixteen[T], n uint32, factors *factorTable[T], k uint32) {
	one, three, nine := sixteenths[T]()
	if n == 8192 {
		w := factors.at(fourthStage + k)
		v[0], v[8] = dft2(v[0], v[8].times(w))
		v[1], v[9] = dft2(v[1], v[9].times(w.times(one)))
		v[2], v[10] = dft2(v[2], v[10].times(w.eighth()))
		v[3], v[11] = dft2(v[3], v[11].times(w.times(three)))
		v[4], v[12] = dft2(v[4], v[12].times(w.turned()))
		v[5], v[13] = dft2(v[5], v[13].times(w.times(one).turned()))
		v[6], v[14] = dft2(v[6], v[14].times(w.eighth().turned()))
		v[7], v[15] = dft2(v[7], v[15].times(w.times(three).turned()))
		return
	}
	a, b, c := factors.at(fourthStage+k), factors.at(fourthStage+k+n/16), factors.at(fourthStage+k+n/8)
	v[0], v[4], v[8], v[12] = dft4(v[0], v[4].times(a), v[8].times(b), v[12].times(c))
	v[1], v[5], v[9], v[13] = dft4(v[1], v[5].times(a.times(one)), v[9].times(b.eighth()), v[13].times(c.times(three)))
	v[2], v[6], v[10], v[14] = dft4(v[2], v[6].times(a.eighth()), v[10].times(b.turned()), v[14].times(c.eighth().turned()))
	v[3], v[7], v[11], v[15] = dft4(v[3], v[7].times(a.times(three)), v[11].times(b.eighth().turned()), v[15].times(c.times(nine)))
}

// putMixed writes 16 numbers whose addresses differ from their order by an exclusive or.
func putMixed[P planeOfRow](plane *P, at, mix uint32, v [16]float32) {
	(*plane)[at+mix] = v[0]
	(*plane)[at+(1^mix)] = v[1]
	(*plane)[at+(2^mix)] = v[2]
	(*plane)[at+(3^mix)] = v[3]
	(*plane)[at+(4^mix)] = v[4]
	(*plane)[at+(5^mix)] = v[5]
	(*plane)[at+(6^mix)] = v[6]
	(*plane)[at+(7^mix)] = v[7]
	(*plane)[at+(8^mix)] = v[8]
	(*plane)[at+(9^mix)] = v[9]
	(*plane)[at+(10^mix)] = v[10]
	(*plane)[at+(11^mix)] = v[11]
	(*plane)[at+(12^mix)] = v[12]
	(*plane)[at+(13^mix)] = v[13]
	(*plane)[at+(14^mix)] = v[14]
	(*plane)[at+(15^mix)] = v[15]
}

// putPairs writes numbers with even and odd indices, step apart.
func putPairs[P planeOfRow](plane *P, even, odd, step uint32, v [16]float32) {
	(*plane)[even] = v[0]
	(*plane)[odd] = v[1]
	(*plane)[even+step] = v[2]
	(*plane)[odd+step] = v[3]
	(*plane)[even+2*step] = v[4]
	(*plane)[odd+2*step] = v[5]
	(*plane)[even+3*step] = v[6]
	(*plane)[odd+3*step] = v[7]
	(*plane)[even+4*step] = v[8]
	(*plane)[odd+4*step] = v[9]
	(*plane)[even+5*step] = v[10]
	(*plane)[odd+5*step] = v[11]
	(*plane)[even+6*step] = v[12]
	(*plane)[odd+6*step] = v[13]
	(*plane)[even+7*step] = v[14]
	(*plane)[odd+7*step] = v[15]
}

// getApart reads numbers that are step apart.
func getApart[P planeOfRow](plane *P, at, step uint32) [16]float32 {
	return [16]float32{
		(*plane)[at],
		(*plane)[at+step],
		(*plane)[at+2*step],
		(*plane)[at+3*step],
		(*plane)[at+4*step],
		(*plane)[at+5*step],
		(*plane)[at+6*step],
		(*plane)[at+7*step],
		(*plane)[at+8*step],
		(*plane)[at+9*step],
		(*plane)[at+10*step],
		(*plane)[at+11*step],
		(*plane)[at+12*step],
		(*plane)[at+13*step],
		(*plane)[at+14*step],
		(*plane)[at+15*step],
	}
}

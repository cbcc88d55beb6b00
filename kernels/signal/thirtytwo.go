package signal

// This file has what an item does with 32 numbers in registers.

// thirtyTwo are the numbers of an item. Loops over them are unrolled.
type thirtyTwo [32]pair[float32]

// take32 loads numbers that are step apart, of x or of y.
func take32(x, y [][2]float32, p *pass, at, step uint32) (v thirtyTwo) {
	if p.Flags&inPlace != 0 {
		for e := range uint32(32) {
			v[e] = load(y, at+e*step)
		}
		return v
	}
	for e := range uint32(32) {
		v[e] = load(x, at+e*step)
	}
	return v
}

// conjugate is that of sixteen.
func (v *thirtyTwo) conjugate(flags uint32) {
	if flags&conjugateIn != 0 {
		for e := range uint32(32) {
			v[e].im = -v[e].im
		}
	}
}

// powers multiplies the numbers by first, first·w, first·w² and so on.
func (v *thirtyTwo) powers(first, w pair[float32]) {
	two := w.times(w)
	four := two.times(two)
	three, five, six := two.times(w), four.times(w), four.times(two)
	seven, eight := four.times(three), four.times(four)
	for e := uint32(0); e < 32; e += 8 {
		v[e] = v[e].times(first)
		v[e+1] = v[e+1].times(first.times(w))
		v[e+2] = v[e+2].times(first.times(two))
		v[e+3] = v[e+3].times(first.times(three))
		v[e+4] = v[e+4].times(first.times(four))
		v[e+5] = v[e+5].times(first.times(five))
		v[e+6] = v[e+6].times(first.times(six))
		v[e+7] = v[e+7].times(first.times(seven))
		first = first.times(eight)
	}
}

// half returns sixteen numbers that are two apart.
func (v *thirtyTwo) half(from uint32) (w sixteen[float32]) {
	for e := range uint32(16) {
		w[e] = v[from+2*e]
	}
	return w
}

// weighHalves multiplies the numbers of even indices but the first by factors that are step apart,
// from even on, and those of odd ones by others, from odd on.
func (v *thirtyTwo) weighHalves(factors *factorTable[float32], even, odd, step uint32) {
	for e := uint32(1); e < 16; e++ {
		v[2*e] = v[2*e].times(factors.at(even + step*(e-1)))
		v[2*e+1] = v[2*e+1].times(factors.at(odd + step*(e-1)))
	}
}

// setHalf sets numbers that are two apart.
func (v *thirtyTwo) setHalf(from uint32, w *sixteen[float32]) {
	for e := range uint32(16) {
		v[from+2*e] = w[e]
	}
}

// halves transforms the numbers of even indices, and those of odd ones.
func (v *thirtyTwo) halves() {
	even, odd := v.half(0), v.half(1)
	dft16(&even)
	dft16(&odd)
	v.setHalf(0, &even)
	v.setHalf(1, &odd)
}

// dft32 transforms v in order, as twice sixteen numbers.
func dft32(v *thirtyTwo) {
	even, odd := v.half(0), v.half(1)
	dft16(&even)
	dft16(&odd)
	odd[1] = odd[1].times(pair[float32]{cos11, -sin11})
	odd[2] = odd[2].times(pair[float32]{cos22, -sin22})
	odd[3] = odd[3].times(pair[float32]{cos33, -sin33})
	odd[4] = odd[4].eighth()
	odd[5] = odd[5].times(pair[float32]{sin33, -cos33})
	odd[6] = odd[6].times(pair[float32]{sin22, -cos22})
	odd[7] = odd[7].times(pair[float32]{sin11, -cos11})
	odd[8] = odd[8].turned()
	odd[9] = odd[9].times(pair[float32]{-sin11, -cos11})
	odd[10] = odd[10].times(pair[float32]{-sin22, -cos22})
	odd[11] = odd[11].times(pair[float32]{-sin33, -cos33})
	odd[12] = odd[12].turned().eighth()
	odd[13] = odd[13].times(pair[float32]{-cos33, -sin33})
	odd[14] = odd[14].times(pair[float32]{-cos22, -sin22})
	odd[15] = odd[15].times(pair[float32]{-cos11, -sin11})
	for e := range uint32(16) {
		v[e], v[e+16] = dft2(even[e], odd[e])
	}
}

// weigh multiplies all numbers but the first by factors that are step apart.
func (v *thirtyTwo) weigh(factors *factorTable[float32], at, step uint32) {
	for e := uint32(1); e < 32; e++ {
		v[e] = v[e].times(factors.at(at + step*(e-1)))
	}
}

// store stores numbers that are step apart, unless the column is none.
func (v *thirtyTwo) store(y [][2]float32, p *pass, scale float32, column, at, step uint32) {
	if column >= p.Columns {
		return
	}
	if scale != 1 || p.Flags&conjugateOut != 0 {
		z := sinkOf(scale, p.Flags)
		for e := range uint32(32) {
			v[e].re *= z.real
			v[e].im *= z.imaginary
		}
	}
	for e := range uint32(32) {
		y[at+e*step] = [2]float32{v[e].re, v[e].im}
	}
}

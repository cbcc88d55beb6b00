package fast

// This file has what an item does with 32 numbers in registers. Loops over them are unrolled.

// ThirtyTwo are the numbers of an item.
type ThirtyTwo struct{ Re, Im [32]float32 }

func (v *ThirtyTwo) at(e uint32) number { return number{v.Re[e], v.Im[e]} }

func (v *ThirtyTwo) set(e uint32, w number) { v.Re[e], v.Im[e] = w.re, w.im }

// multiply multiplies a number.
func (v *ThirtyTwo) multiply(e uint32, w number) { v.set(e, v.at(e).times(w)) }

// Take loads numbers that are step apart, of x or of y, and conjugates them if they are to be.
func (p *Pass) Take(x, y [][2]float32, at, step uint32) (v ThirtyTwo) {
	if p.Flags&InPlace != 0 {
		for e := range uint32(32) {
			v.set(e, load(y, at+e*step))
		}
	} else {
		for e := range uint32(32) {
			v.set(e, load(x, at+e*step))
		}
	}
	if p.Flags&ConjugateIn != 0 {
		for e := range uint32(32) {
			v.Im[e] = -v.Im[e]
		}
	}
	return v
}

// Store stores numbers that are step apart, times scale, unless the column is none.
func (p *Pass) Store(v *ThirtyTwo, scale float32, y [][2]float32, column, at, step uint32) {
	if column >= p.Columns {
		return
	}
	if scale != 1 || p.Flags&ConjugateOut != 0 {
		imaginary := scale
		if p.Flags&ConjugateOut != 0 {
			imaginary = -scale
		}
		for e := range uint32(32) {
			v.Re[e] *= scale
			v.Im[e] *= imaginary
		}
	}
	for e := range uint32(32) {
		y[at+e*step] = [2]float32{v.Re[e], v.Im[e]}
	}
}

// powers multiplies the numbers by first, first·w, first·w² and so on. w8 is the eighth power of w
// from the table: a product would have eight times the error of w.
func (v *ThirtyTwo) powers(first, w, w8 number) {
	for e := range uint32(8) {
		v.series(e, first, w8)
		first = first.times(w)
	}
}

// series multiplies four numbers, from one on and eight apart, by first, first·w and so on.
func (v *ThirtyTwo) series(from uint32, first, w number) {
	v.multiply(from, first)
	first = first.times(w)
	v.multiply(from+8, first)
	first = first.times(w)
	v.multiply(from+16, first)
	v.multiply(from+24, first.times(w))
}

// half returns the numbers of even or of odd indices.
func (v *ThirtyTwo) half(from uint32) (w [16]number) {
	for e := range uint32(16) {
		w[e] = v.at(from + 2*e)
	}
	return w
}

// halves transforms the numbers of even indices, and those of odd ones.
func (v *ThirtyTwo) halves() {
	even, odd := v.half(0), v.half(1)
	dft16(&even)
	dft16(&odd)
	for e := range uint32(16) {
		v.set(2*e, even[e])
		v.set(2*e+1, odd[e])
	}
}

// DFT transforms the numbers in order, as twice sixteen.
func (v *ThirtyTwo) DFT() {
	even, odd := v.half(0), v.half(1)
	dft16(&even)
	dft16(&odd)
	odd[1] = odd[1].times(number{cos11, -sin11})
	odd[2] = odd[2].times(number{cos22, -sin22})
	odd[3] = odd[3].times(number{cos33, -sin33})
	odd[4] = odd[4].eighth()
	odd[5] = odd[5].times(number{sin33, -cos33})
	odd[6] = odd[6].times(number{sin22, -cos22})
	odd[7] = odd[7].times(number{sin11, -cos11})
	odd[8] = odd[8].turned()
	odd[9] = odd[9].times(number{-sin11, -cos11})
	odd[10] = odd[10].times(number{-sin22, -cos22})
	odd[11] = odd[11].times(number{-sin33, -cos33})
	odd[12] = odd[12].turned().eighth()
	odd[13] = odd[13].times(number{-cos33, -sin33})
	odd[14] = odd[14].times(number{-cos22, -sin22})
	odd[15] = odd[15].times(number{-cos11, -sin11})
	for e := range uint32(16) {
		v.set(e, even[e].plus(odd[e]))
		v.set(e+16, even[e].minus(odd[e]))
	}
}

// FactorTable has the twiddle factors of the stages of a transform. Its size is known to the
// compiler, which leaves out tests of bounds.
type FactorTable [7168][2]float32

func (f *FactorTable) at(n uint32) number {
	v := f[n]
	return number{v[0], v[1]}
}

// weigh multiplies all numbers but the first by factors that are step apart.
func (v *ThirtyTwo) weigh(factors *FactorTable, at, step uint32) {
	for e := uint32(1); e < 32; e++ {
		v.multiply(e, factors.at(at+step*(e-1)))
	}
}

// weighHalves multiplies the numbers of even indices but the first by factors that are step apart,
// from even on, and those of odd ones by others, from odd on.
func (v *ThirtyTwo) weighHalves(factors *FactorTable, even, odd, step uint32) {
	for e := uint32(1); e < 16; e++ {
		v.multiply(2*e, factors.at(even+step*(e-1)))
		v.multiply(2*e+1, factors.at(odd+step*(e-1)))
	}
}

// Last is a stage of radix 16 or 32 behind one of 32, for item k. With radix 16 it has two
// transforms, of the numbers of even indices and of odd ones.
func (v *ThirtyTwo) Last(radix uint32, factors *FactorTable, k uint32) {
	if radix == 32 {
		v.weigh(factors, 31+k, 32)
		v.DFT()
		return
	}
	v.weighHalves(factors, 31+k, 31+16+k, 32)
	v.halves()
}

// weighLast is weigh for the last stage of long rows. The table has the factors of numbers 1 to 8.
// Others are products of these.
func (v *ThirtyTwo) weighLast(factors *FactorTable, at, step uint32) {
	eight := factors.at(at + 7*step)
	v.multiply(8, eight)
	v.multiply(16, eight.times(eight))
	v.multiply(24, eight.times(eight).times(eight))
	for e := uint32(1); e < 8; e++ {
		v.series(e, factors.at(at+(e-1)*step), eight)
	}
}

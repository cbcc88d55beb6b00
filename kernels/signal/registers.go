package signal

// This file has what an item does with sixteen numbers in registers.

// sixteen are the numbers of an item, in registers.
type sixteen[T Float] [16]pair[T]

// take loads numbers that are step apart, of x or of y.
func take[T Float](x, y [][2]T, p *pass, at, step uint32) sixteen[T] {
	if p.Flags&inPlace != 0 {
		return apart(y, at, step)
	}
	return apart(x, at, step)
}

func apart[T Float](x [][2]T, at, step uint32) sixteen[T] {
	return sixteen[T]{
		load(x, at),
		load(x, at+step),
		load(x, at+2*step),
		load(x, at+3*step),
		load(x, at+4*step),
		load(x, at+5*step),
		load(x, at+6*step),
		load(x, at+7*step),
		load(x, at+8*step),
		load(x, at+9*step),
		load(x, at+10*step),
		load(x, at+11*step),
		load(x, at+12*step),
		load(x, at+13*step),
		load(x, at+14*step),
		load(x, at+15*step),
	}
}

// conjugate conjugates numbers if they are to be: by a factor, which takes less than a choice.
func conjugate[T Float](v *sixteen[T], flags uint32) {
	sign := T(1)
	if flags&conjugateIn != 0 {
		sign = -1
	}
	v[0].im *= sign
	v[1].im *= sign
	v[2].im *= sign
	v[3].im *= sign
	v[4].im *= sign
	v[5].im *= sign
	v[6].im *= sign
	v[7].im *= sign
	v[8].im *= sign
	v[9].im *= sign
	v[10].im *= sign
	v[11].im *= sign
	v[12].im *= sign
	v[13].im *= sign
	v[14].im *= sign
	v[15].im *= sign
}

// powers multiplies the numbers by first, first·w, first·w² and so on.
func powers[T Float](v *sixteen[T], first, w pair[T]) {
	two := w.times(w)
	four := two.times(two)
	eight := four.times(four)
	three, five, six := two.times(w), four.times(w), four.times(two)
	seven := four.times(three)
	v[0] = v[0].times(first)
	v[1] = v[1].times(first.times(w))
	v[2] = v[2].times(first.times(two))
	v[3] = v[3].times(first.times(three))
	v[4] = v[4].times(first.times(four))
	v[5] = v[5].times(first.times(five))
	v[6] = v[6].times(first.times(six))
	v[7] = v[7].times(first.times(seven))
	first = first.times(eight)
	v[8] = v[8].times(first)
	v[9] = v[9].times(first.times(w))
	v[10] = v[10].times(first.times(two))
	v[11] = v[11].times(first.times(three))
	v[12] = v[12].times(first.times(four))
	v[13] = v[13].times(first.times(five))
	v[14] = v[14].times(first.times(six))
	v[15] = v[15].times(first.times(seven))
}

// factorTable has the twiddle factors of the stages of a transform. Its size is known to the
// compiler, which leaves out tests of bounds.
type factorTable[T Float] [7168][2]T

func (f *factorTable[T]) at(n uint32) pair[T] {
	v := f[n]
	return pair[T]{v[0], v[1]}
}

// Where the factors of stages 2 and 3 begin, see stageTable.
const (
	secondStage = 15
	thirdStage  = secondStage + 15*16
)

// weigh multiplies all numbers but the first by factors that are step apart.
func weigh[T Float](v *sixteen[T], factors *factorTable[T], at, step uint32) {
	v[1] = v[1].times(factors.at(at))
	v[2] = v[2].times(factors.at(at + step))
	v[3] = v[3].times(factors.at(at + 2*step))
	v[4] = v[4].times(factors.at(at + 3*step))
	v[5] = v[5].times(factors.at(at + 4*step))
	v[6] = v[6].times(factors.at(at + 5*step))
	v[7] = v[7].times(factors.at(at + 6*step))
	v[8] = v[8].times(factors.at(at + 7*step))
	v[9] = v[9].times(factors.at(at + 8*step))
	v[10] = v[10].times(factors.at(at + 9*step))
	v[11] = v[11].times(factors.at(at + 10*step))
	v[12] = v[12].times(factors.at(at + 11*step))
	v[13] = v[13].times(factors.at(at + 12*step))
	v[14] = v[14].times(factors.at(at + 13*step))
	v[15] = v[15].times(factors.at(at + 14*step))
}

// planeOf is the workgroup memory of transforms in registers, which has the real or the imaginary
// parts of all numbers, with gaps.
type planeOf[T Float] interface {
	~[withGaps]T | ~[wideGaps]T
}

// put writes numbers that are step apart, with a gap of one number behind each 16 of gaps for each.
func put[T Float, P planeOf[T]](memory *P, at, step, gaps uint32, v [16]T) {
	for e := range uint32(16) {
		(*memory)[at+e*step+e*gaps/16] = v[e]
	}
}

// get reads numbers that are step apart, gaps included.
func get[T Float, P planeOf[T]](memory *P, at, step uint32) [16]T {
	return [16]T{
		(*memory)[at],
		(*memory)[at+step],
		(*memory)[at+2*step],
		(*memory)[at+3*step],
		(*memory)[at+4*step],
		(*memory)[at+5*step],
		(*memory)[at+6*step],
		(*memory)[at+7*step],
		(*memory)[at+8*step],
		(*memory)[at+9*step],
		(*memory)[at+10*step],
		(*memory)[at+11*step],
		(*memory)[at+12*step],
		(*memory)[at+13*step],
		(*memory)[at+14*step],
		(*memory)[at+15*step],
	}
}

// getSlots reads numbers of slots, which are adjacent. Those of one are step apart, gaps included.
func getSlots[T Float, P planeOf[T]](memory *P, at, slots, step uint32) [16]T {
	return [16]T{
		(*memory)[at+0%slots+0/slots*step],
		(*memory)[at+1%slots+1/slots*step],
		(*memory)[at+2%slots+2/slots*step],
		(*memory)[at+3%slots+3/slots*step],
		(*memory)[at+4%slots+4/slots*step],
		(*memory)[at+5%slots+5/slots*step],
		(*memory)[at+6%slots+6/slots*step],
		(*memory)[at+7%slots+7/slots*step],
		(*memory)[at+8%slots+8/slots*step],
		(*memory)[at+9%slots+9/slots*step],
		(*memory)[at+10%slots+10/slots*step],
		(*memory)[at+11%slots+11/slots*step],
		(*memory)[at+12%slots+12/slots*step],
		(*memory)[at+13%slots+13/slots*step],
		(*memory)[at+14%slots+14/slots*step],
		(*memory)[at+15%slots+15/slots*step],
	}
}

func (v *sixteen[T]) reals() [16]T {
	return [16]T{v[0].re, v[1].re, v[2].re, v[3].re, v[4].re, v[5].re, v[6].re, v[7].re, v[8].re, v[9].re, v[10].re, v[11].re, v[12].re, v[13].re, v[14].re, v[15].re}
}

func (v *sixteen[T]) imaginaries() [16]T {
	return [16]T{v[0].im, v[1].im, v[2].im, v[3].im, v[4].im, v[5].im, v[6].im, v[7].im, v[8].im, v[9].im, v[10].im, v[11].im, v[12].im, v[13].im, v[14].im, v[15].im}
}

func join[T Float](re, im [16]T) sixteen[T] {
	return sixteen[T]{
		{re[0], im[0]}, {re[1], im[1]}, {re[2], im[2]}, {re[3], im[3]}, {re[4], im[4]}, {re[5], im[5]}, {re[6], im[6]}, {re[7], im[7]},
		{re[8], im[8]}, {re[9], im[9]}, {re[10], im[10]}, {re[11], im[11]}, {re[12], im[12]}, {re[13], im[13]}, {re[14], im[14]}, {re[15], im[15]},
	}
}

// lastStage is a stage of a radix whose numbers are as many apart as there are slots. The stages
// before it make span. Slot s has the twiddle factors from at + s·step on.
func lastStage[T Float](v *sixteen[T], radix uint32, factors *factorTable[T], span, at, step uint32) {
	switch radix {
	case 16:
		weigh(v, factors, at, span)
		dft16(v)
	case 8:
		last8(v, 0, factors, span, at)
		last8(v, 1, factors, span, at+step)
	case 4:
		last4(v, 0, factors, span, at)
		last4(v, 1, factors, span, at+step)
		last4(v, 2, factors, span, at+2*step)
		last4(v, 3, factors, span, at+3*step)
	case 2:
		v[0], v[8] = dft2(v[0], v[8].times(factors.at(at)))
		v[1], v[9] = dft2(v[1], v[9].times(factors.at(at+step)))
		v[2], v[10] = dft2(v[2], v[10].times(factors.at(at+2*step)))
		v[3], v[11] = dft2(v[3], v[11].times(factors.at(at+3*step)))
		v[4], v[12] = dft2(v[4], v[12].times(factors.at(at+4*step)))
		v[5], v[13] = dft2(v[5], v[13].times(factors.at(at+5*step)))
		v[6], v[14] = dft2(v[6], v[14].times(factors.at(at+6*step)))
		v[7], v[15] = dft2(v[7], v[15].times(factors.at(at+7*step)))
	}
}

func last8[T Float](v *sixteen[T], s uint32, factors *factorTable[T], span, at uint32) {
	a := [8]pair[T]{
		v[s],
		v[s+2].times(factors.at(at)),
		v[s+4].times(factors.at(at + span)),
		v[s+6].times(factors.at(at + 2*span)),
		v[s+8].times(factors.at(at + 3*span)),
		v[s+10].times(factors.at(at + 4*span)),
		v[s+12].times(factors.at(at + 5*span)),
		v[s+14].times(factors.at(at + 6*span)),
	}
	dft8(&a)
	v[s], v[s+2], v[s+4], v[s+6], v[s+8], v[s+10], v[s+12], v[s+14] = a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7]
}

func last4[T Float](v *sixteen[T], s uint32, factors *factorTable[T], span, at uint32) {
	v[s], v[s+4], v[s+8], v[s+12] = dft4(v[s], v[s+4].times(factors.at(at)), v[s+8].times(factors.at(at+span)), v[s+12].times(factors.at(at+2*span)))
}

// sink is where an item's results go: result e of slot e%slots. The factors are those of real and
// of imaginary parts.
type sink[T Float] struct {
	real, imaginary             T
	at, slots, slot, step, left uint32
}

// sinkOf returns a sink of scaled results, conjugated if they are to be.
func sinkOf[T Float](scale T, flags uint32) sink[T] {
	if flags&conjugateOut != 0 {
		return sink[T]{real: scale, imaginary: -scale}
	}
	return sink[T]{real: scale, imaginary: scale}
}

func (z *sink[T]) store(y [][2]T, e uint32, v pair[T]) {
	if e%z.slots < z.left {
		y[z.at+e%z.slots*z.slot+e/z.slots*z.step] = [2]T{v.re * z.real, v.im * z.imaginary}
	}
}

func (z *sink[T]) storeAll(y [][2]T, v *sixteen[T]) {
	z.store(y, 0, v[0])
	z.store(y, 1, v[1])
	z.store(y, 2, v[2])
	z.store(y, 3, v[3])
	z.store(y, 4, v[4])
	z.store(y, 5, v[5])
	z.store(y, 6, v[6])
	z.store(y, 7, v[7])
	z.store(y, 8, v[8])
	z.store(y, 9, v[9])
	z.store(y, 10, v[10])
	z.store(y, 11, v[11])
	z.store(y, 12, v[12])
	z.store(y, 13, v[13])
	z.store(y, 14, v[14])
	z.store(y, 15, v[15])
}

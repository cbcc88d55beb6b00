package signal

// butterfly is what transforms of a few numbers have in common that are a stage in the memory of
// a workgroup. Inputs begin at from and outputs at to, with imaginary parts part behind. Twiddle
// factors begin at factor: span for each input but the first.
type butterfly struct{ span, from, to, part, factor uint32 }

// next goes on to the next stage.
func (b *butterfly) next(radix uint32) {
	b.factor += (radix - 1) * b.span
	b.span *= radix
	b.from, b.to = b.to, b.from
}

// inputAt is an input, and weighted an input times its factor. setInput and setOutput replace an
// input or an output.
func inputAt[T Float, R room[T]](shared *R, b *butterfly, at uint32) pair[T] {
	return pair[T]{(*shared)[b.from+at], (*shared)[b.from+b.part+at]}
}

func weighted[T Float, R room[T]](shared *R, b *butterfly, at uint32, factors [][2]T, f uint32) pair[T] {
	return inputAt[T](shared, b, at).times(load(factors, f))
}

func setInput[T Float, R room[T]](shared *R, b *butterfly, at uint32, v pair[T]) {
	(*shared)[b.from+at] = v.re
	(*shared)[b.from+b.part+at] = v.im
}

func setOutput[T Float, R room[T]](shared *R, b *butterfly, at uint32, v pair[T]) {
	(*shared)[b.to+at] = v.re
	(*shared)[b.to+b.part+at] = v.im
}

// compute is one transform of a stage: of radix inputs from on, step apart, with factors from f
// on. Its outputs are from to on, far apart.
func compute[T Float, R room[T]](shared *R, b *butterfly, radix, from, step, to, far, f uint32, factors [][2]T) {
	first := inputAt[T](shared, b, from)
	switch radix {
	case 2:
		p, q := dft2(first, weighted[T](shared, b, from+step, factors, f))
		setOutput(shared, b, to, p)
		setOutput(shared, b, to+far, q)
	case 3:
		p, q, r := dft3(first, weighted[T](shared, b, from+step, factors, f), weighted[T](shared, b, from+2*step, factors, f+b.span))
		setOutput(shared, b, to, p)
		setOutput(shared, b, to+far, q)
		setOutput(shared, b, to+2*far, r)
	case 4:
		p, q, r, s := dft4(first,
			weighted[T](shared, b, from+step, factors, f),
			weighted[T](shared, b, from+2*step, factors, f+b.span),
			weighted[T](shared, b, from+3*step, factors, f+2*b.span))
		setOutput(shared, b, to, p)
		setOutput(shared, b, to+far, q)
		setOutput(shared, b, to+2*far, r)
		setOutput(shared, b, to+3*far, s)
	case 5:
		p, q, r, s, t := dft5(first,
			weighted[T](shared, b, from+step, factors, f),
			weighted[T](shared, b, from+2*step, factors, f+b.span),
			weighted[T](shared, b, from+3*step, factors, f+2*b.span),
			weighted[T](shared, b, from+4*step, factors, f+3*b.span))
		setOutput(shared, b, to, p)
		setOutput(shared, b, to+far, q)
		setOutput(shared, b, to+2*far, r)
		setOutput(shared, b, to+3*far, s)
		setOutput(shared, b, to+4*far, t)
	case 8:
		v := [8]pair[T]{
			first,
			weighted[T](shared, b, from+step, factors, f),
			weighted[T](shared, b, from+2*step, factors, f+b.span),
			weighted[T](shared, b, from+3*step, factors, f+2*b.span),
			weighted[T](shared, b, from+4*step, factors, f+3*b.span),
			weighted[T](shared, b, from+5*step, factors, f+4*b.span),
			weighted[T](shared, b, from+6*step, factors, f+5*b.span),
			weighted[T](shared, b, from+7*step, factors, f+6*b.span),
		}
		dft8(&v)
		setOutput(shared, b, to, v[0])
		setOutput(shared, b, to+far, v[1])
		setOutput(shared, b, to+2*far, v[2])
		setOutput(shared, b, to+3*far, v[3])
		setOutput(shared, b, to+4*far, v[4])
		setOutput(shared, b, to+5*far, v[5])
		setOutput(shared, b, to+6*far, v[6])
		setOutput(shared, b, to+7*far, v[7])
	default:
		computePrime(shared, b, radix, from, step, to, far, f, factors)
	}
}

// computePrime is compute for radix 7, 11 or 13. Inputs j and radix-j have conjugate roots, so
// that sums of their sum and of their difference suffice, with real factors. These replace the
// inputs, which nobody else reads. Sums are added in order.
func computePrime[T Float, R room[T]](shared *R, b *butterfly, radix, from, step, to, far, f uint32, factors [][2]T) {
	first := inputAt[T](shared, b, from)
	sum := first
	for j := uint32(1); 2*j < radix; j++ {
		one := weighted[T](shared, b, from+j*step, factors, f+(j-1)*b.span)
		other := weighted[T](shared, b, from+(radix-j)*step, factors, f+(radix-j-1)*b.span)
		both, difference := one.plus(other), one.minus(other).turned()
		sum = sum.plus(both)
		setInput(shared, b, from+j*step, both)
		setInput(shared, b, from+(radix-j)*step, difference)
	}
	setOutput(shared, b, to, sum)
	table := rootsOf(radix)
	for k := uint32(1); 2*k < radix; k++ {
		even, odd := first, pair[T]{}
		at := uint32(0) // j·k modulo the radix
		for j := uint32(1); 2*j < radix; j++ {
			if at += k; at >= radix {
				at -= radix
			}
			root := load(factors, table+at)
			even = even.plus(inputAt[T](shared, b, from+j*step).scaled(root.re))
			odd = odd.minus(inputAt[T](shared, b, from+(radix-j)*step).scaled(root.im))
		}
		setOutput(shared, b, to+k*far, even.plus(odd))
		setOutput(shared, b, to+(radix-k)*far, even.minus(odd))
	}
}

// The roots of one of orders 7, 11 and 13 begin at these positions of a table of factors.
const (
	roots7  = 0
	roots11 = 7
	roots13 = 18
	roots   = 31 // where factors begin
)

func rootsOf(radix uint32) uint32 {
	switch radix {
	case 7:
		return roots7
	case 11:
		return roots11
	}
	return roots13
}

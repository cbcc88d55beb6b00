package signal

// This file has forward transforms of a few numbers, in registers. Their results are in order.

// The real and imaginary parts of roots of one.
const (
	half     = 0.5
	sin60    = 0.86602540378443864676372317075293618
	cos72    = 0.30901699437494742410229341718281906
	sin72    = 0.95105651629515357211643933337938214
	cos144   = -0.80901699437494742410229341718281906
	sin144   = 0.58778525229247312916870595463907277
	rootHalf = 0.70710678118654752440084436210484904
	cos22    = 0.92387953251128675612818318939678829 // of π/8
	sin22    = 0.38268343236508977172845998403039887
)

func dft2[T Float](a, b pair[T]) (p, q pair[T]) { return a.plus(b), a.minus(b) }

func dft3[T Float](a, b, c pair[T]) (p, q, r pair[T]) {
	sum, difference := b.plus(c), b.minus(c).turned().scaled(T(sin60))
	mean := a.minus(sum.scaled(T(half)))
	return a.plus(sum), mean.plus(difference), mean.minus(difference)
}

func dft4[T Float](a, b, c, d pair[T]) (p, q, r, s pair[T]) {
	even, odd := a.plus(c), b.plus(d)
	difference, quarter := a.minus(c), b.minus(d).turned()
	return even.plus(odd), difference.plus(quarter), even.minus(odd), difference.minus(quarter)
}

func dft5[T Float](a, b, c, d, e pair[T]) (p, q, r, s, t pair[T]) {
	outer, inner := b.plus(e), c.plus(d)
	outerOdd, innerOdd := b.minus(e).turned(), c.minus(d).turned()
	first := a.plus(outer.scaled(T(cos72))).plus(inner.scaled(T(cos144)))
	second := a.plus(outer.scaled(T(cos144))).plus(inner.scaled(T(cos72)))
	firstOdd := outerOdd.scaled(T(sin72)).plus(innerOdd.scaled(T(sin144)))
	secondOdd := outerOdd.scaled(T(sin144)).minus(innerOdd.scaled(T(sin72)))
	return a.plus(outer).plus(inner), first.plus(firstOdd), second.plus(secondOdd), second.minus(secondOdd), first.minus(firstOdd)
}

// dft8 transforms v in order. It is two transforms of four numbers, of the even and the odd
// ones.
func dft8[T Float](v *[8]pair[T]) {
	v[0], v[2], v[4], v[6] = dft4(v[0], v[2], v[4], v[6])
	v[1], v[3], v[5], v[7] = dft4(v[1], v[3], v[5], v[7])
	a, b, c := v[3].eighth(), v[5].turned(), v[7].turned().eighth()
	v0, v4 := dft2(v[0], v[1])
	v1, v5 := dft2(v[2], a)
	v2, v6 := dft2(v[4], b)
	v3, v7 := dft2(v[6], c)
	v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7] = v0, v1, v2, v3, v4, v5, v6, v7
}

// eighth is the product with the eighth root of one, (1-i)/√2.
func (v pair[T]) eighth() pair[T] {
	return pair[T]{(v.re + v.im) * T(rootHalf), (v.im - v.re) * T(rootHalf)}
}

// sixteenths returns the first, third and ninth power of the sixteenth root of one.
func sixteenths[T Float]() (one, three, nine pair[T]) {
	return pair[T]{T(cos22), -T(sin22)}, pair[T]{T(sin22), -T(cos22)}, pair[T]{-T(cos22), T(sin22)}
}

// dft16 transforms v in order, as four times four numbers.
func dft16[T Float](v *sixteen[T]) {
	v[0], v[4], v[8], v[12] = dft4(v[0], v[4], v[8], v[12])
	v[1], v[5], v[9], v[13] = dft4(v[1], v[5], v[9], v[13])
	v[2], v[6], v[10], v[14] = dft4(v[2], v[6], v[10], v[14])
	v[3], v[7], v[11], v[15] = dft4(v[3], v[7], v[11], v[15])
	one, three, nine := sixteenths[T]()
	a0, a1, a2, a3 := dft4(v[0], v[1], v[2], v[3])
	b0, b1, b2, b3 := dft4(v[4], v[5].times(one), v[6].eighth(), v[7].times(three))
	c0, c1, c2, c3 := dft4(v[8], v[9].eighth(), v[10].turned(), v[11].turned().eighth())
	d0, d1, d2, d3 := dft4(v[12], v[13].times(three), v[14].turned().eighth(), v[15].times(nine))
	v[0], v[4], v[8], v[12] = a0, a1, a2, a3
	v[1], v[5], v[9], v[13] = b0, b1, b2, b3
	v[2], v[6], v[10], v[14] = c0, c1, c2, c3
	v[3], v[7], v[11], v[15] = d0, d1, d2, d3
}

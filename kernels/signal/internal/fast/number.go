package fast

// This file has transforms of a few numbers, as package signal has them for any type of floats.

// number is a complex number.
type number struct{ re, im float32 }

func load(x [][2]float32, i uint32) number {
	v := x[i]
	return number{v[0], v[1]}
}

func (v number) plus(w number) number { return number{v.re + w.re, v.im + w.im} }

func (v number) minus(w number) number { return number{v.re - w.re, v.im - w.im} }

func (v number) times(w number) number {
	return number{v.re*w.re - v.im*w.im, v.re*w.im + v.im*w.re}
}

// turned is the product with -i.
func (v number) turned() number { return number{v.im, -v.re} }

// eighth is the product with the eighth root of one, (1-i)/√2.
func (v number) eighth() number {
	return number{(v.re + v.im) * rootHalf, (v.im - v.re) * rootHalf}
}

// The real and imaginary parts of roots of one.
const (
	rootHalf = 0.70710678118654752440084436210484904
	cos11    = 0.98078528040323044912618223613423904 // of π/16
	sin11    = 0.19509032201612826784828486847702224
	cos22    = 0.92387953251128675612818318939678829 // of π/8
	sin22    = 0.38268343236508977172845998403039887
	cos33    = 0.83146961230254523707878837761790576 // of 3π/16
	sin33    = 0.55557023301960222474283081394853287
)

func dft4(a, b, c, d number) (p, q, r, s number) {
	even, odd := a.plus(c), b.plus(d)
	difference, quarter := a.minus(c), b.minus(d).turned()
	return even.plus(odd), difference.plus(quarter), even.minus(odd), difference.minus(quarter)
}

// dft16 transforms v in order, as four times four numbers.
func dft16(v *[16]number) {
	v[0], v[4], v[8], v[12] = dft4(v[0], v[4], v[8], v[12])
	v[1], v[5], v[9], v[13] = dft4(v[1], v[5], v[9], v[13])
	v[2], v[6], v[10], v[14] = dft4(v[2], v[6], v[10], v[14])
	v[3], v[7], v[11], v[15] = dft4(v[3], v[7], v[11], v[15])
	one, three, nine := number{cos22, -sin22}, number{sin22, -cos22}, number{-cos22, sin22}
	a0, a1, a2, a3 := dft4(v[0], v[1], v[2], v[3])
	b0, b1, b2, b3 := dft4(v[4], v[5].times(one), v[6].eighth(), v[7].times(three))
	c0, c1, c2, c3 := dft4(v[8], v[9].eighth(), v[10].turned(), v[11].turned().eighth())
	d0, d1, d2, d3 := dft4(v[12], v[13].times(three), v[14].turned().eighth(), v[15].times(nine))
	v[0], v[4], v[8], v[12] = a0, a1, a2, a3
	v[1], v[5], v[9], v[13] = b0, b1, b2, b3
	v[2], v[6], v[10], v[14] = c0, c1, c2, c3
	v[3], v[7], v[11], v[15] = d0, d1, d2, d3
}

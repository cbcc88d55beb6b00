package signal

// This file has forward transforms of 6 to 15 numbers, in registers. Their results are in order.
//
// Those of a·b numbers without a common factor are a transforms of b numbers and b transforms of a
// numbers, without twiddle factors. Source: Good, "The interaction algorithm and practical Fourier
// analysis", 1958.

// The real and imaginary parts of roots of one of orders 7, 9, 11 and 13.
const (
	cos1of7  = 0.62348980185873353052500488400423981
	sin1of7  = 0.78183148246802980870844452667405775
	cos2of7  = -0.22252093395631440428890256449679476
	sin2of7  = 0.97492791218182360701813168299393122
	cos3of7  = -0.90096886790241912623610231950744505
	sin3of7  = 0.43388373911755812047576833284835875
	cos1of9  = 0.76604444311897803520239265055541667
	sin1of9  = 0.64278760968653932632264340990726343
	cos2of9  = 0.17364817766693034885171662676931480
	sin2of9  = 0.98480775301220805936674302458952301
	cos4of9  = -0.93969262078590838405410927732473147
	sin4of9  = 0.34202014332566873304409961468225958
	cos1of11 = 0.84125353283118116886181164891936772
	sin1of11 = 0.54064081745559758210763595431869170
	cos2of11 = 0.41541501300188642552927414922962320
	sin2of11 = 0.90963199535451837141171538307902846
	cos3of11 = -0.14231483827328514044379266861636967
	sin3of11 = 0.98982144188093273237609203777671879
	cos4of11 = -0.65486073394528506405692507246629355
	sin4of11 = 0.75574957435425828377403584397234442
	cos5of11 = -0.95949297361449738989036805706632770
	sin5of11 = 0.28173255684142969771141791534661690
	cos1of13 = 0.88545602565320989590037552201509888
	sin1of13 = 0.46472317204376854565601533513310478
	cos2of13 = 0.56806474673115580251180755912751662
	sin2of13 = 0.82298386589365639457961742343938199
	cos3of13 = 0.12053668025532305334906768745254358
	sin3of13 = 0.99270887409805399280075164949252018
	cos4of13 = -0.35460488704253562596963789260001847
	sin4of13 = 0.93501624268541482343978459983783073
	cos5of13 = -0.74851074817110109863463059970135138
	sin5of13 = 0.66312265824079520237678549266676628
	cos6of13 = -0.97094181742605202715698227629378923
	sin6of13 = 0.23931566428755776714875372626021190
)

func dft7[T Float](a, b, c, d, e, f, g pair[T]) (p, q, r, s, t, u, v pair[T]) {
	one, two, three := b.plus(g), c.plus(f), d.plus(e)
	oneOdd, twoOdd, threeOdd := b.minus(g).turned(), c.minus(f).turned(), d.minus(e).turned()
	first := a.plus(one.scaled(T(cos1of7))).plus(two.scaled(T(cos2of7))).plus(three.scaled(T(cos3of7)))
	second := a.plus(one.scaled(T(cos2of7))).plus(two.scaled(T(cos3of7))).plus(three.scaled(T(cos1of7)))
	third := a.plus(one.scaled(T(cos3of7))).plus(two.scaled(T(cos1of7))).plus(three.scaled(T(cos2of7)))
	firstOdd := oneOdd.scaled(T(sin1of7)).plus(twoOdd.scaled(T(sin2of7))).plus(threeOdd.scaled(T(sin3of7)))
	secondOdd := oneOdd.scaled(T(sin2of7)).minus(twoOdd.scaled(T(sin3of7))).minus(threeOdd.scaled(T(sin1of7)))
	thirdOdd := oneOdd.scaled(T(sin3of7)).minus(twoOdd.scaled(T(sin1of7))).plus(threeOdd.scaled(T(sin2of7)))
	sum := a.plus(one).plus(two).plus(three)
	return sum, first.plus(firstOdd), second.plus(secondOdd), third.plus(thirdOdd), third.minus(thirdOdd), second.minus(secondOdd), first.minus(firstOdd)
}

// dft9 transforms v in order, as three times three numbers.
func dft9[T Float](v *sixteen[T]) {
	a0, a1, a2 := dft3(v[0], v[3], v[6])
	b0, b1, b2 := dft3(v[1], v[4], v[7])
	c0, c1, c2 := dft3(v[2], v[5], v[8])
	one, two, four := pair[T]{T(cos1of9), -T(sin1of9)}, pair[T]{T(cos2of9), -T(sin2of9)}, pair[T]{T(cos4of9), -T(sin4of9)}
	v[0], v[3], v[6] = dft3(a0, b0, c0)
	v[1], v[4], v[7] = dft3(a1, b1.times(one), c1.times(two))
	v[2], v[5], v[8] = dft3(a2, b2.times(two), c2.times(four))
}

func dft11[T Float](v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10 pair[T]) (y0, y1, y2, y3, y4, y5, y6, y7, y8, y9, y10 pair[T]) {
	a1, b1 := v1.plus(v10), v1.minus(v10).turned()
	a2, b2 := v2.plus(v9), v2.minus(v9).turned()
	a3, b3 := v3.plus(v8), v3.minus(v8).turned()
	a4, b4 := v4.plus(v7), v4.minus(v7).turned()
	a5, b5 := v5.plus(v6), v5.minus(v6).turned()
	y0 = v0.plus(a1).plus(a2).plus(a3).plus(a4).plus(a5)
	p1, q1 := v0.plus(a1.scaled(T(cos1of11))).plus(a2.scaled(T(cos2of11))).plus(a3.scaled(T(cos3of11))).plus(a4.scaled(T(cos4of11))).plus(a5.scaled(T(cos5of11))), b1.scaled(T(sin1of11)).plus(b2.scaled(T(sin2of11))).plus(b3.scaled(T(sin3of11))).plus(b4.scaled(T(sin4of11))).plus(b5.scaled(T(sin5of11)))
	p2, q2 := v0.plus(a1.scaled(T(cos2of11))).plus(a2.scaled(T(cos4of11))).plus(a3.scaled(T(cos5of11))).plus(a4.scaled(T(cos3of11))).plus(a5.scaled(T(cos1of11))), b1.scaled(T(sin2of11)).plus(b2.scaled(T(sin4of11))).minus(b3.scaled(T(sin5of11))).minus(b4.scaled(T(sin3of11))).minus(b5.scaled(T(sin1of11)))
	p3, q3 := v0.plus(a1.scaled(T(cos3of11))).plus(a2.scaled(T(cos5of11))).plus(a3.scaled(T(cos2of11))).plus(a4.scaled(T(cos1of11))).plus(a5.scaled(T(cos4of11))), b1.scaled(T(sin3of11)).minus(b2.scaled(T(sin5of11))).minus(b3.scaled(T(sin2of11))).plus(b4.scaled(T(sin1of11))).plus(b5.scaled(T(sin4of11)))
	p4, q4 := v0.plus(a1.scaled(T(cos4of11))).plus(a2.scaled(T(cos3of11))).plus(a3.scaled(T(cos1of11))).plus(a4.scaled(T(cos5of11))).plus(a5.scaled(T(cos2of11))), b1.scaled(T(sin4of11)).minus(b2.scaled(T(sin3of11))).plus(b3.scaled(T(sin1of11))).plus(b4.scaled(T(sin5of11))).minus(b5.scaled(T(sin2of11)))
	p5, q5 := v0.plus(a1.scaled(T(cos5of11))).plus(a2.scaled(T(cos1of11))).plus(a3.scaled(T(cos4of11))).plus(a4.scaled(T(cos2of11))).plus(a5.scaled(T(cos3of11))), b1.scaled(T(sin5of11)).minus(b2.scaled(T(sin1of11))).plus(b3.scaled(T(sin4of11))).minus(b4.scaled(T(sin2of11))).plus(b5.scaled(T(sin3of11)))
	return y0, p1.plus(q1), p2.plus(q2), p3.plus(q3), p4.plus(q4), p5.plus(q5), p5.minus(q5), p4.minus(q4), p3.minus(q3), p2.minus(q2), p1.minus(q1)
}

func dft13[T Float](v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11, v12 pair[T]) (y0, y1, y2, y3, y4, y5, y6, y7, y8, y9, y10, y11, y12 pair[T]) {
	a1, b1 := v1.plus(v12), v1.minus(v12).turned()
	a2, b2 := v2.plus(v11), v2.minus(v11).turned()
	a3, b3 := v3.plus(v10), v3.minus(v10).turned()
	a4, b4 := v4.plus(v9), v4.minus(v9).turned()
	a5, b5 := v5.plus(v8), v5.minus(v8).turned()
	a6, b6 := v6.plus(v7), v6.minus(v7).turned()
	y0 = v0.plus(a1).plus(a2).plus(a3).plus(a4).plus(a5).plus(a6)
	p1, q1 := v0.plus(a1.scaled(T(cos1of13))).plus(a2.scaled(T(cos2of13))).plus(a3.scaled(T(cos3of13))).plus(a4.scaled(T(cos4of13))).plus(a5.scaled(T(cos5of13))).plus(a6.scaled(T(cos6of13))), b1.scaled(T(sin1of13)).plus(b2.scaled(T(sin2of13))).plus(b3.scaled(T(sin3of13))).plus(b4.scaled(T(sin4of13))).plus(b5.scaled(T(sin5of13))).plus(b6.scaled(T(sin6of13)))
	p2, q2 := v0.plus(a1.scaled(T(cos2of13))).plus(a2.scaled(T(cos4of13))).plus(a3.scaled(T(cos6of13))).plus(a4.scaled(T(cos5of13))).plus(a5.scaled(T(cos3of13))).plus(a6.scaled(T(cos1of13))), b1.scaled(T(sin2of13)).plus(b2.scaled(T(sin4of13))).plus(b3.scaled(T(sin6of13))).minus(b4.scaled(T(sin5of13))).minus(b5.scaled(T(sin3of13))).minus(b6.scaled(T(sin1of13)))
	p3, q3 := v0.plus(a1.scaled(T(cos3of13))).plus(a2.scaled(T(cos6of13))).plus(a3.scaled(T(cos4of13))).plus(a4.scaled(T(cos1of13))).plus(a5.scaled(T(cos2of13))).plus(a6.scaled(T(cos5of13))), b1.scaled(T(sin3of13)).plus(b2.scaled(T(sin6of13))).minus(b3.scaled(T(sin4of13))).minus(b4.scaled(T(sin1of13))).plus(b5.scaled(T(sin2of13))).plus(b6.scaled(T(sin5of13)))
	p4, q4 := v0.plus(a1.scaled(T(cos4of13))).plus(a2.scaled(T(cos5of13))).plus(a3.scaled(T(cos1of13))).plus(a4.scaled(T(cos3of13))).plus(a5.scaled(T(cos6of13))).plus(a6.scaled(T(cos2of13))), b1.scaled(T(sin4of13)).minus(b2.scaled(T(sin5of13))).minus(b3.scaled(T(sin1of13))).plus(b4.scaled(T(sin3of13))).minus(b5.scaled(T(sin6of13))).minus(b6.scaled(T(sin2of13)))
	p5, q5 := v0.plus(a1.scaled(T(cos5of13))).plus(a2.scaled(T(cos3of13))).plus(a3.scaled(T(cos2of13))).plus(a4.scaled(T(cos6of13))).plus(a5.scaled(T(cos1of13))).plus(a6.scaled(T(cos4of13))), b1.scaled(T(sin5of13)).minus(b2.scaled(T(sin3of13))).plus(b3.scaled(T(sin2of13))).minus(b4.scaled(T(sin6of13))).minus(b5.scaled(T(sin1of13))).plus(b6.scaled(T(sin4of13)))
	p6, q6 := v0.plus(a1.scaled(T(cos6of13))).plus(a2.scaled(T(cos1of13))).plus(a3.scaled(T(cos5of13))).plus(a4.scaled(T(cos2of13))).plus(a5.scaled(T(cos4of13))).plus(a6.scaled(T(cos3of13))), b1.scaled(T(sin6of13)).minus(b2.scaled(T(sin1of13))).plus(b3.scaled(T(sin5of13))).minus(b4.scaled(T(sin2of13))).plus(b5.scaled(T(sin4of13))).minus(b6.scaled(T(sin3of13)))
	return y0, p1.plus(q1), p2.plus(q2), p3.plus(q3), p4.plus(q4), p5.plus(q5), p6.plus(q6), p6.minus(q6), p5.minus(q5), p4.minus(q4), p3.minus(q3), p2.minus(q2), p1.minus(q1)
}

func dft6[T Float](v *sixteen[T]) {
	a0, a1, a2 := dft3(v[0], v[2], v[4])
	b0, b1, b2 := dft3(v[3], v[5], v[1])
	v[0], v[3] = dft2(a0, b0)
	v[4], v[1] = dft2(a1, b1)
	v[2], v[5] = dft2(a2, b2)
}

func dft10[T Float](v *sixteen[T]) {
	a0, a1, a2, a3, a4 := dft5(v[0], v[2], v[4], v[6], v[8])
	b0, b1, b2, b3, b4 := dft5(v[5], v[7], v[9], v[1], v[3])
	v[0], v[5] = dft2(a0, b0)
	v[6], v[1] = dft2(a1, b1)
	v[2], v[7] = dft2(a2, b2)
	v[8], v[3] = dft2(a3, b3)
	v[4], v[9] = dft2(a4, b4)
}

func dft12[T Float](v *sixteen[T]) {
	a0, a1, a2, a3 := dft4(v[0], v[3], v[6], v[9])
	b0, b1, b2, b3 := dft4(v[4], v[7], v[10], v[1])
	c0, c1, c2, c3 := dft4(v[8], v[11], v[2], v[5])
	v[0], v[4], v[8] = dft3(a0, b0, c0)
	v[9], v[1], v[5] = dft3(a1, b1, c1)
	v[6], v[10], v[2] = dft3(a2, b2, c2)
	v[3], v[7], v[11] = dft3(a3, b3, c3)
}

func dft14[T Float](v *sixteen[T]) {
	a0, a1, a2, a3, a4, a5, a6 := dft7(v[0], v[2], v[4], v[6], v[8], v[10], v[12])
	b0, b1, b2, b3, b4, b5, b6 := dft7(v[7], v[9], v[11], v[13], v[1], v[3], v[5])
	v[0], v[7] = dft2(a0, b0)
	v[8], v[1] = dft2(a1, b1)
	v[2], v[9] = dft2(a2, b2)
	v[10], v[3] = dft2(a3, b3)
	v[4], v[11] = dft2(a4, b4)
	v[12], v[5] = dft2(a5, b5)
	v[6], v[13] = dft2(a6, b6)
}

func dft15[T Float](v *sixteen[T]) {
	a0, a1, a2, a3, a4 := dft5(v[0], v[3], v[6], v[9], v[12])
	b0, b1, b2, b3, b4 := dft5(v[5], v[8], v[11], v[14], v[2])
	c0, c1, c2, c3, c4 := dft5(v[10], v[13], v[1], v[4], v[7])
	v[0], v[10], v[5] = dft3(a0, b0, c0)
	v[6], v[1], v[11] = dft3(a1, b1, c1)
	v[12], v[7], v[2] = dft3(a2, b2, c2)
	v[3], v[13], v[8] = dft3(a3, b3, c3)
	v[9], v[4], v[14] = dft3(a4, b4, c4)
}

// Package references has slices and pointers that may name several variables.
package references

import "github.com/gpuc/gpuc/runtime/gpu"

type pair struct{ a, b float32 }

func choose(first bool, x, y []float32) []float32 {
	if first {
		return x
	}
	return y // want "the result of choose may name a or b, and the compiler has to know which it is"
}

func either(first bool, p, q *float32) *float32 {
	if first {
		return p
	}
	return q // want "the result of either may name a\[…\] or b\[…\], and the compiler has to know which it is"
}

//gpuc:kernel workgroup=64
func Slices(it gpu.Item, a, b []float32) {
	x := a // want "x may name b or a, and the compiler has to know which it is"
	if it.Index() > 3 {
		x = b
	}
	x[0] = 1
}

//gpuc:kernel workgroup=64
func Swap(it gpu.Item, a, b []float32) { // want "a may name a or b, and the compiler has to know which it is" "b may name b or a, and the compiler has to know which it is"
	for range 4 {
		a[0] = b[0]
		a, b = b, a
	}
}

//gpuc:kernel workgroup=64
func Pointers(it gpu.Item, a []float32) {
	var p, q float32
	r := &p // want "r may name q or p, and the compiler has to know which it is"
	if it.Index() > 3 {
		r = &q
	}
	*r = 1
	a[0] = p + q
}

//gpuc:kernel workgroup=64
func Fields(it gpu.Item, a []pair) {
	r := &a[0].a // want "r may name a\[…\]\.b or a\[…\]\.a, and the compiler has to know which it is"
	if it.Index() > 3 {
		r = &a[0].b
	}
	*r = 1
}

//gpuc:kernel workgroup=64
func Results(it gpu.Item, a, b []float32) {
	x := choose(it.Index() > 3, a, b)
	x[0] = 1
	p := either(it.Index() > 3, &a[0], &b[0])
	*p = 1
}

//gpuc:kernel workgroup=64
func Mixed(it gpu.Item, shared *[64]float32, a []float32) {
	x := a // want "x may name shared or a, and the compiler has to know which it is"
	if it.Index() > 3 {
		x = shared[:]
	}
	x[0] = 1
}

//gpuc:kernel workgroup=64
func Nothing(it gpu.Item, a []float32) {
	var p *float32 // want "p may name nothing where it is used"
	if it.Index() > 3 {
		p = &a[1]
	}
	*p = 1
}

//gpuc:kernel workgroup=64
func Unset(it gpu.Item, a []float32) {
	var p *float32
	*p = a[0] // want "this pointer names nothing where it is used"
}

func named(x []float32, n int) (y *float32) { // want "y may name nothing where it is used"
	if n > 3 {
		y = &x[1]
	}
	return
}

//gpuc:kernel workgroup=64
func Named(it gpu.Item, x []float32) {
	y := named(x, it.Index())
	*y = 1
}

type box struct{ s []float32 }

//gpuc:kernel workgroup=64
func Later(it gpu.Item, x []float32) {
	var s []float32 // want "s may name nothing or v, and the compiler has to know which it is"
	var b box
	u := [2]float32{1, 2}
	for k := range 4 {
		v := [2]float32{float32(k)}
		if len(s)+len(b.s) == 0 {
			s = v[:]
			b.s = u[:] // want "b\.s holds no slice at first, and one of u in a later iteration"
		}
		x[k] = s[0]
	}
}

//gpuc:kernel workgroup=64
func Twins(it gpu.Item, x []float32) {
	v := [2]float32{1, 2}
	p := &v // want "p may name one of two variables v, and the compiler has to know which it is"
	if it.Index() > 3 {
		v := v
		p = &v
	}
	x[0] = p[1]
}

func (b *box) set(s []float32) { b.s = s }

func (b *box) maybe(s []float32) {
	if len(b.s) == 0 {
		b.s = s // want "this keeps v, which may be read when it is that of a later iteration"
	}
}

func (b *box) fill(n int) {
	v := [2]float32{float32(n)}
	if n > 1 {
		b.s = v[:] // want "this keeps v, which may be read when it is that of a later iteration"
	}
}

//gpuc:kernel workgroup=64
func Outlived(it gpu.Item, x []float32) {
	b, c := box{x[:0]}, box{}
	for k := range 4 {
		v := [2]float32{float32(k)}
		if k == 1 {
			c.s = v[:] // want "this keeps v, which may be read when it is that of a later iteration"
		}
	}
	x[0] = c.s[0] + b.s[0]
	for v := [2]float32{0, 1}; v[0] < 3; v[0]++ {
		var d box
		if v[0] == 1 {
			c.s = v[:]
		}
		d.s = v[:]
		x[1] += d.s[0]
	}
}

//gpuc:kernel workgroup=64
func OutlivedCalls(it gpu.Item, x []float32) {
	var b, c, d box
	for k := range 4 {
		v := [2]float32{float32(k)}
		b.maybe(v[:])
		x[k] = b.s[0]
	}
	for k := range 4 {
		c.fill(k)
		x[k] += c.s[0]
	}
	for v := [2]float32{0, 1}; v[0] < 3; v[0]++ {
		if v[0] == 1 {
			d.s = v[:] // want "this keeps v, which may be read when it is that of a later iteration"
		}
	}
	x[1] = d.s[0]
}

func boxed(n int, a, b []float32) box {
	if n > 3 {
		return box{a}
	}
	return box{b} // want "the result of boxed may name a or b, and the compiler has to know which it is"
}

//gpuc:kernel workgroup=64
func Boxed(it gpu.Item, a, b []float32) {
	c := boxed(it.Index(), a, b)
	p := &box{a} // want "p may name one of two variables, and the compiler has to know which it is"
	if it.Index() > 3 {
		p = &box{a}
	}
	c.s[0] = p.s[1]
}

type two struct {
	in  box
	out *float32
}

//gpuc:kernel workgroup=64
func Holds(it gpu.Item, w *[64]float32, a, b []float32) {
	var v two
	v.in.s = a
	v.in.s = w[1:] // want "v\.in\.s may name a or w, and the compiler has to know which it is"
	p := &v
	p.out = &a[0]
	p.out = &b[0] // want "v\.out may name a\[…\] or b\[…\], and the compiler has to know which it is"
	q := &box{b}
	q.s = a // want "what is assigned to may name b or a, and the compiler has to know which it is"
	v.in.s[0] = q.s[0]
}

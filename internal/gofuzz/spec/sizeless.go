package spec

import "github.com/gpuc/gpuc/runtime/gpu"

type none struct{}

func (none) number() uint32 { return 3 }

func (n *none) touch(x uint32) uint32 { return x + 1 }

type marked struct {
	_    [0]int
	a    uint32
	mark none
	z    [0]uint32
	b    [2]uint32
	last [3]none
}

func (m *marked) bump() none {
	m.a++
	m.b[m.a&1] += m.a
	return m.mark
}

var markers = [2]marked{{a: 4, b: [2]uint32{5, 6}}, {mark: none{}, b: [2]uint32{7}}}

func nothingOf(a [0]uint32, n none) (z [0]uint32, m none) { return a, n }

func elements[T any](x []T) uint32 { return uint32(len(x)*10 + cap(x)) }

//gpuc:kernel workgroup=4
func Sizeless(it gpu.Item, tile *Tile, n int, in []uint32, cells []Cell, out [][Results]uint32) {
	i := it.Index()
	o := &out[i]
	var a [0]uint32
	for k, x := range a {
		o[0] += uint32(k) + x
	}
	for k := range &a {
		a[k]++
	}
	o[0] += uint32(len(a)+cap(a)) + measure(a[:]) + truth(a[:] == nil) + measure(a[0:0:0]) + truth(a == [0]uint32{})*5
	s := a[:]
	if i%2 == 0 {
		s = in[i:]
	}
	o[1] = measure(s) + truth(s == nil)
	var t []uint32
	if i%3 == 0 {
		t = a[:]
	}
	o[2] = measure(t) + truth(t == nil)
	var u [5]none
	v := u[1:3]
	v[1] = none{}
	for range v {
		o[3]++
	}
	o[3] += elements(v)*100 + v[0].number() + u[2].touch(4) + truth(v[0] == u[1]) + elements(u[2:2:4])
	m := marked{a: uint32(i)}
	c := m
	m.bump()
	o[4] = m.a + m.b[0]*10 + m.b[1]*100 + c.a*1000 + truth(m == c) + truth(c == marked{a: uint32(i)})*2
	x := markers[i&1]
	o[5] = x.a + x.b[0] + elements(x.z[:]) + elements(x.last[1:2]) + x.mark.number()
	p := &markers[1]
	o[6] = p.b[0] + p.mark.number() + uint32(len(p.last))
	q := [2]marked{m, x}
	q[i&1].bump()
	r := q[:1][:2]
	o[7] = r[1].a + r[0].b[1] + r[i&1].b[i&1]
	z, e := nothingOf(a, m.mark)
	o[8] = uint32(len(z)) + e.number() + truth(z == a && e == m.mark)
	var w struct {
		none
		s []uint32
		e [0]none
	}
	w.s = in[i : i+2]
	y := w
	o[9] = measure(y.s) + y.number() + elements(y.e[:])
	f := &m.mark
	*f = none{}
	g := &m.z
	o[10] = f.touch(7) + uint32(len(g)) + elements(g[:])
	var h [3][0]uint32
	for k := range h {
		for range h[k] {
			o[11]++
		}
		o[11] += elements(h[k:])
	}
}

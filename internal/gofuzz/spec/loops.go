package spec

import "github.com/gpuc/gpuc/runtime/gpu"

func addTo(p *int, n int) { *p += n }

func sumOf(a *[4]uint32) (sum uint32) {
	for _, x := range a {
		sum = sum*3 + x
	}
	return sum
}

func reverse(s []uint32) {
	for i, j := 0, len(s)-1; i < j; i, j = i+1, j-1 {
		s[i], s[j] = s[j], s[i]
	}
}

func (c counter) below(n uint32) bool { return c.n < n }

//gpuc:kernel workgroup=4
func LoopVariables(it gpu.Item, tile *Tile, n int, in []uint32, cells []Cell, out [][Results]uint32) {
	i := it.Index()
	o := &out[i]
	for k := uint32(0); k < 10; k++ {
		p := &k
		*p += 2
		o[0]++
	}
	for c := (counter{}); c.n < 10; c.inc() {
		o[1] += c.n
	}
	for j := i; j < 20; addTo(&j, 3) {
		if j%2 == 0 {
			continue
		}
		addTo(&j, 1)
		if j > 17 {
			break
		}
		o[2] = o[2]*3 + uint32(j)
	}
	for a := [4]uint32{1, 2, 3, uint32(i)}; a[3] < 12; a[3] += 2 {
		reverse(a[:3])
		o[3] = o[3]*5 + sumOf(&a)
		s := a[1:]
		s[1]++
	}
	for a, c := squares(), (counter{2}); c.below(6); c.n++ {
		for b := a; b[c.n] > 0; b[c.n] /= 2 {
			o[4] += b[c.n]
		}
		a[c.n+1] += uint32(len(a[c.n:]))
		for k, x := range a[2:4] {
			o[4] = o[4]*3 + x + uint32(k)
		}
	}
	for w := (window{s: in[i:], t: in[:2]}); len(w.s) > 3; w.next() {
		o[5] = o[5]*7 + uint32(w.room())
		w.t = w.t[:1]
	}
outer:
	for x := (Cell{N: 3}); ; x.N++ {
		for k := 0; ; k++ {
			addTo(&k, i%2)
			x.A[k%4] += x.N
			if k > 5 {
				continue outer
			}
			if x.A[k%4] > 30 {
				o[6] = x.A[0] + x.A[1]*10 + x.A[2]*100 + x.A[3]*1000 + x.N*10000
				break outer
			}
		}
	}
	for k := 0; k < 3; k++ {
		kept := k
		p, q := &k, &kept
		*q += 5
		if i == 2 {
			*p++
		}
		o[7] = o[7]*10 + uint32(*p+*q)
	}
	for c := (counter{}); c.next(uint32(i)%3+1) > 0 && c.n < 1000; {
		o[8] = c.n
	}
	for k, p := 0, &o[9]; k < 4; k++ {
		*p = *p*2 + uint32(k)
	}
	for k := 0; k < 3; k++ {
		var last int
		for j := k; j < 6; addTo(&j, k+1) {
			last += j
		}
		addTo(&last, i)
		o[10] = o[10]*20 + uint32(last)
	}
}

func (w *window) set(s []uint32) { w.s = s }

func (w *window) fill(n int) {
	v := [3]uint32{uint32(n), 2, 3}
	w.s = v[1:]
	w.s[0] += v[0]
}

// KeptSlices has structures outside of loops that keep slices of variables inside.
//
//gpuc:kernel workgroup=4
func KeptSlices(it gpu.Item, tile *Tile, n int, in []uint32, cells []Cell, out [][Results]uint32) {
	i := it.Index()
	o := &out[i]
	var w, x, y, z window
	for k := range 4 {
		v := [4]uint32{uint32(k), uint32(i)}
		w.s = v[:]
		w.s[2] = 9
		o[0] = o[0]*3 + measure(w.s) + v[2]
		x.set(v[k:])
		o[1] = o[1]*3 + measure(x.s)
		if k > i {
			y = window{s: v[1:2]}
			o[2] = o[2]*3 + measure(y.s)
		}
		if k == i {
			z.s = v[:k+1]
			break
		}
	}
	o[3] = measure(w.s) + measure(x.s)
	o[4] = measure(z.s)
	var u window
	for k := range 3 {
		u.fill(k)
		o[5] = o[5]*3 + measure(u.s)
	}
	for v := (Cell{N: 1}); v.N < 4; v.N++ {
		u.t = v.A[v.N:]
		u.t[0] = v.N
		o[6] = o[6]*5 + measure(u.t) + v.A[2]
	}
}

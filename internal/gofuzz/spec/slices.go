package spec

import "github.com/gpuc/gpuc/runtime/gpu"

// measure is what a slice is: its length, its capacity, and what is in it.
func measure(s []uint32) uint32 {
	sum := uint32(len(s)*100+cap(s)) * 1000
	for k, v := range s {
		sum += v * uint32(k+1)
	}
	return sum
}

func squares() (a [8]uint32) {
	for k := range a {
		a[k] = uint32(k*k + 1)
	}
	return a
}

//gpuc:kernel workgroup=4
func SliceOfArray(it gpu.Item, tile *Tile, n int, in []uint32, cells []Cell, out [][Results]uint32) {
	i := it.Index()
	o := &out[i]
	v := squares()
	o[0] = measure(v[2:4])
	o[1] = measure(v[1:3:5])
	o[2] = measure(v[2:])
	o[3] = measure(v[:3])
	o[4] = measure(v[:])
	o[5] = measure(v[2:2][:1])
	o[6] = measure(v[i:8][1:][:0])
	o[7] = measure(v[i : i+1][:8-i][1:])
	o[8] = measure(v[i : i+1 : i+1])
	o[9] = measure(v[:2:4][1:4])
	o[10] = measure(v[:0:i][:i])
	o[11] = measure(v[8:])
	o[12] = measure(v[uint8(i&3) : int64(i&3)+1][:uint(2)])
	a, b := v[2:4], v[1:3:5]
	o[13] = uint32(cap(a)*1000 + cap(b)*100 + cap(out[1:3])*10 + cap(v))
	a = a[:cap(a)]
	o[14] = measure(a)
	b = b[1:cap(b):cap(b)]
	b[0] = 77
	o[15] = measure(b) + v[2]
}

//gpuc:kernel workgroup=4
func SliceOfParameter(it gpu.Item, tile *Tile, n int, in []uint32, cells []Cell, out [][Results]uint32) {
	i := it.Index()
	o := &out[i]
	o[0] = measure(in)
	o[1] = measure(in[:])
	o[2] = measure(in[i:])
	o[3] = measure(in[:i])
	o[4] = measure(in[i : i+3])
	o[5] = measure(in[i : i+3 : i+4])
	o[6] = measure(in[i : i+1][:3])
	o[7] = measure(in[i : i+1 : i+5][2:4])
	o[8] = measure(in[i:i][:cap(in[i:i])])
	o[9] = uint32(cap(cells)*100 + cap(cells[1:2])*10 + cap(cells[1:2:2]))
	c := cells[i : i+1][:2]
	o[10] = c[1].N + uint32(len(c)*10+cap(c))*100
	o[11] = measure(cells[i].A[1:3])
	o[12] = measure(c[1].A[:1:2])
	p := &cells[i].A
	o[13] = measure(p[2:3]) + uint32(len(p)*cap(p))
	o[14] = measure(in[n-1:][:1])
	o[15] = measure(in[len(in):]) + uint32(cap(in[n:]))
}

//gpuc:kernel workgroup=4
func SliceOfTile(it gpu.Item, tile *Tile, n int, in []uint32, cells []Cell, out [][Results]uint32) {
	i, l := it.Index(), it.LocalIndex()
	o := &out[i]
	tile.A[l] = in[i]
	tile.A[l+4] = uint32(i)
	tile.B[l][l] = in[l] + 3
	tile.S[l%3].A[l] = uint32(l)
	it.Barrier()
	o[0] = measure(tile.A[l:6])
	o[1] = measure(tile.A[l:][:2])
	o[2] = measure(tile.B[l][1:2])
	o[3] = measure(tile.B[l][:0:2])
	rows := tile.B[1:2]
	o[4] = uint32(len(rows)*10+cap(rows)) + rows[0][1]
	rows = rows[:cap(rows)]
	o[5] = uint32(len(rows)*10+cap(rows)) + rows[2][3]
	p := &tile.A
	o[6] = measure(p[2:5:6])
	o[7] = uint32(len(p)*10+cap(p)) + uint32(len(tile.B)*1000+cap(tile.B[0]))
	q := &tile.B[l]
	o[8] = measure(q[l:])
	o[9] = measure(q[:l:3])
	s := tile.S[:1:2]
	o[10] = uint32(len(s)*10+cap(s)) + s[0].A[3]
	o[11] = measure(s[0].A[2:])
}

// middle returns a part of a slice.
func middle(s []uint32, from int) []uint32 { return s[from : from+1] }

func both(s []uint32, at int) (head, tail []uint32) { return s[:at:at], s[at:] }

type window struct {
	at   int
	s, t []uint32
}

func (w *window) next() {
	w.at++
	w.s = w.s[1:]
}

func (w window) room() int { return cap(w.s)*10 + cap(w.t) }

//gpuc:kernel workgroup=4
func SlicePassedOn(it gpu.Item, tile *Tile, n int, in []uint32, cells []Cell, out [][Results]uint32) {
	i := it.Index()
	o := &out[i]
	v := squares()
	m := middle(v[:], 3)
	o[0] = measure(m)
	o[1] = measure(m[:cap(m)-1])
	o[2] = measure(middle(in[i:], 1)[:2])
	head, tail := both(v[1:6], 2)
	o[3] = measure(head)
	o[4] = measure(tail[:4])
	w := window{1, v[2:4], in[i : i+2 : i+3]}
	w.next()
	o[5] = measure(w.s)
	o[6] = measure(w.t[:cap(w.t)])
	o[7] = uint32(w.room())
	other := w
	other.next()
	w.s = w.s[:4]
	o[8] = measure(other.s)
	o[9] = measure(w.s) + uint32(len(other.s))
	windows := struct {
		a, b window
		n    [2]uint32
	}{a: w, b: other}
	windows.b.t = windows.b.t[1:2:2]
	o[10] = measure(windows.a.t)
	o[11] = measure(windows.b.t)
	windows.n[1] = 5
	o[12] = measure(windows.n[:1][:2])
	windows.b.s = windows.b.s[:2]
	o[13] = measure(windows.b.s)
}

//gpuc:kernel workgroup=4
func SliceMerged(it gpu.Item, tile *Tile, n int, in []uint32, cells []Cell, out [][Results]uint32) {
	i := it.Index()
	o := &out[i]
	v := squares()
	s := v[1:3]
	if i%2 == 0 {
		s = v[2:4:6]
	}
	o[0] = measure(s)
	o[1] = measure(s[:3])
	t := in
	switch i % 3 {
	case 0:
		t = in[i : i+2]
	case 1:
		t = t[:2:2]
	}
	o[2] = measure(t)
	o[3] = uint32(cap(t[1:]))
	for s := v[:]; len(s) > 0; s = s[1:] {
		o[4] = o[4]*3 + uint32(cap(s)) + s[0]
	}
	u := v[:2]
	for k := range 4 {
		if k == i {
			break
		}
		u = u[1 : len(u)+1]
	}
	o[5] = measure(u)
	for len(u) > 0 {
		u = u[: len(u)-1 : cap(u)-1]
		o[6] = o[6]*10 + uint32(cap(u))
	}
	o[7] = measure(u[:1])
	low, high := v[:4], v[4:8]
	for k := range 3 {
		low, high = high[:k+1], low
		o[8] = o[8]*7 + measure(low) + uint32(cap(high))
	}
	var w window
	w.s = v[3:4]
	for range i + 1 {
		w.s = w.s[: len(w.s)+1 : 5]
		if len(w.s) == 3 {
			w.s = w.s[2:3:3]
			break
		}
	}
	o[9] = measure(w.s)
	at, sum := i&3, uint32(0)
	for k, x := range v[at : at+2][:3] { // what is ranged over is evaluated once
		at = 0
		sum = sum*5 + x + uint32(k)
	}
	o[10] = sum
	rest := v[:5]
	for k := range rest {
		rest = rest[:5-k]
		sum += measure(rest)
	}
	o[11] = sum
	for k, x := range v { // of an array a copy
		v[7-k] = 0
		sum = sum*3 + x
	}
	o[12] = sum
}

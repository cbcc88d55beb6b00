package spec

import "github.com/gpuc/gpuc/runtime/gpu"

func sum(x ...uint32) (s uint32) {
	for _, x := range x {
		s = s*3 + x
	}
	return s + uint32(len(x)*100+cap(x)*1000)
}

func all[T uint32 | float32](first T, x ...T) T {
	for _, x := range x {
		first += x
	}
	return first
}

// found returns what is in a slice from a number on, or nil.
func found(s []uint32, n uint32) []uint32 {
	for k, x := range s {
		if x == n {
			return s[k:]
		}
	}
	return nil
}

func named(s []uint32, n int) (part []uint32, ok bool) {
	if n > 2 {
		part, ok = s[1:n], true
	}
	return
}

func truth(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}

//gpuc:kernel workgroup=4
func NilSlices(it gpu.Item, tile *Tile, n int, in []uint32, cells []Cell, out [][Results]uint32) {
	i := it.Index()
	o := &out[i]
	o[0] = sum()*10 + sum(1) + sum(in[i:]...) + sum(in[:0]...) + sum(nil...)
	o[1] = all(5+uint32(i)) + uint32(all(float32(1.5), 2.5))
	var s []uint32
	o[2] = measure(s) + truth(s == nil)*10 + truth(s[:0:0] != nil)*20 + truth(in[:0] == nil)*40
	if i%2 == 0 {
		s = in[i:]
	}
	o[3] = measure(s) + truth(nil == s)
	v := squares()
	part := found(v[:], uint32(i)*5)
	o[4] = measure(part) + truth(part == nil)
	part, ok := named(cells[i].A[:], i&3)
	o[5] = measure(part) + truth(part == nil)*7 + truth(ok)*70
	var best []uint32
	for k := 0; k < i; k++ {
		if part := in[k : k+2]; len(best) == 0 || part[1]%5 > best[0]%7 {
			best = part
		}
	}
	o[6] = measure(best)
	var rest []uint32
	for range 3 {
		o[7] = o[7]*5 + uint32(len(rest))
		rest = v[i : len(rest)+i]
		if i < 5 {
			rest = rest[:len(rest)+1]
		}
	}
	var w window
	o[8] = measure(w.s) + truth(w.t == nil) + uint32(w.at)
	if i > 3 {
		w = window{at: 3, s: v[2:3]}
	}
	o[9] = measure(w.s) + measure(w.t)*3 + uint32(w.at)
	var x window
	switch i % 3 {
	case 0:
		x.s = in[:i]
	case 1:
		x.s, x.t = nil, v[:2]
	}
	o[10] = measure(x.s) + measure(x.t)*3 + truth(x.s == nil)
	c := cells[:i]
	if i == 2 {
		c = nil
	}
	for k := range c {
		o[11] += c[k].N
	}
	o[12] = uint32(len(c)*10+cap(c)) + truth(c == nil)
	var of []uint32
	for k := range 4 {
		row := cells[k].A[:k]
		if k == i {
			of = row
		}
	}
	o[13] = measure(of)
}

// Package run has the smallest kernels that were once compiled wrongly, or not at all.
package run

import "github.com/gpuc/gpuc/runtime/gpu"

// view is a part of a slice.
type view struct {
	it     gpu.Item
	values []uint32
	scale  uint32
}

// rest leaves out the first element.
func (v view) rest() view {
	v.values = v.values[1:]
	return v
}

// sum adds up what is in a view, of which it changes its own copy.
func (v *view) sum() (s uint32) {
	own := *v
	own.scale++
	for _, x := range own.values {
		s += x * own.scale
	}
	return s + uint32(own.it.LocalIndex())
}

// Views hands slices around in structures.
//
//gpuc:kernel workgroup=1
func Views(it gpu.Item, x, y []uint32) {
	v := view{it, x, 1}
	y[0] = v.sum()
	w := v.rest().rest()
	y[1] = w.sum()
	y[2] = v.sum()
}

// Emptied declares a structure with a slice in a loop, which is empty in each iteration.
//
//gpuc:kernel workgroup=1
func Emptied(it gpu.Item, x, y []uint32) {
	for i := range 4 {
		var v view
		p := &v
		if i%2 == 0 {
			p.values = x[i:]
		}
		y[i] = uint32(len(p.values))
	}
}

// Spilled changes a copy of a parameter in one helper, and reads it in another.
//
//gpuc:kernel workgroup=1
func Spilled(it gpu.Item, p [4]uint32, q [4]uint32, y []uint32) {
	i := len(y) - 2
	y[0] = q[i]
	change(&p, i)
	y[1] = p[i] + p[i-1]
}

func change(p *[4]uint32, i int) { p[i] += 100 }

// Ranges has a loop over numbers, whose last test go/ssa puts in front of its continue.
//
//gpuc:kernel workgroup=1
func Ranges(it gpu.Item, x, y []uint32) {
	var table [5]uint32
	for i := range len(table) {
		for j := range i {
			table[i] += table[j] + uint32(j)
		}
		table[i] += x[i]
	}
	for i, v := range table {
		y[i] = v
	}
}

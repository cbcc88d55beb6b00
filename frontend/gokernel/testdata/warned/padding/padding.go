// Package padding has structures with empty bytes in them.
package padding

import "github.com/gpuc/gpuc/runtime/gpu"

type wasteful struct { // want "the structure `wasteful` of a buffer has bytes that are empty: it takes 24 bytes, and could do with 16 bytes"
	a uint8
	b float64
	c uint8
}

type inner struct { // want "the structure `inner` of a buffer has bytes that are empty: it takes 12 bytes, and could do with 8 bytes"
	a uint16
	b float32
	c uint16
}

type outer struct {
	in    [2]inner
	count uint32
}

// dense has a gap at its end, which no order saves.
type dense struct {
	a float64
	b uint8
}

type known struct {
	a uint8
	_ [7]uint8
	b float64
	c uint8
	_ [7]uint8
}

type called struct {
	a       uint8
	b       float64
	padding uint8
}

type vectors struct {
	a gpu.Vec3f
	b float32
	c gpu.Vec2f
}

// passed is no part of a buffer.
type passed struct {
	a uint32
	b float64
	c uint32
}

//gpuc:kernel workgroup=64
func Buffers(it gpu.Item, p passed, u []wasteful, v []outer, w []dense, x []known, y []called, z []vectors) {
	i := it.Index()
	u[i].a += 1
	v[i].count += v[i].in[0].a32() + p.a + p.c + uint32(p.b)
	w[i].a += 1
	x[i].b += 1
	y[i].b += float64(y[i].padding)
	z[i].b += 1
}

func (i inner) a32() uint32 { return uint32(i.a) + uint32(i.c) + uint32(i.b) }

// Again has one of them, which is said once.
//
//gpuc:kernel workgroup=64
func Again(it gpu.Item, u []wasteful) { u[it.Index()].c = 1 }

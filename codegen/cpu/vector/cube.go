package vector

import (
	"sync"
	"unsafe"

	"github.com/gpuc/gpuc/ir/texture"
)

// This file reads the texels around samples of cubes, some of which lie on other faces than the
// sample.

// around reads a word of each of the four texels around samples of faces of cubes. Assembly knows
// its layout.
type around struct {
	base unsafe.Pointer
	// columns and rows, from one less than the first to one more than the last
	low, high, top, bottom unsafe.Pointer
	faces                  unsafe.Pointer
	// of each sample's level: how many texels an edge has, and where it begins in bytes
	size, offset unsafe.Pointer
	to           unsafe.Pointer // corners
	edges        unsafe.Pointer // edgesOfCubes
	shift        uint64         // 1<<shift bytes are a texel
	most         uint64         // the last face
	// lanes that look beyond a corner, where there is no texel; what they read is of no matter
	beside [blockLanes / 64]uint64
}

func (a *around) read(lanes int) {
	edges, to := (*[4][8]uint32)(a.edges), (*corners)(a.to)
	word := func(p unsafe.Pointer, n int) uint32 { return *(*uint32)(unsafe.Add(p, 4*n)) }
	for n := range lanes {
		size, face := word(a.size, n), word(a.faces, n)
		columns, rows := [2]uint32{word(a.low, n), word(a.high, n)}, [2]uint32{word(a.top, n), word(a.bottom, n)}
		sideways, upright := columns[0] >= size || columns[1] >= size, rows[0] >= size || rows[1] >= size
		if sideways && upright {
			a.beside[n/64] |= 1 << (n % 64)
		}
		for k := range to {
			x, y, f := columns[k&1], rows[k>>1], face
			switch {
			case x >= size:
				x, y, f = crossed(edges[k&1][face%6], face, min(y, size-1), size)
			case y >= size:
				x, y, f = crossed(edges[2+k>>1][face%6], face, x, size)
			}
			to[k][n&(blockLanes-1)] = *(*uint32)(unsafe.Add(a.base, ((f*size+y)*size+x)<<a.shift+word(a.offset, n)))
		}
	}
}

// crossed returns the place of a texel beyond an edge, number k along it.
func crossed(edge, face, k, size uint32) (x, y, other uint32) {
	along := func(how uint32) uint32 {
		return k*uint32(int32(how<<30)>>30) + how>>2&1*(size-1)
	}
	return along(edge), along(edge >> 6), face/6*6 + edge>>16
}

// edgesOfCubes say where texels beyond the edges of a face lie, left, right, top and bottom, each
// by face: the other face from bit 16 on, and in which column and row of it from bits 0 and 6 on:
// in bits 0 and 1 by what the texel's own number along the edge is multiplied, 1, -1 or 0, and in
// bit 2 whether the last one's is added.
var edgesOfCubes struct {
	once sync.Once
	of   [4][8]uint32
}

// findEdges takes them from package texture, which has texel 1 of edges of 4.
func findEdges() {
	// of 4: the first, number 1, that from the other end, and the last
	which := [4]uint32{0: 0, 1: 1, 2: 3 | 4, 3: 4}
	for side, at := range [...][2]int32{{-1, 1}, {4, 1}, {1, -1}, {1, 4}} {
		for face := range uint8(6) {
			other, i, j := texture.Beyond(face, at[0], at[1], 4)
			edgesOfCubes.of[side][face] = uint32(other)<<16 | which[i] | which[j]<<6
		}
	}
}

// lookAround reads the texels around samples of cubes.
func (x *texels) lookAround(l *lookup, in *level, word uint8, to *corners) {
	edgesOfCubes.once.Do(findEdges)
	across, down := &x.axes[0], &x.axes[1]
	f := x.look(l.handle, in, nil, nil, l.layer, word)
	a := &x.around
	a.base, a.faces, a.size, a.offset, a.shift = f.base, f.z, f.width, f.offset, f.shift
	a.most = uint64(6*l.handle.LayerCount(l.shape) - 1)
	a.low, a.high, a.top, a.bottom = unsafe.Pointer(&across.low), unsafe.Pointer(&across.high), unsafe.Pointer(&down.low), unsafe.Pointer(&down.high)
	a.to, a.edges = unsafe.Pointer(to), unsafe.Pointer(&edgesOfCubes.of)
	x.processor.around(l.lanes, a)
}

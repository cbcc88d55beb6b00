package spec

import (
	"math/bits"

	"github.com/gpuc/gpuc/runtime/gpu"
)

func low(i int) int { return i & 3 }

// counter notes in which order its method is called.
type counter struct{ n uint32 }

func (c *counter) inc() { c.n++ }

func (c *counter) next(n uint32) uint32 {
	c.n = c.n*7 + n
	return n
}

func (c *counter) row(n uint32) [4]uint32 { return [4]uint32{n, c.next(n), c.n, 3} }

func triple(n uint32) [3][4]uint32 { return [3][4]uint32{{n, 1, 2, 3}, {4, n, 5, 6}, {7, 8, n, 9}} }

//gpuc:kernel workgroup=4
func OrderOfIndices(it gpu.Item, tile *Tile, n int, in []uint32, cells []Cell, out [][Results]uint32) {
	i, l := it.Index(), it.LocalIndex()
	tile.B[it.Local().X][low(it.LocalIndex())] = in[l]
	tile.A[l] = in[l] & 3
	it.Barrier()
	o := &out[it.Index()]
	o[0] = tile.B[low(l)][low(l+5)]
	o[1] = cells[low(i)].A[low(i+1)]
	o[2] = tile.B[min(l, low(9))][min(3, low(i))]
	o[3] = tile.B[gpu.Clamp(l, 1, 2)][bits.OnesCount32(in[i])&3]
	var v [3][4]uint32
	for k := range 12 {
		v[k/4][low(k)] = in[k]
	}
	o[4] = v[low(i)%3][low(i+1)]
	o[5] = v[:2][low(i)%2][low(i+1)]
	x := [2]Cell{{N: 5, A: [4]uint32{1, 2, 3, 4}}, {N: 6}}
	o[6] = x[low(i)%2].A[low(i+3)]
	o[7] = triple(uint32(i))[low(i)%3][low(i+1)]
	o[8] = triple(uint32(i))[it.Local().X%3][it.Group().X]
	var c counter
	o[9] = v[c.next(uint32(i))%3][c.next(2)]
	v[c.next(1)][c.next(3)] += c.next(4)
	o[10] = c.n
	o[11] = v[1][3]
	o[12] = tile.B[tile.B[l][l]&3][tile.A[low(l)]]
	y := [2]uint32{c.next(1), c.next(2)}[i&1]
	o[13] = y*1000 + c.row(2)[i&3]
	o[14] = c.n
}

// Package tuned has tuned constants that kernels depend on in all the ways that there are.
package tuned

import "github.com/gpuc/gpuc/runtime/gpu"

const (
	Tile         = 1 << 4 //gpuc:tune 8 16 0x20
	Lanes uint32 = 4      //gpuc:tune 4 8
	apart        = 3      //gpuc:tune 3 5

	twice = 2 * Tile
)

type memory struct{ Rows [Tile][twice]float32 }

// Direct depends by its workgroup alone, and has memory of the size.
//
//gpuc:kernel workgroup=Tile,Tile/4
func Direct(it gpu.Item, shared *memory, x []float32) {
	l := it.Local()
	shared.Rows[l.Y][l.X] = x[it.Index()]
	it.Barrier()
	x[it.Index()] = shared.Rows[0][0]
}

type lanes struct{}

func (lanes) count() uint32 { return Lanes }

type counter interface{ count() uint32 }

// Through depends on two through methods of type arguments and types of arguments.
//
//gpuc:kernel workgroup=64 types=lanes/[Tile]uint32
func Through[C counter, T interface {
	~[8]uint32 | ~[16]uint32 | ~[32]uint32
}](it gpu.Item, shared *T, x []uint32) {
	var c C
	(*shared)[it.LocalIndex()%len(*shared)] = c.count()
	it.Barrier()
	x[it.Index()] = (*shared)[0]
}

func helper(v int) int {
	if v > apart {
		return v - apart
	}
	return v
}

// Called depends through a function.
//
//gpuc:kernel workgroup=64
func Called(it gpu.Item, x []int32) { x[it.Index()] = int32(helper(it.Index())) }

// Independent does not.
//
//gpuc:kernel workgroup=64
func Independent(it gpu.Item, x []int32) { x[it.Index()] = 1 }

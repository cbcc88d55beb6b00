// Package spec has kernels about what Go's specification says, a few lines for each rule. A test
// holds what devices compute against the same kernels as plain Go.
package spec

import "github.com/gpuc/gpuc/runtime/gpu"

// The size of a launch, and how many results each of its items has.
const (
	Groups  = 2
	Size    = 4
	Results = 16
)

// Tile is the memory of a workgroup.
type Tile struct {
	A [8]uint32
	B [4][4]uint32
	S [3]Cell
}

// Cell is an element of a buffer.
type Cell struct {
	N uint32
	A [4]uint32
}

// Kernel is a kernel as plain Go. Of in, only n elements are there.
type Kernel = func(it gpu.Item, tile *Tile, n int, in []uint32, cells []Cell, out [][Results]uint32)

// Kernels are those of the package, by name.
var Kernels = map[string]Kernel{
	"SliceOfArray":     SliceOfArray,
	"SliceOfParameter": SliceOfParameter,
	"SliceOfTile":      SliceOfTile,
	"SlicePassedOn":    SlicePassedOn,
	"SliceMerged":      SliceMerged,
	"OrderOfIndices":   OrderOfIndices,
	"LoopVariables":    LoopVariables,
	"NilSlices":        NilSlices,
	"TableSlices":      TableSlices,
	"Sizeless":         Sizeless,
	"KeptSlices":       KeptSlices,
}

package linalg

import (
	"slices"

	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// tile is the size of the parts of a product that workgroups compute.
type tile struct{ rows, cols int }

// grid is the grid for a result.
func (t tile) grid(c gpu.MatrixLayout) gpu.Grid {
	return gpu.D1(uint32(min(t.count(c), productGroups)))
}

// count is how many tiles a result has.
func (t tile) count(c gpu.MatrixLayout) int {
	return (c.Rows + t.rows - 1) / t.rows * ((c.Cols + t.cols - 1) / t.cols)
}

// tiles are the large tiles for a type of elements, on the processor and on other devices. All
// types have tiles of 64 × 64 and 32 × 32, too.
type tiles struct {
	processor, other tile
}

var (
	singleTiles = tiles{tile{128, 128}, tile{256, 64}}
	halfTiles   = tiles{tile{128, 256}, tile{128, 256}}
	squareTiles = tiles{tile{64, 64}, tile{64, 64}}
)

// chooseTile returns the largest tile of which a result has enough to occupy the device, and most
// of which it fills. Strict kernels have large tiles only for results that are new, and not on the
// processor.
func chooseTile(info gpu.Info, c gpu.MatrixLayout, of tiles, o Option, isNew bool) tile {
	large, enough := of.other, 16
	switch {
	case info.Driver == gpu.CPU:
		large, enough = of.processor, 1
	case info.Hardware.Units > 0:
		enough = int(info.Hardware.Units) / 2
	}
	list := [...]tile{large, {64, 64}, {32, 32}}
	for k, t := range list {
		if k == 1 && info.Hardware.Units > 0 {
			enough /= 4 // smaller tiles load twice as many elements for a product
		}
		if k == 0 && o.strict && (!isNew || info.Driver == gpu.CPU) || k < len(list)-1 && (4*c.Rows < 3*t.rows || 4*c.Cols < 3*t.cols || t.count(c) < enough) {
			continue
		}
		return t
	}
	return list[len(list)-1]
}

// doubleTiles are those of float64 where units for matrices multiply it. Speed is what a tile has
// of the speed of the largest one, on an H200: small ones load more elements for a product. Alone
// is that of a tile without others on its multiprocessor, whose warps wait more.
var doubleTiles = [...]struct {
	tile
	speed, alone float64
}{{tile{128, 128}, 1, 1}, {tile{64, 64}, 0.85, 0.6}, {tile{32, 32}, 0.35, 0.3}}

// hasDoubleUnits reports whether kernels for float64 use a device's units for matrices. They have a
// variant with these from compute capability 9.0 on.
func hasDoubleUnits(info gpu.Info) bool {
	return info.Target == abi.PTX && info.Profile >= tensorMaps && slices.Contains(info.Hardware.Matrices, "f64")
}

// shallow is the depth of products below which a multiprocessor has several tiles at a time: while
// one reads and writes the result, others multiply.
const shallow = 512

// chooseDoubleTile returns the tile with which the multiprocessor that has the most tiles of a
// result is done first, for matrices of so many columns and rows.
func chooseDoubleTile(info gpu.Info, c gpu.MatrixLayout, depth int) (best tile) {
	units, least := max(int(info.Hardware.Units), 1), 0.0
	for n, t := range doubleTiles {
		if n == 0 && depth < shallow {
			continue
		}
		each := (t.count(c) + units - 1) / units
		speed := t.speed
		if each == 1 {
			speed = t.alone
		}
		if time := float64(each*t.rows*t.cols) / speed; best == (tile{}) || time < least {
			best, least = t.tile, time
		}
	}
	return best
}

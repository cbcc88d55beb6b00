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

// timedTile is a tile with its speed on an H200, as a part of that of another one of its list:
// small ones load more elements for a product. Alone is the speed of a tile without others on its
// multiprocessor, whose warps wait more.
type timedTile struct {
	tile
	speed, alone float64
}

// Tiles for devices with tensor maps. Those of float64 are for devices whose units for matrices
// multiply it, and the others for results that are new.
var (
	doubleTiles    = []timedTile{{tile{128, 128}, 1, 1}, {tile{64, 64}, 0.85, 0.6}, {tile{32, 32}, 0.35, 0.3}}
	newHalfTiles   = []timedTile{{tile{128, 256}, 1, 1}, {tile{128, 128}, 0.98, 0.98}, {tile{64, 128}, 0.77, 0.77}, {tile{64, 64}, 0.53, 0.53}}
	newSingleTiles = []timedTile{{tile{256, 64}, 1, 1}, {tile{128, 64}, 0.83, 0.83}, {tile{64, 64}, 0.75, 0.75}}
)

// ofTranspose is the tile of a kernel that takes the transpose of a.
var ofTranspose = timedTile{tile{256, 128}, 1.043, 1.043}

// transposing is how long an element of a takes to copy to where it is transposed, in times that
// products take.
const transposing = 0.69

// time returns how long the multiprocessor takes that has the most tiles of a result, in times that
// products take, for each column of a.
func (t *timedTile) time(units int, c gpu.MatrixLayout) float64 {
	each, speed := (t.count(c)+units-1)/units, t.speed
	if each == 1 {
		speed = t.alone
	}
	return float64(each*t.rows*t.cols) / speed
}

// fastest returns the tile with the least time, and that.
func fastest(list []timedTile, units int, c gpu.MatrixLayout) (best tile, least float64) {
	for n := range list {
		if time := list[n].time(units, c); n == 0 || time < least {
			best, least = list[n].tile, time
		}
	}
	return best, least
}

// chooseNewTile returns the tile for a new result on a device with tensor maps, or false where
// others are better. A is the left matrix.
func chooseNewTile[T Element](info gpu.Info, a, c gpu.MatrixLayout, o Option) (t tile, ok bool) {
	units := int(info.Hardware.Units)
	if info.Target != abi.PTX || info.Profile < tensorMaps || units == 0 || a.Cols == 0 || 4*c.Rows < 3*64 || 4*c.Cols < 3*64 {
		return tile{}, false
	}
	switch any(*new(T)).(type) {
	case gpu.Float16, gpu.BFloat16:
		t, _ = fastest(newHalfTiles, units, c)
		return t, !o.strict
	case float32:
		if o.isSplit(info) {
			return tile{}, false
		}
		t, time := fastest(newSingleTiles, units, c)
		transposed := ofTranspose.time(units, c)
		if a.RowStride == 1 && a.ColStride != 1 {
			time += transposing * float64(a.Rows)
		} else {
			transposed += transposing * float64(a.Rows)
		}
		if transposed < time && copies(info, c) {
			t = ofTranspose.tile
		}
		return t, true
	}
	return tile{}, false
}

// hasDoubleUnits reports whether kernels for float64 use a device's units for matrices. They have a
// variant with these from compute capability 9.0 on.
func hasDoubleUnits(info gpu.Info) bool {
	return info.Target == abi.PTX && info.Profile >= tensorMaps && slices.Contains(info.Hardware.Matrices, "f64")
}

// shallow is the depth of products below which a multiprocessor has several tiles at a time: while
// one reads and writes the result, others multiply.
const shallow = 512

// chooseDoubleTile returns the tile for matrices of so many columns and rows.
func chooseDoubleTile(info gpu.Info, c gpu.MatrixLayout, depth int) tile {
	list := doubleTiles
	if depth < shallow {
		list = list[1:]
	}
	t, _ := fastest(list, max(int(info.Hardware.Units), 1), c)
	return t
}

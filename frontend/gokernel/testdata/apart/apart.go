// Package apart stores tiles in loops. The parts that kernels named Apart store do not overlap, and
// this is proved. Those of the others may overlap, or nothing shows that they do not.
package apart

import "github.com/gpuc/gpuc/runtime/gpu"

type tile = [8][4]float32

//gpuc:kernel workgroup=32
func ApartNoLoop(it gpu.Item, z gpu.Matrix[float32]) {
	gpu.StoreTile(it, z, 3, 5, gpu.Tile[tile]{})
}

//gpuc:kernel workgroup=32
func ApartRows(it gpu.Item, z gpu.Matrix[float32]) {
	for i := 0; i < z.Rows(); i += 8 {
		gpu.StoreTile(it, z, i+1, 2*i, gpu.Tile[tile]{})
	}
}

//gpuc:kernel workgroup=32
func ApartColumns(it gpu.Item, z gpu.Matrix[float32], n int) {
	for i := range n {
		gpu.StoreTile(it, z, n, 5-4*i, gpu.Tile[tile]{})
	}
}

//gpuc:kernel workgroup=32
func ApartBoth(it gpu.Item, z gpu.Matrix[float32]) {
	for i := 0; i < z.Rows(); i += 9 {
		for j := 40; j > 0; j -= 4 {
			if i == j {
				continue
			}
			gpu.StoreTile(it, z, i, j, gpu.Tile[tile]{})
		}
	}
}

//gpuc:kernel workgroup=32
func ApartGroups(it gpu.Item, z gpu.Matrix[float32]) {
	for n := it.Group().X; n*8 < z.Rows(); n += it.Groups().X {
		gpu.StoreTile(it, z, n*8, 0, gpu.Tile[tile]{})
	}
}

//gpuc:kernel workgroup=32
func ApartTiles(it gpu.Item, z gpu.Matrix[float32]) {
	for n := it.Group().X; n < z.Tiles(8, 4); n += it.Groups().X {
		row, col := z.TileAt(n, 8, 4)
		gpu.StoreTile(it, z, row, col, gpu.MapTile[tile](it, gpu.Tile[tile]{}, func(_, j int, x float32) float32 { return x + float32(col+j) }))
	}
}

// store stores a tile whose position its caller has.
func store(it gpu.Item, z gpu.Matrix[float32], at, col int) {
	row := at + 3
	for j := range 4 {
		gpu.StoreTile(it, z.Sub(row, 0, 8, 100), 0, col+8*j, gpu.Tile[[8][8]float32]{})
	}
}

//gpuc:kernel workgroup=32
func ApartCalled(it gpu.Item, z gpu.Matrix[float32]) {
	for i := range 3 {
		store(it, z.T(), 8*i, 2)
	}
}

//gpuc:kernel workgroup=32
func ApartTransposed(it gpu.Item, z gpu.Matrix[float32]) {
	for i := range 3 {
		gpu.StoreTile(it, z.T(), i*8, 1, gpu.Tile[tile]{})
	}
}

//gpuc:kernel workgroup=32
func ApartPart(it gpu.Item, z gpu.Matrix[float32]) {
	for i := range 3 {
		gpu.StoreTile(it, z.Sub(2, 4*i, 100, 4).T(), 0, 0, gpu.Tile[[4][8]float32]{})
	}
}

//gpuc:kernel workgroup=32
func OrderedSame(it gpu.Item, z gpu.Matrix[float32]) {
	for range 3 {
		gpu.StoreTile(it, z, 0, 0, gpu.Tile[tile]{})
	}
}

//gpuc:kernel workgroup=32
func OrderedNear(it gpu.Item, z gpu.Matrix[float32]) {
	for i := 0; i < z.Rows(); i += 7 {
		gpu.StoreTile(it, z, i, 0, gpu.Tile[tile]{})
	}
}

//gpuc:kernel workgroup=32
func OrderedBack(it gpu.Item, z gpu.Matrix[float32]) {
	for i := range 5 {
		gpu.StoreTile(it, z, 8*i-8*i, 0, gpu.Tile[tile]{})
	}
}

//gpuc:kernel workgroup=32
func OrderedTransposed(it gpu.Item, z gpu.Matrix[float32]) {
	for i := range 5 {
		gpu.StoreTile(it, z.T(), 0, 4*i, gpu.Tile[[4][8]float32]{})
	}
}

//gpuc:kernel workgroup=32
func OrderedUnknown(it gpu.Item, z gpu.Matrix[float32], step int) {
	for i := 0; i < z.Rows(); i += step {
		gpu.StoreTile(it, z, i, 0, gpu.Tile[tile]{})
	}
}

//gpuc:kernel workgroup=32
func OrderedRemainder(it gpu.Item, z gpu.Matrix[float32]) {
	for i := 0; i < 80; i += 8 {
		gpu.StoreTile(it, z, i%32, 0, gpu.Tile[tile]{})
	}
}

//gpuc:kernel workgroup=32
func OrderedOuter(it gpu.Item, z gpu.Matrix[float32]) {
	for i := range 5 {
		for j := i; j < 40; j += 8 {
			gpu.StoreTile(it, z, j, 0, gpu.Tile[tile]{})
		}
	}
}

//gpuc:kernel workgroup=32
func OrderedInner(it gpu.Item, z gpu.Matrix[float32]) {
	for n := it.Group().X; n < z.Tiles(8, 4); n += it.Groups().X {
		row, col := z.TileAt(n, 8, 4)
		for range 2 {
			gpu.StoreTile(it, z, row, col, gpu.Tile[tile]{})
		}
	}
}

//gpuc:kernel workgroup=32
func OrderedDiagonal(it gpu.Item, z gpu.Matrix[float32]) {
	for i := range 5 {
		for j := range 5 {
			gpu.StoreTile(it, z, 8*i+8*j, 4*j, gpu.Tile[tile]{})
		}
	}
}

//gpuc:kernel workgroup=32
func OrderedSmallTiles(it gpu.Item, z gpu.Matrix[float32]) {
	for n := it.Group().X; n < z.Tiles(8, 2); n += it.Groups().X {
		row, col := z.TileAt(n, 8, 2)
		gpu.StoreTile(it, z, row, col, gpu.Tile[tile]{})
	}
}

//gpuc:kernel workgroup=32
func OrderedMixedTiles(it gpu.Item, z gpu.Matrix[float32]) {
	for n := it.Group().X; n < z.Tiles(8, 8); n += it.Groups().X {
		row, col := z.TileAt(n, 8, 8)
		gpu.StoreTile(it, z, col, row, gpu.Tile[tile]{})
	}
}

//gpuc:kernel workgroup=32
func OrderedNumber(it gpu.Item, z gpu.Matrix[float32], n int) {
	for range n {
		row, col := z.TileAt(n, 8, 8)
		gpu.StoreTile(it, z, row, col, gpu.Tile[tile]{})
	}
}

//gpuc:kernel workgroup=32
func OrderedMatrix(it gpu.Item, z gpu.Matrix[float32]) {
	y := z
	for i := range 5 {
		gpu.StoreTile(it, y, 8*i, 0, gpu.Tile[tile]{})
		y = z.Sub(0, 0, 8*i, 8*i).T()
	}
}

//gpuc:kernel workgroup=32
func OrderedAssigned(it gpu.Item, z gpu.Matrix[float32]) {
	row := 0
	for i := range 5 {
		if i != 2 {
			row = 8 * i
		}
		gpu.StoreTile(it, z, row, 0, gpu.Tile[tile]{})
	}
}

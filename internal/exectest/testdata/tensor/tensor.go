// Package tensor has kernels whose tiles are copied by tensor maps.
package tensor

import "github.com/gpuc/gpuc/runtime/gpu"

// Large computes c = a·b with two warpgroups of consumers and several tiles per workgroup.
//
//gpuc:kernel workgroup=128
func Large(it gpu.Item, a, b, c gpu.Matrix[gpu.Float16]) {
	const BM, BN, BK = 128, 256, 64
	for n := it.Group().X; n < c.Tiles(BM, BN); n += it.Groups().X {
		row, column := c.TileAt(n, BM, BN)
		var sums gpu.Tile[[BM][BN]float32]
		for k := 0; k < a.Cols(); k += BK {
			x := gpu.LoadTile[[BM][BK]gpu.Float16](it, a, row, k)
			y := gpu.LoadTile[[BK][BN]gpu.Float16](it, b, k, column)
			sums = gpu.MulAdd(it, x, y, sums)
		}
		gpu.StoreTile(it, c, row, column, gpu.ConvertTile[[BM][BN]gpu.Float16](it, sums))
	}
}

// Small is Large with one warpgroup of consumers and small tiles.
//
//gpuc:kernel workgroup=128
func Small(it gpu.Item, a, b, c gpu.Matrix[gpu.Float16]) {
	const BM, BN, BK = 64, 64, 64
	for n := it.Group().X; n < c.Tiles(BM, BN); n += it.Groups().X {
		row, column := c.TileAt(n, BM, BN)
		var sums gpu.Tile[[BM][BN]float32]
		for k := 0; k < a.Cols(); k += BK {
			x := gpu.LoadTile[[BM][BK]gpu.Float16](it, a, row, k)
			y := gpu.LoadTile[[BK][BN]gpu.Float16](it, b, k, column)
			sums = gpu.MulAdd(it, x, y, sums)
		}
		gpu.StoreTile(it, c, row, column, gpu.ConvertTile[[BM][BN]gpu.Float16](it, sums))
	}
}

// Transposed computes c = max(aᵀ·bᵀ + bias, 0).
//
//gpuc:kernel workgroup=128
func Transposed(it gpu.Item, a, b gpu.Matrix[gpu.BFloat16], bias []float32, c gpu.Matrix[float32]) {
	const BM, BN, BK = 128, 128, 64
	for n := it.Group().X; n < c.Tiles(BM, BN); n += it.Groups().X {
		row, column := c.TileAt(n, BM, BN)
		var sums gpu.Tile[[BM][BN]float32]
		for k := 0; k < a.Rows(); k += BK {
			x := gpu.LoadTile[[BM][BK]gpu.BFloat16](it, a.T(), row, k)
			y := gpu.LoadTile[[BK][BN]gpu.BFloat16](it, b.T(), k, column)
			sums = gpu.MulAdd(it, x, y, sums)
		}
		sums = gpu.MapTile[[BM][BN]float32](it, sums, func(_, j int, v float32) float32 {
			if column+j < len(bias) {
				v += bias[column+j]
			}
			return max(v, 0)
		})
		gpu.StoreTile(it, c, row, column, sums)
	}
}

// Narrow computes c = a·bᵀ for eight columns, which are stored without a tensor map.
//
//gpuc:kernel workgroup=128
func Narrow(it gpu.Item, a, b gpu.Matrix[gpu.BFloat16], c gpu.Matrix[gpu.BFloat16]) {
	const BM, BN, BK = 64, 8, 64
	row, column := c.TileAt(it.Group().X, BM, BN)
	var sums gpu.Tile[[BM][BN]float32]
	for k := 0; k < a.Cols(); k += BK {
		x := gpu.LoadTile[[BM][BK]gpu.BFloat16](it, a, row, k)
		y := gpu.LoadTile[[BK][BN]gpu.BFloat16](it, b.T(), k, column)
		sums = gpu.MulAdd(it, x, y, sums)
	}
	gpu.StoreTile(it, c, row, column, gpu.ConvertTile[[BM][BN]gpu.BFloat16](it, sums))
}

// Tall computes c = a·b in tiles of 192 rows, for some columns of a and rows of b.
//
//gpuc:kernel workgroup=128
func Tall(it gpu.Item, a, b gpu.Matrix[gpu.Float16], c gpu.Matrix[float32], depth int32) {
	const BM, BN, BK = 192, 64, 128
	row, column := c.TileAt(it.Group().X, BM, BN)
	var sums gpu.Tile[[BM][BN]float32]
	for k := 0; k < int(depth); k += BK {
		x := gpu.LoadTile[[BM][BK]gpu.Float16](it, a, row, k)
		y := gpu.LoadTile[[BK][BN]gpu.Float16](it, b, k, column)
		sums = gpu.MulAdd(it, x, y, sums)
	}
	gpu.StoreTile(it, c, row, column, sums)
}

// Attention computes o = softmax(q·kᵀ·scale)·v for heads of t rows each.
//
//gpuc:kernel workgroup=128
func Attention(it gpu.Item, q, k, v, o gpu.Matrix[gpu.Float16], t int32, scale float32) {
	const BM, BN, D = 128, 128, 128
	row := it.Group().X * BM
	head := row / int(t) * int(t)
	end := head + int(t)
	x := gpu.LoadTile[[BM][D]gpu.Float16](it, q, row, 0)
	s := gpu.MulAdd(it, x, gpu.LoadTile[[D][BN]gpu.Float16](it, k.T(), 0, head), gpu.Tile[[BM][BN]float32]{})
	top := gpu.MaxTile[[BM][1]float32](it, s)
	p := gpu.MapTile2[[BM][BN]float32](it, s, top, func(_, _ int, s, top float32) float32 { return gpu.Exp2(s*scale - top*scale) })
	sum := gpu.SumTile[[BM][1]float32](it, p)
	weights := gpu.ConvertTile[[BM][BN]gpu.Float16](it, p)
	var values gpu.Tile[[BM][D]float32]
	for j := head + BN; j < end; j += BN {
		s := gpu.MulAdd(it, x, gpu.LoadTile[[D][BN]gpu.Float16](it, k.T(), 0, j), gpu.Tile[[BM][BN]float32]{})
		values = gpu.MulAdd(it, weights, gpu.LoadTile[[BN][D]gpu.Float16](it, v, j-BN, 0), values)
		next := gpu.MapTile2[[BM][1]float32](it, top, gpu.MaxTile[[BM][1]float32](it, s), func(_, _ int, a, b float32) float32 { return max(a, b) })
		p := gpu.MapTile2[[BM][BN]float32](it, s, next, func(_, _ int, s, top float32) float32 { return gpu.Exp2(s*scale - top*scale) })
		shrink := gpu.MapTile2[[BM][1]float32](it, top, next, func(_, _ int, a, b float32) float32 { return gpu.Exp2((a - b) * scale) })
		sum = gpu.MapTile3[[BM][1]float32](it, sum, shrink, gpu.SumTile[[BM][1]float32](it, p), func(_, _ int, sum, shrink, more float32) float32 { return sum*shrink + more })
		weights = gpu.ConvertTile[[BM][BN]gpu.Float16](it, p)
		values = gpu.MapTile2[[BM][D]float32](it, values, shrink, func(_, _ int, v, shrink float32) float32 { return v * shrink })
		top = next
	}
	values = gpu.MulAdd(it, weights, gpu.LoadTile[[BN][D]gpu.Float16](it, v, end-BN, 0), values)
	gpu.StoreTile(it, o, row, 0, gpu.MapTile2[[BM][D]gpu.Float16](it, values, sum, func(_, _ int, v, sum float32) gpu.Float16 { return gpu.ToFloat16(v / sum) }))
}

// Shallow computes c = aᵀ·b with tiles so small that they fit into variables in workgroup memory.
//
//gpuc:kernel workgroup=128
func Shallow(it gpu.Item, a, b gpu.Matrix[gpu.Float16], c gpu.Matrix[gpu.Float16]) {
	const BM, BN, BK = 64, 64, 16
	row, column := c.TileAt(it.Group().X, BM, BN)
	var sums gpu.Tile[[BM][BN]float32]
	for k := 0; k < a.Rows(); k += BK {
		x := gpu.LoadTile[[BM][BK]gpu.Float16](it, a.T(), row, k)
		y := gpu.LoadTile[[BK][BN]gpu.Float16](it, b, k, column)
		sums = gpu.MulAdd(it, x, y, sums)
	}
	gpu.StoreTile(it, c, row, column, gpu.ConvertTile[[BM][BN]gpu.Float16](it, sums))
}

// Single computes c = aᵀ·b by fma, with two warpgroups of consumers and stores by boxes.
//
//gpuc:kernel workgroup=128
func Single(it gpu.Item, a, b, c gpu.Matrix[float32]) {
	const BM, BN, BK = 128, 64, 32
	for n := it.Group().X; n < c.Tiles(BM, BN); n += it.Groups().X {
		row, column := c.TileAt(n, BM, BN)
		var sums gpu.Tile[[BM][BN]float32]
		for k := 0; k < b.Rows(); k += BK {
			x := gpu.LoadTile[[BM][BK]float32](it, a.T(), row, k)
			y := gpu.LoadTile[[BK][BN]float32](it, b, k, column)
			sums = gpu.MulAdd(it, x, y, sums)
		}
		gpu.StoreTile(it, c, row, column, sums)
	}
}

// SingleBias computes c = max(aᵀ·b + bias, 0) by fma, with one warpgroup of consumers.
//
//gpuc:kernel workgroup=64
func SingleBias(it gpu.Item, a, b gpu.Matrix[float32], bias []float32, c gpu.Matrix[gpu.Float16]) {
	const BM, BN, BK = 32, 64, 16
	for n := it.Group().X; n < c.Tiles(BM, BN); n += it.Groups().X {
		row, column := c.TileAt(n, BM, BN)
		var sums gpu.Tile[[BM][BN]float32]
		for k := 0; k < b.Rows(); k += BK {
			x := gpu.LoadTile[[BM][BK]float32](it, a.T(), row, k)
			y := gpu.LoadTile[[BK][BN]float32](it, b, k, column)
			sums = gpu.MulAdd(it, x, y, sums)
		}
		top := gpu.MapTile[[1][BN]float32](it, gpu.Tile[[1][BN]float32]{}, func(_, j int, v float32) float32 {
			if column+j < len(bias) {
				v += bias[column+j]
			}
			return v
		})
		made := gpu.MapTile2[[BM][BN]gpu.Float16](it, sums, top, func(_, _ int, v, bias float32) gpu.Float16 {
			return gpu.ToFloat16(max(v+bias, 0))
		})
		gpu.StoreTile(it, c, row, column, made)
	}
}

// SingleOuter computes c = aᵀ·b by fma for at most 16 rows of both operands. One tile of a is
// multiplied by several of b.
//
//gpuc:kernel workgroup=64
func SingleOuter(it gpu.Item, a, b, c gpu.Matrix[float32]) {
	const BM, BN, BK = 64, 128, 16
	row := it.Group().X * BM
	x := gpu.LoadTile[[BM][BK]float32](it, a.T(), row, 0)
	for column := 0; column < c.Cols(); column += BN {
		y := gpu.LoadTile[[BK][BN]float32](it, b, 0, column)
		gpu.StoreTile(it, c, row, column, gpu.MulAdd(it, x, y, gpu.Tile[[BM][BN]float32]{}))
	}
}

// Statistics multiplies a product again, and stores it over a column with the maximum of each row.
// The first product is stored while the second one reads it.
//
//gpuc:kernel workgroup=128
func Statistics(it gpu.Item, a, b, c gpu.Matrix[gpu.Float16], d gpu.Matrix[float32]) {
	x := gpu.LoadTile[[64][64]gpu.Float16](it, a, 0, 0)
	y := gpu.LoadTile[[64][64]gpu.Float16](it, b, 0, 0)
	first := gpu.ConvertTile[[64][64]gpu.Float16](it, gpu.MulAdd(it, x, y, gpu.Tile[[64][64]float32]{}))
	again := gpu.LoadTile[[64][64]gpu.Float16](it, b, 0, 0)
	second := gpu.MulAdd(it, first, again, gpu.Tile[[64][64]float32]{})
	gpu.StoreTile(it, c, 0, 0, first)
	gpu.StoreTile(it, d, 0, 0, second)
	gpu.StoreTile(it, d, 0, 3, gpu.MaxTile[[64][1]float32](it, second))
}

// Constants multiplies numbers that are all equal, and stores them.
//
//gpuc:kernel workgroup=128
func Constants(it gpu.Item, a, b, c gpu.Matrix[gpu.Float16], d gpu.Matrix[float32]) {
	two := gpu.FillTile[[64][64]gpu.Float16](it, gpu.ToFloat16(2))
	y := gpu.LoadTile[[64][64]gpu.Float16](it, b, 0, 0)
	gpu.StoreTile(it, d, 0, 0, gpu.MulAdd(it, two, y, gpu.Tile[[64][64]float32]{}))
	gpu.StoreTile(it, c, 0, 0, two)
}

// Double computes c = a·b of float64. It has no tensor maps: other instructions multiply.
//
//gpuc:kernel workgroup=128
func Double(it gpu.Item, a, b, c gpu.Matrix[float64]) {
	const BM, BN, BK = 64, 64, 32
	for n := it.Group().X; n < c.Tiles(BM, BN); n += it.Groups().X {
		row, column := c.TileAt(n, BM, BN)
		var sums gpu.Tile[[BM][BN]float64]
		for k := 0; k < a.Cols(); k += BK {
			x := gpu.LoadTile[[BM][BK]float64](it, a, row, k)
			y := gpu.LoadTile[[BK][BN]float64](it, b, k, column)
			sums = gpu.MulAdd(it, x, y, sums)
		}
		gpu.StoreTile(it, c, row, column, sums)
	}
}

// DoubleTransposed computes c = max(aᵀ·bᵀ + bias, 0) of float64, with two products of a warp in a
// column.
//
//gpuc:kernel workgroup=64
func DoubleTransposed(it gpu.Item, a, b gpu.Matrix[float64], bias []float32, c gpu.Matrix[float64]) {
	const BM, BN, BK = 32, 16, 16
	for n := it.Group().X; n < c.Tiles(BM, BN); n += it.Groups().X {
		row, column := c.TileAt(n, BM, BN)
		var sums gpu.Tile[[BM][BN]float64]
		for k := 0; k < a.Rows(); k += BK {
			x := gpu.LoadTile[[BM][BK]float64](it, a.T(), row, k)
			y := gpu.LoadTile[[BK][BN]float64](it, b.T(), k, column)
			sums = gpu.MulAdd(it, x, y, sums)
		}
		sums = gpu.MapTile[[BM][BN]float64](it, sums, func(_, j int, v float64) float64 {
			if column+j < len(bias) {
				v += float64(bias[column+j])
			}
			return max(v, 0)
		})
		gpu.StoreTile(it, c, row, column, sums)
	}
}

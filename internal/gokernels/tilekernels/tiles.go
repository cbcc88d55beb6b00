// Package tilekernels has kernels that compute with tiles: products, functions of elements,
// reductions, transpositions and conversions, of all elements that there are.
package tilekernels

import "github.com/gpuc/gpuc/runtime/gpu"

// gemm adds the product of x and y to z, in tiles with the shape of C. The columns of A are those
// of x that it multiplies at a time.
func gemm[A, B, C, T, U, V any](it gpu.Item, x gpu.Matrix[T], y gpu.Matrix[U], z gpu.Matrix[V], rows, depth, cols int) {
	row, col := z.TileAt(it.Group().X, rows, cols)
	sum := gpu.LoadTile[C](it, z, row, col)
	for k := 0; k < x.Cols(); k += depth {
		sum = gpu.MulAdd(it, gpu.LoadTile[A](it, x, row, k), gpu.LoadTile[B](it, y, k, col), sum)
	}
	gpu.StoreTile(it, z, row, col, sum)
}

//gpuc:kernel workgroup=32
func GemmF16(it gpu.Item, x, y gpu.Matrix[gpu.Float16], z gpu.Matrix[float32]) {
	gemm[[16][8]gpu.Float16, [8][24]gpu.Float16, [16][24]float32](it, x, y, z, 16, 8, 24)
}

//gpuc:kernel workgroup=8,4
func GemmBF16(it gpu.Item, x, y gpu.Matrix[gpu.BFloat16], z gpu.Matrix[float32]) {
	gemm[[16][16]gpu.BFloat16, [16][16]gpu.BFloat16, [16][16]float32](it, x, y, z, 16, 16, 16)
}

//gpuc:kernel workgroup=33
func GemmF8(it gpu.Item, x gpu.Matrix[gpu.Float8E4M3], y gpu.Matrix[gpu.Float8E5M2], z gpu.Matrix[float32]) {
	gemm[[8][4]gpu.Float8E4M3, [4][16]gpu.Float8E5M2, [8][16]float32](it, x, y, z, 8, 4, 16)
}

//gpuc:kernel workgroup=64
func GemmF32(it gpu.Item, x, y, z gpu.Matrix[float32]) {
	gemm[[16][5]float32, [5][16]float32, [16][16]float32](it, x, y, z, 16, 5, 16)
}

//gpuc:kernel workgroup=16
func GemmF64(it gpu.Item, x, y, z gpu.Matrix[float64]) {
	gemm[[9][7]float64, [7][11]float64, [9][11]float64](it, x, y, z, 9, 7, 11)
}

//gpuc:kernel workgroup=32
func GemmI8(it gpu.Item, x gpu.Matrix[int8], y gpu.Matrix[uint8], z gpu.Matrix[int32]) {
	gemm[[16][32]int8, [32][8]uint8, [16][8]int32](it, x, y, z, 16, 32, 8)
}

// UnitF8, UnitU8 and UnitBytes have the shapes of matrix units.
//
//gpuc:kernel workgroup=64
func UnitF8(it gpu.Item, x gpu.Matrix[gpu.Float8E4M3], y gpu.Matrix[gpu.Float8E5M2], z gpu.Matrix[float32]) {
	gemm[[32][32]gpu.Float8E4M3, [32][32]gpu.Float8E5M2, [32][32]float32](it, x, y.T(), z, 32, 32, 32)
}

//gpuc:kernel workgroup=64
func UnitU8(it gpu.Item, x, y gpu.Matrix[uint8], z gpu.Matrix[int32]) {
	gemm[[32][32]uint8, [32][32]uint8, [32][32]int32](it, x, y.T(), z, 32, 32, 32)
}

//gpuc:kernel workgroup=64
func UnitBytes(it gpu.Item, x gpu.Matrix[int8], y gpu.Matrix[uint8], z gpu.Matrix[int32]) {
	gemm[[32][32]int8, [32][32]uint8, [32][32]int32](it, x, y, z, 32, 32, 32)
}

// Single has workgroups of one item.
//
//gpuc:kernel workgroup=1
func Single(it gpu.Item, x, y, z gpu.Matrix[float32]) {
	gemm[[3][2]float32, [2][5]float32, [3][5]float32](it, x, y, z, 3, 2, 5)
}

// Views multiplies parts and transposes of matrices, from rows and columns on that may be negative.
//
//gpuc:kernel workgroup=32
func Views(it gpu.Item, row, col int, x, y, z gpu.Matrix[float32]) {
	a, b := x.Sub(1, 2, 13, 11).T(), y.T().Sub(col, row, 12, 30)
	left := gpu.LoadTile[[8][8]float32](it, a, row, col)
	right := gpu.LoadTile[[8][8]float32](it, b, -col, -row)
	sum := gpu.LoadTile[[8][8]float32](it, z.T(), -1, 1)
	sum = gpu.MulAdd(it, left, right, sum)
	gpu.StoreTile(it, z.T(), row, -2, sum)
	gpu.StoreTile(it, z.Sub(8, 8, 3, 100), -1, -1, right)
}

// Maps calls functions for the elements of several tiles, of which some have one row or column.
//
//gpuc:kernel workgroup=16
func Maps(it gpu.Item, scale float32, bias []float32, x gpu.Matrix[float32], y gpu.Matrix[int32], z gpu.Matrix[float32]) {
	a := gpu.LoadTile[[7][9]float32](it, x, 0, 0)
	rows := gpu.LoadTile[[7][1]int32](it, y, 0, 0)
	cols := gpu.LoadTile[[1][9]float32](it, x, 3, 0)
	one := gpu.LoadTile[[1][1]float32](it, x, 2, 2)
	a = gpu.MapTile[[7][9]float32](it, a, func(row, col int, v float32) float32 {
		if v < 0 {
			return scale - float32(row)
		}
		return v + bias[(row*9+col)%len(bias)]
	})
	b := gpu.MapTile2[[7][9]int32](it, a, rows, func(row, col int, v float32, r int32) int32 { return r + int32(v)*int32(col) })
	a = gpu.MapTile3[[7][9]float32](it, a, cols, b, func(row, col int, v, c float32, n int32) float32 {
		for k := range n & 3 {
			v += c * float32(k)
		}
		return v
	})
	a = gpu.MapTile2[[7][9]float32](it, a, one, subtract)
	gpu.StoreTile(it, z, 0, 0, a)
	gpu.StoreTile(it, y, 0, 1, b)
	gpu.StoreTile(it, z, 0, 9, gpu.FillTile[[7][2]float32](it, scale))
}

func subtract(row, col int, x, y float32) float32 { return x - y }

// Reductions has the sums, maximums and minimums of rows and columns.
func reductions[A, R, C, T any](it gpu.Item, x, z gpu.Matrix[T], rows, cols int) {
	a := gpu.LoadTile[A](it, x, 0, 0)
	gpu.StoreTile(it, z, 0, 0, gpu.SumTile[R](it, a))
	gpu.StoreTile(it, z, 0, 1, gpu.MaxTile[R](it, a))
	gpu.StoreTile(it, z, 0, 2, gpu.MinTile[R](it, a))
	gpu.StoreTile(it, z, rows, 0, gpu.SumTile[C](it, a))
	gpu.StoreTile(it, z, rows+1, 0, gpu.MaxTile[C](it, a))
	gpu.StoreTile(it, z, rows+2, 0, gpu.MinTile[C](it, a))
}

//gpuc:kernel workgroup=32
func ReduceF32(it gpu.Item, x, z gpu.Matrix[float32]) {
	reductions[[13][21]float32, [13][1]float32, [1][21]float32](it, x, z, 13, 21)
}

//gpuc:kernel workgroup=8
func ReduceF64(it gpu.Item, x, z gpu.Matrix[float64]) {
	reductions[[5][4]float64, [5][1]float64, [1][4]float64](it, x, z, 5, 4)
}

//gpuc:kernel workgroup=32
func ReduceI32(it gpu.Item, x, z gpu.Matrix[int32]) {
	reductions[[8][16]int32, [8][1]int32, [1][16]int32](it, x, z, 8, 16)
}

//gpuc:kernel workgroup=40
func ReduceU32(it gpu.Item, x, z gpu.Matrix[uint32]) {
	reductions[[8][8]uint32, [8][1]uint32, [1][8]uint32](it, x, z, 8, 8)
}

// Transposes transposes tiles of small and large elements.
//
//gpuc:kernel workgroup=16
func Transposes(it gpu.Item, b gpu.Matrix[uint8], h gpu.Matrix[gpu.BFloat16], f gpu.Matrix[float32]) {
	gpu.StoreTile(it, b, 0, 0, gpu.TransposeTile[[5][12]uint8](it, gpu.LoadTile[[12][5]uint8](it, b, 1, 1)))
	gpu.StoreTile(it, h, 0, 0, gpu.TransposeTile[[16][8]gpu.BFloat16](it, gpu.LoadTile[[8][16]gpu.BFloat16](it, h, 1, 1)))
	x := gpu.LoadTile[[10][10]float32](it, f, 0, 0)
	for range f.Rows() % 4 {
		x = gpu.TransposeTile[[10][10]float32](it, x)
	}
	gpu.StoreTile(it, f, 0, 0, x)
}

// Overlapping stores tiles over each other, to a matrix that it does not load.
//
//gpuc:kernel workgroup=32
func Overlapping(it gpu.Item, x, z gpu.Matrix[float32]) {
	a := gpu.LoadTile[[8][8]float32](it, x, 0, 0)
	gpu.StoreTile(it, z, 0, 0, a)
	gpu.StoreTile(it, z.T(), 1, 2, a)
	gpu.StoreTile(it, z, 2, 0, gpu.SumTile[[8][1]float32](it, a))
}

// Shifting stores tiles over each other in one statement, which moves by less than a tile. To y it
// stores them side by side.
//
//gpuc:kernel workgroup=32
func Shifting(it gpu.Item, x, y, z gpu.Matrix[float32]) {
	a := gpu.LoadTile[[8][8]float32](it, x, 0, 0)
	for i := range 5 {
		gpu.StoreTile(it, z, 2*i, 3*i, a)
		a = gpu.MapTile[[8][8]float32](it, a, func(_, _ int, x float32) float32 { return x + 1 })
		gpu.StoreTile(it, y.T(), 1, 8*i-4, a)
	}
}

// Packed multiplies integers of four bits, which begin outside of their matrices, and the same as
// halves that rows have scales for.
//
//gpuc:kernel workgroup=64
func Packed(it gpu.Item, x gpu.Matrix[gpu.Int4x8], y gpu.Matrix[gpu.Uint4x8], scales []float32, z gpu.Matrix[int32], f gpu.Matrix[float32]) {
	a := gpu.LoadInt4[[16][32]int8](it, x, -1, -3)
	b := gpu.LoadUint4[[32][16]uint8](it, y, -3, 5)
	gpu.StoreTile(it, z, 0, 0, gpu.MulAdd(it, a, b, gpu.Tile[[16][16]int32]{}))
	scaled := gpu.MapTile[[16][32]gpu.Float16](it, a, func(i, _ int, q int8) gpu.Float16 { return gpu.ToFloat16(scales[i] * float32(q)) })
	gpu.StoreTile(it, f, 0, 0, gpu.MulAdd(it, scaled, gpu.ConvertTile[[32][16]gpu.Float16](it, b), gpu.Tile[[16][16]float32]{}))
}

// Attention multiplies a result: the weights of rows are those of a softmax whose exponential is a
// polynomial.
//
//gpuc:kernel workgroup=32
func Attention(it gpu.Item, q, k gpu.Matrix[gpu.Float16], v gpu.Matrix[gpu.BFloat16], out gpu.Matrix[float32]) {
	type (
		scores = [16][8]float32
		result = [16][16]float32
	)
	queries := gpu.LoadTile[[16][16]gpu.Float16](it, q, 16*it.Group().X, 0)
	var sum gpu.Tile[result]
	var total gpu.Tile[[16][1]float32]
	for n := 0; n < k.Rows(); n += 8 {
		s := gpu.MulAdd(it, queries, gpu.LoadTile[[16][8]gpu.Float16](it, k.T(), 0, n), gpu.Tile[scores]{})
		most := gpu.MaxTile[[16][1]float32](it, s)
		s = gpu.MapTile2[scores](it, s, most, func(row, col int, x, m float32) float32 {
			d := max((x-m)*0.125, -1)
			return 1 + d*(1+d*0.5)
		})
		total = gpu.MapTile2[[16][1]float32](it, total, gpu.SumTile[[16][1]float32](it, s), func(row, col int, x, y float32) float32 { return x + y })
		sum = gpu.MulAdd(it, gpu.ConvertTile[[16][8]gpu.BFloat16](it, s), gpu.LoadTile[[8][16]gpu.BFloat16](it, v, n, 0), sum)
	}
	sum = gpu.MapTile2[result](it, sum, total, func(row, col int, x, t float32) float32 { return x / max(t, 1) })
	gpu.StoreTile(it, out, 16*it.Group().X, 0, sum)
}

// Chosen passes tiles through branches, switches and loops that end early.
//
//gpuc:kernel workgroup=16
func Chosen(it gpu.Item, n int, x gpu.Matrix[float32]) {
	a := gpu.LoadTile[[6][6]float32](it, x, 0, 0)
	b := gpu.TransposeTile[[6][6]float32](it, a)
	if it.Group().X%2 == 1 {
		a, b = b, a
	}
	for k := range n {
		switch k % 4 {
		case 0:
			a, b = b, gpu.MulAdd(it, a, b, a)
		case 1:
			continue
		case 2:
			if k > 5 {
				break
			}
			a = gpu.MapTile2[[6][6]float32](it, a, b, subtract)
		}
		if k == 7 {
			break
		}
	}
	gpu.StoreTile(it, x, 6*it.Group().X+6, 0, a)
	gpu.StoreTile(it, x, 6*it.Group().X+6, 6, b)
}

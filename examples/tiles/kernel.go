package main

import "github.com/gpuc/gpuc/runtime/gpu"

//go:generate go tool gpuc gen .

// The tiles of Gemm: a workgroup computes Rows by Columns elements, Depth products of each at a
// time. The directive lists the values that tuning tries.
const (
	Rows    = 128
	Columns = 128 //gpuc:tune 128 256
	Depth   = 64
)

// Gemm computes c = gelu(a·b + bias) with a bias for each column.
//
// A tile is a value of the workgroup. The kernel does not say how its items hold it, nor how the
// operands come to them: that differs from device to device.
//
//gpuc:kernel workgroup=256
func Gemm(it gpu.Item, a, b gpu.Matrix[gpu.Float16], bias []float32, c gpu.Matrix[gpu.Float16]) {
	for n := it.Group().X; n < c.Tiles(Rows, Columns); n += it.Groups().X {
		row, col := c.TileAt(n, Rows, Columns)
		var sum gpu.Tile[[Rows][Columns]float32]
		for k := 0; k < a.Cols(); k += Depth {
			x := gpu.LoadTile[[Rows][Depth]gpu.Float16](it, a, row, k) // zero outside of the matrix
			y := gpu.LoadTile[[Depth][Columns]gpu.Float16](it, b, k, col)
			sum = gpu.MulAdd(it, x, y, sum)
		}
		result := gpu.MapTile[[Rows][Columns]gpu.Float16](it, sum, func(_, j int, v float32) gpu.Float16 {
			if col+j < len(bias) {
				v += bias[col+j]
			}
			return gpu.ToFloat16(gelu(v))
		})
		gpu.StoreTile(it, c, row, col, result) // clipped to the matrix
	}
}

// gelu is the Gaussian error linear unit by its approximation with tanh (Hendrycks and Gimpel,
// 2016).
func gelu(x float32) float32 {
	return x / (1 + gpu.Exp(-1.5957691*(x+0.044715*x*x*x)))
}

// Bytes is the depth of the tiles of ProductI8, whose other sides are those of Gemm.
const Bytes = 128

// ProductI8 computes c = a·bᵀ of bytes: the rows of b are the columns of the second factor.
//
//gpuc:kernel workgroup=256
func ProductI8(it gpu.Item, a, b gpu.Matrix[int8], c gpu.Matrix[int32]) {
	for n := it.Group().X; n < c.Tiles(Rows, Columns); n += it.Groups().X {
		row, col := c.TileAt(n, Rows, Columns)
		var sum gpu.Tile[[Rows][Columns]int32]
		for k := 0; k < a.Cols(); k += Bytes {
			x := gpu.LoadTile[[Rows][Bytes]int8](it, a, row, k)
			y := gpu.LoadTile[[Bytes][Columns]int8](it, b.T(), k, col)
			sum = gpu.MulAdd(it, x, y, sum)
		}
		gpu.StoreTile(it, c, row, col, sum)
	}
}

// The tiles of Attention: a workgroup has Queries rows of q, and takes Keys rows of k and v at a
// time. Head is how many columns the matrices have.
const (
	Queries = 128
	Keys    = 128
	Head    = 128
)

// Attention computes softmax(q·kᵀ·scale)·v for heads of so many tokens, whose rows follow each
// other. A token attends to itself and to those before it. Tokens are a multiple of Queries, and a
// workgroup computes Queries of them.
//
// The sums of the exponentials are those of the keys so far (Milakov and Gimelshein, "Online
// normalizer calculation for softmax", 2018). The product for the next keys comes before the work
// on the last ones, so that devices with asynchronous products do both at once (Shah et al.,
// "FlashAttention-3", 2024).
//
//gpuc:kernel workgroup=256
func Attention(it gpu.Item, q, k, v, o gpu.Matrix[gpu.Float16], tokens int32, scale float32) {
	blocks := int(tokens) / Queries
	heads := it.Groups().X / blocks
	head := it.Group().X % heads * int(tokens)
	row := head + (blocks-1-it.Group().X/heads)*Queries // the longest rows begin first
	scale *= 1.44269504                                 // of exponents of 2

	queries := gpu.LoadTile[[Queries][Head]gpu.Float16](it, q, row, 0)
	keys := gpu.LoadTile[[Head][Keys]gpu.Float16](it, k.T(), 0, row)
	scores := gpu.MulAdd(it, queries, keys, gpu.Tile[[Queries][Keys]float32]{})
	scores = gpu.MapTile[[Queries][Keys]float32](it, scores, func(i, j int, score float32) float32 {
		if j > i {
			return -1e30
		}
		return score
	})
	top := gpu.MaxTile[[Queries][1]float32](it, scores)
	weights := gpu.MapTile2[[Queries][Keys]float32](it, scores, top, func(_, _ int, score, top float32) float32 {
		return gpu.Exp2(score*scale - top*scale)
	})
	sum := gpu.SumTile[[Queries][1]float32](it, weights)
	factors := gpu.ConvertTile[[Queries][Keys]gpu.Float16](it, weights)
	var result gpu.Tile[[Queries][Head]float32]
	for j := row - Keys; j >= head; j -= Keys {
		keys := gpu.LoadTile[[Head][Keys]gpu.Float16](it, k.T(), 0, j)
		scores := gpu.MulAdd(it, queries, keys, gpu.Tile[[Queries][Keys]float32]{})
		result = gpu.MulAdd(it, factors, gpu.LoadTile[[Keys][Head]gpu.Float16](it, v, j+Keys, 0), result)
		before := top
		top = gpu.MapTile2[[Queries][1]float32](it, top, gpu.MaxTile[[Queries][1]float32](it, scores), func(_, _ int, x, y float32) float32 {
			return max(x, y)
		})
		weights := gpu.MapTile2[[Queries][Keys]float32](it, scores, top, func(_, _ int, score, top float32) float32 {
			return gpu.Exp2(score*scale - top*scale)
		})
		shrink := gpu.MapTile2[[Queries][1]float32](it, before, top, func(_, _ int, before, top float32) float32 {
			return gpu.Exp2((before - top) * scale)
		})
		sum = gpu.MapTile3[[Queries][1]float32](it, sum, shrink, gpu.SumTile[[Queries][1]float32](it, weights), func(_, _ int, sum, shrink, more float32) float32 {
			return sum*shrink + more
		})
		factors = gpu.ConvertTile[[Queries][Keys]gpu.Float16](it, weights)
		result = gpu.MapTile2[[Queries][Head]float32](it, result, shrink, func(_, _ int, x, shrink float32) float32 { return x * shrink })
	}
	result = gpu.MulAdd(it, factors, gpu.LoadTile[[Keys][Head]gpu.Float16](it, v, head, 0), result)
	gpu.StoreTile(it, o, row, 0, gpu.MapTile2[[Queries][Head]gpu.Float16](it, result, sum, func(_, _ int, x, sum float32) gpu.Float16 {
		return gpu.ToFloat16(x / sum)
	}))
}

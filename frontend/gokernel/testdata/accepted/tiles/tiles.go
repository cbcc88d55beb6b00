// Package tiles computes with tiles.
package tiles

import "github.com/gpuc/gpuc/runtime/gpu"

type (
	half   = gpu.Tile[[64][32]gpu.Float16]
	single = gpu.Tile[[64][64]float32]
	row    [64]float32
	column [64][1]float32
)

// Product is the usual loop over the columns of a.
//
//gpuc:kernel workgroup=128
func Product(it gpu.Item, a, b gpu.Matrix[gpu.Float16], c gpu.Matrix[float32]) {
	at := it.Group()
	sum := gpu.FillTile[[64][64]float32](it, float32(0))
	for k := 0; k < a.Cols(); k += 32 {
		x := gpu.LoadTile[[64][32]gpu.Float16](it, a, at.Y*64, k)
		y := gpu.LoadTile[[32][64]gpu.Float16](it, b, k, at.X*64)
		sum = gpu.MulAdd(it, x, y, sum)
	}
	gpu.StoreTile(it, c, at.Y*64, at.X*64, sum)
}

func relu(row, col int, x float32) float32 { return max(x, 0) }

func load(it gpu.Item, m gpu.Matrix[gpu.Float16], row int) half {
	return gpu.LoadTile[[64][32]gpu.Float16](it, m, row, 0)
}

// Functions maps tiles by functions with and without names, which read variables and memory around
// them.
//
//gpuc:kernel workgroup=8,8
func Functions(it gpu.Item, scale float32, bias []float32, m gpu.Matrix[gpu.Float16], to gpu.Matrix[float32]) {
	x := gpu.ConvertTile[[64][32]float32](it, load(it, m, 0))
	x = gpu.MapTile[[64][32]float32](it, x, relu)
	offset := bias[0]
	x = gpu.MapTile[[64][32]float32](it, x, func(row, col int, v float32) float32 {
		sum := v*scale + offset
		for k := range 3 {
			sum += bias[(row+col+k)%len(bias)]
		}
		if sum < 0 {
			return 0
		}
		return sum
	})
	signs := gpu.MapTile[[64][32]int8](it, x, func(row, col int, v float32) int8 {
		if v < 0 {
			return -1
		}
		return 1
	})
	x = gpu.MapTile2[[64][32]float32](it, x, signs, func(row, col int, v float32, s int8) float32 { return v * float32(s) })
	gpu.StoreTile(it, to, 0, 0, x)
}

// Softmax has reductions, and one column or row that is used for all.
//
//gpuc:kernel workgroup=64
func Softmax(it gpu.Item, m gpu.Matrix[float32]) {
	x := gpu.LoadTile[[64][64]float32](it, m, 64*it.Group().X, 0)
	most := gpu.MaxTile[column](it, x)
	x = gpu.MapTile2[[64][64]float32](it, x, most, func(row, col int, v, m float32) float32 { return gpu.Exp(v - m) })
	total := gpu.SumTile[column](it, x)
	least := gpu.MinTile[[1][64]float32](it, x)
	x = gpu.MapTile3[[64][64]float32](it, x, total, least, func(row, col int, v, t, l float32) float32 { return (v - l) / t })
	gpu.StoreTile(it, m, 64*it.Group().X, 0, x)
}

// Elements has a tile of each type of elements.
//
//gpuc:kernel workgroup=32
func Elements(it gpu.Item, f gpu.Matrix[float32], d gpu.Matrix[float64], h gpu.Matrix[gpu.Float16], b gpu.Matrix[gpu.BFloat16], p gpu.Matrix[gpu.Float8E4M3], q gpu.Matrix[gpu.Float8E5M2], s gpu.Matrix[int8], u gpu.Matrix[uint8], i gpu.Matrix[int32], w gpu.Matrix[uint32]) {
	x := gpu.LoadTile[[8][8]float32](it, f, 0, 0)
	gpu.StoreTile(it, d, 0, 0, gpu.ConvertTile[[8][8]float64](it, x))
	gpu.StoreTile(it, h, 0, 0, gpu.ConvertTile[[8][8]gpu.Float16](it, x))
	gpu.StoreTile(it, b, 0, 0, gpu.ConvertTile[[8][8]gpu.BFloat16](it, x))
	gpu.StoreTile(it, p, 0, 0, gpu.ConvertTile[[8][8]gpu.Float8E4M3](it, x))
	gpu.StoreTile(it, q, 0, 0, gpu.ConvertTile[[8][8]gpu.Float8E5M2](it, x))
	gpu.StoreTile(it, s, 0, 0, gpu.ConvertTile[[8][8]int8](it, x))
	gpu.StoreTile(it, u, 0, 0, gpu.ConvertTile[[8][8]uint8](it, x))
	gpu.StoreTile(it, i, 0, 0, gpu.ConvertTile[[8][8]int32](it, x))
	gpu.StoreTile(it, w, 0, 0, gpu.ConvertTile[[8][8]uint32](it, x))
}

// Products has each product that there is.
//
//gpuc:kernel workgroup=32
func Products(it gpu.Item, h gpu.Matrix[gpu.Float16], b gpu.Matrix[gpu.BFloat16], p gpu.Matrix[gpu.Float8E4M3], q gpu.Matrix[gpu.Float8E5M2], f gpu.Matrix[float32], d gpu.Matrix[float64], s gpu.Matrix[int8], u gpu.Matrix[uint8], i gpu.Matrix[int32]) {
	var sum gpu.Tile[[8][8]float32]
	halves := gpu.LoadTile[[8][8]gpu.Float16](it, h, 0, 0)
	sum = gpu.MulAdd(it, halves, halves, sum)
	brains := gpu.LoadTile[[8][8]gpu.BFloat16](it, b, 0, 0)
	sum = gpu.MulAdd(it, brains, brains, sum)
	sum = gpu.MulAdd(it, gpu.LoadTile[[8][8]gpu.Float8E4M3](it, p, 0, 0), gpu.LoadTile[[8][8]gpu.Float8E5M2](it, q, 0, 0), sum)
	singles := gpu.LoadTile[[8][8]float32](it, f, 0, 0)
	gpu.StoreTile(it, f, 0, 0, gpu.MulAdd(it, singles, gpu.TransposeTile[[8][8]float32](it, singles), sum))
	doubles := gpu.LoadTile[[8][8]float64](it, d, 0, 0)
	gpu.StoreTile(it, d, 0, 0, gpu.MulAdd(it, doubles, doubles, doubles))
	signed, unsigned := gpu.LoadTile[[8][8]int8](it, s, 0, 0), gpu.LoadTile[[8][8]uint8](it, u, 0, 0)
	gpu.StoreTile(it, i, 0, 0, gpu.MulAdd(it, signed, unsigned, gpu.Tile[[8][8]int32]{}))
}

// Views takes parts and transposes of a matrix, whose elements each item reads, too.
//
//gpuc:kernel workgroup=32
func Views(it gpu.Item, n int, x []float32, m gpu.Matrix[float32]) {
	a := m.Sub(1, 2, n-3, n/2).T()
	t := gpu.LoadTile[[16][16]float32](it, a, -1, n)
	x[it.Index()] = a.At(it.LocalIndex()%16, 3) + m.At(0, 0)
	if m.Rows() > m.Cols() {
		a = m.T()
	}
	gpu.StoreTile(it, a, a.Rows(), a.Cols(), t)
	m.Set(it.LocalIndex(), 0, 1)
}

// Convolution multiplies the windows of tensors, of which one has some of the channels. The window
// is a parameter, a constant or made of numbers.
//
//gpuc:kernel workgroup=32
func Convolution(it gpu.Item, n int, window gpu.Window, x gpu.Tensor[gpu.Float16], y gpu.Tensor[float32], weights gpu.Matrix[gpu.Float16], z gpu.Matrix[float32]) {
	windows := x.Windows(window)
	var sum gpu.Tile[[16][16]float32]
	for k := 0; k < windows.Cols(); k += 16 {
		left := gpu.LoadWindows[[16][16]gpu.Float16](it, windows, 16*it.Group().X, k)
		sum = gpu.MulAdd(it, left, gpu.LoadTile[[16][16]gpu.Float16](it, weights, k, 0), sum)
	}
	some := y.Channels(n, 2)
	sum = gpu.MulAdd(it, unfolded(it, some, gpu.Window{H: 3, W: 3}), gpu.LoadWindows[[8][16]float32](it, some.Windows(gpu.Window{H: n, W: n}), 0, n), sum)
	gpu.StoreTile(it, z, 16*it.Group().X, 0, sum)
	all := y.Windows(gpu.Window{H: 1, W: 1})
	if at := it.LocalIndex(); at < y.N()*y.H()*y.W()*y.C() {
		y.Set(0, 0, 0, at, y.At(0, 0, at, 0)+all.At(all.Rows()-1, at)+float32(all.OutH()*all.OutW()))
	}
}

func unfolded(it gpu.Item, x gpu.Tensor[float32], w gpu.Window) gpu.Tile[[16][8]float32] {
	return gpu.LoadWindows[[16][8]float32](it, x.Windows(w), 0, 0)
}

// None has windows without a tensor.
//
//gpuc:kernel workgroup=32
func None(it gpu.Item, z gpu.Matrix[float32]) {
	var x gpu.Tensor[float32]
	gpu.StoreTile(it, z, 0, 0, gpu.LoadWindows[[8][8]float32](it, x.Windows(gpu.Window{H: 1, W: 1}), 0, 0))
	var w gpu.Windows[float32]
	gpu.StoreTile(it, z, 8, 0, gpu.LoadWindows[[8][8]float32](it, w, 0, 0))
}

// Control passes tiles through control flow that all items take.
//
//gpuc:kernel workgroup=32
func Control(it gpu.Item, n int, m gpu.Matrix[float32]) {
	x := gpu.LoadTile[[16][16]float32](it, m, 0, 0)
	y := x
	if n > 3 {
		y = gpu.TransposeTile[[16][16]float32](it, x)
	}
	for k := range n {
		if k == 7 {
			break
		}
		switch k % 3 {
		case 0:
			x, y = y, x
		case 1:
			continue
		default:
			x = gpu.MulAdd(it, x, y, x)
		}
	}
	gpu.StoreTile(it, m, 0, 0, x)
}

func product[A, B, C, T any](it gpu.Item, a, b gpu.Matrix[T]) (sum gpu.Tile[C]) {
	return gpu.MulAdd(it, gpu.LoadTile[A](it, a, 0, 0), gpu.LoadTile[B](it, b, 0, 0), sum)
}

// Generic calls a function with type parameters.
//
//gpuc:kernel workgroup=32
func Generic(it gpu.Item, a, b gpu.Matrix[gpu.BFloat16], c gpu.Matrix[float32]) {
	gpu.StoreTile(it, c, 0, 0, product[[16][8]gpu.BFloat16, [8][16]gpu.BFloat16, [16][16]float32](it, a, b))
}

// Large gives a function the shapes of tiles that are larger than a variable of an item.
//
//gpuc:kernel workgroup=256
func Large(it gpu.Item, a, b gpu.Matrix[gpu.BFloat16], c gpu.Matrix[float32]) {
	gpu.StoreTile(it, c, 0, 0, product[[128][16]gpu.BFloat16, [16][256]gpu.BFloat16, [128][256]float32](it, a, b))
}

// Instances is a kernel for two types.
//
//gpuc:kernel workgroup=32 types=float32,float64
func Instances[T float32 | float64](it gpu.Item, m gpu.Matrix[T]) {
	x := gpu.LoadTile[[16][16]T](it, m, 0, 0)
	x = gpu.MapTile[[16][16]T](it, x, func(row, col int, v T) T { return v + T(row) })
	gpu.StoreTile(it, m, 0, 0, gpu.MulAdd(it, x, x, x))
}

func added(it gpu.Item, x, y gpu.Tile[[16][16]float32], scale float32) gpu.Tile[[16][16]float32] {
	if scale == 0 {
		return x
	}
	s := gpu.FillTile[[16][16]float32](it, scale)
	return gpu.MapTile3[[16][16]float32](it, x, y, s, func(row, col int, a, b, c float32) float32 {
		if a < 0 {
			return b
		}
		return gpu.FMA(b, c, a)
	})
}

// Helpers gives tiles to functions and takes tiles of them.
//
//gpuc:kernel workgroup=32
func Helpers(it gpu.Item, scale float32, m gpu.Matrix[float32]) {
	x := gpu.LoadTile[[16][16]float32](it, m, 0, 0)
	for k := range m.Rows() / 16 {
		x = added(it, x, gpu.LoadTile[[16][16]float32](it, m, k*16, 0), scale)
	}
	gpu.StoreTile(it, m, 0, 0, x)
}

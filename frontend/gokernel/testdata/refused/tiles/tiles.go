// Package tiles has tiles where kernels have none, and unknown functions for their elements.
package tiles

import "github.com/gpuc/gpuc/runtime/gpu"

type tile = gpu.Tile[[16][16]float32]

type pair struct{ a, b tile }

type closed struct {
	f func(row, col int, x float32) float32
}

//gpuc:kernel workgroup=64
func Parameter(it gpu.Item, x gpu.Tile[[16][16]float32], m gpu.Matrix[float32]) { // want "a tile is a value of the kernel, and x is a parameter"
}

//gpuc:kernel workgroup=64
func Integers(it gpu.Item, m gpu.Matrix[int]) { // want "the matrix m has elements of type int"
}

//gpuc:kernel workgroup=64
func Structures(it gpu.Item, m gpu.Matrix[pair]) { // want "the matrix m has elements of type pair"
}

//gpuc:kernel workgroup=64
func Tensors(it gpu.Item, x gpu.Tensor[uint16], y gpu.Windows[float32]) { // want "the tensor x has elements of type uint16" "the windows of a tensor are a value of the kernel, and y is a parameter"
}

//gpuc:kernel workgroup=64
func Shared(it gpu.Item, t *gpu.Tile[[16][16]float32], u *[4]tile) { // want "a tile is a value of the kernel, and t is a parameter" "a tile is a value of the kernel, and u is a parameter"
}

//gpuc:kernel workgroup=64
func Slice(it gpu.Item, t []tile, m []gpu.Matrix[float32]) { // want "a tile is a value of the kernel, and t is a parameter" "a buffer holds numbers, arrays and structures of them, and the elements of "
}

//gpuc:kernel workgroup=64
func Memory(it gpu.Item, m gpu.Matrix[float32]) {
	var array [2]tile // want "tiles are values of a kernel, and in no memory as .2.tile has them"
	var both pair     // want "tiles are values of a kernel, and in no memory as pair has them"
	slice := []tile{} // want "kernels make no slices"
	var one tile
	q := &one // want "tiles are values of a kernel, and in no memory as .tile has them"
	_, _, _, _ = array, both, slice, q
}

//gpuc:kernel workgroup=64
func Types(it gpu.Item) {
	var a gpu.Tile[float32]        // want "gpu.Tile.float32. is no type of a tile"
	var b gpu.Tile[[4]float32]     // want "gpu.Tile..4.float32. is no type of a tile"
	var c gpu.Tile[[4][4]int]      // want "gpu.Tile..4..4.int. is no type of a tile"
	var d gpu.Tile[[4][4]uint16]   // want "gpu.Tile..4..4.uint16. is no type of a tile"
	var e gpu.Tile[[0][4]float32]  // want "gpu.Tile..0..4.float32. is no type of a tile"
	var f gpu.Tile[[1025][1]int8]  // want "gpu.Tile..1025..1.int8. is no type of a tile"
	var g gpu.Tile[[512][512]int8] // want "gpu.Tile..512..512.int8. is no type of a tile"
	var h gpu.Tile[[4][4][4]int8]  // want "gpu.Tile..4..4..4.int8. is no type of a tile"
	var i gpu.Tile[[4][4]bool]     // want "gpu.Tile..4..4.bool. is no type of a tile"
	_, _, _, _, _, _, _, _, _ = a, b, c, d, e, f, g, h, i
}

//gpuc:kernel workgroup=64
func Functions(it gpu.Item, m gpu.Matrix[float32], y []float32, shared *[64]float32) {
	x := gpu.LoadTile[[16][16]float32](it, m, 0, 0)
	total, count := float32(0), 0
	var own [4]float32
	x = gpu.MapTile[[16][16]float32](it, x, func(row, col int, v float32) float32 {
		total += v // want "a function for the elements of a tile assigns to no variable outside of it"
		count++    // want "a function for the elements of a tile assigns to no variable outside of it"
		own[0] = v // want "a function for the elements of a tile assigns to no variable outside of it"
		return v
	})
	f := relu                                               // want "relu is used as a value, and kernels have no function values"
	x = gpu.MapTile[[16][16]float32](it, x, f)              // want "the compiler has to know the function that is called for each element"
	x = gpu.MapTile[[16][16]float32](it, x, pick(count))    // want "the compiler has to know the function that is called for each element"
	x = gpu.MapTile[[16][16]float32](it, x, closed{relu}.f) // want "the compiler has to know the function that is called for each element"
	g := func(row, col int, v float32) float32 { return v } // want "kernels have no function literals"
	x = gpu.MapTile[[16][16]float32](it, x, g)              // want "the compiler has to know the function that is called for each element"
	x = gpu.MapTile[[16][16]float32](it, x, written)
	gpu.StoreTile(it, m, 0, 0, x)
}

var counter int32

func written(row, col int, x float32) float32 {
	counter++ // want "counter is a variable of the package"
	return x
}

func pick(n int) func(row, col int, x float32) float32 { return relu }

//gpuc:kernel workgroup=64
func Matrices(it gpu.Item, x []float32, m gpu.Matrix[float32]) {
	own := gpu.NewMatrix(x, 8, 8)    // want "kernels do not call gpu.NewMatrix"
	_ = gpu.NewTensor(x, 1, 2, 4, 8) // want "kernels do not call gpu.NewTensor"
	list := []gpu.Matrix[float32]{m} // want "kernels make no slices"
	gpu.StoreTile(it, own, 0, 0, gpu.LoadTile[[8][8]float32](it, list[0], 0, 0))
}

func relu(row, col int, x float32) float32 { return max(x, 0) }

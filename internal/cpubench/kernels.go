package cpubench

import (
	"math"

	"github.com/gpuc/gpuc/opt"
)

// The kernels of the bench, each also as idiomatic Go: without workgroups, and with loops in memory
// order. Floats are stored as their bits, which costs nothing in Go.

type kernel struct {
	name        string
	size, small int
	math        opt.Math
	inputs      func(size int) [][]uint32
	outputs     func(size int) int
	grid        func(size int) [3]uint32
	run         func(size int, inputs [][]uint32, out []uint32)
	// different is the number of results that may differ: those of a chaotic computation, since
	// Vulkan drivers fuse products and sums.
	different float64
}

// kernels compute with numbers whose sums are exact, except for the last one.
var kernels = [...]kernel{
	{name: "saxpy", size: 1 << 24, small: 1 << 16, inputs: func(size int) [][]uint32 { return [][]uint32{dyadic(size, 3)} },
		outputs: func(size int) int { return size }, grid: func(size int) [3]uint32 { return [3]uint32{256, uint32(size >> 16), 1} }, run: saxpy},
	{name: "reduce", size: 1 << 24, small: 1 << 16, inputs: func(size int) [][]uint32 { return [][]uint32{dyadic(size, 3)} },
		outputs: func(size int) int { return size / 256 }, grid: func(size int) [3]uint32 { return [3]uint32{256, uint32(size >> 16), 1} }, run: reduce},
	{name: "gemm", size: 1024, small: 32, inputs: matrices, outputs: square, grid: tiles, run: gemm},
	{name: "gemm_tiled", size: 1024, small: 32, inputs: matrices, outputs: square, grid: tiles, run: gemm},
	{name: "mandelbrot", size: 2048, small: 64, math: opt.MathStrict, inputs: func(int) [][]uint32 { return nil }, outputs: square, grid: tiles, run: mandelbrot,
		different: 0.01},
}

func square(size int) int       { return size * size }
func tiles(size int) [3]uint32  { return [3]uint32{uint32(size / 16), uint32(size / 16), 1} }
func matrices(n int) [][]uint32 { return [][]uint32{dyadic(n*n, 3), dyadic(n*n, 5)} }
func value(b uint32) float32    { return math.Float32frombits(b) }
func bits(x float32) uint32     { return math.Float32bits(x) }

// dyadic returns small multiples of 1/8.
func dyadic(count int, seed uint32) []uint32 {
	list := make([]uint32, count)
	for n := range list {
		seed = seed*1664525 + 1013904223
		list[n] = bits(float32(int32(seed>>28)-8) / 8)
	}
	return list
}

func saxpy(_ int, inputs [][]uint32, out []uint32) {
	x := inputs[0][:len(out)]
	for n := range out {
		out[n] = bits(float32(0.5*value(x[n])) + value(out[n]))
	}
}

func reduce(_ int, inputs [][]uint32, out []uint32) {
	for n := range out {
		sum := float32(0)
		for _, x := range inputs[0][n*256:][:256] {
			sum += value(x)
		}
		out[n] = bits(sum)
	}
}

// gemm has its inner loop along rows.
func gemm(n int, inputs [][]uint32, out []uint32) {
	clear(out)
	for y := range n {
		row := out[y*n:][:n]
		for k := range n {
			a := value(inputs[0][y*n+k])
			b := inputs[1][k*n:][:n]
			for x := range row {
				row[x] = bits(value(row[x]) + float32(a*value(b[x])))
			}
		}
	}
}

func mandelbrot(n int, _ [][]uint32, out []uint32) {
	for py := range n {
		for px := range n {
			cx := float32(float32(px)/float32(n)*3) - 2
			cy := float32(float32(py)/float32(n)*2) - 1
			var x, y float32
			k := uint32(0)
			for ; k < 256 && float32(x*x)+float32(y*y) <= 4; k++ {
				t := float32(float32(x*x)-float32(y*y)) + cx
				y = float32(float32(2*x)*y) + cy
				x = t
			}
			out[py*n+px] = k
		}
	}
}

package gpubench

import (
	"math/rand/v2"
	"slices"
)

// elementwise returns the work of a kernel with one element for each invocation.
func elementwise(n int, words float64, flops float64, immediates []uint32, buffers ...Buffer) Work {
	return Work{Buffers: buffers, Immediates: immediates, Grid: line(n, 256), Bytes: 4 * words * float64(n), Flops: flops * float64(n)}
}

// image returns the work of a kernel with one of n×n pixels for each invocation.
func image(n int, words float64, immediates []uint32, buffers ...Buffer) Work {
	w := elementwise(n*n, words, 0, immediates, buffers...)
	w.Grid = square(n)
	return w
}

// product returns the work of C = A·B of n×n matrices with tiles of a size.
func product(n, tile int) Work {
	k := uint32(n / tile)
	return Work{
		Buffers: []Buffer{floats(n*n, -1, 1), floats(n*n, -1, 1), outFloats(n * n)}, Immediates: []uint32{uint32(n)},
		Grid: [3]uint32{k, k, 1}, Bytes: 12 * float64(n*n), Flops: 2 * float64(n) * float64(n) * float64(n),
	}
}

// resized returns the work of resizing an image of n×n to 2n×2n.
func resized(n int) Work {
	return image(2*n, 1.25, []uint32{uint32(n), uint32(n), uint32(2 * n), uint32(2 * n)}, floats(n*n, 0, 1), outFloats(4*n*n))
}

// rows returns the work of a kernel with a row of a size for each workgroup. others are the buffers
// between the input and the output.
func rows(n, size int, immediates []uint32, others ...Buffer) Work {
	buffers := slices.Concat([]Buffer{floats(n*size, -4, 4)}, others, []Buffer{outFloats(n * size)})
	return Work{Buffers: buffers, Immediates: immediates, Grid: line(n, 1), Bytes: 8 * float64(n*size)}
}

// spheres returns the ray tracer's spheres: positions and radii.
func spheres(r *rand.Rand, n int) uint32 {
	if n%4 == 3 {
		return bits(0.3 + 0.5*r.Float32())
	}
	return bits(4*r.Float32() - 2)
}

// Kernels are the kernels of the bench.
var Kernels = []Kernel{
	{Name: "vector_add", Length: "c", Unit: "ldg", Large: 1 << 26, Small: 1000, Work: func(n int) Work {
		return elementwise(n, 3, 0, nil, floats(n, -1, 1), floats(n, -1, 1), outFloats(n))
	}},
	{Name: "copy", Length: "b", Unit: "ldg", Large: 1 << 28, Small: 1000, Work: func(n int) Work {
		return elementwise(n, 2, 0, nil, floats(n, -1, 1), outFloats(n))
	}},
	{Name: "scale_add", Length: "y", Unit: "ldg", Large: 1 << 26, Small: 1000, Tolerance: 1e-6, Work: func(n int) Work {
		return elementwise(n, 3, 0, []uint32{bits(1.5)}, floats(n, -1, 1), floats(n, -1, 1).results())
	}},
	{Name: "gelu", Length: "y", Unit: "ldg", Large: 1 << 26, Small: 1000, Tolerance: 1e-3, Work: func(n int) Work {
		return elementwise(n, 2, 0, nil, floats(n, -4, 4), outFloats(n))
	}},
	{Name: "black_scholes", Length: "calls", Unit: "ldg", Large: 1 << 25, Small: 1000, Tolerance: 2e-3, Work: func(n int) Work {
		return elementwise(n, 5, 0, nil, floats(n, 5, 30), floats(n, 1, 100), floats(n, 0.25, 10), outFloats(n), outFloats(n))
	}},
	{Name: "pcg_fill", Length: "a", Unit: "stg", Large: 1 << 26, Small: 1000, Work: func(n int) Work {
		return elementwise(n, 1, 0, []uint32{42}, outIntegers(n))
	}},
	{Name: "embedding", Unit: "stg", Large: 1 << 17, Small: 64, Work: func(n int) Work {
		return Work{Buffers: []Buffer{floats(512*n, -1, 1), integers(n, uint32(2*n)), outFloats(256 * n)}, Grid: line(n, 1), Bytes: 2048 * float64(n)}
	}},
	{Name: "sum", Length: "a", Unit: "ldg", Large: 1 << 28, Small: 5000, Tolerance: 1e-4, Work: func(n int) Work {
		g := strides(n)
		return Work{Buffers: []Buffer{floats(n, 0, 1), outFloats(int(g[0]))}, Grid: g, Bytes: 4 * float64(n)}
	}},
	{Name: "dot", Entry: "dot_product", Length: "a", Unit: "ldg", Large: 1 << 27, Small: 5000, Tolerance: 1e-4, Work: func(n int) Work {
		g := strides(n)
		return Work{Buffers: []Buffer{floats(n, 0, 1), floats(n, 0, 1), outFloats(int(g[0]))}, Grid: g, Bytes: 8 * float64(n)}
	}},
	{Name: "matvec", Unit: "ffma", Large: 16384, Small: 300, Tolerance: 1e-4, Work: func(n int) Work {
		return Work{
			Buffers: []Buffer{floats(n*n, 0, 1), floats(n, 0, 1), outFloats(n)}, Immediates: []uint32{uint32(n)}, Grid: line(n, 1),
			Bytes: 4 * float64(n*n),
		}
	}},
	{Name: "sgemm16", Unit: "ffma", Large: 4096, Small: 64, Tolerance: 1e-3, Work: func(n int) Work { return product(n, 16) }},
	{Name: "sgemm128", Unit: "ffma", Large: 4096, Small: 256, Tolerance: 1e-3, Work: func(n int) Work { return product(n, 128) }},
	{Name: "gemm_batched", Unit: "ffma", Large: 1 << 18, Small: 10, Tolerance: 1e-4, Work: func(n int) Work {
		return Work{
			Buffers: []Buffer{floats(256*n, -1, 1), floats(256*n, -1, 1), outFloats(256 * n)}, Grid: line(n, 1),
			Bytes: 3072 * float64(n),
		}
	}},
	{Name: "transpose", Entry: "transpose_tiled", Unit: "ldg", Large: 8192, Small: 96, Work: func(n int) Work {
		return Work{
			Buffers: []Buffer{floats(n*n, -1, 1), outFloats(n * n)}, Immediates: []uint32{uint32(n)},
			Grid: [3]uint32{uint32(n / 32), uint32(n / 32), 1}, Bytes: 8 * float64(n*n),
		}
	}},
	{Name: "softmax", Unit: "ldg", Large: 8192, Small: 4, Tolerance: 1e-7, Work: func(n int) Work { return rows(n, 8192, []uint32{8192}) }},
	{Name: "layer_norm", Unit: "ldg", Large: 16384, Small: 4, Tolerance: 1e-3, Work: func(n int) Work {
		return rows(n, 4096, []uint32{4096}, floats(4096, 0.5, 1.5), floats(4096, -1, 1))
	}},
	{Name: "blur7x7", Unit: "ldg", Large: 8192, Small: 100, Tolerance: 1e-5, Work: func(n int) Work {
		return image(n, 2, []uint32{uint32(n), uint32(n)}, floats(n*n, 0, 1), outFloats(n*n))
	}},
	{Name: "conv3x3", Unit: "ffma", Large: 8192, Small: 100, Tolerance: 1e-5, Work: func(n int) Work {
		return image(n, 2, []uint32{uint32(n), uint32(n)}, floats(n*n, 0, 1), floats(9, -1, 1), outFloats(n*n))
	}},
	{Name: "separable", Unit: "ffma", Large: 8192, Small: 512, Tolerance: 1e-5, Work: func(n int) Work {
		w := image(n, 2, []uint32{uint32(n)}, floats(n*n, 0, 1), floats(17, -1, 1), outFloats(n*n))
		w.Grid = [3]uint32{uint32(n / 256), uint32(n), 1}
		return w
	}},
	{Name: "bilinear", Unit: "ldg", Large: 4096, Small: 75, Tolerance: 1e-2, Work: resized},
	{Name: "bicubic", Unit: "ldg", Large: 4096, Small: 75, Tolerance: 1e-2, Work: resized},
	{Name: "heat", Unit: "ldg", Large: 512, Small: 24, Tolerance: 1e-5, Work: func(n int) Work {
		w := elementwise(n*n*n, 2, 0, []uint32{uint32(n), bits(0.1)}, floats(n*n*n, 0, 1), outFloats(n*n*n))
		w.Grid = [3]uint32{uint32((n + 31) / 32), uint32((n + 7) / 8), uint32(n)}
		return w
	}},
	{Name: "lbm", Unit: "ldg", Large: 4096, Small: 64, Tolerance: 1e-5, Work: func(n int) Work {
		w := elementwise(n*n, 18, 0, []uint32{uint32(n), bits(0.6)}, floats(9*n*n, 0.1, 0.2), outFloats(9*n*n))
		w.Grid = [3]uint32{uint32((n + 31) / 32), uint32((n + 7) / 8), 1}
		return w
	}},
	{Name: "nbody", Length: "bodies", Unit: "special", Large: 1 << 16, Small: 512, Tolerance: 1e-2, Outliers: 0.01, Work: func(n int) Work {
		return elementwise(n, 8, 20*float64(n), nil, floats(4*n, 0.1, 1), outFloats(4*n))
	}},
	{Name: "mandelbrot", Unit: "ffma", Large: 8192, Small: 64, Outliers: 0.05, Work: func(n int) Work {
		return image(n, 1, []uint32{uint32(n)}, outIntegers(n*n))
	}},
	{Name: "ray", Unit: "special", Large: 4096, Small: 64, Tolerance: 1e-3, Outliers: 0.02, Work: func(n int) Work {
		return image(n, 1, []uint32{uint32(n)}, Buffer{Words: 64, Word: spheres}, outFloats(n*n))
	}},
	{Name: "kmeans", Length: "nearest", Unit: "fadd", Large: 1 << 23, Small: 1000, Outliers: 0.001, Work: func(n int) Work {
		return elementwise(n, 5, 64*12, nil, floats(4*n, -1, 1), floats(256, -1, 1), outIntegers(n))
	}},
	{Name: "histogram", Length: "words", Unit: "ldg", Large: 1 << 26, Small: 5000, Work: func(n int) Work {
		return Work{Buffers: []Buffer{integers(n, 0), outIntegers(256)}, Grid: strides(n), Bytes: 4 * float64(n)}
	}},
	{Name: "scan", Unit: "barrier", Large: 1 << 26, Small: 1024, Work: func(n int) Work {
		return elementwise(n, 2, 0, nil, integers(n, 100), outIntegers(n), outIntegers(n/256))
	}},
	{Name: "compact", Unit: "barrier", Large: 1 << 26, Small: 1024, Work: func(n int) Work {
		return elementwise(n, 1.5, 0, []uint32{1 << 31}, integers(n, 0), outIntegers(n), outIntegers(n/256))
	}},
	{Name: "radix", Unit: "barrier", Large: 1 << 25, Small: 1024, Work: func(n int) Work {
		return elementwise(n, 2, 0, []uint32{4}, integers(n, 0), outIntegers(n), outIntegers(n/16))
	}},
	{Name: "bitonic", Length: "a", Unit: "ldg", Large: 1 << 26, Small: 1024, Work: func(n int) Work {
		return elementwise(n, 2, 0, []uint32{uint32(n / 8), uint32(n / 4)}, integers(n, 0).results())
	}},
	{Name: "spmv", Length: "y", Unit: "ffma", Large: 1 << 20, Small: 1000, Tolerance: 1e-4, Work: func(n int) Work {
		// rows of 17 to 47 elements
		starts := Buffer{Words: n + 1, Word: func(_ *rand.Rand, i int) uint32 { return uint32(32*i) + uint32(i)*2654435761>>28 }}
		return elementwise(n, 65, 0, nil, starts, integers(32*n+16, uint32(n)), floats(32*n+16, -1, 1), floats(n, -1, 1), outFloats(n))
	}},
	{Name: "fft256", Unit: "barrier", Large: 1 << 17, Small: 8, Tolerance: 1e-3, Work: func(n int) Work {
		return Work{Buffers: []Buffer{floats(512*n, -1, 1), outFloats(512 * n)}, Grid: line(n, 1), Bytes: 4096 * float64(n)}
	}},
	{Name: "levenshtein", Unit: "barrier", Large: 1 << 14, Small: 8, Work: func(n int) Work {
		return Work{Buffers: []Buffer{integers(256*n, 4), integers(256*n, 4), outIntegers(n)}, Grid: line(n, 1), Bytes: 2048 * float64(n)}
	}},
	{Name: "floyd_warshall", Unit: "ldg", Large: 8192, Small: 100, Work: func(n int) Work {
		return image(n, 2, []uint32{uint32(n), uint32(n / 3)}, floats(n*n, 0, 100).results())
	}},
	{Name: "sha256", Unit: "shift", Large: 1 << 22, Small: 256, Work: func(n int) Work {
		return elementwise(n, 24, 0, nil, integers(16*n, 0), outIntegers(8*n))
	}},
}

package exectest

// f16 beyond the axpy of basics.go.

import (
	"math"
	"slices"

	"github.com/gpuc/gpuc/ir/scalar"
)

func halfVectors() Case {
	const n, size = 9, 20 // halves in a struct
	// Offsets in halves: a 0, b 1, c 4, d 7, e 8, f 10 (an f32), g 12, h 16. Multiples of 1/8 below
	// 8, with which everything is exact.
	numbers := apply(randomU32(120, size*n, 128), func(x uint32) float64 { return (float64(x) - 64) / 8 })
	scale := []float64{0.75, 1.25, -3, 99}
	given := halves(numbers)
	for i := range n {
		// The f32 takes two halves.
		word := values[half](pack(float32(numbers[size*i+10])))
		copy(given[size*i+10:], word)
	}
	before := apply(randomU32(121, size*n, 1<<14), func(x uint32) half { return half(x) })
	return Case{
		Name:     "f16_vectors",
		Doc:      "f16 in vectors, matrices and structs, conversions, bitcasts",
		NeedsF16: true,
		Buffers: []Buffer{
			content("scale", halves(scale)), content("given", given), content("stored", before),
			content("floats", make([]float32, 8*n)), content("words", make([]uint32, 4*n)),
		},
		Dispatches: once("main", groups(n, 4), 1, 1),
		Reference: func(buffers [][]byte) {
			stored := append([]half(nil), before...)
			var floats []float32
			var words []uint32
			for i := range n {
				m, out := numbers[size*i:][:size], stored[size*i:][:size]
				out[0] = toHalf(m[1])
				for k := range 3 {
					out[4+k] = toHalf(m[4+k] * scale[k])
				}
				out[9] = toHalf(m[0] + m[7])
				copy(out[12:], halves([]float64{m[14], m[15], m[8], m[9]}))
				out[16+i%3] = toHalf(m[10])
				floats = append(floats, floats32(m[0], m[6], m[7], m[14], m[18], m[8]+8,
					math.Max(m[0], m[1]), float64(toBool32(m[0] < m[1])))...)
				pair := func(a, b float64) uint32 { return uint32(toHalf(a)) | uint32(toHalf(b))<<16 }
				words = append(words, pair(m[8], m[9]), uint32(math.Abs(m[0]))+3,
					uint32(int32(m[1])*2), pair(m[4], m[5]))
			}
			store(buffers[2], stored)
			store(buffers[3], floats)
			store(buffers[4], words)
		},
	}
}

func halfLanes() Case {
	const n, lanes, group = 14, 8, 4 // the last workgroup has two invocations without an element
	numbers := apply(randomU32(122, lanes*n, 512), func(x uint32) float64 { return (float64(x) - 256) / 8 })
	return Case{
		Name:     "f16_lanes",
		Doc:      "eight adjacent halves, moved at once and one by one",
		NeedsF16: true,
		Buffers: []Buffer{
			content("given", halves(numbers)), content("turned", make([]half, lanes*n)), content("passed", make([]half, lanes*n)),
		},
		Dispatches: once("main", groups(n, group), 1, 1),
		Reference: func(buffers [][]byte) {
			turned, passed := make([]half, lanes*n), make([]half, lanes*n)
			for i := range n {
				in, out := numbers[lanes*i:][:lanes], turned[lanes*i:][:lanes]
				for k := range lanes / 2 {
					out[k], out[lanes-1-k] = toHalf(in[lanes-1-k]*2), toHalf(in[k]-1)
				}
				next := i/group*group + (i+1)%group
				if next < n { // what lies beyond stays zero
					copy(passed[lanes*i:][:lanes], halves(numbers[lanes*next:][:lanes]))
				}
			}
			store(buffers[1], turned)
			store(buffers[2], passed)
		},
	}
}

func halfBuiltins() Case {
	const n = 70
	data := build(n, func(i int) float64 { return float64(i*i%513-256) / 64 })
	return Case{
		Name:     "f16_builtins",
		Doc:      "exact and bounded builtins on f16",
		NeedsF16: true,
		Buffers: []Buffer{
			content("data", halves(data)),
			{Name: "exact", Data: make([]byte, 8*n), Element: scalar.F16, Absolute: 0x1p-24},
			// exp2 has 1 + 2|x| ULP, sin 2^-7, and a third is added to both.
			{Name: "bounded", Data: make([]byte, 8*n), Element: scalar.F16, ULP: 10, Absolute: 0x1p-6},
		},
		Dispatches: once("main", groups(n, 16), 1, 1),
		Reference: func(buffers [][]byte) {
			var exact, bounded []float64
			for _, x := range data {
				exact = append(exact, math.Floor(x), min(max(x, -1.5), 2), math.Abs(x)*signOf(x < 0),
					math.Trunc(2*x)+float64(toBool32(x >= 1)))
				y := math.Abs(x) + 0.25
				for _, v := range []float64{math.Sqrt(y), math.Exp2(x), x / y, math.Sin(x / 2)} {
					bounded = append(bounded, v+1.0/3)
				}
			}
			store(buffers[1], halves(exact))
			store(buffers[2], halves(bounded))
		},
	}
}

func halfUniform() Case {
	const n = 30
	limits := []float64{2.5, 12.5, 0.75, -3.5, 21, 5.25, -7, 9}
	data := build(n, func(i int) float64 { return float64(i*i%61-30) / 2 })
	return Case{
		Name:       "f16_uniform",
		Doc:        "minima and maxima of f16 from a uniform buffer",
		NeedsF16:   true,
		Buffers:    []Buffer{content("limits", halves(limits)), content("data", halves(data)), content("results", make([]half, 4*n))},
		Dispatches: once("main", groups(n, 8), 1, 1),
		Reference: func(buffers [][]byte) {
			var results []float64
			for _, x := range data {
				three := []float64{x, limits[1], limits[7]}
				slices.Sort(three)
				results = append(results, min(limits[1], limits[2], x), max(x, limits[5], -limits[3]), three[1],
					min(x, limits[6], limits[3])-min(x, limits[7], limits[0]))
			}
			store(buffers[2], halves(results))
		},
	}
}

// signOf is 1 where the kernel's select takes abs(x), -1 where it takes -x.
func signOf(positive bool) float64 {
	if positive {
		return 1
	}
	return -1
}

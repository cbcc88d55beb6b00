package exectest

// Tiles (the extension gpuc_tile): products, functions of elements, reductions and transpositions.

import (
	"math"
	"slices"
)

// square is a matrix of tileControl, by rows.
type square [25]float64

func squareOf(element func(row, column int) float64) (s square) {
	for i := range s {
		s[i] = element(i/5, i%5)
	}
	return s
}

func (s square) at(row, column int) float64 { return s[5*row+column] }

func (s square) plus(t square) square {
	return squareOf(func(row, column int) float64 { return s.at(row, column) + t.at(row, column) })
}

func (s square) transposed() square {
	return squareOf(func(row, column int) float64 { return s.at(column, row) })
}

// times is the product of some columns of s, from first to last, and some rows of t.
func (s square) times(t square, first, last, firstRow int) square {
	return squareOf(func(row, column int) (sum float64) {
		for k := first; k <= last; k++ {
			sum += s.at(row, k) * t.at(firstRow+k-first, column)
		}
		return sum
	})
}

func tileControl() Case {
	const groups, each = 4, 16
	start := randomSteps(190, 25, 4, 2)
	return Case{
		Name:       "tile_control",
		Doc:        "tiles in variables that loops, switches and returns choose, all numbers exact",
		NeedsF16:   true,
		Buffers:    []Buffer{content("start", start), content("results", make([]float32, groups*each*25))},
		Dispatches: once("main", groups, 1, 1),
		Reference: func(buffers [][]byte) {
			var results []float32
			for group := range groups {
				var out [each]square
				a := squareOf(func(row, column int) float64 { return float64(start[5*row+column]) + 1 + float64(5*row+column) })
				b := squareOf(func(row, column int) float64 { return float64(100 + 5*row + column) })
				if group%2 == 1 {
					a, b = b, a
				}
				out[0], out[2], out[3], out[4] = a, b, a.plus(b), b.transposed()
				if group > 1 {
					out[3] = a.transposed()
				}
				// Each iteration doubles the sum and adds a and b. The third adds no b, and the
				// fifth ends the loop.
				for count := 0; count <= group+2; count++ {
					if count == 4 {
						out[5] = out[5].plus(a)
						break
					}
					if out[5] = out[5].plus(out[5]).plus(a); count != 2 {
						out[5] = out[5].plus(b)
					}
				}
				out[6] = squareOf(func(row, column int) float64 { return max(math.Floor(a.at(row, column)+0.5), 0) + 3 })
				out[7] = squareOf(func(row, column int) float64 {
					if row == 4 || column < 2 {
						return 0
					}
					return math.Trunc(a.at(row+1, column-2) + 0.5)
				})
				product := a.times(b, 1, 2, 1)
				out[8] = product.plus(product).plus(a)
				half := squareOf(func(row, column int) float64 { return a.at(row, column) + 0.5 })
				out[9] = half.transposed().times(b, 0, 4, 0).plus(a)
				out[10] = a.times(a.transposed(), 0, 4, 0).plus(a)
				ones := squareOf(func(int, int) float64 { return 1 })
				out[12] = ones.times(out[10], 0, 4, 0)
				out[11] = out[12].plus(out[10])
				out[13] = squareOf(func(row, _ int) float64 { return slices.Min(a[5*row : 5*row+5]) })
				for _, s := range out {
					results = append(results, apply(s[:], func(x float64) float32 { return float32(x) })...)
				}
			}
			store(buffers[1], results)
		},
	}
}

func tileGemm() Case {
	const rows, columns, inner, pad, offset = 45, 50, 37, 3, 5
	// Sums of such products are exact in any order.
	a, b := randomSteps(180, rows*(inner+pad), 4, 3), randomSteps(181, inner*columns, 4, 3)
	before := randomSteps(182, offset+rows*columns, 4, 3)
	return Case{
		Name: "tile_gemm",
		Doc:  "a product of f32 in tiles, with padded rows, a matrix by columns and an offset",
		Buffers: []Buffer{
			content("shape", []uint32{rows, columns, inner}),
			content("a", a), content("b", b), content("c", before),
		},
		Dispatches: once("main", groups(columns, 24), groups(rows, 32), 1),
		Reference: func(buffers [][]byte) {
			// Columns of the result: A times a column of B.
			c := slices.Clone(before)
			for j := range columns {
				for i := range rows {
					for k := range inner {
						c[offset+i*columns+j] += a[i*(inner+pad)+k] * b[j*inner+k]
					}
				}
			}
			store(buffers[3], c)
		},
	}
}

func tileGemmHalf() Case {
	const rows, columns, inner = 35, 29, 70
	a, b := randomSteps(183, rows*inner, 4, 3), randomSteps(184, columns*inner, 4, 3)
	asHalf := func(v []float32) []half { return apply(v, func(x float32) half { return toHalf(float64(x)) }) }
	return Case{
		Name:     "tile_gemm_f16",
		Doc:      "a product of f16 in tiles with sums in f32",
		NeedsF16: true,
		Buffers: []Buffer{
			content("views", []uint32{0, rows, inner, inner, 1, 0, columns, inner, inner, 1, 1, rows, columns, 1, rows}),
			content("a", asHalf(a)), content("b", asHalf(b)),
			// A sum is exact, and rounded once.
			content("c", make([]half, (1+rows*columns+1)/2*2)).ulps(1),
		},
		Dispatches: once("main", groups(columns, 16), groups(rows, 16), 1),
		Reference: func(buffers [][]byte) {
			c := []half{0}
			for j := range columns {
				for i := range rows {
					sum := 0.5
					for k := range inner {
						sum += float64(a[i*inner+k]) * float64(b[j*inner+k])
					}
					c = append(c, toHalf(sum))
				}
			}
			store(buffers[3], c)
		},
	}
}

func tileMap() Case {
	const width, height = 21, 19
	x, y := randomSteps(185, width*height, 8, 3), randomSteps(186, width*height, 8, 3)
	bias := randomSteps(187, width, 8, 3)
	return Case{
		Name: "tile_map",
		Doc:  "functions of the elements of one and two tiles, with a bias by column",
		Buffers: []Buffer{
			content("x", x), content("y", y), content("bias", bias),
			content("scaled", make([]float32, width*height)), content("steps", make([]int32, width*height)),
		},
		Dispatches: once("main", groups(width, 8), groups(height, 8), 1),
		Reference: func(buffers [][]byte) {
			scaled := build(width*height, func(i int) float32 {
				return max(x[i]/2+y[i], 0) + bias[i%width] + float32(i/width)
			})
			store(buffers[3], scaled)
			store(buffers[4], build(width*height, func(i int) int32 {
				step := int32(math.Floor(float64(scaled[i])))
				// The side of a tile is even: the parity of a position is that within its tile.
				if (i/width+i%width)%2 == 1 {
					return -step
				}
				return step
			}))
		},
	}
}

func tileSoftmax() Case {
	const rows, width = 10, 75
	data := randomF32(188, rows*width, -8, 8)
	return Case{
		Name: "tile_softmax",
		Doc:  "maximum, exp and sum of the rows of tiles",
		Buffers: []Buffer{
			// exp of at least -16 has 3 + 2·16 ULP; in the sum only the great count.
			content("rows", data).ulps(64),
		},
		Dispatches: once("main", groups(rows, 4), 1, 1),
		Reference: func(buffers [][]byte) {
			var shares []float32
			for row := range slices.Chunk(data, width) {
				sum := 0.0
				for _, x := range row {
					sum += math.Exp(float64(x))
				}
				for _, x := range row {
					shares = append(shares, float32(math.Exp(float64(x))/sum))
				}
			}
			store(buffers[0], shares)
		},
	}
}

func tileTranspose() Case {
	const width, height, side = 13, 11, 6
	data := randomU32(189, width*height, 1<<20)
	const across, down = 3, 2
	return Case{
		Name: "tile_transpose",
		Doc:  "tiles transposed, shifted, passed through workgroup memory and reduced",
		Buffers: []Buffer{
			content("original", data), content("turned", make([]uint32, width*height)),
			content("shifted", make([]uint32, width*height)),
			content("facts", make([]uint32, across*down*6*side)),
		},
		Dispatches: once("main", across, down, 1),
		Reference: func(buffers [][]byte) {
			store(buffers[1], build(width*height, func(i int) uint32 { return data[i%height*width+i/height] }))
			store(buffers[2], append(make([]uint32, 2*width), data[:(height-2)*width]...))
			at := func(row, column int) uint32 {
				if row >= height || column >= width {
					return 0
				}
				return data[row*width+column]
			}
			var facts []uint32
			for tile := range across * down {
				row, column := tile/across*side, tile%across*side
				var lines [2 * side][]uint32 // columns, then rows
				for i := range side {
					for k := range side {
						lines[i] = append(lines[i], at(row+k, column+i))
						lines[side+i] = append(lines[side+i], at(row+i, column+k))
					}
				}
				total := func(line []uint32) (sum uint32) {
					for _, x := range line {
						sum += x
					}
					return sum
				}
				for half := range 2 {
					for _, reduce := range []func([]uint32) uint32{total, slices.Min[[]uint32], slices.Max[[]uint32]} {
						facts = append(facts, apply(lines[half*side:][:side], reduce)...)
					}
				}
			}
			store(buffers[3], facts)
		},
	}
}

package exectest

import "github.com/gpuc/gpuc/ir/scalar"

// Subgroup matrices: products of blocks, in both orders of memory.

// MatrixCases returns cases with the shapes of matrix units. They are not among Cases: targets
// without such units have much code for them, which drivers take minutes to compile.
func MatrixCases() []Case {
	list := []Case{subgroupMatrixEdges(), subgroupMatrixFlow(), subgroupMatrixLarge(), subgroupMatrixWords()}
	for n := range list {
		list[n].Shapes = true
	}
	return list
}

// matrixLayout is where a matrix of a subgroup is in an array.
type matrixLayout struct {
	offset, stride int
	byColumn       bool
}

// of returns the index of an element.
func (p matrixLayout) of(row, column int) int {
	if p.byColumn {
		row, column = column, row
	}
	return p.offset + row*p.stride + column
}

// product returns the product of a rows×depth and a depth×columns matrix, by rows.
func product[T any](rows, columns, depth int, a func(row, k int) T, b func(k, column int) T, number func(T) float64) []float64 {
	return build(rows*columns, func(i int) (sum float64) {
		for k := range depth {
			sum += number(a(i/columns, k)) * number(b(k, i%columns))
		}
		return sum
	})
}

func subgroupMatrixProducts() Case {
	const rows, columns, depth = 8, 16, 12
	left, right := matrixLayout{5, 13, false}, matrixLayout{3, 14, true}
	a, b := randomSteps(240, left.of(rows, 0), 4, 2), randomSteps(241, right.of(0, columns), 4, 2)
	sums := matrixLayout{1, 17, false}
	return Case{
		Name:           "subgroup_matrix_products",
		Doc:            "blocks of a product of f32, one subgroup each, with offsets and strides in both orders",
		NeedsSubgroups: true,
		Buffers: []Buffer{
			content("a", a), content("b", b),
			content("product", make([]float32, sums.of(rows, 0))),
			content("mirrored", make([]float32, rows*columns+15+14)),
		},
		Dispatches: append(once("main", 3, 1, 1), once("copies", 1, 1, 1)...),
		Reference: func(buffers [][]byte) {
			exact := product(rows, columns, depth, func(row, k int) float32 { return a[left.of(row, k)] },
				func(k, column int) float32 { return b[right.of(k, column)] }, func(x float32) float64 { return float64(x) })
			c, mirrored := values[float32](buffers[2]), values[float32](buffers[3])
			for i, x := range exact {
				c[sums.of(i/columns, i%columns)] = float32(x)
				mirrored[i%columns*rows+i/columns] = float32(x*0.5 + 2)
			}
			for i := range 5 * 3 {
				mirrored[rows*columns+i%3*5+i/3] = a[i]
			}
			for i := range 2 * 7 {
				mirrored[rows*columns+15+i] = b[1+i%7*2+i/7]
			}
			store(buffers[2], c)
			store(buffers[3], mirrored)
		},
	}
}

func subgroupMatrixHalf() Case {
	const side, depth, workgroups = 8, 32, 3
	a, b := randomSteps(242, workgroups*side*depth, 2, 2), randomSteps(243, depth*side, 2, 2)
	wide := func(v []float32) []float64 { return apply(v, func(x float32) float64 { return float64(x) }) }
	return Case{
		Name:           "subgroup_matrix_half",
		Doc:            "products of f16 in workgroup memory, with sums of f32 and of f16",
		NeedsF16:       true,
		NeedsSubgroups: true,
		Buffers: []Buffer{
			content("a", halves(wide(a))), content("b", halves(wide(b))),
			content("wide", make([]float32, workgroups*side*side)),
			content("narrow", make([]half, workgroups*side*side)),
		},
		Dispatches: once("main", workgroups, 1, 1),
		Reference: func(buffers [][]byte) {
			var sums []float32
			last := make([]float64, workgroups*side*side)
			for group := range workgroups {
				of := func(first, depth int) []float64 {
					return product(side, side, depth, func(row, k int) float32 { return a[group*side*32+row*32+first+k] },
						func(k, column int) float32 { return b[(first+k)*side+column] }, func(x float32) float64 { return float64(x) })
				}
				sums = append(sums, apply(of(0, depth), func(x float64) float32 { return float32(x) })...)
				for i, x := range of(depth-side, side) {
					last[group*side*side+i%side*side+i/side] = x
				}
			}
			store(buffers[2], sums)
			store(buffers[3], halves(last))
		},
	}
}

func subgroupMatrixBytes() Case {
	const bytes, workgroups = 256, 3
	signed := apply(randomU32(244, workgroups*bytes, 256), func(x uint32) uint8 { return uint8(x) })
	unsigned := apply(randomU32(245, workgroups*bytes, 256), func(x uint32) uint8 { return uint8(x) })
	at := func(data []uint8, p matrixLayout) func(row, column int) uint8 {
		return func(row, column int) uint8 { return data[p.of(row, column)] }
	}
	asSigned := func(x uint8) float64 { return float64(int8(x)) }
	asUnsigned := func(x uint8) float64 { return float64(x) }
	return Case{
		Name:           "subgroup_matrix_bytes",
		Doc:            "products of bytes, four in a word, with sums of 32 and of 8 bits",
		NeedsSubgroups: true,
		Buffers: []Buffer{
			content("signed", values[int32](signed)), content("unsigned", values[uint32](unsigned)),
			content("sums", make([]int32, workgroups*32)), content("sums_unsigned", make([]uint32, workgroups*16)),
			content("changed", make([]int32, workgroups*16)), content("changed_unsigned", make([]uint32, workgroups*16)),
		},
		Dispatches: once("main", workgroups, 1, 1),
		Reference: func(buffers [][]byte) {
			var sums []int32
			var sumsUnsigned []uint32
			for group := range workgroups {
				data, dataUnsigned := signed[group*bytes:], unsigned[group*bytes:]
				exact := product(4, 8, 16, at(data, matrixLayout{0, 16, false}), at(data, matrixLayout{64, 16, true}), asSigned)
				sums = append(sums, apply(exact, func(x float64) int32 { return int32(x) })...)
				left := at(dataUnsigned, matrixLayout{3, 9, false})
				exact = product(4, 4, 4, left, at(dataUnsigned, matrixLayout{80, 4, false}), asUnsigned)
				sumsUnsigned = append(sumsUnsigned, build(16, func(i int) uint32 { return uint32(exact[i%4*4+i/4]) + 1000 })...)

				changed, changedUnsigned := buffers[4][group*64:], buffers[5][group*64:]
				right := at(data, matrixLayout{1, 5, false})
				exact = product(4, 4, 4, at(data, matrixLayout{0, 8, false}), right, asSigned)
				for i, x := range exact {
					row, column := i/4, i%4
					changed[matrixLayout{0, 5, false}.of(row, column)] = uint8(int(x)) + 127
					changed[matrixLayout{22, 9, true}.of(row, column)] = right(row, column) * 128
					changedUnsigned[matrixLayout{1, 5, true}.of(row, column)] = left(row, column) - 255
				}
			}
			store(buffers[2], sums)
			store(buffers[3], sumsUnsigned)
		},
	}
}

func subgroupMatrixLarge() Case {
	const rows, columns, depth = 32, 32, 32
	narrow := matrixLayout{5, 40, true}
	a, b := randomSteps(246, rows*depth, 2, 2), randomSteps(247, depth*columns, 2, 2)
	wide := func(v []float32) []float64 { return apply(v, func(x float32) float64 { return float64(x) }) }
	return Case{
		Name:           "subgroup_matrix_large",
		Doc:            "products of f16 in workgroup memory, of the shapes that matrix units have, with sums of f32 and of f16",
		NeedsF16:       true,
		NeedsSubgroups: true,
		Buffers: []Buffer{
			content("a", halves(wide(a))), content("b", halves(wide(b))),
			content("wide", make([]float32, rows*columns)),
			content("narrow", make([]half, narrow.of(0, columns)+3)),
		},
		Dispatches: once("main", columns/32, 1, 1),
		Reference: func(buffers [][]byte) {
			of := func(first, count int) []float64 {
				return product(rows, columns, count, func(row, k int) float32 { return a[row*depth+first+k] },
					func(k, column int) float32 { return b[(first+k)*columns+column] }, func(x float32) float64 { return float64(x) })
			}
			store(buffers[2], apply(of(0, depth), func(x float64) float32 { return float32(x * 0.5) }))
			last := make([]float64, len(buffers[3])/2)
			for i, x := range of(depth-16, 16) {
				last[narrow.of(i/columns, i%columns)] = x + 1
			}
			store(buffers[3], halves(last))
		},
	}
}

func subgroupMatrixBlocks() Case {
	const rows, columns, depth = 24, 32, 24
	left, right := matrixLayout{3, 26, false}, matrixLayout{0, 25, true}
	a, b := randomSteps(246, left.of(rows, 0), 4, 2), randomSteps(247, right.of(0, columns), 4, 2)
	mirrored := matrixLayout{0, 26, true}
	return Case{
		Name:           "subgroup_matrix_blocks",
		Doc:            "blocks of 8x8 of a product of f32, in arrays and structures, some with changed elements",
		NeedsSubgroups: true,
		Buffers: []Buffer{
			content("a", a), content("b", b),
			content("product", make([]float32, rows*columns)), content("changed", make([]float32, mirrored.of(0, columns))),
		},
		Dispatches: once("main", rows/8, 1, 1),
		Reference: func(buffers [][]byte) {
			exact := product(rows, columns, depth, func(row, k int) float32 { return a[left.of(row, k)] },
				func(k, column int) float32 { return b[right.of(k, column)] }, func(x float32) float64 { return float64(x) })
			store(buffers[2], apply(exact, func(x float64) float32 { return float32(x) }))
			changed := values[float32](buffers[3])
			for i := range exact {
				row, column := i/columns, i%columns
				first := exact[row*columns+column/16*16+column%8]
				switch {
				case column%16 >= 8:
					first = first*2 - 1
				case column >= 16:
					first = exact[i+8]*0.5 + 3
				}
				changed[mirrored.of(row, column)] = float32(first)
			}
			store(buffers[3], changed)
		},
	}
}

func subgroupMatrixWords() Case {
	const bytes, workgroups = 2048, 2
	signed := apply(randomU32(248, workgroups*bytes, 256), func(x uint32) uint8 { return uint8(x) })
	unsigned := apply(randomU32(249, workgroups*bytes, 256), func(x uint32) uint8 { return uint8(x) })
	at := func(data []uint8, p matrixLayout) func(row, column int) uint8 {
		return func(row, column int) uint8 { return data[p.of(row, column)] }
	}
	left, right := matrixLayout{32, 48, false}, matrixLayout{1040, 32, true}
	return Case{
		Name:           "subgroup_matrix_words",
		Doc:            "products of bytes, four in a word, of the shapes that matrix units have, at aligned places and at others",
		NeedsSubgroups: true,
		Buffers: []Buffer{
			content("signed", values[int32](signed)), content("unsigned", values[uint32](unsigned)),
			content("sums", make([]int32, workgroups*520)), content("sums_unsigned", make([]uint32, workgroups*256)),
			content("copies", make([]int32, workgroups*bytes/4)),
			content("places", []uint32{uint32(left.offset), uint32(left.stride), uint32(right.offset), uint32(right.stride)}),
		},
		Dispatches: once("main", workgroups, 1, 1),
		Reference: func(buffers [][]byte) {
			sums, sumsUnsigned := values[int32](buffers[2]), values[uint32](buffers[3])
			for group := range workgroups {
				data, dataUnsigned := signed[group*bytes:], unsigned[group*bytes:]
				exact := product(16, 16, 32, at(data, left), at(data, right), func(x uint8) float64 { return float64(int8(x)) })
				for i, x := range exact {
					sums[group*520+i] = 2 * int32(x)
					sums[group*520+257+i%16*16+i/16] = int32(x)
				}
				exact = product(16, 16, 32, at(dataUnsigned, matrixLayout{0, 16, true}), at(dataUnsigned, matrixLayout{515, 21, false}),
					func(x uint8) float64 { return float64(x) })
				for i, x := range exact {
					sumsUnsigned[group*256+i] = uint32(x) - 6
				}
				copies := buffers[4][group*bytes:]
				for i := range 16 * 32 {
					row, column := i/32, i%32
					copies[matrixLayout{0, 48, false}.of(row, column)] = data[left.of(row, column)] + 127
					copies[matrixLayout{1025, 33, true}.of(column, row)] = data[right.of(column, row)] * 128
				}
			}
			store(buffers[2], sums)
			store(buffers[3], sumsUnsigned)
		},
	}
}

func subgroupMatrixEdges() Case {
	const count, stride, offset, length, workgroups = 160, 24, 2, 500, 3
	data := randomSteps(250, length, 2, 2)
	wide := apply(data, func(x float32) float64 { return float64(x) })
	return Case{
		Name:            "subgroup_matrix_edges",
		Doc:             "matrices beside and beyond the ends of arrays, also with strides that overflow",
		NeedsF16:        true,
		NeedsSubgroups:  true,
		LeavesVariables: true,
		Buffers: []Buffer{
			{Name: "rows", Data: append(pack[uint32](count, stride, offset), pack(halves(wide)...)...), Element: scalar.U32},
			content("sums", make([]float32, 256*(workgroups-1)+100)), content("moved", make([]half, 272*(workgroups-1)+130)),
			content("behind", make([]float32, 7)),
		},
		Dispatches: once("main", workgroups, 1, 1),
		Reference: func(buffers [][]byte) {
			sums, moved := values[float32](buffers[1]), make([]float64, len(buffers[2])/2)
			for group := range workgroups {
				at := func(row, column int) float64 { return wide[min(offset+group*count+row*stride+column, length-1)] }
				exact := product(16, 16, 16, at, func(k, column int) float64 { return at(column, k) }, func(x float64) float64 { return x })
				for i, x := range exact {
					if n := group*256 + i; n < len(sums) {
						sums[n] = float32(x)
					}
					if n := group*272 + i; n < len(moved) {
						moved[n] = at(i/16, i%16)
					}
				}
				if group == 0 {
					store(buffers[3], []float32{6: float32(exact[0])})
				}
			}
			store(buffers[1], sums)
			store(buffers[2], halves(moved))
		},
	}
}

func subgroupMatrixFlow() Case {
	const side, workgroups = 16, 4
	// steps from 0 to 2 multiply, 3 exchanges, 4 keeps, 6 is left out, 7 is the end
	plan := []uint32{0, 3, 1, 4, 2, 6, 0, 4, 5, 3, 1, 5, 0, 7, 1}
	data := apply(randomSteps(251, 3*side*side, 1, 0), func(x float32) float64 { return float64(x) })
	type matrix [side * side]float64
	type state struct {
		sums  [2]matrix
		steps uint32
	}
	return Case{
		Name:           "subgroup_matrix_flow",
		Doc:            "matrices through control flow, calls and copies",
		NeedsF16:       true,
		NeedsSubgroups: true,
		Buffers: []Buffer{
			content("given", halves(data)), content("plan", plan),
			content("sums", make([]float32, workgroups*2*side*side)), content("steps", make([]uint32, workgroups)),
		},
		Dispatches: once("main", workgroups, 1, 1),
		Reference: func(buffers [][]byte) {
			sums, steps := values[float32](buffers[2]), values[uint32](buffers[3])
			for group := range workgroups {
				var s state
				var states [2]state
				var kept matrix
				for i := range kept {
					kept[i] = float64(group)
				}
			loop:
				for n := group; n < len(plan); n++ {
					switch what := plan[n]; what {
					case 7:
						break loop
					case 6:
					case 0, 1, 2:
						left := func(row, k int) float64 { return [...]float64{data[row*side+k], data[256+k*side+row], 0.5}[what] }
						next := s.sums[0]
						for i, x := range product(side, side, side, left, func(k, column int) float64 { return data[512+k*side+column] }, func(x float64) float64 { return x }) {
							next[i] += x
						}
						s.sums[s.steps%2] = next
						s.steps++
					case 3:
						s.sums[0], s.sums[1] = s.sums[1], s.sums[0]
					case 4:
						s.sums[1], kept = kept, s.sums[0]
						states[n%2] = s
					case 5:
						if s.sums[0] = (matrix{}); n > 3 {
							s.sums[0] = states[(n+1)%2].sums[1]
						}
					}
				}
				for i := range side * side {
					sums[group*512+i] = float32(s.sums[0][i])
					sums[group*512+256+i%side*side+i/side] = float32(kept[i] * 2)
				}
				steps[group] = s.steps
			}
			store(buffers[2], sums)
			store(buffers[3], steps)
		},
	}
}

func subgroupMatrixOutside() Case {
	const length = 100
	a := randomSteps(248, length, 100, 0)
	places := []uint32{
		0, 8, 36, 8, 37, 8, 92, 9, 100, 3, 4294967288, 8, 5, 0, 10, 1073741824, 0, 4294967295, 3, 2147483649, 4294967295, 4294967295,
	}
	return Case{
		Name:           "subgroup_matrix_outside",
		Doc:            "loads and stores of matrices that are in part outside of their arrays",
		NeedsSubgroups: true,
		Buffers: []Buffer{
			content("a", a), content("places", places),
			content("loaded", make([]float32, len(places)/2*128)), content("stored", make([]float32, 230)),
		},
		Dispatches:      once("main", 3, 1, 1),
		LeavesVariables: true,
		Reference: func(buffers [][]byte) {
			at := func(v []float32, offset, row, stride, column uint32) float32 {
				return v[min(offset+row*stride+column, uint32(len(v)-1))]
			}
			elements := apply(a, func(x float32) float32 { return x + 1 })
			var loaded []float32
			for n := 0; n < len(places); n += 2 {
				loaded = append(loaded, build(64, func(i int) float32 {
					return at(a, places[n], uint32(i/8), places[n+1], uint32(i%8))
				})...)
				loaded = append(loaded, build(64, func(i int) float32 {
					return at(elements, places[n], uint32(i%8), places[n+1], uint32(i/8))
				})...)
			}
			store(buffers[2], loaded)
			stored := values[float32](buffers[3])
			for i := range uint32(64) {
				for _, n := range [...]uint32{190 + i/8*9 + i%8, 4294967290 + i/8*10 + i%8} {
					if n < uint32(len(stored)) {
						stored[n] = 3
					}
				}
				if n := 60 + i; n < length {
					elements[n] = at(a, 4294967295, i%8, 1, i/8)
				}
			}
			copy(stored[72+8:], elements)
			store(buffers[3], stored)
		},
	}
}

func subgroupMatrixViews() Case {
	// whose halves and floats are finite
	data := func(seed uint64, n int) []uint32 {
		return apply(randomU32(seed, n, 1<<20), func(x uint32) uint32 { return 0x30303030 + x&15 + x>>4&15<<8 + x>>8&15<<16 + x>>12&15<<24 })
	}
	words, quads, pairs, triples := data(249, 16), data(250, 80), data(251, 40), data(252, 48)
	// in memory, with the bytes between elements of the array
	type view struct{ apart, offset, stride, columns int }
	at := func(v view, size, row, column int) int {
		if v.columns != 0 { // by column
			row, column = column, row
		}
		return v.apart*(v.offset+v.stride*row) + size*column
	}
	return Case{
		Name:           "subgroup_matrix_views",
		Doc:            "matrices of 8, 16 and 32 bits in arrays of other numbers and vectors",
		NeedsF16:       true,
		NeedsSubgroups: true,
		Buffers: []Buffer{
			content("words", words), content("quads", quads), content("pairs", pairs), content("triples", triples),
			content("out_words", make([]int32, 112)), content("out_pairs", make([]uint32, 44)),
			content("out_triples", make([]float32, 16)), content("out_halves", make([]uint16, 46)),
		},
		Dispatches: once("main", 3, 1, 1),
		Reference: func(buffers [][]byte) {
			copied := func(to int, into view, from []byte, of view, size, rows, columns int) {
				for i := range rows * columns {
					copy(buffers[to][at(into, size, i/columns, i%columns):], from[at(of, size, i/columns, i%columns):][:size])
				}
			}
			const byColumn = 1
			copied(4, view{4, 2, 2, byColumn}, buffers[0], view{4, 1, 3, 0}, 1, 4, 8)
			copied(4, view{4, 40, 5, 0}, buffers[1], view{16, 1, 2, 0}, 2, 8, 8)
			copied(5, view{4, 1, 5, 0}, buffers[2], view{4, 3, 6, byColumn}, 4, 4, 4)
			copied(4, view{4, 84, 7, 0}, buffers[2], view{4, 3, 6, byColumn}, 4, 4, 4)
			copied(6, view{16, 0, 1, 0}, buffers[3], view{16, 1, 2, 0}, 4, 4, 3)
			copied(7, view{2, 3, 5, byColumn}, buffers[2], view{4, 0, 4, 0}, 1, 8, 8)
			copied(5, view{4, 30, 3, 0}, buffers[1], view{16, 0, 3, 0}, 1, 4, 8) // by way of the tile
		},
	}
}

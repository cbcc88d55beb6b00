package exectest

// Subgroup matrices: products of blocks, in both orders of memory.

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

func subgroupMatrixSquares() Case {
	const side, depth, workgroups = 16, 32, 3
	a, b := randomSteps(246, workgroups*side*depth, 2, 2), randomSteps(247, depth*2*side, 2, 2)
	wide := func(v []float32) []float64 { return apply(v, func(x float32) float64 { return float64(x) }) }
	number := func(x float32) float64 { return float64(x) }
	return Case{
		Name:           "subgroup_matrix_squares",
		Doc:            "products of f16 in shapes that devices have instructions for, with sums of f32 and of f16",
		NeedsF16:       true,
		NeedsSubgroups: true,
		Buffers: []Buffer{
			content("a", halves(wide(a))), content("b", halves(wide(b))),
			content("wide", make([]float32, workgroups*side*2*side)),
			content("narrow", make([]half, workgroups*side*2*side)),
		},
		Dispatches: once("main", workgroups, 1, 1),
		Reference: func(buffers [][]byte) {
			var sums []float32
			last := make([]float64, workgroups*side*2*side)
			for group := range workgroups {
				left := func(row, k int) float32 { return a[group*side*depth+row*depth+k] }
				exact := product(side, 2*side, depth, left, func(k, column int) float32 { return b[k*2*side+column] }, number)
				sums = append(sums, apply(exact, func(x float64) float32 { return float32(x + 3) })...)
				exact = product(side, 2*side, side, left, func(k, column int) float32 { return b[column*2*side+k] }, number)
				for i, x := range exact {
					last[group*side*2*side+i%(2*side)*side+i/(2*side)] = x
				}
			}
			store(buffers[2], sums)
			store(buffers[3], halves(last))
		},
	}
}

func subgroupMatrixDeep() Case {
	const side, depth, workgroups = 16, 32, 3
	const bytes = 2 * side * depth
	signed := apply(randomU32(248, workgroups*bytes, 256), func(x uint32) uint8 { return uint8(x) })
	unsigned := apply(randomU32(249, workgroups*bytes+4, 256), func(x uint32) uint8 { return uint8(x) })
	return Case{
		Name:           "subgroup_matrix_deep",
		Doc:            "products of bytes in shapes that devices have instructions for",
		NeedsSubgroups: true,
		Buffers: []Buffer{
			content("signed", values[int32](signed)), content("unsigned", values[uint32](unsigned)),
			content("sums", make([]int32, workgroups*side*side)), content("sums_unsigned", make([]uint32, workgroups*side*side)),
			content("doubled", make([]int32, workgroups*side*depth/4)),
		},
		Dispatches: once("main", workgroups, 1, 1),
		Reference: func(buffers [][]byte) {
			var sums []int32
			var sumsUnsigned []uint32
			for group := range workgroups {
				data, dataUnsigned := signed[group*bytes:], unsigned[group*bytes+1:]
				exact := product(side, side, depth, func(row, k int) uint8 { return data[row*depth+k] },
					func(k, column int) uint8 { return data[side*depth+column*depth+k] }, func(x uint8) float64 { return float64(int8(x)) })
				sums = append(sums, apply(exact, func(x float64) int32 { return int32(x) - 5 })...)
				exact = product(side, side, depth, func(row, k int) uint8 { return dataUnsigned[k*side+row] },
					func(k, column int) uint8 { return dataUnsigned[side*depth+k*side+column] }, func(x uint8) float64 { return float64(x) })
				sumsUnsigned = append(sumsUnsigned, build(side*side, func(i int) uint32 { return uint32(exact[i%side*side+i/side]) })...)
				for i := range side * depth {
					buffers[4][group*side*depth+i] = 2 * data[i]
				}
			}
			store(buffers[2], sums)
			store(buffers[3], sumsUnsigned)
		},
	}
}

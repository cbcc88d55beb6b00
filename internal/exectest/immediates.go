package exectest

// Immediates: bytes that a launch brings along, different in each.

func immediates() Case {
	const n = 24
	type parameters struct {
		scale  float32
		offset [3]int32
		count  uint32
		matrix [4]float32 // by columns
		bias   int32
		steps  [2]uint32
	}
	launches := []parameters{
		{0.5, [3]int32{-1, 20, 300}, 19, [4]float32{1, 2, 3, 4}, -7, [2]uint32{3, 1000}},
		{-2, [3]int32{5, -6, 7}, 24, [4]float32{-0.25, 8, 16.5, -1}, 11, [2]uint32{0, 77}},
	}
	weights := [][3]uint32{{2, 3, 5}, {1, 10, 100}}
	var bytes [][]byte
	for _, p := range launches {
		bytes = append(bytes, join(pack(p.scale), make([]byte, 12), pack(p.offset[:]...), pack(p.count),
			pack(p.matrix[:]...), pack(p.bias), make([]byte, 4), pack(p.steps[:]...)))
	}
	for _, w := range weights {
		bytes = append(bytes, pack(w[:]...))
	}
	return Case{
		Name:       "immediates",
		Doc:        "a structure and a vector of immediates, by members, by index and through pointers",
		Buffers:    []Buffer{content("results", make([]float32, 4*n)), content("sums", make([]uint32, n))},
		Dispatches: append(append(once("main", 3, 1, 1), once("main", 3, 1, 1)...), append(once("weigh", 3, 1, 1), once("weigh", 3, 1, 1)...)...),
		Immediates: bytes,
		Reference: func(buffers [][]byte) {
			results, sums := make([]float32, 4*n), make([]uint32, n)
			for _, p := range launches {
				for i := range int(p.count) {
					r := results[4*i:]
					column := p.matrix[2*(i%2):][:2]
					r[0] += (column[i/2%2] + float32(p.bias)) * p.scale
					r[1] += float32(p.offset[i%3])
					r[2] += column[1] * p.scale
					r[3] += float32(int(p.steps[0])*i + int(p.steps[1]))
					sums[i] += uint32(p.bias + 100)
				}
			}
			for _, w := range weights {
				for i := range sums {
					sums[i] = sums[i]*w[i%3] + w[2]
				}
			}
			store(buffers[0], results)
			store(buffers[1], sums)
		},
	}
}

func immediatesF16() Case {
	const n = 12
	first, second, after, word, single := 3.5, -0.25, 0.125, uint32(4096), -6.75
	vector, last := []float64{1, 2.5, -64}, []float64{10, 20, 30, -40}
	matrix := []float64{0.5, 1.5, 2.5, 3.5, 4.5, 5.5} // by columns
	// Offsets in bytes: first 0, second 2, vector 8, after 14, word 16, matrix 20, last 32.
	bytes := join(pack(halves([]float64{first, second})...), make([]byte, 4), pack(halves(vector)...), pack(toHalf(after)),
		pack(word), pack(halves(matrix)...), pack(halves(last)...))
	return Case{
		Name:       "immediates_f16",
		Doc:        "immediates with f16 scalars, vectors and matrices",
		NeedsF16:   true,
		Buffers:    []Buffer{content("results", make([]float32, 5*n))},
		Dispatches: append(once("main", 3, 1, 1), once("lone", 3, 1, 1)...),
		Immediates: [][]byte{bytes, join(pack(toHalf(single)), make([]byte, 2))},
		Reference: func(buffers [][]byte) {
			var results []float32
			for i := range n {
				results = append(results, floats32(first-second+vector[i%3], after*float64(word), matrix[2*(i%3)+1],
					matrix[4]+last[i%4], single*float64(i+1))...)
			}
			store(buffers[0], results)
		},
	}
}

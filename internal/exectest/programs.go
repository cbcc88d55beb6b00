package exectest

// Small real programs that fit no other group.

import "math"

func levenshtein() Case {
	const size, count = 400, 60
	letters := []byte("abcdefghijklmnopqrstuvwxyz")
	r := source(160)
	// few letters: many matches
	text := build(size, func(i int) byte { return letters[r.IntN(3+i/100)] })
	var jobs []uint32
	for i := range count {
		for _, length := range []int{i % 17, (i * 7) % 17} {
			jobs = append(jobs, uint32(r.IntN(size-length)), uint32(length))
		}
	}
	return Case{
		Name: "levenshtein",
		Doc:  "edit distances with a private row of dynamic programming",
		Buffers: []Buffer{
			mixed("text", text), content("jobs", jobs), content("distances", make([]uint32, count)),
		},
		Dispatches: once("main", groups(count, 16), 1, 1),
		Reference: func(buffers [][]byte) {
			// The recursive definition with a memory.
			store(buffers[2], build(count, func(i int) uint32 {
				job := jobs[4*i:]
				a, b := text[job[0]:][:job[1]], text[job[2]:][:job[3]]
				memory := map[[2]int]int{}
				var distance func(i, j int) int
				distance = func(i, j int) int {
					if i == 0 || j == 0 {
						return i + j
					}
					if d, known := memory[[2]int{i, j}]; known {
						return d
					}
					d := distance(i-1, j-1)
					if a[i-1] != b[j-1] {
						d = 1 + min(d, distance(i-1, j), distance(i, j-1))
					}
					memory[[2]int{i, j}] = d
					return d
				}
				return uint32(distance(len(a), len(b)))
			}))
		},
	}
}

func sparseProduct() Case {
	const rows, columns = 70, 53
	r := source(161)
	dense := build(rows*columns, func(int) float32 {
		if r.IntN(8) > 0 {
			return 0
		}
		return float32(r.IntN(41) - 20)
	})
	clear(dense[5*columns : 8*columns]) // rows without elements
	starts := []uint32{0}
	var positions []uint32
	var weights []float32
	for i, w := range dense {
		if w != 0 {
			positions, weights = append(positions, uint32(i%columns)), append(weights, w)
		}
		if i%columns == columns-1 {
			starts = append(starts, uint32(len(positions)))
		}
	}
	x, y := randomSteps(162, columns, 50, 1), randomSteps(163, rows, 50, 1)
	return Case{
		Name: "sparse_product",
		Doc:  "a sparse matrix in compressed rows times a vector",
		Buffers: []Buffer{
			content("row_starts", starts), content("columns", positions), content("weights", weights),
			content("x", x), content("y", y),
		},
		Dispatches: once("main", groups(rows, 16), 1, 1),
		Reference: func(buffers [][]byte) {
			product := multiply(dense, x, rows, 1, columns)
			store(buffers[4], build(rows, func(i int) float32 { return float32(product[i] + float64(y[i])) }))
		},
	}
}

func softmax() Case {
	const rows, width = 4, 75
	data := randomF32(164, rows*width, -8, 8)
	return Case{
		Name: "softmax",
		Doc:  "maximum, exp and sum of rows through one workgroup helper",
		Buffers: []Buffer{
			// exp of at least -16 has 3 + 2·16 ULP; in the sum only the great count.
			content("rows", data).ulps(64),
		},
		Dispatches: once("main", rows, 1, 1),
		Reference: func(buffers [][]byte) {
			var shares []float32
			for row := range rows {
				sum := 0.0
				for _, x := range data[row*width:][:width] {
					sum += math.Exp(float64(x))
				}
				for _, x := range data[row*width:][:width] {
					shares = append(shares, float32(math.Exp(float64(x))/sum))
				}
			}
			store(buffers[0], shares)
		},
	}
}

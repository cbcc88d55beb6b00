package exectest

// Order of evaluation, what may be removed, and arrays that live in no buffer:
// the rules that optimisers break.

import "slices"

func languageEvaluationOrder() Case {
	const n = 20
	accumulators := randomU32(150, 10*n, 0)
	return Case{
		Name: "language_evaluation_order",
		Doc:  "left to right and once, compound assignment of every operator",
		Buffers: []Buffer{
			content("results", make([]uint32, 12*n)), content("accumulators", accumulators),
		},
		Dispatches: once("main", groups(n, 8), 1, 1),
		Reference: func(buffers [][]byte) {
			var results, after []uint32
			for i := range uint32(n) {
				// The trace after each statement, as digits to base 7 after i.
				trace := i
				digits := func(d ...uint32) uint32 {
					for _, x := range d {
						trace = trace*7 + x
					}
					return trace
				}
				results = append(results, ^uint32(4), digits(1, 2, 3), 312+digits(3, 1, 2), 35+digits(2, 5),
					21+digits(1), 4+digits(3, 4))
				x := (i + 20) + (i + 30) // before and after the call
				results = append(results, i+(i+10), 2*(i+20), x, 6+digits(4, 5, 6, 2), i*1000+x, 0)
				a := accumulators[10*i:]
				after = append(after, a[0]+i, a[1]-i, a[2]*(i+1), a[3]/(i+1), a[4]%(i+3),
					a[5]&(i*5), a[6]|i*5, a[7]^i*5, a[8]<<(i%8), a[9]>>(i%8))
			}
			store(buffers[0], results)
			store(buffers[1], after)
		},
	}
}

func languageDeadCode() Case {
	const n = 21
	data := randomU32(151, n, 0)
	return Case{
		Name:       "language_dead_code",
		Doc:        "code that cannot matter, and code that only looks so",
		Buffers:    []Buffer{content("data", data), content("results", make([]uint32, 4*n)), content("ignored", []uint32{7})},
		Dispatches: once("main", groups(n, 8), 1, 1),
		Reference: func(buffers [][]byte) {
			var results []uint32
			for i := range uint32(n) {
				// slots[1] ends as 100, or as 6 where the dynamic store hit it.
				slots := uint32(500 + 100)
				if i%4 == 1 {
					slots = 600 + 6
				}
				results = append(results, data[i]+1, data[i]+1, data[i]+3, slots+(i<<1^6)<<16)
			}
			store(buffers[1], results)
		},
	}
}

func languageArrays() Case {
	const n = 40
	data := randomU32(152, n, 100000)
	return Case{
		Name:       "language_arrays",
		Doc:        "dynamic indices into values, private and function arrays",
		Buffers:    []Buffer{content("data", data), content("results", make([]uint32, 6*n))},
		Dispatches: once("main", groups(n, 8), 1, 1),
		Reference: func(buffers [][]byte) {
			var results []uint32
			for _, n := range data {
				square := func(at uint32) uint32 {
					if at%5 == 4 {
						return n
					}
					return at % 5 * (at % 5)
				}
				results = append(results, square(n)+square(n/5), rowsOfArrays(n), itemsOfArrays(n))

				// vectors[a][b] holds n + a + 3b, one vector twice that.
				at := func(a, b uint32) uint32 {
					if a == n%3 {
						return 2 * (n + a + 3*b)
					}
					return n + a + 3*b
				}
				dot := uint32(0)
				for b := range uint32(3) {
					dot += (at(0, b) + at(1, (b+2)%3)) * at(2, b)
				}
				m := [3][2]float32{{1, 2}, {3, 4}, {5, 6}}
				m[n%3] = [2]float32{float32(n % 16), 0.5}
				m[(n+1)%3][n%2] *= 4
				product := float32(0)
				for c, scale := range []float32{4, 16, 64} {
					product += scale * (2*m[c][0] + 4*m[c][1])
				}
				v := []uint32{1, 2, 3, 4}
				for k := range uint32(4) {
					v[(n+k)%4] = v[k]*3 + v[(k+1)%4]
				}
				results = append(results, dot, uint32(product), v[0]+7*v[1]+49*v[2]+343*v[3])
			}
			store(buffers[1], results)
		},
	}
}

func rowsOfArrays(n uint32) uint32 {
	rows := slices.Collect(slices.Chunk(build(12, func(k int) uint32 { return (n >> k) % 10 }), 3))
	rows[n%4] = slices.Clone(rows[(n+1)%4])
	sum := uint32(0)
	for column := range 3 {
		for _, row := range rows {
			sum = sum*3 + row[column]
		}
	}
	return sum + rows[n/4%4][n%3]
}

func itemsOfArrays(n uint32) uint32 {
	var items [4][6]uint32 // key, pair, list
	items[n%4] = [6]uint32{n, n, 5, 1, 2, 3}
	items[(n+1)%4][1+n%2] = 8
	items[(n+2)%4][3+n%3] = 6
	items[3] = items[n%3]
	total := uint32(0)
	for k, item := range items {
		total = total*5 + item[0] + item[1] + 2*item[2] + item[3+k%3]
	}
	return total
}

package exectest

// Many elements to few: what needs barriers, atomics and subgroups.

import "slices"

func reduceTree() Case {
	const n = 1000
	data := randomSteps(20, n, 1000, 3)
	workgroups := groups(n, 64)
	return Case{
		Name: "reduce_tree",
		Doc:  "a tree sum in workgroup memory over two dispatches",
		Buffers: []Buffer{
			content("data", data),
			content("partial", make([]float32, workgroups)),
			content("total", []float32{0}),
		},
		Dispatches: append(once("reduce", workgroups, 1, 1), once("finish", 1, 1, 1)...),
		Reference: func(buffers [][]byte) {
			partial, total := make([]float32, workgroups), 0.0
			for i, x := range data {
				partial[i/64] += x
				total += float64(x)
			}
			store(buffers[1], partial)
			store(buffers[2], []float32{float32(total)})
		},
	}
}

func scanInclusive() Case {
	const n = 900
	data := randomU32(21, n, 0)
	workgroups := groups(n, 128)
	return Case{
		Name:       "scan_inclusive",
		Doc:        "prefix sums in workgroups, then the totals before each",
		Buffers:    []Buffer{content("data", data), content("totals", make([]uint32, workgroups))},
		Dispatches: append(once("scan", workgroups, 1, 1), once("add_totals", workgroups, 1, 1)...),
		Reference: func(buffers [][]byte) {
			sums, totals := make([]uint32, n), make([]uint32, workgroups)
			sum := uint32(0)
			for i, x := range data {
				sum += x
				sums[i] = sum
				totals[i/128] += x
			}
			store(buffers[0], sums)
			store(buffers[1], totals)
		},
	}
}

func histogram() Case {
	const n, bins = 1500, 48
	samples := randomU32(22, n, 0)
	for i := range samples[:400] {
		samples[i] = 7 // one bin that everybody wants
	}
	return Case{
		Name:       "histogram",
		Doc:        "contended atomics in workgroup memory and storage",
		Buffers:    []Buffer{content("samples", samples), content("counts", make([]uint32, bins))},
		Dispatches: once("main", 5, 1, 1),
		Reference: func(buffers [][]byte) {
			var counts [bins]uint32
			for _, x := range samples {
				counts[x%bins]++
			}
			store(buffers[1], counts[:])
		},
	}
}

func compaction() Case {
	const n = 300
	data := randomU32(23, n, 500)
	workgroups := groups(n, 32)
	return Case{
		Name: "compaction",
		Doc:  "stream compaction by counter and by counting, compared after sorting",
		Buffers: []Buffer{
			content("data", data), content("kept", []uint32{0}),
			content("unordered", make([]uint32, n)),
			content("ordered", make([]uint32, n)),
			content("sorted", make([]uint32, n)),
		},
		Dispatches: append(append(once("compact", workgroups, 1, 1),
			once("sort", workgroups, 1, 1)...), once("clear", workgroups, 1, 1)...),
		Reference: func(buffers [][]byte) {
			kept := slices.DeleteFunc(slices.Clone(data), func(x uint32) bool { return x%3 == 0 || x&4 != 0 })
			store(buffers[1], []uint32{uint32(len(kept))})
			store(buffers[3], kept)
			slices.Sort(kept)
			store(buffers[4], kept)
		},
	}
}

func subgroupReduce() Case {
	const n, size = 500, 96
	data := randomU32(24, n, 0)
	workgroups := int(groups(n, size))
	return Case{
		Name:           "subgroup_reduce",
		Doc:            "subgroup sums, minima, maxima, ballots and scans of any subgroup size",
		NeedsSubgroups: true,
		Buffers: []Buffer{
			content("data", data),
			content("results", make([]uint32, 5*workgroups)),
		},
		Dispatches: once("main", uint32(workgroups), 1, 1),
		Reference: func(buffers [][]byte) {
			var results []uint32
			for group := range workgroups {
				part := make([]uint32, size) // what lies beyond the data is 0
				copy(part, data[group*size:])
				var sum, odd uint32
				for _, x := range part {
					sum += x
					odd += x & 1
				}
				results = append(results, sum, slices.Min(part), slices.Max(part), odd, 0)
			}
			store(buffers[1], results)
		},
	}
}

package exectest

// What a pipeline and a workgroup share: overrides, entry points, workgroup
// memory and barriers, subgroups.

import "slices"

func languageOverrides() Case {
	const limit, workgroups = 64, 3
	grid := [3]uint32{workgroups, 1, 1}
	return Case{
		Name: "language_overrides",
		Doc:  "overrides in workgroup size, array size and expressions",
		Buffers: []Buffer{
			content("results", make([]float32, 4*limit*workgroups)),
			content("sizes", make([]uint32, workgroups)),
		},
		Dispatches: []Dispatch{
			{"main", grid, []Override{{"8", -5}}, nil},
			{"main", grid, []Override{{"8", 7}, {"width", 12}, {"7", 0.25}, {"mirrored", 1}}, nil},
			{"main", grid, []Override{{"8", 1000}, {"width", 4}, {"height", 5}}, nil},
		},
		Reference: func(buffers [][]byte) {
			results, sizes := make([]float32, 4*limit*workgroups), make([]uint32, workgroups)
			run := func(width, height int, scale, offset float32, mirrored bool) {
				count := width * height
				for group := range workgroups {
					for i := range count {
						from := i
						if mirrored {
							from = count - 1 - i
						}
						r := results[4*(group*limit+i):]
						r[0] += float32(from%width+100*(from/width)) * scale
						r[1] += offset
						r[2] += float32(width)
						r[3] += float32(i / width)
					}
					sizes[group] = sizes[group]*100 + uint32(count)
				}
			}
			run(8, 2, 0.5, -5, false)
			run(12, 3, 0.25, 7, true)
			run(4, 5, 0.5, 1000, false)
			store(buffers[0], results)
			store(buffers[1], sizes)
		},
	}
}

func languageEntryPoints() Case {
	return Case{
		Name: "language_entry_points",
		Doc:  "two entry points, builtin inputs as parameters and in a struct",
		Buffers: []Buffer{
			content("ids", make([]uint32, 4*96)), content("places", make([]uint32, 4*40)),
			content("counts", make([]uint32, 4)),
		},
		Dispatches: append(once("by_struct", 2, 2, 1), once("by_parameters", 4, 2, 1)...),
		Reference: func(buffers [][]byte) {
			var ids, positions []uint32
			for i := range uint32(96) { // an extent of 6×4×4 in groups of 3×2×4
				x, y, z := i%6, i/6%4, i/24
				index := (z*2+y%2)*3 + x%3
				ids = append(ids, x, y, z, index*101+1)
			}
			for i := range uint32(40) {
				positions = append(positions, i%20/5, i/20, 0, 3+i%5)
			}
			store(buffers[0], ids)
			store(buffers[1], positions)
			store(buffers[2], []uint32{0, 96, 3 * 96, 3 * 40})
		},
	}
}

func memoryReadBesideWrite() Case {
	const n = 24
	steps := build(n, func(i int) uint32 { return uint32(i*i + 7) })
	counts := build(n, func(i int) uint32 { return uint32(i) * 2654435761 })
	return Case{
		Name:       "memory_read_beside_write",
		Doc:        "loads after stores, beside a read-only buffer of the same type",
		Buffers:    []Buffer{content("steps", steps), content("counts", counts), content("sums", make([]uint32, n))},
		Dispatches: once("main", groups(n, 8), 1, 1),
		Reference: func(buffers [][]byte) {
			after, sums := make([]uint32, n), make([]uint32, n)
			for i, c := range counts {
				if c%2 == 1 {
					c += steps[1]
				}
				sums[i], after[i] = 3*(c+5), c+5
				if after[i]%4 == 2 {
					after[i] = 9 * steps[i]
				}
				sums[i] += after[i]
			}
			store(buffers[1], after)
			store(buffers[2], sums)
		},
	}
}

func workgroupUniformLoad() Case {
	const size, workgroups, n = 32, 4, 41
	data := randomU32(130, n, 0)
	return Case{
		Name: "workgroup_uniform_load",
		Doc:  "values that all of the workgroup get, barriers in loops they end",
		Buffers: []Buffer{
			content("data", data), content("results", make([]uint32, size*workgroups)),
		},
		Dispatches: once("main", workgroups, 1, 1),
		Reference: func(buffers [][]byte) {
			var results []uint32
			for group := range workgroups {
				sums := make([]uint32, size)
				found := uint32(0)
				for round := range 3 + group {
					start := data[(group*7+round)%n]
					scratch := build(size, func(i int) uint32 { return start ^ uint32(i*round) })
					for _, x := range scratch {
						found += toBool32(x%3 == 0)
					}
					for i := range sums {
						sums[i] = (sums[i]*5 + scratch[size-1-i] + uint32(round)) ^ found
					}
				}
				results = append(results, sums...)
			}
			store(buffers[1], results)
		},
	}
}

func workgroupMemory() Case {
	const size, workgroups = 24, 5
	return Case{
		Name: "workgroup_memory",
		Doc:  "zero at the start, structs and matrices in it, both barriers",
		Buffers: []Buffer{
			content("first", slices.Repeat([]uint32{9}, size*workgroups)),
			content("exchange", make([]uint32, size*workgroups)),
			content("results", make([]uint32, 4*size*workgroups)),
		},
		Dispatches: once("main", workgroups, 1, 1),
		Reference: func(buffers [][]byte) {
			var exchange, results []uint32
			for i := range size * workgroups {
				group, local := i/size, i%size
				neighbour := (local + 5) % size
				exchanged := func(local int) uint32 { return uint32(3 * (group*size + (local+5)%size)) }
				last, seen := exchanged(local), exchanged((local+1)%size)
				if group%2 == 0 { // the one before added its number
					last += uint32((local + size - 1) % size)
					seen = last
				}
				exchange = append(exchange, last)
				results = append(results, seen, uint32([]int{neighbour, group}[local%2]),
					uint32(2+local%2)+1000, 3+toBool32((local+1)%size%3 == 0))
			}
			store(buffers[0], make([]uint32, size*workgroups))
			store(buffers[1], exchange)
			store(buffers[2], results)
		},
	}
}

func subgroupExchange() Case {
	const n, invocations = 100, 192
	data := randomU32(131, n, 0)
	return Case{
		Name:           "subgroup_exchange",
		Doc:            "broadcasts and shuffles in subgroups of unknown size",
		NeedsSubgroups: true,
		Buffers: []Buffer{
			content("data", data),
			content("mistakes", slices.Repeat([]uint32{99}, invocations)),
			content("echoed", make([]uint32, 2*invocations)),
		},
		Dispatches: once("main", invocations/64, 1, 1),
		Reference: func(buffers [][]byte) {
			var echoed []uint32
			for i := range invocations {
				echoed = append(echoed, data[i%n], data[i%n]^1)
			}
			store(buffers[1], make([]uint32, invocations))
			store(buffers[2], echoed)
		},
	}
}

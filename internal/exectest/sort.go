package exectest

// Sorting: comparator networks and digit passes.

import "slices"

func sortBitonic() Case {
	const n, block = 700, 256
	return Case{
		Name:       "sort_bitonic",
		Doc:        "a bitonic network in workgroup memory, blocks of 256",
		Buffers:    []Buffer{content("data", randomU32(30, n, 0))},
		Dispatches: once("main", groups(n, block), 1, 1),
		Reference: func(buffers [][]byte) {
			v := values[uint32](buffers[0])
			for b := range slices.Chunk(v, block) {
				slices.Sort(b)
			}
			store(buffers[0], v)
		},
	}
}

func sortBitonicGlobal() Case {
	const n, bits = 256, 8
	var dispatches []Dispatch
	for range bits * (bits + 1) / 2 {
		dispatches = append(dispatches, once("compare", n/2/32, 1, 1)...)
		dispatches = append(dispatches, once("advance", 1, 1, 1)...)
	}
	keys := apply(randomU32(31, n, 0), func(x uint32) int32 { return int32(x) })
	return Case{
		Name:       "sort_bitonic_global",
		Doc:        "a bitonic network in storage, 72 dependent dispatches",
		Buffers:    []Buffer{content("data", keys), content("stage", []uint32{2, 1})},
		Dispatches: dispatches,
		Reference: func(buffers [][]byte) {
			store(buffers[0], slices.Sorted(slices.Values(keys)))
			store(buffers[1], []uint32{2 * n, n})
		},
	}
}

func sortRadix() Case {
	const n, shift = 500, 20
	keys := randomU32(32, n, 0)
	workgroups := groups(n, 64)
	set := []Override{{Name: "shift", Value: shift}}
	return Case{
		Name: "sort_radix",
		Doc:  "a stable pass by one digit: count, place, scatter",
		Buffers: []Buffer{
			content("keys", keys),
			content("sorted", make([]uint32, n)),
			content("places", make([]uint32, 16*workgroups)),
		},
		Dispatches: []Dispatch{
			{Entry: "count", Grid: [3]uint32{workgroups, 1, 1}, Overrides: set},
			{Entry: "place", Grid: [3]uint32{1, 1, 1}, Overrides: set},
			{Entry: "scatter", Grid: [3]uint32{workgroups, 1, 1}, Overrides: set},
		},
		Reference: func(buffers [][]byte) {
			digit := func(x uint32) int { return int(x >> shift & 15) }
			sorted := slices.Clone(keys)
			slices.SortStableFunc(sorted, func(a, b uint32) int { return digit(a) - digit(b) })
			store(buffers[1], sorted)
			// A block's position for a digit: all smaller digits, and the same digit in the blocks
			// before.
			positions := build(16*int(workgroups), func(i int) uint32 {
				d, block := i/int(workgroups), i%int(workgroups)
				count := uint32(0)
				for at, x := range keys {
					if digit(x) < d || digit(x) == d && at/64 < block {
						count++
					}
				}
				return count
			})
			store(buffers[2], positions)
		},
	}
}

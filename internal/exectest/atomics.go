package exectest

// Atomics, and what invocations of one workgroup share.

import (
	"slices"
)

func atomics() Case {
	const n, size = 150, 32
	data := apply(randomU32(100, n, 0), func(x uint32) int32 { return int32(x) })
	workgroups := int(groups(n, size))
	initial := []uint32{100, 200, 0, 0, 0xFFFFFFFF, 0, 0xFFFFFFFF, 1, 0x12345678, 0, 777, 0}
	return Case{
		Name: "atomics",
		Doc:  "every atomic operation, in storage and workgroup memory",
		Buffers: []Buffer{
			content("data", data), content("counters", initial), content("seen", make([]uint32, n+10)),
			content("per_group", make([]int32, 4*workgroups)),
		},
		Dispatches: append(once("main", uint32(workgroups), 1, 1), once("finish", 1, 1, 1)...),
		Reference: func(buffers [][]byte) {
			sum, all, anySet, parity := int32(0), uint32(0xFFFFFFFF), uint32(1), uint32(0x12345678)
			for _, x := range data {
				sum += x
				all &= uint32(x) | 0xFFFF0
				anySet |= uint32(x) & 0xFF00FF00
				parity ^= uint32(x)
			}
			unsigned := apply(data, func(x int32) uint32 { return uint32(x) })
			// The initial value of the exchanged cell comes out of the sum again.
			store(buffers[1], []uint32{uint32(100 + sum), uint32(200 - sum),
				uint32(min(slices.Min(data), 0)), uint32(max(slices.Max(data), 0)),
				slices.Min(unsigned), slices.Max(unsigned), all, anySet, parity, n, 777, 0})
			store(buffers[2], slices.Repeat([]uint32{1}, n))
			var results []int32
			for part := range slices.Chunk(data, size) {
				sum, parity := int32(0), int32(0)
				most := uint32(0)
				for _, x := range part {
					sum, parity, most = sum+x, parity^x*3, max(most, uint32(x))
				}
				results = append(results, sum, min(slices.Min(part), 0), parity, int32(most>>1))
			}
			store(buffers[3], results)
		},
	}
}

func atomicCompareExchange() Case {
	const n, prime = 150, 65521
	data := randomF32(101, n, -100, 100)
	data[77] = 123.5
	return Case{
		Name: "atomic_compare_exchange",
		Doc:  "compare-exchange loops: maximum, product, linked list",
		Buffers: []Buffer{
			content("data", data), content("greatest", []float32{-1e30}), content("product", []uint32{1}),
			content("head", []int32{-1}), content("links", make([]int32, n)), content("totals", make([]uint32, 2)),
		},
		Dispatches: append(append(once("main", groups(n, 32), 1, 1), once("walk", 1, 1, 1)...),
			once("clear", groups(n, 32), 1, 1)...),
		Reference: func(buffers [][]byte) {
			product := uint64(1)
			for i := range uint64(n) {
				product = product * (i + 1) % prime
			}
			store(buffers[1], []float32{slices.Max(data)})
			store(buffers[2], []uint32{uint32(product)})
			store(buffers[5], []uint32{n, n * (n - 1) / 2})
		},
	}
}

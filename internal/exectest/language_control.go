package exectest

// Control flow and functions: small kernels, each about one group of rules.

import (
	"math/bits"
	"slices"
)

func languageSwitch() Case {
	data := build(70, func(i int) int32 { return int32(i*i/3) - 30 })
	data = append(data, -2, -1, 3, 4, 5, 100, 101, 102, 2147483647, -2147483648)
	n := len(data)
	kind := func(x int32) uint32 {
		r := uint32(12)
		switch {
		case x == 4:
			return 3
		case x == -1 || x == -2 || x == 3:
			r = 1
		case x == 5:
			r = 7
		case x > 100:
			r = 2
		}
		if low := x & 7; low == 1 || low == 6 {
			return r + 1000
		}
		return r * 100
	}
	walk := func(trace uint32) uint32 {
		for i := range uint32(12) {
			for j := uint32(0); ; j++ {
				rest := (trace + j) % 5
				if rest == 0 {
					trace = trace*3 + 1
					continue
				}
				if rest == 3 && j > 6 {
					return trace
				}
				if rest == 1 || rest == 2 {
					trace += j
				} else if rest == 4 {
					trace ^= 0x55
				}
				if j >= i {
					break
				}
				trace++
			}
		}
		return trace
	}
	return Case{
		Name: "language_switch",
		Doc:  "selector lists, default in the middle, break and continue inside",
		Buffers: []Buffer{
			content("data", data), content("kinds", make([]uint32, n)), content("walks", make([]uint32, n)),
		},
		Dispatches: once("main", groups(n, 16), 1, 1),
		Reference: func(buffers [][]byte) {
			store(buffers[1], apply(data, kind))
			store(buffers[2], build(n, func(i int) uint32 { return walk(uint32(i)) }))
		},
	}
}

// languageSwitchEmpty lists what each row holds, lane by lane of a workgroup.
func languageSwitchEmpty() Case {
	rows := [10][16]uint32{
		{9: 77},
		{40, 10, 0, 30, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40},
		{0: 5, 5: 50, 6: 50, 8: 80},
		{1, 0, 2, 1, 2, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1},
		{1: 1, 8: 2},
		{0, 103, 6, 9, 12, 115, 18, 21, 24, 127, 30, 33, 36, 139, 42, 45},
		{4: 4, 9: 9, 10: 10, 11: 11, 12: 12, 13: 13, 14: 14, 15: 15},
		{},
		{0, 6, 0, 0, 3, 0, 0, 6, 0, 6, 0, 6, 0, 6, 0, 6},
		{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16},
	}
	for l := range rows[7] {
		rows[7][l] = 2 * (3*256 + 1 + 2*(16+256)) // each of eight selectors comes twice
	}
	return Case{
		Name:       "language_switch_empty",
		Doc:        "empty clauses at every position among others",
		Buffers:    []Buffer{content("results", make([]uint32, 10*3*16))},
		Dispatches: once("main", 3, 1, 1),
		Reference: func(buffers [][]byte) {
			var all []uint32
			for _, row := range rows {
				all = append(all, slices.Repeat(row[:], 3)...)
			}
			store(buffers[0], all)
		},
	}
}

func languageLoops() Case {
	const n = 30
	return Case{
		Name:       "language_loops",
		Doc:        "every form of loop, with values carried around",
		Buffers:    []Buffer{content("results", make([]uint32, 6*n))},
		Dispatches: once("main", groups(n, 8), 1, 1),
		Reference: func(buffers [][]byte) {
			var results []uint32
			fibonacci := []int{0, 1}
			for i := range n {
				fibonacci = append(fibonacci, fibonacci[i]+fibonacci[i+1])
				divisor := 90 // the greatest number that divides both; all divide 0
				for i*12%divisor != 0 || 90%divisor != 0 {
					divisor--
				}
				odd := max(i, 1) / 2
				digits := 1
				for limit := 10; i*i*i >= limit; limit *= 10 {
					digits++
				}
				triangle := 0
				for j := range i { // i is the bound, k - j even and k < row
					for row := j; row < i; row++ {
						for k := j; k < row && (row+j)%3 != 0; k += 2 {
							triangle += k
						}
					}
				}
				results = append(results, uint32(divisor), uint32(fibonacci[i]), uint32(odd*odd),
					[]uint32{12, 21}[i%2], uint32(digits), uint32(triangle))
			}
			store(buffers[0], results)
		},
	}
}

func languageEarlyReturn() Case {
	const n = 60
	data := randomU32(70, 40, 256)
	data[25] = 250
	for i := range 20 {
		data[i] %= 250 // the search passes the first half
	}
	classify := func(x uint32) uint32 {
		switch {
		case x < 10:
			return 0
		case x >= 100:
			return 2
		case x%2 == 0:
			return 1
		}
		return 3
	}
	nested := func(x uint32) uint32 {
		r := uint32(0)
		for i := range uint32(8) {
			c := classify(x + i*13)
			if c == 2 {
				return r + 100
			}
			for r += c; r%4 == 0; r += 1 + c {
				if r > 50 {
					return r
				}
			}
		}
		return r
	}
	find := func(value, start uint32) uint32 {
		stop := slices.IndexFunc(data[start:], func(x uint32) bool { return x == value || x == 250 || x == 251 })
		switch {
		case stop < 0:
			return 9999
		case data[int(start)+stop] == value:
			return start + uint32(stop)
		}
		return 1000 + start + uint32(stop)
	}
	return Case{
		Name:       "language_early_return",
		Doc:        "returns out of loops and switches, through nested calls",
		Buffers:    []Buffer{content("data", data), content("results", make([]uint32, 4*n))},
		Dispatches: once("main", groups(n, 16), 1, 1),
		Reference: func(buffers [][]byte) {
			var results []uint32
			for i := range uint32(n) {
				first, start := find(i*3%256, 0), uint32(0)
				if first < 1000 {
					start = first + 1
				}
				results = append(results, first, find(i*3%256, start), nested(i),
					classify(nested(classify(i*7)*40)))
			}
			store(buffers[1], results)
		},
	}
}

func languageShortCircuit() Case {
	const n = 64
	return Case{
		Name:       "language_short_circuit",
		Doc:        "&& and || with effects on their right side, & and | on bool",
		Buffers:    []Buffer{content("traces", make([]uint32, n)), content("results", make([]uint32, n))},
		Dispatches: once("main", groups(n, 8), 1, 1),
		Reference: func(buffers [][]byte) {
			traces, results := make([]uint32, n), make([]uint32, n)
			for mask := range uint32(n) {
				bit := func(i int) bool { return mask>>i&1 == 1 }
				visited := []uint32{0} // the bits tested, in order
				if bit(0) {
					visited = append(visited, 1)
				}
				visited = append(visited, 2)
				if !bit(2) {
					visited = append(visited, 3)
				}
				visited = append(visited, 4)
				if !bit(4) {
					visited = append(visited, 0)
				}
				if bit(4) || bit(0) {
					visited = append(visited, 1)
					if bit(1) {
						visited = append(visited, 2)
					}
				}
				visited = append(visited, 3, 4, 1)
				if mask != 0 {
					visited = append(visited, 5)
				}
				for _, v := range visited {
					traces[mask] = traces[mask]<<3 | (v + 1)
				}
				for i, set := range []bool{
					mask&3 == 3,
					mask&12 != 0,
					mask&17 != 0 && mask&6 != 6,
					bit(1) || mask&24 == 24,
					mask != 0 && 64/max(mask, 1)>>5&1 == 1,
				} {
					if set {
						results[mask] |= 1 << i
					}
				}
			}
			store(buffers[0], traces)
			store(buffers[1], results)
		},
	}
}

func languageScopes() Case {
	const n = 30
	return Case{
		Name:       "language_scopes",
		Doc:        "shadowing, private variables, fresh variables in loops",
		Buffers:    []Buffer{content("results", make([]uint32, 8*n))},
		Dispatches: once("main", groups(n, 8), 1, 1),
		Reference: func(buffers [][]byte) {
			var results []uint32
			for i := range uint32(n) {
				// seed: 10, then ·3 + i, ·3 + 5, ·3 + 1.
				first := (30+i)*3 + 5
				last := first*3 + 1
				sum := uint32(3 + 2 + 12 + 4)
				sum += last * (i%4 + 1)
				y := i + 5
				shadows := y + (2*y + 100) + 2*(2*y+1) + 2*y + (0 + 1 + 2) + y
				if i > 2 {
					shadows = 7 + i
				}
				fresh := uint32(0)
				for k := range i % 7 {
					fresh += k << (i%7 - 1 - k)
				}
				results = append(results, 3, first, last, sum, shadows, fresh, 3+i, 5)
			}
			store(buffers[0], results)
		},
	}
}

func languagePointers() Case {
	const n, words = 25, 11 // head, then twice four values and their sum
	return Case{
		Name: "language_pointers",
		Doc:  "pointers to members and elements through several functions",
		Buffers: []Buffer{
			content("cells", make([]uint32, words*n)),
			content("results", make([]uint32, 4*n)),
		},
		Dispatches: once("main", groups(n, 8), 1, 1),
		Reference: func(buffers [][]byte) {
			// All the workgroups' 32 invocations take part, the stored ones are n.
			var cells [32][words]uint32
			var first [32]uint32
			for i := range cells {
				c := &cells[i]
				c[0] = uint32(i)
				fill := func(inner []uint32, start int) {
					for k := range 4 {
						inner[k] = uint32(start + k + 11*k)
						inner[4] += inner[k]
					}
				}
				fill(c[1+i%2*5:][:5], 2*i)
				fill(c[6:], 50)
				c[1], c[9] = uint32(i+7), c[1]
				first[i] = c[1]
			}
			var stored, results []uint32
			for i := range n {
				neighbour := cells[i/8*8+(i+1)%8]
				results = append(results, 8, neighbour[10], neighbour[9], first[i])
				c := cells[i]
				c[1+i%2*5+i%4] += 100
				c[1+i%2*5+4] += 100
				stored = append(stored, c[:]...)
			}
			store(buffers[0], stored)
			store(buffers[1], results)
		},
	}
}

func languageAggregates() Case {
	const n = 20
	return Case{
		Name:       "language_aggregates",
		Doc:        "structs and arrays as values",
		Buffers:    []Buffer{content("results", make([]uint32, 10*n))},
		Dispatches: once("main", groups(n, 8), 1, 1),
		Reference: func(buffers [][]byte) {
			var results []uint32
			sum := func(key, a, b, c uint32) uint32 { return key + 2*a + 4*b + 8*c }
			for i := range uint32(n) {
				v := [3]uint32{2 * i, 3 * i, 5 * i}
				w := v
				w[i%3] = 77
				// Of two pairs in the nest only number i&1 was made.
				pairs := [2]uint32{}
				pairs[i&1] = sum(i, v[0], v[1], v[2])
				extra := [3]uint32{i, 0, 0}
				extra[1+i&1] = i
				number := func() uint32 { return extra[0] + extra[1]*100 + extra[2]*10000 }
				before := number()
				extra[i%3]++
				results = append(results,
					sum(i, v[0], v[1], v[2]), sum(i+1000, v[1], v[2], v[0]), sum(5, v[0], v[1], v[2]),
					sum(i, w[0], w[1], w[2]), pairs[0], pairs[1], before, number(), v[(i+2)%3], 3*(i+1))
			}
			store(buffers[0], results)
		},
	}
}

func languageVectorComponents() Case {
	const n = 21
	quads, triples := randomU32(71, 4*n, 0), randomU32(72, 4*n, 0)
	return Case{
		Name: "language_vector_components",
		Doc:  "stores to single components, swizzles, padding untouched",
		Buffers: []Buffer{
			content("quads", quads), content("triples", triples), content("swizzled", make([]uint32, 4*n)),
		},
		Dispatches: once("main", groups(n, 8), 1, 1),
		Reference: func(buffers [][]byte) {
			quads, triples := slices.Clone(quads), slices.Clone(triples)
			var swizzled []uint32
			for i := range n {
				q, t := quads[4*i:][:4], triples[4*i:][:4]
				switch i / 2 % 4 {
				case 0:
					q[0], t[2] = uint32(3*i), t[2]+7
				case 1:
					q[1], t[1] = q[1]+1000, 5
				case 2:
					q[2], t[0] = q[2]^0xFF, t[0]-1
				case 3:
					q[3], t[i%3] = uint32(i), bits.RotateLeft32(t[i%3]&0x7FFFFFFF, 1)
				}
				x, y, z := uint32(i), uint32(10), uint32(20)
				switch i % 4 {
				case 0:
					x += 5
				case 1:
					y += 5
				case 2:
					z += 5
				}
				w := x + y
				x, y, z = y+1, x+1, z+uint32(i)
				t[2], t[0] = t[2]^1, t[0]^2
				q[3], q[2] = q[2], uint32(i)
				scale := [4]uint32{w, z, y, x}[i%4]
				swizzled = append(swizzled, w+scale, z+scale*x, y+scale*y, y+scale*z)
			}
			store(buffers[0], quads)
			store(buffers[1], triples)
			store(buffers[2], swizzled)
		},
	}
}

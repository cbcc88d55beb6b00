package exectest

// Where values lie in memory (WGSL §14.4): the references have tables of offsets computed by hand
// from the rules.

import "slices"

// member is a matrix, a vector (one column) or a scalar (one row too) in a
// struct; offset and stride count words.
type member struct{ offset, columns, rows, stride int }

func layoutStorage() Case {
	const structs, words = 3, 80
	members := []member{
		{0, 2, 2, 2},  // a: mat2x2f
		{4, 3, 2, 2},  // b: mat3x2f
		{10, 1, 1, 0}, // c: f32
		{12, 4, 3, 4}, // d: mat4x3f, aligned to 16 bytes
		{28, 2, 3, 4}, // e: mat2x3f
		{36, 1, 1, 0}, // f: f32
		{40, 1, 3, 0}, // g: vec3f
		{43, 1, 1, 0}, // h: f32, in the tail of g
		{48, 1, 2, 0}, // i: @align(32) vec2f
		{50, 1, 1, 0}, // j: @size(24) f32
		{56, 3, 3, 4}, // k: mat3x3f
		{68, 2, 4, 4}, // l: mat2x4f; the struct is rounded up to 32 bytes
	}
	given := build(structs*words, func(i int) float32 { return float32(i) * 0.5 })
	before := build(structs*words, func(i int) float32 { return float32(-1 - i) })
	return Case{
		Name: "layout_storage",
		Doc:  "matrices of all widths and vec3 in storage, padding untouched",
		Buffers: []Buffer{
			content("given", given),
			content("plain", make([]float32, 54*structs)),
			content("stored", before),
		},
		Dispatches: once("main", structs, 1, 1),
		Reference: func(buffers [][]byte) {
			var plain []float32
			stored := slices.Clone(before)
			for n := range structs {
				in, out := given[n*words:][:words], stored[n*words:][:words]
				for _, m := range members {
					for i := range m.columns * m.rows {
						plain = append(plain, in[m.offset+i/m.rows*m.stride+i%m.rows])
					}
				}
				for i := range 4 {
					out[i] = 2 * in[i] // a
				}
				copy(out[4+2*n:], in[8:10]) // b[n]
				out[10] = 1                 // c
				for column := range 4 {     // d
					copy(out[12+4*column:][:3], in[12+4*column:])
				}
				out[17] += 100
				copy(out[28+n%2*4:], []float32{1, 2, 3}) // e
				for i := range 3 {
					out[40+i] = in[40+i] + 1 // g
				}
				out[56+4*n+1] = 5 // k
				copy(out[68:76], in[68:76])
			}
			store(buffers[1], plain)
			store(buffers[2], stored)
		},
	}
}

func layoutUniform() Case {
	const n, words = 14, 92
	// Offsets in words: first 0, lights 4 (position, power, colour, kind: 8
	// words), rows 28, turn 44 (columns of 4), shear 56 (columns of 2), table 64,
	// last 88. Integers and floats are told apart by where they are.
	block := make([]uint32, words)
	number := func(at int) float32 { return float32(at%13) - 6 }
	for at := range block {
		integer := at < 4 || at >= 64 || at >= 4 && at < 28 && at%8 == 3
		if integer {
			block[at] = uint32(at * 1000)
		} else {
			block[at] = values[uint32](pack(number(at)))[0]
		}
	}
	last := int32(-12345)
	block[88] = uint32(last)
	offset := []float32{0.5, 1.5, 2.5, 99}
	return Case{
		Name: "layout_uniform",
		Doc:  "structs, arrays and matrices in uniform buffers of three groups",
		Buffers: []Buffer{
			content("block", block), content("offset", offset),
			content("floats", make([]float32, 8*n)), content("integers", make([]int32, 4*n)),
		},
		Dispatches: once("main", groups(n, 4), 1, 1),
		Reference: func(buffers [][]byte) {
			var floats []float32
			var integers []int32
			for i := range n {
				light := 4 + i%3*8
				position := func(k int) float32 { return number(light + k) }
				row := func(k int) float32 { return number(28 + i%4*4 + k) }
				turned, sheared := float32(0), float32(0)
				for k := range 3 {
					turned += number(44+4*k) * position(k)
				}
				for k := range 4 {
					sheared += number(56+2*k+1) * row(k)
				}
				floats = append(floats, position(i%3), position(3), number(4+(2-i%3)*8+5),
					row(i/2%4), number(44+i%3*4+2), turned, sheared, offset[i%3])
				integers = append(integers, int32(i%2*1000), int32((light+7)*1000),
					int32((64+i%3*8+i%2*4+i%4)*1000), last)
			}
			store(buffers[2], floats)
			store(buffers[3], integers)
		},
	}
}

func layoutNested() Case {
	const n, header, branch, leaf = 7, 4, 56, 8 // sizes in words
	const spare = 25                            // of an eighth branch that is not there
	tree := randomU32(80, header+n*branch+spare, 0)
	tree[1] = 5000
	weight := func(i, k int) float32 { return float32(i*6+k) + 0.25 }
	for i := range n {
		for k := range 6 {
			tree[header+i*branch+4+k*leaf] = values[uint32](pack(weight(i, k)))[0]
		}
	}
	return Case{
		Name: "layout_nested",
		Doc:  "a runtime-sized array of structs in a struct, and its length",
		Buffers: []Buffer{
			content("tree", tree), content("picked", make([]uint32, 4*n)),
		},
		Dispatches: once("main", groups(n, 2), 1, 1),
		Reference: func(buffers [][]byte) {
			tree := slices.Clone(tree)
			tree[3] = n
			var picked []uint32
			for i := range n {
				a, b := i%3, i/2%2
				at := header + i*branch
				leafAt := func(a, b int) []uint32 { return tree[at+4+(2*a+b)*leaf:][:leaf] }
				mine := leafAt(a, b)
				tag := [3]uint32{mine[4], mine[5], mine[6]}
				picked = append(picked, tag[0], tag[1], tag[2], uint32(weight(i, 2*a+b)))
				leafAt((a+1)%3, b)[5] = uint32(5000 + i)
				other := leafAt(a, 1-b)
				other[0] = values[uint32](pack(weight(i, 2*a+b) + 0.5))[0]
				other[4], other[5], other[6] = tag[2], tag[1], tag[0]
				tree[at+52+b] ^= tree[at]
			}
			store(buffers[0], tree)
			store(buffers[1], picked)
		},
	}
}

package exectest

// Views of buffers without a type. The references compose and take apart the bytes.

import (
	"encoding/binary"
	"math"
)

func viewMessages() Case {
	const count = 9
	var stream []byte
	word := func(x ...uint32) { stream = append(stream, pack(x...)...) }
	float := func(x ...float32) { stream = append(stream, pack(x...)...) }
	align := func(n int) {
		for len(stream)%n != 0 {
			stream = append(stream, 0xEE)
		}
	}
	word(count, 0, 0, 0)
	headers := len(stream)
	stream = append(stream, make([]byte, 12*count)...)
	want := make([]uint32, 4*count)
	for i := range count {
		kind := uint32(i*5%7) % 4
		align(16)
		stream = append(stream, make([]byte, 16*(i%3))...)
		start := uint32(len(stream))
		length := uint32(0)
		answer := want[4*i:]
		answer[0] = kind
		switch kind {
		case 0:
			n := 3 + i
			sum := float32(0)
			for k := range n {
				x := float32(k*k) / 4
				float(x)
				sum += x
			}
			answer[1], answer[2], answer[3] = math.Float32bits(sum), uint32(n), 7
			length = uint32(4*n) + 3 // of which the last do not make an element
		case 1:
			n := 2 + i
			float(1.5, 2.25, float32(i), 8)
			float(1, 2, 3, 4)
			for k := range n {
				word(uint32(100*i + k))
			}
			answer[1] = math.Float32bits(1.5 + 4.5 + 4*float32(i) + 8)
			answer[2], answer[3] = uint32(n), uint32(100*i+n-1)+3
			length = 32 + uint32(4*n)
		case 2:
			n := 1 + i/2
			for k := range n {
				word(uint32(i+k), uint32(2*k), uint32(k*k), 0xBAD)
				answer[1] += uint32(i + k)
				answer[2] += uint32(2 * k)
				answer[3] += uint32(k * k)
			}
			word(0xBAD, 0xBAD) // half an element
			length = uint32(16*n) + 8
			answer[0]++
			answer[3] += 100
		default:
			for k := range uint32(120) {
				word(k*k + uint32(i))
			}
			length = uint32(i)
			answer[1], answer[2] = uint32((3*i+2)*(3*i+2)+i), uint32(1+i)
		}
		binary.LittleEndian.PutUint32(stream[headers+12*i:], kind)
		binary.LittleEndian.PutUint32(stream[headers+12*i+4:], start)
		binary.LittleEndian.PutUint32(stream[headers+12*i+8:], length)
	}
	align(16)
	for i := range count {
		if want[4*i] == 3 && stream[headers+12*i] == 3 {
			want[4*i+3] = uint32(len(stream)) - binary.LittleEndian.Uint32(stream[headers+12*i+4:])
		}
	}
	return Case{
		Name:       "view_messages",
		Doc:        "views of a storage buffer as scalars, structures and arrays, by functions too",
		Buffers:    []Buffer{content("stream", values[uint32](stream)), content("results", make([]uint32, 4*count))},
		Dispatches: once("main", groups(count, 4), 1, 1),
		Reference:  func(buffers [][]byte) { store(buffers[1], want) },
	}
}

func viewPhases() Case {
	const lanes, count = 12, 3
	settings := make([]float32, 28)
	for k := range settings {
		settings[k] = float32(k) - 5.5
	}
	settings[1] = 0.5
	return Case{
		Name: "view_phases",
		Doc:  "views of workgroup and uniform memory, sizes of buffers behind parameters",
		Buffers: []Buffer{
			content("settings", settings), content("words", make([]uint32, count*5*lanes)), content("lengths", make([]uint32, 7)),
		},
		Dispatches: []Dispatch{{Entry: "main", Grid: [3]uint32{count, 1, 1}, Overrides: []Override{{"lanes", lanes}}}},
		Reference: func(buffers [][]byte) {
			n := 4 * lanes
			var all []uint32
			for group := range count {
				words := make([]uint32, 5*lanes)
				for lane := range lanes {
					for k := range 4 {
						x := settings[16+lane]
						if k < 3 {
							x = settings[4+lane%3*4+k] // a column of three takes four
						}
						words[n-1-4*lane-k] = math.Float32bits(x/2 + float32(group))
					}
					words[n+lane] = uint32(22 + lane)
				}
				all = append(all, words...)
			}
			store(buffers[1], all)
			store(buffers[2], []uint32{80, (80 - 24) / 8, 80, 20 / 4, 112, 16 * lanes, (112 - 32) / 16})
		},
	}
}

func viewHalves() Case {
	const groups, n, size = 3, 16, 12 // halves in a Pair: a 0, b 2, c 4 and 8
	given := halves(apply(randomU32(130, 4+groups*n*size, 256), func(x uint32) float64 { return (float64(x) - 128) / 16 }))
	for i := range groups * n {
		copy(given[4+size*i+2:], values[half](pack(float32(i)*1.25-3)))
	}
	before := randomU32(131, groups*48, 0)
	return Case{
		Name:     "view_halves",
		Doc:      "views with halves, of which neighbours write two in a word",
		NeedsF16: true,
		Buffers: []Buffer{
			content("given", values[uint32](pack(given...))), content("made", before), content("read", make([]float32, groups*4*n)),
		},
		Dispatches: once("main", groups, 1, 1),
		Reference: func(buffers [][]byte) {
			all := values[half](pack(before...))
			var read []float32
			for group := range groups {
				made, scratch := all[96*group:], make([]half, 33)
				given := given[size*n*group:]
				for i := range n {
					p := given[4+size*i:][:size]
					number := func(k int) float32 { return float32(p[k].float64()) }
					read = append(read, number(0), float32(group*n+i)*1.25-3, number(4+i%2*4+1), number(4+(1-i%2)*4+2))
					scratch[1+i] = toHalf(2 * p[0].float64())
					made[1+i] = toHalf(p[0].float64() + 1)
				}
				for i := range n {
					copy(made[32+2*i:][:2], scratch[2+i%8*2:])
				}
				p := given[4+size*5:][:size]
				made[64] = p[0]
				copy(made[66:68], p[2:4])
				copy(made[68:71], p[4:7]) // a vec3h leaves its fourth half alone
				copy(made[72:75], p[8:11])
			}
			store(buffers[1], all)
			store(buffers[2], read)
		},
	}
}

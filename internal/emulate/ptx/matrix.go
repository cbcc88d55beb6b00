package ptx

import (
	"math"
	"strings"
)

// Products and loads of a warp (PTX ISA, "Warp-level Matrix Multiply-Accumulate Instructions"). All
// 32 lanes must be at the same instruction. Sums are exact, and rounded once: the ISA leaves the
// order and the precision to the device. Those of float64 are fused multiply-adds, whose order the
// ISA leaves open, too.

// matrixProduct is a decoded mma.sync. The registers are slots.
type matrixProduct struct {
	shape         *matrixShape
	factor, other productType // of a, and of b, which has as many bytes
	d, a, b, c    []int32
	halves, words bool // sums are f16, or integers
	doubles       bool // all elements are f64
}

// matrixShape says which row and column of its operand an element of a lane is, as the ISA's
// figures do. Its functions have the lane's group, which is its number divided by four, the lane's
// number in the group, and the element's number.
type matrixShape struct {
	rows    int
	depth   int
	a, b, c func(group, lane, i int) (row, column int)
}

const (
	mostRows      = 16
	matrixColumns = 8
)

var matrixShapes = map[string]*matrixShape{
	// "Matrix Fragments for mma.m16n8k16 with floating point type"
	"m16n8k16": {rows: 16, depth: 16,
		a: func(group, lane, i int) (row, column int) {
			row, column = group+8, lane*2+i&1
			if i < 2 || i >= 4 && i < 6 {
				row = group
			}
			if i >= 4 {
				column += 8
			}
			return row, column
		},
		b: func(group, lane, i int) (row, column int) {
			if i < 2 {
				return lane*2 + i&1, group
			}
			return lane*2 + i&1 + 8, group
		},
		c: resultPosition,
	},
	// "Matrix Fragments for mma.m16n8k32"
	"m16n8k32": {rows: 16, depth: 32,
		a: func(group, lane, i int) (row, column int) {
			row, column = group+8, lane*4+i&3
			if i < 4 || i >= 8 && i < 12 {
				row = group
			}
			if i >= 8 {
				column += 16
			}
			return row, column
		},
		b: func(group, lane, i int) (row, column int) {
			if i < 4 {
				return lane*4 + i&3, group
			}
			return lane*4 + i&3 + 16, group
		},
		c: resultPosition,
	},
}

// doubleShapes are those of f64 ("Matrix Fragments for mma.m8n8k4 with .f64 floating point type",
// "… for mma.m16n8k4 with .f64 floating point type", and those of k8 and k16).
var doubleShapes = map[string]*matrixShape{
	"m8n8k4": {rows: 8, depth: 4,
		a: func(group, lane, _ int) (row, column int) { return group, lane },
		b: func(group, lane, _ int) (row, column int) { return lane, group },
		c: func(group, lane, i int) (row, column int) { return group, lane*2 + i },
	},
	"m16n8k4":  {rows: 16, depth: 4, a: doubleLeft, b: doubleRight, c: resultPosition},
	"m16n8k8":  {rows: 16, depth: 8, a: doubleLeft, b: doubleRight, c: resultPosition},
	"m16n8k16": {rows: 16, depth: 16, a: doubleLeft, b: doubleRight, c: resultPosition},
}

// doubleLeft: elements alternate between two rows, and go on to the next four columns.
func doubleLeft(group, lane, i int) (row, column int) { return group + i%2*8, lane + i/2*4 }

func doubleRight(group, lane, i int) (row, column int) { return lane + i*4, group }

func resultPosition(group, lane, i int) (row, column int) {
	if i < 2 {
		return group, lane*2 + i&1
	}
	return group + 8, lane*2 + i&1
}

// registerList parses registers of 32 bits in braces.
func (p *parser) registerList(count int, results bool) []int32 {
	return p.kindList(kinds["b32"], count, results)
}

// kindList parses registers of a kind in braces.
func (p *parser) kindList(k kind, count int, results bool) (list []int32) {
	if results && count > 1 {
		return p.scalars(k, count, true)
	}
	p.expect('{')
	for n := range count {
		if n > 0 {
			p.expect(',')
		}
		list = append(list, p.source(k, true))
	}
	p.expect('}')
	return list
}

// readMatrixProduct parses {d}, {a}, {b}, {c}.
func readMatrixProduct(p *parser, x *instruction, f *form) {
	parts := strings.Split(f.name, ".") // mma, sync, aligned, shape, row, col, and four types
	m := &matrixProduct{shape: matrixShapes[parts[3]], factor: productTypes[parts[7]], other: productTypes[parts[8]], halves: parts[6] == "f16", words: parts[6] == "s32"}
	if m.doubles = parts[6] == "f64"; m.doubles {
		readDoubleProduct(p, m, doubleShapes[parts[3]])
		x.matrix = m
		return
	}
	each := 4 / m.factor.bytes
	sums := m.shape.rows * matrixColumns / warpSize
	if m.halves {
		sums /= 2
	}
	m.d = p.registerList(sums, true)
	p.expect(',')
	m.a = p.registerList(m.shape.rows*m.shape.depth/warpSize/each, false)
	p.expect(',')
	m.b = p.registerList(matrixColumns*m.shape.depth/warpSize/each, false)
	p.expect(',')
	m.c = p.registerList(sums, false)
	x.matrix = m
}

// readDoubleProduct parses {d}, {a}, {b}, {c} of float64.
func readDoubleProduct(p *parser, m *matrixProduct, s *matrixShape) {
	m.shape = s
	sums := s.rows * matrixColumns / warpSize
	m.d = p.kindList(kinds["f64"], sums, true)
	p.expect(',')
	m.a = p.kindList(kinds["f64"], s.rows*s.depth/warpSize, false)
	p.expect(',')
	m.b = p.kindList(kinds["f64"], matrixColumns*s.depth/warpSize, false)
	p.expect(',')
	m.c = p.kindList(kinds["f64"], sums, false)
}

// elements returns element i of a lane whose registers hold elements of some bytes.
func element(t *thread, registers []int32, bytes, i int) uint64 {
	each := 4 / bytes
	return t.frame.values[registers[i/each]] >> (8 * bytes * (i % each)) & (1<<(8*bytes) - 1)
}

// multiplyMatrices executes mma.sync.
func multiplyMatrices(threads []thread, x *instruction) {
	m := x.matrix
	depth := m.shape.depth
	value := func(t *thread, f productType, registers []int32, i int) float64 {
		if m.doubles {
			return doubleValue(t.frame.values[registers[i]])
		}
		return f.value(element(t, registers, f.bytes, i))
	}
	left, right := make([]float64, m.shape.rows*depth), make([]float64, depth*matrixColumns)
	for n := range threads {
		t := &threads[n]
		t.group.running = t
		t.need(m.a...)
		t.need(m.b...)
		t.need(m.c...)
		group, lane := t.lane>>2, t.lane%4
		for i := range len(left) / warpSize {
			row, column := m.shape.a(group, lane, i)
			left[row*depth+column] = value(t, m.factor, m.a, i)
		}
		for i := range len(right) / warpSize {
			row, column := m.shape.b(group, lane, i)
			right[row*matrixColumns+column] = value(t, m.other, m.b, i)
		}
	}
	bytes := 4
	if m.halves {
		bytes = 2
	}
	for n := range threads {
		t := &threads[n]
		var results [mostRows * matrixColumns / warpSize]uint64
		for i := range m.shape.rows * matrixColumns / warpSize {
			row, column := m.shape.c(t.lane>>2, t.lane%4, i)
			if m.doubles {
				sum := doubleValue(t.frame.values[m.c[i]])
				for k := range depth {
					sum = math.FMA(left[row*depth+k], right[k*matrixColumns+column], sum)
				}
				results[i] = doubleBits(sum)
				continue
			}
			sum := 0.0
			for k := range depth {
				sum += left[row*depth+k] * right[k*matrixColumns+column]
			}
			switch old := element(t, m.c, bytes, i); {
			case m.words:
				results[i] = uint64(uint32(int64(sum) + int64(int32(old))))
			case m.halves:
				results[i] = halfBits(sum + halfValue(old))
			default:
				results[i] = singleBits(sum + singleValue(old))
			}
		}
		for k, slot := range m.d {
			t.frame.values[slot], t.frame.states[slot] = results[k], defined
			if m.halves {
				t.frame.values[slot] = results[2*k] | results[2*k+1]<<16
			}
		}
	}
}

// readLoadMatrix parses four registers and an address.
func readLoadMatrix(p *parser, x *instruction, _ *form) {
	x.more = p.registerList(4, true)
	p.expect(',')
	x.access = access{space: shared, width: 8, count: 2} // of a lane: a row
	p.address(x)
}

// loadMatrix executes ldmatrix.x4. Lanes 0 to 7 have the addresses of the rows of the first matrix,
// lanes 8 to 15 those of the second, and so on. Of a row, four lanes get two elements of 16 bits
// each, and if transposed of a column.
func loadMatrix(threads []thread, x *instruction) {
	const side = 8
	transposed := strings.Contains(x.form.name, ".trans")
	var elements, states [4][side][side]uint64
	for n := range threads {
		t := &threads[n]
		t.group.running = t
		r, at := t.locate(x)
		t.checkRace(r, at, x, false)
		for k := range side {
			place := at + uint64(2*k)
			elements[n/side][n%side][k] = r.bits(place, 2)
			states[n/side][n%side][k] = uint64(r.state(place, 2))
		}
	}
	for n := range threads {
		f := threads[n].frame
		for matrix, slot := range x.more {
			f.values[slot], f.states[slot] = 0, defined
			for half := range 2 {
				row, column := n/4, n%4*2+half
				if transposed {
					row, column = column, row
				}
				f.values[slot] |= elements[matrix][row][column] << (16 * half)
				f.states[slot] &= byte(states[matrix][row][column])
			}
		}
	}
}

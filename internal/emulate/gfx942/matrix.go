package gfx942

import "math"

// Products of matrices by a wave ("Matrix Arithmetic Instructions" of the manual): D = A·B + C,
// where D and C have 16 rows and columns. All lanes take part, active or not. The table of operand
// layouts is in the manual's section "Dense Matrix Multiplication: Data Layouts".

// rowsOfMatrix is how many rows and columns a result has; groupsOfLanes of as many lanes hold it.
const (
	rowsOfMatrix  = 16
	groupsOfLanes = lanes / rowsOfMatrix
)

// matrices are the operands of a product.
type matrices struct {
	w *wave
	i *instruction
	// each is how many elements of A and of B a lane has, of some bits. It has those of a row of A,
	// or a column of B, at each·group and on.
	each int
	bits uint
}

// element returns the bits of an element of A (operand 0) or of B (operand 1), by its row or column
// and its number k in the sum.
func (m *matrices) element(operand, at, k int) uint64 {
	lane := at + rowsOfMatrix*(k/m.each)
	x := m.w.read(m.i, m.i.s[operand], m.i.row.s[operand], lane)
	return x >> (m.bits * uint(k%m.each)) & (1<<m.bits - 1)
}

// multiply returns how a product of some depth is executed. sum computes one element of D, of words
// of 32 bits, from one of C, which home locates by lane and word.
func multiply(depth int, bits uint, words int, home func(row, column int) (lane, word int), sum func(m *matrices, row, column int, c uint64) uint64) func(x *execution, i *instruction) {
	return func(x *execution, i *instruction) {
		w := x.wave
		if i.blocks != 0 {
			fail("blocks of operands that %s broadcasts, rotates or negates", i.name())
		}
		w.requireAll(i)
		m := matrices{w: w, i: i, each: depth / groupsOfLanes, bits: bits}
		var results [rowsOfMatrix][rowsOfMatrix]uint64
		for row := range rowsOfMatrix {
			for column := range rowsOfMatrix {
				lane, word := home(row, column)
				results[row][column] = sum(&m, row, column, w.summand(i, lane, word, words))
			}
		}
		for row := range rowsOfMatrix {
			for column := range rowsOfMatrix {
				lane, word := home(row, column)
				for n := range words {
					w.setVectorWord(i.d+operand(word+n), lane, uint32(results[row][column]>>(32*n)))
				}
			}
		}
	}
}

// requireAll fails if a source has a lane that is not defined. Inactive lanes are read, too.
func (w *wave) requireAll(i *instruction) {
	for n, k := range i.row.s {
		if x := w.definedOperand(i.s[n], k); x.low&x.high != ^uint64(0) {
			fail("lanes %#x of %s are part of a product, which nothing has written", ^(x.low & x.high), i.s[n])
		}
	}
}

// summand returns an element of C: that of a lane, or the constant.
func (w *wave) summand(i *instruction, lane, word, words int) uint64 {
	c, k := i.s[2], f32
	if words == 2 {
		k = f64
	}
	if c >= vectors {
		c += operand(word)
	}
	return w.read(i, c, k, lane)
}

// homeOfWord is where an element of D of 32 bits is: a lane has four rows in order.
func homeOfWord(row, column int) (lane, word int) {
	return column + rowsOfMatrix*(row/groupsOfLanes), row % groupsOfLanes
}

// homeOfPair is where an element of D of 64 bits is: a lane has every fourth row.
func homeOfPair(row, column int) (lane, word int) {
	return column + rowsOfMatrix*(row%groupsOfLanes), 2 * (row / groupsOfLanes)
}

// sumOf returns the sum of products of small floats. Their exact products are added in float64 in
// order, and the result is rounded once. The manual does not define the order and the rounding of
// the device.
func sumOf(depth int, value func(bits uint64) float64) func(m *matrices, row, column int, c uint64) uint64 {
	return func(m *matrices, row, column int, c uint64) uint64 {
		sum := float64(single(c))
		for k := range depth {
			sum += value(m.element(0, row, k)) * value(m.element(1, column, k))
		}
		return singleBits(float32(sum))
	}
}

// shortValue returns the value of a bf16: the upper half of an f32.
func shortValue(bits uint64) float64 { return float64(single(bits << 16)) }

func matrixProducts() []row {
	const (
		depthOfHalves = 16
		depthOfBytes  = 32
		depthOfWords  = 4
	)
	halves := func(code int, name string, value func(uint64) float64) row {
		return row{code: code, name: name, d: b128, s: [3]kind{b64, b64, b128}, isProduct: true, run: multiply(depthOfHalves, 16, 1, homeOfWord, sumOf(depthOfHalves, value))}
	}
	return []row{
		// a chain of fused operations, each rounded to the nearest, ties to even
		{code: 69, name: "v_mfma_f32_16x16x4_f32", d: b128, s: [3]kind{b32, b32, b128}, isProduct: true,
			run: multiply(depthOfWords, 32, 1, homeOfWord, func(m *matrices, row, column int, c uint64) uint64 {
				sum := single(c)
				for k := range depthOfWords {
					sum = fused(single(m.element(0, row, k)), single(m.element(1, column, k)), sum)
				}
				return singleBits(sum)
			})},
		halves(77, "v_mfma_f32_16x16x16_f16", halfValue),
		{code: 87, name: "v_mfma_i32_16x16x32_i8", d: b128, s: [3]kind{b64, b64, b128}, isProduct: true,
			run: multiply(depthOfBytes, 8, 1, homeOfWord, func(m *matrices, row, column int, c uint64) uint64 {
				sum := int32(c)
				for k := range depthOfBytes {
					sum += int32(int8(m.element(0, row, k))) * int32(int8(m.element(1, column, k)))
				}
				return uint64(uint32(sum))
			})},
		halves(97, "v_mfma_f32_16x16x16_bf16", shortValue),
		{code: 110, name: "v_mfma_f64_16x16x4_f64", d: b256, s: [3]kind{b64, b64, b256}, isProduct: true,
			run: multiply(depthOfWords, 64, 2, homeOfPair, func(m *matrices, row, column int, c uint64) uint64 {
				d := math.Float64frombits
				sum := d(c)
				for k := range depthOfWords {
					sum = math.FMA(d(m.element(0, row, k)), d(m.element(1, column, k)), sum)
				}
				return math.Float64bits(sum)
			})},
	}
}

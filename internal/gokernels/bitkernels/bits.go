// Package bitkernels has kernels that call every function of math/bits, and one that widens
// integers.
package bitkernels

import (
	"math"
	"math/bits"

	"github.com/gpuc/gpuc/runtime/gpu"
)

// The kernels read four words for each item: two operands, a divisor that is greater than the
// first, and a rotation, whose lowest bit is also the carry.

//gpuc:kernel workgroup=64
func Bits64(it gpu.Item, x [][4]uint64, y [][17]uint64) {
	i := it.Index()
	if i >= len(x) {
		return
	}
	a, b, d, n := x[i][0], x[i][1], x[i][2], int(int32(x[i][3]))
	carry := x[i][3] & 1
	r := &y[i]
	r[0] = uint64(bits.OnesCount64(a))
	r[1] = uint64(bits.Len64(a))
	r[2] = uint64(bits.LeadingZeros64(a))
	r[3] = uint64(bits.TrailingZeros64(a))
	r[4] = bits.Reverse64(a)
	r[5] = bits.ReverseBytes64(a)
	r[6] = bits.RotateLeft64(a, n)
	r[7], r[8] = bits.Add64(a, b, carry)
	r[9], r[10] = bits.Sub64(a, b, carry)
	r[11], r[12] = bits.Mul64(a, b)
	r[13], r[14] = bits.Div64(a, b, d)
	r[15] = bits.Rem64(b, a, d)
	// a carry that is a constant, and a sum of products
	high, low := bits.Mul64(a, d)
	low, carry = bits.Add64(low, b, 0)
	r[16] = low ^ (high + carry)
}

//gpuc:kernel workgroup=64
func Bits32(it gpu.Item, x [][4]uint32, y [][16]uint32) {
	i := it.Index()
	if i >= len(x) {
		return
	}
	a, b, d, n := x[i][0], x[i][1], x[i][2], int(int32(x[i][3]))
	carry := x[i][3] & 1
	r := &y[i]
	r[0] = uint32(bits.OnesCount32(a))
	r[1] = uint32(bits.Len32(a))
	r[2] = uint32(bits.LeadingZeros32(a))
	r[3] = uint32(bits.TrailingZeros32(a))
	r[4] = bits.Reverse32(a)
	r[5] = bits.ReverseBytes32(a)
	r[6] = bits.RotateLeft32(a, n)
	r[7], r[8] = bits.Add32(a, b, carry)
	r[9], r[10] = bits.Sub32(a, b, carry)
	r[11], r[12] = bits.Mul32(a, b)
	r[13], r[14] = bits.Div32(a, b, d)
	r[15] = bits.Rem32(b, a, d)
}

// Bits has the functions on uint where 32 bits hold the results of Go. The operands are below 2³¹.
//
//gpuc:kernel workgroup=64
func Bits(it gpu.Item, x [][4]uint32, y [][12]uint32) {
	i := it.Index()
	if i >= len(x) {
		return
	}
	a, b, d := uint(x[i][0]>>1), uint(x[i][1]>>1), uint(x[i][2]|1)
	r := &y[i]
	r[0] = uint32(bits.OnesCount(a))
	r[1] = uint32(bits.Len(a))
	r[2] = uint32(bits.LeadingZeros(a))
	r[3] = uint32(bits.TrailingZeros(a))
	sum, carry := bits.Add(a, b, 1)
	r[4], r[5] = uint32(sum), uint32(carry)
	rest, borrow := bits.Sub(max(a, b), min(a, b), 0)
	r[6], r[7] = uint32(rest), uint32(borrow)
	_, low := bits.Mul(a&0x7fff, b&0x7fff)
	r[8] = uint32(low)
	quotient, rest := bits.Div(0, a, d)
	r[9], r[10] = uint32(quotient), uint32(rest)
	r[11] = uint32(bits.Rem(0, b, d)) + uint32(bits.RotateLeft(a&1, int(b&15)))
}

//gpuc:kernel workgroup=64
func Bits16(it gpu.Item, x []uint16, y [][8]uint16) {
	i := it.Index()
	if i >= len(x) {
		return
	}
	a := x[i]
	r := &y[i]
	r[0] = uint16(bits.OnesCount16(a))
	r[1] = uint16(bits.Len16(a))
	r[2] = uint16(bits.LeadingZeros16(a))
	r[3] = uint16(bits.TrailingZeros16(a))
	r[4] = bits.Reverse16(a)
	r[5] = bits.ReverseBytes16(a)
	r[6] = bits.RotateLeft16(a, i%67-33)
	r[7] = bits.RotateLeft16(a, 5)
}

//gpuc:kernel workgroup=64
func Bits8(it gpu.Item, x []uint8, y [][6]uint8) {
	i := it.Index()
	if i >= len(x) {
		return
	}
	a := x[i]
	r := &y[i]
	r[0] = uint8(bits.OnesCount8(a))
	r[1] = uint8(bits.Len8(a))
	r[2] = uint8(bits.LeadingZeros8(a))
	r[3] = uint8(bits.TrailingZeros8(a))
	r[4] = bits.Reverse8(a)
	r[5] = bits.RotateLeft8(a, i%67-33)
}

// Numbers is the input of Widened for an item, without padding.
type Numbers struct {
	Long, Far int64
	Word      int32
	Natural   uint32
	Short     int16
	Half      uint16
	Char      int8
	Byte      uint8
	_         uint16
}

// Widened computes with integers of 8, 16 and 32 bits that are widened first. It has sums and
// differences of shifts that look like rotations, and comparisons of widened integers.
//
//gpuc:kernel workgroup=64
func Widened(it gpu.Item, x []Numbers, y [][25]uint64) {
	i := it.Index()
	if i >= len(x) {
		return
	}
	a := &x[i]
	r := &y[i]
	r[0] = uint64(math.Float32bits(float32(uint32(a.Char))))
	r[1] = uint64(math.Float32bits(float32(uint32(a.Short))))
	r[2] = uint64(math.Float32bits(float32(uint32(int16(a.Word)))))
	r[3] = uint64(math.Float32bits(float32(uint64(a.Char))))
	r[4] = uint64(uint32(a.Char) / (a.Natural | 1))
	r[5] = uint64(uint32(int16(-a.Word)) % (a.Natural | 1))
	r[6] = uint64(a.Natural / (uint32(a.Short) | 1))
	r[7] = uint64(bits.OnesCount8(a.Byte))
	r[8] = uint64(bits.OnesCount16(a.Half))
	r[9] = uint64(bits.OnesCount32(uint32(a.Char) & 0xff))
	r[10] = uint64(bits.OnesCount64(uint64(a.Half)))
	r[11] = uint64(a.Long % (a.Far | 1))
	r[12] = uint64(int64(a.Word) << 31)
	r[13] = uint64(int64(a.Short) << 31)
	r[14] = uint64(^int64(a.Word) << 31)
	r[15] = uint64((5 - int64(a.Short)) << 31)
	r[16] = uint64(int64(a.Char) << 32 >> 1)
	r[17] = uint64(-int64(a.Word) * (1 << 31))
	long, u := a.Long, uint64(a.Long)
	r[18] = uint64(3*long + long>>63)
	r[19] = uint64(long<<2 + long>>62)
	r[20] = u<<3 - u>>61
	r[21] = u>>24 - u<<40
	r[22] = (u<<17 + uint64(a.Far)) - (u>>47 + uint64(a.Far))
	r[23] = u<<31 | u>>33
	n, last := uint64(0), int64(0)
	if max(int64(a.Word), -3) <= -3 {
		n |= 1
	}
	if -int64(a.Char) < 3 {
		n |= 2
	}
	if min(int64(a.Short), 100) > 2 {
		n |= 4
	}
	for k := range 3 {
		if last < 5 {
			n += 16
		}
		last = int64(x[(i+k)%len(x)].Short)
	}
	if last >= 3 {
		n |= 8
	}
	r[24] = n
}

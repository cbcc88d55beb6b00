package bitkernels

import (
	"math"

	"github.com/gpuc/gpuc/runtime/gpu"
)

// pattern16 returns the pattern of a number, and one pattern for all NaN.
func pattern16(x gpu.Float16) uint16 {
	if !x.Equal(x) {
		return 0x7E00
	}
	return x.Bits()
}

// Floats16 computes with Float16 of any pattern.
//
//gpuc:kernel workgroup=64
func Floats16(it gpu.Item, x [][3]uint16, y [][12]uint16) {
	i := it.Index()
	if i >= len(x) {
		return
	}
	a, b, c := gpu.Float16FromBits(x[i][0]), gpu.Float16FromBits(x[i][1]), gpu.Float16FromBits(x[i][2])
	r := &y[i]
	r[0] = pattern16(a.Add(b))
	r[1] = pattern16(a.Sub(b))
	r[2] = pattern16(a.Mul(b))
	r[3] = pattern16(a.FMA(b, c))
	r[4] = pattern16(a.Neg())
	r[5] = pattern16(a.Abs())
	if a.Equal(a) && b.Equal(b) && !a.Equal(b) {
		r[6], r[7] = a.Min(b).Bits(), a.Max(b).Bits()
	}
	if a.Less(b) {
		r[8] |= 1
	}
	if a.LessEqual(b) {
		r[8] |= 2
	}
	if a.Equal(b) {
		r[8] |= 4
	}
	r[9] = pattern16(gpu.ToFloat16(a.Float32() * 0.375))
	pair := [2]gpu.Float16{a, b} // as a variable that is indexed
	pair[i&1] = c
	r[10], r[11] = pattern16(pair[0]), pattern16(pair[1])
}

// patternB16 returns the pattern of a number, and one pattern for all NaN.
func patternB16(x gpu.BFloat16) uint16 {
	if !x.Equal(x) {
		return 0x7FC0
	}
	return x.Bits()
}

// FloatsB16 computes with BFloat16 whose results are normal numbers, and converts any float32 that
// is none of the smallest.
//
//gpuc:kernel workgroup=64
func FloatsB16(it gpu.Item, x []uint32, y [][8]uint16) {
	i := it.Index()
	if i >= len(x) {
		return
	}
	a := gpu.BFloat16FromBits(uint16(x[i]&0x9FFF | 0x2000))
	b := gpu.BFloat16FromBits(uint16(x[i]>>16&0x9FFF | 0x2000))
	r := &y[i]
	r[0] = a.Add(b).Bits()
	r[1] = a.Sub(b).Bits()
	r[2] = a.Mul(b).Bits()
	r[3] = a.Neg().Bits()
	r[4] = a.Abs().Bits()
	if a.Less(b) {
		r[5] |= 1
	}
	if a.LessEqual(b) {
		r[5] |= 2
	}
	if a.Equal(b) {
		r[5] |= 4
	}
	r[6] = patternB16(gpu.ToBFloat16(math.Float32frombits(x[i] | 0x00800000)))
}

// Floats8 converts any pattern of 8-bit floats to float32, and float32 to 8-bit floats.
//
//gpuc:kernel workgroup=64
func Floats8(it gpu.Item, x []uint32, y [][4]uint32) {
	i := it.Index()
	if i >= len(x) {
		return
	}
	r := &y[i]
	f := math.Float32frombits(x[i] | 0x00800000)
	r[0] = uint32(gpu.ToFloat8E4M3(f).Bits())
	r[1] = uint32(gpu.ToFloat8E5M2(f).Bits())
	if p := uint8(x[i]); p&0x7F != 0x7F {
		r[2] = math.Float32bits(gpu.Float8E4M3FromBits(p).Float32())
	}
	if p := uint8(x[i] >> 8); p&0x7F < 0x7D {
		r[3] = math.Float32bits(gpu.Float8E5M2FromBits(p).Float32())
	}
}

// Vectors16 computes with vectors of Float16, and with words of eight integers.
//
//gpuc:kernel workgroup=64
func Vectors16(it gpu.Item, x [][3]uint16, y [][16]uint16) {
	i := it.Index()
	if i >= len(x) {
		return
	}
	a, b, c := half(x[i][0]), half(x[i][1]), half(x[i][2])
	v, w := gpu.Vec4h{X: a, Y: b, Z: c, W: a}, gpu.Vec4h{X: b, Y: c, Z: a, W: c}
	r := &y[i]
	sum, product := v.Add(w).Sub(w.Scale(c)), v.Mul(w).FMA(v, w)
	r[0], r[1], r[2], r[3] = sum.X.Bits(), sum.Y.Bits(), sum.Z.Bits(), sum.W.Bits()
	r[4], r[5], r[6], r[7] = product.X.Bits(), product.Y.Bits(), product.Z.Bits(), product.W.Bits()
	pair := gpu.Vec2h{X: a, Y: b}.Max(gpu.Vec2h{X: b, Y: c})
	r[8], r[9] = pair.X.Bits(), pair.Y.Bits()
	three := gpu.ToVec3h(gpu.Vec3h{X: a, Y: b, Z: c}.Float32().Scale(0.5)).Min(gpu.Vec3h{X: b, Y: c, Z: a})
	r[10], r[11], r[12] = three.X.Bits(), three.Y.Bits(), three.Z.Bits()
	r[13] = v.Dot(w).Bits()
	word := uint32(x[i][0]) | uint32(x[i][1])<<16
	n := int(x[i][2] & 7)
	signed, unsigned := gpu.Int4x8(word), gpu.Uint4x8(word)
	r[14] = uint16(signed.Get(n)) ^ uint16(unsigned.Get(7-n)<<8)
	r[15] = uint16(uint32(signed.With(n, -3))>>8) ^ uint16(unsigned.With(n, 77))
}

// half returns a normal number from 2^-7 to 2^9 with bits of a pattern, so that sums and products
// are finite and normal or 0.
func half(pattern uint16) gpu.Float16 { return gpu.Float16FromBits(pattern&0xBFFF&^0x2000 | 0x2000) }

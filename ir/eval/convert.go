package eval

import "github.com/gpuc/gpuc/ir/scalar"

// Value conversions (WGSL §15.7.6 and the value constructors of §17.1.2).
//
// A float becomes the nearest value to its truncation that both the integer kind and the float's
// own kind can represent. So an f32 above the range of i32 gives 2147483520 and not 2147483647. The
// infinities of f16 become ±65504 where the kind has them. NaN becomes 0.
//
// Floats do not become narrow integers in one step, nor the other way: devices have registers
// of 32 bits at least, and integers wrap from there.

// Convert returns the total conversion of a stored value between kinds. It is
// nil if either is no kind of value, or there is none.
func Convert(to, from scalar.Kind) func(uint64) uint64 { return conversions[to][from] }

// integerConversions lists, per source, what makes each destination; 64-bit
// integers of either sign are read from the same bits.
var integerConversions = [...]struct {
	from                            scalar.Kind
	to32, to64, toF32, toF16, toF64 func(uint64) uint64
}{
	{scalar.I8, func(a uint64) uint64 { return uint64(uint32(int8(a))) }, func(a uint64) uint64 { return uint64(int8(a)) }, nil, nil, nil},
	{scalar.U8, keep, keep, nil, nil, nil},
	{scalar.I16, func(a uint64) uint64 { return uint64(uint32(int16(a))) }, func(a uint64) uint64 { return uint64(int16(a)) }, nil, nil, nil},
	{scalar.U16, keep, keep, nil, nil, nil},
	{scalar.Bool, keep, keep, toSingle[uint32], toHalf[uint32], toDouble[uint32]},
	{scalar.I32, keep, extendSign, toSingle[int32], toHalf[int32], toDouble[int32]},
	{scalar.U32, keep, keep, toSingle[uint32], toHalf[uint32], toDouble[uint32]},
	{scalar.I64, truncate, keep, toSingle[int64], toHalf[int64], toDouble[int64]},
	{scalar.U64, truncate, keep, toSingle[uint64], toHalf[uint64], toDouble[uint64]},
	{scalar.AbstractInt, truncate, keep, toSingle[int64], toHalf[int64], toDouble[int64]},
}

// floatConversions lists each pair of float kinds.
var floatConversions = [...]struct {
	to, from scalar.Kind
	f        func(uint64) uint64
}{
	{scalar.F32, scalar.F32, keep},
	{scalar.F32, scalar.F16, func(a uint64) uint64 { return single(float32(fromHalf(a))) }},
	{scalar.F32, scalar.AbstractFloat, func(a uint64) uint64 { return single(float32(fromDouble(a))) }},
	{scalar.F16, scalar.F32, func(a uint64) uint64 { return half(float64(fromSingle(a))) }},
	{scalar.F16, scalar.F16, keep},
	{scalar.F16, scalar.AbstractFloat, func(a uint64) uint64 { return half(fromDouble(a)) }},
	{scalar.AbstractFloat, scalar.F32, func(a uint64) uint64 { return double(float64(fromSingle(a))) }},
	{scalar.AbstractFloat, scalar.F16, func(a uint64) uint64 { return double(fromHalf(a)) }},
	{scalar.AbstractFloat, scalar.AbstractFloat, keep},
	{scalar.F32, scalar.F64, func(a uint64) uint64 { return single(float32(fromDouble(a))) }},
	{scalar.F16, scalar.F64, func(a uint64) uint64 { return half(fromDouble(a)) }},
	{scalar.F64, scalar.F32, func(a uint64) uint64 { return double(float64(fromSingle(a))) }},
	{scalar.F64, scalar.F16, func(a uint64) uint64 { return double(fromHalf(a)) }},
	{scalar.F64, scalar.F64, keep},
	{scalar.F64, scalar.AbstractFloat, keep},
	{scalar.AbstractFloat, scalar.F64, keep},
}

// maximumHalf is the largest finite f16.
const maximumHalf = 65504

// truncations lists the integer destinations with their lowest value and the
// highest one that f32 and float64 represent.
var truncations = [...]struct {
	to                     scalar.Kind
	lowest, single, double float64
	from32, from16, from64 func(lowest, highest float64) func(uint64) uint64
}{
	{scalar.I32, -0x1p31, 0x1.fffffep30, 0x7fffffff, truncate32[int32, uint32], truncate16[int32, uint32], truncate64[int32, uint32]},
	{scalar.U32, 0, 0x1.fffffep31, 0xffffffff, truncate32[uint32, uint32], truncate16[uint32, uint32], truncate64[uint32, uint32]},
	{scalar.I64, -0x1p63, 0x1.fffffep62, 0x1.fffffffffffffp62, truncate32[int64, uint64], truncate16[int64, uint64], truncate64[int64, uint64]},
	{scalar.U64, 0, 0x1.fffffep63, 0x1.fffffffffffffp63, truncate32[uint64, uint64], truncate16[uint64, uint64], truncate64[uint64, uint64]},
	{scalar.AbstractInt, -0x1p63, 0x1.fffffep62, 0x1.fffffffffffffp62, truncate32[int64, uint64], truncate16[int64, uint64], truncate64[int64, uint64]},
}

var conversions = makeConversions()

func makeConversions() (all [scalar.Count][scalar.Count]func(uint64) uint64) {
	for _, r := range integerConversions {
		all[scalar.Bool][r.from] = isNonzero
		all[scalar.I32][r.from], all[scalar.U32][r.from] = r.to32, r.to32
		all[scalar.I64][r.from], all[scalar.U64][r.from], all[scalar.AbstractInt][r.from] = r.to64, r.to64, r.to64
		all[scalar.I8][r.from], all[scalar.U8][r.from] = keepByte, keepByte
		all[scalar.I16][r.from], all[scalar.U16][r.from] = keepHalfword, keepHalfword
		all[scalar.F32][r.from], all[scalar.F16][r.from] = r.toF32, r.toF16
		all[scalar.F64][r.from], all[scalar.AbstractFloat][r.from] = r.toF64, r.toF64
	}
	all[scalar.I16][scalar.I8], all[scalar.U16][scalar.I8] = extendByte, extendByte
	for _, r := range floatConversions {
		all[r.to][r.from] = r.f
	}
	for _, r := range truncations {
		all[r.to][scalar.F32] = r.from32(r.lowest, r.single)
		all[r.to][scalar.F16] = r.from16(max(r.lowest, -maximumHalf), maximumHalf)
		all[r.to][scalar.F64] = r.from64(r.lowest, r.double)
		all[r.to][scalar.AbstractFloat] = all[r.to][scalar.F64]
	}
	all[scalar.Bool][scalar.F32] = func(a uint64) uint64 { return truth(fromSingle(a) != 0) }
	all[scalar.Bool][scalar.F16] = func(a uint64) uint64 { return truth(fromHalf(a) != 0) }
	all[scalar.Bool][scalar.F64] = func(a uint64) uint64 { return truth(fromDouble(a) != 0) }
	all[scalar.Bool][scalar.AbstractFloat] = all[scalar.Bool][scalar.F64]
	return all
}

func keep(a uint64) uint64         { return a }
func truncate(a uint64) uint64     { return uint64(uint32(a)) }
func keepByte(a uint64) uint64     { return uint64(uint8(a)) }
func keepHalfword(a uint64) uint64 { return uint64(uint16(a)) }
func extendByte(a uint64) uint64   { return uint64(uint16(int8(a))) }
func extendSign(a uint64) uint64   { return uint64(int64(int32(a))) }
func isNonzero(a uint64) uint64    { return truth(a != 0) }

// toSingle and its like round once: Go converts integers to nearest even. An
// integer that float64 does not hold is far beyond f16, so toHalf is right too.
func toSingle[S integer](a uint64) uint64 { return single(float32(S(a))) }
func toHalf[S integer](a uint64) uint64   { return half(float64(S(a))) }
func toDouble[S integer](a uint64) uint64 { return double(float64(S(a))) }

// saturate brings x into the range in which Go's conversion to S truncates.
func saturate[S integer, U word](x, lowest, highest float64) uint64 {
	if x > highest {
		x = highest
	} else if !(x >= lowest) {
		if x != x {
			return 0
		}
		x = lowest
	}
	return uint64(U(S(x)))
}

func truncate32[S integer, U word](lowest, highest float64) func(uint64) uint64 {
	return func(a uint64) uint64 { return saturate[S, U](float64(fromSingle(a)), lowest, highest) }
}

func truncate16[S integer, U word](lowest, highest float64) func(uint64) uint64 {
	return func(a uint64) uint64 { return saturate[S, U](fromHalf(a), lowest, highest) }
}

func truncate64[S integer, U word](lowest, highest float64) func(uint64) uint64 {
	return func(a uint64) uint64 { return saturate[S, U](fromDouble(a), lowest, highest) }
}

package eval

import (
	"math"
	"sync/atomic"

	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// The rows from which the dense table is made. A row is an operation and its
// meaning on a family of kinds; an operation on a new kind is a new entry here.

// integerRows have one function for each signedness and width. Operations that
// ignore the sign name the unsigned function twice.
var integerRows = [...]struct {
	o                  op.Op
	i32, u32, i64, u64 Function
}{
	{op.Neg, negate[uint32], nil, negate[uint64], nil},
	{op.Add, add[uint32], add[uint32], add[uint64], add[uint64]},
	{op.Sub, subtract[uint32], subtract[uint32], subtract[uint64], subtract[uint64]},
	{op.Mul, multiply[uint32], multiply[uint32], multiply[uint64], multiply[uint64]},
	{op.MulHigh, nil, multiplyHigh[uint32], nil, multiplyHigh[uint64]},
	{op.Div, divide[int32, uint32], divide[uint32, uint32], divide[int64, uint64], divide[uint64, uint64]},
	{op.Rem, remainder[int32, uint32], remainder[uint32, uint32], remainder[int64, uint64], remainder[uint64, uint64]},
	{op.Abs, absolute[int32, uint32], same, absolute[int64, uint64], same},
	{op.Min, minimum[int32], minimum[uint32], minimum[int64], minimum[uint64]},
	{op.Max, maximum[int32], maximum[uint32], maximum[int64], maximum[uint64]},
	{op.Clamp, clamp[int32], clamp[uint32], clamp[int64], clamp[uint64]},
	{op.Sign, sign[int32, uint32], nil, sign[int64, uint64], nil},
	{op.Not, not[uint32], not[uint32], not[uint64], not[uint64]},
	{op.And, and, and, and, and},
	{op.Or, or, or, or, or},
	{op.Xor, xor, xor, xor, xor},
	{op.Shl, shiftLeft[uint32], shiftLeft[uint32], shiftLeft[uint64], shiftLeft[uint64]},
	{op.Shr, shiftRight[int32, uint32], shiftRight[uint32, uint32], shiftRight[int64, uint64], shiftRight[uint64, uint64]},
	{op.CountOneBits, countOneBits, countOneBits, countOneBits, countOneBits},
	{op.CountLeadingZeros, countLeadingZeros[uint32], countLeadingZeros[uint32], countLeadingZeros[uint64], countLeadingZeros[uint64]},
	{op.CountTrailingZeros, countTrailingZeros[uint32], countTrailingZeros[uint32], countTrailingZeros[uint64], countTrailingZeros[uint64]},
	{op.FirstLeadingBit, firstLeadingBit[int32, uint32], firstLeadingBit[uint32, uint32], firstLeadingBit[int64, uint64], firstLeadingBit[uint64, uint64]},
	{op.FirstTrailingBit, firstTrailingBit[uint32], firstTrailingBit[uint32], firstTrailingBit[uint64], firstTrailingBit[uint64]},
	{op.ReverseBits, reverseBits[uint32], reverseBits[uint32], reverseBits[uint64], reverseBits[uint64]},
	{op.ExtractBits, extractBits[int32, uint32], extractBits[uint32, uint32], extractBits[int64, uint64], extractBits[uint64, uint64]},
	{op.InsertBits, insertBits[uint32], insertBits[uint32], insertBits[uint64], insertBits[uint64]},
	{op.Eq, equal, equal, equal, equal},
	{op.Ne, unequal, unequal, unequal, unequal},
	{op.Lt, less[int32], less[uint32], less[int64], less[uint64]},
	{op.Le, lessEqual[int32], lessEqual[uint32], lessEqual[int64], lessEqual[uint64]},
	{op.Gt, greater[int32], greater[uint32], greater[int64], greater[uint64]},
	{op.Ge, greaterEqual[int32], greaterEqual[uint32], greaterEqual[int64], greaterEqual[uint64]},
	{op.Select, choose, choose, choose, choose},
}

// boolRows are the operations on bool.
var boolRows = [...]struct {
	o op.Op
	f Function
}{
	{op.Not, notBool},
	{op.And, and},
	{op.Or, or},
	{op.Xor, xor},
	{op.Eq, equal},
	{op.Ne, unequal},
	{op.Select, choose},
}

// unaryRows, binaryRows, ternaryRows and compareRows define an operation once,
// on float64; lift.go makes it one on each float kind by rounding the result.
var unaryRows = [...]struct {
	o op.Op
	f func(x float64) float64
}{
	{op.Sign, sign64},
	{op.Floor, math.Floor},
	{op.Ceil, math.Ceil},
	{op.Trunc, math.Trunc},
	{op.Round, math.RoundToEven},
	{op.Fract, fract64},
	{op.Sqrt, math.Sqrt},
	{op.InverseSqrt, inverseSqrt64},
	{op.Sin, math.Sin},
	{op.Cos, math.Cos},
	{op.Tan, math.Tan},
	{op.Asin, math.Asin},
	{op.Acos, math.Acos},
	{op.Atan, math.Atan},
	{op.Sinh, math.Sinh},
	{op.Cosh, math.Cosh},
	{op.Tanh, math.Tanh},
	{op.Asinh, math.Asinh},
	{op.Acosh, math.Acosh},
	{op.Atanh, math.Atanh},
	{op.Exp, math.Exp},
	{op.Exp2, math.Exp2},
	{op.Log, math.Log},
	{op.Log2, math.Log2},
	{op.FrexpSignificand, significand64},
}

var binaryRows = [...]struct {
	o op.Op
	f func(x, y float64) float64
}{
	{op.Add, add64},
	{op.Sub, subtract64},
	{op.Mul, multiply64},
	{op.Div, divide64},
	{op.Rem, math.Mod},
	{op.Min, minimum64},
	{op.Max, maximum64},
	{op.Atan2, math.Atan2},
	{op.Pow, pow64},
}

var ternaryRows = [...]struct {
	o op.Op
	f func(x, y, z float64) float64
}{
	{op.Clamp, clamp64},
	{op.Fma, multiplyAddToOdd},
}

var compareRows = [...]struct {
	o op.Op
	f func(x, y float64) bool
}{
	{op.Eq, func(x, y float64) bool { return x == y }},
	{op.Ne, func(x, y float64) bool { return x != y }},
	{op.Lt, func(x, y float64) bool { return x < y }},
	{op.Le, func(x, y float64) bool { return x <= y }},
	{op.Gt, func(x, y float64) bool { return x > y }},
	{op.Ge, func(x, y float64) bool { return x >= y }},
}

// floatRows are the operations on float kinds that lifting does not express or would make too slow.
// These are sign bits, exponents, and the f32 instructions that shaders execute most, done in the
// host's f32 arithmetic. They replace lifted rows.
var floatRows = [...]struct {
	o             op.Op
	f32, f16, f64 Function
}{
	{op.Neg, negateSign[uint32], negateSign[uint16], negateSign[uint64]},
	{op.Abs, clearSign[uint32], clearSign[uint16], clearSign[uint64]},
	{op.Select, choose, choose, choose},
	{op.Ldexp, scale32, scale16, scale64},
	{op.FrexpExponent, exponent32, exponent16, exponent64},
	{op.QuantizeF16, quantize32, nil, quantize64},
	{op.Fma, fusedMultiplyAdd32, nil, fusedMultiplyAdd64},
	{op.Sqrt, sqrt32, nil, nil},
	{op.Add, add32, nil, nil},
	{op.Sub, subtract32, nil, nil},
	{op.Mul, multiply32, nil, nil},
	{op.Div, divide32, nil, nil},
	{op.Min, minimum32, nil, nil},
	{op.Max, maximum32, nil, nil},
	{op.Eq, equal32, nil, nil},
	{op.Ne, unequal32, nil, nil},
	{op.Lt, less32, nil, nil},
	{op.Le, lessEqual32, nil, nil},
	{op.Gt, greater32, nil, nil},
	{op.Ge, greaterEqual32, nil, nil},
}

// functions is the table that For reads. It is made when that is first called, and then
// never changed.
var functions atomic.Pointer[[op.Count][scalar.Count]Function]

// makeFunctions makes the table; if two do at the same time, both make the same.
func makeFunctions() *[op.Count][scalar.Count]Function {
	all := new([op.Count][scalar.Count]Function)
	for _, r := range integerRows {
		row := &all[r.o]
		row[scalar.I32], row[scalar.U32], row[scalar.I64], row[scalar.U64] = r.i32, r.u32, r.i64, r.u64
		row[scalar.AbstractInt] = r.i64
	}
	for _, k := range [...]scalar.Kind{scalar.I8, scalar.U8, scalar.I16, scalar.U16} {
		all[op.Select][k] = choose
	}
	for _, r := range boolRows {
		all[r.o][scalar.Bool] = r.f
	}
	for _, r := range unaryRows {
		setFloat(all, r.o, unary32(r.f), unary16(r.f), unary64(r.f))
	}
	for _, r := range binaryRows {
		setFloat(all, r.o, binary32(r.f), binary16(r.f), binary64(r.f))
	}
	for _, r := range ternaryRows {
		setFloat(all, r.o, ternary32(r.f), ternary16(r.f), ternary64(r.f))
	}
	for _, r := range compareRows {
		setFloat(all, r.o, compare32(r.f), compare16(r.f), compare64(r.f))
	}
	for _, r := range floatRows {
		setFloat(all, r.o, r.f32, r.f16, r.f64)
	}
	functions.Store(all)
	return all
}

// setFloat enters the functions that are not nil, those on float64 for f64 if the operation has
// that kind.
func setFloat(all *[op.Count][scalar.Count]Function, o op.Op, f32, f16, f64 Function) {
	row := &all[o]
	if f32 != nil {
		row[scalar.F32] = f32
	}
	if f16 != nil {
		row[scalar.F16] = f16
	}
	if f64 != nil {
		row[scalar.AbstractFloat] = f64
		if o == op.Select || op.SignatureOf(o).Class.Contains(scalar.F64) {
			row[scalar.F64] = f64
		}
	}
}

package vector

import (
	"math"
	"math/bits"
	"sync"
	"unsafe"

	"github.com/gpuc/gpuc/ir/eval"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

//go:generate go run ./internal/primgen/run

// This file finds the primitive of an operation, and has what the expressions of primitives call.

// primitive does an operation on n lanes: of the columns, or single values, that a, b and c lead to
// it makes the column that d leads to. Columns have room for a multiple of eight lanes, all of
// which may be written.
type primitive func(n int, d, a, b, c unsafe.Pointer)

// row is an operation that has primitives.
type row struct {
	op, then   op.Op // then is done to the result and the last operand, if it is one
	kind, to   scalar.Kind
	first      uint16 // the number of the primitive for columns
	operands   uint8
	wide       [3]bool // by operand: 64 bits
	wideResult bool
}

// What is uniform of two operands and of three, added to the number of the primitive for columns.
const (
	ofColumns    = 0
	withUniform  = 1 // the second operand
	ofUniform    = 2 // the first one of two
	withUniforms = 2 // the second and the third
)

// rowOfKind is the indices in rows plus one, of operations and, by the kind that they make, of
// conversions. They are found when the first kernel is compiled.
var rowOfKind struct {
	once        sync.Once
	operations  [op.Count][scalar.Count]uint8
	conversions [scalar.Count][scalar.Count]uint8
}

func findRows() {
	for n, r := range rows {
		switch {
		case r.then != op.Invalid:
			multiplyAndAdd = &rows[n]
		case r.op == op.Convert:
			rowOfKind.conversions[r.to][r.kind] = uint8(n + 1)
		default:
			rowOfKind.operations[r.op][r.kind] = uint8(n + 1)
		}
	}
}

// multiplyAndAdd is the row of a product of floats to which something is added. It is found with
// the rows.
var multiplyAndAdd *row

// rowOf returns the row of an operation on a kind, and of a conversion to another, or nil.
func rowOf(o op.Op, kind, to scalar.Kind) *row {
	rowOfKind.once.Do(findRows)
	var n uint8
	switch {
	case o == op.Convert:
		kind, to = converted(kind, to)
		n = rowOfKind.conversions[to][kind]
	case o == op.Select:
		n = rowOfKind.operations[o][patterns[kind]]
	default:
		n = rowOfKind.operations[o][kind]
	}
	if n == 0 {
		return nil
	}
	return &rows[n-1]
}

// patterns are the kinds that represent all whose columns are alike.
var patterns = [scalar.Count]scalar.Kind{scalar.Bool: scalar.U32, scalar.I32: scalar.U32, scalar.U32: scalar.U32, scalar.F32: scalar.U32,
	scalar.F16: scalar.U32, scalar.I8: scalar.U32, scalar.U8: scalar.U32, scalar.I16: scalar.U32, scalar.U16: scalar.U32,
	scalar.I64: scalar.U64, scalar.U64: scalar.U64, scalar.F64: scalar.U64}

// converted returns the kinds that represent those of a conversion: where the sign is of no matter,
// unsigned ones.
func converted(from, to scalar.Kind) (scalar.Kind, scalar.Kind) {
	if !from.IsFloat() && !to.IsFloat() {
		if to != scalar.Bool {
			to = patterns[to]
		}
		if to == scalar.Bool || from.Bits() == 64 {
			from = patterns[from]
		}
	}
	return from, to
}

// What expressions call.

type integer interface {
	int32 | uint32 | int64 | uint64
}

type float interface{ float32 | float64 }

// truth returns a mask: all bits or none.
func truth(x bool) uint32 {
	var bit uint32
	if x {
		bit = 1
	}
	return -bit
}

// productHigh32 and productHigh64 return the upper half of a product.
func productHigh32(x, y uint32) uint32 { return uint32(uint64(x) * uint64(y) >> 32) }

func productHigh64(x, y uint64) uint64 {
	high, _ := bits.Mul64(x, y)
	return high
}

// quotient and remainder have results for a divisor of zero, too.
func quotient[T integer](x, y T) T {
	if y == 0 {
		return x
	}
	return x / y
}

func remainder[T integer](x, y T) T {
	if y == 0 {
		return 0
	}
	return x % y
}

// number returns x with the one NaN that package eval gives.
func number[T float](x T) T {
	if x != x {
		if unsafe.Sizeof(x) == 4 {
			return T(math.Float32frombits(0x7FC00000))
		}
		return T(math.Float64frombits(0x7FF8000000000000))
	}
	return x
}

// minimum prefers a number to NaN and -0 to +0, as package eval does.
func minimum[T float](x, y T) T {
	switch {
	case x < y:
		return x
	case y < x:
		return y
	case x == y:
		if math.Signbit(float64(x)) {
			return x
		}
		return y
	case x != x:
		return number(y)
	}
	return x
}

func maximum[T float](x, y T) T {
	switch {
	case x > y:
		return x
	case y > x:
		return y
	case x == y:
		if math.Signbit(float64(x)) {
			return y
		}
		return x
	case x != x:
		return number(y)
	}
	return x
}

// sign keeps zeros.
func sign[T float](x T) T {
	switch {
	case x < 0:
		return -1
	case x > 0:
		return 1
	}
	return number(x)
}

func multiplyAdd(x, y, z float32) float32 {
	return math.Float32frombits(uint32(eval.For(op.Fma, scalar.F32)(uint64(math.Float32bits(x)), uint64(math.Float32bits(y)), uint64(math.Float32bits(z)), 0)))
}

// toSigned and toUnsigned truncate what the integer and f32 both have, go to the nearest such
// number elsewhere, and make 0 of NaN.
func toSigned(x float32) int32 {
	switch {
	case x >= 0x1p31:
		return 0x7FFFFF80
	case x >= -0x1p31:
		return int32(x)
	case x != x:
		return 0
	}
	return math.MinInt32
}

func toUnsigned(x float32) uint32 {
	switch {
	case x >= 0x1p32:
		return 0xFFFFFF00
	case x > 0:
		return uint32(x)
	}
	return 0
}

func fromHalf(x uint32) float32 { return number(float32(scalar.HalfToFloat64(uint16(x)))) }

func toHalf(x float32) uint32 {
	if x != x {
		return 0x7E00
	}
	return uint32(scalar.HalfFromFloat64(float64(x)))
}

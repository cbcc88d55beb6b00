package spirv

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/gpuc/gpuc/internal/emulate"
)

// Component-wise arithmetic (SPIR-V §3.52.13 to .17, and GLSL.std.450). Floats are computed in
// double precision and rounded to their width after each operation. For the basic operations that
// equals a single rounding, since 53 ≥ 2·24+2. Integers of 8 and 16 bits support comparisons with
// zero and conversions only.

// class is the kind of an operand's components.
type class uint8

const (
	integers class = iota
	floats
	booleans
)

// The functions of operations. An integer is its bits, zero-extended.
type (
	integer  func(x, y, z uint64) uint64
	floating func(x, y, z float64) float64
	relation func(x, y float64) bool
	// limits returns why the result is undefined, or "".
	limits func(width uint8, x, y uint64) string
)

// operation is an arithmetic instruction.
type operation struct {
	name     string
	operands int
	result   class
	operand  class
	// width, if not 0, is the only supported width of the operands, and widest the largest.
	width, widest uint8

	word, long integer  // for 32 bits (and booleans), and for 64 bits
	narrow     integer  // for 8 and 16 bits, if supported
	floating   floating // of floats
	double     floating // of floats of 64 bits, if another function is needed
	relation   relation // of two floats
	limits     limits
}

// Constructors of the most frequent kinds of operations.

func ofIntegers(name string, word, long integer) operation {
	return operation{name: name, operands: 2, word: word, long: long}
}
func limited(name string, l limits, word, long integer) operation {
	return operation{name: name, operands: 2, word: word, long: long, limits: l}
}
func compared(name string, word, long integer) operation {
	return operation{name: name, operands: 2, result: booleans, word: word, long: long}
}
func logical(name string, operands int, f integer) operation {
	return operation{name: name, operands: operands, result: booleans, operand: booleans, word: f}
}
func ofFloats(name string, operands int, f floating) operation {
	return operation{name: name, operands: operands, result: floats, operand: floats, floating: f}
}

// approximated is an operation that GLSL.std.450 has for 16 and 32 bits only.
func approximated(name string, operands int, f floating) operation {
	o := ofFloats(name, operands, f)
	o.widest = 32
	return o
}
func related(name string, f relation) operation {
	return operation{name: name, operands: 2, result: booleans, operand: floats, relation: f}
}
func ofWords(name string, f integer) operation {
	return operation{name: name, operands: 1, width: 32, word: f}
}

func truth(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

type signed interface{ int32 | int64 }

// pattern returns the bits of a signed integer, zero-extended.
func pattern[S signed](x S) uint64 {
	if n, ok := any(x).(int32); ok {
		return uint64(uint32(n))
	}
	return uint64(x)
}

func add32(x, y, _ uint64) uint64          { return uint64(uint32(x + y)) }
func add64(x, y, _ uint64) uint64          { return x + y }
func subtract32(x, y, _ uint64) uint64     { return uint64(uint32(x - y)) }
func subtract64(x, y, _ uint64) uint64     { return x - y }
func multiply32(x, y, _ uint64) uint64     { return uint64(uint32(x * y)) }
func multiplyHigh32(x, y, _ uint64) uint64 { return x * y >> 32 }
func multiplyHigh64(x, y, _ uint64) uint64 {
	high, _ := bits.Mul64(x, y)
	return high
}
func multiply64(x, y, _ uint64) uint64    { return x * y }
func negate32(x, _, _ uint64) uint64      { return uint64(uint32(-x)) }
func negate64(x, _, _ uint64) uint64      { return -x }
func and(x, y, _ uint64) uint64           { return x & y }
func or(x, y, _ uint64) uint64            { return x | y }
func xor(x, y, _ uint64) uint64           { return x ^ y }
func not32(x, _, _ uint64) uint64         { return uint64(^uint32(x)) }
func not64(x, _, _ uint64) uint64         { return ^x }
func invert(x, _, _ uint64) uint64        { return x ^ 1 }
func equal(x, y, _ uint64) uint64         { return truth(x == y) }
func unequal(x, y, _ uint64) uint64       { return truth(x != y) }
func udiv(x, y, _ uint64) uint64          { return x / y }
func urem(x, y, _ uint64) uint64          { return x % y }
func uless(x, y, _ uint64) uint64         { return truth(x < y) }
func ugreater(x, y, _ uint64) uint64      { return truth(x > y) }
func ulessEqual(x, y, _ uint64) uint64    { return truth(x <= y) }
func ugreaterEqual(x, y, _ uint64) uint64 { return truth(x >= y) }
func umin(x, y, _ uint64) uint64          { return min(x, y) }
func umax(x, y, _ uint64) uint64          { return max(x, y) }

func sdiv[S signed](x, y, _ uint64) uint64          { return pattern(S(x) / S(y)) }
func srem[S signed](x, y, _ uint64) uint64          { return pattern(S(x) % S(y)) }
func sless[S signed](x, y, _ uint64) uint64         { return truth(S(x) < S(y)) }
func sgreater[S signed](x, y, _ uint64) uint64      { return truth(S(x) > S(y)) }
func slessEqual[S signed](x, y, _ uint64) uint64    { return truth(S(x) <= S(y)) }
func sgreaterEqual[S signed](x, y, _ uint64) uint64 { return truth(S(x) >= S(y)) }
func smin[S signed](x, y, _ uint64) uint64          { return pattern(min(S(x), S(y))) }
func smax[S signed](x, y, _ uint64) uint64          { return pattern(max(S(x), S(y))) }

// smod returns the remainder with the sign of y.
func smod[S signed](x, y, _ uint64) uint64 {
	r := S(x) % S(y)
	if r != 0 && (r < 0) != (S(y) < 0) {
		r += S(y)
	}
	return pattern(r)
}
func sabs[S signed](x, _, _ uint64) uint64 {
	if S(x) < 0 {
		return pattern(-S(x))
	}
	return x
}
func ssign[S signed](x, _, _ uint64) uint64 {
	switch {
	case S(x) < 0:
		return pattern(S(-1))
	case x == 0:
		return 0
	}
	return 1
}

func shiftLeft32(x, y, _ uint64) uint64   { return uint64(uint32(x << y)) }
func shiftLeft64(x, y, _ uint64) uint64   { return x << y }
func shiftRight(x, y, _ uint64) uint64    { return x >> y }
func sshiftRight32(x, y, _ uint64) uint64 { return uint64(uint32(int32(x) >> y)) }
func sshiftRight64(x, y, _ uint64) uint64 { return uint64(int64(x) >> y) }

func reverse(x, _, _ uint64) uint64 { return uint64(bits.Reverse32(uint32(x))) }
func count(x, _, _ uint64) uint64   { return uint64(bits.OnesCount32(uint32(x))) }

// The bit searches of GLSL.std.450 return -1 if there is no such bit.
func findILsb(x, _, _ uint64) uint64 {
	if x == 0 {
		return math.MaxUint32
	}
	return uint64(bits.TrailingZeros32(uint32(x)))
}
func findUMsb(x, _, _ uint64) uint64 { return uint64(uint32(bits.Len32(uint32(x)) - 1)) }

// findSMsb finds the highest bit that differs from the sign.
func findSMsb(x, _, _ uint64) uint64 {
	n := int32(x)
	return findUMsb(uint64(uint32(n^n>>31)), 0, 0)
}

func divisible(width uint8, x, y uint64) string {
	if y == 0 {
		return "division by zero"
	}
	return ""
}

func sdivisible(width uint8, x, y uint64) string {
	if y == 0 {
		return "division by zero"
	}
	if lowest := uint64(1) << (width - 1); x == lowest && y == lowest|(lowest-1) {
		return "division of the smallest integer by -1"
	}
	return ""
}

func shiftable(width uint8, x, y uint64) string {
	if y >= uint64(width) {
		return fmt.Sprintf("a shift of %d bits by %d", width, y)
	}
	return ""
}

func unary(f func(float64) float64) floating {
	return func(x, _, _ float64) float64 { return f(x) }
}

func fmin(x, y, _ float64) float64 {
	switch {
	case math.IsNaN(x):
		return y
	case math.IsNaN(y):
		return x
	}
	return math.Min(x, y)
}

func fmax(x, y, _ float64) float64 {
	switch {
	case math.IsNaN(x):
		return y
	case math.IsNaN(y):
		return x
	}
	return math.Max(x, y)
}

func fsign(x, _, _ float64) float64 {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return x
}

// fused returns x·y+z such that rounding it to at most 24 bits equals one rounding. The product of
// two such numbers is exact in a double.
func fused(x, y, z float64) float64 { return emulate.SumToOdd(x*y, z) }

func power(x, y, _ float64) float64 {
	if x < 0 {
		return math.NaN()
	}
	return math.Pow(x, y)
}

var arithmetic = map[uint16]operation{
	116: {name: "OpQuantizeToF16", operands: 1, result: floats, operand: floats, width: 32, floating: quantize},
	126: {name: "OpSNegate", operands: 1, word: negate32, long: negate64},
	127: {name: "OpFNegate", operands: 1, result: floats, operand: floats, word: flipSign(31), long: flipSign(63), narrow: flipSign(15)},
	128: ofIntegers("OpIAdd", add32, add64),
	129: ofFloats("OpFAdd", 2, func(x, y, _ float64) float64 { return x + y }),
	130: ofIntegers("OpISub", subtract32, subtract64),
	131: ofFloats("OpFSub", 2, func(x, y, _ float64) float64 { return x - y }),
	132: ofIntegers("OpIMul", multiply32, multiply64),
	133: ofFloats("OpFMul", 2, func(x, y, _ float64) float64 { return x * y }),
	134: limited("OpUDiv", divisible, udiv, udiv),
	135: limited("OpSDiv", sdivisible, sdiv[int32], sdiv[int64]),
	136: ofFloats("OpFDiv", 2, func(x, y, _ float64) float64 { return x / y }),
	137: limited("OpUMod", divisible, urem, urem),
	138: limited("OpSRem", sdivisible, srem[int32], srem[int64]),
	139: limited("OpSMod", sdivisible, smod[int32], smod[int64]),
	140: ofFloats("OpFRem", 2, func(x, y, _ float64) float64 { return math.Mod(x, y) }),
	156: {name: "OpIsNan", operands: 1, result: booleans, operand: floats, relation: func(x, _ float64) bool { return math.IsNaN(x) }},
	157: {name: "OpIsInf", operands: 1, result: booleans, operand: floats, relation: func(x, _ float64) bool { return math.IsInf(x, 0) }},
	164: logical("OpLogicalEqual", 2, equal),
	165: logical("OpLogicalNotEqual", 2, unequal),
	166: logical("OpLogicalOr", 2, or),
	167: logical("OpLogicalAnd", 2, and),
	168: logical("OpLogicalNot", 1, invert),
	170: compared("OpIEqual", equal, equal),
	171: {name: "OpINotEqual", operands: 2, result: booleans, word: unequal, long: unequal, narrow: unequal},
	172: compared("OpUGreaterThan", ugreater, ugreater),
	173: compared("OpSGreaterThan", sgreater[int32], sgreater[int64]),
	174: compared("OpUGreaterThanEqual", ugreaterEqual, ugreaterEqual),
	175: compared("OpSGreaterThanEqual", sgreaterEqual[int32], sgreaterEqual[int64]),
	176: compared("OpULessThan", uless, uless),
	177: compared("OpSLessThan", sless[int32], sless[int64]),
	178: compared("OpULessThanEqual", ulessEqual, ulessEqual),
	179: compared("OpSLessThanEqual", slessEqual[int32], slessEqual[int64]),
	180: related("OpFOrdEqual", func(x, y float64) bool { return x == y }),
	181: related("OpFUnordEqual", func(x, y float64) bool { return !(x < y || x > y) }),
	182: related("OpFOrdNotEqual", func(x, y float64) bool { return x < y || x > y }),
	183: related("OpFUnordNotEqual", func(x, y float64) bool { return x != y }),
	184: related("OpFOrdLessThan", func(x, y float64) bool { return x < y }),
	185: related("OpFUnordLessThan", func(x, y float64) bool { return !(x >= y) }),
	186: related("OpFOrdGreaterThan", func(x, y float64) bool { return x > y }),
	187: related("OpFUnordGreaterThan", func(x, y float64) bool { return !(x <= y) }),
	188: related("OpFOrdLessThanEqual", func(x, y float64) bool { return x <= y }),
	189: related("OpFUnordLessThanEqual", func(x, y float64) bool { return !(x > y) }),
	190: related("OpFOrdGreaterThanEqual", func(x, y float64) bool { return x >= y }),
	191: related("OpFUnordGreaterThanEqual", func(x, y float64) bool { return !(x < y) }),
	194: limited("OpShiftRightLogical", shiftable, shiftRight, shiftRight),
	195: limited("OpShiftRightArithmetic", shiftable, sshiftRight32, sshiftRight64),
	196: limited("OpShiftLeftLogical", shiftable, shiftLeft32, shiftLeft64),
	197: ofIntegers("OpBitwiseOr", or, or),
	198: ofIntegers("OpBitwiseXor", xor, xor),
	199: ofIntegers("OpBitwiseAnd", and, and),
	200: {name: "OpNot", operands: 1, word: not32, long: not64},
	204: ofWords("OpBitReverse", reverse),
	205: ofWords("OpBitCount", count),
}

// extended are the component-wise instructions of GLSL.std.450. Where it allows several results,
// these are the ones here: the minimum and maximum of floats prefer a number to a NaN and order -0
// before +0. A function outside of its domain gives a NaN.
var extended = map[uint32]operation{
	2:  ofFloats("RoundEven", 1, unary(math.RoundToEven)),
	3:  ofFloats("Trunc", 1, unary(math.Trunc)),
	4:  {name: "FAbs", operands: 1, result: floats, operand: floats, word: clearSign(31), long: clearSign(63), narrow: clearSign(15)},
	5:  {name: "SAbs", operands: 1, word: sabs[int32], long: sabs[int64]},
	6:  ofFloats("FSign", 1, fsign),
	7:  {name: "SSign", operands: 1, word: ssign[int32], long: ssign[int64]},
	8:  ofFloats("Floor", 1, unary(math.Floor)),
	9:  ofFloats("Ceil", 1, unary(math.Ceil)),
	10: ofFloats("Fract", 1, func(x, _, _ float64) float64 { return x - math.Floor(x) }),
	13: approximated("Sin", 1, unary(math.Sin)),
	14: approximated("Cos", 1, unary(math.Cos)),
	15: approximated("Tan", 1, unary(math.Tan)),
	16: approximated("Asin", 1, unary(math.Asin)),
	17: approximated("Acos", 1, unary(math.Acos)),
	18: approximated("Atan", 1, unary(math.Atan)),
	19: approximated("Sinh", 1, unary(math.Sinh)),
	20: approximated("Cosh", 1, unary(math.Cosh)),
	21: approximated("Tanh", 1, unary(math.Tanh)),
	22: approximated("Asinh", 1, unary(math.Asinh)),
	23: approximated("Acosh", 1, unary(math.Acosh)),
	24: approximated("Atanh", 1, unary(math.Atanh)),
	25: approximated("Atan2", 2, func(y, x, _ float64) float64 { return math.Atan2(y, x) }),
	26: approximated("Pow", 2, power),
	27: approximated("Exp", 1, unary(math.Exp)),
	28: approximated("Log", 1, unary(math.Log)),
	29: approximated("Exp2", 1, unary(math.Exp2)),
	30: approximated("Log2", 1, unary(math.Log2)),
	31: ofFloats("Sqrt", 1, unary(math.Sqrt)),
	32: ofFloats("InverseSqrt", 1, func(x, _, _ float64) float64 { return 1 / math.Sqrt(x) }),
	37: ofFloats("FMin", 2, fmin),
	38: ofIntegers("UMin", umin, umin),
	39: ofIntegers("SMin", smin[int32], smin[int64]),
	40: ofFloats("FMax", 2, fmax),
	41: ofIntegers("UMax", umax, umax),
	42: ofIntegers("SMax", smax[int32], smax[int64]),
	50: {name: "Fma", operands: 3, result: floats, operand: floats, floating: fused, double: math.FMA},
	73: ofWords("FindILsb", findILsb),
	74: ofWords("FindSMsb", findSMsb),
	75: ofWords("FindUMsb", findUMsb),
}

// The instructions of GLSL.std.450 that are not component-wise.
const (
	glslPackHalf   = 58
	glslUnpackHalf = 62
)

// flipSign and clearSign work on bits, so that a NaN keeps its payload.
func flipSign(bit uint) integer {
	return func(x, _, _ uint64) uint64 { return x ^ 1<<bit }
}
func clearSign(bit uint) integer {
	return func(x, _, _ uint64) uint64 { return x &^ (1 << bit) }
}

// quantize rounds to binary16 and flushes subnormal results to zero (SPIR-V, OpQuantizeToF16).
func quantize(x, _, _ float64) float64 {
	if math.Abs(x) < 0x1p-14 {
		return math.Copysign(0, x)
	}
	return halfToDouble(doubleToHalf(x))
}

// The conversions (SPIR-V §3.52.11).
const (
	convertFToU = 109
	convertFToS = 110
	convertSToF = 111
	convertUToF = 112
	convertU    = 113
	convertS    = 114
	convertF    = 115
)

var conversions = map[uint16]struct {
	name            string
	operand, result class
}{
	convertFToU: {"OpConvertFToU", floats, integers},
	convertFToS: {"OpConvertFToS", floats, integers},
	convertSToF: {"OpConvertSToF", integers, floats},
	convertUToF: {"OpConvertUToF", integers, floats},
	convertU:    {"OpUConvert", integers, integers},
	convertS:    {"OpSConvert", integers, integers},
	convertF:    {"OpFConvert", floats, floats},
}

// convert converts a scalar of one width to one of another. fault says why the result is undefined,
// or is "".
func convert(opcode uint16, from, to uint8, x uint64) (y uint64, fault string) {
	switch opcode {
	case convertFToU:
		f := math.Trunc(toDouble(from, x))
		if !(f >= 0 && f < math.Ldexp(1, int(to))) {
			return 0, fmt.Sprintf("%v is out of the range of %d bits", f, to)
		}
		return uint64(f), ""
	case convertFToS:
		f := math.Trunc(toDouble(from, x))
		if limit := math.Ldexp(1, int(to)-1); !(f >= -limit && f < limit) {
			return 0, fmt.Sprintf("%v is out of the range of %d bits with a sign", f, to)
		}
		return truncate(to, uint64(int64(f))), ""
	case convertSToF:
		n := extend(from, x)
		if to == 32 { // from 64 bits a double would round too
			return uint64(math.Float32bits(float32(n))), ""
		}
		return fromDouble(to, float64(n)), ""
	case convertUToF:
		if to == 32 {
			return uint64(math.Float32bits(float32(x))), ""
		}
		return fromDouble(to, float64(x)), ""
	case convertS:
		return truncate(to, uint64(extend(from, x))), ""
	case convertF:
		return fromDouble(to, toDouble(from, x)), ""
	}
	return truncate(to, x), ""
}

func halfToDouble(bits uint64) float64 { return emulate.HalfValue(bits) }
func doubleToHalf(x float64) uint64    { return emulate.HalfBits(x, 0x7E00) }

func singleToDouble(bits uint64) float64 { return float64(math.Float32frombits(uint32(bits))) }
func doubleToSingle(x float64) uint64    { return uint64(math.Float32bits(float32(x))) }

func toDouble(width uint8, x uint64) float64 {
	switch width {
	case 16:
		return halfToDouble(x)
	case 64:
		return math.Float64frombits(x)
	}
	return singleToDouble(x)
}

func fromDouble(width uint8, x float64) uint64 {
	switch width {
	case 16:
		return doubleToHalf(x)
	case 64:
		return math.Float64bits(x)
	}
	return doubleToSingle(x)
}

// extend sign-extends an integer of a width, and truncate keeps its low bits.
func extend(width uint8, x uint64) int64 { return int64(x<<(64-width)) >> (64 - width) }

func truncate(width uint8, x uint64) uint64 { return x & (math.MaxUint64 >> (64 - width)) }

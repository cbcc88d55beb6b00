package tiles

import (
	"encoding/binary"
	"math"
)

// kind is a type of elements. Numbers are integers in float64, whatever the kind.
type kind struct {
	goType string // in Go
	word   string // in names
	bytes  int
	// computed is the Go type that functions compute in.
	computed string
	// significand is the precision of floats in bits, and most the greatest finite number. least is
	// the exponent of the least normal number. Integers have no significand.
	significand, least int
	most               float64
	signed             bool
}

// The kinds, as indices.
const (
	f16 = iota
	bf16
	e4m3
	e5m2
	f32
	f64
	i8
	u8
	i32
	u32
	kindCount
)

// kinds are all of them. Floats are those of IEEE 754 and of the OCP 8-bit Floating Point
// Specification.
var kinds = [kindCount]kind{
	f16:  {goType: "gpu.Float16", word: "f16", bytes: 2, computed: "float32", significand: 11, least: -14, most: 65504},
	bf16: {goType: "gpu.BFloat16", word: "bf16", bytes: 2, computed: "float32", significand: 8, least: -126, most: 1 << 24},
	e4m3: {goType: "gpu.Float8E4M3", word: "e4m3", bytes: 1, computed: "float32", significand: 4, least: -6, most: 448},
	e5m2: {goType: "gpu.Float8E5M2", word: "e5m2", bytes: 1, computed: "float32", significand: 3, least: -14, most: 57344},
	f32:  {goType: "float32", word: "f32", bytes: 4, computed: "float32", significand: 24, least: -126, most: 1 << 24},
	f64:  {goType: "float64", word: "f64", bytes: 8, computed: "float64", significand: 53, least: -1022, most: 1 << 24},
	i8:   {goType: "int8", word: "i8", bytes: 1, computed: "int32", signed: true},
	u8:   {goType: "uint8", word: "u8", bytes: 1, computed: "int32"},
	i32:  {goType: "int32", word: "i32", bytes: 4, computed: "int32", signed: true},
	u32:  {goType: "uint32", word: "u32", bytes: 4, computed: "uint32"},
}

func (k *kind) isFloat() bool { return k.significand > 0 }

// isSmall says that Go has no arithmetic for the kind, which has methods instead.
func (k *kind) isSmall() bool { return k.isFloat() && k.bytes < 4 }

// wrap returns an integer modulo the kind's size.
func (k *kind) wrap(x float64) float64 {
	bits := 8 * k.bytes
	n := int64(x) & (1<<bits - 1)
	if k.signed && n>>(bits-1) != 0 {
		n -= 1 << bits
	}
	return float64(n)
}

// number returns what an element of the kind is for a number that is computed exactly: the nearest
// float, ties to even, or the integer modulo the kind's size. It is not ok for numbers that a
// float32 need not have, and for what a float16 or bfloat16 has no finite number for.
func (k *kind) number(x float64) (y float64, ok bool) {
	if !k.isFloat() {
		return k.wrap(x), math.Abs(x) < 1<<53
	}
	if math.Abs(x) > 1<<24 || x == 0 && math.Signbit(x) {
		return 0, false
	}
	if x == 0 {
		return 0, true
	}
	_, exponent := math.Frexp(x) // x is below 2^exponent
	unit := math.Ldexp(1, max(exponent, k.least+1)-k.significand)
	y = math.RoundToEven(x/unit) * unit
	if k.bytes == 1 {
		y = max(min(y, k.most), -k.most)
	}
	return y, math.Abs(y) <= k.most
}

// converted is number for an element of another kind: floats become integers of 32 bits first, the
// nearest ones that there are.
func (k *kind) converted(from *kind, x float64) (float64, bool) {
	if from.isFloat() && !k.isFloat() {
		x = math.Trunc(x)
		if least, most := -float64(1<<31), float64(1<<31-1); k.bytes < 4 || k.signed {
			x = max(min(x, most), least)
		} else {
			x = max(min(x, 1<<32-1), 0)
		}
	}
	return k.number(x)
}

// encode appends an element.
func (k *kind) encode(b []byte, x float64) []byte {
	switch {
	case k.bytes == 8:
		return binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
	case !k.isFloat() || k.bytes == 4:
		bits := uint32(int64(x))
		if k.isFloat() {
			bits = math.Float32bits(float32(x))
		}
		return append(b, binary.LittleEndian.AppendUint32(nil, bits)[:k.bytes]...)
	}
	bits := 0
	if x != 0 {
		_, exponent := math.Frexp(x)
		// |x| = fraction · 2^exponent, with a fraction from 1 to 2, or below for subnormal numbers
		exponent = max(exponent-1, k.least)
		fraction := int(math.Abs(x) / math.Ldexp(1, exponent-k.significand+1))
		bits = fraction + (exponent-k.least)<<(k.significand-1)
		if x < 0 {
			bits |= 1 << (8*k.bytes - 1)
		}
	}
	return append(b, binary.LittleEndian.AppendUint32(nil, uint32(bits))[:k.bytes]...)
}

// products are the kinds of products: either operand has one of some kinds.
var products = [...]struct {
	operands []int
	sum      int
}{
	{[]int{f16}, f32},
	{[]int{bf16}, f32},
	{[]int{e4m3, e5m2}, f32},
	{[]int{f32}, f32},
	{[]int{f64}, f64},
	{[]int{i8, u8}, i32},
}

// reduced are the kinds with sums, minimums and maximums of rows and columns.
var reduced = []int{f32, f64, i32, u32}

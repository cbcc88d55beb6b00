package all_test

import (
	"fmt"
	"math"
	"math/bits"
	"strings"
)

// This file holds the types and operators of the random WGSL programs of
// program_test.go, with what they mean. A value of any type is a run of 32-bit
// words, one for each scalar, so that a part of a variable is a part of its
// slice, and a pointer is that slice.

// programType is a type of WGSL.
type programType struct {
	name   string
	kind   byte // of its scalars, if all are alike: u, i, f, b; else 0
	words  int
	parts  []*programType // of a composite
	fields []string       // of a structure
}

func scalarType(name string, kind byte) *programType {
	return &programType{name: name, kind: kind, words: 1}
}

var (
	u32Type  = scalarType("u32", 'u')
	i32Type  = scalarType("i32", 'i')
	f32Type  = scalarType("f32", 'f')
	boolType = scalarType("bool", 'b')
	scalars  = []*programType{u32Type, i32Type, f32Type, boolType}
	vectors  = map[byte][5]*programType{'u': vectorsOf(u32Type), 'i': vectorsOf(i32Type), 'f': vectorsOf(f32Type), 'b': vectorsOf(boolType)}
)

func vectorsOf(s *programType) (list [5]*programType) {
	list[1] = s
	for n := 2; n <= 4; n++ {
		list[n] = repeated(fmt.Sprintf("vec%d<%s>", n, s.name), s, n)
	}
	return list
}

func repeated(name string, element *programType, n int) *programType {
	t := &programType{name: name, kind: element.kind, words: n * element.words}
	for range n {
		t.parts = append(t.parts, element)
	}
	return t
}

func (t *programType) isScalar() bool { return t.parts == nil }
func (t *programType) isVector() bool { return strings.HasPrefix(t.name, "vec") }
func (t *programType) isStruct() bool { return t.fields != nil }

// offset returns where part n begins.
func (t *programType) offset(n int) (words int) {
	for _, p := range t.parts[:n] {
		words += p.words
	}
	return words
}

// operator is a binary operator or a builtin on scalars, which also works on
// vectors component by component.
type operator struct {
	text  string
	kinds string // of the operands
	// result is the kind of the result, 0 for that of the operands.
	result byte
	infix  bool
	// right restricts a constant right operand: 'd' not zero, 's' a shift.
	right byte
	apply func(kind byte, x, y uint32) uint32
}

func float(x uint32) float32 { return math.Float32frombits(x) }
func truth(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}

// less compares two scalars of a kind.
func less(kind byte, x, y uint32) bool {
	switch kind {
	case 'i':
		return int32(x) < int32(y)
	case 'f':
		return float(x) < float(y)
	}
	return x < y
}

func equal(kind byte, x, y uint32) bool {
	if kind == 'f' {
		return float(x) == float(y)
	}
	return x == y
}

// arithmetic makes a function of one on floats and one on words.
func arithmetic(onFloats func(x, y float32) float32, onWords func(x, y uint32) uint32) func(kind byte, x, y uint32) uint32 {
	return func(kind byte, x, y uint32) uint32 {
		if kind == 'f' {
			return math.Float32bits(onFloats(float(x), float(y)))
		}
		return onWords(x, y)
	}
}

func word(f func(x, y uint32) uint32) func(kind byte, x, y uint32) uint32 {
	return func(_ byte, x, y uint32) uint32 { return f(x, y) }
}

// divide and remainder are WGSL's (§8.7): by zero, x and 0; nothing overflows.
func divide(kind byte, x, y uint32) uint32 {
	switch {
	case y == 0:
		return x
	case kind == 'i' && int32(y) == -1:
		return -x
	case kind == 'i':
		return uint32(int32(x) / int32(y))
	}
	return x / y
}

func remainder(kind byte, x, y uint32) uint32 {
	if y == 0 {
		return 0
	}
	return x - y*divide(kind, x, y)
}

func shiftRight(kind byte, x, y uint32) uint32 {
	if kind == 'i' {
		return uint32(int32(x) >> (y & 31))
	}
	return x >> (y & 31)
}

var operators = []operator{
	{"+", "uif", 0, true, 0, arithmetic(func(x, y float32) float32 { return x + y }, func(x, y uint32) uint32 { return x + y })},
	{"-", "uif", 0, true, 0, arithmetic(func(x, y float32) float32 { return x - y }, func(x, y uint32) uint32 { return x - y })},
	{"*", "uif", 0, true, 0, arithmetic(func(x, y float32) float32 { return x * y }, func(x, y uint32) uint32 { return x * y })},
	{"/", "ui", 0, true, 'd', divide},
	{"%", "ui", 0, true, 'd', remainder},
	{"&", "uib", 0, true, 0, word(func(x, y uint32) uint32 { return x & y })},
	{"|", "uib", 0, true, 0, word(func(x, y uint32) uint32 { return x | y })},
	{"^", "ui", 0, true, 0, word(func(x, y uint32) uint32 { return x ^ y })},
	{"<<", "ui", 0, true, 's', word(func(x, y uint32) uint32 { return x << (y & 31) })},
	{">>", "ui", 0, true, 's', shiftRight},
	{"<", "uif", 'b', true, 0, func(k byte, x, y uint32) uint32 { return truth(less(k, x, y)) }},
	{">=", "ui", 'b', true, 0, func(k byte, x, y uint32) uint32 { return truth(!less(k, x, y)) }},
	{">", "uif", 'b', true, 0, func(k byte, x, y uint32) uint32 { return truth(less(k, y, x)) }},
	{"==", "uifb", 'b', true, 0, func(k byte, x, y uint32) uint32 { return truth(equal(k, x, y)) }},
	{"!=", "uifb", 'b', true, 0, func(k byte, x, y uint32) uint32 { return truth(!equal(k, x, y)) }},
	{"min", "ui", 0, false, 0, func(k byte, x, y uint32) uint32 {
		if less(k, y, x) {
			return y
		}
		return x
	}},
	{"max", "ui", 0, false, 0, func(k byte, x, y uint32) uint32 {
		if less(k, x, y) {
			return y
		}
		return x
	}},
}

// unary operators and builtins of one operand; y is not used.
var unaries = []operator{
	{"-", "i", 0, true, 0, word(func(x, _ uint32) uint32 { return -x })},
	{"-", "f", 0, true, 0, word(func(x, _ uint32) uint32 { return x ^ 1<<31 })},
	{"~", "ui", 0, true, 0, word(func(x, _ uint32) uint32 { return ^x })},
	{"!", "b", 0, true, 0, word(func(x, _ uint32) uint32 { return x ^ 1 })},
	{"abs", "f", 0, false, 0, word(func(x, _ uint32) uint32 { return x &^ (1 << 31) })},
	{"countOneBits", "ui", 0, false, 0, word(func(x, _ uint32) uint32 { return uint32(bits.OnesCount32(x)) })},
	{"reverseBits", "ui", 0, false, 0, word(func(x, _ uint32) uint32 { return bits.Reverse32(x) })},
	{"countLeadingZeros", "ui", 0, false, 0, word(func(x, _ uint32) uint32 { return uint32(bits.LeadingZeros32(x)) })},
	{"countTrailingZeros", "ui", 0, false, 0, word(func(x, _ uint32) uint32 { return uint32(bits.TrailingZeros32(x)) })},
}

// conversion converts a scalar between kinds, but never a float to an integer:
// where that saturates, devices may differ.
func conversion(from, to byte, x uint32) uint32 {
	switch {
	case from == to:
		return x
	case to == 'b' && from == 'f':
		return truth(float(x) != 0)
	case to == 'b':
		return truth(x != 0)
	case to == 'f' && from == 'i':
		return math.Float32bits(float32(int32(x)))
	case to == 'f':
		return math.Float32bits(float32(x))
	}
	return x
}

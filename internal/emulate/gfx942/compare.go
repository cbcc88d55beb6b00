package gfx942

import "math"

// Vector comparisons. For each type there are eight or sixteen consecutive opcodes, one for each
// condition. The opcodes plus sixteen, which also write EXEC, are not in the table, since LLVM does
// not use them on these devices.

// compared are the types, with the first opcode of each.
var compared = []struct {
	code  int
	name  string
	kind  kind
	order func(a, b uint64) (less, equal, ordered bool)
}{
	{0x20, "f16", f16, func(a, b uint64) (bool, bool, bool) { return orderOf(halfValue(a), halfValue(b)) }},
	{0x40, "f32", f32, func(a, b uint64) (bool, bool, bool) {
		return orderOf(float64(math.Float32frombits(uint32(a))), float64(math.Float32frombits(uint32(b))))
	}},
	{0x60, "f64", f64, func(a, b uint64) (bool, bool, bool) { return orderOf(math.Float64frombits(a), math.Float64frombits(b)) }},
	{0xA0, "i16", b16, func(a, b uint64) (bool, bool, bool) { return int16(a) < int16(b), uint16(a) == uint16(b), true }},
	{0xA8, "u16", b16, func(a, b uint64) (bool, bool, bool) { return uint16(a) < uint16(b), uint16(a) == uint16(b), true }},
	{0xC0, "i32", b32, func(a, b uint64) (bool, bool, bool) { return signed(a) < signed(b), a == b, true }},
	{0xC8, "u32", b32, func(a, b uint64) (bool, bool, bool) { return a < b, a == b, true }},
	{0xE0, "i64", b64, func(a, b uint64) (bool, bool, bool) { return int64(a) < int64(b), a == b, true }},
	{0xE8, "u64", b64, func(a, b uint64) (bool, bool, bool) { return a < b, a == b, true }},
}

func orderOf(a, b float64) (less, equal, ordered bool) { return a < b, a == b, a == a && b == b }

// conditions are functions of less, equal and ordered, in the order of the opcodes. Integers have
// the first eight, some with other names.
var conditions = []struct {
	float, integer string
	holds          func(less, equal, ordered bool) bool
}{
	{"f", "f", func(_, _, _ bool) bool { return false }},
	{"lt", "lt", func(l, _, _ bool) bool { return l }},
	{"eq", "eq", func(_, e, _ bool) bool { return e }},
	{"le", "le", func(l, e, _ bool) bool { return l || e }},
	{"gt", "gt", func(l, e, o bool) bool { return o && !l && !e }},
	{"lg", "ne", func(_, e, o bool) bool { return o && !e }},
	{"ge", "ge", func(l, _, o bool) bool { return o && !l }},
	{"o", "t", func(_, _, o bool) bool { return o }},
	{"u", "", func(_, _, o bool) bool { return !o }},
	{"nge", "", func(l, _, o bool) bool { return !o || l }},
	{"nlg", "", func(_, e, o bool) bool { return !o || e }},
	{"ngt", "", func(l, e, o bool) bool { return !o || l || e }},
	{"nle", "", func(l, e, _ bool) bool { return !l && !e }},
	{"neq", "", func(_, e, _ bool) bool { return !e }},
	{"nlt", "", func(l, _, _ bool) bool { return !l }},
	{"tru", "", func(_, _, _ bool) bool { return true }},
}

// Classes of floats, in the order of the bits of v_cmp_class's operand.
const (
	signalingNaN = iota
	quietNaN
	negativeInfinity
	negativeNormal
	negativeDenormal
	negativeZero
	positiveZero
	positiveDenormal
	positiveNormal
	positiveInfinity
)

// classOf returns the class of a float with so many bits of fraction and exponent.
func classOf(x uint64, fractionBits, exponentBits uint) uint {
	fraction, exponent := x&(1<<fractionBits-1), x>>fractionBits&(1<<exponentBits-1)
	negative := x>>(fractionBits+exponentBits)&1 != 0
	class := uint(positiveNormal)
	switch {
	case exponent == 1<<exponentBits-1 && fraction>>(fractionBits-1) != 0:
		return quietNaN
	case exponent == 1<<exponentBits-1 && fraction != 0:
		return signalingNaN
	case exponent == 1<<exponentBits-1:
		class = positiveInfinity
	case exponent == 0 && fraction == 0:
		class = positiveZero
	case exponent == 0:
		class = positiveDenormal
	}
	if negative { // the classes of negative numbers mirror the others
		class = negativeInfinity + positiveInfinity - class
	}
	return class
}

func comparisons() []row {
	class := func(code int, name string, k kind, fractionBits, exponentBits uint) row {
		return row{code: code, name: "v_cmp_class_" + name, d: mask, s: [3]kind{k, b32},
			compare: func(a, b uint64) bool { return b>>classOf(a, fractionBits, exponentBits)&1 != 0 }}
	}
	rows := []row{class(0x10, "f32", f32, 23, 8), class(0x12, "f64", f64, 52, 11)}
	for _, t := range compared {
		for n, c := range conditions {
			name := c.float
			if !t.kind.float() {
				name = c.integer
			}
			if name == "" {
				continue
			}
			rows = append(rows, row{code: t.code + n, name: "v_cmp_" + name + "_" + t.name, d: mask, s: [3]kind{t.kind, t.kind},
				compare: func(a, b uint64) bool { return c.holds(t.order(a, b)) }})
		}
	}
	return rows
}

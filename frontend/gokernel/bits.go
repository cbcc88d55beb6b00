package gokernel

import (
	"strconv"

	"golang.org/x/tools/go/ssa"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file translates calls of package math/bits. Where Go panics, for a zero divisor and for a
// quotient overflow, the result is unspecified but the same on every device.

// bitFunction is a call of a function of math/bits for one operand width.
type bitFunction struct {
	*frame
	b *ir.Builder
	// width is the operands' width in Go. It is 64 for uint, which has 32 bits on devices: counts
	// are those of Go for each value that fits.
	width int
	kind  scalar.Kind // of the operands
	x     []ir.Value  // the operands, in 32 bits at least
}

// bitFunctions are the functions of each width, from the smallest width that has one.
var bitFunctions = []struct {
	name string
	from int
	make func(f *bitFunction) []ir.Value
}{
	{"OnesCount", 8, func(f *bitFunction) []ir.Value { return f.int(f.b.Op(op.CountOneBits, f.x[0])) }},
	{"Len", 8, func(f *bitFunction) []ir.Value { return f.int(f.length()) }},
	{"LeadingZeros", 8, func(f *bitFunction) []ir.Value {
		if f.bits() == f.width {
			return f.int(f.b.Op(op.CountLeadingZeros, f.x[0]))
		}
		return f.int(f.b.Op(op.Sub, f.number(uint64(f.width)), f.length()))
	}},
	{"TrailingZeros", 8, func(f *bitFunction) []ir.Value {
		zeros := f.b.Op(op.CountTrailingZeros, f.x[0])
		switch bits := f.bits(); {
		case bits > f.width:
			zeros = f.b.Op(op.Min, zeros, f.number(uint64(f.width)))
		case bits < f.width:
			zeros = f.b.Op(op.Select, f.b.Op(op.Eq, f.x[0], f.number(0)), f.number(uint64(f.width)), zeros)
		}
		return f.int(zeros)
	}},
	{"Reverse", 8, func(f *bitFunction) []ir.Value {
		return f.toOperandKind(f.b.Op(op.Shr, f.b.Op(op.ReverseBits, f.x[0]), f.t.m.ConstU32(uint32(f.bits()-f.kind.Bits()))))
	}},
	{"ReverseBytes", 16, func(f *bitFunction) []ir.Value { return f.toOperandKind(f.reversedBytes(f.x[0])) }},
	{"RotateLeft", 8, func(f *bitFunction) []ir.Value { return f.toOperandKind(f.rotated()) }},
	{"Add", 32, func(f *bitFunction) []ir.Value {
		part := f.b.Op(op.Add, f.x[0], f.x[1])
		sum := f.b.Op(op.Add, part, f.x[2])
		return f.carried(sum, f.b.Op(op.Lt, part, f.x[0]), f.b.Op(op.Lt, sum, part))
	}},
	{"Sub", 32, func(f *bitFunction) []ir.Value {
		part := f.b.Op(op.Sub, f.x[0], f.x[1])
		rest := f.b.Op(op.Sub, part, f.x[2])
		return f.carried(rest, f.b.Op(op.Lt, f.x[0], f.x[1]), f.b.Op(op.Lt, part, f.x[2]))
	}},
	{"Mul", 32, func(f *bitFunction) []ir.Value {
		return []ir.Value{f.b.Op(op.MulHigh, f.x[0], f.x[1]), f.b.Op(op.Mul, f.x[0], f.x[1])}
	}},
	{"Div", 32, func(f *bitFunction) []ir.Value {
		quotient, rest := f.divided(f.x[0])
		return []ir.Value{quotient, rest}
	}},
	{"Rem", 32, func(f *bitFunction) []ir.Value {
		high := f.x[0]
		if f.bits() == 64 {
			high = f.b.Op(op.Rem, high, f.x[2])
		}
		_, rest := f.divided(high)
		return []ir.Value{rest}
	}},
}

// addBitFunctions adds the functions of math/bits to the intrinsics.
func addBitFunctions(table map[string]intrinsic) {
	for n := range bitFunctions {
		row := &bitFunctions[n]
		for width := row.from; width <= 64; width *= 2 {
			table["math/bits."+row.name+strconv.Itoa(width)] = ofBits(width, row.make)
		}
		table["math/bits."+row.name] = ofBits(64, row.make)
	}
}

func ofBits(width int, build func(f *bitFunction) []ir.Value) intrinsic {
	return func(f *frame, args []operand, _ *ssa.Call) operand {
		w := bitFunction{frame: f, b: &f.t.b, width: width}
		for n := range args {
			x, k := f.t.widened(args[n].value)
			if n == 0 {
				w.kind = k
			}
			w.x = append(w.x, x)
		}
		results := build(&w)
		if len(results) == 1 {
			return made(results[0])
		}
		tuple := operand{kind: aTuple}
		for _, r := range results {
			tuple.parts = append(tuple.parts, made(r))
		}
		return tuple
	}
}

// bits is the width of the IR operands.
func (f *bitFunction) bits() int { return f.t.m.ScalarOf(f.b.F.TypeOf(f.x[0])).Bits() }

// number is a constant of the operands' type.
func (f *bitFunction) number(n uint64) ir.Value {
	return f.t.m.ConstInt(f.b.F.TypeOf(f.x[0]), int64(n))
}

// int returns a count as an int.
func (f *bitFunction) int(x ir.Value) []ir.Value { return []ir.Value{f.b.Convert(scalar.I32, x)} }

// toOperandKind converts a result to the operands' kind.
func (f *bitFunction) toOperandKind(x ir.Value) []ir.Value { return []ir.Value{f.b.Convert(f.kind, x)} }

func (f *bitFunction) length() ir.Value {
	return f.b.Op(op.Sub, f.number(uint64(f.bits())), f.b.Op(op.CountLeadingZeros, f.x[0]))
}

// rotated rotates by any count, negative ones to the right, as x<<n | x>>-n. The IR takes counts
// modulo the width. For narrow operands it rotates a word of repeated copies.
func (f *bitFunction) rotated() ir.Value {
	x, n := f.x[0], f.b.Convert(scalar.U32, f.x[1])
	switch f.kind.Bits() {
	case 8:
		x = f.b.Op(op.Mul, x, f.number(0x01010101))
	case 16:
		x = f.b.Op(op.Mul, x, f.number(0x00010001))
	}
	back := f.b.Op(op.Sub, f.t.m.ConstU32(0), n)
	return f.b.Op(op.Or, f.b.Op(op.Shl, x, n), f.b.Op(op.Shr, x, back))
}

// reversedBytes reverses the bytes of two, four or eight.
func (f *bitFunction) reversedBytes(x ir.Value) ir.Value {
	b, m := f.b, f.t.m
	shifted := func(o op.Op, x ir.Value, by uint32) ir.Value { return b.Op(o, x, m.ConstU32(by)) }
	if f.kind.Bits() == 16 {
		return b.Op(op.Or, shifted(op.Shl, x, 8), shifted(op.Shr, x, 8))
	}
	words := []ir.Value{x}
	if f.bits() == 64 {
		words = []ir.Value{b.Convert(scalar.U32, x), b.Convert(scalar.U32, shifted(op.Shr, x, 32))}
	}
	for n, w := range words {
		swapped := b.Op(op.Or, shifted(op.Shl, w, 16), shifted(op.Shr, w, 16))
		odd := b.Op(op.And, shifted(op.Shr, swapped, 8), m.ConstU32(0x00ff00ff))
		even := shifted(op.Shl, b.Op(op.And, swapped, m.ConstU32(0x00ff00ff)), 8)
		words[n] = b.Op(op.Or, odd, even)
	}
	if len(words) == 1 {
		return words[0]
	}
	return b.Op(op.Or, shifted(op.Shl, b.Convert(scalar.U64, words[0]), 32), b.Convert(scalar.U64, words[1]))
}

// carried returns a sum or difference with its carry, which is that of one of two steps.
func (f *bitFunction) carried(x, first, second ir.Value) []ir.Value {
	carry := f.b.Op(op.Select, f.b.Op(op.Or, first, second), f.number(1), f.number(0))
	return []ir.Value{x, carry}
}

// divided divides the double-width number of high and the second operand by the third.
func (f *bitFunction) divided(high ir.Value) (quotient, rest ir.Value) {
	b, m := f.b, f.t.m
	low, divisor := f.x[1], f.x[2]
	if f.bits() == 32 {
		long := b.Op(op.Or, b.Op(op.Shl, b.Convert(scalar.U64, high), m.ConstU32(32)), b.Convert(scalar.U64, low))
		divisor = b.Convert(scalar.U64, divisor)
		return b.Convert(scalar.U32, b.Op(op.Div, long, divisor)), b.Convert(scalar.U32, b.Op(op.Rem, long, divisor))
	}
	// Long division in two digits of 32 bits, with the divisor's highest bit set (Knuth, TAOCP 2,
	// 4.3.1, algorithm D).
	half := m.ConstU32(32)
	mask := f.number(1<<32 - 1)
	shift := b.Convert(scalar.U32, b.Op(op.CountLeadingZeros, divisor))
	back := b.Op(op.Sub, m.ConstU32(63), shift)
	d := b.Op(op.Shl, divisor, shift)
	dh, dl := b.Op(op.Shr, d, half), b.Op(op.And, d, mask)
	rest = b.Op(op.Or, b.Op(op.Shl, high, shift), b.Op(op.Shr, b.Op(op.Shr, low, m.ConstU32(1)), back))
	low = b.Op(op.Shl, low, shift)
	for n, next := range []ir.Value{b.Op(op.Shr, low, half), b.Op(op.And, low, mask)} {
		digit := b.Op(op.Min, b.Op(op.Div, rest, dh), mask)
		over := b.Op(op.Sub, rest, b.Op(op.Mul, digit, dh))
		for range 2 { // the digit is at most two too large
			more := b.Op(op.Gt, b.Op(op.Mul, digit, dl), b.Op(op.Or, b.Op(op.Shl, over, half), next))
			more = b.Op(op.And, more, b.Op(op.Le, over, mask))
			digit = b.Op(op.Select, more, b.Op(op.Sub, digit, f.number(1)), digit)
			over = b.Op(op.Select, more, b.Op(op.Add, over, dh), over)
		}
		rest = b.Op(op.Sub, b.Op(op.Or, b.Op(op.Shl, rest, half), next), b.Op(op.Mul, digit, d))
		if n == 0 {
			quotient = b.Op(op.Shl, digit, half)
		} else {
			quotient = b.Op(op.Or, quotient, digit)
		}
	}
	return quotient, b.Op(op.Shr, rest, shift)
}

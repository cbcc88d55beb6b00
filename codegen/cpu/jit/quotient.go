package jit

import (
	"math/bits"

	"github.com/gpuc/gpuc/codegen/cpu/amd64"
	"github.com/gpuc/gpuc/codegen/mir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file divides vectors of words by constants: by products instead of quotients (Granlund and
// Montgomery, "Division by invariant integers using multiplication", 1994).

// reciprocal is how words without sign are divided by a constant: the upper half of the product
// with the multiplier is shifted. With long, the multiplier has one bit more, for which the
// dividend is added, by halves.
type reciprocal struct {
	multiplier uint32
	shift      int
	long       bool
}

// reciprocalOf returns that of a divisor that is no power of two. With m = ⌈2^(32+shift) / d⌉, ⌊x·m
// / 2^(32+shift)⌋ is ⌊x / d⌋ for all x below 2^32 if m·d is at most 2^shift more than 2^(32+shift)
// (theorem 4.2 there). Some shift does that with an m of 33 bits.
func reciprocalOf(d uint32) reciprocal {
	shift := bits.Len32(d - 1)
	for n := range shift {
		one := uint64(1) << (32 + n)
		if m := (one + uint64(d) - 1) / uint64(d); m < 1<<32 && m*uint64(d)-one <= 1<<n {
			return reciprocal{uint32(m), n, false}
		}
	}
	return reciprocal{uint32((1<<shift-uint64(d))<<32/uint64(d) + 1), shift, true}
}

// dividesByConstant emits a quotient or a remainder of words by a constant, and reports whether the
// instruction is one.
func (s *selector) dividesByConstant(i mir.Inst) bool {
	f := s.f
	o, k := op.Op(f.Op(i)), f.Kind(i)
	if o != op.Div && o != op.Rem || k != scalar.U32 && k != scalar.I32 || !f.Arg(i, 1).IsConst() {
		return false
	}
	return s.divideBy(o, k, s.value(f.Result(i)).vector[0], s.vector(f.Arg(i, 0), 0), uint32(f.Bits(f.Arg(i, 1))))
}

// divideBy emits the quotient or the remainder of words by a constant, unless that is 0 or 1 or has
// a magnitude of 2^31 with a sign.
func (s *selector) divideBy(o op.Op, k scalar.Kind, to, x amd64.Operand, d uint32) bool {
	if k == scalar.U32 && d > 1 {
		s.restOf(o, to, x, s.quotientOf(x, d), d)
		return true
	}
	magnitude := d
	if int32(d) < 0 {
		magnitude = -d
	}
	if k == scalar.U32 || magnitude < 2 || magnitude>>31 != 0 {
		return false
	}
	absolute, signed := s.freshVector(), s.freshVector()
	s.emit(amd64.VPAbsD, amd64.Wide, absolute, x)
	s.emit(amd64.VPSignD, amd64.Wide, signed, s.quotientOf(absolute, magnitude), x)
	if o == op.Div && magnitude != d {
		zero := s.freshVector()
		s.emit(amd64.VPXor, amd64.Wide, zero, zero, zero)
		s.emit(amd64.VPSubD, amd64.Wide, to, zero, signed)
		return true
	}
	s.restOf(o, to, x, signed, magnitude) // a remainder does not depend on the sign of the divisor
	return true
}

// restOf makes the result of a quotient: itself, or what the dividend has beside so many times the
// divisor.
func (s *selector) restOf(o op.Op, to, x, quotient amd64.Operand, d uint32) {
	if o == op.Div {
		s.emit(amd64.VMovUPS, amd64.Wide, to, quotient)
		return
	}
	product := s.freshVector()
	s.emitConstant(amd64.VPMullD, product, quotient, d)
	s.emit(amd64.VPSubD, amd64.Wide, to, x, product)
}

// quotientOf divides unsigned words by a constant above 1.
func (s *selector) quotientOf(x amd64.Operand, d uint32) amd64.Operand {
	shifted := func(o amd64.Op, x amd64.Operand, by int) amd64.Operand {
		if by == 0 {
			return x
		}
		r := s.freshVector()
		s.immediate(o, amd64.Wide, int64(by), r, x)
		return r
	}
	if d&(d-1) == 0 {
		return shifted(amd64.VPSrlD, x, bits.TrailingZeros32(d))
	}
	r := reciprocalOf(d)
	product := func(x amd64.Operand) amd64.Operand { // of every second word
		p := s.freshVector()
		i := amd64.Of(amd64.VPMulUDQ, amd64.Wide, p, x)
		s.operand(&i, 2, &taken{constant: true, bits: uint64(r.multiplier), wide: true})
		s.append(&i)
		return p
	}
	even := shifted(amd64.VPSrlQ, product(x), 32)
	odd, high := s.freshVector(), s.freshVector()
	i := amd64.Of(amd64.VPAnd, amd64.Wide, odd, product(shifted(amd64.VPSrlQ, x, 32)))
	s.operand(&i, 2, &taken{constant: true, bits: 0xFFFFFFFF << 32, wide: true})
	s.append(&i)
	s.emit(amd64.VPOr, amd64.Wide, high, even, odd)
	if !r.long {
		return shifted(amd64.VPSrlD, high, r.shift)
	}
	rest, sum := s.freshVector(), s.freshVector()
	s.emit(amd64.VPSubD, amd64.Wide, rest, x, high)
	s.emit(amd64.VPAddD, amd64.Wide, sum, shifted(amd64.VPSrlD, rest, 1), high)
	return shifted(amd64.VPSrlD, sum, r.shift-1)
}

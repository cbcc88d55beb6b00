package jit

import (
	"github.com/gpuc/gpuc/codegen/cpu/amd64"
	"github.com/gpuc/gpuc/codegen/mir"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file selects what goes from one width to another: halves of 64-bit operands, conversions,
// wide products, scalars that are joined or split.

// longOperand returns half of an operand of an operation on 64 bits: words are extended by zeros,
// predicates by their sign.
func (s *selector) longOperand(i mir.Inst, n, part int, a mir.Operand) taken {
	if a.IsConst() {
		x := s.vectorSource(a, part)
		if !x.wide {
			x.wide = true
			if s.f.KindOf(a) == scalar.Bool {
				x.bits = uint64(int64(int32(x.bits)))
			}
		}
		return x
	}
	switch a.Class() {
	case mir.Long:
		return s.operandOf(i, n, part)
	case mir.Predicate:
		return from(s.widened(s.value(a).vector[0], part))
	}
	r := s.freshVector()
	s.emit(amd64.VPMovZXDQ, amd64.Wide, r, s.lowerHalf(s.canonical(a, 0), part))
	return from(r)
}

// lower makes words of the lower halves of 64-bit lanes.
func (s *selector) lower(d amd64.Operand, x [2]amd64.Operand) { s.halfWords(d, x, 0x88) }

func (s *selector) halfWords(d amd64.Operand, x [2]amd64.Operand, which int64) {
	mixed := s.freshVector()
	s.immediate(amd64.VShufPS, amd64.Wide, which, mixed, x[0], x[1])
	s.immediate(amd64.VPermQ, amd64.Wide, 0xD8, d, mixed)
}

// split makes words of 64-bit lanes, and join the reverse.
func (s *selector) split(x [2]amd64.Operand) [2]amd64.Operand {
	low, high := s.freshVector(), s.freshVector()
	s.halfWords(low, x, 0x88)
	s.halfWords(high, x, 0xDD)
	return [2]amd64.Operand{low, high}
}

func (s *selector) join(d [2]amd64.Operand, low, high amd64.Operand) {
	x, y := s.freshVector(), s.freshVector()
	s.emit(amd64.VPUnpckLDQ, amd64.Wide, x, low, high)
	s.emit(amd64.VPUnpckHDQ, amd64.Wide, y, low, high)
	s.immediate(amd64.VPerm2I128, amd64.Wide, 0x20, d[0], x, y)
	s.immediate(amd64.VPerm2I128, amd64.Wide, 0x31, d[1], x, y)
}

// inSingle computes an operation on f16 in f32. All operands are f32 exactly. Rounding twice gives
// what rounding once does, since f32 has more than twice the bits and two (package eval).
func (s *selector) inSingle(i mir.Inst) {
	f := s.f
	t := table()[f.Op(i)][scalar.F32][byAny]
	if t == nil || op.Op(f.Op(i)) == op.Fma {
		panic(reasonOf(f, i))
	}
	var args [4]taken
	for n := range f.Args(i) {
		x := s.operandOf(i, n, 0)
		if f.KindOf(f.Arg(i, n)).Bits() == 16 {
			r := s.freshVector()
			s.expand(conversions()[scalar.F16][scalar.F32], amd64.Wide, r, []taken{x})
			x = from(r)
		}
		args[n] = x
	}
	v := s.value(f.Result(i))
	if f.Result(i).Class() != mir.Half {
		s.expand(t, amd64.Wide, v.vector[0], args[:])
		return
	}
	r := s.freshVector()
	s.expand(t, amd64.Wide, r, args[:])
	s.expand(conversions()[scalar.F32][scalar.F16], amd64.Wide, v.vector[0], []taken{from(r)})
}

// symbolAddress emits the address of a variable.
func (s *selector) symbolAddress(i mir.Inst) {
	n := s.f.Aux(i)
	d := s.value(s.f.Result(i)).general
	offset := int64(s.p.Offsets[n])
	if s.f.Symbols[n].Space == ir.Constant {
		s.load(amd64.Mov, amd64.Wide, d, amd64.At(contextRegister, contextConstants))
		s.immediate(amd64.Add, amd64.Wide, offset, d)
		return
	}
	s.immediate(amd64.Mov, amd64.Narrow, offset, d)
}

// mulWide emits the product of 64 bits of two words.
func (s *selector) mulWide(i mir.Inst, inFirst bool) {
	f := s.f
	v := s.value(f.Result(i))
	signed := f.Kind(i) == scalar.I32
	if inFirst {
		if x, factor, ok := s.factorOf(i); ok && factor == int64(int32(factor)) {
			r := s.general(x)
			if signed {
				r = s.freshGeneral()
				s.emit(amd64.MovSXD, amd64.Wide, r, s.general(x))
			}
			s.immediate(amd64.IMulImm, amd64.Wide, factor, v.general, r)
			return
		}
		for n, a := range f.Args(i) {
			x := s.generalSource(a)
			if x.constant {
				x.bits = uint64(uint32(x.bits))
				if signed {
					x.bits = uint64(int64(int32(x.bits)))
				}
				x.register = s.generalOf(x.bits)
			} else if signed {
				r := s.freshGeneral()
				s.emit(amd64.MovSXD, amd64.Wide, r, x.register)
				x.register = r
			}
			if n == 0 {
				s.emit(amd64.Mov, amd64.Wide, v.general, x.register)
			} else {
				s.emit(amd64.IMul, amd64.Wide, v.general, x.register)
			}
		}
		return
	}
	o := amd64.VPMulUDQ
	if signed {
		o = amd64.VPMulDQ
	}
	for part := range 2 {
		n := amd64.Of(o, amd64.Wide, v.vector[part])
		for k, a := range f.Args(i) {
			if a.IsConst() {
				s.operand(&n, k+1, &taken{constant: true, bits: uint64(uint32(f.Bits(a))), wide: true})
				continue
			}
			r := s.freshVector()
			s.emit(amd64.VPMovZXDQ, amd64.Wide, r, s.lowerHalf(s.canonical(a, 0), part))
			n.Operands[k+1] = r
		}
		s.append(&n)
	}
}

// factorOf returns the operands of a wide product of which one is a constant.
func (s *selector) factorOf(i mir.Inst) (x mir.Operand, factor int64, ok bool) {
	f := s.f
	x, y := f.Arg(i, 0), f.Arg(i, 1)
	if x.IsConst() {
		x, y = y, x
	}
	if x.IsConst() || !y.IsConst() {
		return 0, 0, false
	}
	factor = int64(uint32(f.Bits(y)))
	if f.Kind(i) == scalar.I32 {
		factor = int64(int32(f.Bits(y)))
	}
	return x, factor, true
}

// convert emits a conversion.
func (s *selector) convert(i mir.Inst, inFirst bool) {
	f := s.f
	from1, to := f.Kind(i), f.To(i)
	v := s.value(f.Result(i))
	if inFirst {
		args := []taken{s.generalSource(f.Arg(i, 0))}
		s.expand(scalarConversions()[from1][to], amd64.Narrow, v.general, args)
		return
	}
	if o := s.convertsAtOnce(i); o != 0 {
		s.emit(o, amd64.Wide, v.vector[0], s.vector(f.Arg(i, 0), 0))
		return
	}
	t := conversions()[from1][to]
	if t == nil {
		s.convertTwice(i)
		return
	}
	if from1.Bits() != 64 && to.Bits() != 64 {
		x := s.operandOf(i, 0, 0)
		s.expand(t, amd64.Wide, v.vector[0], []taken{x})
		return
	}
	result := v.vector
	if to.Bits() != 64 {
		result = [2]amd64.Operand{s.freshVector(), s.freshVector()}
	}
	for part := range 2 {
		x := s.operandOf(i, 0, part*from1.Bits()/64)
		if x.constant {
			x.register, x.constant = s.inRegister(&x), false
		}
		if from1.Bits() != 64 {
			x.register = s.lowerHalf(x.register, part)
		}
		s.expand(t, amd64.Wide, result[part], []taken{x})
	}
	if to.Bits() != 64 {
		s.immediate(amd64.VInsertI128, amd64.Wide, 1, v.vector[0], result[0], result[1])
	}
}

// convertTwice goes by way of f32, which has all values of f16.
func (s *selector) convertTwice(i mir.Inst) {
	f := s.f
	from1, to := f.Kind(i), f.To(i)
	if from1 != scalar.F16 || conversions()[scalar.F32][to] == nil {
		panic(refusal("the conversion of " + from1.String() + " to " + to.String()))
	}
	v := s.value(f.Result(i))
	x := s.freshVector()
	s.expand(conversions()[scalar.F16][scalar.F32], amd64.Wide, x, []taken{s.operandOf(i, 0, 0)})
	t := conversions()[scalar.F32][to]
	if to.Bits() != 64 {
		s.expand(t, amd64.Wide, v.vector[0], []taken{from(x)})
		return
	}
	for part := range 2 {
		s.expand(t, amd64.Wide, v.vector[part], []taken{from(s.lowerHalf(x, part))})
	}
}

// joinOrSplit puts scalars together from narrower ones, or splits them.
func (s *selector) joinOrSplit(i mir.Inst) {
	f := s.f
	args, results := f.Args(i), f.Results(i)
	pair := func(low, high amd64.Operand) amd64.Operand {
		upper, both := s.freshVector(), s.freshVector()
		s.immediate(amd64.VPSllD, amd64.Wide, 16, upper, high)
		s.emit(amd64.VPOr, amd64.Wide, both, upper, low)
		return both
	}
	splitWord := func(x amd64.Operand, low, high mir.Operand) {
		s.emitConstant(amd64.VPAnd, s.value(low).vector[0], x, 0xFFFF)
		s.immediate(amd64.VPSrlD, amd64.Wide, 16, s.value(high).vector[0], x)
	}
	if f.Op(i) == mir.Join {
		var in [4]amd64.Operand
		for n, a := range args {
			in[n] = s.canonical(a, 0)
		}
		v := s.value(results[0])
		switch {
		case f.Kind(i).Bits() == 32:
			s.emit(amd64.VMovUPS, amd64.Wide, v.vector[0], pair(in[0], in[1]))
		case len(args) == 4:
			s.join(v.vector, pair(in[0], in[1]), pair(in[2], in[3]))
		default:
			s.join(v.vector, in[0], in[1])
		}
		return
	}
	if f.Kind(i).Bits() == 32 {
		splitWord(s.canonical(args[0], 0), results[0], results[1])
		return
	}
	x := s.split([2]amd64.Operand{s.canonical(args[0], 0), s.canonical(args[0], 1)})
	if len(results) == 4 {
		splitWord(x[0], results[0], results[1])
		splitWord(x[1], results[2], results[3])
		return
	}
	for n, r := range results {
		s.emit(amd64.VMovUPS, amd64.Wide, s.value(r).vector[0], x[n])
	}
}

// packing emits the operations on several scalars that legalisers leave.
func (s *selector) packing(i mir.Inst) {
	f := s.f
	switch op.Op(f.Op(i)) {
	case op.Pack2x16Float:
		var in [2]amd64.Operand
		for n := range in {
			r := s.freshVector()
			s.expand(conversions()[scalar.F32][scalar.F16], amd64.Wide, r, []taken{s.vectorSource(f.Arg(i, n), 0)})
			in[n] = s.freshVector()
			s.expand(canonicalizers()[mir.Half], amd64.Wide, in[n], []taken{from(r)})
		}
		upper := s.freshVector()
		s.immediate(amd64.VPSllD, amd64.Wide, 16, upper, in[1])
		s.emit(amd64.VPOr, amd64.Wide, s.value(f.Result(i)).vector[0], upper, in[0])
	case op.Unpack2x16Float:
		x := s.canonical(f.Arg(i, 0), 0)
		for n, r := range f.Results(i) {
			part := s.freshVector()
			if n == 0 {
				s.emitConstant(amd64.VPAnd, part, x, 0xFFFF)
			} else {
				s.immediate(amd64.VPSrlD, amd64.Wide, 16, part, x)
			}
			s.expand(conversions()[scalar.F16][scalar.F32], amd64.Wide, s.value(r).vector[0], []taken{from(part)})
		}
	default:
		panic(reasonOf(f, i))
	}
}

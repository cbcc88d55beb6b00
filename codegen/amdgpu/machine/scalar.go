package machine

import (
	"github.com/gpuc/gpuc/codegen/amdgpu/isa"
	"github.com/gpuc/gpuc/codegen/mir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file selects scalar instructions for uniform values: those that are computed from scalar
// registers and constants alone.

// scalarOps are the instructions of operations on words: unsigned, signed.
var scalarOps = [op.Count][2]opcode{
	op.Add: {isa.SAddU32, isa.SAddU32}, op.Sub: {isa.SSubU32, isa.SSubU32}, op.Mul: {isa.SMulI32, isa.SMulI32}, op.And: {isa.SAndB32, isa.SAndB32},
	op.Or: {isa.SOrB32, isa.SOrB32}, op.Xor: {isa.SXorB32, isa.SXorB32}, op.Shl: {isa.SLshlB32, isa.SLshlB32}, op.Shr: {isa.SLshrB32, isa.SAshrI32},
	op.Min: {isa.SMinU32, isa.SMinI32}, op.Max: {isa.SMaxU32, isa.SMaxI32},
}

// computeScalar selects an operation on two words if one is in a scalar register and none in a
// vector register, and reports whether it did.
func (s *selector) computeScalar(i mir.Inst, o op.Op, k scalar.Kind) bool {
	if k != scalar.U32 && k != scalar.I32 || scalarOps[o][0] == 0 {
		return false
	}
	x, y, ok := s.scalarOperands(i)
	if !ok {
		return false
	}
	row := scalarOps[o][0]
	if k == scalar.I32 {
		row = scalarOps[o][1]
	}
	r := s.fresh(scalars, 1)
	s.emit(row, r, x, y)
	s.setScalar(s.f.Result(i), r)
	return true
}

// scalarOperands returns the two operands of an instruction, and whether they are uniform and not
// both constants.
func (s *selector) scalarOperands(i mir.Inst) (x, y operand, ok bool) {
	x, y = s.word(s.f.Arg(i, 0)), s.word(s.f.Arg(i, 1))
	return x, y, !x.isVector() && !y.isVector() && (x.isScalar() || y.isScalar())
}

// multiplyWide selects the 64-bit product of two uniform words, and reports whether it did.
func (s *selector) multiplyWide(i mir.Inst) bool {
	x, y, ok := s.scalarOperands(i)
	if !ok {
		return false
	}
	high := isa.SMulHiU32
	if s.f.Kind(i) == scalar.I32 {
		high = isa.SMulHiI32
	}
	r := s.fresh(scalars, 2)
	s.emit(isa.SMulI32, r.at(0), x, y)
	s.emit(high, r.at(1), x, y)
	s.setScalar(s.f.Result(i), r)
	return true
}

// addScalar returns the sum of two uniform addresses.
func (s *selector) addScalar(x, y operand) operand {
	r := s.fresh(scalars, 2)
	s.emit(isa.SAddU32, r.at(0), x.at(0), y.at(0))
	s.emit(isa.SAddcU32, r.at(1), x.at(1), y.at(1))
	return r
}

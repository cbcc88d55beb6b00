package jit

import (
	"github.com/gpuc/gpuc/codegen/cpu/amd64"
	"github.com/gpuc/gpuc/codegen/mir"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
)

// This file makes atomics, which go from active lane to active lane. Workgroup memory belongs to
// one thread, so what is done there need not be locked.

// modification says by what an atomic makes the new value of its operand and of what was there.
type modification struct {
	by       amd64.Op  // an instruction, or none if it takes the lesser or the greater
	identity [2]uint64 // the identity of the operation, unsigned and signed
}

// modifications are those of the associative and commutative operations.
var modifications = map[op.AtomicOperation]modification{
	op.AtomicAdd: {by: amd64.Add},
	op.AtomicSub: {by: amd64.Add}, // what is taken away is added up
	op.AtomicAnd: {by: amd64.And, identity: [2]uint64{1<<32 - 1, 1<<32 - 1}},
	op.AtomicOr:  {by: amd64.Or},
	op.AtomicXor: {by: amd64.Xor},
	op.AtomicMin: {identity: [2]uint64{1<<32 - 1, 1<<31 - 1}},
	op.AtomicMax: {identity: [2]uint64{0, 1 << 31}},
}

// modifier is an atomic that reads and writes, as it is emitted.
type modifier struct {
	operation op.AtomicOperation
	exchange  bool // compares and exchanges
	signed    bool
	width     amd64.Width
	locked    bool
	returns   bool // the previous value is used
}

// modifierOf describes an atomic.
func (s *selector) modifierOf(i mir.Inst) modifier {
	f := s.f
	m := f.Memory(i)
	x := modifier{operation: op.AtomicOperation(f.Aux(i)), exchange: op.Op(f.Op(i)) == op.AtomicCompareExchange, signed: m.Kind.IsSigned(),
		width: widthOf(int64(m.Kind.Bytes())), locked: m.Space != ir.Workgroup}
	for _, r := range f.Results(i) {
		x.returns = x.returns || s.value(r).needs != 0
	}
	return x
}

// isShort reports whether it takes few instructions for a lane, so that eight lanes in a row do.
func (m *modifier) isShort() bool {
	return !m.exchange && (m.operation == op.AtomicAdd || m.operation == op.AtomicSub || m.operation == op.AtomicExchange)
}

// atomic emits an atomic of memory that is read and written.
func (s *selector) atomic(i mir.Inst, a *address) {
	f := s.f
	kind := f.Memory(i).Kind
	bytes := int64(kind.Bytes())
	if kind.IsFloat() || bytes < 4 || a.space == ir.Private {
		panic(refusal("an atomic of " + kind.String()))
	}
	m := s.modifierOf(i)
	if s.joins(&m, a, bytes) {
		s.atomicJoined(i, a, &m)
		return
	}
	inRow := m.isShort() && s.inRow()
	p := s.addressesOf(a, inRow)
	for k, x := range f.Args(i) {
		for part := range bytes / 4 {
			s.put(1+k, int(part), s.canonical(x, int(part)))
		}
	}
	s.eachLane(inRow, func(l lane) {
		at := s.laneAddress(&p, l)
		x := s.freshGeneral()
		s.load(amd64.Mov, m.width, x, s.laneOf(1, l, bytes))
		y := amd64.Operand(0)
		if m.exchange {
			y = s.freshGeneral()
			s.load(amd64.Mov, m.width, y, s.laneOf(2, l, bytes))
		}
		if old := s.modify(&m, at, x, y); m.returns {
			s.store(amd64.Mov, m.width, s.laneOf(3, l, bytes), old)
		}
	})
	if m.returns {
		v := s.value(f.Result(i))
		for part := range bytes / 4 {
			s.get(3, int(part), v.vector[part])
		}
	}
}

// modify emits the modification of one location by x, whose register is its own, and returns what
// was there, if that is used. To compare and exchange is to store y.
func (s *selector) modify(m *modifier, at amd64.Address, x, y amd64.Operand) (old amd64.Operand) {
	memory := func(o amd64.Op, operand amd64.Operand) {
		s.store(o, m.width, at, operand)
		s.list[len(s.list)-1].Address.Locked = m.locked && o != amd64.XChg
	}
	switch {
	case m.exchange && m.locked: // a lane that finds another value needs no lock to fail
		other := s.label()
		s.load(amd64.Mov, m.width, amd64.RAX, at)
		s.emit(amd64.Cmp, m.width, amd64.RAX, x)
		s.jumpIf(amd64.NotEqual, other)
		memory(amd64.CmpXchg, y)
		s.mark(other)
		return amd64.RAX
	case m.exchange:
		s.emit(amd64.Mov, m.width, amd64.RAX, x)
		memory(amd64.CmpXchg, y)
		return amd64.RAX
	case m.operation == op.AtomicAdd, m.operation == op.AtomicSub:
		if m.operation == op.AtomicSub {
			s.emit(amd64.Neg, m.width, x)
		}
		o := amd64.Add
		if m.returns || m.locked {
			o = amd64.XAdd
		}
		memory(o, x)
		return x
	case m.operation == op.AtomicExchange:
		memory(amd64.XChg, x)
		return x
	}
	again, next := s.label(), s.freshGeneral()
	s.load(amd64.Mov, m.width, amd64.RAX, at)
	s.mark(again)
	s.emit(amd64.Mov, m.width, next, x)
	s.accumulate(m, next, amd64.RAX)
	memory(amd64.CmpXchg, next)
	s.jumpIf(amd64.NotEqual, again)
	return amd64.RAX
}

// accumulate combines two values in the first register. What an atomic takes away is added.
func (s *selector) accumulate(m *modifier, x, y amd64.Operand) {
	if by := modifications[m.operation].by; by != 0 {
		s.emit(by, m.width, x, y)
		return
	}
	s.emit(amd64.Cmp, m.width, y, x)
	i := amd64.Of(amd64.Cmovcc, m.width, x, y)
	i.Condition = minMaxCondition(m.operation == op.AtomicMin, m.signed)
	s.append(&i)
}

// joins reports whether the lanes of a block modify one word, and the previous value is not used:
// it is modified once, by all of their operands together. Locked accesses take a hundred times as
// long as others.
func (s *selector) joins(m *modifier, a *address, bytes int64) bool {
	_, known := modifications[m.operation]
	return known && !m.exchange && !m.returns && a.pattern == uniformAddress && bytes == 4
}

// atomicJoined emits that.
func (s *selector) atomicJoined(i mir.Inst, a *address, m *modifier) {
	x := s.f.Arg(i, 0)
	all := s.canonical(x, 0)
	end := s.guard(i)
	mask := s.mask()
	if mask != 0 {
		identity := modifications[m.operation].identity[0]
		if m.signed {
			identity = modifications[m.operation].identity[1]
		}
		some := s.freshVector()
		neutral := taken{constant: true, bits: identity}
		s.emit(amd64.VMovUPS, amd64.Wide, some, s.inRegister(&neutral))
		s.blend(some, from(all), mask, false, 0)
		all = some
	}
	s.put(1, 0, all)
	sum := s.freshGeneral()
	s.load(amd64.Mov, m.width, sum, s.laneOf(1, lane{}, 4))
	for n := int32(1); n < lanes; n++ {
		next := s.freshGeneral()
		s.load(amd64.Mov, m.width, next, s.laneOf(1, lane{number: n}, 4))
		s.accumulate(m, sum, next)
	}
	s.modify(m, s.first(a), sum, 0)
	s.endGuard(end)
	s.epoch++
}

// minMaxCondition returns the condition under which an atomic min or max keeps the old value.
func minMaxCondition(least, signed bool) amd64.Condition {
	switch {
	case least && signed:
		return amd64.Less
	case least:
		return amd64.Below
	case signed:
		return amd64.Greater
	}
	return amd64.Above
}

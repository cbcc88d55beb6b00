package ptx

import (
	"strconv"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file says where scalars are. PTX has scalar registers only, so every
// value of the IR, be it a vector or a structure, is a run of slots, each a
// register or a constant. Taking composites apart and putting them together is
// then a matter of slots and costs no instruction.

// operand is a scalar's place: a class of register and a number, or a constant
// of the module.
type operand uint32

// class is a register class. PTX lets an instruction of any type of a width
// work on an untyped register of that width (PTX ISA, operand type checking),
// so the 32-bit class holds integers and floats alike and bitcasts are free.
type class uint8

const (
	noClass   class = iota
	predicate       // bool
	half            // f16
	word            // i32 u32 f32
	long            // i64 u64
	constant        // not a register: a constant of the module
	classCount
)

const (
	classShift  = 29
	numberMask  = 1<<classShift - 1
	noOperand   = operand(0)
	constantTag = operand(constant) << classShift
)

func (o operand) class() class   { return class(o >> classShift) }
func (o operand) number() uint32 { return uint32(o & numberMask) }
func (o operand) isConst() bool  { return o.class() == constant }

// registers spells each class: the letter of its registers' names and the type
// of their declaration.
var registers = [classCount]struct {
	letter byte
	typ    string
}{
	predicate: {'p', "pred"},
	half:      {'h', "b16"},
	word:      {'r', "b32"},
	long:      {'d', "b64"},
}

// kinds says, for each scalar kind, its register class and how instruction
// types spell it.
var kinds = [scalar.Count]struct {
	class class
	typ   string // $T
	bits  string // $B
}{
	scalar.Bool: {predicate, "pred", "pred"},
	scalar.I32:  {word, "s32", "b32"},
	scalar.U32:  {word, "u32", "b32"},
	scalar.F32:  {word, "f32", "b32"},
	scalar.F16:  {half, "f16", "b16"},
	scalar.I64:  {long, "s64", "b64"},
	scalar.U64:  {long, "u64", "b64"},
}

// fresh returns a register that nothing uses yet.
func (e *emitter) fresh(c class) operand {
	n := e.count[c]
	e.count[c]++
	return operand(c)<<classShift | operand(n)
}

// constantOperand returns the operand of a scalar constant.
func constantOperand(v ir.Value) operand { return constantTag | operand(v.Index()) }

// constantValue is the inverse of constantOperand: constants are numbered from
// firstConst on.
func (e *emitter) constantValue(o operand) ir.Value { return e.firstConst + ir.Value(o.number()) }

// slotsOf returns the slots of a value. The slice must not be changed.
func (e *emitter) slotsOf(v ir.Value) []operand {
	if v.IsLocal() {
		at := e.values[v]
		return e.slots[at.first : at.first+at.count]
	}
	start := len(e.slots)
	e.appendConstant(v)
	return e.slots[start:]
}

// slot returns the only slot of a scalar.
func (e *emitter) slot(v ir.Value) operand {
	if v.IsLocal() {
		return e.slots[e.values[v].first]
	}
	return constantOperand(v)
}

// appendConstant appends the slots of a constant.
func (e *emitter) appendConstant(v ir.Value) {
	t := e.m.TypeOf(v)
	if e.m.IsScalar(t) {
		e.slots = append(e.slots, constantOperand(v))
		return
	}
	n, _ := e.m.Count(t)
	for i := range n {
		e.appendConstant(e.m.ConstPart(v, i))
	}
}

// define gives a value fresh registers and returns them.
func (e *emitter) define(v ir.Value) []operand {
	start := len(e.slots)
	e.appendFresh(e.f.TypeOf(v))
	e.values[v] = run{uint32(start), uint32(len(e.slots) - start)}
	return e.slots[start:]
}

// appendFresh appends a fresh register for each scalar in a type.
func (e *emitter) appendFresh(t ir.Type) {
	if e.m.IsScalar(t) {
		e.slots = append(e.slots, e.fresh(kinds[e.m.ScalarOf(t)].class))
		return
	}
	n, _ := e.m.Count(t)
	for i := range n {
		e.appendFresh(e.m.PartType(t, i))
	}
}

// alias makes a value stand for slots that exist already.
func (e *emitter) alias(v ir.Value, slots ...operand) {
	start := len(e.slots)
	e.slots = append(e.slots, slots...)
	e.values[v] = run{uint32(start), uint32(len(slots))}
}

// register brings a constant into a register where an instruction takes no
// immediate: predicates, and f16 of arithmetic.
func (e *emitter) register(o operand) operand {
	if !o.isConst() {
		return o
	}
	v := e.constantValue(o)
	k := e.m.ScalarOf(e.m.TypeOf(v))
	r := e.fresh(kinds[k].class)
	e.text("\tmov.", kinds[k].bits, " ")
	e.name(r)
	e.text(", ")
	e.bits(o)
	e.text(";\n")
	return r
}

// name prints a register.
func (e *emitter) name(o operand) {
	e.body = append(e.body, '%', registers[o.class()].letter)
	e.body = strconv.AppendUint(e.body, uint64(o.number()), 10)
}

// typed prints a register, or a constant as instructions of its type take it.
func (e *emitter) typed(o operand) {
	if !o.isConst() {
		e.name(o)
		return
	}
	v := e.constantValue(o)
	bits := e.m.ConstBits(v)
	switch k := e.m.ScalarOf(e.m.TypeOf(v)); {
	case k == scalar.F32:
		e.body = append(e.body, "0f"...)
		e.hex(bits, 8)
	case k.IsFloat():
		e.bits(o)
	case k.IsSigned():
		e.body = strconv.AppendInt(e.body, scalar.ToInt64(k, bits), 10)
	default:
		e.body = strconv.AppendUint(e.body, bits, 10)
		if bits>>63 != 0 {
			e.body = append(e.body, 'U')
		}
	}
}

// bits prints a register, or a constant as an untyped instruction takes it.
func (e *emitter) bits(o operand) {
	if !o.isConst() {
		e.name(o)
		return
	}
	bits := e.m.ConstBits(e.constantValue(o))
	if bits < 10 {
		e.body = append(e.body, '0'+byte(bits))
		return
	}
	e.body = append(e.body, "0x"...)
	e.hex(bits, 1)
}

// hex prints a number with at least the given digits.
func (e *emitter) hex(bits uint64, digits int) {
	n := digits
	for n < 16 && bits>>(4*n) != 0 {
		n++
	}
	for n--; n >= 0; n-- {
		e.body = append(e.body, "0123456789ABCDEF"[bits>>(4*n)&15])
	}
}

func (e *emitter) text(parts ...string) {
	for _, s := range parts {
		e.body = append(e.body, s...)
	}
}

func (e *emitter) number(n int64) { e.body = strconv.AppendInt(e.body, n, 10) }

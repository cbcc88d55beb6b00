package ptx

import (
	"strconv"

	"github.com/gpuc/gpuc/codegen/mir"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file spells registers, constants and numbers. In PTX an instruction of any type works on an
// untyped register of the type's width (PTX ISA, operand type checking). So the 32-bit class holds
// integers and floats alike and bitcasts are free.

// registers spells each class: the letter of its registers' names and the type
// of their declaration.
var registers = [mir.ClassCount]struct {
	letter byte
	typ    string
}{
	mir.Predicate: {'p', "pred"},
	mir.Half:      {'h', "b16"},
	mir.Word:      {'r', "b32"},
	mir.Long:      {'d', "b64"},
}

// kinds says how instruction types spell each scalar kind.
var kinds = [scalar.Count]struct {
	typ  string // $T
	bits string // $B
}{
	scalar.Bool: {"pred", "pred"},
	scalar.I32:  {"s32", "b32"},
	scalar.U32:  {"u32", "b32"},
	scalar.F32:  {"f32", "b32"},
	scalar.F16:  {"f16", "b16"},
	scalar.I64:  {"s64", "b64"},
	scalar.U64:  {"u64", "b64"},
	scalar.F64:  {"f64", "b64"},
	scalar.I8:   {"u8", "b8"}, // whose registers hold words
	scalar.U8:   {"u8", "b8"},
	scalar.I16:  {"u16", "b16"},
	scalar.U16:  {"u16", "b16"},
}

// register brings a constant into a register where an instruction takes no
// immediate: predicates, and f16 of arithmetic.
func (e *emitter) register(o mir.Operand) mir.Operand {
	if !o.IsConst() {
		return o
	}
	k := e.f.KindOf(o)
	r := e.f.Fresh(mir.ClassOf(k))
	e.text("\tmov.", kinds[mir.ClassOf(k).Kind()].bits, " ")
	e.name(r)
	e.text(", ")
	e.bits(o)
	e.text(";\n")
	return r
}

// name prints a register.
func (e *emitter) name(o mir.Operand) {
	e.body = append(e.body, '%', registers[o.Class()].letter)
	e.body = strconv.AppendUint(e.body, uint64(o.Number()), 10)
}

// typed prints a register, or a constant as instructions of its type take it.
func (e *emitter) typed(o mir.Operand) {
	if !o.IsConst() {
		e.name(o)
		return
	}
	bits := e.f.Bits(o)
	switch k := e.f.KindOf(o); {
	case k == scalar.F32:
		e.body = append(e.body, "0f"...)
		e.hex(bits, 8)
	case k == scalar.F64:
		e.body = append(e.body, "0d"...)
		e.hex(bits, 16)
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
func (e *emitter) bits(o mir.Operand) {
	if !o.IsConst() {
		e.name(o)
		return
	}
	bits := e.f.Bits(o)
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

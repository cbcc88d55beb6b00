package arm64

import (
	"math"
	"strconv"
)

// This file writes instructions as text, as LLVM's disassembler does with no
// aliases.

// AppendText appends the instruction as a line of assembly, without its end. Of an instruction that
// cannot be encoded it is a text that says what there is. Registers that have not been assigned
// have numbers from 32 on.
func AppendText(text []byte, i *Instruction) []byte {
	if i.Op >= Ops {
		if i.Op == Mark {
			return append(appendLabel(text, i.Operands[0]), ':')
		}
		return append(text, '?')
	}
	r := fitting(i)
	text = append(text, r.name...)
	switch {
	case r.tail == named && i.Condition < conditions:
		text = append(text, conditionNames[i.Condition]...)
	case r.coding.named() && shapeRows[i.Shape].full:
		text = append(text, '2')
	}
	separator := " "
	for n, o := range i.Operands {
		if o == 0 {
			break
		}
		text = append(text, separator...)
		separator = ", "
		switch s := r.slots[n]; o.Kind() {
		case KindImmediate, KindDistance:
			text = appendImmediate(text, i, s)
		case KindLabel:
			text = appendLabel(text, o)
		case KindMemory:
			text = appendAddress(text, i)
		default:
			text = appendRegisters(text, i, o, s)
		}
	}
	return appendTail(text, i, r)
}

func appendLabel(text []byte, o Operand) []byte {
	return strconv.AppendInt(append(text, "label"...), int64(o.Number()), 10)
}

// fitting returns the row that is encoded, or the first one.
func fitting(i *Instruction) *row {
	list := rowsOf(i.Op)
	for n := range list {
		if _, bad, _ := list[n].encode(i); bad == "" {
			return &list[n]
		}
	}
	return &list[0]
}

// named reports whether all 128 bits are a 2 after the name.
func (c coding) named() bool { return c == qSizeNamed || c == qNamed || c == qFloatNamed }

// appendRegisters appends a register, or the list that begins with it.
func appendRegisters(text []byte, i *Instruction, o Operand, s slot) []byte {
	d := &slotRows[s]
	shape := s.shapeOf(i)
	if d.form == lane {
		if d.list > 0 {
			text = append(text, "{ "...)
		}
		if text = appendRegister(text, o, shape, true); d.list > 0 {
			text = append(text, " }"...)
		}
		return append(strconv.AppendUint(append(text, '['), uint64(s.chosen(i)), 10), ']')
	}
	if d.list == 0 {
		return appendRegister(text, o, shape, false)
	}
	separator := "{ "
	for n := range int(d.list) {
		text = append(text, separator...)
		text = appendRegister(text, Vector((o.Number()+n)%32), shape, false)
		separator = ", "
	}
	return append(text, " }"...)
}

// appendRegister appends a register of a shape; single elements that are chosen by index are those
// of a vector.
func appendRegister(text []byte, o Operand, shape Shape, chosen bool) []byte {
	d := &shapeRows[shape]
	n := int64(o.Number())
	switch {
	case o.Kind() == KindStack && shape == Narrow:
		return append(text, "wsp"...)
	case o.Kind() == KindStack:
		return append(text, "sp"...)
	case o.Kind() == KindGeneral && shape != Wide && shape != Narrow:
		return strconv.AppendInt(append(text, 'g'), n, 10)
	case o == Zero:
		return append(append(text, d.text...), "zr"...)
	case d.vector:
		return append(strconv.AppendInt(append(text, 'v'), n, 10), d.text...)
	case chosen:
		return append(append(strconv.AppendInt(append(text, 'v'), n, 10), '.'), d.text...)
	}
	return strconv.AppendInt(append(text, d.text...), n, 10)
}

// appendImmediate appends the immediate of a slot.
func appendImmediate(text []byte, i *Instruction, s slot) []byte {
	text = append(text, '#')
	switch s {
	case zeroFloat:
		return append(text, "0.0"...)
	case float8:
		return strconv.AppendFloat(text, math.Float64frombits(uint64(i.Immediate)), 'f', 8, 64)
	case maskBit: // as LLVM pads it: to 16 characters, 0x among them, which 0 does not have
		if i.Immediate == 0 {
			return append(text, "0000000000000000"...)
		}
		text = append(text, "0x"...)
		for k := 60; k >= 0; k -= 4 {
			if digit := uint64(i.Immediate) >> k; digit != 0 || k < 56 {
				text = append(text, "0123456789abcdef"[digit&15])
			}
		}
		return text
	case bit:
		return strconv.AppendUint(text, uint64(i.Amount), 10)
	case logical:
		return strconv.AppendUint(append(text, "0x"...), uint64(i.Immediate), 16)
	case code16:
		return strconv.AppendUint(append(text, "0x"...), uint64(i.Immediate), 16)
	case fieldX, fieldI:
		text = append(strconv.AppendInt(text, i.Immediate, 10), ", #"...)
		return strconv.AppendUint(text, uint64(i.Amount), 10)
	}
	return strconv.AppendInt(text, i.Immediate, 10)
}

// appendAddress appends an address.
func appendAddress(text []byte, i *Instruction) []byte {
	a := &i.Address
	text = appendRegister(append(text, '['), a.Base, Wide, false)
	switch {
	case a.Index != 0:
		shape := Narrow
		if a.Extend == LSL || a.Extend == SXTX {
			shape = Wide
		}
		text = appendRegister(append(text, ", "...), a.Index, shape, false)
		if a.Extend != LSL || a.Shift != 0 {
			text = append(append(text, ", "...), extensionNames[a.Extend%extensions]...)
		}
		if a.Shift != 0 {
			text = strconv.AppendUint(append(text, " #"...), uint64(a.Shift), 10)
		}
	case a.Mode == After:
		return strconv.AppendInt(append(text, "], #"...), int64(a.Displacement), 10)
	case a.Displacement != 0 || a.Mode == Before:
		text = strconv.AppendInt(append(text, ", #"...), int64(a.Displacement), 10)
	}
	text = append(text, ']')
	if a.Mode == Before {
		text = append(text, '!')
	}
	return text
}

// appendTail appends what follows the operands.
func appendTail(text []byte, i *Instruction, r *row) []byte {
	switch r.tail {
	case chosen:
		return append(append(text, ", "...), conditionNames[i.Condition%conditions]...)
	case flagged:
		text = strconv.AppendUint(append(text, ", #"...), uint64(i.Amount), 10)
		return append(append(text, ", "...), conditionNames[i.Condition%conditions]...)
	case shifted, rotated:
		if i.Amount == 0 && (i.Extend == 0 || i.Extend == LSL) {
			return text
		}
		return appendShift(text, i.Extend, i.Amount, true)
	case extended:
		if plain := i.Shape == Wide && i.Extend == UXTX || i.Shape == Narrow && i.Extend == UXTW; plain && (i.Operands[0] == SP || i.Operands[1] == SP) {
			if i.Amount == 0 {
				return text
			}
			return appendShift(text, LSL, i.Amount, true)
		}
		return appendShift(text, i.Extend, i.Amount, i.Amount != 0)
	case leftTwelve, leftWord, leftByte:
		if i.Amount != 0 {
			return appendShift(text, LSL, i.Amount, true)
		}
	}
	return text
}

func appendShift(text []byte, e Extension, amount uint8, written bool) []byte {
	text = append(append(text, ", "...), extensionNames[e%extensions]...)
	if written {
		text = strconv.AppendUint(append(text, " #"...), uint64(amount), 10)
	}
	return text
}

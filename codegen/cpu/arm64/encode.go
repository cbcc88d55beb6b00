package arm64

import (
	"encoding/binary"
	"fmt"
)

// This file encodes instructions.

// Append appends the machine code of an instruction, four bytes in the order that all processors
// read them.
func Append(code []byte, i *Instruction) ([]byte, error) {
	word, err := Encode(i)
	if err != nil {
		return code, err
	}
	return binary.LittleEndian.AppendUint32(code, word), nil
}

// Encode returns the machine code of an instruction.
func Encode(i *Instruction) (uint32, error) {
	if i.Op >= Ops {
		return 0, fmt.Errorf("there is no instruction of the number %d", i.Op)
	}
	list := rowsOf(i.Op)
	for n := range list {
		if word, bad, _ := list[n].encode(i); bad == "" {
			return word, nil
		}
	}
	return 0, refused(list, i)
}

// refused says what is wrong with an instruction: by the row that takes most of it.
func refused(list []row, i *Instruction) error {
	best, reason := -1, ""
	for n := range list {
		_, bad, operand := list[n].encode(i)
		if operand >= 0 {
			bad = fmt.Sprintf(bad, operand)
		}
		fits := 0
		if list[n].shapes.has(i.Shape) {
			fits++
		}
		for k, s := range list[n].slots {
			if d := &slotRows[s]; i.Operands[k] != 0 && d.class>>i.Operands[k].Kind()&1 != 0 {
				fits += 2
				if d.form == address && i.Address.Mode == s.mode() && (i.Address.Index != 0) == (s == atIndex) {
					fits++
				}
			}
		}
		if fits > best {
			best, reason = fits, bad
		}
	}
	return fmt.Errorf("%s: %s", AppendText(nil, i), reason)
}

// encode returns the word, or what is wrong: a sentence, and the operand whose number belongs into
// it, or -1. Nothing is put together here, since rows are tried one after the other.
func (r *row) encode(i *Instruction) (word uint32, bad string, operand int) {
	if !r.shapes.has(i.Shape) {
		return 0, "the instruction does not have this shape", -1
	}
	word = r.word | r.coding.bits(i.Shape)
	for n, s := range r.slots {
		o := i.Operands[n]
		switch {
		case s == noSlot && o == 0:
			continue
		case s == noSlot:
			return 0, "there is an operand %d, which the instruction does not have with these before it", n
		case o == 0:
			return 0, "operand %d is missing", n
		case o.Kind() == KindLabel:
			return 0, "only an Assembler knows where a label is", -1
		case o.IsVirtual():
			return 0, "operand %d is a register that has not been assigned", n
		}
		d := &slotRows[s]
		if d.class>>o.Kind()&1 == 0 || d.stack && o == Zero {
			return 0, "operand %d may not be of its kind here", n
		}
		var field uint32
		switch d.form {
		case immediate:
			field, bad = s.encodeImmediate(i)
		case address:
			field, bad = s.address(i)
		default:
			field = uint32(o.Number()) << d.at
			if d.form == lane {
				var more uint32
				more, bad = s.lane(i)
				field |= more
			}
		}
		if bad != "" {
			return 0, bad, -1
		}
		word |= field
	}
	if r.unpredictable(i) {
		return 0, "processors may do what they like if these registers are the same", -1
	}
	field, bad := r.tail.bits(i)
	return word | field, bad, -1
}

// unpredictable reports whether an instruction is "constrained unpredictable" (DDI 0487). Such an
// instruction loads one register twice, changes a base that it also loads or stores, or writes its
// status into a register that it needs.
func (r *row) unpredictable(i *Instruction) bool {
	o := &i.Operands
	base := i.Address.Base
	switch {
	case i.Op == StXr || i.Op == StLxr:
		return o[0] == o[1] || o[0] == base
	case i.Op == Ldp && o[0] == o[1]:
		return true
	}
	return i.Address.Mode != Offset && (o[0] == base || o[1] == base)
}

func flag(b bool, at int) uint32 {
	if b {
		return 1 << at
	}
	return 0
}

// bits returns the fields of a shape.
func (c coding) bits(s Shape) uint32 {
	d := &shapeRows[s]
	log := uint32(d.log)
	switch c {
	case sf:
		return flag(s == Wide, 31)
	case sfN:
		return flag(s == Wide, 31) | flag(s == Wide, 22)
	case bit30:
		return flag(s == Wide, 30)
	case signedLoad:
		return flag(s == Narrow, 22)
	case floatGeneral:
		return flag(s == Double, 31) | flag(s == Double, 22)
	case q, qNamed:
		return flag(d.full, 30)
	case qSize, qSizeNamed:
		return flag(d.full, 30) | log<<22
	case qFloat:
		return flag(d.full, 30) | flag(log == 3, 22)
	case qFloatNamed:
		return flag(d.full, 30) | flag(log == 2, 22)
	case qCopy:
		return flag(d.full, 30) | 1<<(16+log)
	case element:
		return 1 << (16 + log)
	case elementQ:
		return flag(log == 3, 30) | 1<<(16+log)
	case floatType:
		return [...]uint32{Half: 3, Single: 0, Double: 1}[s] << 22
	case size:
		switch s {
		case Wide, Narrow:
			return log << 30
		case Quad:
			return 1<<26 | 1<<23
		}
		return log<<30 | 1<<26
	case pairSize:
		switch s {
		case Wide:
			return 2 << 30
		case Narrow:
			return 0
		}
		return (log-2)<<30 | 1<<26
	case laneSize:
		return [...]uint32{Byte: 0, Half: 1 << 14, Single: 1 << 15, Double: 1<<15 | 1<<10}[s]
	case listSize:
		return flag(d.full, 30) | log<<10
	}
	return 0
}

// chosen returns the index of the element that a slot means.
func (s slot) chosen(i *Instruction) uint8 {
	if s == vnOther {
		return i.Element
	}
	return i.Amount
}

// lane returns the field of the index of an element.
func (s slot) lane(i *Instruction) (uint32, string) {
	n, log := uint32(s.chosen(i)), shapeRows[i.Shape].log
	if n >= 16>>log {
		return 0, "a vector does not have so many elements"
	}
	n <<= log // in bytes
	switch s {
	case vnOther:
		return n << 11, ""
	case vmLane:
		return n>>3<<11 | n>>2&1<<21, ""
	case vdrOfList, vsOfList: // of the number in bytes Q, S and the field size
		return n>>3<<30 | n&7<<10, ""
	}
	return n << 17, ""
}

// bits returns the fields of what follows the operands.
func (t tail) bits(i *Instruction) (uint32, string) {
	const wrongShift = "the last operand may not be shifted so"
	switch t {
	case named, chosen, flagged:
		if i.Condition >= conditions {
			return 0, "there is no such condition"
		}
		switch t {
		case named:
			return uint32(i.Condition), ""
		case flagged:
			if i.Amount > 15 {
				return 0, "there are four flags"
			}
			return uint32(i.Condition)<<12 | uint32(i.Amount), ""
		}
		return uint32(i.Condition) << 12, ""
	case shifted, rotated:
		if i.Amount == 0 && i.Extend == 0 {
			return 0, ""
		}
		if i.Extend < LSL || i.Extend > ROR || i.Extend == ROR && t != rotated || int(i.Amount) >= i.Shape.bits() {
			return 0, wrongShift
		}
		return uint32(i.Extend-LSL)<<22 | uint32(i.Amount)<<10, ""
	case extended:
		if i.Extend > SXTX || i.Amount > 4 || i.Shape == Narrow && (i.Extend == UXTX || i.Extend == SXTX) {
			return 0, wrongShift
		}
		return uint32(i.Extend)<<13 | uint32(i.Amount)<<10, ""
	case leftTwelve:
		if i.Amount != 0 && i.Amount != 12 {
			return 0, "the number may be shifted by 12 bits or not at all"
		}
		return flag(i.Amount != 0, 22), ""
	case leftWord:
		if i.Amount%16 != 0 || int(i.Amount) >= i.Shape.bits() {
			return 0, "the number may be shifted by a multiple of 16 bits below those of the register"
		}
		return uint32(i.Amount/16) << 21, ""
	case leftByte:
		if i.Amount%8 != 0 || int(i.Amount) >= i.Shape.bits() {
			return 0, "the number may be shifted by a multiple of 8 bits below those of the element"
		}
		if shapeRows[i.Shape].log == 1 {
			return 0x8<<12 | uint32(i.Amount/8)<<13, ""
		}
		return uint32(i.Amount/8) << 13, ""
	}
	return 0, ""
}

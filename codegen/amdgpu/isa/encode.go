package isa

import "encoding/binary"

// This file encodes instructions. The layouts are in the chapters "Microcode Formats" of the
// reference guides.

// code is an instruction while it is encoded. It lives on the stack, since it does not escape.
type code struct {
	i       *Instruction
	row     *row
	family  Family
	size    uint8 // in words, without the literal
	words   [2]uint32
	literal uint32
	// literalWords is the number of words of the operand that the literal is for, 0 without one.
	literalWords uint8
	fault        fault
	operand      uint8 // of the fault
	number       int32
}

// Append appends the machine code of an instruction. An error is an *Error, and then nothing is
// appended.
func Append(code []byte, f Family, i *Instruction) ([]byte, error) {
	c, err := encode(f, i)
	if err != nil {
		return code, err
	}
	for n := range c.size {
		code = binary.LittleEndian.AppendUint32(code, c.words[n])
	}
	if c.literalWords != 0 {
		code = binary.LittleEndian.AppendUint32(code, c.literal)
	}
	return code, nil
}

// Size returns how many bytes Append appends.
func Size(f Family, i *Instruction) (int, error) {
	c, err := encode(f, i)
	if err != nil {
		return 0, err
	}
	size := 4 * int(c.size)
	if c.literalWords != 0 {
		size += 4
	}
	return size, nil
}

func encode(f Family, i *Instruction) (code, error) {
	c := code{i: i, family: f}
	if i.Op >= Ops || table()[i.Op].encodings[f].format == Absent {
		c.fault = absent
		return c, c.error()
	}
	c.row = &table()[i.Op]
	c.check()
	if c.fault == noFault {
		c.encode()
	}
	if c.fault != noFault {
		return c, c.error()
	}
	return c, nil
}

func (c *code) error() error {
	e := &Error{Family: c.family, Op: c.i.Op, Operand: int(c.operand), fault: c.fault, number: c.number}
	if c.operand < MaxOperands {
		e.about = c.i.Operands[c.operand]
	}
	return e
}

// fail notes a fault, unless there already is one.
func (c *code) fail(f fault, operand int, number int32) {
	if c.fault == noFault {
		c.fault, c.operand, c.number = f, uint8(operand), number
	}
}

// check checks the operands against their slots.
func (c *code) check() {
	for n, slot := range c.row.slots {
		o := c.i.Operands[n]
		if slot == noSlot {
			for ; n < MaxOperands; n++ {
				if c.i.Operands[n] != 0 {
					c.fail(surplus, n, 0)
				}
			}
			return
		}
		r := &slotRows[slot]
		switch o.Kind() {
		case NoOperand:
			if r.class&takesNothing == 0 {
				c.fail(missing, n, 0)
			}
		case KindSGPR:
			c.register(n, r.class&takesSGPR, c.family.SGPRs(), true)
		case KindVGPR:
			c.register(n, r.class&takesVGPR, VGPRs, false)
		case KindAGPR:
			c.register(n, r.class&takesAGPR, VGPRs, false)
		case KindTTMP:
			c.register(n, r.class&takesSGPR, lastTTMP+1, true)
		case KindSpecial:
			if r.class&takesSGPR == 0 || !c.special(o, r, slot) {
				c.fail(unfit, n, 0)
			}
		case KindInt:
			if _, ok := inlineInt(int32(o.Number())); !ok || r.class&takesInline == 0 {
				c.fail(unfit, n, 0)
			}
		case KindFloat:
			if o.Number() >= uint32(len(floatCodes)) || r.class&takesInline == 0 || r.constants == short || r.constants == twoShorts {
				c.fail(unfit, n, 0)
			}
		case KindLiteral, KindFixed:
			if r.class&takesLiteral == 0 || (r.constants == short || r.constants == half) && o.Number() > 0xFFFF {
				c.fail(unfit, n, 0)
			}
		default:
			c.fail(unfit, n, 0)
		}
	}
}

// register checks the register of operand n. takes is 0 if the slot may not be such a register;
// most is the number of such registers.
func (c *code) register(n int, takes class, most int, scalar bool) {
	number, words := c.i.Operands[n].Number(), c.i.Words(c.family, n)
	align := min(words, 2) // on gfx942 several vector registers begin at even numbers
	if scalar {
		align = min(words, 4)
	} else if c.family == GFX1100 {
		align = 1
	}
	switch {
	case takes == 0 || c.row.slots[n] == snull:
		c.fail(unfit, n, 0)
	case number >= FirstVirtual:
		c.fail(virtual, n, 0)
	case int(number)+words > most:
		c.fail(beyond, n, 0)
	case int(number)%align != 0:
		c.fail(unaligned, n, int32(align))
	}
}

// special reports whether a special register may be the operand of a slot.
func (c *code) special(o Operand, r *slotRow, slot Slot) bool {
	words := slot.Words(c.family)
	if o >= afterSpecials || specialRows[o-VCC].code[c.family] == 0 || words > 2 || words == 2 && specialRows[o-VCC].pair == "" {
		return false
	}
	if r.access&written != 0 {
		return o < SharedBase
	}
	switch slot {
	case sbase, gbase:
		return o == VCC
	case sr, sr2, soff:
		return o < SharedBase
	case cbase:
		return o < SharedBase && o != EXECHi
	case snull:
		return o == Null
	}
	return true
}

// source returns the 9-bit code of operand n as a source, and notes a literal.
func (c *code) source(n int) uint32 {
	o := c.i.Operands[n]
	number := o.Number()
	switch o.Kind() {
	case KindVGPR, KindAGPR:
		return codeVGPR + number
	case KindTTMP:
		return codeTTMP + number
	case KindSpecial:
		return uint32(specialRows[number].code[c.family])
	case KindInt:
		return intCode(int32(number))
	case KindFloat:
		return codeFloats + number
	case KindLiteral, KindFixed:
		return c.constant(n, number)
	}
	return number
}

// scalar returns the 7-bit code of operand n, a scalar register.
func (c *code) scalar(n int) uint32 { return c.source(n) & 127 }

// vector returns the 8-bit code of operand n, a vector register.
func (c *code) vector(n int) uint32 { return c.i.Operands[n].Number() & 255 }

func intCode(n int32) uint32 {
	if n < 0 {
		return codeNegative - uint32(n)
	}
	return codeZero + uint32(n)
}

// constant returns the code of a literal: that of an inline constant with the same bits, or else
// that of a literal, which it notes.
func (c *code) constant(n int, bits uint32) uint32 {
	r := &slotRows[c.row.slots[n]]
	if r.class != takesLiteral && c.i.Operands[n].Kind() != KindFixed {
		var o Operand
		switch r.constants {
		case word, twoShorts: // these have the inline constants of 32 bits
			o = Constant(bits)
		case short:
			o, _ = inlineInt(int32(bits))
		case half:
			o = Half(uint16(bits))
		case wideInt, double, twoSingles:
			if o, _ = inlineInt(int32(bits)); o != 0 && r.constants != wideInt {
				c.fail(ambiguous, n, 0)
			}
		case twoHalves:
			o = twice(bits)
		}
		switch o.Kind() {
		case KindInt:
			return intCode(int32(o.Number()))
		case KindFloat:
			return codeFloats + o.Number()
		}
	}
	if c.literalWords != 0 && (c.literal != bits || c.literalWords != r.words) {
		c.fail(twoLiterals, n, 0)
	}
	c.literal, c.literalWords = bits, r.words
	return codeLiteral
}

// twice returns the inline constant for two floats of 16 bits, if there is one: a 32-bit integer,
// or a float below a zero.
func twice(bits uint32) Operand {
	if o, ok := inlineInt(int32(bits)); ok {
		return o
	}
	for n := range floatCodes {
		if uint32(floatCodes[n].half) == bits {
			return operand(KindFloat, uint32(n))
		}
	}
	return 0
}

// immediate16 returns the immediate of SOPK or SOPP: 16 bits, signed or unsigned.
func (c *code) immediate16() uint32 {
	if n := c.i.Immediate; n < -1<<15 || n >= 1<<16 || n != 0 && c.row.traits&immediate == 0 {
		c.fail(outOfRange, MaxOperands, n)
	}
	return uint32(uint16(c.i.Immediate))
}

// only fails if there are other modifiers than m, a form or parts.
func (c *code) only(m Modifiers) {
	if c.i.Modifiers&^m != 0 {
		c.fail(modified, MaxOperands, 0)
	}
	if c.i.Form != Shortest || c.i.Parts != 0 {
		c.fail(badForm, MaxOperands, 0)
	}
}

// encode sets the words.
func (c *code) encode() {
	e := c.row.encodings[c.family]
	op := uint32(e.code)
	c.size = 1
	if e.format < VOP1 && e.format != SMEM {
		c.only(0)
	}
	if c.i.Immediate != 0 && (e.format < SOPK || e.format.Vector() || e.format == MUBUF) {
		c.fail(outOfRange, MaxOperands, c.i.Immediate)
	}
	switch e.format {
	case SOP1:
		c.words[0] = 0xBE800000 | op<<8
		n := 0
		if c.row.slots[0].Written() {
			c.words[0] |= c.scalar(0) << 16
			n = 1
		}
		if c.row.slots[n] != noSlot {
			c.words[0] |= c.source(n)
		}
	case SOP2:
		c.words[0] = 0x80000000 | op<<23 | c.scalar(0)<<16 | c.source(2)<<8 | c.source(1)
	case SOPC:
		c.words[0] = 0xBF000000 | op<<16 | c.source(1)<<8 | c.source(0)
	case SOPK:
		c.words[0] = 0xB0000000 | op<<23 | c.scalar(0)<<16 | c.immediate16()
	case SOPP:
		c.words[0] = 0xBF800000 | op<<16 | c.immediate16()
	case SMEM:
		c.scalarMemory(op)
	case VOP1, VOP2, VOPC, VOP3:
		c.vectorForm(e)
	case VOP3P:
		c.packed(op, e.allows)
	case MAI:
		c.matrix(op)
	case DS:
		c.local(op)
	case Global, Scratch:
		c.memory(op, e.format)
	case MUBUF:
		c.caches(op)
	}
}

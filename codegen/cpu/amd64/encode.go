package amd64

import (
	"encoding/binary"
	"math/bits"
)

// This file makes machine code of one instruction (SDM volume 2, chapter 2).

// MaxBytes is the size of the longest instruction.
const MaxBytes = 15

// code is an instruction while it is encoded. It lives on the stack: nothing here is called through
// a pointer.
type code struct {
	i      *Instruction
	row    *row
	layout *layout
	bytes  [MaxBytes + 1]byte
	size   uint8
	// relative is where the 32 bits are that are a distance from the instruction's end, 0 without
	// one.
	relative uint8
	unit     uint8 // of a displacement of 8 bits, in bytes
	fault    fault
	operand  uint8 // that the fault is about
	number   int64
}

// Append appends the machine code of an instruction. An error is an *Error, and nothing is appended
// then. Labels and constants have no offset as long as there is one instruction alone: see
// Assembler.
func Append(text []byte, i *Instruction) ([]byte, error) {
	var c code
	c.encode(i)
	if c.fault == noFault && (c.relative != 0 || c.row.format == branch || c.row.format == pseudo) {
		c.fail(unassembled, MaxOperands, 0)
	}
	if c.fault != noFault {
		return text, c.error()
	}
	return append(text, c.bytes[:c.size]...), nil
}

// Size returns how many bytes the instruction has. Jumps to labels have as many as they need if
// that is not near.
func Size(i *Instruction) (int, error) {
	var c code
	c.encode(i)
	if c.fault != noFault {
		return 0, c.error()
	}
	switch c.row.format {
	case pseudo:
		return 0, nil
	case branch:
		return longJump(i.Op), nil
	}
	return int(c.size), nil
}

func (c *code) error() *Error {
	return &Error{Op: c.i.Op, Index: -1, Operand: int(c.operand), fault: c.fault, number: c.number, instruction: *c.i}
}

// fail notes a fault, unless there is one.
func (c *code) fail(f fault, operand int, number int64) {
	if c.fault == noFault {
		c.fault, c.operand, c.number = f, uint8(operand), number
	}
}

// encode fills in the bytes. Of jumps to labels and of pseudo-instructions there are none.
func (c *code) encode(i *Instruction) {
	c.i = i
	if i.Op >= Ops {
		c.fail(unknown, MaxOperands, 0)
		return
	}
	c.find()
	if c.fault == noFault {
		c.check()
	}
	if c.fault != noFault || c.row.format == branch || c.row.format == pseudo {
		return
	}
	c.assemble()
}

// find looks for the row that the operands fit. If there is none, the fault is that of the row
// which they fit longest.
func (c *code) find() {
	t, of := table(), kindsOf(c.i)
	span := t.spans[c.i.Op]
	rows := t.rows[span.first : span.first+span.count]
	for n, takes := range t.kinds[span.first : span.first+span.count] {
		r := &rows[n]
		if of&^takes != 0 || of&immediates != 0 && !c.inRange(r) || r.traits&(accumulator|onlyNarrow) != 0 && !c.fitsTraits(r) {
			continue
		}
		c.row, c.layout = r, &t.layouts[int(span.first)+n]
		if r.format == rm && n+1 < len(rows) && rows[n+1].traits&mirror != 0 && c.shorterMirrored() {
			c.row, c.layout = &rows[n+1], &t.layouts[int(span.first)+n+1]
		}
		return
	}
	c.misfit(rows)
}

// misfit finds the fault of operands that fit no row.
func (c *code) misfit(rows []row) {
	furthest := -1
	for n := range rows {
		r := &rows[n]
		at, why, number := c.fits(r)
		if at > furthest || at == furthest && why == outOfRange {
			furthest, c.row = at, r
			c.fault, c.operand, c.number = why, uint8(at), number
		}
	}
}

// shorterMirrored reports whether a move between registers has a shorter form if they change
// operands in ModRM.
func (c *code) shorterMirrored() bool {
	a, b := c.i.Operands[0], c.i.Operands[1]
	return b.Kind() == KindVector && a.Number() < 8 && b.Number() >= 8 && b.Number() < HighVectors
}

// fits returns where and why the operands do not fit a row.
func (c *code) fits(r *row) (at int, why fault, number int64) {
	i := c.i
	for n, s := range r.slots {
		o := i.Operands[n]
		k := o.Kind()
		if s == noSlot {
			for ; n < MaxOperands; n++ {
				if i.Operands[n] != 0 {
					return n, surplus, 0
				}
			}
			break
		}
		switch {
		case o == 0:
			return n, missing, 0
		case !s.takes(k):
			return n, unfit, 0
		case k == KindImmediate:
			if !inRange(s, i.Width, i.Immediate) {
				return n, outOfRange, i.Immediate
			}
		}
	}
	return -1, unfit, 0 // fitsTraits
}

// fitsTraits reports whether the first operand and the width are those that a row is for.
func (c *code) fitsTraits(r *row) bool {
	return (r.traits&accumulator == 0 || c.i.Operands[0] == RAX) && (r.traits&onlyNarrow == 0 || c.i.Width == Narrow)
}

// immediates are the kinds of immediates, as any operand.
const immediates kinds = 0x01010101 << KindImmediate

// inRange reports whether a row takes the immediate.
func (c *code) inRange(r *row) bool {
	for n, o := range c.i.Operands {
		if o.Kind() == KindImmediate {
			return inRange(r.slots[n], c.i.Width, c.i.Immediate)
		}
	}
	return true
}

// immediateRows are the ranges of immediates, by width.
var immediateRows = [slots][widths]struct{ least, most int64 }{
	i8: {{-1 << 7, 1<<8 - 1}, {-1 << 7, 1<<8 - 1}}, i8s: {{-1 << 7, 1<<7 - 1}, {-1 << 7, 1<<7 - 1}}, i16: {{-1 << 15, 1<<16 - 1}, {}},
	i32: {{-1 << 31, 1<<31 - 1}, {-1 << 31, 1<<32 - 1}}, i64: {{-1 << 63, 1<<63 - 1}, {}},
	count: {{1, 63}, {1, 31}}, once: {{1, 1}, {1, 1}},
}

func inRange(s slot, w Width, n int64) bool {
	if s == i8s && w == Narrow && n > 1<<31-1 && n < 1<<32 {
		n -= 1 << 32 // the same bits
	}
	r := &immediateRows[s][w&1]
	return n >= r.least && n <= r.most
}

// check holds the instruction against what its row allows.
func (c *code) check() {
	i, r := c.i, c.row
	if i.Width >= widths || i.Width != Wide && r.prefix&(wide|lanes) == 0 && r.traits&onlyNarrow == 0 {
		c.fail(noWidth, MaxOperands, 0)
	}
	if i.Condition != 0 && r.traits&conditional == 0 || i.Condition >= conditions {
		c.fail(noCondition, MaxOperands, int64(i.Condition))
	}
	memory, immediate := false, false
	for n, s := range r.slots {
		o := i.Operands[n]
		switch o.Kind() {
		case NoOperand:
			if o != 0 {
				c.fail(surplus, n, 0)
			}
		case KindGeneral, KindVector:
			switch {
			case o.Number() >= FirstVirtual:
				c.fail(virtual, n, 0)
			case o.Number() >= HighVectors && (o.Kind() == KindGeneral || r.prefix&vex == 0 || !i.Op.HasEVEX()):
				c.fail(high, n, 0)
			}
		case KindMemory:
			memory = true
			c.checkAddress(n, s.gathers())
		case KindImmediate:
			immediate = true
		}
	}
	if !memory && i.Address != (Address{}) {
		c.fail(noAddress, MaxOperands, 0)
	}
	if !immediate && i.Immediate != 0 {
		c.fail(noImmediate, MaxOperands, i.Immediate)
	}
	if i.Address.Locked && (r.traits&lockable == 0 || i.Operands[0] != Mem) {
		c.fail(notLockable, MaxOperands, 0)
	}
	if r.traits&distinct != 0 {
		a, mask, index := i.Operands[0], i.Operands[2], i.Address.Index
		if a == mask || a == index || mask == index {
			c.fail(together, MaxOperands, 0)
		}
	}
}

// checkAddress checks the address of operand n, whose index is a vector or is not.
func (c *code) checkAddress(n int, gathers bool) {
	a := &c.i.Address
	switch a.Base.Kind() {
	case NoOperand:
	case KindGeneral:
		switch {
		case a.Base.Number() >= FirstVirtual:
			c.fail(virtualBase, n, 0)
		case a.Base.Number() >= HighVectors:
			c.fail(badBase, n, 0)
		}
	case KindConstant, KindLabel:
		if a.Index != 0 {
			c.fail(relativeIndex, n, 0)
		}
	default:
		c.fail(badBase, n, 0)
	}
	want := KindGeneral
	if gathers {
		want = KindVector
	}
	switch {
	case a.Index == 0:
		if gathers {
			c.fail(badIndex, n, 0)
		}
		if a.Scale != 0 {
			c.fail(badScale, n, int64(a.Scale))
		}
		return
	case a.Index.Kind() != want || a.Index == RSP:
		c.fail(badIndex, n, 0)
	case a.Index.Number() >= FirstVirtual:
		c.fail(virtualIndex, n, 0)
	case a.Index.Number() >= HighVectors:
		c.fail(badIndex, n, 0)
	}
	switch a.Scale {
	case 1, 2, 4, 8:
	default:
		c.fail(badScale, n, int64(a.Scale))
	}
}

// byte and word append to the instruction.
func (c *code) byte(b byte) {
	c.bytes[c.size&15] = b
	c.size++
}

func (c *code) word(w uint32) {
	binary.LittleEndian.PutUint32(c.bytes[c.size:], w)
	c.size += 4
}

// Bits of REX, which are those of VEX inverted.
const (
	rexB = 1 << iota
	rexX
	rexR
	rexW
)

// assemble writes the instruction of a row that the operands fit.
func (c *code) assemble() {
	i, r, l := c.i, c.row, c.layout
	of := [MaxOperands + 1]Operand{i.Operands[0], i.Operands[1], i.Operands[2], i.Operands[3]}
	reg, vvvv, other, last, immediate := of[l.reg], of[l.vvvv], of[l.other], of[l.last], l.immediate
	force := false // of registers of 8 bits, sil and its like have no name without REX
	for low := l.low; low != 0; low &= low - 1 {
		o := of[bits.TrailingZeros8(low)]
		force = force || o.Kind() == KindGeneral && o.Number() >= 4
	}
	extended := r.prefix&vex != 0 && needsEVEX(i)
	if r.traits&commutes != 0 && !extended && other.Kind() == KindVector && other.Number() >= 8 && vvvv.Number() < 8 {
		vvvv, other = other, vvvv
	}
	a := i.Address
	if other == Mem && a.Base == 0 && a.Scale == 1 && a.Index.Kind() == KindGeneral {
		a.Base, a.Index, a.Scale = a.Index, 0, 0 // which takes fewer bytes
	}
	rex := c.rex(reg, other, &a)
	if a.Locked {
		c.byte(0xF0)
	}
	op := byte(r.opcode)
	if r.traits&conditional != 0 {
		op |= byte(i.Condition)
	}
	c.unit = 1
	switch {
	case extended:
		c.unit = uint8(c.memoryBytes())
		c.evex(rex, reg, vvvv, other)
	case r.prefix&vex != 0:
		c.vex(rex, vvvv)
	default:
		c.legacy(rex, force)
	}
	switch r.format {
	case none, onlyImm:
		c.byte(op)
	case inCode, codeImm:
		c.byte(op | byte(other.Number()&7))
	default:
		c.byte(op)
		field := byte(r.opcode>>8) & 7
		if reg != 0 {
			field = byte(reg.Number() & 7)
		}
		if other == Mem {
			c.address(&a, field<<3)
		} else {
			c.byte(0xC0 | field<<3 | byte(other.Number()&7))
		}
	}
	if last != 0 {
		c.byte(byte(last.Number() << 4))
	}
	if immediate != noSlot {
		c.immediate(slotRows[immediate].size)
	}
}

// rex returns the bits of REX for a width, a register, and a register or address.
func (c *code) rex(reg, other Operand, a *Address) (rex byte) {
	if p := c.row.prefix; p&w1 != 0 || p&wide != 0 && c.i.Width == Wide {
		rex = rexW
	}
	if reg.Number()&8 != 0 {
		rex |= rexR
	}
	if other != Mem {
		if other.Number()&8 != 0 {
			rex |= rexB
		}
		return rex
	}
	if a.Base.Kind() == KindGeneral && a.Base.Number() >= 8 {
		rex |= rexB
	}
	if a.Index.Number() >= 8 {
		rex |= rexX
	}
	return rex
}

// memoryBytes returns how many bytes the instruction accesses in memory, or 1 if it does not.
func (c *code) memoryBytes() int {
	for n, o := range c.i.Operands {
		if o == Mem {
			return slotRows[c.row.slots[n]].size.bytes(c.i.Width & 1)
		}
	}
	return 1
}

// immediate writes the immediate.
func (c *code) immediate(s size) {
	n := c.i.Immediate
	switch s {
	case bytes1:
		c.byte(byte(n))
	case bytes2:
		c.byte(byte(n))
		c.byte(byte(n >> 8))
	case bytes4:
		c.word(uint32(n))
	default:
		c.word(uint32(n))
		c.word(uint32(n >> 32))
	}
}

// legacy writes prefixes, REX and the map.
func (c *code) legacy(rex byte, force bool) {
	p := c.row.prefix
	switch {
	case p&p66 != 0:
		c.byte(0x66)
	case p&pF3 != 0:
		c.byte(0xF3)
	case p&pF2 != 0:
		c.byte(0xF2)
	}
	if rex != 0 || force {
		c.byte(0x40 | rex)
	}
	if p&m0F != 0 {
		c.byte(0x0F)
	}
}

// vex writes VEX, in 2 bytes if there is room (SDM volume 2, 2.3.5).
func (c *code) vex(rex byte, vvvv Operand) {
	p := c.row.prefix
	last := ^byte(vvvv.Number()) & 15 << 3
	switch {
	case p&p66 != 0:
		last |= 1
	case p&pF3 != 0:
		last |= 2
	case p&pF2 != 0:
		last |= 3
	}
	if p&l1 != 0 || p&lanes != 0 && c.i.Width == Wide {
		last |= 4
	}
	if rex&^rexR == 0 && p&m0F != 0 {
		c.byte(0xC5)
		c.byte(^rex&rexR<<5 | last)
		return
	}
	c.byte(0xC4)
	m := byte(1)
	switch {
	case p&m38 != 0:
		m = 2
	case p&m3A != 0:
		m = 3
	}
	c.byte(^rex&7<<5 | m)
	c.byte(rex&rexW<<4 | last)
}

// address writes ModRM, SIB and the displacement (SDM volume 2, 2.1.5).
func (c *code) address(a *Address, field byte) {
	const (
		disp8, disp32   = 0x40, 0x80
		sib             = 4 // as ModRM.rm
		noIndex, noBase = 4 << 3, 5
	)
	switch a.Base.Kind() {
	case KindConstant, KindLabel:
		c.byte(field | noBase) // which is that of addresses relative to the end
		c.relative = c.size
		c.word(uint32(a.Displacement))
		return
	case NoOperand:
		c.byte(field | sib)
		index := byte(noIndex)
		if a.Index != 0 {
			index = scaleBits(a.Scale) | byte(a.Index.Number()&7)<<3
		}
		c.byte(index | noBase)
		c.word(uint32(a.Displacement))
		return
	}
	base := byte(a.Base.Number() & 7)
	mode := byte(disp32)
	short := a.Displacement / int32(c.unit) // with EVEX, where it is a multiple
	switch {
	case a.Displacement == 0 && base != noBase:
		mode = 0
	case short >= -1<<7 && short < 1<<7 && a.Displacement%int32(c.unit) == 0:
		mode = disp8
	}
	switch {
	case a.Index != 0:
		c.byte(mode | field | sib)
		c.byte(scaleBits(a.Scale) | byte(a.Index.Number()&7)<<3 | base)
	case base == sib:
		c.byte(mode | field | sib)
		c.byte(noIndex | base)
	default:
		c.byte(mode | field | base)
	}
	switch mode {
	case disp8:
		c.byte(byte(short))
	case disp32:
		c.word(uint32(a.Displacement))
	}
}

// scaleBits returns the field of SIB for a scale that is a power of two.
func scaleBits(scale uint8) byte {
	switch scale {
	case 2:
		return 1 << 6
	case 4:
		return 2 << 6
	case 8:
		return 3 << 6
	}
	return 0
}

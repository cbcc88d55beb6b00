package machine

import (
	"encoding/binary"
	"fmt"

	"github.com/gpuc/gpuc/codegen/amdgpu/isa"
	"github.com/gpuc/gpuc/codegen/amdgpu/machine/verify"
)

// This file encodes code whose registers are assigned, in two passes: the sizes of instructions
// give the offsets of labels, which branches and addresses of tables need.

// encodable returns an instruction as package isa has it. What
// depends on offsets is not filled in.
func (c *code) encodable(i *instruction) isa.Instruction {
	x := isa.Instruction{Op: i.op, Immediate: i.offset}
	row := &operations[i.op]
	if row.effects&isa.Jumps != 0 || i.op == opAddTable {
		x.Immediate = 0
	}
	for n := range i.count {
		x.Operands[n] = c.encodedOperand(i.args[n])
	}
	for n, k := 0, int(row.results); k < int(i.count); n, k = n+1, k+1 {
		if i.neg>>k&1 != 0 {
			x.Modifiers |= isa.Neg << n
		}
		if i.abs>>k&1 != 0 {
			x.Modifiers |= isa.Abs << n
		}
	}
	if i.flags&coherent != 0 {
		x.Modifiers |= c.target.coherent
	}
	if i.op.Returns() {
		x.Modifiers |= c.target.returns
	}
	return x
}

// encodedOperand returns an operand. Constants of two words are small integers.
func (c *code) encodedOperand(o operand) isa.Operand {
	switch o.kind() {
	case assignedVector:
		return isa.VGPR(int(o.number()))
	case assignedScalar:
		switch o.number() {
		case execNumber:
			return isa.EXEC
		case vccNumber:
			return isa.VCC
		case nullNumber:
			return isa.Null
		case vccNumber + 1:
			return isa.VCCHi
		}
		return isa.SGPR(int(o.number()))
	case constantWord:
		return isa.Constant(c.value(o))
	}
	return 0
}

// encode returns the machine code followed by the tables, how many bytes of it are instructions,
// and what the verifier needs.
func (c *code) encode(tables []byte) (text []byte, instructions int, checked *verify.Code) {
	family := c.target.family
	offsets := make([]int, c.labels+1)
	at := 0
	for n := range c.list {
		i := &c.list[n]
		if i.op == labelMark {
			offsets[i.offset] = at
			continue
		}
		x := c.resolve(i, at, offsets, 0)
		size, err := isa.Size(family, &x)
		if err != nil {
			panic(fmt.Sprintf("%v: %s", err, c.instructionText(i)))
		}
		at += size
	}
	instructions = at
	first := (at + tableAlign - 1) &^ (tableAlign - 1)
	text = make([]byte, 0, first+len(tables))
	checked = &verify.Code{Family: family}
	indices, count := make([]int, c.labels+1), 0 // index of the instruction after a label
	for n := range c.list {
		if i := &c.list[n]; i.op == labelMark {
			indices[i.offset] = count
		} else {
			count++
		}
	}
	for n := range c.list {
		i := &c.list[n]
		if i.op == labelMark {
			continue
		}
		x := c.resolve(i, len(text)+4, offsets, first)
		var err error
		if text, err = isa.Append(text, family, &x); err != nil {
			panic(fmt.Sprintf("%v: %s", err, c.instructionText(i)))
		}
		target := 0
		if operations[i.op].effects&isa.Jumps != 0 {
			target = indices[i.offset]
		}
		checked.Instructions, checked.Targets, checked.Roles = append(checked.Instructions, x), append(checked.Targets, target), append(checked.Roles, i.role)
	}
	if len(tables) > 0 {
		for len(text) < first {
			text = binary.LittleEndian.AppendUint32(text, 0)
		}
		text = append(text, tables...)
	}
	return text, instructions, checked
}

// tableAlign is the alignment of the tables.
const tableAlign = 256

// resolve returns an instruction with what depends on offsets. A branch counts words from its end.
func (c *code) resolve(i *instruction, end int, offsets []int, tables int) isa.Instruction {
	x := c.encodable(i)
	switch {
	case operations[i.op].effects&isa.Jumps != 0:
		distance := (offsets[i.offset] - end) / 4
		if distance < -1<<15 || distance >= 1<<15 {
			unsupported("more code than a branch spans")
		}
		x.Immediate = int32(distance)
	case i.op == opAddTable && i.offset != 0:
		// The sum is never an inline constant, since the code lies in between. So the size of the
		// instruction is known in the first pass.
		x.Operands[2] = isa.Literal(uint32(tables-offsets[i.offset]) + c.value(i.args[2]) | placeholder*uint32(boolToInt(tables == 0)))
	}
	return x
}

// placeholder is the literal of an offset that the first pass does not know yet.
const placeholder = 1 << 16

func boolToInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

package amd64

import "encoding/binary"

// This file makes code of a list of instructions: it finds out where labels and constants are, and
// how far jumps reach.

// Assembler makes code of instructions. Its memory is reused from one function to the next; the
// zero value is ready.
type Assembler struct {
	sizes   []uint8 // of each instruction
	offsets []int32 // of each instruction, and of the end
	marks   []int32 // by label, the instruction at its offset and 1
	// the instructions that have a size that depends on other sizes: jumps to labels, alignments
	elastic  []int32
	relative []relative // distances to be put in besides those of jumps
}

// relative is a distance in an instruction.
type relative struct {
	index int32 // of the instruction
	at    uint8 // in its bytes
}

// shortJump is the size of a jump with a distance of 8 bits, longJump that of one with 32.
const shortJump = 2

func longJump(o Op) int {
	if o == Jcc {
		return 6
	}
	return 5
}

// Alignment is that of the constants, in bytes from the function's beginning.
const Alignment = 32

// largest is how many bytes a function may have, so that all distances fit 32 bits.
const largest = 1 << 30

// fills are what alignments are made of, by size: instructions that do nothing (SDM volume 2,
// "NOP").
var fills = [...]string{
	1: "\x90", 2: "\x66\x90", 3: "\x0F\x1F\x00", 4: "\x0F\x1F\x40\x00", 5: "\x0F\x1F\x44\x00\x00", 6: "\x66\x0F\x1F\x44\x00\x00",
	7: "\x0F\x1F\x80\x00\x00\x00\x00", 8: "\x0F\x1F\x84\x00\x00\x00\x00\x00", 9: "\x66\x0F\x1F\x84\x00\x00\x00\x00\x00",
}

// Assemble appends the code of a function and after it, at a multiple of Alignment from the
// function's beginning, the constants that pool has; pool may be nil. Jumps have distances of 8
// bits where those reach, and else of 32. The code may lie at any multiple of 64. An error is an
// *Error, and code is returned as it was then.
func (a *Assembler) Assemble(code []byte, list []Instruction, pool *Pool) ([]byte, error) {
	start := len(code)
	code, err := a.encode(code, list)
	if err == nil {
		err = a.stretch(list)
	}
	if err != nil {
		return code[:start], err
	}
	code = a.spread(code, start, list)
	constants := len(code) - start
	if pool != nil && len(pool.entries) > 0 {
		for (len(code)-start)%Alignment != 0 {
			code = append(code, 0xCC) // int3
		}
		constants = len(code) - start
		pool.Layout()
	}
	if err := a.connect(code[start:], list, pool, constants); err != nil {
		return code[:start], err
	}
	if pool != nil {
		code = pool.AppendTo(code)
	}
	return code, nil
}

// Offset returns where instruction n of the last function begins, in bytes from the function's
// beginning; where n is the count of instructions, it is the end of the code.
func (a *Assembler) Offset(n int) int { return int(a.offsets[n]) }

// encode appends all instructions that have a size of their own, one after the other, and notes
// the others.
func (a *Assembler) encode(text []byte, list []Instruction) ([]byte, error) {
	a.sizes, a.elastic, a.relative = a.sizes[:0], a.elastic[:0], a.relative[:0]
	clear(a.marks)
	start := len(text)
	for n := range list {
		i := &list[n]
		var c code
		c.encode(i)
		if c.fault != noFault {
			return text, c.error().at(n)
		}
		size := c.size
		switch {
		case i.Op == Mark:
			label := i.Operands[0].Number()
			if label > LastLabel {
				c.fail(badLabel, MaxOperands, int64(label))
				break
			}
			for label >= len(a.marks) {
				a.marks = append(a.marks, 0)
			}
			if a.marks[label] != 0 {
				c.fail(markedTwice, MaxOperands, int64(label))
			}
			a.marks[label] = int32(n + 1)
		case i.Op == Align:
			if p := i.Immediate; p < 1 || p > 64 || p&(p-1) != 0 {
				c.fail(badAlign, MaxOperands, p)
			}
			a.elastic = append(a.elastic, int32(n))
		case c.row.format == branch:
			if size = shortJump; i.Op == Call {
				size = uint8(longJump(Call))
			}
			a.elastic = append(a.elastic, int32(n))
		default:
			if c.relative != 0 {
				a.relative = append(a.relative, relative{int32(n), c.relative})
			}
			text = append(text, c.bytes[:]...)[:len(text)+int(c.size)] // as many as one store has
		}
		if len(text)-start > largest {
			c.fail(tooFar, MaxOperands, 0)
		}
		if c.fault != noFault {
			return text, c.error().at(n)
		}
		a.sizes = append(a.sizes, size)
	}
	return text, nil
}

// stretch finds the sizes of jumps: all begin short, and those that do not reach become long, until
// all reach.
func (a *Assembler) stretch(list []Instruction) error {
	for again := true; again; {
		again = false
		a.offsets = a.offsets[:0]
		at, next := int32(0), 0
		for n, size := range a.sizes {
			a.offsets = append(a.offsets, at)
			if next < len(a.elastic) && int(a.elastic[next]) == n {
				next++
				if list[n].Op == Align {
					size = uint8(-at) & uint8(list[n].Immediate-1)
					a.sizes[n] = size
				}
			}
			at += int32(size)
		}
		a.offsets = append(a.offsets, at)
		for _, n := range a.elastic {
			i := &list[n]
			if i.Op == Align || a.sizes[n] != shortJump {
				continue
			}
			target, ok := a.markOf(i.Operands[0])
			if !ok {
				return missingLabel(i, i.Operands[0], n)
			}
			if d := target - a.offsets[n+1]; d < -1<<7 || d >= 1<<7 {
				a.sizes[n], again = uint8(longJump(i.Op)), true
			}
		}
	}
	return nil
}

// markOf returns where a label is, and whether it is anywhere.
func (a *Assembler) markOf(label Operand) (int32, bool) {
	n := label.Number()
	if n >= len(a.marks) || a.marks[n] == 0 {
		return 0, false
	}
	return a.offsets[a.marks[n]-1], true
}

func missingLabel(i *Instruction, label Operand, n int32) error {
	c := code{i: i}
	c.fail(noLabel, MaxOperands, int64(label.Number()))
	return c.error().at(int(n))
}

// spread moves the instructions to their offsets, the last first, and fills alignments. Jumps
// remain to be written.
func (a *Assembler) spread(text []byte, start int, list []Instruction) []byte {
	packed := len(text) // the end of what has not been moved
	end := a.offsets[len(a.sizes)]
	for len(text) < start+int(end) {
		text = append(text, 0)
	}
	to := start + int(end)
	for k := len(a.elastic) - 1; k >= 0; k-- {
		n := a.elastic[k]
		behind := start + int(a.offsets[n+1])
		size := to - behind
		copy(text[behind:to], text[packed-size:packed])
		packed -= size
		to = start + int(a.offsets[n])
		if list[n].Op == Align {
			for at := to; at < behind; {
				at += copy(text[at:], fills[min(behind-at, len(fills)-1)])
			}
		}
	}
	return text
}

// connect puts in the distances, which are those from the end of an instruction.
func (a *Assembler) connect(text []byte, list []Instruction, pool *Pool, constants int) error {
	for _, n := range a.elastic {
		i := &list[n]
		if i.Op == Align {
			continue
		}
		target, ok := a.markOf(i.Operands[0])
		if !ok {
			return missingLabel(i, i.Operands[0], n)
		}
		at, distance := text[a.offsets[n]:a.offsets[n+1]], target-a.offsets[n+1]
		opcode := byte(first(i.Op).opcode) | byte(i.Condition)
		switch {
		case len(at) == shortJump:
			at[0], at[1] = opcode, byte(distance)
			continue
		case i.Op == Jcc:
			at[0], at[1] = 0x0F, opcode+0x10
		case i.Op == Jmp:
			at[0] = 0xE9
		default:
			at[0] = opcode
		}
		binary.LittleEndian.PutUint32(at[len(at)-4:], uint32(distance))
	}
	for _, r := range a.relative {
		i := &list[r.index]
		base := i.Address.Base
		var target int32
		if base.Kind() == KindLabel {
			mark, ok := a.markOf(base)
			if !ok {
				return missingLabel(i, base, r.index)
			}
			target = mark
		} else {
			if pool == nil || base.Number() >= len(pool.entries) {
				c := code{i: i}
				c.fail(noConstant, MaxOperands, int64(base.Number()))
				return c.error().at(int(r.index))
			}
			target = int32(constants) + pool.entries[base.Number()].at
		}
		at := text[int(a.offsets[r.index])+int(r.at):]
		binary.LittleEndian.PutUint32(at, uint32(target+i.Address.Displacement-a.offsets[r.index+1]))
	}
	return nil
}

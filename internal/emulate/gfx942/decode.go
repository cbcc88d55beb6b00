package gfx942

import (
	"encoding/binary"
	"errors"
)

// The decoder of instructions ("Microcode Formats" of the manual). A test compares the names with
// LLVM's disassembler.

// encodings are the prefixes of the formats, the longest first.
var encodings = []struct {
	format      format
	bits, match uint32 // the length and value of the prefix
	low, high   uint   // the bits of the opcode
	size        uint64
}{
	{sop1, 9, 0b101111101, 8, 15, 4},
	{sopc, 9, 0b101111110, 16, 22, 4},
	{sopp, 9, 0b101111111, 16, 22, 4},
	{vop3p, 9, 0b110100111, 16, 22, 8},
	{vop1, 7, 0b0111111, 9, 16, 4},
	{vopc, 7, 0b0111110, 17, 24, 4},
	{smem, 6, 0b110000, 18, 25, 8},
	{vop3, 6, 0b110100, 16, 25, 8},
	{ds, 6, 0b110110, 17, 24, 8},
	{flat, 6, 0b110111, 18, 24, 8},
	{sopk, 4, 0b1011, 23, 27, 4},
	{sop2, 2, 0b10, 23, 29, 4},
	{vop2, 1, 0b0, 25, 30, 4},
}

// The first opcodes of the shorter vector formats among those of VOP3.
const (
	wideVOP2 = 256
	wideVOP1 = 320
	wideVOP3 = 448
)

// segments are the formats of flat accesses by their segment field.
var segments = [4]format{flat, scratch, global, formats}

// field returns bits of a word.
func field(word uint32, low, high uint) uint32 { return word >> low & (1<<(high-low+1) - 1) }

var errUnknown = errors.New("no row of the table has this instruction")

var errEnd = errors.New("the code ends within an instruction")

// decode decodes the first instruction of code.
func decode(code []byte) (*instruction, error) {
	if len(code) < 4 {
		return nil, errEnd
	}
	word := binary.LittleEndian.Uint32(code)
	for _, e := range encodings {
		if word>>(32-e.bits) != e.match {
			continue
		}
		i := &instruction{size: e.size}
		second := uint32(0)
		if len(code) >= 8 {
			second = binary.LittleEndian.Uint32(code[4:])
		} else if e.size == 8 {
			return nil, errEnd
		}
		f, opcode := e.format, int(field(word, e.low, e.high))
		switch {
		case f == flat:
			f = segments[field(word, 14, 15)]
		case f == vop3 && opcode < wideVOP2:
			f, i.form = vopc, wide
		case f == vop3 && opcode < wideVOP1:
			f, i.form, opcode = vop2, wide, opcode-wideVOP2
		case f == vop3 && opcode < wideVOP3:
			f, i.form, opcode = vop1, wide, opcode-wideVOP1
		}
		if f < formats {
			i.row = rowOf[f][opcode]
		}
		if i.row == nil {
			return nil, errUnknown
		}
		fields[f](i, word, second)
		if i.size == 4 && i.uses(literal) {
			i.size, i.literal = 8, second
		}
		return i, nil
	}
	return nil, errUnknown
}

// uses reports whether a source is an operand.
func (i *instruction) uses(o operand) bool { return i.s[0] == o || i.s[1] == o || i.s[2] == o }

// fields decode the fields of each format.
var fields = [formats]func(i *instruction, word, second uint32){
	sop2: func(i *instruction, word, _ uint32) {
		i.s[0], i.s[1], i.d = operand(field(word, 0, 7)), operand(field(word, 8, 15)), operand(field(word, 16, 22))
	},
	sopk: func(i *instruction, word, _ uint32) {
		i.d = operand(field(word, 16, 22))
		i.immediate = int32(int16(word))
	},
	sop1: func(i *instruction, word, _ uint32) {
		i.s[0], i.d = operand(field(word, 0, 7)), operand(field(word, 16, 22))
	},
	sopc: func(i *instruction, word, _ uint32) {
		i.s[0], i.s[1] = operand(field(word, 0, 7)), operand(field(word, 8, 15))
	},
	sopp: func(i *instruction, word, _ uint32) { i.immediate = int32(int16(word)) },
	smem: func(i *instruction, word, second uint32) {
		i.address, i.d = operand(field(word, 0, 5)<<1), operand(field(word, 6, 12))
		i.scalarAddress = nothing
		if field(word, 17, 17) != 0 {
			i.immediate = int32(field(second, 0, 20)<<11) >> 11
			if field(word, 14, 14) != 0 {
				i.scalarAddress = operand(field(second, 25, 31))
			}
		} else {
			i.scalarAddress = operand(field(second, 0, 6))
		}
	},
	vop2: vectorFields,
	vop1: vectorFields,
	vopc: vectorFields,
	vop3: wideFields,
	vop3p: func(i *instruction, word, second uint32) {
		wideFields(i, word, second)
		if i.row.isProduct {
			productFields(i, word, second)
			return
		}
		i.negHigh, i.abs = i.abs, 0
		i.sel = uint8(field(word, 11, 13))
		i.selHigh = uint8(field(second, 27, 28) | field(word, 14, 14)<<2)
		i.omod = 0
	},
	ds: func(i *instruction, word, second uint32) {
		i.offsets = [2]uint32{field(word, 0, 7), field(word, 8, 15)}
		bank := vectors + operand(field(word, 25, 25))*(accums-vectors)
		i.address = vectors + operand(field(second, 0, 7))
		i.data = [2]operand{bank + operand(field(second, 8, 15)), bank + operand(field(second, 16, 23))}
		i.d = bank + operand(field(second, 24, 31))
	},
	flat:    accessFields,
	global:  accessFields,
	scratch: accessFields,
}

// accessFields decodes the fields of flat, global and scratch.
func accessFields(i *instruction, word, second uint32) {
	i.immediate = int32(field(word, 0, 12)<<19) >> 19
	i.vectorAddress = i.row.format != scratch || field(word, 13, 13) != 0
	i.returns = field(word, 16, 16) != 0
	bank := vectors + operand(field(second, 23, 23))*(accums-vectors)
	i.address = vectors + operand(field(second, 0, 7))
	i.data[0] = bank + operand(field(second, 8, 15))
	i.scalarAddress = operand(field(second, 16, 22))
	i.d = bank + operand(field(second, 24, 31))
}

// wideFields decodes the encodings of 64 bits.
func wideFields(i *instruction, word, second uint32) {
	i.d = vectors + operand(field(word, 0, 7))
	i.sd = vccLow
	i.s = [3]operand{operand(field(second, 0, 8)), operand(field(second, 9, 17)), operand(field(second, 18, 26))}
	i.neg, i.omod, i.clamp = uint8(field(second, 29, 31)), uint8(field(second, 27, 28)), field(word, 15, 15) != 0
	if i.row.carry != nil { // the scalar destination instead of modifiers
		i.sd = operand(field(word, 8, 14))
	} else {
		i.abs, i.sel = uint8(field(word, 8, 10)), uint8(field(word, 11, 14))
	}
	if i.row.compare != nil {
		i.sd = operand(field(word, 0, 7))
	}
	if i.row.toScalar {
		i.d = operand(field(word, 0, 7))
	}
	if i.row.accumulates {
		i.s[2] = i.d
	}
	for n, k := range i.row.s {
		if k == none {
			i.s[n] = zero
		}
	}
}

// productFields decodes the banks of registers of a matrix product.
func productFields(i *instruction, word, second uint32) {
	i.blocks = uint16(field(word, 8, 14) | field(second, 29, 31)<<7)
	i.abs, i.neg, i.sel, i.omod, i.clamp = 0, 0, 0, 0, false
	accumulating := field(word, 15, 15) != 0
	for n, isAccumulator := range []bool{field(second, 27, 27) != 0, field(second, 28, 28) != 0, accumulating} {
		if isAccumulator && i.s[n] >= vectors {
			i.s[n] += accums - vectors
		}
	}
	if accumulating {
		i.d += accums - vectors
	}
}

// Values of the first source for SDWA and DPP, which have another word.
const (
	subdwordMark = 249
	permutedMark = 250
)

// vectorFields decodes the encodings of 32 bits of vector operations, with the word of SDWA and
// DPP.
func vectorFields(i *instruction, word, second uint32) {
	if i.form == wide {
		wideFields(i, word, second)
		return
	}
	i.sd, i.s[2] = vccLow, zero
	i.s[0], i.s[1], i.d = operand(field(word, 0, 8)), vectors+operand(field(word, 9, 16)), vectors+operand(field(word, 17, 24))
	switch i.row.format {
	case vop1:
		i.s[1] = zero
		if i.row.toScalar {
			i.d -= vectors
		}
	case vop2:
		switch {
		case i.row.accumulates:
			i.s[2] = i.d
		case i.row.s[2] == mask:
			i.s[2] = vccLow
		case i.row.s[2] != none: // a literal is the second or third source
			i.s[2] = literal
			if i.row.constantSecond {
				i.s[1], i.s[2] = i.s[2], i.s[1]
			}
		}
	}
	switch i.s[0] {
	case subdwordMark:
		i.form, i.size = subdword, 8
		i.s[0] = operand(field(second, 0, 7))
		if field(second, 23, 23) == 0 {
			i.s[0] += vectors
		}
		if field(second, 31, 31) != 0 && i.row.format != vop1 {
			i.s[1] -= vectors
		}
		i.part = [3]uint8{uint8(field(second, 16, 18)), uint8(field(second, 24, 26)), uint8(field(second, 8, 10))}
		i.extended = [2]bool{field(second, 19, 19) != 0, field(second, 27, 27) != 0}
		i.neg = uint8(field(second, 20, 20) | field(second, 28, 28)<<1)
		i.abs = uint8(field(second, 21, 21) | field(second, 29, 29)<<1)
		if i.row.compare != nil {
			if field(second, 15, 15) != 0 {
				i.sd = operand(field(second, 8, 14))
			}
			i.part[2] = 6
		} else {
			i.unused, i.clamp, i.omod = uint8(field(second, 11, 12)), field(second, 13, 13) != 0, uint8(field(second, 14, 15))
		}
	case permutedMark:
		i.form, i.size = permuted, 8
		i.s[0] = vectors + operand(field(second, 0, 7))
		i.control = uint16(field(second, 8, 16))
		i.boundControl = field(second, 19, 19) != 0
		i.neg = uint8(field(second, 20, 20) | field(second, 22, 22)<<1)
		i.abs = uint8(field(second, 21, 21) | field(second, 23, 23)<<1)
		i.bankMask, i.rowMask = uint8(field(second, 24, 27)), uint8(field(second, 28, 31))
	}
}

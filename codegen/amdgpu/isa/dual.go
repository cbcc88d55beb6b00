package isa

import "encoding/binary"

// This file encodes VOPD of gfx1100: a pair of vector instructions in 64 bits, which a wave of 32
// executes at once ("RDNA3 Instruction Set Architecture", "Dual Issue VALU").

// dualRows are the instructions that may be in a pair, with their codes.
var dualRows = [...]struct {
	op        Op
	code      uint8
	onlyAfter bool // it may only be the second one
}{
	{VFmacF32, 0, false}, {VFmaakF32, 1, false}, {VFmamkF32, 2, false}, {VMulF32, 3, false}, {VAddF32, 4, false}, {VSubF32, 5, false},
	{VSubrevF32, 6, false}, {VMulDx9ZeroF32, 7, false}, {VMovB32, 8, false}, {VCndmaskB32, 9, false}, {VMaxF32, 10, false}, {VMinF32, 11, false},
	{VDot2accF32F16, 12, false}, {VAddNcU32, 16, true}, {VLshlrevB32, 17, true}, {VAndB32, 18, true},
}

// dualCode returns the code of an instruction in a pair.
func dualCode(o Op, second bool) (code uint32, ok bool) {
	for n := range dualRows {
		if r := &dualRows[n]; r.op == o {
			return uint32(r.code), second || !r.onlyAfter
		}
	}
	return 0, false
}

// AppendDual appends the pair of two instructions, which have to meet these conditions:
//
//   - Each has the short form, and the second does not depend on the first: both read before either
//     writes.
//   - One destination has an even number, the other an odd one.
//   - Vector registers that are the same source of both differ in their numbers modulo 4, or
//     modulo 2 for an addend.
//   - If both have a literal, it is the same.
//   - Together they read at most two different scalar registers and literals.
//
// An error is an *Error for the first instruction that does not fit.
func AppendDual(code []byte, x, y *Instruction) ([]byte, error) {
	c, err := encodeShort(x, false)
	if err != nil {
		return code, err
	}
	d, err := encodeShort(y, true)
	if err != nil {
		return code, err
	}
	if !d.pairs(&c) {
		d.fail(unpaired, MaxOperands, 0)
		return code, d.error()
	}
	first, _ := dualCode(x.Op, false)
	second, _ := dualCode(y.Op, true)
	// the sources are those of the short form; the destination of the second lacks its lowest bit
	code = binary.LittleEndian.AppendUint32(code, 0xC8000000|first<<22|second<<17|c.dualSources())
	code = binary.LittleEndian.AppendUint32(code, c.vector(0)<<24|d.vector(0)>>1<<17|d.dualSources())
	switch {
	case c.literalWords != 0:
		code = binary.LittleEndian.AppendUint32(code, c.literal)
	case d.literalWords != 0:
		code = binary.LittleEndian.AppendUint32(code, d.literal)
	}
	return code, nil
}

// AppendDualText appends the pair as a line of assembly.
func AppendDualText(text []byte, x, y *Instruction) []byte {
	return appendHalf(append(appendHalf(text, x), " :: "...), y)
}

// appendHalf appends one instruction of a pair, without its mask.
func appendHalf(text []byte, i *Instruction) []byte {
	text = append(append(text, "v_dual_"...), i.Op.Name(GFX1100)[2:]...)
	for n, slot := range i.Op.Slots() {
		if slot == ms {
			break
		}
		text = append(text, [...]string{" ", ", "}[min(n, 1)]...)
		text = appendSlot(text, GFX1100, i, n)
	}
	return text
}

// encodeShort encodes an instruction of a pair in its short form.
func encodeShort(i *Instruction, second bool) (code, error) {
	c, err := encode(GFX1100, i)
	if err != nil {
		return c, err
	}
	if _, ok := dualCode(i.Op, second); !ok || c.size != 1 {
		c.fail(unpaired, MaxOperands, 0)
		return c, c.error()
	}
	return c, nil
}

// dualSources returns the bits of the sources.
func (c *code) dualSources() uint32 {
	if c.row.encodings[GFX1100].format == VOP1 {
		return c.words[0] & 0x1FF // the other bits are the opcode
	}
	return c.words[0] & 0x1FFFF
}

// pairs reports whether d may be the second instruction of a pair whose first is c.
func (d *code) pairs(c *code) bool {
	if c.vector(0)&1 == d.vector(0)&1 {
		return false
	}
	if c.literalWords != 0 && d.literalWords != 0 && c.literal != d.literal {
		return false
	}
	for port := range 3 {
		x, y := c.dualSource(port), d.dualSource(port)
		// there are four banks of vector registers; the port of addends distinguishes two
		if banks := [...]uint32{4, 4, 2}[port]; x.Kind() == KindVGPR && y.Kind() == KindVGPR && x.Number()%banks == y.Number()%banks {
			return false
		}
	}
	var seen [4]Operand
	count := 0
	for _, h := range [...]*code{c, d} {
		for _, n := range [...]int{1, 3} { // a mask is operand 3
			o := h.i.Operands[n]
			if k := o.Kind(); o == Null || k != KindSGPR && k != KindTTMP && k != KindSpecial || o == seen[0] || o == seen[1] || o == seen[2] {
				continue
			}
			seen[count] = o
			count++
		}
	}
	if c.literalWords != 0 || d.literalWords != 0 {
		count++
	}
	return count <= 2
}

// dualSource returns the operand that is read through a port: 0 and 1 for the sources, 2 for the
// addend. The addend is the destination of instructions that accumulate, or the last operand of
// v_fmamk.
func (c *code) dualSource(port int) Operand {
	i, slots := c.i, &c.row.slots
	switch {
	case port == 0:
		return i.Operands[1]
	case port == 1 && slots[2] != lit:
		return i.Operands[2]
	case port == 2 && slots[2] == lit:
		return i.Operands[3]
	case port == 2 && slots[0] == vu:
		return i.Operands[0]
	}
	return 0
}

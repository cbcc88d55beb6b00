package isa

import "strconv"

// This file formats instructions as LLVM's assembler reads them.

// AppendText appends the instruction as a line of assembly, without a newline. An instruction that
// cannot be encoded has some text, too.
func AppendText(text []byte, f Family, i *Instruction) []byte {
	r := &table()[i.Op]
	name := i.Op.Name(f)
	if name == "" {
		name = i.Op.String()
	}
	text = append(text, name...)
	format := r.encodings[f].format
	if format >= VOP1 && format <= VOPC {
		text = append(text, [...]string{"", "_e64", "_sdwa"}[i.Form]...)
	}
	separator, source := " ", 0
	for n, slot := range r.slots {
		if slot == noSlot {
			break
		}
		if slot == soff && i.Operands[n] == 0 {
			break // the immediate takes its position
		}
		text = append(text, separator...)
		separator = ", "
		if slot.Written() && source == 0 {
			text = appendSlot(text, f, i, n)
			continue
		}
		text = appendSource(text, f, i, n, source)
		source++
	}
	switch format {
	case SOPK, SOPP:
		if r.traits&immediate == 0 {
			break
		}
		if w := DecodeWait(f, i.Immediate); i.Op == SWaitcnt && w.Encode(f) == i.Immediate {
			text = w.append(text, f)
			break
		}
		text = strconv.AppendUint(append(text, separator...), uint64(uint16(i.Immediate)), 10)
	case SMEM:
		if r.slots[2] != soff {
			break
		}
		if i.Operands[2] == 0 {
			text = strconv.AppendInt(append(text, separator...), int64(i.Immediate), 10)
		} else if i.Immediate != 0 || f == GFX942 {
			text = appendNumber(text, " offset:", i.Immediate)
		}
	case DS:
		if r.traits&twoOffsets != 0 {
			text = appendNumber(text, " offset0:", i.Immediate&255)
			text = appendNumber(text, " offset1:", i.Immediate>>8)
		} else if i.Immediate != 0 {
			text = appendNumber(text, " offset:", i.Immediate)
		}
	case Global, Scratch:
		if i.Immediate != 0 {
			text = appendNumber(text, " offset:", i.Immediate)
		}
	}
	return appendModifiers(text, f, i, source)
}

func appendNumber(text []byte, name string, n int32) []byte {
	return strconv.AppendInt(append(text, name...), int64(n), 10)
}

// appendSlot appends operand n as it is.
func appendSlot(text []byte, f Family, i *Instruction, n int) []byte {
	o := i.Operands[n]
	if o.Kind() == KindFloat && floatCodes[o.Number()%uint32(len(floatCodes))].text == "" {
		width := 1
		switch slotRows[table()[i.Op].slots[n]].constants {
		case half, short, twoHalves, twoShorts:
			width = 0
		case double, wideInt:
			width = 2
		}
		return append(text, inverseOfTau[width]...)
	}
	return appendOperand(text, o, i.Words(f, n))
}

// appendSource appends operand n with its modifiers. source is its index among the sources.
func appendSource(text []byte, f Family, i *Instruction, n, source int) []byte {
	packed := i.Op.Format(f) == VOP3P && table()[i.Op].slots[n] != mix
	negated, absolute := i.Modifiers&(Neg<<source) != 0 && !packed, i.Modifiers&(Abs<<source) != 0
	extended := i.Form == SDWA && i.Parts&(Sext0<<source) != 0
	end := ""
	if negated {
		if i.Operands[n].IsConstant() {
			text, end = append(text, "neg("...), ")"
		} else {
			text = append(text, '-')
		}
	}
	if absolute {
		text = append(text, '|')
	}
	if extended {
		text = append(text, "sext("...)
	}
	text = appendSlot(text, f, i, n)
	if extended {
		text = append(text, ')')
	}
	if absolute {
		text = append(text, '|')
	}
	return append(text, end...)
}

// appendOperand appends an operand of the given number of words.
func appendOperand(text []byte, o Operand, words int) []byte {
	n := o.Number()
	switch o.Kind() {
	case KindSGPR:
		return appendRegister(text, "s", n, words)
	case KindVGPR:
		return appendRegister(text, "v", n, words)
	case KindAGPR:
		return appendRegister(text, "a", n, words)
	case KindTTMP:
		return appendRegister(text, "ttmp", n, words)
	case KindSpecial:
		if n >= uint32(specials) {
			break
		}
		if pair := specialRows[n].pair; words == 2 && pair != "" {
			return append(text, pair...)
		}
		return append(text, specialRows[n].name...)
	case KindInt:
		return strconv.AppendInt(text, int64(int32(n)), 10)
	case KindFloat:
		if n < uint32(len(floatCodes)) {
			if floatCodes[n].text == "" {
				return append(text, inverseOfTau[1]...)
			}
			return append(text, floatCodes[n].text...)
		}
	case KindLiteral, KindFixed:
		return strconv.AppendUint(append(text, "0x"...), uint64(n), 16)
	case NoOperand:
		return append(text, "off"...)
	}
	return append(text, '?')
}

// appendRegister appends one register, or a range of them.
func appendRegister(text []byte, name string, n uint32, words int) []byte {
	text = append(text, name...)
	if words == 1 {
		return strconv.AppendUint(text, uint64(n), 10)
	}
	text = strconv.AppendUint(append(text, '['), uint64(n), 10)
	return append(strconv.AppendUint(append(text, ':'), uint64(n)+uint64(words)-1, 10), ']')
}

// appendModifiers appends the modifiers that follow the operands.
func appendModifiers(text []byte, f Family, i *Instruction, sources int) []byte {
	m, r := i.Modifiers, &table()[i.Op]
	format := r.encodings[f].format
	switch format {
	case VOP1, VOP2, VOPC, VOP3:
		if m&(allHigh|HighResult) != 0 {
			n := sources
			bits := uint32(m >> highShift)
			if format != VOPC {
				bits = bits&(1<<sources-1) | bits>>3<<sources
				n++
			}
			text = appendBits(text, " op_sel:[", bits, n)
		}
	case VOP3P:
		if sources < 2 {
			break // v_accvgpr_read and v_accvgpr_write
		}
		if m&allHigh != 0 {
			text = appendBits(text, " op_sel:[", uint32(m>>highShift), sources)
		}
		if m&allLow != 0 {
			bits := uint32(m >> lowShift)
			if !r.mixed() {
				bits = ^bits
			}
			text = appendBits(text, " op_sel_hi:[", bits, sources)
		}
		if m&allNeg != 0 && !r.mixed() {
			text = appendBits(text, " neg_lo:[", uint32(m>>negShift), sources)
		}
		if m&allNegHigh != 0 {
			text = appendBits(text, " neg_hi:[", uint32(m>>highNegated), sources)
		}
	}
	if m&Clamp != 0 {
		text = append(text, " clamp"...)
	}
	text = append(text, [...]string{"", " mul:2", " mul:4", " div:2"}[m&allScale>>scaleShift]...)
	if i.Form == SDWA {
		if format != VOPC {
			text = append(append(text, " dst_sel:"...), partNames[i.Parts.Destination()%parts]...)
			text = append(append(text, " dst_unused:"...), unusedNames[i.Parts.Unused()%unusedModes]...)
		}
		text = append(append(text, " src0_sel:"...), partNames[i.Parts.Source(0)%parts]...)
		if format != VOP1 {
			text = append(append(text, " src1_sel:"...), partNames[i.Parts.Source(1)%parts]...)
		}
	}
	m = i.cached(f)
	for n, name := range [...]string{" sc0", " sc1", " nt", " glc", " slc", " dlc"} {
		if m&(SC0<<n) != 0 {
			text = append(text, name...)
		}
	}
	return text
}

// appendBits appends a list of bits, the lowest first.
func appendBits(text []byte, name string, bits uint32, n int) []byte {
	text = append(text, name...)
	for k := range n {
		if k > 0 {
			text = append(text, ',')
		}
		text = append(text, '0'+byte(bits>>k&1))
	}
	return append(text, ']')
}

// mixed reports whether modifiers select the width of the sources.
func (r *row) mixed() bool { return r.slots[1] == mix }

// cached returns the modifiers, with the one for an atomic access that returns the old value.
func (i *Instruction) cached(f Family) Modifiers {
	if table()[i.Op].traits&returns != 0 {
		return i.Modifiers | [families]Modifiers{SC0, GLC}[f]
	}
	return i.Modifiers
}

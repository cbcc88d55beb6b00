package amd64

import "strconv"

// This file writes instructions as text that LLVM's assembler reads, in Intel's syntax.

var (
	names8 = [...]string{"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi"}
	names4 = [...]string{"eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi"}
	names2 = [...]string{"ax", "cx", "dx", "bx", "sp", "bp", "si", "di"}
	names1 = [...]string{"al", "cl", "dl", "bl", "spl", "bpl", "sil", "dil"}
)

// generalRows are the names of general registers by the logarithm of their bytes: of the first
// eight, and what those after end with.
var generalNames = [...]struct {
	names  *[8]string
	ending string
}{{&names1, "b"}, {&names2, "w"}, {&names4, "d"}, {&names8, ""}}

// memoryNames are the names of accesses to memory by the logarithm of their bytes.
var memoryNames = [...]string{"byte", "word", "dword", "qword", "xmmword", "ymmword"}

// predicateNames are part of the mnemonics of comparisons of floats, by the immediate (SDM volume
// 2, "CMPPS").
var predicateNames = [...]string{
	"eq", "lt", "le", "unord", "neq", "nlt", "nle", "ord", "eq_uq", "nge", "ngt", "false", "neq_oq", "ge", "gt", "true",
	"eq_os", "lt_oq", "le_oq", "unord_s", "neq_us", "nlt_uq", "nle_uq", "ord_s", "eq_us", "nge_uq", "ngt_uq", "false_os", "neq_os", "ge_oq", "gt_oq", "true_us",
}

// AppendText appends the instruction as a line of assembly, without its end. Of an instruction that
// cannot be encoded it is a text that says what there is. Registers that have not been assigned are
// g32 and v32 and so on.
func AppendText(text []byte, i *Instruction) []byte {
	if i.Op >= Ops {
		return append(text, '?')
	}
	var c code
	c.i = i
	c.find()
	r := c.row
	switch {
	case i.Op == Mark:
		return append(appendOperand(text, i.Operands[0], 0), ':')
	case i.Address.Locked:
		text = append(text, "lock "...)
	}
	named := r.traits&predicated != 0 && i.Immediate >= 0 && i.Immediate < int64(len(predicateNames))
	switch {
	case named:
		text = append(append(text, r.name[:4]...), predicateNames[i.Immediate]...)
		text = append(text, r.name[4:]...)
	case i.Op == SignRAX && i.Width == Wide:
		text = append(text, "cqo"...)
	case evexForms[i.Op].name != "" && needsEVEX(i):
		text = append(text, evexForms[i.Op].name...)
	default:
		text = append(text, r.name...)
	}
	if r.traits&conditional != 0 && i.Condition < conditions {
		text = append(text, conditionRows[i.Condition].suffix...)
	}
	separator := " "
	for n, o := range i.Operands {
		if o == 0 || o == Imm && named {
			break
		}
		text = append(text, separator...)
		separator = ", "
		bytes := slotRows[r.slots[n]].size.bytes(i.Width & 1)
		switch o.Kind() {
		case KindMemory:
			text = appendAddress(text, i, bytes, r.slots[n])
		case KindImmediate:
			if i.Op == Align {
				text = strconv.AppendInt(text, int64(logarithm(int(i.Immediate))), 10)
				break
			}
			text = strconv.AppendInt(text, i.Immediate, 10)
		default:
			text = appendOperand(text, o, bytes)
		}
	}
	if r.traits&byCL != 0 {
		text = append(text, ", cl"...)
	}
	return text
}

// logarithm returns that of a power of two.
func logarithm(n int) (l int) {
	for ; n > 1; n >>= 1 {
		l++
	}
	return l
}

// appendOperand appends an operand other than memory and immediates; of registers, so many bytes.
func appendOperand(text []byte, o Operand, bytes int) []byte {
	n := o.Number()
	prefix := "?"
	switch o.Kind() {
	case NoOperand:
		return append(text, "nothing"...)
	case KindGeneral:
		if n < HighVectors {
			l := logarithm(bytes)
			if l >= len(generalNames) {
				l = len(generalNames) - 1
			}
			if n < 8 {
				return append(text, generalNames[l].names[n]...)
			}
			text = append(text, 'r')
			return append(strconv.AppendInt(text, int64(n), 10), generalNames[l].ending...)
		}
		prefix = "g"
	case KindVector:
		switch {
		case n >= FirstVirtual:
			prefix = "v"
		case bytes > 16:
			prefix = "ymm"
		default:
			prefix = "xmm"
		}
	case KindImmediate:
		return append(text, "a number"...)
	case KindMemory:
		return append(text, "memory"...)
	case KindLabel:
		prefix = "label"
	case KindConstant:
		prefix = "constant"
	}
	return strconv.AppendInt(append(text, prefix...), int64(n), 10)
}

// appendAddress appends an address of so many bytes, 0 if nothing is accessed.
func appendAddress(text []byte, i *Instruction, bytes int, s slot) []byte {
	a := &i.Address
	if bytes > 0 {
		text = append(append(text, memoryNames[logarithm(bytes)]...), " ptr "...)
	}
	text = append(text, '[')
	separator := ""
	if a.Base != 0 {
		if a.Base.Kind() == KindConstant || a.Base.Kind() == KindLabel {
			text = append(text, "rip + "...)
		}
		text = appendOperand(text, a.Base, 8)
		separator = " + "
	}
	if a.Index != 0 {
		text = append(text, separator...)
		if a.Scale != 1 || a.Base == 0 && a.Index.Kind() == KindVector {
			text = append(strconv.AppendUint(text, uint64(a.Scale), 10), '*')
		}
		text = appendOperand(text, a.Index, s.index().bytes(i.Width&1))
		separator = " + "
	}
	switch d := int64(a.Displacement); {
	case separator == "":
		text = strconv.AppendInt(text, d, 10)
	case d < 0:
		text = strconv.AppendInt(append(text, " - "...), -d, 10)
	case d > 0:
		text = strconv.AppendInt(append(text, " + "...), d, 10)
	}
	return append(text, ']')
}

package machine

import (
	"fmt"
	"strings"
)

// This file spells code in the assembler's language.

func (c *code) text() string {
	var b strings.Builder
	for n := range c.list {
		b.WriteString(c.instructionText(&c.list[n]))
		b.WriteByte('\n')
	}
	return b.String()
}

func (c *code) instructionText(i *instruction) string {
	row := &operations[i.op]
	name := strings.Replace(row.name, "?", fmt.Sprint(c.target.wave), 1)
	switch {
	case i.op == labelMark:
		return fmt.Sprintf("L%d:", i.offset)
	case i.op == opWaitCount:
		return "  s_waitcnt 0"
	case strings.HasPrefix(name, "s_cbranch"), name == "s_branch":
		return fmt.Sprintf("  %s L%d", name, i.offset)
	case i.op == opNop:
		return fmt.Sprintf("  s_nop %d", i.offset)
	}
	var parts []string
	for n := range i.count {
		text := c.operandText(i.args[n], c.operandWords(i, int(n)))
		if i.abs>>n&1 != 0 {
			text = "|" + text + "|"
		}
		if i.neg>>n&1 != 0 {
			text = "-" + text
		}
		parts = append(parts, text)
	}
	text := "  " + name + " " + strings.Join(parts, ", ")
	switch row.format {
	case smem:
		text += fmt.Sprintf(", 0x%x", i.offset)
	case scratch:
		text += ", off"
		text += fmt.Sprintf(" offset:%d", i.offset)
	case global, lds:
		if i.offset != 0 {
			text += fmt.Sprintf(" offset:%d", i.offset)
		}
	}
	if row.format == global && i.flags&returns != 0 {
		text += " sc0"
	}
	if i.flags&coherent != 0 {
		text += " sc1"
	}
	if i.op == opAddTable {
		text = strings.Replace(text, "0x", fmt.Sprintf("tables-L%d+0x", i.offset), 1)
	}
	return text
}

func (c *code) operandText(o operand, words int) string {
	letter := "v"
	switch o.kind() {
	case noOperand:
		return "off"
	case constantWord:
		return fmt.Sprintf("0x%x", c.value(o))
	case scalarAt:
		switch {
		case o.number() == execNumber:
			return "exec"
		case o.number() == vccNumber:
			return "vcc"
		}
		letter = "s"
	case scalarWord:
		letter = "S"
	case vector:
		letter = "V"
	}
	if o.virtual() {
		return fmt.Sprintf("%s%d.%d:%d", letter, o.number(), o.word(), words)
	}
	if words == 1 {
		return fmt.Sprintf("%s%d", letter, o.number())
	}
	return fmt.Sprintf("%s[%d:%d]", letter, o.number(), int(o.number())+words-1)
}

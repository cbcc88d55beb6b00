package machine

import "fmt"

// This file formats code for messages and tests.

func (c *code) instructionText(i *instruction) string {
	if i.op == labelMark {
		return fmt.Sprintf("L%d:", i.offset)
	}
	text := i.op.Name(c.target.family)
	for n := range i.count {
		text += " " + c.operandText(i.args[n], c.operandWords(i, int(n)))
	}
	return fmt.Sprintf("%s #%d", text, i.offset)
}

// operandText formats a register as letter, number, word and width. The letter is a capital for
// virtual registers.
func (c *code) operandText(o operand, words int) string {
	switch o.kind() {
	case noOperand:
		return "off"
	case constantWord:
		return fmt.Sprintf("%#x", c.value(o))
	}
	return fmt.Sprintf("%c%d.%d:%d", "?VSvs"[o.kind()>>kindShift], o.number(), o.word(), words)
}

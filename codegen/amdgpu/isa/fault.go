package isa

import (
	"fmt"
	"strconv"
)

// Error is why an instruction cannot be encoded.
type Error struct {
	Family  Family
	Op      Op
	Operand int // index, or MaxOperands if the fault is not that of an operand
	fault   fault
	about   Operand
	number  int32
}

// fault is a kind of Error.
type fault uint8

const (
	noFault fault = iota
	absent
	missing
	surplus
	unfit
	virtual
	beyond
	unaligned
	noRoom
	twoLiterals
	crowded
	modified
	ambiguous
	outOfRange
	badForm
	badParts
	unpaired
	overlaps
)

// faultTexts are the messages. The verbs refer to the family, the mnemonic, the index of the
// operand, the operand, and a number.
var faultTexts = [...]string{
	absent:      "%[1]s has no %[2]s",
	missing:     "%[2]s: operand %[3]d is missing",
	surplus:     "%[2]s: there is an operand %[3]d, which the instruction does not have",
	unfit:       "%[2]s: operand %[3]d may not be %[4]s",
	virtual:     "%[2]s: operand %[3]d is %[4]s, a register that has not been assigned; registers have to be assigned first",
	beyond:      "%[2]s: operand %[3]d begins at %[4]s and goes beyond the last register of %[1]s",
	unaligned:   "%[2]s: operand %[3]d begins at %[4]s; on %[1]s the number has to be a multiple of %[5]d",
	noRoom:      "%[2]s: there is no room for the literal %[4]s in this form; it has to be moved to a register first",
	twoLiterals: "%[2]s: there are two literals, and room for one; one of them has to be moved to a register first",
	crowded:     "%[2]s: more scalar registers and literals are read than %[5]d, which is all that %[1]s allows; some have to be moved to vector registers first",
	modified:    "%[2]s: there is a modifier that the instruction does not have on %[1]s",
	ambiguous:   "%[2]s: the literal %[4]s is the upper half of a float that cannot be told from an integer; it has to be moved to registers first",
	outOfRange:  "%[2]s: the number %[5]d does not fit the instruction on %[1]s; for an offset, add the excess to the address",
	badForm:     "%[2]s: these operands and modifiers do not fit the requested form, or the only one that %[1]s has",
	unpaired:    "%[2]s: the instruction cannot be in this pair: see AppendDual for the conditions",
	overlaps:    "%[2]s: operand %[3]d, %[4]s, has some of the registers of the result and not the same",
	badParts:    "%[2]s: there are parts of words that do not exist",
}

// Error returns the reason, and the remedy where there is one.
func (e *Error) Error() string {
	name := "instruction " + strconv.Itoa(int(e.Op))
	if e.Op < Ops {
		if name = e.Op.Name(e.Family); name == "" {
			name = e.Op.String()
		}
	}
	return fmt.Sprintf(faultTexts[e.fault], e.Family, name, e.Operand, appendOperand(nil, e.about, 1), e.number)
}

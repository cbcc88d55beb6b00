package amd64

import "fmt"

// This file says what is wrong with an instruction.

// Error is why an instruction cannot be encoded.
type Error struct {
	Op Op
	// Index is the index of the instruction in the list that was to be assembled, -1 if it was
	// alone.
	Index       int
	Operand     int // from 0, MaxOperands if the fault is none of an operand
	fault       fault
	number      int64
	instruction Instruction
}

// fault is a way in which an instruction is wrong.
type fault uint8

const (
	noFault fault = iota
	unknown
	missing
	surplus
	unfit
	outOfRange
	virtual
	virtualBase
	virtualIndex
	high
	badBase
	badIndex
	badScale
	relativeIndex
	noWidth
	noCondition
	noAddress
	noImmediate
	notLockable
	together
	unassembled
	badLabel
	noLabel
	markedTwice
	noConstant
	badAlign
	tooFar
)

// faultTexts are what is said. The verbs are by number: mnemonic, operand's number, operand,
// number, base, index, the number of the instruction.
var faultTexts = [...]string{
	unknown:       "there is no instruction of the number %[7]d",
	missing:       "%[1]s: operand %[2]d is missing",
	surplus:       "%[1]s: there is an operand %[2]d, which the instruction does not have with these before it",
	unfit:         "%[1]s: operand %[2]d may not be %[3]s here",
	outOfRange:    "%[1]s: the number %[4]d does not fit operand %[2]d; it has to be moved to a register first",
	virtual:       "%[1]s: operand %[2]d is %[3]s, a register that has not been assigned; registers have to be assigned first",
	virtualBase:   "%[1]s: the base is %[5]s, a register that has not been assigned; registers have to be assigned first",
	virtualIndex:  "%[1]s: the index is %[6]s, a register that has not been assigned; registers have to be assigned first",
	high:          "%[1]s: operand %[2]d is %[3]s, and the instruction has no form with EVEX, which alone can name it",
	badBase:       "%[1]s: the base of an address may not be %[5]s; it is a general register, a constant, a label or nothing",
	badIndex:      "%[1]s: the index of the address may not be %[6]s; that of a gather is a vector, and all others are general registers but rsp",
	badScale:      "%[1]s: the scale of an index may not be %[4]d; it is 1, 2, 4 or 8, and 0 without an index",
	relativeIndex: "%[1]s: an address of a constant or label has no index; its address has to be moved to a register with lea first",
	noWidth:       "%[1]s: the instruction does not have this width with these operands",
	noCondition:   "%[1]s: the condition %[4]d does not exist, or the instruction has none",
	noAddress:     "%[1]s: there is an address, and no operand in memory",
	noImmediate:   "%[1]s: there is the number %[4]d, and no operand for it",
	notLockable:   "%[1]s: the instruction cannot be locked; what reads, computes and writes its first operand in memory can",
	together:      "%[1]s: destination, index and mask have to be three registers",
	unassembled:   "%[1]s: a single instruction cannot use labels and constants; assemble it with the list that defines them",
	badLabel:      "the label %[4]d is too large; labels are numbers from 0 on, without large gaps",
	noLabel:       "%[1]s: label %[4]d is nowhere in the code",
	markedTwice:   "label %[4]d is marked twice",
	noConstant:    "%[1]s: there is no constant %[4]d in the pool",
	badAlign:      "%[4]d is no power of two up to 64",
	tooFar:        "%[1]s: the code is larger than 2 GB; it has to be divided",
}

// at returns the error with the index of the instruction in a list.
func (e *Error) at(index int) *Error {
	e.Index = index
	return e
}

// Error says what is wrong.
func (e *Error) Error() string {
	var text string
	if e.Index >= 0 {
		text = fmt.Sprintf("instruction %d: ", e.Index)
	}
	var o Operand
	if e.Operand < MaxOperands {
		o = e.instruction.Operands[e.Operand]
	}
	a := &e.instruction.Address
	return text + fmt.Sprintf(faultTexts[e.fault], e.Op, e.Operand, describe(o), e.number, describe(a.Base), describe(a.Index), e.Op)
}

// describe returns the text of an operand whose size is not known.
func describe(o Operand) string { return string(appendOperand(nil, o, 8)) }

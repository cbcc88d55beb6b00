package arm64

// This file says what an instruction is.

// MaxOperands is how many operands an instruction has at most.
const MaxOperands = 4

// Instruction is one instruction. It has no pointers: code is a slice of them.
type Instruction struct {
	// Operands are in the order of the text. Those that the instruction does not have are zero.
	Operands [MaxOperands]Operand
	// Address is that of the operand Mem, if there is one.
	Address Address
	// Immediate is the value of the operand Imm or Distance, if there is one.
	Immediate int64
	Op        Op
	Shape     Shape
	// Condition is that of branches and choices.
	Condition Condition
	// Extend and Amount are how the last register is extended or shifted, where an instruction does
	// that besides. Amount alone is an immediate's shift to the left, a field's width, the bit that
	// is tested, the flags that CCmp sets, or the index of an element. Of two elements it is that
	// of the destination.
	Extend Extension
	Amount uint8
	// Element is that of the source, where Amount is that of the destination.
	Element uint8
	// Source is where the instruction comes from, whatever its maker counts by: the package passes
	// it on.
	Source uint32
}

// Of returns an instruction with operands; the rest is for the caller to fill in.
func Of(o Op, s Shape, operands ...Operand) (i Instruction) {
	i.Op, i.Shape = o, s
	copy(i.Operands[:], operands)
	return i
}

// Access is whether an operand is read or written.
type Access uint8

// The accesses.
const (
	Read Access = 1 << iota
	Written
)

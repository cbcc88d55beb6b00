package amd64

import "math/bits"

// This file says what an instruction is, and what it reads and writes.

// MaxOperands is how many operands an instruction has at most.
const MaxOperands = 4

// Instruction is one instruction, or one of the pseudo-instructions Mark and Align. It has no
// pointers: code is a slice of them.
type Instruction struct {
	// Operands are in the order of Intel's syntax. Those that the instruction does not have are
	// zero.
	Operands [MaxOperands]Operand
	// Address is that of the operand Mem, if there is one.
	Address Address
	// Immediate is the value of the operand Imm, if there is one. Of Align it is the power of two,
	// in bytes.
	Immediate int64
	Op        Op
	// Width is that of the registers, for instructions with more than one width.
	Width Width
	// Condition is that of Jcc, Setcc and Cmovcc.
	Condition Condition
	// Source is where the instruction comes from, whatever its maker counts by: the package passes
	// it on.
	Source uint32
}

// Of returns an instruction with operands; the rest is for the caller to fill in.
func Of(o Op, w Width, operands ...Operand) (i Instruction) {
	i.Op, i.Width = o, w
	copy(i.Operands[:], operands)
	return i
}

// Flags is a set of the flags that conditions test.
type Flags uint8

// The flags.
const (
	CF Flags = 1 << iota
	PF
	ZF
	SF
	OF

	allFlags = CF | PF | ZF | SF | OF
)

// Effects are what an instruction reads and writes besides its operands and flags.
type Effects uint16

// The effects.
const (
	ReadsRAX Effects = 1 << iota
	WritesRAX
	ReadsRCX
	ReadsRDX
	WritesRDX
	// Stack is that RSP is read and written.
	Stack
	// Jumps is what goes on elsewhere, perhaps; Ends what never goes on after.
	Jumps
	Ends
	// Calls is what executes other code, which may change any register.
	Calls
	// Loads and Stores are what reads and writes memory, whether by an operand or not.
	Loads
	Stores
	// Fences keeps accesses to memory in their order.
	Fences
	// Uppers is that the upper halves of all vector registers become zero.
	Uppers
	// Traps is what may end the program: a division, or ud2.
	Traps
)

// Access is whether an operand is read or written. A register of which a part is written is read,
// too.
type Access uint8

// The accesses.
const (
	Read Access = 1 << iota
	Written
)

// Use is a register that an instruction reads or writes.
type Use struct {
	Register Operand
	Access   Access
}

// MaxUses is how many registers an instruction reads or writes at most, those without an operand
// included.
const MaxUses = 8

// Cleared reports whether the result is the same whatever the registers hold that are read, as that
// of xor of a register with itself.
func (i *Instruction) Cleared() bool {
	r := first(i.Op)
	return r.traits&cleared != 0 && i.sameSources(r)
}

// sameSources reports whether both sources are one register.
func (i *Instruction) sameSources(r *row) bool {
	a, b := i.Operands[0], i.Operands[1]
	if r.slots[2] != noSlot {
		a, b = b, i.Operands[2]
	}
	return a == b && a.IsRegister()
}

// Uses appends the registers that the instruction reads and writes, by operands, by its address and
// otherwise, and returns the longer list. A register may be there more than once. What a Call
// changes is not.
func (i *Instruction) Uses(list []Use) []Use {
	r := first(i.Op)
	ignored := Access(0)
	if r.traits&cleared != 0 && i.sameSources(r) {
		ignored = Read
	}
	for n, o := range i.Operands {
		if o.IsRegister() {
			if access := slotRows[r.slots[n]].access &^ ignored; access != 0 {
				list = append(list, Use{o, access})
			}
		}
	}
	if i.Address.Base.IsRegister() {
		list = append(list, Use{i.Address.Base, Read})
	}
	if i.Address.Index != 0 {
		list = append(list, Use{i.Address.Index, Read})
	}
	for e := r.effects & impliesRegisters; e != 0; e &= e - 1 {
		list = append(list, implied[trailing(e)])
	}
	return list
}

// VirtualUses is Uses of the registers that the machine does not have alone, which is what those
// who assign registers go through again and again. What is written and not read comes last.
func (i *Instruction) VirtualUses(list []Use) []Use {
	a := &table().accesses[i.Op]
	ignored := Access(0)
	if a.cleared && i.Operands[a.sources] == i.Operands[a.sources+1] && i.Operands[a.sources].IsRegister() {
		ignored = Read
	}
	if i.Address.Base.IsVirtual() {
		list = append(list, Use{i.Address.Base, Read})
	}
	if i.Address.Index.IsVirtual() {
		list = append(list, Use{i.Address.Index, Read})
	}
	for n := MaxOperands - 1; n >= 0; n-- { // in the order of Intel's syntax results are in front
		if o := i.Operands[n]; o.IsVirtual() {
			if access := a.of[n] &^ ignored; access != 0 {
				list = append(list, Use{o, access})
			}
		}
	}
	return list
}

// Rename puts a register instead of another one, in operands and the address.
func (i *Instruction) Rename(old, fresh Operand) {
	for n := range i.Operands {
		if i.Operands[n] == old {
			i.Operands[n] = fresh
		}
	}
	if i.Address.Base == old {
		i.Address.Base = fresh
	}
	if i.Address.Index == old {
		i.Address.Index = fresh
	}
}

// impliesRegisters are the effects on registers, which implied has by the numbers of their bits.
const impliesRegisters = ReadsRAX | WritesRAX | ReadsRCX | ReadsRDX | WritesRDX | Stack

var implied = [...]Use{{RAX, Read}, {RAX, Written}, {RCX, Read}, {RDX, Read}, {RDX, Written}, {RSP, Read | Written}}

func trailing(e Effects) int { return bits.TrailingZeros16(uint16(e)) }

// Effects returns what the instruction reads and writes besides its operands and flags, and whether
// it accesses memory.
func (i *Instruction) Effects() Effects {
	r := first(i.Op)
	e := r.effects
	for n, o := range i.Operands {
		if o == Mem {
			access := slotRows[r.slots[n]].access
			if access&Read != 0 {
				e |= Loads
			}
			if access&Written != 0 {
				e |= Stores
			}
		}
	}
	if i.Address.Locked || i.Op == XChg {
		e |= Fences
	}
	return e
}

// Flags returns the flags that the instruction reads, those that it writes, and those of which
// nothing is known after it. All others keep their values.
func (i *Instruction) Flags() (reads, writes, loses Flags) {
	r := first(i.Op)
	f := &flagRows[r.flags]
	reads = f.reads
	if r.traits&conditional != 0 {
		reads |= conditionRows[i.Condition&15].reads
	}
	return reads, f.writes, f.loses
}

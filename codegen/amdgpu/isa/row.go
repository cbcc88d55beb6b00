package isa

import "sync"

// This file describes the rows of the table, and answers queries about instructions.

// Op is an instruction by its meaning: 0 to Ops-1.
type Op uint16

// encoding is how a family encodes an instruction.
type encoding struct {
	format Format
	code   uint16
	allows allows
}

// allows is a set of the modifiers and forms that an encoding has.
type allows uint8

const (
	hasClamp allows = 1 << iota // Clamp
	hasOmod                     // Twice, FourTimes, HalfOf
	hasOpSel                    // High, HighResult
	hasSDWA                     // the form SDWA
	noVOP3                      // there is no VOP3
)

// row describes an instruction.
type row struct {
	op        Op
	name      string // on gfx942, and on gfx1100 if the other is empty
	other     string
	encodings [families]encoding
	slots     [MaxOperands]Slot
	effects   Effects
	traits    traits
}

// traits are further properties of instructions.
type traits uint8

const (
	immediate  traits = 1 << iota // SOPK, SOPP: Instruction.Immediate is used
	twoOffsets                    // DS: there are two offsets of 8 bits
	// an atomic access that returns the old value, which SC0 or GLC selects
	returns
	// the bus limit is 1 on gfx1100, too
	oneBusRead
)

// Name returns the mnemonic, "" if the family does not have the instruction.
func (o Op) Name(f Family) string {
	r := &table()[o]
	switch {
	case r.encodings[f].format == Absent:
		return ""
	case f == GFX1100 && r.other != "":
		return r.other
	}
	return r.name
}

// String returns the mnemonic of the first family that has the instruction.
func (o Op) String() string {
	if name := o.Name(GFX942); name != "" {
		return name
	}
	return o.Name(GFX1100)
}

// Format returns the format of the instruction in a family, Absent if it does not have it.
func (o Op) Format(f Family) Format { return table()[o].encodings[f].format }

// Slots describes the operands, in their order.
func (o Op) Slots() []Slot {
	s := &table()[o].slots
	for n := range s {
		if s[n] == noSlot {
			return s[:n]
		}
	}
	return s[:]
}

// Effects returns what the instruction reads and writes besides its operands.
func (o Op) Effects() Effects { return table()[o].effects }

// Immediate reports whether an instruction of SOPK or SOPP has an immediate.
func (o Op) Immediate() bool { return table()[o].traits&immediate != 0 }

// Returns reports whether an atomic access returns the old value.
func (o Op) Returns() bool { return table()[o].traits&returns != 0 }

// Counter returns the counter of the instruction while it is outstanding.
func (o Op) Counter(f Family) Counter {
	r := &table()[o]
	switch r.encodings[f].format {
	case SMEM, DS:
		return ScalarOrLocal
	case MUBUF:
		if o == BufferWbl2 { // invalidations are not counted
			return VectorMemory
		}
	case Global, Scratch:
		if f == GFX1100 && r.effects&Stores != 0 && r.slots[0].Read() {
			return VectorStores
		}
		return VectorMemory
	case SOPP:
		if o == SSendmsg || o == SSendmsghalt {
			return ScalarOrLocal
		}
	}
	return NoCounter
}

// BusLimit returns the constant bus limit: how many different scalar registers and literals
// together a vector instruction may read.
func (o Op) BusLimit(f Family) int {
	if f == GFX942 || table()[o].traits&oneBusRead != 0 {
		return 1
	}
	return 2
}

// hasBase reports whether the address of an access to global memory has a scalar base.
func (r *row) hasBase(operands *[MaxOperands]Operand) bool {
	for n, s := range r.slots {
		if s == gbase {
			return operands[n] != 0
		}
	}
	return false
}

// enc and args shorten the rows.
type (
	enc  = [families]encoding
	args = [MaxOperands]Slot
)

// table returns the rows by Op. It is built when first used, since most processes make no code for
// AMD.
var table = sync.OnceValue(func() *[Ops]row {
	all := new([Ops]row)
	for _, part := range [...][]row{scalarRows, memoryRows, vector1Rows, vector2Rows, compareRows(), vector3Rows, packedRows, matrixRows, sharedRows, globalRows, scratchRows} {
		for n := range part {
			all[part[n].op] = part[n]
		}
	}
	return all
})

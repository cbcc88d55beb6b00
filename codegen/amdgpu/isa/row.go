package isa

import "sync"

// This file is what a row of the table says, and what is asked of it.

// Op is an instruction by its meaning. Numbers are dense, from 0 on.
type Op uint16

// place is how a family has an instruction.
type place struct {
	format Format
	code   uint16
	allows allows
}

// allows are what an encoding has room for.
type allows uint8

const (
	clamps  allows = 1 << iota // Clamp
	scales                     // Twice, FourTimes, HalfOf
	halves                     // High, HighResult
	partly                     // the form SDWA
	onlyLow                    // there is no VOP3
)

// row describes an instruction.
type row struct {
	op      Op
	name    string // on gfx942, and on gfx1100 if the other is empty
	other   string
	places  [families]place
	slots   [MaxOperands]Slot
	effects Effects
	traits  traits
}

// traits are what else there is.
type traits uint8

const (
	immediate  traits = 1 << iota // SOPK, SOPP: there is a number
	twoOffsets                    // DS: there are two offsets of 8 bits
	// an atomic access that returns what was there, which SC0 or GLC says
	returns
	// of scalar registers and literals there may be one on gfx1100 too
	narrow
)

// Name returns the mnemonic, "" if the family does not have the instruction.
func (o Op) Name(f Family) string {
	r := &table()[o]
	switch {
	case r.places[f].format == Absent:
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

// Format returns how a family encodes the instruction: Absent if it has none.
func (o Op) Format(f Family) Format { return table()[o].places[f].format }

// OnlyShort reports whether the instruction is in VOP1, VOP2 or VOPC alone.
func (o Op) OnlyShort(f Family) bool { return table()[o].places[f].allows&onlyLow != 0 }

// Clamps reports whether Clamp may be applied to the result.
func (o Op) Clamps(f Family) bool { return table()[o].places[f].allows&clamps != 0 }

// Scales reports whether Twice, FourTimes and HalfOf may be applied to the result.
func (o Op) Scales(f Family) bool { return table()[o].places[f].allows&scales != 0 }

// Halves reports whether High and HighResult may be used.
func (o Op) Halves(f Family) bool { return table()[o].places[f].allows&halves != 0 }

// Partial reports whether there is the form SDWA.
func (o Op) Partial(f Family) bool { return table()[o].places[f].allows&partly != 0 }

// Slots returns the places for operands in their order.
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

// Immediate reports whether the instruction of SOPK or SOPP has a number.
func (o Op) Immediate() bool { return table()[o].traits&immediate != 0 }

// Returns reports whether an atomic access returns what was there.
func (o Op) Returns() bool { return table()[o].traits&returns != 0 }

// Counter returns what counts the instruction until it has ended.
func (o Op) Counter(f Family) Counter {
	r := &table()[o]
	switch r.places[f].format {
	case SMEM, DS:
		return ScalarOrLocal
	case MUBUF:
		if o == BufferWbl2 { // invalidations end at once
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

// BusLimit returns how many different scalar registers and literals a vector instruction may read,
// together.
func (o Op) BusLimit(f Family) int {
	if f == GFX942 || table()[o].traits&narrow != 0 {
		return 1
	}
	return 2
}

// hasBase reports whether the address of an access to global memory has a scalar part.
func (r *row) hasBase(operands *[MaxOperands]Operand) bool {
	for n, s := range r.slots {
		if s == gbase {
			return operands[n] != 0
		}
	}
	return false
}

// at and of shorten rows.
type (
	at = [families]place
	of = [MaxOperands]Slot
)

// table returns the rows by number. Its parts are in the files whose names begin with table; they
// are put together when somebody first asks, since most processes make no code for AMD.
var table = sync.OnceValue(func() *[Ops]row {
	all := new([Ops]row)
	for _, part := range [...][]row{scalarRows, memoryRows, vector1Rows, vector2Rows, compareRows, vector3Rows, packedRows, sharedRows, globalRows, scratchRows} {
		for n := range part {
			all[part[n].op] = part[n]
		}
	}
	return all
})

package isa

// This file says what operands an instruction takes.

// Slot is a place for an operand: what may be there, how many words it has, whether it is read or written.
type Slot uint8

// The slots, by short names that rows of the table are legible with. A number is that of words.
const (
	noSlot Slot = iota
	// scalar destinations; the last two are read as well
	sd
	sd2
	sd4
	sd8
	sd16
	su
	su2
	// scalar sources, constants among them, and registers alone
	ss
	ss2
	sr
	sr2
	// of SMEM: the address, and an offset in a register, if there is one
	sbase
	soff
	// masks of lanes, written and read
	md
	ms
	// vector destinations, of 32 bits and 16, and those that are read as well
	vd
	vdh
	vd2
	vd3
	vd4
	vu
	vuh
	vu2
	// vector registers that are read
	vr
	vr2
	vr3
	vr4
	// sources of vector instructions: bits or integers of 16, 32 and 64 bits, floats
	b16
	b32
	b64
	f16
	f32
	f64
	// floats of which neither sign nor absolute value can be taken
	g32
	g64
	// sources of packed instructions: two floats or integers of 16 bits, two words, floats of 32 bits or 16 (v_fma_mix), a float, a word
	h2
	i2
	f2
	w2
	mix
	p32
	q32
	// four or eight integers, which Neg says have signs
	iu
	// a scalar register or an inline constant: a lane's number, or what is written to one
	lane
	// a literal
	lit
	// accumulation registers
	ad
	ar
	// an address in global memory: two vector registers, or an offset in one if the scalar one is there
	gaddr
	gbase
	// an address in scratch memory: an offset in a vector register and one in a scalar register, both of which may be missing
	caddr
	cbase
	slots
)

// class is a set of what a slot takes.
type class uint8

const (
	takesSGPR class = 1 << iota // and special registers
	takesVGPR
	takesAGPR
	takesInline
	takesLiteral
	takesNothing // the operand may be missing
)

const (
	takesScalar   = takesSGPR | takesInline | takesLiteral
	takesAny      = takesScalar | takesVGPR
	takesNoOthers = takesSGPR | takesVGPR | takesInline
)

// access is whether an operand is read or written.
type access uint8

const (
	read access = 1 << iota
	written
)

// constants are what a slot takes an inline constant or literal for.
type constants uint8

const (
	word       constants = iota // 32 bits
	short                       // an integer of 16 bits
	half                        // a float of 16 bits
	wideInt                     // 64 bits
	double                      // a float of 64 bits
	twoHalves                   // two floats of 16 bits
	twoShorts                   // two integers of 16 bits
	twoSingles                  // two floats of 32 bits
)

// slotRow is what a slot takes.
type slotRow struct {
	class class
	words uint8 // 0 for a mask, which has as many as waves need
	access
	constants
	signs bool // the sign and the absolute value can be taken (Neg, Abs)
}

var slotRows = [slots]slotRow{
	sd: {takesSGPR, 1, written, word, false}, sd2: {takesSGPR, 2, written, word, false}, sd4: {takesSGPR, 4, written, word, false},
	sd8: {takesSGPR, 8, written, word, false}, sd16: {takesSGPR, 16, written, word, false},
	su: {takesSGPR, 1, read | written, word, false}, su2: {takesSGPR, 2, read | written, word, false},
	ss: {takesScalar, 1, read, word, false}, ss2: {takesScalar, 2, read, wideInt, false},
	sr: {takesSGPR, 1, read, word, false}, sr2: {takesSGPR, 2, read, word, false},
	sbase: {takesSGPR, 2, read, word, false}, soff: {takesSGPR | takesNothing, 1, read, word, false},
	md: {takesSGPR, 0, written, word, false}, ms: {takesSGPR, 0, read, word, false},
	vd: {takesVGPR, 1, written, word, false}, vdh: {takesVGPR, 1, written, half, false}, vd2: {takesVGPR, 2, written, word, false},
	vd3: {takesVGPR, 3, written, word, false}, vd4: {takesVGPR, 4, written, word, false},
	vu: {takesVGPR, 1, read | written, word, false}, vuh: {takesVGPR, 1, read | written, half, false}, vu2: {takesVGPR, 2, read | written, word, false},
	vr: {takesVGPR, 1, read, word, false}, vr2: {takesVGPR, 2, read, word, false},
	vr3: {takesVGPR, 3, read, word, false}, vr4: {takesVGPR, 4, read, word, false},
	b16: {takesAny, 1, read, short, false}, b32: {takesAny, 1, read, word, false}, b64: {takesAny, 2, read, wideInt, false},
	f16: {takesAny, 1, read, half, true}, f32: {takesAny, 1, read, word, true}, f64: {takesAny, 2, read, double, true},
	g32: {takesAny, 1, read, word, false}, g64: {takesAny, 2, read, double, false},
	h2: {takesAny, 1, read, twoHalves, false}, i2: {takesAny, 1, read, twoShorts, false},
	f2: {takesAny, 2, read, twoSingles, false}, w2: {takesAny, 2, read, twoSingles, false}, mix: {takesAny, 1, read, word, true},
	p32: {takesAny, 1, read, word, false}, q32: {takesNoOthers, 1, read, word, false},
	iu:   {takesAny, 1, read, word, false},
	lane: {takesSGPR | takesInline, 1, read, word, false}, lit: {takesLiteral, 1, read, word, false},
	ad: {takesAGPR, 1, written, word, false}, ar: {takesAGPR, 1, read, word, false},
	gaddr: {takesVGPR, 2, read, word, false}, gbase: {takesSGPR | takesNothing, 2, read, word, false},
	caddr: {takesVGPR | takesNothing, 1, read, word, false}, cbase: {takesSGPR | takesNothing, 1, read, word, false},
}

// Read reports whether the instruction reads the operand.
func (s Slot) Read() bool { return slotRows[s].access&read != 0 }

// Written reports whether the instruction writes the operand.
func (s Slot) Written() bool { return slotRows[s].access&written != 0 }

// Words returns how many registers the operand has. An address in global memory has two, or one if its scalar part is there
// (Instruction.Words knows).
func (s Slot) Words(f Family) int {
	if n := slotRows[s].words; n != 0 {
		return int(n)
	}
	return f.MaskWords()
}

// Scalar reports whether scalar registers may be there, Vector whether vector registers may, Accumulation whether accumulation
// registers may.
func (s Slot) Scalar() bool { return slotRows[s].class&takesSGPR != 0 }

// Vector reports whether vector registers may be there.
func (s Slot) Vector() bool { return slotRows[s].class&takesVGPR != 0 }

// Accumulation reports whether accumulation registers may be there.
func (s Slot) Accumulation() bool { return slotRows[s].class&takesAGPR != 0 }

// Inline reports whether inline constants may be there.
func (s Slot) Inline() bool { return slotRows[s].class&takesInline != 0 }

// Literal reports whether a literal may be there, if the encoding has room for one.
func (s Slot) Literal() bool { return slotRows[s].class&takesLiteral != 0 }

// Optional reports whether the operand may be missing.
func (s Slot) Optional() bool { return slotRows[s].class&takesNothing != 0 }

// Signs reports whether Neg and Abs may be applied to the operand.
func (s Slot) Signs() bool { return slotRows[s].signs }

// Mask reports whether the operand is a mask of lanes.
func (s Slot) Mask() bool { return s == md || s == ms }

// Words returns how many registers operand n of the instruction has.
func (i *Instruction) Words(f Family, n int) int {
	slot := rows[i.Op].slots[n]
	if slot == gaddr && rows[i.Op].hasBase(&i.Operands) {
		return 1
	}
	return slot.Words(f)
}

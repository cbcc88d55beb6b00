package isa

// Slot describes an operand of an instruction: what it may be, its words, and whether it is read or
// written.
type Slot uint8

// The slots, with short names to keep the rows of the table legible. A digit is the number of
// words.
const (
	noSlot Slot = iota
	// scalar destinations; the last two are also read
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
	// the register Null
	snull
	// of SMEM: the address, and an optional offset in a register
	sbase
	soff
	// masks of lanes, written and read
	md
	ms
	// vector destinations, of 32 bits and of 16 bits (vdh), and those that are also read
	vd
	vdh
	vd2
	vd3
	vd4
	vd8
	vu
	vuh
	vu2
	// vector registers that are read
	vr
	vr2
	vr3
	vr4
	vr8
	// sources of vector instructions: bits or integers of 16, 32 and 64 bits, floats
	b16
	b32
	b64
	f16
	f32
	f64
	// floats without the modifier Abs
	g32
	g64
	// a float of 16 bits to the assembler, and an integer to the device: an exponent
	g16
	// sources of packed instructions: two floats or integers of 16 bits, two words, floats of 32
	// bits or 16 (v_fma_mix), a float, a word
	h2
	i2
	f2
	w2
	mix
	p32
	q32
	// four or eight integers, signed with the modifier Neg; and four such words
	iu
	iu4
	// the sums that a matrix product adds to: vector registers, or a constant for all of them, of
	// which c8 has integers alone
	c4
	c8
	cd8
	// a scalar register or an inline constant: the index of a lane, or what v_writelane writes
	lane
	// a literal, of 32 bits and 16
	lit
	lith
	// accumulation registers
	ad
	ar
	// an address in global memory: two vector registers, or an offset in one if there is a scalar
	// base
	gaddr
	gbase
	// an address in scratch memory: optional offsets in a vector and in a scalar register
	caddr
	cbase
	slots
)

// class is the set of operands that a slot may be.
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

// constants are the kinds of values that an inline constant or literal is read as.
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

// signs are the sign modifiers of a float.
type signs uint8

const (
	none    signs = iota
	negated       // Neg
	signed        // Neg and Abs
)

// slotRow describes a slot.
type slotRow struct {
	class class
	words uint8 // 0 for a mask: Family.MaskWords
	access
	constants
	signs
}

var slotRows = [slots]slotRow{
	sd: {takesSGPR, 1, written, word, none}, sd2: {takesSGPR, 2, written, word, none}, sd4: {takesSGPR, 4, written, word, none},
	sd8: {takesSGPR, 8, written, word, none}, sd16: {takesSGPR, 16, written, word, none},
	su: {takesSGPR, 1, read | written, word, none}, su2: {takesSGPR, 2, read | written, word, none},
	ss: {takesScalar, 1, read, word, none}, ss2: {takesScalar, 2, read, wideInt, none},
	sr: {takesSGPR, 1, read, word, none}, sr2: {takesSGPR, 2, read, word, none},
	snull: {takesSGPR, 1, read, word, none},
	sbase: {takesSGPR, 2, read, word, none}, soff: {takesSGPR | takesNothing, 1, read, word, none},
	md: {takesSGPR, 0, written, word, none}, ms: {takesSGPR, 0, read, word, none},
	vd: {takesVGPR, 1, written, word, none}, vdh: {takesVGPR, 1, written, half, none}, vd2: {takesVGPR, 2, written, word, none},
	vd3: {takesVGPR, 3, written, word, none}, vd4: {takesVGPR, 4, written, word, none}, vd8: {takesVGPR, 8, written, word, none},
	vu: {takesVGPR, 1, read | written, word, none}, vuh: {takesVGPR, 1, read | written, half, none}, vu2: {takesVGPR, 2, read | written, word, none},
	vr: {takesVGPR, 1, read, word, none}, vr2: {takesVGPR, 2, read, word, none},
	vr3: {takesVGPR, 3, read, word, none}, vr4: {takesVGPR, 4, read, word, none}, vr8: {takesVGPR, 8, read, word, none},
	b16: {takesAny, 1, read, short, none}, b32: {takesAny, 1, read, word, none}, b64: {takesAny, 2, read, wideInt, none},
	f16: {takesAny, 1, read, half, signed}, f32: {takesAny, 1, read, word, signed}, f64: {takesAny, 2, read, double, signed},
	g32: {takesAny, 1, read, word, negated}, g64: {takesAny, 2, read, double, negated}, g16: {takesAny, 1, read, half, none},
	h2: {takesAny, 1, read, twoHalves, none}, i2: {takesAny, 1, read, twoShorts, none},
	f2: {takesNoOthers, 2, read, twoSingles, none}, w2: {takesNoOthers, 2, read, twoSingles, none}, mix: {takesNoOthers, 1, read, half, signed},
	p32: {takesAny, 1, read, word, none}, q32: {takesNoOthers, 1, read, word, none},
	iu: {takesAny, 1, read, word, none}, iu4: {takesVGPR, 4, read, word, none},
	c4: {takesVGPR | takesInline, 4, read, word, none}, c8: {takesVGPR | takesInline, 8, read, short, none},
	cd8:  {takesVGPR | takesInline, 8, read, double, none},
	lane: {takesSGPR | takesInline, 1, read, word, none}, lit: {takesLiteral, 1, read, word, none}, lith: {takesLiteral, 1, read, half, none},
	ad: {takesAGPR, 1, written, word, none}, ar: {takesAGPR, 1, read, word, none},
	gaddr: {takesVGPR, 2, read, word, none}, gbase: {takesSGPR | takesNothing, 2, read, word, none},
	caddr: {takesVGPR | takesNothing, 1, read, word, none}, cbase: {takesSGPR | takesNothing, 1, read, word, none},
}

// Read reports whether the instruction reads the operand.
func (s Slot) Read() bool { return slotRows[s].access&read != 0 }

// Written reports whether the instruction writes the operand.
func (s Slot) Written() bool { return slotRows[s].access&written != 0 }

// Words returns the number of registers of the operand. For an address in global memory it is 2;
// with a scalar base it is 1 (Instruction.Words).
func (s Slot) Words(f Family) int {
	if n := slotRows[s].words; n != 0 {
		return int(n)
	}
	return f.MaskWords()
}

// Scalar reports whether the operand may be a scalar register.
func (s Slot) Scalar() bool { return slotRows[s].class&takesSGPR != 0 }

// Vector reports whether the operand may be a vector register.
func (s Slot) Vector() bool { return slotRows[s].class&takesVGPR != 0 }

// Accumulation reports whether the operand may be an accumulation register.
func (s Slot) Accumulation() bool { return slotRows[s].class&takesAGPR != 0 }

// Inline reports whether the operand may be an inline constant.
func (s Slot) Inline() bool { return slotRows[s].class&takesInline != 0 }

// Literal reports whether the operand may be a literal, if the encoding has room for one.
func (s Slot) Literal() bool { return slotRows[s].class&takesLiteral != 0 }

// Optional reports whether the operand may be missing.
func (s Slot) Optional() bool { return slotRows[s].class&takesNothing != 0 }

// Mask reports whether the operand is a mask of lanes.
func (s Slot) Mask() bool { return s == md || s == ms }

// Words returns the number of registers of operand n.
func (i *Instruction) Words(f Family, n int) int {
	slot := table()[i.Op].slots[n]
	if slot == gaddr && table()[i.Op].hasBase(&i.Operands) {
		return 1
	}
	return slot.Words(f)
}

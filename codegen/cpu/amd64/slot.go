package amd64

// This file says what operands an instruction takes.

// slot is a slot for an operand: what may be there, how many bytes it has, whether it is read or
// written.
type slot uint8

// The slots, by short names that rows of the table are legible with. The first letter is g for
// general registers, v for vectors of the instruction's width, x and y for those of 128 and 256
// bits whatever the width. The letters h, q and e are a half, a quarter and an eighth of the width,
// in vectors of 128 bits; m is memory and i an immediate. What follows is w for written, u for read
// and written, r for read, and m where memory may be there, too. Numbers are those of bits.
const (
	noSlot slot = iota
	gw
	gu
	gr
	gwm
	gum
	grm
	gu8
	gr8
	gr16
	gr32
	gr64
	gw32
	gw64
	grm8
	grm16
	grm32
	grm64
	gw32m
	gw64m
	vw
	vu
	vr
	vwm
	vrm
	xw
	xu
	xr
	xwm
	xrm
	yw
	yr
	yrm
	x8m
	x16m
	x32m
	x64m
	x64wm
	hw
	hr
	hwm
	hrm
	qrm
	erm
	drm // vmovddup: all of a vector of 256 bits, and half of one of 128
	hu  // the destination and the mask of a gather of fewer lanes than the width has
	// memory: without an access, with one that nothing shows, of the instruction's width, of so
	// many bits
	ma
	mp
	mu
	mvr
	mvw
	mr8
	mr32
	mr64
	mr128
	mw8
	mw16
	mw32
	mw64
	// what gathers read, and their index: of the width or half of it
	mgvv
	mgvh
	mghv
	// immediates: any 8 bits, 8 and 32 bits that are extended by the sign, 16 bits, 64, distances
	// of shifts
	i8
	i8s
	i16
	i32
	i64
	count
	once
	label
	slots
)

// class is a set of what a slot takes.
type class uint8

const (
	takesGeneral   class = 1 << KindGeneral
	takesVector    class = 1 << KindVector
	takesImmediate class = 1 << KindImmediate
	takesMemory    class = 1 << KindMemory
	takesLabel     class = 1 << KindLabel
)

// size is how many bytes there are: as many as it says, or what the width of the instruction makes
// of it.
type size uint8

const (
	bytes0   size = 0
	bytes1   size = 1
	bytes2   size = 2
	bytes4   size = 4
	bytes8   size = 8
	bytes16  size = 16
	bytes32  size = 32
	generals size = iota + 0x80 // a general register
	vectors                     // a vector
	halves                      // a half of it
	quarters                    // a quarter
	eighths                     // an eighth
	doubled                     // what vmovddup reads
	afterSize
)

// sizeRows are what widths make of sizes.
var sizeRows = [afterSize - generals][widths]uint8{
	0: {8, 4}, vectors - generals: {32, 16}, halves - generals: {16, 8}, quarters - generals: {8, 4}, eighths - generals: {4, 2},
	doubled - generals: {32, 8},
}

// bytes returns how many bytes there are in an instruction of that width.
func (s size) bytes(w Width) int {
	if s >= generals {
		return int(sizeRows[s-generals][w])
	}
	return int(s)
}

// slotRow is what a slot takes.
type slotRow struct {
	class  class
	access Access
	size   size
}

const modified = Read | Written

var slotRows = [slots]slotRow{
	gw: {takesGeneral, Written, generals}, gu: {takesGeneral, modified, generals}, gr: {takesGeneral, Read, generals},
	gwm: {takesGeneral | takesMemory, Written, generals}, gum: {takesGeneral | takesMemory, modified, generals}, grm: {takesGeneral | takesMemory, Read, generals},
	gu8: {takesGeneral, modified, bytes1}, gr8: {takesGeneral, Read, bytes1}, gr16: {takesGeneral, Read, bytes2}, gr32: {takesGeneral, Read, bytes4},
	gr64: {takesGeneral, Read, bytes8}, gw32: {takesGeneral, Written, bytes4}, gw64: {takesGeneral, Written, bytes8},
	grm8: {takesGeneral | takesMemory, Read, bytes1}, grm16: {takesGeneral | takesMemory, Read, bytes2},
	grm32: {takesGeneral | takesMemory, Read, bytes4}, grm64: {takesGeneral | takesMemory, Read, bytes8},
	gw32m: {takesGeneral | takesMemory, Written, bytes4}, gw64m: {takesGeneral | takesMemory, Written, bytes8},
	vw: {takesVector, Written, vectors}, vu: {takesVector, modified, vectors}, vr: {takesVector, Read, vectors},
	vwm: {takesVector | takesMemory, Written, vectors}, vrm: {takesVector | takesMemory, Read, vectors},
	xw: {takesVector, Written, bytes16}, xu: {takesVector, modified, bytes16}, xr: {takesVector, Read, bytes16},
	xwm: {takesVector | takesMemory, Written, bytes16}, xrm: {takesVector | takesMemory, Read, bytes16},
	x8m: {takesVector | takesMemory, Read, bytes1}, x16m: {takesVector | takesMemory, Read, bytes2}, x32m: {takesVector | takesMemory, Read, bytes4}, x64m: {takesVector | takesMemory, Read, bytes8},
	x64wm: {takesVector | takesMemory, Written, bytes8},
	yw:    {takesVector, Written, bytes32}, yr: {takesVector, Read, bytes32}, yrm: {takesVector | takesMemory, Read, bytes32},
	hw: {takesVector, Written, halves}, hr: {takesVector, Read, halves}, hu: {takesVector, modified, halves},
	hwm: {takesVector | takesMemory, Written, halves}, hrm: {takesVector | takesMemory, Read, halves},
	qrm: {takesVector | takesMemory, Read, quarters}, erm: {takesVector | takesMemory, Read, eighths}, drm: {takesVector | takesMemory, Read, doubled},
	ma: {takesMemory, 0, bytes0}, mp: {takesMemory, 0, bytes1}, mu: {takesMemory, modified, generals}, mvr: {takesMemory, Read, vectors}, mvw: {takesMemory, Written, vectors},
	mr8: {takesMemory, Read, bytes1}, mr32: {takesMemory, Read, bytes4}, mr64: {takesMemory, Read, bytes8}, mr128: {takesMemory, Read, bytes16},
	mw8: {takesMemory, Written, bytes1}, mw16: {takesMemory, Written, bytes2}, mw32: {takesMemory, Written, bytes4}, mw64: {takesMemory, Written, bytes8},
	mgvv: {takesMemory, Read, vectors}, mgvh: {takesMemory, Read, vectors}, mghv: {takesMemory, Read, halves},
	i8: {takesImmediate, Read, bytes1}, i8s: {takesImmediate, Read, bytes1}, i16: {takesImmediate, Read, bytes2}, i32: {takesImmediate, Read, bytes4},
	i64: {takesImmediate, Read, bytes8}, count: {takesImmediate, Read, bytes1},
	once:  {takesImmediate, Read, bytes0},
	label: {takesLabel, Read, bytes0},
}

// gathers reports whether the index of the address is a vector.
func (s slot) gathers() bool { return s >= mgvv && s <= mghv }

// index returns the size of the index of an address.
func (s slot) index() size {
	switch s {
	case mgvv, mghv:
		return vectors
	case mgvh:
		return halves
	}
	return bytes8
}

// takes reports whether an operand of that kind may be in the slot.
func (s slot) takes(k Kind) bool { return slotRows[s].class>>k&1 != 0 }

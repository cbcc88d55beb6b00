package arm64

// This file says what an operand may be: which kinds, where in the word, and in
// which shape.

// slot is a row of slotRows.
type slot uint8

// The slots. Letters of registers are the manual's: d, n, m and a for the fields Rd, Rn, Rm and Ra.
const (
	noSlot slot = iota

	// Vectors, in the shape of the instruction.
	vd  // written
	vdr // and read
	vn
	vm
	va
	vs // stored, from the field Rt, which is Rd

	// Vectors of elements twice as wide: all of them, so that half a source is enough, or two for
	// one.
	vdLong
	vdrLong
	vnLong
	vnOneLong
	vdPair
	vdrPair

	// Single elements: of the shape, twice as wide, or by their indices in a vector.
	vdNarrow // written from elements twice as wide: of a name with 2, the upper half alone
	vdOne
	vdOneLong
	vdrLane
	vnLane
	vnOther // by Element
	vmLane  // of which words and longs are taken
	vdrOfList
	vsOfList // in braces

	// Tables of bytes: all 128 bits, from one to four registers that follow one another.
	vnBytes1
	vnBytes2

	// Lists of registers that follow one another.
	vdList1
	vdList2
	vdList3
	vdList4
	vsList1
	vsList2
	vsList3
	vsList4
	vdSecond // the second of two
	vsSecond

	// General registers, as wide as the shape is, or always of 32 or 64 bits; those with Stack may
	// be SP and not Zero.
	gd
	gn
	gm
	ga
	gs
	gdr
	gdStack
	gnStack
	gmExtended // of 64 bits if the extension is UXTX or SXTX
	gdSecond
	gsSecond
	gmr // what is compared in memory, and what was there
	wd
	wmd // written, from the field Rs, which is Rm
	wn
	wm
	xd
	xn
	gdOfElement // as wide as an element of 64 bits, or 32
	gnOfElement

	// Immediates.
	left    // how far elements are shifted
	right   //
	byteBit // 8 bits, shifted by Amount
	maskBit // 64 bits, of which each byte is all zeros or ones
	float8  // a float of few bits
	zero
	zeroFloat
	byteIndex // of 4 bits
	twelve
	logical
	sixteen
	shiftG // how far general registers are shifted: to the left, to the right
	shiftR
	shiftX // of two registers that follow one another
	fieldX // the lowest bit of a field, of Amount bits, that is extracted
	fieldI // and that is inserted
	bit    // that of one, which is in Amount
	five   // an immediate that is compared
	code16 // of brk

	// Distances of jumps, in bytes.
	near14
	near19
	near26
	page21 // of adr

	// Addresses: the displacement a multiple of what is accessed, without sign; any small one;
	// added to the base; with an index.
	atScaled
	atSmall
	atBefore
	atAfter
	atIndex
	atPair
	atPairBefore
	atPairAfter
	atBase      // nothing but a base
	atBaseAfter // and how many bytes are accessed is added to it
	slots
)

// form is how an operand's shape follows from that of the instruction, or what an immediate means.
type form uint8

const (
	same form = iota
	long
	pair
	one
	oneLong
	lane
	allBytes
	wideForm
	narrowForm
	ofElement
	ofExtension
	immediate
	address
)

const (
	isGeneral   = 1 << KindGeneral
	isStack     = 1 << KindStack
	isVector    = 1 << KindVector
	isImmediate = 1 << KindImmediate
	isMemory    = 1 << KindMemory
	isTarget    = 1<<KindDistance | 1<<KindLabel
)

// slotRow is what a slot takes: kinds by their bits, the first bit of the field, how many registers
// follow one another.
type slotRow struct {
	class  uint8
	at     uint8
	form   form
	access Access
	list   uint8
	stack  bool // 31 is SP, and not Zero
}

var (
	anImmediate = slotRow{class: isImmediate, form: immediate, access: Read}
	aDistance   = slotRow{class: isTarget, form: immediate, access: Read}
	anAddress   = slotRow{class: isMemory, form: address}
)

var slotRows = [slots]slotRow{
	vd: {class: isVector, at: 0, access: Written}, vdr: {class: isVector, at: 0, access: Read | Written},
	vn: {class: isVector, at: 5, access: Read}, vm: {class: isVector, at: 16, access: Read}, va: {class: isVector, at: 10, access: Read},
	vs:     {class: isVector, at: 0, access: Read},
	vdLong: {class: isVector, at: 0, form: long, access: Written}, vdrLong: {class: isVector, at: 0, form: long, access: Read | Written},
	vnLong: {class: isVector, at: 5, form: long, access: Read}, vnOneLong: {class: isVector, at: 5, form: oneLong, access: Read},
	vdPair: {class: isVector, at: 0, form: pair, access: Written}, vdrPair: {class: isVector, at: 0, form: pair, access: Read | Written},
	vdNarrow: {class: isVector, at: 0, access: Read | Written},
	vdOne:    {class: isVector, at: 0, form: one, access: Written}, vdOneLong: {class: isVector, at: 0, form: oneLong, access: Written},
	vdrLane: {class: isVector, at: 0, form: lane, access: Read | Written}, vnLane: {class: isVector, at: 5, form: lane, access: Read},
	vnOther: {class: isVector, at: 5, form: lane, access: Read}, vmLane: {class: isVector, at: 16, form: lane, access: Read},
	vdrOfList: {class: isVector, at: 0, form: lane, access: Read | Written, list: 1}, vsOfList: {class: isVector, at: 0, form: lane, access: Read, list: 1},
	vnBytes1: {class: isVector, at: 5, form: allBytes, access: Read, list: 1}, vnBytes2: {class: isVector, at: 5, form: allBytes, access: Read, list: 2},
	vdList1: {class: isVector, at: 0, access: Written, list: 1}, vdList2: {class: isVector, at: 0, access: Written, list: 2},
	vdList3: {class: isVector, at: 0, access: Written, list: 3}, vdList4: {class: isVector, at: 0, access: Written, list: 4},
	vsList1: {class: isVector, at: 0, access: Read, list: 1}, vsList2: {class: isVector, at: 0, access: Read, list: 2},
	vsList3: {class: isVector, at: 0, access: Read, list: 3}, vsList4: {class: isVector, at: 0, access: Read, list: 4},
	vdSecond: {class: isVector, at: 10, access: Written}, vsSecond: {class: isVector, at: 10, access: Read},

	gd: {class: isGeneral, at: 0, access: Written}, gn: {class: isGeneral, at: 5, access: Read}, gm: {class: isGeneral, at: 16, access: Read},
	ga: {class: isGeneral, at: 10, access: Read}, gs: {class: isGeneral, at: 0, access: Read}, gdr: {class: isGeneral, at: 0, access: Read | Written},
	gdStack: {class: isGeneral | isStack, at: 0, access: Written, stack: true}, gnStack: {class: isGeneral | isStack, at: 5, access: Read, stack: true},
	gmExtended: {class: isGeneral, at: 16, form: ofExtension, access: Read},
	gmr:        {class: isGeneral, at: 16, access: Read | Written},
	gdSecond:   {class: isGeneral, at: 10, access: Written}, gsSecond: {class: isGeneral, at: 10, access: Read},
	wd: {class: isGeneral, at: 0, form: narrowForm, access: Written}, xn: {class: isGeneral, at: 5, form: wideForm, access: Read},
	wmd: {class: isGeneral, at: 16, form: narrowForm, access: Written}, wn: {class: isGeneral, at: 5, form: narrowForm, access: Read},
	wm: {class: isGeneral, at: 16, form: narrowForm, access: Read}, xd: {class: isGeneral, at: 0, form: wideForm, access: Written},
	gdOfElement: {class: isGeneral, at: 0, form: ofElement, access: Written}, gnOfElement: {class: isGeneral, at: 5, form: ofElement, access: Read},

	left: anImmediate, right: anImmediate, byteBit: anImmediate,
	maskBit: anImmediate, float8: anImmediate,
	zero: anImmediate, zeroFloat: anImmediate, byteIndex: anImmediate,
	twelve: anImmediate, logical: anImmediate, sixteen: anImmediate,
	shiftG: anImmediate, shiftR: anImmediate, shiftX: anImmediate, fieldX: anImmediate, fieldI: anImmediate,
	bit: anImmediate, five: anImmediate, code16: anImmediate,
	near14: aDistance, near19: aDistance, near26: aDistance, page21: aDistance,

	atScaled: anAddress, atSmall: anAddress, atBefore: anAddress,
	atAfter: anAddress, atIndex: anAddress, atPair: anAddress,
	atPairBefore: anAddress, atPairAfter: anAddress,
	atBase: anAddress, atBaseAfter: anAddress,
}

// doubled are the shapes of elements twice as wide: all of a vector, half of them, and single ones.
var doubled = [shapes]struct{ long, pair, one Shape }{
	B8: {H8, H4, Half}, B16: {H8, H8, Half}, H4: {S4, S2, Single}, H8: {S4, S4, Single}, S2: {D2, D2, Double}, S4: {D2, D2, Double},
	Half: {one: Single}, Single: {one: Double},
}

// single are the shapes of single elements.
var single = [4]Shape{Byte, Half, Single, Double}

// shapeOf returns the shape of the operand in a slot.
func (s slot) shapeOf(i *Instruction) Shape {
	switch slotRows[s].form {
	case long:
		return doubled[i.Shape].long
	case pair:
		return doubled[i.Shape].pair
	case one, lane:
		return single[shapeRows[i.Shape].log&3]
	case oneLong:
		return doubled[i.Shape].one
	case allBytes:
		return B16
	case wideForm:
		return Wide
	case narrowForm:
		return Narrow
	case ofElement:
		if shapeRows[i.Shape].log == 3 {
			return Wide
		}
		return Narrow
	case ofExtension:
		if i.Extend == UXTX || i.Extend == SXTX {
			return Wide
		}
		return Narrow
	}
	return i.Shape
}

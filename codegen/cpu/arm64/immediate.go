package arm64

import (
	"math"
	"math/bits"
)

// This file encodes immediates and addresses.

const wrongField = "the number does not fit its field"

// within returns an immediate in a field of so many bits, if it is not negative and fits.
func within(n int64, width, at int) (uint32, string) {
	if n < 0 || n >= 1<<width {
		return 0, wrongField
	}
	return uint32(n) << at, ""
}

// distance returns a multiple of four in a field of so many bits, with its sign.
func distance(n int64, width, at int) (uint32, string) {
	if n%4 != 0 || n>>2 < -1<<(width-1) || n>>2 >= 1<<(width-1) {
		return 0, "the distance does not fit its field, or is no multiple of 4"
	}
	return uint32(n>>2) & (1<<width - 1) << at, ""
}

// immediateRow says how a slot's immediate is encoded: as a field of some bits, without a sign or
// as a distance of jumps, or by a function.
type immediateRow struct {
	width, at int
	distance  bool
	encode    func(i *Instruction) (uint32, string)
}

var immediateRows = [slots]immediateRow{
	left:      {encode: encodeLeftShift},
	right:     {encode: encodeRightShift},
	byteBit:   {encode: encodeByte},
	maskBit:   {encode: encodeByteMask},
	float8:    {encode: encodeFloat},
	zero:      {encode: encodeZero},
	zeroFloat: {encode: encodeZero},
	byteIndex: {encode: encodeByteIndex},
	twelve:    {width: 12, at: 10},
	logical:   {encode: func(i *Instruction) (uint32, string) { return logicalFields(uint64(i.Immediate), i.Shape) }},
	sixteen:   {width: 16, at: 5},
	shiftG:    {encode: encodeShiftLeft},
	shiftR:    {encode: encodeShiftRight},
	shiftX:    {encode: encodeShiftPair},
	fieldX:    {encode: encodeExtractedField},
	fieldI:    {encode: encodeInsertedField},
	bit:       {encode: encodeBit},
	five:      {width: 5, at: 16},
	code16:    {width: 16, at: 5},
	near14:    {width: 14, at: 5, distance: true},
	near19:    {width: 19, at: 5, distance: true},
	near26:    {width: 26, at: 0, distance: true},
	page21:    {encode: encodePageOffset},
}

// encodeImmediate returns the fields of an immediate, or what is wrong with it.
func (s slot) encodeImmediate(i *Instruction) (uint32, string) {
	switch r := &immediateRows[s]; {
	case r.encode != nil:
		return r.encode(i)
	case r.distance:
		return distance(i.Immediate, r.width, r.at)
	case r.width > 0:
		return within(i.Immediate, r.width, r.at)
	}
	return 0, "there is no such number"
}

const (
	wrongElementShift  = "elements may be shifted by fewer bits than they have, to the right by as many, too"
	wrongRegisterShift = "registers may be shifted by fewer bits than they have"
)

func encodeLeftShift(i *Instruction) (uint32, string) {
	n, size := i.Immediate, int64(i.Shape.bits())
	if n < 0 || n >= size {
		return 0, wrongElementShift
	}
	return uint32(size+n) << 16, ""
}

func encodeRightShift(i *Instruction) (uint32, string) {
	n, size := i.Immediate, int64(i.Shape.bits())
	if n < 1 || n > size {
		return 0, wrongElementShift
	}
	return uint32(2*size-n) << 16, ""
}

func encodeByte(i *Instruction) (uint32, string) {
	n, wrong := within(i.Immediate, 8, 0)
	return splitByte(n), wrong
}

// encodeByteMask encodes 64 bits, of which each byte is all zeros or all ones.
func encodeByteMask(i *Instruction) (uint32, string) {
	var mask uint32
	for k := range 8 {
		switch uint64(i.Immediate) >> (8 * k) & 0xFF {
		case 0xFF:
			mask |= 1 << k
		case 0:
		default:
			return 0, "each byte of the number has to be all zeros or all ones"
		}
	}
	return splitByte(mask), ""
}

func encodeFloat(i *Instruction) (uint32, string) {
	for k := range uint32(256) {
		if math.Float64bits(smallFloat(k)) == uint64(i.Immediate) {
			if shapeRows[i.Shape].vector {
				return splitByte(k), ""
			}
			return k << 13, ""
		}
	}
	return 0, "the float has more bits than the field"
}

func encodeZero(i *Instruction) (uint32, string) {
	if i.Immediate != 0 {
		return 0, "the number has to be 0"
	}
	return 0, ""
}

func encodeByteIndex(i *Instruction) (uint32, string) {
	if i.Immediate >= 8 && !shapeRows[i.Shape].full {
		return 0, wrongField
	}
	return within(i.Immediate, 4, 11)
}

// checkShift returns what is wrong with the shift of a register.
func checkShift(i *Instruction) string {
	if i.Immediate < 0 || i.Immediate >= int64(i.Shape.bits()) {
		return wrongRegisterShift
	}
	return ""
}

func encodeShiftLeft(i *Instruction) (uint32, string) {
	n, size := i.Immediate, int64(i.Shape.bits())
	if wrong := checkShift(i); wrong != "" {
		return 0, wrong
	}
	return uint32(-n)&uint32(size-1)<<16 | uint32(size-1-n)<<10, ""
}

func encodeShiftRight(i *Instruction) (uint32, string) {
	if wrong := checkShift(i); wrong != "" {
		return 0, wrong
	}
	return uint32(i.Immediate)<<16 | uint32(i.Shape.bits()-1)<<10, ""
}

func encodeShiftPair(i *Instruction) (uint32, string) {
	if wrong := checkShift(i); wrong != "" {
		return 0, wrong
	}
	return uint32(i.Immediate) << 10, ""
}

// checkField returns what is wrong with a field of Amount bits.
func checkField(i *Instruction) string {
	width := int64(i.Amount)
	if i.Immediate < 0 || width < 1 || i.Immediate+width > int64(i.Shape.bits()) {
		return "the field has bits that the register does not have"
	}
	return ""
}

func encodeExtractedField(i *Instruction) (uint32, string) {
	if wrong := checkField(i); wrong != "" {
		return 0, wrong
	}
	return uint32(i.Immediate)<<16 | uint32(i.Immediate+int64(i.Amount)-1)<<10, ""
}

func encodeInsertedField(i *Instruction) (uint32, string) {
	if wrong := checkField(i); wrong != "" {
		return 0, wrong
	}
	return uint32(-i.Immediate)&uint32(i.Shape.bits()-1)<<16 | uint32(i.Amount-1)<<10, ""
}

func encodeBit(i *Instruction) (uint32, string) {
	if int(i.Amount) >= i.Shape.bits() {
		return 0, "the register does not have this bit"
	}
	return uint32(i.Amount)>>5<<31 | uint32(i.Amount)&31<<19, ""
}

// encodePageOffset encodes the distance of adr, in bytes.
func encodePageOffset(i *Instruction) (uint32, string) {
	n := i.Immediate
	if n < -1<<20 || n >= 1<<20 {
		return 0, "the distance does not fit its field"
	}
	return uint32(n)&3<<29 | uint32(n>>2)&(1<<19-1)<<5, ""
}

// splitByte returns 8 bits in the two fields that instructions of vectors have for them.
func splitByte(n uint32) uint32 { return n>>5<<16 | n&31<<5 }

// smallFloat returns the float that 8 bits encode: a sign, three bits of the exponent, four of the
// fraction (DDI 0487, VFPExpandImm).
func smallFloat(n uint32) float64 {
	x := math.Ldexp(float64(16+n&15), int(n>>4&7^4)-7)
	if n&0x80 != 0 {
		return -x
	}
	return x
}

// logicalFields returns the fields of a pattern that repeats: ones that follow one another,
// rotated, in an element of 2 to 64 bits (DDI 0487, DecodeBitMasks).
func logicalFields(n uint64, s Shape) (uint32, string) {
	const wrong = "the number is no run of ones, rotated and repeated"
	if s == Narrow {
		if n>>32 != 0 {
			return 0, wrong
		}
		n |= n << 32
	}
	if n == 0 || ^n == 0 {
		return 0, wrong
	}
	size := 64
	for size > 2 {
		half := size / 2
		if mask := uint64(1)<<half - 1; n&mask != n>>half&mask {
			break
		}
		size = half
	}
	element := n << (64 - size) >> (64 - size)
	ones := bits.OnesCount64(element)
	rotate := func(by int) uint64 { return (element>>by | element<<(size-by)) << (64 - size) >> (64 - size) }
	for by := range size {
		if rotate(by) != 1<<ones-1 {
			continue
		}
		// element is the run of ones, rotated to the right by what is missing to a full rotation.
		r := uint32(size-by) % uint32(size)
		field := uint32(ones-1) | ^uint32(2*size-1)&0x3F
		return flag(size == 64, 22) | r<<16 | field<<10, ""
	}
	return 0, wrong
}

// mode returns that of a slot of addresses.
func (s slot) mode() Mode {
	switch s {
	case atBefore, atPairBefore:
		return Before
	case atAfter, atPairAfter, atBaseAfter:
		return After
	}
	return Offset
}

// address returns the fields of an address.
func (s slot) address(i *Instruction) (uint32, string) {
	a := &i.Address
	d, log := int64(a.Displacement), accessed(i)
	switch k := a.Base.Kind(); {
	case k != KindGeneral && k != KindStack || a.Base == Zero:
		return 0, "the base of an address has to be a general register or SP"
	case a.Base.IsVirtual():
		return 0, "the base is a register that has not been assigned"
	case a.Mode != s.mode():
		return 0, "the base of the address may not change so"
	case (a.Index != 0) != (s == atIndex):
		return 0, "the address may not have an index, or has to have one"
	}
	base := uint32(a.Base.Number()) << 5
	const wrong = "the displacement does not fit its field"
	switch s {
	case atScaled:
		if d < 0 || d&(1<<log-1) != 0 || d>>log >= 1<<12 {
			return 0, wrong
		}
		return base | uint32(d>>log)<<10, ""
	case atSmall, atBefore, atAfter:
		if d < -256 || d > 255 {
			return 0, wrong
		}
		return base | uint32(d)&0x1FF<<12, ""
	case atPair, atPairBefore, atPairAfter:
		if d&(1<<log-1) != 0 || d>>log < -64 || d>>log > 63 {
			return 0, wrong
		}
		return base | uint32(d>>log)&0x7F<<15, ""
	case atIndex:
		switch {
		case a.Index.Kind() != KindGeneral || a.Index.IsVirtual():
			return 0, "the index has to be a general register that has been assigned"
		case d != 0:
			return 0, "an address with an index has no displacement"
		case a.Shift != 0 && uint(a.Shift) != log:
			return 0, "an index may be shifted by the logarithm of the bytes that are accessed, or not at all"
		}
		option := [extensions]uint32{UXTW: 2, LSL: 3, SXTW: 6, SXTX: 7}[a.Extend]
		if option == 0 {
			return 0, "an index may be extended by UXTW, SXTW or SXTX, or shifted by LSL"
		}
		return base | uint32(a.Index.Number())<<16 | option<<13 | flag(a.Shift != 0, 12), ""
	case atBase:
		if d != 0 {
			return 0, wrong
		}
	case atBaseAfter:
		if d != int64(accessedList(i)) {
			return 0, "what is added to the base has to be the bytes that are accessed"
		}
	}
	return base, ""
}

// accessed returns the logarithm of the bytes of one register that an instruction loads or stores.
func accessed(i *Instruction) uint {
	switch i.Op {
	case LdrB, LdrSB, StrB:
		return 0
	case LdrH, LdrSH, StrH:
		return 1
	case LdrSW:
		return 2
	}
	return uint(shapeRows[i.Shape].log)
}

// accessedList returns how many bytes an instruction with a list of registers loads or stores.
func accessedList(i *Instruction) int {
	switch i.Op {
	case Ld1R, Ld1E, St1E:
		return 1 << shapeRows[i.Shape].log
	case Ld1, St1:
		return 8 << flag(shapeRows[i.Shape].full, 0)
	case Ld1x2, St1x2:
		return 16 << flag(shapeRows[i.Shape].full, 0)
	case Ld1x3, St1x3:
		return 24 << flag(shapeRows[i.Shape].full, 0)
	}
	return 32 << flag(shapeRows[i.Shape].full, 0)
}

package arm64

import (
	"math"
	"math/bits"
)

// This file encodes numbers and addresses.

// within returns a number in a field of so many bits, if it is not negative and fits.
func within(n int64, width, at int) (uint32, string) {
	if n < 0 || n >= 1<<width {
		return 0, "the number does not fit its field"
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

// number returns the fields of a number.
func (s slot) encodeImmediate(i *Instruction) (uint32, string) {
	n, size := i.Immediate, int64(i.Shape.bits())
	const wrongShift = "elements may be shifted by fewer bits than they have, to the right by as many, too"
	switch s {
	case left:
		if n < 0 || n >= size {
			return 0, wrongShift
		}
		return uint32(size+n) << 16, ""
	case right:
		if n < 1 || n > size {
			return 0, wrongShift
		}
		return uint32(2*size-n) << 16, ""
	case byteBit:
		if n < 0 || n > 255 {
			return 0, "the number does not fit its field"
		}
		return splitByte(uint32(n)), ""
	case maskBit:
		var mask uint32
		for k := range 8 {
			switch uint64(n) >> (8 * k) & 0xFF {
			case 0xFF:
				mask |= 1 << k
			case 0:
			default:
				return 0, "each byte of the number has to be all zeros or all ones"
			}
		}
		return splitByte(mask), ""
	case float8:
		for k := range uint32(256) {
			if math.Float64bits(smallFloat(k)) == uint64(n) {
				if shapeRows[i.Shape].vector {
					return splitByte(k), ""
				}
				return k << 13, ""
			}
		}
		return 0, "the float has more bits than the field"
	case zero, zeroFloat:
		if n != 0 {
			return 0, "the number has to be 0"
		}
		return 0, ""
	case byteIndex:
		if n >= 8 && !shapeRows[i.Shape].full {
			return 0, "the number does not fit its field"
		}
		return within(n, 4, 11)
	case twelve:
		return within(n, 12, 10)
	case logical:
		return logicalFields(uint64(n), i.Shape)
	case sixteen, code16:
		return within(n, 16, 5)
	case shiftG, shiftR:
		if n < 0 || n >= size {
			return 0, "registers may be shifted by fewer bits than they have"
		}
		if s == shiftR {
			return uint32(n)<<16 | uint32(size-1)<<10, ""
		}
		return uint32(-n)&uint32(size-1)<<16 | uint32(size-1-n)<<10, ""
	case shiftX:
		if n < 0 || n >= size {
			return 0, "registers may be shifted by fewer bits than they have"
		}
		return uint32(n) << 10, ""
	case fieldX, fieldI:
		width := int64(i.Amount)
		if n < 0 || width < 1 || n+width > size {
			return 0, "the field has bits that the register does not have"
		}
		if s == fieldX {
			return uint32(n)<<16 | uint32(n+width-1)<<10, ""
		}
		return uint32(-n)&uint32(size-1)<<16 | uint32(width-1)<<10, ""
	case bit:
		if int(i.Amount) >= i.Shape.bits() {
			return 0, "the register does not have this bit"
		}
		return uint32(i.Amount)>>5<<31 | uint32(i.Amount)&31<<19, ""
	case five:
		return within(n, 5, 16)
	case near14:
		return distance(n, 14, 5)
	case near19:
		return distance(n, 19, 5)
	case near26:
		return distance(n, 26, 0)
	case page21:
		if n < -1<<20 || n >= 1<<20 {
			return 0, "the distance does not fit its field"
		}
		return uint32(n)&3<<29 | uint32(n>>2)&(1<<19-1)<<5, ""
	}
	return 0, "there is no such number"
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

package arm64

import "math"

// Row is a row of the table, for tests.
type Row struct {
	Op     Op
	Name   string
	Shapes []Shape
	Slots  []Slot
	row    *row
}

// Slot is a slot, for tests.
type Slot struct {
	Class  uint8 // bits by Kind
	Stack  bool  // SP may be there, and not Zero
	Access Access
	Lane   bool
	slot   slot
}

// Rows returns the rows of the table.
func Rows() (list []Row) {
	rows := table().rows
	for n := range rows {
		r := &rows[n]
		e := Row{Op: r.op, Name: r.name, row: r}
		for s := range shapes {
			if r.shapes.has(s) {
				e.Shapes = append(e.Shapes, s)
			}
		}
		for _, s := range r.slots {
			if s == noSlot {
				break
			}
			d := &slotRows[s]
			e.Slots = append(e.Slots, Slot{d.class, d.stack, d.access, d.form == lane, s})
		}
		list = append(list, e)
	}
	return list
}

// Taken reports whether the row is the one that an instruction is encoded by.
func (r *Row) Taken(i *Instruction) bool {
	_, bad, _ := r.row.encode(i)
	return bad == "" && fitting(i) == r.row
}

// Agrees reports whether the row reads and writes the same operands as the first row of its Op.
func (r *Row) Agrees() bool {
	f := rowsOf(r.Op)[0]
	for n := range f.slots {
		if slotRows[f.slots[n]].access != slotRows[r.row.slots[n]].access {
			return false
		}
	}
	return true
}

// Tails returns what there can be after the operands, each in an instruction without them.
func (r *Row) Tails(s Shape) (list []Instruction) {
	amounts := func(e Extension, amounts ...uint8) {
		for _, a := range amounts {
			list = append(list, Instruction{Extend: e, Amount: a})
		}
	}
	bits := uint8(s.bits())
	switch r.row.tail {
	case named, chosen:
		for c := range conditions {
			list = append(list, Instruction{Condition: c})
		}
	case flagged:
		for c := range conditions {
			list = append(list, Instruction{Condition: c, Amount: uint8(c) * 11 % 16})
		}
	case shifted, rotated:
		list = append(list, Instruction{})
		for e := LSL; e <= ROR; e++ {
			if e != ROR || r.row.tail == rotated {
				amounts(e, 1, 7, bits-1)
			}
		}
		amounts(LSR, 0)
	case extended:
		for e := UXTB; e <= SXTX; e++ {
			if s == Wide || e != UXTX && e != SXTX {
				amounts(e, 0, 1, 4)
			}
		}
	case leftTwelve:
		amounts(0, 0, 12)
	case leftWord:
		for a := uint8(0); a < bits; a += 16 {
			amounts(0, a)
		}
	case leftByte:
		for a := uint8(0); a < bits; a += 8 {
			amounts(0, a)
		}
	}
	return list
}

// Numbers returns what to try in a slot of numbers, each in an instruction without the rest:
// Immediate, or Amount, or both.
func (s Slot) Numbers(shape Shape) (list []Instruction) {
	bits := int64(shape.bits())
	numbers := func(n ...int64) {
		for _, n := range n {
			list = append(list, Instruction{Immediate: n})
		}
	}
	switch s.slot {
	case left, shiftG:
		numbers(0, 1, 5, bits/2, bits-1)
	case right:
		numbers(1, 3, bits/2, bits-1, bits)
	case shiftR, shiftX:
		numbers(0, 1, 5, bits/2, bits-1)
	case byteBit:
		numbers(0, 1, 0x55, 0xAA, 127, 128, 255)
	case maskBit:
		numbers(0, -1, 0xFF, 0xFF00FF, -256, -1<<63>>7)
	case float8:
		for k := range uint32(256) {
			numbers(floatBits(k))
		}
	case zero, zeroFloat:
		numbers(0)
	case byteIndex:
		numbers(0, 1, 3, 7)
		if shapeRows[shape].full {
			numbers(8, 15)
		}
	case twelve:
		numbers(0, 1, 0xFFF, 0x123)
	case logical:
		for size := int64(2); size <= bits; size *= 2 {
			for _, ones := range []int64{1, size / 2, size - 1} {
				for _, by := range []int64{0, 1, size / 2, size - 1} {
					element := uint64(1)<<ones - 1
					element = (element>>by | element<<(size-by)) << (64 - size) >> (64 - size)
					n := element
					for at := size; at < bits; at += size {
						n |= element << at
					}
					numbers(int64(n))
				}
			}
		}
	case sixteen, code16:
		numbers(1, 0x1234, 0xFFFF)
	case fieldX, fieldI:
		for _, at := range []int64{1, 3, bits / 2, bits - 3} {
			for _, width := range []int64{1, 2, bits - at - 1} {
				list = append(list, Instruction{Immediate: at, Amount: uint8(width)})
			}
		}
	case bit:
		for _, at := range []uint8{0, 1, 17, uint8(bits - 1)} {
			list = append(list, Instruction{Amount: at})
		}
	case five:
		numbers(0, 1, 31)
	case near14:
		numbers(0, 4, -4, -1<<15, 1<<15-4)
	case near19:
		numbers(0, 4, -4, -1<<20, 1<<20-4)
	case near26:
		numbers(0, 4, -4, -1<<27, 1<<27-4)
	case page21:
		numbers(0, 1, 2, 4, -1, -1<<20, 1<<20-1)
	}
	return list
}

// Addresses returns the addresses to try in a slot of memory.
func (s Slot) Addresses(i *Instruction) (list []Address) {
	log := accessed(i)
	displacements := func(m Mode, list2 ...int32) {
		for _, base := range []Operand{General(1), SP, General(30)} {
			for _, d := range list2 {
				list = append(list, Address{Base: base, Displacement: d, Mode: m})
			}
		}
	}
	switch s.slot {
	case atScaled:
		displacements(Offset, 0, 1<<log, 5<<log, 4095<<log)
	case atSmall:
		displacements(Offset, -1, -256)
		if log > 0 {
			displacements(Offset, 1, 255)
		}
	case atBefore:
		displacements(Before, 0, 1, -1, 255, -256)
	case atAfter:
		displacements(After, 1, -1, 255, -256)
	case atPair:
		displacements(Offset, 0, 1<<log, -1<<log, 63<<log, -64<<log)
	case atPairBefore:
		displacements(Before, 1<<log, -1<<log, 63<<log, -64<<log)
	case atPairAfter:
		displacements(After, 1<<log, -1<<log, 63<<log, -64<<log)
	case atBase:
		displacements(Offset, 0)
	case atBaseAfter:
		displacements(After, int32(accessedList(i)))
	case atIndex:
		for _, index := range []Operand{General(2), General(30), Zero} {
			for _, e := range []Extension{UXTW, LSL, SXTW, SXTX} {
				list = append(list, Indexed(SP, index, e, 0), Indexed(General(7), index, e, uint8(log)))
			}
		}
	}
	return list
}

func floatBits(n uint32) int64 { return int64(math.Float64bits(smallFloat(n))) }

package amd64

// Row is a row of the table, for tests.
type Row struct {
	Op     Op
	Name   string
	Slots  []Slot
	Widths []Width
	Row    int
	row    *row
}

// Slot is a slot, for tests.
type Slot struct {
	Class   uint8 // bits by Kind
	Access  Access
	Bytes   [2]int
	Gathers bool
	// Least and Most are the limits of an immediate by width.
	Least, Most [2]int64
}

// Rows returns the rows of the table.
func Rows() (list []Row) {
	rows := table().rows
	for n := range rows {
		r := &rows[n]
		e := Row{Op: r.op, Name: r.name, Row: n, row: r}
		for _, s := range r.slots {
			if s == noSlot {
				break
			}
			slot := Slot{Class: uint8(slotRows[s].class), Access: slotRows[s].access, Gathers: s.gathers()}
			for w := range widths {
				slot.Bytes[w] = slotRows[s].size.bytes(w)
				slot.Least[w], slot.Most[w] = immediateRows[s][w].least, immediateRows[s][w].most
			}
			e.Slots = append(e.Slots, slot)
		}
		switch {
		case r.traits&onlyNarrow != 0:
			e.Widths = []Width{Narrow}
		case r.prefix&(wide|lanes) != 0:
			e.Widths = []Width{Wide, Narrow}
		default:
			e.Widths = []Width{Wide}
		}
		list = append(list, e)
	}
	return list
}

// Pseudo reports whether the row is none of an instruction.
func (r *Row) Pseudo() bool { return r.row.format == pseudo }

// Branch reports whether the row is that of a jump to a label.
func (r *Row) Branch() bool { return r.row.format == branch }

// Accumulator reports whether the first operand can be RAX only.
func (r *Row) Accumulator() bool { return r.row.traits&accumulator != 0 }

// Agrees reports whether the row has the effects, flags and accesses of the first row of its Op.
func (r *Row) Agrees() bool {
	f := first(r.Op)
	for n := range f.slots {
		if slotRows[f.slots[n]].access != slotRows[r.row.slots[n]].access {
			return false
		}
	}
	return f.effects == r.row.effects && f.flags == r.row.flags && (f.traits^r.row.traits)&(conditional|lockable|cleared|distinct|byCL) == 0
}

// Long reports whether VEX has 3 bytes in code.
func Long(code []byte) bool { return len(code) > 0 && code[0] == 0xC4 }

// Commutes reports whether the second and the third operand may be exchanged.
func Commutes(o Op) bool { return first(o).traits&commutes != 0 }

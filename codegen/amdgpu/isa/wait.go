package isa

import "strconv"

// Wait has the counts of s_waitcnt, which waits until each counter is at most its count. For
// stores, gfx1100 has another instruction, SWaitcntVscnt.
type Wait struct {
	VM, Exp, LGKM uint8
}

// waitFields are the positions and widths of the counts in the immediate. vmcnt of gfx942 has two
// fields.
var waitFields = [families]struct{ vm, vmBits, vmHigh, vmHighBits, exp, expBits, lgkm, lgkmBits uint8 }{
	GFX942:  {0, 4, 14, 2, 4, 3, 8, 4},
	GFX1100: {10, 6, 0, 0, 0, 3, 4, 6},
}

// NoWait returns the wait that waits for nothing: its counts are the maximums of the family.
func NoWait(f Family) Wait {
	w := &waitFields[f]
	return Wait{1<<(w.vmBits+w.vmHighBits) - 1, 1<<w.expBits - 1, 1<<w.lgkmBits - 1}
}

// Encode returns the immediate of s_waitcnt. Counts above the maximum of the family are reduced to
// it.
func (w Wait) Encode(f Family) int32 {
	none, at := NoWait(f), &waitFields[f]
	vm, exp, lgkm := int32(min(w.VM, none.VM)), int32(min(w.Exp, none.Exp)), int32(min(w.LGKM, none.LGKM))
	return vm&(1<<at.vmBits-1)<<at.vm | vm>>at.vmBits<<at.vmHigh | exp<<at.exp | lgkm<<at.lgkm
}

// DecodeWait is the reverse of Encode.
func DecodeWait(f Family, number int32) Wait {
	at := &waitFields[f]
	field := func(from, bits uint8) uint8 { return uint8(number >> from & (1<<bits - 1)) }
	return Wait{field(at.vm, at.vmBits) | field(at.vmHigh, at.vmHighBits)<<at.vmBits, field(at.exp, at.expBits), field(at.lgkm, at.lgkmBits)}
}

// append appends the text of the counts that are below the maximum.
func (w Wait) append(text []byte, f Family) []byte {
	none := NoWait(f)
	for _, c := range [...]struct {
		name        string
		count, most uint8
	}{{" vmcnt(", w.VM, none.VM}, {" expcnt(", w.Exp, none.Exp}, {" lgkmcnt(", w.LGKM, none.LGKM}} {
		if c.count < c.most || w == none {
			text = append(strconv.AppendUint(append(text, c.name...), uint64(c.count), 10), ')')
		}
	}
	return text
}

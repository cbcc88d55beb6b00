package ir

// index is an open-addressed hash table from hashes to entries, which the caller compares. It holds
// no pointers, so modules clone by copying slices.
type index struct {
	slots []uint32 // 0 is empty
	used  int
}

func hash4(a, b, c, d uint32) uint32 {
	h := a*0x9E3779B1 ^ b*0x85EBCA77 ^ c*0xC2B2AE3D ^ d*0x27D4EB2F
	h ^= h >> 15
	h *= 0x2C1B3C6D
	return h ^ h>>13
}

// start returns the first slot to look at for a hash.
func (x *index) start(h uint32) uint32 {
	if len(x.slots) == 0 {
		x.slots = make([]uint32, 64)
	}
	return h & uint32(len(x.slots)-1)
}

func (x *index) next(slot uint32) uint32 { return (slot + 1) & uint32(len(x.slots)-1) }

// insert fills an empty slot and reports whether the table has become too full; the caller then
// grows it and inserts everything again.
func (x *index) insert(slot, number uint32) bool {
	x.slots[slot] = number
	x.used++
	return x.used*4 > len(x.slots)*3
}

// grow empties the table and doubles its size.
func (x *index) grow() {
	x.slots = make([]uint32, 2*len(x.slots))
	x.used = 0
}

// insertAbsent inserts an entry that is not in the table yet.
func (x *index) insertAbsent(h, entry uint32) {
	slot := x.start(h)
	for x.slots[slot] != 0 {
		slot = x.next(slot)
	}
	x.slots[slot] = entry
	x.used++
}

func (x *index) copyTo(to *index) { to.slots, to.used = append(to.slots[:0], x.slots...), x.used }

// reset empties the table and keeps its memory.
func (x *index) reset() {
	clear(x.slots)
	x.used = 0
}

package isa

// This file encodes accesses to memory.

// Widths of offsets. Those of scalar loads and of global and scratch memory are signed. Those of
// workgroup memory are unsigned, and may be two of 8 bits each.
const (
	scalarOffsetBits = 21
	offsetBits       = 13
	localOffsetBits  = 16
)

// offset returns the immediate as a signed field of the given number of bits.
func (c *code) offset(bits int) uint32 {
	if n := c.i.Immediate; n < -1<<(bits-1) || n >= 1<<(bits-1) {
		c.fail(outOfRange, MaxOperands, n)
	}
	return uint32(c.i.Immediate) & (1<<bits - 1)
}

// scalarMemory encodes SMEM.
func (c *code) scalarMemory(op uint32) {
	c.size = 2
	i := c.i
	loads := c.row.slots[1] == sbase
	switch {
	case !loads:
		c.only(0)
	case c.family == GFX942:
		c.only(GLC)
	default:
		c.only(GLC | DLC)
	}
	w := [families]uint32{0xC0000000, 0xF4000000}[c.family] | op<<18
	if c.row.slots[0] != noSlot {
		w |= c.scalar(0) << 6
		if o := i.Operands[0]; o.Kind() == KindSpecial && o != VCC && o != VCCHi {
			c.fail(unfit, 0, 0)
		}
	}
	if !loads {
		if i.Immediate != 0 {
			c.fail(outOfRange, MaxOperands, i.Immediate)
		}
		c.words[0] = w
		return
	}
	w |= c.scalar(1) >> 1
	c.words[1] = c.offset(scalarOffsetBits)
	if c.family == GFX1100 {
		if i.Modifiers&GLC != 0 {
			w |= 1 << 14
		}
		if i.Modifiers&DLC != 0 {
			w |= 1 << 13
		}
		register := uint32(specialRows[Null-VCC].code[GFX1100])
		if i.Operands[2] != 0 {
			register = c.scalar(2)
		}
		c.words[1] |= register << 25
		c.words[0] = w
		return
	}
	// a register is encoded with an immediate, too; the assembler has another encoding for a
	// register alone, which does the same
	w |= 1 << 17
	if i.Modifiers&GLC != 0 {
		w |= 1 << 16
	}
	if i.Operands[2] != 0 {
		w |= 1 << 14
		c.words[1] |= c.scalar(2) << 25
	}
	c.words[0] = w
}

// local encodes DS.
func (c *code) local(op uint32) {
	c.only(0)
	c.size = 2
	if n := c.i.Immediate; n < 0 || n >= 1<<localOffsetBits {
		c.fail(outOfRange, MaxOperands, n)
	}
	shift := [families]int{17, 18}[c.family]
	c.words[0] = 0xD8000000 | op<<shift | uint32(c.i.Immediate)
	// the destination is the last byte; the address and the data begin at the first one
	bit := 0
	for n, slot := range c.row.slots {
		if slot == noSlot {
			break
		}
		if n == 0 && slot.Written() {
			c.words[1] |= c.vector(n) << 24
			continue
		}
		c.words[1] |= c.vector(n) << bit
		bit += 8
	}
}

// memory encodes accesses to global and scratch memory.
func (c *code) memory(op uint32, f Format) {
	c.size = 2
	cache := [families]Modifiers{cache942, cache1100}[c.family]
	if c.row.effects&(Loads|Stores) == Loads|Stores && c.row.traits&returns == 0 {
		cache &^= SC0 | GLC // they select whether an atomic access returns the old value
	}
	c.only(cache)
	m := uint32(c.i.cached(c.family))
	bit := func(m uint32, of Modifiers, to int) uint32 {
		if m&uint32(of) != 0 {
			return 1 << to
		}
		return 0
	}
	segment := uint32(2)
	if f == Scratch {
		segment = 1
	}
	w, off := 0xDC000000|op<<18|c.offset(offsetBits), uint32(0)
	if c.family == GFX942 {
		w |= segment<<14 | bit(m, SC0, 16) | bit(m, NT, 17) | bit(m, SC1, 25)
		off = 127
	} else {
		w |= segment<<16 | bit(m, DLC, 13) | bit(m, GLC, 14) | bit(m, SLC, 15)
		off = uint32(specialRows[Null-VCC].code[GFX1100])
	}
	second := uint32(0)
	for n, slot := range c.row.slots {
		o := c.i.Operands[n]
		switch slot {
		case noSlot:
		case gaddr:
			second |= c.vector(n)
		case caddr:
			if o == 0 {
				continue
			}
			second |= c.vector(n)
			if c.family == GFX942 {
				w |= 1 << 13
			} else {
				second |= 1 << 23
			}
		case gbase, cbase:
			if o == 0 {
				second |= off << 16
			} else {
				second |= c.scalar(n) << 16
			}
		default:
			if slot.Written() {
				second |= c.vector(n) << 24
			} else {
				second |= c.vector(n) << 8
			}
		}
	}
	c.words[0], c.words[1] = w, second
}

// caches encodes the instructions that write back and invalidate caches.
func (c *code) caches(op uint32) {
	c.size = 2
	c.words[0] = 0xE0000000 | op<<18
	if c.family == GFX1100 {
		c.only(0)
		return
	}
	c.only(SC0 | SC1)
	if c.i.Modifiers&SC0 != 0 {
		c.words[0] |= 1 << 14
	}
	if c.i.Modifiers&SC1 != 0 {
		c.words[0] |= 1 << 15
	}
}

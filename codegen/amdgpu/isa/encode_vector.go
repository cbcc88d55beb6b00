package isa

// This file encodes the instructions of the vector unit.

// codeSDWA as the first source says that the word of SDWA follows.
const codeSDWA = 249

// vectorOperands has the layout of the operands of a vector instruction.
type vectorOperands struct {
	first   int // index of the first source
	sources int
	mask    bool // operand 1 is a second destination, a mask
}

// vectorOperands returns the layout of the operands.
func (c *code) vectorOperands() (v vectorOperands) {
	s := &c.row.slots
	if s[0].Written() {
		v.first = 1
		if s[1] == md {
			v.first, v.mask = 2, true
		}
	}
	for n := v.first; n < MaxOperands && s[n] != noSlot; n++ {
		v.sources++
	}
	return v
}

// vectorForm encodes an instruction of VOP1, VOP2, VOPC or VOP3.
func (c *code) vectorForm(p encoding) {
	v := c.vectorOperands()
	c.vectorModifiers(p, v)
	short := p.format != VOP3 && c.i.Form == Shortest && c.i.Modifiers == 0 && c.fitsShort(v)
	switch {
	case c.i.Form == SDWA:
		c.sdwa(p, v)
	case short || p.allows&noVOP3 != 0:
		if !short {
			c.fail(badForm, MaxOperands, 0)
		}
		c.short(p, v)
	default:
		c.long(p, v)
	}
	c.bus(v)
}

// vectorModifiers checks the modifiers.
func (c *code) vectorModifiers(p encoding, v vectorOperands) {
	m := c.i.Modifiers
	for n := range v.sources {
		switch slotRows[c.row.slots[v.first+n]].signs {
		case signed:
			m &^= (Neg | Abs) << n
		case negated:
			m &^= Neg << n
		}
		if p.allows&hasOpSel != 0 {
			m &^= High << n
		}
	}
	if p.allows&hasOpSel != 0 && p.format != VOPC {
		m &^= HighResult
	}
	if c.i.Form == SDWA && p.format != VOPC || c.i.Form != SDWA && p.allows&hasClamp != 0 {
		m &^= Clamp
	}
	if p.allows&hasOmod != 0 {
		m &^= allScale
	}
	if m != 0 {
		c.fail(modified, MaxOperands, 0)
	}
	if c.i.Form != SDWA && c.i.Parts != 0 {
		c.fail(badParts, MaxOperands, 0)
	}
}

// fitsShort reports whether the operands fit the 32-bit form: masks in VCC, all sources but the
// first in vector registers. On gfx1100 the form has 7 bits for vector registers of 16-bit
// operands.
func (c *code) fitsShort(v vectorOperands) bool {
	for n, slot := range c.row.slots {
		o := c.i.Operands[n]
		r := &slotRows[slot]
		switch {
		case slot == noSlot:
			return true
		case slot.Mask():
			if o != VCC {
				return false
			}
		case n > v.first && r.class != takesLiteral && o.Kind() != KindVGPR:
			return false
		case c.family == GFX1100 && (r.constants == half || r.constants == short) && o.Kind() == KindVGPR && o.Number() >= 128:
			return false
		}
	}
	return true
}

// short encodes the 32-bit form.
func (c *code) short(p encoding, v vectorOperands) {
	op := uint32(p.code)
	var sources [2]uint32
	k := 0
	for n := v.first; n < v.first+v.sources; n++ {
		switch slot := c.row.slots[n]; {
		case slotRows[slot].class == takesLiteral:
			c.source(n)
		case slot != ms:
			sources[k] = c.source(n)
			k++
		}
	}
	var destination uint32
	if v.first > 0 {
		destination = c.source(0) & 255
	}
	switch p.format {
	case VOP1:
		c.words[0] = 0x7E000000 | destination<<17 | op<<9 | sources[0]
	case VOP2:
		c.words[0] = op<<25 | destination<<17 | sources[1]&255<<9 | sources[0]
	case VOPC:
		c.words[0] = 0x7C000000 | op<<17 | sources[1]&255<<9 | sources[0]
	}
}

// longCodes has the first bits of VOP3, and what it adds to the codes of the short forms.
var longCodes = [families]struct {
	prefix uint32
	added  [formats]uint32
}{
	GFX942:  {0xD0000000, [formats]uint32{VOP1: 0x140, VOP2: 0x100}},
	GFX1100: {0xD4000000, [formats]uint32{VOP1: 0x180, VOP2: 0x100}},
}

// long encodes VOP3.
func (c *code) long(p encoding, v vectorOperands) {
	form, m := &longCodes[c.family], uint32(c.i.Modifiers)
	c.size = 2
	w := form.prefix | (uint32(p.code)+form.added[p.format])<<16
	switch {
	case v.first > 0:
		w |= c.source(0) & 255
	case p.format == VOPC: // of gfx1100, which writes EXEC
		w |= uint32(specialRows[EXEC-VCC].code[c.family])
	}
	if v.mask {
		w |= c.scalar(1) << 8
	} else {
		w |= m >> absShift & 7 << 8
		w |= m >> highShift & 15 << 11
	}
	if c.i.Modifiers&Clamp != 0 {
		w |= 1 << 15
	}
	c.words[0] = w
	w = m>>scaleShift&3<<27 | m>>negShift&7<<29
	for n := range min(v.sources, 3) {
		w |= c.source(v.first+n) << (9 * n)
	}
	c.words[1] = w
	c.longLiteral()
}

// longLiteral fails if there is a literal: gfx942 has none after 64 bits.
func (c *code) longLiteral() {
	if c.literalWords != 0 && c.family == GFX942 {
		for n, o := range c.i.Operands {
			if k := o.Kind(); k == KindLiteral || k == KindFixed {
				c.fail(noRoom, n, 0)
			}
		}
	}
}

// sdwa encodes the form SDWA of gfx942.
func (c *code) sdwa(p encoding, v vectorOperands) {
	if p.allows&hasSDWA == 0 {
		c.fail(badForm, MaxOperands, 0)
	}
	c.sdwaParts(p, v)
	m, parts := c.i.Modifiers, c.i.Parts
	if m&(allHigh|HighResult) != 0 || p.format == VOPC && m&allScale != 0 {
		c.fail(modified, MaxOperands, 0)
	}
	c.size = 2
	op := uint32(p.code)
	var w, destination uint32
	if p.format == VOPC {
		if c.i.Operands[0] != VCC {
			w |= 1<<15 | c.scalar(0)<<8
		}
	} else {
		destination = c.vector(0)
		w |= uint32(parts.Destination())<<8 | uint32(parts.Unused())<<11 | uint32(m>>scaleShift&3)<<14
		if v.mask && c.i.Operands[1] != VCC {
			c.fail(badForm, 1, 0)
		}
	}
	if m&Clamp != 0 {
		w |= 1 << 13
	}
	var second uint32
	for n := range v.sources {
		at := v.first + n
		slot, o := c.row.slots[at], c.i.Operands[at]
		if slot == ms {
			if o != VCC {
				c.fail(badForm, at, 0)
			}
			continue
		}
		number := c.source(at)
		if c.literalWords != 0 {
			c.fail(noRoom, at, 0)
		}
		if n > 1 || slotRows[slot].signs != none && parts&(Sext0<<n) != 0 {
			c.fail(badParts, at, 0)
		}
		if number < codeVGPR {
			w |= 1 << (23 + 8*n)
		}
		if n == 0 {
			w |= number & 255
		} else {
			second = number & 255
		}
		bits := uint32(parts.Source(n)) | uint32(parts>>(11+n)&1)<<3 | uint32(m>>(negShift+n)&1)<<4 | uint32(m>>(absShift+n)&1)<<5
		w |= bits << (16 + 8*n)
	}
	switch p.format {
	case VOP1:
		c.words[0] = 0x7E000000 | destination<<17 | op<<9 | codeSDWA
	case VOP2:
		c.words[0] = op<<25 | destination<<17 | second<<9 | codeSDWA
	case VOPC:
		c.words[0] = 0x7C000000 | op<<17 | second<<9 | codeSDWA
	}
	c.words[1] = w
}

// sdwaParts checks the parts of an instruction in the form SDWA.
func (c *code) sdwaParts(p encoding, v vectorOperands) {
	parts := c.i.Parts
	if parts.Destination() > DWord || parts.Source(0) > DWord || parts.Source(1) > DWord || parts.Unused() > Preserved || parts >= Sext1<<1 {
		c.fail(badParts, MaxOperands, 0)
	}
	if v.sources == 1 && (parts.Source(1) != DWord || parts&Sext1 != 0) || p.format == VOPC && parts&31 != 0 {
		c.fail(badParts, MaxOperands, 0)
	}
}

// packed encodes VOP3P.
func (c *code) packed(op uint32, a allows) {
	v := c.vectorOperands()
	m := c.i.Modifiers
	allowed := Modifiers(0)
	switch {
	case c.row.slots[1] == mix:
		allowed = allNeg | allAbs | allHigh | allLow
	case c.row.slots[1] == h2 && c.row.slots[3] == p32 && c.family == GFX942:
		allowed = Neg | Neg<<1 | Neg<<2 | NegHigh | NegHigh<<1 | NegHigh<<2
	case c.row.slots[1] == h2 || c.row.slots[1] == f2:
		allowed = (Neg | High | Low | NegHigh) * (1<<min(v.sources, 3) - 1)
	case c.row.slots[1] == i2 || c.row.slots[1] == w2:
		allowed = (High | Low) * (1<<v.sources - 1)
	case c.row.slots[1] == iu || c.row.slots[1] == iu4:
		allowed = Neg | Neg<<1
	}
	if a&hasClamp != 0 {
		allowed |= Clamp
	}
	c.only(allowed)
	c.size = 2
	prefix := [families]uint32{0xD3800000, 0xCC000000}[c.family]
	upper := uint32(m>>lowShift&7) ^ 7
	high := uint32(m >> highNegated & 7)
	if c.row.slots[1] == mix {
		upper ^= 7
		high = uint32(m >> absShift & 7)
	}
	w := prefix | op<<16 | c.vector(0) | high<<8 | uint32(m>>highShift&7)<<11 | upper>>2<<14
	if m&Clamp != 0 {
		w |= 1 << 15
	}
	c.words[0] = w
	w = upper&3<<27 | uint32(m>>negShift&7)<<29
	for n := range v.sources {
		w |= c.source(v.first+n) << (9 * n)
	}
	c.words[1] = w
	c.longLiteral()
	c.bus(v)
}

// matrix encodes VOP3P-MAI without what broadcasts or negates blocks of the operands.
func (c *code) matrix(op uint32) {
	c.only(0)
	sum, result := c.i.Operands[3], c.i.Operands[0]
	if n := c.i.Words(c.family, 0); sum.Kind() == KindVGPR && sum != result && int(sum.Number()) < int(result.Number())+n && int(result.Number()) < int(sum.Number())+n {
		c.fail(overlaps, 3, 0)
	}
	c.size = 2
	c.words[0] = 0xD3800000 | op<<16 | c.vector(0)
	for n := range 3 {
		c.words[1] |= c.source(1+n) << (9 * n)
	}
	c.longLiteral()
}

// bus checks the constant bus limit. A register counts once however often it is read, but a pair
// and one of its registers count as two. Masks count; a lane index in M0 does not.
func (c *code) bus(v vectorOperands) {
	type read struct {
		operand Operand
		words   int
	}
	var seen [4]read
	count := 0
	if c.row.effects&ReadsVCC != 0 {
		seen[0], count = read{VCC, 2}, 1
	}
	for n := range min(v.sources, 3) {
		r := read{c.i.Operands[v.first+n], c.i.Words(c.family, v.first+n)}
		switch k := r.operand.Kind(); {
		case k != KindSGPR && k != KindTTMP && k != KindSpecial || r.operand == Null:
		case r.operand == M0 && n == 1 && c.row.slots[v.first+n] == lane:
		case r == seen[0] || r == seen[1] || r == seen[2]:
		default:
			seen[count] = r
			count++
		}
	}
	if c.literalWords != 0 {
		count++
	}
	if limit := c.i.Op.BusLimit(c.family); count > limit {
		c.fail(crowded, MaxOperands, int32(limit))
	}
}

package spirv

import (
	"encoding/binary"
	"slices"
)

// Instructions on memory.

// access executes an instruction on memory.
func (m *machine) access(l *lane, i *inst) error {
	r := l.registers
	switch i.code {
	case doVariable, doAccess:
	default:
		if r[i.a] == nowhere {
			return l.outside
		}
	}
	switch i.code {
	case doVariable:
		v := &m.variables[i.a]
		fill(l.memory[v.base:], l.undefinedMemory[v.base:], v)
		r[i.d] = pointer(int(i.a), v.base)
	case doAccess:
		return m.accessChain(l, i)
	case doArrayLength:
		data := m.memories[r[i.a]>>offsetBits].data
		if len(data) < int(i.b) {
			return l.faulty(i, "the buffer has %d bytes, fewer than lie before the array", len(data))
		}
		r[i.d] = uint64((len(data) - int(i.b)) / int(i.c))
	case doLoadPrivate:
		at := offset(r[i.a])
		copy(r[i.d:i.d+i.n], l.memory[at:at+i.n])
		m.noteUndefined(l, i, l.undefinedMemory[at:at+i.n])
	case doStorePrivate:
		at := offset(r[i.a])
		copy(l.memory[at:at+i.n], m.span(r, i.b, i.n))
		m.define(l, i, l.undefinedMemory[at:at+i.n])
	case doLoadShared:
		at := offset(r[i.a])
		copy(r[i.d:i.d+i.n], m.shared[at:at+i.n])
		m.noteUndefined(l, i, m.undefinedShared[at:at+i.n])
		return m.sharedShadows.read(m, l, i, at, i.n)
	case doStoreShared:
		at := offset(r[i.a])
		copy(m.shared[at:at+i.n], m.span(r, i.b, i.n))
		m.define(l, i, m.undefinedShared[at:at+i.n])
		return m.sharedShadows.write(m, l, i, at, i.n)
	case doLoadBuffer:
		return m.loadBuffer(l, i)
	case doStoreBuffer:
		return m.storeBuffer(l, i)
	case doAtomicShared, doAtomicBuffer:
		return m.atomic(l, i)
	case doTexelLoad, doTexelStore, doImageSize, doImageLevels:
		return m.image(l, i)
	}
	return nil
}

// fill gives a variable its initializer, or makes it undefined.
func fill(memory []uint64, undefined []bool, v *variable) {
	if v.initial != nil {
		copy(memory, v.initial)
		clear(undefined[:len(v.initial)])
		return
	}
	undefined = undefined[:v.t.slots]
	for k := range undefined {
		undefined[k] = true
	}
}

func offset(pointer uint64) uint32 { return uint32(pointer & (1<<offsetBits - 1)) }

// nowhere is the result of an access chain with an index out of bounds. Computing it is valid,
// unlike by OpInBoundsAccessChain (SPIR-V §3.52.8), but accessing memory through it is not.
const nowhere = ^uint64(0)

// accessChain adds indices to a pointer.
func (m *machine) accessChain(l *lane, i *inst) error {
	c := &m.chains[i.table]
	p := l.registers[c.base]
	for k := range c.steps {
		if p == nowhere {
			break
		}
		s := &c.steps[k]
		p += s.offset
		index := extend(s.width, l.registers[s.index])
		count := int64(s.count)
		if count == 0 {
			count = (int64(len(m.memories[p>>offsetBits].data)) - int64(offset(p))) / int64(s.stride)
		}
		if index < 0 || index >= count {
			l.outside = l.faulty(i, "index %d is outside of a composite of %d", index, max(count, 0))
			p = nowhere
			break
		}
		p += uint64(index) * s.stride
	}
	if p != nowhere {
		p += c.offset
	}
	l.registers[i.d] = p
	return nil
}

// bytes returns the buffer that an instruction accesses, and the offset in it.
func (m *machine) bytes(l *lane, i *inst, store bool) (b *memory, at uint32, err error) {
	p := l.registers[i.a]
	b, at = &m.memories[p>>offsetBits], offset(p)
	last := i.leaves[len(i.leaves)-1]
	if end := uint64(at) + uint64(last.offset) + uint64(last.width/8); end > uint64(len(b.data)) {
		return nil, 0, l.faulty(i, "bytes %d to %d of a buffer of %d bytes", at, end, len(b.data))
	}
	if store && b.readOnly {
		return nil, 0, l.faulty(i, "the buffer is NonWritable")
	}
	if (i.code == doLoadBuffer || i.code == doStoreBuffer) && !i.nonPrivate && !b.readOnly {
		return nil, 0, l.faulty(i, "a private access to memory that is written")
	}
	return b, at, nil
}

func (m *machine) loadBuffer(l *lane, i *inst) error {
	b, at, err := m.bytes(l, i, false)
	if err != nil {
		return err
	}
	for k, f := range i.leaves {
		x, err := get(l, i, b.data, at+f.offset, f.width)
		if err != nil {
			return err
		}
		l.registers[i.d+uint32(k)] = x
		if err := b.shadows.read(m, l, i, at+f.offset, uint32(f.width/8)); err != nil {
			return err
		}
	}
	return nil
}

func (m *machine) storeBuffer(l *lane, i *inst) error {
	b, at, err := m.bytes(l, i, true)
	if err != nil {
		return err
	}
	values := m.span(l.registers, i.b, i.n)
	for k, f := range i.leaves {
		at := at + f.offset
		if at%uint32(f.width/8) != 0 {
			return l.faulty(i, "a scalar of %d bits at byte %d", f.width, at)
		}
		switch f.width {
		case 8:
			b.data[at] = byte(values[k])
		case 16:
			binary.LittleEndian.PutUint16(b.data[at:], uint16(values[k]))
		case 32:
			binary.LittleEndian.PutUint32(b.data[at:], uint32(values[k]))
		case 64:
			binary.LittleEndian.PutUint64(b.data[at:], values[k])
		}
		if err := b.shadows.write(m, l, i, at, uint32(f.width/8)); err != nil {
			return err
		}
	}
	return nil
}

// get reads a scalar of a buffer.
func get(l *lane, i *inst, data []byte, at uint32, width uint8) (uint64, error) {
	if at%uint32(width/8) != 0 {
		return 0, l.faulty(i, "a scalar of %d bits at byte %d", width, at)
	}
	if width == 32 { // the most frequent case
		return uint64(binary.LittleEndian.Uint32(data[at:])), nil
	}
	switch width {
	case 8:
		return uint64(data[at]), nil
	case 16:
		return uint64(binary.LittleEndian.Uint16(data[at:])), nil
	}
	return binary.LittleEndian.Uint64(data[at:]), nil
}

// atomic executes an atomic instruction on a scalar of 32 or 64 bits.
func (m *machine) atomic(l *lane, i *inst) error {
	r := l.registers
	writes := i.opcode != opAtomicLoad
	var old uint64
	var b *memory
	at := offset(r[i.a])
	shadows, size := &m.sharedShadows, uint32(1)
	if i.code == doAtomicBuffer {
		var err error
		if b, _, err = m.bytes(l, i, writes); err != nil {
			return err
		}
		if old, err = get(l, i, b.data, at, i.width); err != nil {
			return err
		}
		shadows, size = &b.shadows, uint32(i.width/8)
	} else {
		if m.undefinedShared[at] && i.opcode != opAtomicStore {
			return l.faulty(i, "the memory is not initialised")
		}
		old = m.shared[at]
	}
	if err := shadows.atomic(m, l, i, at, size, writes); err != nil {
		return err
	}
	var x uint64
	switch i.opcode {
	case opAtomicLoad:
		r[i.d] = old
		return nil
	case opAtomicStore:
		x = r[i.b]
	case opAtomicExchange:
		x = r[i.b]
		r[i.d] = old
	case opAtomicCompare:
		if x = old; old == r[i.c] {
			x = r[i.b]
		}
		r[i.d] = old
	default:
		x = i.integer(old, r[i.b], 0)
		r[i.d] = old
	}
	switch {
	case b == nil:
		m.shared[at] = x
		m.undefinedShared[at] = false
	case i.width == 64:
		binary.LittleEndian.PutUint64(b.data[at:], x)
	default:
		binary.LittleEndian.PutUint32(b.data[at:], uint32(x))
	}
	return nil
}

// noteUndefined sets the flags of loaded values. The first undefined one starts taint tracking.
func (m *machine) noteUndefined(l *lane, i *inst, undefined []bool) {
	if m.tainted {
		copy(l.undefinedRegisters[i.d:], undefined)
	} else if slices.Contains(undefined, true) {
		m.startTaint()
		copy(l.undefinedRegisters[i.d:], undefined)
	}
}

// define sets the flags of memory from those of the stored values.
func (m *machine) define(l *lane, i *inst, undefined []bool) {
	if m.tainted && i.b&pooled == 0 {
		copy(undefined, l.undefinedRegisters[i.b:i.b+i.n])
	} else {
		clear(undefined)
	}
}

package amd64

import "encoding/binary"

// This file collects the constants that code reads from memory, each once.

// Pool is a set of constants of 4, 8, 16 and 32 bytes. Their addresses are multiples of their sizes
// if the code's is one of 32. The zero value is empty.
type Pool struct {
	entries []constant
	data    []byte  // one after the other, in the order of their numbers
	table   []int32 // open addressing: a constant's number and 1
}

type constant struct {
	from int32 // in data
	size uint8
	at   int32 // from the beginning of the constants, when they have been placed
}

// Reset empties the pool and keeps its memory.
func (p *Pool) Reset() {
	p.entries, p.data = p.entries[:0], p.data[:0]
	clear(p.table)
}

// Word adds a constant of 32 bits and returns the base of its address.
func (p *Pool) Word(bits uint32) Operand {
	var b [4]byte
	binary.LittleEndian.PutUint32(b[:], bits)
	return p.add(b[:])
}

// Long adds a constant of 64 bits.
func (p *Pool) Long(bits uint64) Operand {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], bits)
	return p.add(b[:])
}

// Words adds a vector with the same 32 bits in each of 8 lanes.
func (p *Pool) Words(bits uint32) Operand { return p.Longs(uint64(bits)<<32 | uint64(bits)) }

// Longs adds a vector with the same 64 bits in each of 4 lanes.
func (p *Pool) Longs(bits uint64) Operand {
	var b [32]byte
	for n := 0; n < len(b); n += 8 {
		binary.LittleEndian.PutUint64(b[n:], bits)
	}
	return p.add(b[:])
}

// Lanes adds a vector of 8 lanes.
func (p *Pool) Lanes(lanes *[8]uint32) Operand {
	var b [32]byte
	for n := range lanes {
		binary.LittleEndian.PutUint32(b[4*n:], lanes[n])
	}
	return p.add(b[:])
}

// add returns the constant of 4, 8, 16 or 32 bytes.
func (p *Pool) add(b []byte) Operand {
	if 2*len(p.entries) >= len(p.table) {
		p.grow()
	}
	slot := p.find(b)
	if n := p.table[slot]; n != 0 {
		return Constant(int(n - 1))
	}
	p.entries = append(p.entries, constant{from: int32(len(p.data)), size: uint8(len(b))})
	p.data = append(p.data, b...)
	p.table[slot] = int32(len(p.entries))
	return Constant(len(p.entries) - 1)
}

// find returns the offset of a constant in the table, or that where it goes.
func (p *Pool) find(b []byte) uint32 {
	hash := uint32(len(b))
	for n := 0; n < len(b); n += 4 {
		hash = (hash ^ binary.LittleEndian.Uint32(b[n:])) * 0x9E3779B1
		hash ^= hash >> 15
	}
	mask := uint32(len(p.table) - 1)
	for slot := hash & mask; ; slot = (slot + 1) & mask {
		n := p.table[slot]
		if n == 0 || string(p.bytes(int(n-1))) == string(b) {
			return slot
		}
	}
}

func (p *Pool) bytes(n int) []byte {
	e := p.entries[n]
	return p.data[e.from : e.from+int32(e.size)]
}

func (p *Pool) grow() {
	p.table = make([]int32, max(64, 2*len(p.table)))
	for n := range p.entries {
		p.table[p.find(p.bytes(n))] = int32(n + 1)
	}
}

// Layout gives each constant its offset, the widest first so that there are no gaps.
func (p *Pool) Layout() {
	at := int32(0)
	for size := uint8(32); size >= 4; size /= 2 {
		for n := range p.entries {
			if e := &p.entries[n]; e.size == size {
				e.at, at = at, at+int32(size)
			}
		}
	}
}

// At returns a constant, and how far after the first one its offset is. Neither is to be changed,
// and both are as long as nothing is added.
func (p *Pool) At(constant Operand) (bytes []byte, at int32) {
	n := constant.Number()
	return p.bytes(n), p.entries[n].at
}

// AppendTo appends the constants in the order of their offsets.
func (p *Pool) AppendTo(code []byte) []byte {
	for size := uint8(32); size >= 4; size /= 2 {
		for n := range p.entries {
			if p.entries[n].size == size {
				code = append(code, p.bytes(n)...)
			}
		}
	}
	return code
}

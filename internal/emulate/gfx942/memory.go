package gfx942

import (
	"encoding/binary"
	"fmt"
)

// This file is the memory of a launch. Each buffer has addresses of its own, far from all others,
// so that an access outside of one meets none.

// region is memory at an address.
type region struct {
	name     string
	data     []byte
	writable bool
}

// The n-th region begins at n+1 times this.
const apart = 1 << 36

// memory is the regions by number.
type memory struct {
	regions []region
	unit    uint64 // accesses begin at multiples of it, or of their size if that is less
}

// add makes a region and returns its address.
func (m *memory) add(r region) uint64 {
	m.regions = append(m.regions, r)
	return uint64(len(m.regions)) * apart
}

// at returns the bytes at an address.
func (m *memory) at(address uint64, bytes int, writes bool) []byte {
	n, offset := address/apart, address%apart
	if n == 0 || n > uint64(len(m.regions)) {
		fail("an access to %#x, where there is no buffer", address)
	}
	r := &m.regions[n-1]
	switch {
	case offset+uint64(bytes) > uint64(len(r.data)):
		fail("an access to bytes %d to %d of %s, which has %d", offset, offset+uint64(bytes)-1, r.name, len(r.data))
	case writes && !r.writable:
		fail("a write to %s", r.name)
	}
	aligned(offset, bytes, m.unit)
	return r.data[offset : offset+uint64(bytes)]
}

// aligned checks the address of an access. Hardware can access words of memory at any address, and
// LLVM makes one access to four bytes of two to numbers of two bytes each that lie beside each
// other; so what is an error depends on the program.
func aligned(offset uint64, bytes int, unit uint64) {
	if offset%min(uint64(bytes), unit) != 0 {
		fail("a misaligned access to %d bytes at %#x", bytes, offset)
	}
}

// shared returns bytes of workgroup memory. Accesses to two or four words are at multiples of 8 or
// 16 bytes.
func (x *execution) shared(address uint64, bytes int) []byte {
	if address+uint64(bytes) > uint64(len(x.lds)) {
		fail("an access to bytes %d to %d of workgroup memory, which has %d", address, address+uint64(bytes)-1, len(x.lds))
	}
	if bytes == 12 {
		bytes = 16 // three words are where four would be
	}
	if address%uint64(bytes) != 0 {
		fail("a misaligned access to %d bytes of workgroup memory at %#x", bytes, address)
	}
	return x.lds[address:]
}

// private returns where bytes of a lane's private memory are.
func (x *execution) private(lane int, address uint64, bytes int) uint64 {
	size := uint64(len(x.wave.scratch) / lanes)
	if address+uint64(bytes) > size {
		fail("an access to bytes %d to %d of private memory, which has %d", int64(address), int64(address)+int64(bytes)-1, size)
	}
	aligned(address, bytes, x.memory.unit)
	return uint64(lane)*size + address
}

// A word of memory that nothing has written; no result should depend on it.
const unwritten = 0xA5

// word and setWord access up to eight bytes of memory, whose order is that of the device.
func word(data []byte, bytes int) uint64 {
	switch bytes {
	case 1:
		return uint64(data[0])
	case 2:
		return uint64(binary.LittleEndian.Uint16(data))
	case 4:
		return uint64(binary.LittleEndian.Uint32(data))
	}
	return binary.LittleEndian.Uint64(data)
}

func setWord(data []byte, bytes int, x uint64) {
	switch bytes {
	case 1:
		data[0] = byte(x)
	case 2:
		binary.LittleEndian.PutUint16(data, uint16(x))
	case 4:
		binary.LittleEndian.PutUint32(data, uint32(x))
	default:
		binary.LittleEndian.PutUint64(data, x)
	}
}

// bufferName is what messages call a buffer.
func bufferName(n int) string { return fmt.Sprintf("buffer %d", n) }

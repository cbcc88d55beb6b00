package gfx942

import (
	"encoding/binary"
	"fmt"
)

// The memory of a launch. The addresses of two buffers are far apart, so that an access out of
// bounds of one is not within another.

// region is memory at an address.
type region struct {
	name     string
	data     []byte
	writable bool
}

// regionStride is the distance of regions: the n-th begins at n+1 times this.
const regionStride = 1 << 36

// memory is the regions by index.
type memory struct {
	regions []region
	unit    uint64 // the alignment of accesses, or their size if that is smaller
}

// add adds a region and returns its address.
func (m *memory) add(r region) uint64 {
	m.regions = append(m.regions, r)
	return uint64(len(m.regions)) * regionStride
}

// at returns the bytes at an address.
func (m *memory) at(address uint64, bytes int, writes bool) []byte {
	n, offset := address/regionStride, address%regionStride
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

// aligned checks the alignment of an access. The required one depends on the program, see
// Launch.Unit: hardware has unaligned accesses, and LLVM merges two accesses of two bytes each into
// one of four.
func aligned(offset uint64, bytes int, unit uint64) {
	if offset%min(uint64(bytes), unit) != 0 {
		fail("a misaligned access to %d bytes at %#x", bytes, offset)
	}
}

// shared returns bytes of workgroup memory. Accesses of two or more words have an alignment of 8 or
// 16 bytes.
func (x *execution) shared(address uint64, bytes int) []byte {
	if address+uint64(bytes) > uint64(len(x.lds)) {
		fail("an access to bytes %d to %d of workgroup memory, which has %d", address, address+uint64(bytes)-1, len(x.lds))
	}
	if bytes == 12 {
		bytes = 16 // the alignment of four words
	}
	if address%uint64(bytes) != 0 {
		fail("a misaligned access to %d bytes of workgroup memory at %#x", bytes, address)
	}
	return x.lds[address:]
}

// private returns the index in wave.scratch of bytes of a lane's private memory.
func (x *execution) private(lane int, address uint64, bytes int) uint64 {
	size := uint64(len(x.wave.scratch) / lanes)
	if address+uint64(bytes) > size {
		fail("an access to bytes %d to %d of private memory, which has %d", int64(address), int64(address)+int64(bytes)-1, size)
	}
	aligned(address, bytes, x.memory.unit)
	return uint64(lane)*size + address
}

// unwritten is the initial value of uninitialised memory; no result should depend on it.
const unwritten = 0xA5

// word and setWord access one, two, four or eight bytes of memory.
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

// bufferName is the name of a buffer in messages.
func bufferName(n int) string { return fmt.Sprintf("buffer %d", n) }

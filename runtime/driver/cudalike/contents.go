// What the host knows of device memory: the bytes that it wrote itself, as long as nothing else has
// written there since. A kernel that takes uniform buffers by value (abi.ByValue) is launched with
// these. If they are not known, its other variant reads memory.
//
// Only what a launch would certainly find in memory is known. The host alone orders streams, by
// waiting for them. So each write is noted with its stream and how much work that had been given;
// another stream knows the contents once that much has finished. If two writes of the same memory
// may be under way at once, their order is undefined, and nothing is known of that memory from then
// on.

package cudalike

import (
	"sync"

	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/driver"
)

// maxTrackedBytes is the size of the largest allocation that is tracked, with room for the uniform
// buffers of many launches. Only writes that a kernel could take by value are remembered.
const maxTrackedBytes = 64 << 10

// contents is what is known of an allocation.
type contents struct {
	mutex sync.Mutex
	bytes []byte   // of all of the allocation, nil before the first write that is remembered
	known []uint64 // a bit for each word of bytes
	// writer is the stream that wrote last, nil if none has or all is known to have finished, and
	// work what it had been given by then.
	writer *stream
	work   uint64
	// contested says that two writes may have been under way at once.
	contested bool
}

// newContents returns the contents of new memory, or nil if it is not tracked.
func (d *device) newContents(bytes uint64) *contents {
	if !d.c.api.ByValue || bytes > maxTrackedBytes {
		return nil
	}
	return new(contents)
}

// before reports whether the last write precedes the next work of a stream; the mutex is held.
func (c *contents) before(s *stream) bool {
	if c.writer != nil && c.writer != s && c.writer.finished.Load() >= c.work {
		c.writer = nil
	}
	return c.writer == nil || c.writer == s
}

// write notes that a stream is given a write, and forgets what was known of the slice.
func (c *contents) write(s *stream, b *driver.Slice) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.noteWrite(s, b)
}

// noteWrite is write with the mutex held.
func (c *contents) noteWrite(s *stream, b *driver.Slice) {
	if !c.before(s) {
		c.contested, c.bytes, c.known = true, nil, nil
	}
	s.given++
	c.writer, c.work = s, s.given
	if c.bytes != nil && b.Bytes > 0 {
		c.mark(b, false)
	}
}

// writeBytes notes that a stream has been given a write of bytes of the host.
func (c *contents) writeBytes(s *stream, b *driver.Slice, data []byte) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.noteWrite(s, b)
	if c.contested || len(data) == 0 || len(data) > abi.ValueBytes || len(data)%4 != 0 {
		return
	}
	if c.bytes == nil {
		size := b.Memory.Bytes()
		c.bytes, c.known = make([]byte, size), make([]uint64, (size+255)/256)
	}
	copy(c.bytes[b.Offset:], data)
	c.mark(b, true)
}

// mark sets whether the words of a slice are known.
func (c *contents) mark(b *driver.Slice, known bool) {
	for word := b.Offset / 4; word < (b.Offset+b.Bytes+3)/4; word++ {
		if bit := uint64(1) << (word % 64); known {
			c.known[word/64] |= bit
		} else {
			c.known[word/64] &^= bit
		}
	}
}

// read copies what a launch on a stream finds from the offset on, and reports whether that is
// known.
func (c *contents) read(s *stream, to []byte, offset uint64) bool {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.bytes == nil || !c.before(s) {
		return false
	}
	for word := offset / 4; word < (offset+uint64(len(to))+3)/4; word++ {
		if c.known[word/64]>>(word%64)&1 == 0 {
			return false
		}
	}
	copy(to, c.bytes[offset:])
	return true
}

// contentsOf returns the contents of a slice's memory, or nil if it is not tracked or not of this
// device.
func (s *stream) contentsOf(b *driver.Slice) *contents {
	if s.checkSlice(b) != nil {
		return nil
	}
	return b.Memory.(*memory).contents
}

// known returns the contents of memory for the stream's launches, or nil if it is not tracked.
func (s *stream) known(m *memory) *contents {
	if s.recorded != nil {
		return s.recorded[m]
	}
	return m.contents
}

// recordWrites records the writes of a launch.
func (s *stream) recordWrites(k *kernel, bindings []driver.Slice) {
	for i := range k.bindings {
		if k.bindings[i].Access != abi.ReadWrite {
			continue
		}
		if c := s.known(bindings[i].Memory.(*memory)); c != nil {
			c.write(s, &bindings[i])
		}
	}
}

package metal

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/gpuc/gpuc/runtime/dl"
	"github.com/gpuc/gpuc/runtime/driver"
)

// memory is an MTLBuffer, or a part of one.
type memory struct {
	object
	base     uint64 // where it begins in the MTLBuffer
	bytes    uint64
	contents uintptr
}

// resourceOptions are shared memory with write-back caches and tracked hazards: all 0
// (MTLResourceOptions).
const resourceOptions = 0

// Alloc makes a buffer of zeros.
func (d *device) Alloc(bytes uint64) (driver.Memory, error) {
	b, err := d.newBuffer(bytes)
	if err != nil {
		return nil, err
	}
	clear(dl.Bytes(b.contents, int(bytes)))
	return b, nil
}

func (d *device) newBuffer(bytes uint64) (*memory, error) {
	if bytes > d.info.MaxBufferBytes {
		return nil, fmt.Errorf("metal: %w: %d bytes, and a buffer has at most %d", driver.ErrOutOfMemory, bytes, d.info.MaxBufferBytes)
	}
	p := d.m.enter()
	defer p.leave()
	handle := d.m.send(d.candidate.device, d.m.s.NewBufferWithLength, uintptr(max(bytes, 4)), resourceOptions)
	if handle == 0 {
		return nil, fmt.Errorf("metal: %w: %d bytes", driver.ErrOutOfMemory, bytes)
	}
	b := &memory{bytes: bytes, contents: d.m.send(handle, d.m.s.Contents)}
	if err := d.register(&b.object, handle); err != nil {
		return nil, err
	}
	return b, nil
}

// Bytes is the size of the memory.
func (b *memory) Bytes() uint64 { return b.bytes }

// Free releases the memory; work that uses it retains it.
func (b *memory) Free() error { return b.free() }

// Reserve makes a buffer for parts.
func (d *device) Reserve(bytes uint64) (driver.Block, bool, error) {
	b, err := d.newBuffer(bytes)
	if err != nil {
		return nil, false, err
	}
	return b, false, nil
}

// Part makes memory of some bytes, which retains the buffer.
func (b *memory) Part(offset, bytes uint64) (driver.Memory, error) {
	m := b.device.m
	p := m.enter()
	defer p.leave()
	part := &memory{base: b.base + offset, bytes: bytes, contents: b.contents + uintptr(offset)}
	if err := b.device.register(&part.object, m.retain(b.handle)); err != nil {
		return nil, err
	}
	return part, nil
}

// Clear zeroes memory that no command uses.
func (d *device) Clear(m driver.Memory) error {
	b, ok := m.(*memory)
	switch {
	case !ok || b.device != d:
		return fmt.Errorf("metal: clear: %w: the memory belongs to another device", driver.ErrUnsupported)
	case b.freed.Load():
		return fmt.Errorf("metal: clear: buffer: %w", driver.ErrClosed)
	}
	clear(dl.Bytes(b.contents, int(b.bytes)))
	return nil
}

// Clear enqueues zeros. Metal orders what uses an MTLBuffer, so also what uses other parts. It
// fills whole words, as parts have (MTLBlitCommandEncoder, fillBuffer).
func (s *stream) Clear(m driver.Memory) error {
	b := driver.Slice{Memory: m, Bytes: m.Bytes()}
	if err := s.checkSlice(&b); err != nil {
		return fmt.Errorf("metal: clear: %w", err)
	}
	if err := s.begin(); err != nil {
		return err
	}
	defer s.mutex.Unlock()
	if b.Bytes == 0 {
		return nil
	}
	o := s.device.m
	p := o.enter()
	defer p.leave()
	if err := s.open(copying); err != nil {
		return err
	}
	to := m.(*memory)
	dl.Call8(o.c.MsgSend, s.encoder, o.s.FillBuffer, to.handle, uintptr(to.base), uintptr((b.Bytes+3)&^3), 0, 0, 0)
	s.counted()
	return nil
}

// Drain commits what all streams have recorded, and waits for it.
func (d *device) Drain() error {
	m := d.m
	p := m.enter()
	d.mutex.Lock()
	if d.closed {
		d.mutex.Unlock()
		p.leave()
		return d.closedError()
	}
	streams := slices.Collect(maps.Keys(d.streams))
	var last []uintptr
	for _, buffer := range d.orphans {
		last = append(last, m.retain(buffer))
	}
	d.mutex.Unlock()
	for _, s := range streams {
		s.mutex.Lock()
		if !s.closed {
			s.commit()
			if n := len(s.committed); n > 0 {
				last = append(last, m.retain(s.committed[n-1]))
			}
		}
		s.mutex.Unlock()
	}
	p.leave()
	for _, buffer := range last {
		m.await(context.Background(), buffer)
		p := m.enter()
		m.release(buffer)
		p.leave()
	}
	return nil
}

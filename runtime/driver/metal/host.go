package metal

import (
	"cmp"
	"fmt"

	"github.com/gpuc/gpuc/runtime/dl"
	"github.com/gpuc/gpuc/runtime/driver"
)

// This file has memory that the processor shares: host memory is a buffer as any other, and a slice
// of the host becomes one.

// hostMemory is an MTLBuffer.
type hostMemory struct{ *memory }

// NewHostMemory makes a buffer of zeros.
func (d *device) NewHostMemory(bytes uint64) (driver.HostMemory, error) {
	b, err := d.newBuffer(bytes)
	if err != nil {
		return nil, err
	}
	clear(dl.Bytes(b.contents, int(bytes)))
	return &hostMemory{b}, nil
}

// Bytes are the memory.
func (m *hostMemory) Bytes() []byte { return dl.Bytes(m.contents, int(m.bytes)) }

// part returns some bytes as a slice of memory.
func (s *stream) part(of driver.HostMemory, offset, bytes uint64) (driver.Slice, error) {
	m, ok := of.(*hostMemory)
	switch {
	case !ok || m.device != s.device:
		return driver.Slice{}, fmt.Errorf("%w: the host memory belongs to another device", driver.ErrUnsupported)
	case m.freed.Load():
		return driver.Slice{}, fmt.Errorf("host memory: %w", driver.ErrClosed)
	}
	return driver.Slice{Memory: m.memory, Offset: offset, Bytes: bytes}, driver.CheckHostMemory(m, offset, bytes)
}

// WriteFrom enqueues a copy of a buffer.
func (s *stream) WriteFrom(dst driver.Slice, src driver.HostMemory, offset uint64) error {
	from, err := s.part(src, offset, dst.Bytes)
	if err := cmp.Or(err, s.checkSlice(&dst)); err != nil {
		return fmt.Errorf("metal: write: %w", err)
	}
	return s.copySlice(&dst, &from)
}

// ReadTo enqueues a copy to a buffer.
func (s *stream) ReadTo(dst driver.HostMemory, offset uint64, src driver.Slice) error {
	to, err := s.part(dst, offset, src.Bytes)
	if err := cmp.Or(err, s.checkSlice(&src)); err != nil {
		return fmt.Errorf("metal: read: %w", err)
	}
	return s.copySlice(&to, &src)
}

// sharedPage is the size of pages of Apple's processors, and a multiple of Intel's.
const sharedPage = 16 << 10

// ShareAlignment implements driver.Sharer. Buffers without a copy begin and end at pages
// (MTLDevice, newBufferWithBytesNoCopy).
func (d *device) ShareAlignment() uint64 { return sharedPage }

// Share makes a buffer of host bytes, and of what follows them up to the next page.
func (d *device) Share(bytes []byte) (driver.Memory, error) {
	p := d.m.enter()
	defer p.leave()
	whole := (len(bytes) + sharedPage - 1) &^ (sharedPage - 1)
	handle := dl.Call(d.m.c.MsgSend, d.candidate.device, d.m.s.NewBufferNoCopy, uintptr(dl.First(bytes)), uintptr(whole), resourceOptions, 0)
	if handle == 0 {
		return nil, fmt.Errorf("metal: share memory: %w: Metal refuses %d bytes", driver.ErrUnsupported, whole)
	}
	b := &memory{bytes: uint64(len(bytes)), contents: uintptr(dl.First(bytes))}
	if err := d.register(&b.object, handle); err != nil {
		return nil, err
	}
	return b, nil
}

// Blocks of memory, whose parts runtime/gpu hands out.

package cudalike

import (
	"fmt"

	"github.com/gpuc/gpuc/runtime/dl"
	"github.com/gpuc/gpuc/runtime/driver"
)

// block is an allocation for parts.
type block struct{ memory }

// Reserve allocates a block.
func (d *device) Reserve(bytes uint64) (driver.Block, bool, error) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if d.closed {
		return nil, false, d.closedError()
	}
	if bytes > d.info.Memory {
		return nil, false, d.named(fmt.Errorf("reserve %d bytes: %w: the device has %d", bytes, driver.ErrOutOfMemory, d.info.Memory))
	}
	if err := d.enter(); err != nil {
		return nil, false, err
	}
	defer d.leave()
	b := &block{memory: memory{device: d, bytes: bytes}}
	if err := d.reserve(&b.memory, bytes); err != nil {
		return nil, false, d.named(fmt.Errorf("reserve %d bytes: %w", bytes, err))
	}
	if d.pools {
		// streams wait for the allocation as they do for a fill
		if err := d.check("record an event", dl.Call2(d.c.EventRecord, d.filled, d.allocStream)); err != nil {
			b.release()
			return nil, false, err
		}
		d.generation++
	}
	d.memories[&b.memory] = struct{}{}
	return b, false, nil
}

// Part makes memory of some bytes. Streams wait for all fills so far before they use it, of which
// one may be of a part that was there before.
func (b *block) Part(offset, bytes uint64) (driver.Memory, error) {
	d := b.device
	d.mutex.Lock()
	defer d.mutex.Unlock()
	return &memory{
		device: d, bytes: bytes, address: b.address + offset, part: true,
		generation: d.generation, contents: d.newContents(bytes),
	}, nil
}

// Clear fills memory with zeros before any stream uses it.
func (d *device) Clear(of driver.Memory) error {
	m, ok := of.(*memory)
	d.mutex.Lock()
	defer d.mutex.Unlock()
	switch {
	case !ok || m.device != d:
		return d.named(fmt.Errorf("clear: %w: the memory belongs to another device", driver.ErrUnsupported))
	case d.closed:
		return d.closedError()
	case m.address == 0:
		return nil
	}
	if err := d.enter(); err != nil {
		return err
	}
	defer d.leave()
	return d.fill(m)
}

// Reuse does nothing: a stream runs one call after the other.
func (s *stream) Reuse(driver.Memory) error { return nil }

// Clear enqueues zeros.
func (s *stream) Clear(of driver.Memory) error {
	b := driver.Slice{Memory: of, Bytes: of.Bytes()}
	if err := s.checkSlice(&b); err != nil {
		return s.device.named(fmt.Errorf("clear: %w", err))
	}
	m := of.(*memory)
	if m.address == 0 {
		return nil
	}
	if err := s.begin(); err != nil {
		return err
	}
	defer s.device.leave()
	if err := s.await(m.generation); err != nil {
		return err
	}
	if m.contents != nil {
		m.contents.write(s, &b)
	}
	return s.device.check("fill memory", dl.Call4(s.device.c.Fill, uintptr(m.address), 0, uintptr((m.bytes+3)/4), s.handle))
}

// Drain waits for the work of all streams.
func (d *device) Drain() error {
	d.mutex.Lock()
	closed := d.closed
	d.mutex.Unlock()
	if closed {
		return d.closedError()
	}
	if err := d.enter(); err != nil {
		return err
	}
	defer d.leave()
	return d.check("wait for the device", dl.Call(d.c.Synchronize))
}

// Trim gives back what the driver's pool keeps, and the pinned memory of transfers.
func (d *device) Trim() error {
	if err := d.Drain(); err != nil {
		return err
	}
	if err := d.enter(); err != nil {
		return err
	}
	defer d.leave()
	d.staging.rings.Trim()
	if !d.pools {
		return nil
	}
	return d.check("trim the memory pool", dl.Call(d.c.PoolTrim, d.pool, 0))
}

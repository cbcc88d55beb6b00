// Memory: allocation and release, ordered among all streams of a device.

package cudalike

import (
	"fmt"
	"sync/atomic"
	"unsafe"

	"github.com/gpuc/gpuc/runtime/dl"
	"github.com/gpuc/gpuc/runtime/driver"
)

// memory is an allocation, or a part of one. A size of 0 has no address.
type memory struct {
	device     *device
	bytes      uint64
	address    uint64
	generation uint64 // of its zero-fill
	contents   *contents
	part       bool   // of a block, which the driver frees
	shared     []byte // host bytes that it is, or nil
	freed      atomic.Bool
}

// Alloc reserves memory and has it filled with zeros before any stream uses it.
func (d *device) Alloc(bytes uint64) (driver.Memory, error) {
	m := &memory{device: d, bytes: bytes}
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if d.closed {
		return nil, d.closedError()
	}
	if bytes == 0 {
		return m, nil
	}
	if bytes > d.info.Memory {
		return nil, d.named(fmt.Errorf("allocate %d bytes: %w: the device has %d", bytes, driver.ErrOutOfMemory, d.info.Memory))
	}
	if err := d.enter(); err != nil {
		return nil, err
	}
	defer d.leave()
	if err := d.reserve(m, (bytes+3)&^3); err != nil {
		return nil, d.named(fmt.Errorf("allocate %d bytes: %w", bytes, err))
	}
	if err := d.fill(m); err != nil {
		m.release()
		return nil, err
	}
	d.memories[m] = struct{}{}
	return m, nil
}

// fill fills memory with zeros before any stream uses it; the mutex is held.
func (d *device) fill(m *memory) error {
	err := d.check("fill memory", dl.Call(d.c.Fill, uintptr(m.address), 0, uintptr((m.bytes+3)/4), d.allocStream))
	if err == nil {
		err = d.check("record an event", dl.Call2(d.c.EventRecord, d.filled, d.allocStream))
	}
	if err != nil {
		return err
	}
	d.generation++
	m.generation, m.contents = d.generation, d.newContents(m.bytes)
	return nil
}

// reserve allocates from the pool or, without one, from the driver. A full pool may hold memory
// that can be trimmed.
func (d *device) reserve(m *memory, bytes uint64) error {
	c := d.c
	if !d.pools {
		return d.check("allocate", dl.Call(c.Alloc, uintptr(unsafe.Pointer(&m.address)), uintptr(bytes)))
	}
	code := dl.Call(c.AllocAsync, uintptr(unsafe.Pointer(&m.address)), uintptr(bytes), d.allocStream)
	if uint32(code) == codeOutOfMemory {
		if err := d.check("wait for the device", dl.Call(c.Synchronize)); err != nil {
			return err
		}
		d.unloadRetired()
		dl.Call(c.PoolTrim, d.pool, 0)
		code = dl.Call(c.AllocAsync, uintptr(unsafe.Pointer(&m.address)), uintptr(bytes), d.allocStream)
	}
	return d.check("allocate", code)
}

// Bytes is the size of the allocation.
func (m *memory) Bytes() uint64 { return m.bytes }

// Free releases the memory once the work that all streams were given before has
// finished.
func (m *memory) Free() error {
	if m.freed.Swap(true) || m.address == 0 || m.part {
		return nil
	}
	d := m.device
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if d.closed || d.lost() != nil {
		return nil
	}
	if err := d.enter(); err != nil {
		return err
	}
	defer d.leave()
	delete(d.memories, m)
	if !d.pools || m.shared != nil {
		return m.release() // waits by itself, or no work uses it
	}
	err := d.check("wait for an event", dl.Call3(d.c.StreamWait, d.freeStream, d.filled, 0))
	if err == nil {
		err = d.awaitStreams()
	}
	if err != nil {
		return err
	}
	return m.release()
}

// awaitStreams orders the next work of freeStream after the work that all streams were given
// before; the mutex is held.
func (d *device) awaitStreams() error {
	for s := range d.streams {
		if err := s.awaitBy(d.freeStream); err != nil {
			return err
		}
	}
	return nil
}

// awaitAll orders the stream's next work after the work that all streams were given before.
func (s *stream) awaitAll() error {
	d := s.device
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if err := d.awaitStreams(); err != nil {
		return err
	}
	event, err := d.newEvent(eventWithoutTiming)
	if err != nil {
		return err
	}
	if err = d.check("record an event", dl.Call2(d.c.EventRecord, event, d.freeStream)); err == nil {
		err = d.check("wait for an event", dl.Call3(d.c.StreamWait, s.handle, event, 0))
	}
	dl.Call(d.c.EventDestroy, event)
	return err
}

// release frees the memory on freeStream.
func (m *memory) release() error {
	d := m.device
	if m.shared != nil {
		d.reach(m.shared, false)
		return d.check("unregister memory", dl.Call(d.c.HostUnregister, uintptr(dl.First(m.shared))))
	}
	if !d.pools {
		return d.check("free memory", dl.Call(d.c.Free, uintptr(m.address)))
	}
	return d.check("free memory", dl.Call2(d.c.FreeAsync, uintptr(m.address), d.freeStream))
}

// FreeMemory returns what the library says is free.
func (d *device) FreeMemory() (uint64, error) {
	if d.c.MemoryInfo == 0 {
		return 0, d.named(fmt.Errorf("free memory: %w: the library does not tell it", driver.ErrUnsupported))
	}
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if d.closed {
		return 0, d.closedError()
	}
	if err := d.enter(); err != nil {
		return 0, err
	}
	defer d.leave()
	var sizes struct{ free, total uint64 } // size_t, of 64 bits wherever there is such a library
	err := d.check("query free memory", dl.Call(d.c.MemoryInfo, uintptr(unsafe.Pointer(&sizes.free)), uintptr(unsafe.Pointer(&sizes.total))))
	return sizes.free, err
}

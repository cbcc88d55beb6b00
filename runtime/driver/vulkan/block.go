// Blocks of device memory and their parts, which are the memory of buffers.

package vulkan

import (
	"fmt"

	"github.com/gpuc/gpuc/runtime/dl"
	"github.com/gpuc/gpuc/runtime/driver"
)

// reserved is a block for parts. It goes with the last of them, or with the batches that use it.
type reserved struct {
	resource
	region region
}

// Reserve allocates a block.
func (d *device) Reserve(bytes uint64) (driver.Block, bool, error) {
	if err := d.lost(); err != nil {
		return nil, false, err
	}
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if d.closed {
		return nil, false, d.closedError()
	}
	r, err := d.reserve(bytes)
	return r, false, err
}

// reserve is Reserve with the mutex held.
func (d *device) reserve(bytes uint64) (*reserved, error) {
	padded := (bytes + 3) &^ 3
	if bytes > d.maxAllocation || padded < bytes {
		return nil, fmt.Errorf("vulkan: allocate %d bytes: %w: one allocation has at most %d", bytes, driver.ErrOutOfMemory, d.maxAllocation)
	}
	if err := d.reapLocked(); err != nil {
		return nil, err
	}
	b := new(reserved)
	b.resource.init(d, "block", b)
	d.local.mutex.Lock()
	defer d.local.mutex.Unlock()
	var err error
	if b.region.block, err = d.local.reserve(max((padded+d.local.alignment-1)&^(d.local.alignment-1), padded)); err != nil {
		return nil, err
	}
	d.objects[b] = struct{}{}
	return b, nil
}

// Free lets the block go once the work that uses its parts has finished.
func (b *reserved) Free() error { return b.free() }

// dispose implements owner.
func (b *reserved) dispose() { b.device.local.release(b.region) }

// destroy implements object: the blocks are freed whole.
func (b *reserved) destroy() {}

// memory is a part of a block, or a block's only one. A size of 0 has no buffer.
type memory struct {
	resource
	bytes  uint64
	region region    // without a block
	block  *reserved // held
}

// Part makes a buffer over some bytes.
func (b *reserved) Part(offset, bytes uint64) (driver.Memory, error) {
	d := b.device
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if d.closed {
		return nil, d.closedError()
	}
	return b.part(offset, bytes)
}

// part is Part with the mutex held. A buffer needs no more than its size, rounded up to its
// alignment (VK_KHR_maintenance4).
func (b *reserved) part(offset, bytes uint64) (*memory, error) {
	d := b.device
	buffer, err := d.newBuffer((bytes + 3) &^ 3)
	if err != nil {
		return nil, err
	}
	err = check("bind memory", dl.Call(d.vk.BindBufferMemory, d.handle, uintptr(buffer), uintptr(b.region.block.memory), uintptr(offset)))
	if err != nil {
		dl.Call(d.vk.DestroyBuffer, d.handle, uintptr(buffer), 0)
		return nil, err
	}
	m := &memory{bytes: bytes, region: region{buffer: buffer}, block: b}
	m.resource.init(d, "buffer", m)
	b.acquire()
	d.objects[m] = struct{}{}
	return m, nil
}

// Alloc reserves memory and has it filled with zeros before any work that is
// submitted later.
func (d *device) Alloc(bytes uint64) (driver.Memory, error) {
	if err := d.lost(); err != nil {
		return nil, err
	}
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if d.closed {
		return nil, d.closedError()
	}
	if bytes == 0 {
		m := new(memory)
		m.resource.init(d, "buffer", m)
		return m, nil
	}
	b, err := d.reserve(bytes)
	if err != nil {
		return nil, err
	}
	defer b.drop() // the memory holds it
	b.freed.Store(true)
	m, err := b.part(0, bytes)
	if err != nil {
		return nil, err
	}
	if err := d.clear(m); err != nil {
		m.drop()
		return nil, err
	}
	return m, nil
}

// Clear has memory filled with zeros before any work that is submitted later.
func (d *device) Clear(of driver.Memory) error {
	if err := d.lost(); err != nil {
		return err
	}
	d.mutex.Lock()
	defer d.mutex.Unlock()
	m, ok := of.(*memory)
	switch {
	case d.closed:
		return d.closedError()
	case !ok || m.device != d:
		return fmt.Errorf("vulkan: clear: %w: the memory belongs to another device", driver.ErrUnsupported)
	case m.block == nil:
		return nil
	}
	return d.clear(m)
}

// clear is Clear with the mutex held.
func (d *device) clear(m *memory) (err error) {
	if d.fills == nil {
		if d.fills, err = d.takeBatch(oneSubmit); err != nil {
			return err
		}
	}
	b := d.fills
	if err := b.order(&m.resource, true); err != nil {
		return err
	}
	dl.Call5(d.vk.CmdFillBuffer, b.commands, uintptr(m.region.buffer), 0, wholeSize, 0)
	if b.count++; b.count >= commandsPerBatch {
		return d.runFills()
	}
	return nil
}

// Clear records zeros between barriers: batches order accesses by buffers, and other buffers have
// had or will have the memory.
func (s *stream) Clear(of driver.Memory) error {
	b := driver.Slice{Memory: of, Bytes: of.Bytes()}
	if err := s.checkSlice(&b); err != nil {
		return fmt.Errorf("vulkan: clear: %w", err)
	}
	m := of.(*memory)
	if m.block == nil {
		return nil
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	batch, err := s.recording()
	if err != nil {
		return err
	}
	if _, err := batch.conflicts(&m.resource, true); err != nil {
		return err
	}
	if batch.count > 0 {
		batch.barrier()
	}
	dl.Call5(s.device.vk.CmdFillBuffer, batch.commands, uintptr(m.region.buffer), 0, wholeSize, 0)
	batch.barrier()
	return s.recorded()
}

// Reuse records a barrier, as Clear does. A batch begins with one.
func (s *stream) Reuse(of driver.Memory) error {
	b := driver.Slice{Memory: of, Bytes: of.Bytes()}
	if err := s.checkSlice(&b); err != nil {
		return fmt.Errorf("vulkan: reuse: %w", err)
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	batch, err := s.recording()
	if err == nil && batch.count > 0 {
		batch.barrier()
	}
	return err
}

// Bytes is the size that was asked for.
func (m *memory) Bytes() uint64 { return m.bytes }

// Free lets the memory go once the work that uses it has finished.
func (m *memory) Free() error { return m.free() }

// dispose implements owner.
func (m *memory) dispose() {
	if m.block != nil {
		m.destroy()
		m.block.drop()
	}
}

// destroy implements object: the buffer goes, the blocks are freed whole.
func (m *memory) destroy() {
	if m.region.buffer != 0 {
		dl.Call(m.device.vk.DestroyBuffer, m.device.handle, uintptr(m.region.buffer), 0)
	}
}

// Host memory that devices reach: staging memory for programs, and slices of programs on devices
// that have the host's memory (VK_EXT_external_memory_host).

package vulkan

import (
	"cmp"
	"fmt"
	"unsafe"

	"github.com/gpuc/gpuc/runtime/dl"
	"github.com/gpuc/gpuc/runtime/driver"
)

// hostMemory is a region of the heap for staging. Batches hold it.
type hostMemory struct {
	resource
	region region
	bytes  []byte
}

// NewHostMemory reserves staging memory.
func (d *device) NewHostMemory(bytes uint64) (driver.HostMemory, error) {
	if err := d.lost(); err != nil {
		return nil, err
	}
	padded := (bytes + 3) &^ 3
	if bytes > d.maxAllocation || padded < bytes {
		return nil, fmt.Errorf("vulkan: allocate %d bytes of the host: %w: one allocation has at most %d", bytes, driver.ErrOutOfMemory, d.maxAllocation)
	}
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if d.closed {
		return nil, d.closedError()
	}
	m := new(hostMemory)
	var err error
	if m.region, err = d.host.alloc(padded); err != nil {
		return nil, err
	}
	m.bytes = m.region.bytes(int(bytes))
	driver.Clear(m.bytes)
	m.resource.init(d, "host memory", m)
	d.objects[m] = struct{}{}
	return m, nil
}

// Bytes are the memory.
func (m *hostMemory) Bytes() []byte { return m.bytes }

// Free lets the memory go once the work that uses it has finished.
func (m *hostMemory) Free() error { return m.free() }

// dispose implements owner.
func (m *hostMemory) dispose() { m.device.host.release(m.region) }

// destroy implements object: the buffer goes, the blocks are freed whole.
func (m *hostMemory) destroy() {
	dl.Call(m.device.vk.DestroyBuffer, m.device.handle, uintptr(m.region.buffer), 0)
}

// checkHostCopy tells whether a slice can be copied from or to host memory.
func (s *stream) checkHostCopy(b *driver.Slice, host driver.HostMemory, offset uint64) (*hostMemory, error) {
	m, ok := host.(*hostMemory)
	if !ok || m.device != s.device {
		return nil, fmt.Errorf("%w: the host memory belongs to another device", driver.ErrUnsupported)
	}
	return m, cmp.Or(s.checkSlice(b), driver.CheckHostMemory(m, offset, b.Bytes))
}

// WriteFrom records a copy of host memory.
func (s *stream) WriteFrom(dst driver.Slice, src driver.HostMemory, offset uint64) error {
	m, err := s.checkHostCopy(&dst, src, offset)
	if err != nil {
		return fmt.Errorf("vulkan: write: %w", err)
	}
	return s.copyHost(dst.Memory.(*memory), dst.Offset, m, offset, dst.Bytes, false)
}

// ReadTo records a copy to host memory.
func (s *stream) ReadTo(dst driver.HostMemory, offset uint64, src driver.Slice) error {
	m, err := s.checkHostCopy(&src, dst, offset)
	if err != nil {
		return fmt.Errorf("vulkan: read: %w", err)
	}
	return s.copyHost(src.Memory.(*memory), src.Offset, m, offset, src.Bytes, true)
}

func (s *stream) copyHost(of *memory, offset uint64, host *hostMemory, at, bytes uint64, toHost bool) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	b, err := s.recording()
	if err != nil || bytes == 0 {
		return err
	}
	if err := cmp.Or(b.order(&of.resource, !toHost), b.order(&host.resource, toHost)); err != nil {
		return err
	}
	if toHost {
		s.copies = bufferCopy{offset, at, bytes}
		s.copyBuffer(b, of.region.buffer, host.region.buffer)
		b.hostRead()
	} else {
		s.copies = bufferCopy{at, offset, bytes}
		s.copyBuffer(b, host.region.buffer, of.region.buffer)
	}
	return s.recorded()
}

// hostExtension is what imports host memory.
const hostExtension = "VK_EXT_external_memory_host"

// hostAllocation is the type of handle of host memory that was not mapped of a device
// (VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT).
const hostAllocation = 0x80

// ShareAlignment implements driver.Sharer.
func (d *device) ShareAlignment() uint64 { return d.sharing }

// Share imports host bytes, and what follows them up to the next multiple of the alignment.
func (d *device) Share(host []byte) (driver.Memory, error) {
	if d.sharing == 0 {
		return nil, fmt.Errorf("vulkan: share memory: %w: %s has memory of its own, or no %s", driver.ErrUnsupported, d.info.Name, hostExtension)
	}
	if err := d.lost(); err != nil {
		return nil, err
	}
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if d.closed {
		return nil, d.closedError()
	}
	m, err := d.share(host)
	if err != nil {
		return nil, fmt.Errorf("vulkan: share memory: %w", err)
	}
	return m, nil
}

// share is Share with the mutex held.
func (d *device) share(host []byte) (*memory, error) {
	whole := (uint64(len(host)) + d.sharing - 1) &^ (d.sharing - 1)
	external := &externalMemoryBuffer{sType: typeExternalMemoryBuffer, kinds: hostAllocation}
	buffer, err := d.newBufferWith(whole, unsafe.Pointer(external))
	if err != nil {
		return nil, err
	}
	m := &memory{bytes: uint64(len(host)), region: region{buffer: buffer}}
	imported, err := d.importHost(host, whole, d.requirements(buffer).types)
	if err == nil {
		// the block holds the memory, and the buffer is its only part
		m.block = new(reserved)
		m.block.resource.init(d, "block", m.block)
		m.block.region.block = imported
		err = check("bind memory", dl.Call(d.vk.BindBufferMemory, d.handle, uintptr(buffer), uintptr(imported.memory), 0))
	}
	m.resource.init(d, "buffer", m)
	d.objects[m] = struct{}{}
	if err != nil {
		if m.block == nil {
			m.destroy()
			delete(d.objects, m)
		} else {
			m.drop()
		}
		return nil, err
	}
	return m, nil
}

// importHost makes a block of host bytes, of a type that needs no flushes.
func (d *device) importHost(host []byte, whole uint64, types uint32) (*block, error) {
	at := unsafe.Pointer(unsafe.SliceData(host))
	properties := &hostPointerProperties{sType: typeHostPointerProperties}
	err := check("query host memory", dl.Call(d.vk.HostPointerProperties, d.handle, hostAllocation, uintptr(at), uintptr(unsafe.Pointer(properties))))
	if err != nil {
		return nil, err
	}
	const wanted = memoryHostVisible | memoryHostCoherent
	for i := range d.memory.typeCount {
		if types&properties.types&(1<<i) == 0 || d.memory.types[i].flags&wanted != wanted {
			continue
		}
		pointer := &importHostPointer{sType: typeImportHostPointer, kind: hostAllocation, pointer: at}
		info := &memoryAllocateInfo{sType: typeMemoryAllocateInfo, next: unsafe.Pointer(pointer), size: whole, typeIndex: i}
		b := &block{bytes: whole, alone: true}
		err := check("import host memory", dl.Call(d.vk.AllocateMemory, d.handle, uintptr(unsafe.Pointer(info)), 0, uintptr(unsafe.Pointer(&b.memory))))
		if err != nil {
			return nil, err
		}
		d.local.mutex.Lock()
		defer d.local.mutex.Unlock()
		d.local.blocks = append(d.local.blocks, b)
		return b, nil
	}
	return nil, fmt.Errorf("%w: no memory type for host memory", driver.ErrUnsupported)
}

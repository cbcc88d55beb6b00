// Device memory. Vulkan limits the number of allocations and makes each cost
// long, so memory of textures and for staging comes from large blocks by first
// fit. That of buffers comes from blocks whose parts runtime/gpu hands out. Every
// part has a VkBuffer of its own: robust access, where the device offers it, then
// keeps wild writes out of other parts.

package vulkan

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/gpuc/gpuc/runtime/dl"
	"github.com/gpuc/gpuc/runtime/driver"
)

// Blocks start small, as many programs need little, and double. An allocation
// above half a block gets its own block, which is given back with it.
const (
	firstBlock   = 16 << 20
	largestBlock = 256 << 20
)

// heap hands out parts of blocks of one memory type.
type heap struct {
	device    *device
	typeIndex uint32
	alignment uint64 // of buffers
	mapped    bool

	mutex  sync.Mutex
	blocks []*block
	next   uint64 // size of the next shared block
}

// block is one VkDeviceMemory.
type block struct {
	memory  handle
	bytes   uint64
	address uintptr // where it is mapped
	free    []span  // unused parts by offset, never adjacent
	alone   bool    // holds one allocation
}

// span is a part of a block.
type span struct{ offset, bytes uint64 }

// region is an allocated part of a block with its buffer, if it has one.
type region struct {
	buffer handle
	block  *block
	span   span
}

// newHeap chooses the memory type that has all required properties and, if one
// does, the preferred ones too.
func newHeap(d *device, required, preferred uint32, mapped bool) (*heap, error) {
	probe, err := d.newBuffer(256)
	if err != nil {
		return nil, err
	}
	requirements := d.requirements(probe)
	dl.Call(d.vk.DestroyBuffer, d.handle, uintptr(probe), 0)
	for _, wanted := range []uint32{required | preferred, required} {
		for i := range d.memory.typeCount {
			if requirements.types&(1<<i) != 0 && d.memory.types[i].flags&wanted == wanted {
				return &heap{device: d, typeIndex: i, alignment: max(requirements.alignment, 256), mapped: mapped, next: firstBlock}, nil
			}
		}
	}
	return nil, fmt.Errorf("vulkan: %s: %w: no memory type with properties %#x", d.info.Name, driver.ErrUnsupported, required)
}

// newBuffer makes a buffer without memory.
func (d *device) newBuffer(bytes uint64) (handle, error) { return d.newBufferWith(bytes, nil) }

// newBufferWith is newBuffer with more structures of what it is made for.
func (d *device) newBufferWith(bytes uint64, next unsafe.Pointer) (handle, error) {
	info := &bufferCreateInfo{
		sType: typeBufferCreateInfo,
		next:  next,
		size:  bytes,
		usage: bufferStorage | bufferUniform | bufferTransferSource | bufferTransferTarget,
	}
	var buffer handle
	err := check("create a buffer", dl.Call(d.vk.CreateBuffer, d.handle,
		uintptr(unsafe.Pointer(info)), 0, uintptr(unsafe.Pointer(&buffer))))
	return buffer, err
}

func (d *device) requirements(buffer handle) memoryRequirements {
	r := new(memoryRequirements)
	dl.Call(d.vk.GetBufferRequirements, d.handle, uintptr(buffer), uintptr(unsafe.Pointer(r)))
	return *r
}

// alloc reserves bytes, a multiple of 4 above 0.
func (h *heap) alloc(bytes uint64) (region, error) {
	d := h.device
	buffer, err := d.newBuffer(bytes)
	if err != nil {
		return region{}, err
	}
	r, err := h.suballocate(d.requirements(buffer))
	r.buffer = buffer
	if err == nil {
		err = check("bind memory", dl.Call(d.vk.BindBufferMemory, d.handle, uintptr(buffer), uintptr(r.block.memory), uintptr(r.span.offset)))
	}
	if err != nil {
		h.release(r)
		return region{}, err
	}
	return r, nil
}

// suballocate reserves memory of a block for an object with these requirements.
func (h *heap) suballocate(requirements memoryRequirements) (region, error) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	block, part, err := h.find(requirements.size, requirements.alignment)
	return region{block: block, span: part}, err
}

// find takes a span out of the first block that has room, or of a new block.
func (h *heap) find(bytes, alignment uint64) (*block, span, error) {
	if bytes <= h.next/2 {
		for _, b := range h.blocks {
			if part, ok := b.take(bytes, alignment); ok && !b.alone {
				return b, part, nil
			}
		}
		b, err := h.grow(h.next)
		if err == nil {
			h.next = min(h.next*2, largestBlock)
			part, _ := b.take(bytes, alignment)
			return b, part, nil
		}
		if !errors.Is(err, driver.ErrOutOfMemory) {
			return nil, span{}, err
		}
	}
	b, err := h.reserve(bytes)
	return b, span{0, bytes}, err
}

// reserve allocates a block for one object; the mutex is held.
func (h *heap) reserve(bytes uint64) (*block, error) {
	b, err := h.grow(bytes)
	if err != nil {
		return nil, err
	}
	b.alone, b.free = true, nil
	return b, nil
}

// grow allocates a block.
func (h *heap) grow(bytes uint64) (*block, error) {
	d := h.device
	info := &memoryAllocateInfo{sType: typeMemoryAllocateInfo, size: bytes, typeIndex: h.typeIndex}
	b := &block{bytes: bytes, free: []span{{0, bytes}}}
	err := check(fmt.Sprintf("allocate %d bytes", bytes), dl.Call(d.vk.AllocateMemory, d.handle,
		uintptr(unsafe.Pointer(info)), 0, uintptr(unsafe.Pointer(&b.memory))))
	if err != nil {
		return nil, err
	}
	if h.mapped {
		err := check("map memory", dl.Call(d.vk.MapMemory, d.handle, uintptr(b.memory), 0,
			wholeSize, 0, uintptr(unsafe.Pointer(&b.address))))
		if err != nil {
			dl.Call(d.vk.FreeMemory, d.handle, uintptr(b.memory), 0)
			return nil, err
		}
	}
	h.blocks = append(h.blocks, b)
	return b, nil
}

// release gives a region back. Nothing in flight may use it.
func (h *heap) release(r region) {
	d := h.device
	if r.buffer != 0 {
		dl.Call(d.vk.DestroyBuffer, d.handle, uintptr(r.buffer), 0)
	}
	if r.block == nil {
		return
	}
	h.mutex.Lock()
	defer h.mutex.Unlock()
	if r.block.alone {
		h.blocks = slices.DeleteFunc(h.blocks, func(b *block) bool { return b == r.block })
		dl.Call(d.vk.FreeMemory, d.handle, uintptr(r.block.memory), 0)
		return
	}
	r.block.give(r.span)
}

// destroy frees all blocks.
func (h *heap) destroy() {
	for _, b := range h.blocks {
		dl.Call(h.device.vk.FreeMemory, h.device.handle, uintptr(b.memory), 0)
	}
	h.blocks = nil
}

// take removes an aligned span from the first unused part that holds it.
func (b *block) take(bytes, alignment uint64) (span, bool) {
	for i, f := range b.free {
		start := (f.offset + alignment - 1) / alignment * alignment
		if start+bytes > f.offset+f.bytes {
			continue
		}
		before := span{f.offset, start - f.offset}
		after := span{start + bytes, f.offset + f.bytes - start - bytes}
		var rest []span
		for _, s := range []span{before, after} {
			if s.bytes > 0 {
				rest = append(rest, s)
			}
		}
		b.free = slices.Replace(b.free, i, i+1, rest...)
		return span{start, bytes}, true
	}
	return span{}, false
}

// give returns a span, joining it with its neighbours.
func (b *block) give(s span) {
	i, _ := slices.BinarySearchFunc(b.free, s.offset, func(f span, offset uint64) int {
		if f.offset < offset {
			return -1
		}
		return 1
	})
	b.free = slices.Insert(b.free, i, s)
	if i+1 < len(b.free) && s.offset+s.bytes == b.free[i+1].offset {
		b.free[i].bytes += b.free[i+1].bytes
		b.free = slices.Delete(b.free, i+1, i+2)
	}
	if i > 0 && b.free[i-1].offset+b.free[i-1].bytes == b.free[i].offset {
		b.free[i-1].bytes += b.free[i].bytes
		b.free = slices.Delete(b.free, i, i+1)
	}
}

// references counts who needs an object: its owner and the batches that use it.
// The last to let go destroys it.
type references struct{ count atomic.Int64 }

// acquire adds a reference unless the object is gone.
func (r *references) acquire() bool {
	for {
		n := r.count.Load()
		if n == 0 {
			return false
		}
		if r.count.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

// release drops a reference and reports whether it was the last.
func (r *references) release() bool { return r.count.Add(-1) == 0 }

// owner is what has a resource.
type owner interface {
	object
	// dispose gives back all that the device holds for it; the device's mutex is
	// held.
	dispose()
}

// resource is the part of memory, textures and samplers by which batches hold
// them and order what touches them.
type resource struct {
	references
	device *device
	what   string // for errors
	owner  owner
	freed  atomic.Bool
}

func (r *resource) init(d *device, what string, o owner) {
	r.device, r.what, r.owner = d, what, o
	r.count.Store(1)
}

// free ends the owner's use.
func (r *resource) free() error {
	if r.freed.Swap(true) {
		return nil
	}
	d := r.device
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if d.closed {
		return nil
	}
	r.drop()
	if d.lost() != nil {
		return nil
	}
	return d.reapLocked()
}

// drop gives up a reference; the device's mutex is held.
func (r *resource) drop() {
	if r.release() {
		delete(r.device.objects, r.owner)
		r.owner.dispose()
	}
}

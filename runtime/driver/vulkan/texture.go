// Textures: images in device memory, the views through which kernels see them,
// and samplers.
//
// An image is in the general layout all its life, so that textures need no more
// tracking than buffers: one memory barrier orders both.

package vulkan

import (
	"fmt"
	"sync"
	"unsafe"

	"github.com/gpuc/gpuc/ir/texture"
	"github.com/gpuc/gpuc/runtime/dl"
	"github.com/gpuc/gpuc/runtime/driver"
)

// image is a texture.
type image struct {
	resource
	description texture.Description
	handle      handle
	heap        *heap
	region      region
	usage       uint32

	mutex sync.Mutex
	views []view // made so far
}

// view is a VkImageView and what it shows.
type view struct {
	key    viewKey
	handle handle
}

type viewKey struct{ dimension, firstLevel, levelCount uint32 }

// NewTexture makes an image and has it filled with zeros before any work that is
// submitted later.
func (d *device) NewTexture(t *texture.Description) (driver.Texture, error) {
	m, err := d.newImage(t)
	if err != nil {
		return nil, d.note(fmt.Errorf("vulkan: make a texture: %w", err))
	}
	return m, nil
}

func (d *device) newImage(t *texture.Description) (*image, error) {
	if err := d.lost(); err != nil {
		return nil, err
	}
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if d.closed {
		return nil, d.closedError()
	}
	info, err := d.imageInfo(t)
	if err != nil {
		return nil, err
	}
	if err := d.reapLocked(); err != nil {
		return nil, err
	}
	m := &image{description: *t, usage: info.usage}
	m.resource.init(d, "texture", m)
	if err := m.create(info); err != nil {
		m.dispose()
		return nil, err
	}
	if d.fills == nil {
		if d.fills, err = d.takeBatch(oneSubmit); err != nil {
			m.dispose()
			return nil, err
		}
	}
	m.clear(d.fills)
	m.acquire()
	d.fills.uses[&m.resource] = use{}
	d.objects[m] = struct{}{}
	if d.fills.count++; d.fills.count >= commandsPerBatch {
		if err := d.runFills(); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// create makes the VkImage with its memory; the device's mutex is held.
func (m *image) create(info *imageCreateInfo) error {
	d := m.device
	err := check("create an image", dl.Call(d.vk.CreateImage, d.handle,
		uintptr(unsafe.Pointer(info)), 0, uintptr(unsafe.Pointer(&m.handle))))
	if err != nil {
		return err
	}
	r := new(memoryRequirements)
	dl.Call(d.vk.GetImageRequirements, d.handle, uintptr(m.handle), uintptr(unsafe.Pointer(r)))
	if r.size > d.maxAllocation {
		return fmt.Errorf("%w: %d bytes, and one allocation has at most %d", driver.ErrOutOfMemory, r.size, d.maxAllocation)
	}
	if m.heap, err = d.imageHeap(r.types); err != nil {
		return err
	}
	if m.region, err = m.heap.suballocate(*r); err != nil {
		return err
	}
	return check("bind memory", dl.Call(d.vk.BindImageMemory, d.handle, uintptr(m.handle),
		uintptr(m.region.block.memory), uintptr(m.region.span.offset)))
}

// imageHeap returns the heap for images that may live in the given memory types.
// Images have their own heaps, because what may lie next to a buffer in one
// block differs by device (bufferImageGranularity).
func (d *device) imageHeap(types uint32) (*heap, error) {
	for _, wanted := range []uint32{memoryDeviceLocal, 0} {
		for i := range d.memory.typeCount {
			if types&(1<<i) == 0 || d.memory.types[i].flags&wanted != wanted {
				continue
			}
			if d.images[i] == nil {
				d.images[i] = &heap{device: d, typeIndex: i, next: firstBlock}
			}
			return d.images[i], nil
		}
	}
	return nil, fmt.Errorf("%w: no memory type for images", driver.ErrUnsupported)
}

// all is the part of an image that is the whole of it.
func (m *image) all() subresourceRange {
	return subresourceRange{aspect: aspectOf(m.description.Format), levelCount: m.description.Levels, layerCount: m.description.Layers}
}

// zeros is a clear value of any kind (VkClearColorValue, VkClearDepthStencilValue).
var zeros [4]uint32

// clear records the image's only change of layout and its zeros. The barrier
// that opens the next batch makes them visible.
func (m *image) clear(b *batch) {
	d := m.device
	barrier := &imageMemoryBarrier{
		sType: typeImageMemoryBarrier, target: accessTransferWrite, oldLayout: layoutUndefined, newLayout: layoutGeneral,
		sourceFamily: queueFamilyIgnored, targetFamily: queueFamilyIgnored, image: m.handle, part: m.all(),
	}
	dl.Call10(d.vk.CmdPipelineBarrier, b.commands, pipelineStageTop, pipelineStageTransfer, 0,
		0, 0, 0, 0, 1, uintptr(unsafe.Pointer(barrier)))
	function := d.vk.CmdClearColourImage
	if m.description.Format.Info().Depth {
		function = d.vk.CmdClearDepthImage
	}
	dl.Call(function, b.commands, uintptr(m.handle), layoutGeneral, uintptr(unsafe.Pointer(&zeros)),
		1, uintptr(unsafe.Pointer(&barrier.part)))
}

// view returns the view that shows levels of the image in a dimension, which
// lives as long as the image.
func (m *image) view(dimension, first, count uint32) (handle, error) {
	key := viewKey{dimension, first, count}
	m.mutex.Lock()
	defer m.mutex.Unlock()
	for i := range m.views {
		if m.views[i].key == key {
			return m.views[i].handle, nil
		}
	}
	part := m.all()
	part.firstLevel, part.levelCount = first, count
	info := &imageViewCreateInfo{
		sType: typeImageViewCreateInfo, image: m.handle, dimension: dimension,
		format: formats[m.description.Format], part: part,
	}
	v := view{key: key}
	err := check("create an image view", dl.Call(m.device.vk.CreateImageView, m.device.handle,
		uintptr(unsafe.Pointer(info)), 0, uintptr(unsafe.Pointer(&v.handle))))
	if err != nil {
		return 0, err
	}
	m.views = append(m.views, v)
	return v.handle, nil
}

// Description says what the texture is made of. It must not be changed.
func (m *image) Description() *texture.Description { return &m.description }

// Free lets the image go once the work that uses it has finished.
func (m *image) Free() error { return m.free() }

// dispose implements owner.
func (m *image) dispose() {
	m.destroy()
	if m.region.block != nil {
		m.heap.release(m.region)
	}
}

// destroy implements object: the blocks are freed whole.
func (m *image) destroy() {
	d := m.device
	for _, v := range m.views {
		dl.Call(d.vk.DestroyImageView, d.handle, uintptr(v.handle), 0)
	}
	if m.handle != 0 {
		dl.Call(d.vk.DestroyImage, d.handle, uintptr(m.handle), 0)
	}
}

// sampler is a VkSampler.
type sampler struct {
	resource
	handle handle
}

// NewSampler makes a sampler.
func (d *device) NewSampler(s *texture.Sampler) (driver.Sampler, error) {
	if err := d.lost(); err != nil {
		return nil, err
	}
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if d.closed {
		return nil, d.closedError()
	}
	info := &samplerCreateInfo{
		sType: typeSamplerCreateInfo,
		// VkFilter and VkSamplerMipmapMode have texture.Filter's numbers
		magnify:      uint32(s.Magnify),
		minify:       uint32(s.Minify),
		mipmap:       uint32(s.Mipmap),
		lowestLevel:  s.LowestLevel,
		highestLevel: s.HighestLevel,
	}
	for i, mode := range s.Address {
		info.address[i] = addressModes[mode]
	}
	if s.Compare != texture.NoCompare {
		// VkCompareOp has the same order
		info.compares, info.compare = 1, uint32(s.Compare-texture.Never)
	}
	made := new(sampler)
	made.resource.init(d, "sampler", made)
	err := check("create a sampler", dl.Call(d.vk.CreateSampler, d.handle,
		uintptr(unsafe.Pointer(info)), 0, uintptr(unsafe.Pointer(&made.handle))))
	if err != nil {
		return nil, d.note(err)
	}
	d.objects[made] = struct{}{}
	return made, nil
}

// Free lets the sampler go once the work that uses it has finished.
func (s *sampler) Free() error { return s.free() }

// dispose implements owner.
func (s *sampler) dispose() { s.destroy() }

// destroy implements object.
func (s *sampler) destroy() {
	dl.Call(s.device.vk.DestroySampler, s.device.handle, uintptr(s.handle), 0)
}

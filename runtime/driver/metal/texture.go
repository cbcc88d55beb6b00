package metal

import (
	"context"
	"fmt"
	"runtime"
	"unsafe"

	"github.com/gpuc/gpuc/ir/texture"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/dl"
	"github.com/gpuc/gpuc/runtime/driver"
)

// This file has textures and samplers. Texels lie in the device's own memory
// (MTLStorageModePrivate), which all devices have for all formats, and are copied by the device
// from and to buffers.

// formats are the values of MTLPixelFormat.
var formats = [texture.Formats]uintptr{
	texture.R8Unorm: 10, texture.R8Snorm: 12, texture.R8Uint: 13, texture.R8Sint: 14,
	texture.R16Unorm: 20, texture.R16Snorm: 22, texture.R16Uint: 23, texture.R16Sint: 24, texture.R16Float: 25,
	texture.RG8Unorm: 30, texture.RG8Snorm: 32, texture.RG8Uint: 33, texture.RG8Sint: 34,
	texture.R32Uint: 53, texture.R32Sint: 54, texture.R32Float: 55,
	texture.RG16Unorm: 60, texture.RG16Snorm: 62, texture.RG16Uint: 63, texture.RG16Sint: 64, texture.RG16Float: 65,
	texture.RGBA8Unorm: 70, texture.RGBA8UnormSRGB: 71, texture.RGBA8Snorm: 72, texture.RGBA8Uint: 73, texture.RGBA8Sint: 74,
	texture.BGRA8Unorm: 80, texture.BGRA8UnormSRGB: 81,
	texture.RGB10A2Unorm: 90, texture.RGB10A2Uint: 91, texture.RG11B10Ufloat: 92, texture.RGB9E5Ufloat: 93,
	texture.RG32Uint: 103, texture.RG32Sint: 104, texture.RG32Float: 105,
	texture.RGBA16Unorm: 110, texture.RGBA16Snorm: 112, texture.RGBA16Uint: 113, texture.RGBA16Sint: 114, texture.RGBA16Float: 115,
	texture.RGBA32Uint: 123, texture.RGBA32Sint: 124, texture.RGBA32Float: 125,
	texture.Depth16Unorm: 250, texture.Depth32Float: 252,
}

// textureTypes are the values of MTLTextureType, by dimension and whether there are layers.
var textureTypes = [...][2]uintptr{texture.D1: {0, 1}, texture.D2: {2, 3}, texture.D3: {7, 7}, texture.Cube: {5, 6}}

const (
	storageModePrivate = 2
	usageShaderRead    = 1
	usageShaderWrite   = 2
)

// The words of samplers (MTLSamplerAddressMode, MTLSamplerMinMagFilter, MTLSamplerMipFilter,
// MTLCompareFunction).
var (
	addressModes = [texture.AddressModes]uintptr{texture.ClampToEdge: 0, texture.Repeat: 2, texture.MirrorRepeat: 3}
	filters      = [texture.Filters]uintptr{texture.Nearest: 0, texture.Linear: 1}
	mipFilters   = [texture.Filters]uintptr{texture.Nearest: 1, texture.Linear: 2}
	comparisons  = [texture.Compares]uintptr{texture.Never: 0, texture.Less: 1, texture.Equal: 2, texture.LessEqual: 3,
		texture.Greater: 4, texture.NotEqual: 5, texture.GreaterEqual: 6, texture.Always: 7}
)

// image is an MTLTexture, with the views of it that launches have asked for.
type image struct {
	object
	description texture.Description
	kind        uintptr // MTLTextureType
	views       []view  // guarded by the device's mutex
}

// view is an MTLTexture of some levels of another, as another type.
type view struct {
	kind         uintptr
	first, count uint32
	own          *object
}

// NewTexture makes an image of zeros.
func (d *device) NewTexture(t *texture.Description) (driver.Texture, error) {
	if t.Samples > 1 {
		return nil, fmt.Errorf("metal: %w: the driver has no multisampled textures", driver.ErrUnsupported)
	}
	i := &image{description: *t, kind: textureTypes[t.Dimension][0]}
	if t.Layers > 1 {
		i.kind = textureTypes[t.Dimension][1]
	}
	usage := uintptr(usageShaderRead)
	if t.Format < texture.StorageFormats {
		usage |= usageShaderWrite
	}
	m := d.m
	p := m.enter()
	defer p.leave()
	o := m.send(m.textureDescriptor, m.s.New)
	defer m.release(o)
	for _, property := range [...]struct{ selector, value uintptr }{
		{m.s.SetTextureType, i.kind}, {m.s.SetPixelFormat, formats[t.Format]},
		{m.s.SetWidth, uintptr(t.Width)}, {m.s.SetHeight, uintptr(t.Height)}, {m.s.SetDepth, uintptr(t.Depth)},
		{m.s.SetArrayLength, uintptr(t.Layers)}, {m.s.SetMipmapLevelCount, uintptr(t.Levels)},
		{m.s.SetStorageMode, storageModePrivate}, {m.s.SetUsage, usage},
	} {
		m.send(o, property.selector, property.value)
	}
	handle := m.send(d.candidate.device, m.s.NewTexture, o)
	if handle == 0 {
		return nil, fmt.Errorf("metal: %w: a texture of %d bytes", driver.ErrOutOfMemory, t.Bytes())
	}
	if err := d.register(&i.object, handle); err != nil {
		return nil, err
	}
	if err := d.zero(i); err != nil {
		i.Free()
		return nil, err
	}
	return i, nil
}

// zero fills a new image.
func (d *device) zero(i *image) error {
	s, err := d.NewStream()
	if err != nil {
		return err
	}
	defer s.Close()
	zeros := make([]byte, i.description.LevelBytes(0))
	for level := range i.description.Levels {
		if err := s.WriteTexture(i, level, zeros[:i.description.LevelBytes(level)]); err != nil {
			return err
		}
	}
	return s.Wait(context.Background())
}

// Description is what the image was made of.
func (i *image) Description() *texture.Description { return &i.description }

// Free releases the image and its views; work that uses them retains them.
func (i *image) Free() error {
	i.device.mutex.Lock()
	views := i.views
	i.views = nil
	i.device.mutex.Unlock()
	for _, v := range views {
		v.own.free()
	}
	return i.free()
}

// see returns the MTLTexture for a variable of a kernel: the image itself, or a view. A pool must
// be there.
func (i *image) see(h *driver.Handle, expected *abi.Texture) (uintptr, error) {
	shape := expected.Shape.Info()
	kind := textureTypes[shape.Dimension][0]
	if shape.Arrayed {
		kind = textureTypes[shape.Dimension][1]
	}
	first, count := h.Span(expected)
	if kind == i.kind && first == 0 && count == i.description.Levels {
		return i.handle, nil
	}
	d := i.device
	d.mutex.Lock()
	for _, v := range i.views {
		if v.kind == kind && v.first == first && v.count == count {
			d.mutex.Unlock()
			return v.own.handle, nil
		}
	}
	d.mutex.Unlock()
	// Ranges are two words, in registers as far as there are any, and on the stack after.
	handle := dl.Call8(d.m.c.MsgSend, i.handle, d.m.s.NewTextureView, formats[i.description.Format], kind,
		uintptr(first), uintptr(count), 0, uintptr(i.description.Layers))
	if handle == 0 {
		return 0, fmt.Errorf("metal: %w: a view of a texture", driver.ErrOutOfMemory)
	}
	own := new(object)
	if err := d.register(own, handle); err != nil {
		return 0, err
	}
	d.mutex.Lock()
	defer d.mutex.Unlock()
	i.views = append(i.views, view{kind, first, count, own})
	return handle, nil
}

// sampler is an MTLSamplerState.
type sampler struct{ object }

// NewSampler makes a sampler.
func (d *device) NewSampler(t *texture.Sampler) (driver.Sampler, error) {
	m := d.m
	p := m.enter()
	defer p.leave()
	o := m.send(m.samplerDescriptor, m.s.New)
	defer m.release(o)
	for _, property := range [...]struct{ selector, value uintptr }{
		{m.s.SetSAddressMode, addressModes[t.Address[0]]}, {m.s.SetTAddressMode, addressModes[t.Address[1]]},
		{m.s.SetRAddressMode, addressModes[t.Address[2]]}, {m.s.SetMagFilter, filters[t.Magnify]},
		{m.s.SetMinFilter, filters[t.Minify]}, {m.s.SetMipFilter, mipFilters[t.Mipmap]},
	} {
		m.send(o, property.selector, property.value)
	}
	if t.Compare != texture.NoCompare {
		m.send(o, m.s.SetCompareFunction, comparisons[t.Compare])
	}
	dl.CallWithFloat(m.c.MsgSend, o, m.s.SetLodMinClamp, t.LowestLevel)
	dl.CallWithFloat(m.c.MsgSend, o, m.s.SetLodMaxClamp, t.HighestLevel)
	handle := m.send(d.candidate.device, m.s.NewSampler, o)
	if handle == 0 {
		return nil, fmt.Errorf("metal: %w: a sampler", driver.ErrOutOfMemory)
	}
	s := new(sampler)
	if err := d.register(&s.object, handle); err != nil {
		return nil, err
	}
	return s, nil
}

// Free releases the sampler; work that uses it retains it.
func (s *sampler) Free() error { return s.free() }

// checkHandle tells whether a handle can be bound where a kernel expects one.
func (s *stream) checkHandle(h *driver.Handle, expected *abi.Handle) error {
	if err := h.Fits(expected); err != nil {
		return err
	}
	if expected.Texture != nil {
		return s.checkTexture(h.Texture)
	}
	t, ok := h.Sampler.(*sampler)
	switch {
	case !ok || t.device != s.device:
		return fmt.Errorf("%w: the sampler belongs to another device", driver.ErrUnsupported)
	case t.freed.Load():
		return fmt.Errorf("sampler: %w", driver.ErrClosed)
	}
	return nil
}

func (s *stream) checkTexture(t driver.Texture) error {
	i, ok := t.(*image)
	switch {
	case !ok || i.device != s.device:
		return fmt.Errorf("%w: the texture belongs to another device", driver.ErrUnsupported)
	case i.freed.Load():
		return fmt.Errorf("texture: %w", driver.ErrClosed)
	}
	return nil
}

// encodeHandles binds textures and samplers, each numbered in the order of the description's
// handles.
func (s *stream) encodeHandles(k *kernel, l *driver.Launch) error {
	m, c := s.device.m, s.device.m.c.MsgSend
	textures, samplers := uintptr(0), uintptr(0)
	for n := range k.handles {
		h := &l.Handles[n]
		if expected := k.handles[n].Texture; expected != nil {
			handle, err := h.Texture.(*image).see(h, expected)
			if err != nil {
				return err
			}
			dl.Call4(c, s.encoder, m.s.SetTexture, handle, textures)
			textures++
		} else {
			dl.Call4(c, s.encoder, m.s.SetSamplerState, h.Sampler.(*sampler).handle, samplers)
			samplers++
		}
	}
	return nil
}

// WriteTexture copies host bytes to a level through a staging buffer.
func (s *stream) WriteTexture(dst driver.Texture, level uint32, src []byte) error {
	return s.withLevel("write", dst, level, src, true)
}

// ReadTexture waits for the work so far and copies what it left in a level.
func (s *stream) ReadTexture(dst []byte, src driver.Texture, level uint32) error {
	return s.withLevel("read", src, level, dst, false)
}

func (s *stream) withLevel(what string, t driver.Texture, level uint32, data []byte, write bool) error {
	err := s.checkTexture(t)
	if err == nil {
		err = driver.CheckLevel(t.Description(), level, len(data))
	}
	if err != nil {
		return fmt.Errorf("metal: %s a texture: %w", what, err)
	}
	if err := s.begin(); err != nil {
		return err
	}
	defer s.mutex.Unlock()
	m := s.device.m
	p := m.enter()
	defer p.leave()
	staging := m.send(s.device.candidate.device, m.s.NewBufferWithLength, uintptr(len(data)), resourceOptions)
	if staging == 0 {
		return fmt.Errorf("metal: %s a texture: %w", what, driver.ErrOutOfMemory)
	}
	defer m.release(staging) // the command buffer retains it
	contents := dl.Bytes(m.send(staging, m.s.Contents), len(data))
	if write {
		driver.Copy(contents, data)
	}
	if err := s.open(copying); err != nil {
		return err
	}
	i := t.(*image)
	d := &i.description
	c := levelCopy{image: i.handle, buffer: staging, level: uintptr(level), row: uintptr(d.Format.Bytes())}
	width, height, depth := d.LevelSize(level)
	c.extent = [3]uintptr{uintptr(width), uintptr(height), uintptr(depth)}
	c.row *= c.extent[0]
	c.slice = c.row * c.extent[1]
	for layer := range uintptr(d.Layers) {
		c.layer, c.offset = layer, layer*c.slice*c.extent[2]
		m.copyLevel(s.encoder, &c, write)
	}
	s.counted()
	if write {
		return nil
	}
	if err := s.finish(context.Background()); err != nil {
		return err
	}
	driver.Copy(data, contents)
	return nil
}

// levelCopy is what is copied between a layer of a level and a buffer. Sizes are in texels, the
// rest in bytes.
type levelCopy struct {
	image, buffer, level, layer, offset, row, slice uintptr

	extent, origin [3]uintptr // MTLSize and MTLOrigin
}

// copyLevel sends the message to copy to a texture or from one; see dispatch for how structures are
// passed. On amd64 what follows the sixth integer, and all structures, lie on the stack in the
// order of the arguments.
func (m *objects) copyLevel(encoder uintptr, c *levelCopy, write bool) {
	f, x := m.c.MsgSend, &c.extent
	switch {
	case runtime.GOARCH == "arm64" && write:
		dl.Call(f, encoder, m.s.CopyToTexture, c.buffer, c.offset, c.row, c.slice, uintptr(unsafe.Pointer(x)),
			c.image, c.layer, c.level, uintptr(unsafe.Pointer(&c.origin)))
	case runtime.GOARCH == "arm64":
		dl.Call(f, encoder, m.s.CopyFromTexture, c.image, c.layer, c.level, uintptr(unsafe.Pointer(&c.origin)),
			uintptr(unsafe.Pointer(x)), c.buffer, c.offset, c.row, c.slice)
	case write:
		dl.Call(f, encoder, m.s.CopyToTexture, c.buffer, c.offset, c.row, c.slice, x[0], x[1], x[2], c.image, c.layer, c.level, 0, 0, 0)
	default:
		dl.Call(f, encoder, m.s.CopyFromTexture, c.image, c.layer, c.level, c.buffer, 0, 0, 0, x[0], x[1], x[2], c.offset, c.row, c.slice)
	}
}

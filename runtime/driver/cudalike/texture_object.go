// Texture objects and surface objects: what a kernel's parameters hold for textures and samplers.
// They are made where a launch first needs them, and live as long as their texture.

package cudalike

import (
	"fmt"
	"unsafe"

	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/ir/texture"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/dl"
	"github.com/gpuc/gpuc/runtime/driver"
)

// resourceDescription is CUDA_RESOURCE_DESC.
type resourceDescription struct {
	kind     uint32 // CUresourcetype
	_        uint32
	array    uintptr // the first member of a union
	reserved [30]uint32
	flags    uint32
	_        uint32
}

// Kinds of resources.
const (
	resourceArray     = 0
	resourceMipmapped = 1
)

// samplerDescription is CUDA_TEXTURE_DESC.
type samplerDescription struct {
	address                   [3]uint32
	filter                    uint32
	flags                     uint32
	anisotropy                uint32
	mipmap                    uint32
	bias                      float32
	lowestLevel, highestLevel float32
	border                    [4]float32
	reserved                  [12]uint32
}

// Flags of texture objects.
const (
	readAsInteger         = 0x01
	normalizedCoordinates = 0x02
	readAsSRGB            = 0x10
	// CU_TRSF_SEAMLESS_CUBEMAP: filters go on across the edges of a cube's faces
	acrossFaces = 0x40
)

// viewDescription is CUDA_RESOURCE_VIEW_DESC.
type viewDescription struct {
	format                uint32 // CUresourceViewFormat
	_                     uint32
	width, height, depth  uintptr
	firstLevel, lastLevel uint32
	firstLayer, lastLayer uint32
	reserved              [16]uint32
}

// addressModes are CUaddress_mode.
var addressModes = [texture.AddressModes]uint32{texture.ClampToEdge: 1, texture.Repeat: 0, texture.MirrorRepeat: 2}

// objectKind is what an object is for.
type objectKind uint8

const (
	texelObject   objectKind = iota // a texture whose texels are read
	sampledObject                   // a texture with a sampler
	surfaceObject
)

// objectKey is what an object is made of.
type objectKey struct {
	kind         objectKind
	cube         bool
	level, count uint32          // what it shows
	sampler      texture.Sampler // whose filters are one, without a comparison
}

// bound is an object.
type bound struct {
	key    objectKey
	handle uint64
}

// viewFormats are the formats of views (CUresourceViewFormat) that do not convert texels, by the
// array's format, for one channel. Those for two and four channels follow.
var viewFormats = [...]uint32{1: 0x01, 8: 0x04, 2: 0x07, 9: 0x0a, 3: 0x0d, 10: 0x10, 0x10: 0x13, 0x20: 0x16}

func viewFormat(held texture.Format) uint32 {
	return viewFormats[arrayFormat(held)] + uint32(held.Info().Channels/2)
}

// object returns an object of the image, which it makes if there is none yet; m.mutex is held.
func (m *image) object(key *objectKey) (uint64, error) {
	for i := range m.objects {
		if m.objects[i].key == *key {
			return m.objects[i].handle, nil
		}
	}
	d := m.device
	if err := d.enter(); err != nil {
		return 0, err
	}
	defer d.leave()
	handle, err := m.newObject(key)
	if err == nil {
		m.objects = append(m.objects, bound{*key, handle})
	}
	return handle, err
}

func (m *image) newObject(key *objectKey) (handle uint64, err error) {
	c, a := m.device.c, &m.layered
	if key.cube {
		a = &m.cube
	}
	resource := &resourceDescription{kind: resourceMipmapped, array: a.handle}
	if key.count == 1 {
		resource.kind, resource.array = resourceArray, a.levels[key.level]
	}
	if key.kind == surfaceObject {
		err := m.device.check("create a surface object", dl.Call(c.SurfaceCreate, uintptr(unsafe.Pointer(&handle)), uintptr(unsafe.Pointer(resource))))
		return handle, err
	}
	var view *viewDescription
	if t := &m.description; key.count != 1 && (key.level != 0 || key.count != t.Levels) {
		view = &viewDescription{format: viewFormat(m.held), width: uintptr(t.Width), firstLevel: key.level, lastLevel: key.level + key.count - 1}
		switch t.Dimension {
		case texture.D1, texture.D2:
			view.height, view.depth, view.lastLayer = uintptr(t.Height), uintptr(t.Layers), t.Layers-1
		case texture.D3:
			view.height, view.depth = uintptr(t.Height), uintptr(t.Depth)
		}
	}
	how := &samplerDescription{flags: normalizedCoordinates, filter: uint32(key.sampler.Magnify), mipmap: uint32(key.sampler.Mipmap),
		lowestLevel: key.sampler.LowestLevel, highestLevel: key.sampler.HighestLevel}
	for n, mode := range key.sampler.Address {
		how.address[n] = addressModes[mode]
	}
	info := m.held.Info()
	if info.Channel != scalar.F32 { // integers are not filtered
		how.flags |= readAsInteger
		how.filter, how.mipmap = 0, 0
	}
	if key.cube {
		how.flags |= acrossFaces
	}
	if info.Encoding == texture.SRGB {
		how.flags |= readAsSRGB
	}
	err = m.device.check("create a texture object", dl.Call(c.TextureCreate, uintptr(unsafe.Pointer(&handle)),
		uintptr(unsafe.Pointer(resource)), uintptr(unsafe.Pointer(how)), uintptr(unsafe.Pointer(view))))
	return handle, err
}

// seen is what a kernel sees of a texture.
type seen struct {
	m            *image
	shape        texture.Shape
	level, count uint32
}

func (k *kernel) seen(l *driver.Launch, n int) seen {
	expected := k.handles[n].Texture
	level, count := l.Handles[n].Span(expected)
	return seen{l.Handles[n].Texture.(*image), expected.Shape, level, count}
}

// number returns a number of a texture that a parameter holds.
func (v *seen) number(kind abi.ParameterKind) uint32 {
	t := &v.m.description
	width, height, depth := t.LevelSize(v.level)
	switch kind {
	case abi.WidthParameter:
		return width
	case abi.HeightParameter:
		return height
	case abi.DepthParameter:
		return depth
	case abi.LayersParameter:
		if v.shape.Info().Dimension == texture.Cube {
			return t.Layers / 6
		}
		return t.Layers
	case abi.LevelsParameter:
		return v.count
	case abi.SamplesParameter:
		return t.Samples
	}
	return uint32(t.Format.Info().Channels) // abi.ChannelsParameter
}

// key returns what the object is made of that a parameter holds; with is the sampler, if it has
// one.
func (v *seen) key(kind abi.ParameterKind, with *texture.Sampler) objectKey {
	key := objectKey{kind: sampledObject, cube: v.shape.Info().Dimension == texture.Cube, level: v.level, count: v.count}
	switch kind {
	case abi.SurfaceParameter:
		key.kind = surfaceObject
		return key
	case abi.TextureParameter:
		key.kind = texelObject
		return key
	case abi.GatheredParameter: // takes the four texels of a linear filter, whatever the filter
		if key.count = 1; with.Compare != texture.NoCompare {
			key.level += abi.Compared(with, v.m.description.Format, v.count).Level()
		}
		key.sampler.Address = with.Address
		return key
	}
	filter := abi.FilterOf(with, kind == abi.MinifiedParameter)
	key.sampler = *with
	key.sampler.Magnify, key.sampler.Minify, key.sampler.Compare = filter, filter, texture.NoCompare
	return key
}

// setTextures fills the arguments that are of textures, before which no parameter has several
// slots.
func (s *stream) setTextures(k *kernel, f *variant, l *driver.Launch) error {
	for i, p := range f.parameters {
		if p.Kind.OfBuffers() {
			continue
		}
		v := k.seen(l, p.Binding)
		var with *texture.Sampler
		if p.Kind.OfPairs() {
			with = &l.Handles[p.Sampler].Sampler.(*sampler).description
		}
		switch {
		case p.Kind == abi.ComparedParameter:
			s.arguments.slots[i] = uint64(abi.Compared(with, v.m.description.Format, v.count))
		case !p.Kind.OfObjects():
			s.arguments.slots[i] = uint64(v.number(p.Kind))
		default:
			handle, err := s.object(&v, p.Kind, with)
			if err != nil {
				return fmt.Errorf("%s: %w", k.handles[p.Binding].Name, err)
			}
			s.arguments.slots[i] = handle
		}
	}
	return nil
}

// changed notes which textures a launch that the stream was given writes.
func (s *stream) changed(k *kernel, l *driver.Launch) {
	for i := range k.handles {
		if t := k.handles[i].Texture; t != nil && t.Written() {
			l.Handles[i].Texture.(*image).changed(s)
		}
	}
}

// object returns the object for a parameter. One of a cube shows the texels as they are when the
// launch runs.
func (s *stream) object(v *seen, kind abi.ParameterKind, with *texture.Sampler) (uint64, error) {
	m := v.m
	key := v.key(kind, with)
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if key.cube && (m.cubeVersion != m.version || m.copier != s) {
		if err := s.begin(); err != nil {
			return 0, err
		}
		err := s.await(m.generation)
		if err == nil {
			err = m.asCube(s)
		}
		s.device.leave()
		if err != nil {
			return 0, err
		}
	}
	return m.object(&key)
}

// checkHandles compares the textures and samplers of a launch with those that the kernel expects.
func (s *stream) checkHandles(k *kernel, l *driver.Launch) error {
	for i := range l.Handles {
		h, expected := &l.Handles[i], &k.handles[i]
		if err := h.Fits(expected); err != nil {
			return err
		}
		if expected.Texture != nil {
			if _, err := s.imageOf(h.Texture); err != nil {
				return fmt.Errorf("%s: %w", expected.Name, err)
			}
			continue
		}
		switch with, ok := h.Sampler.(*sampler); {
		case !ok || with.device != s.device:
			return fmt.Errorf("%s: %w: the sampler belongs to another device", expected.Name, driver.ErrUnsupported)
		case with.freed.Load():
			return fmt.Errorf("%s: sampler: %w", expected.Name, driver.ErrClosed)
		}
	}
	return nil
}

// imageOf returns a texture of this device.
func (s *stream) imageOf(t driver.Texture) (*image, error) {
	m, ok := t.(*image)
	switch {
	case !ok || m.device != s.device:
		return nil, fmt.Errorf("%w: the texture belongs to another device", driver.ErrUnsupported)
	case m.freed.Load():
		return nil, fmt.Errorf("texture: %w", driver.ErrClosed)
	}
	return m, nil
}

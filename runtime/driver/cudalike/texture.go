// Textures: mipmapped arrays in device memory. Samplers are descriptions, which CUDA joins with a
// texture to one object (texture_object.go).
//
// All arrays of two dimensions have layers, as kernels expect (codegen/ptx/texture.go); those of
// one dimension are rows of such arrays. An array that is sampled as a cube is of another kind
// (Driver API, cuArray3DCreate: CUDA_ARRAY3D_CUBEMAP), and a texture does not know what it will be
// bound to. So a texture that is bound to a cube gets a second array of that kind. It is copied
// from the first on the device whenever it is bound after a change.

package cudalike

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/gpuc/gpuc/ir/texture"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/dl"
	"github.com/gpuc/gpuc/runtime/driver"
)

// arrayDescription is CUDA_ARRAY3D_DESCRIPTOR. Height and depth are 0 if there are fewer
// dimensions; the depth of a layered array is the number of layers.
type arrayDescription struct {
	width, height, depth uintptr
	format, channels     uint32
	flags                uint32
	_                    uint32
}

// Flags of arrays.
const (
	arrayLayered = 0x01
	arraySurface = 0x02
	arrayCube    = 0x04
)

// arrayFormats are CUarray_format by the bits and the encoding of a channel. The texture object
// decides whether integers are read as integers or as fractions.
var arrayFormats = [...]struct{ unsigned, signed, float uint32 }{
	8: {1, 8, 0}, 16: {2, 9, 0x10}, 32: {3, 10, 0x20},
}

// arrayFormat returns the CUarray_format of arrays with texels of a format.
func arrayFormat(held texture.Format) uint32 {
	info := held.Info()
	row := arrayFormats[info.Bits]
	switch info.Encoding {
	case texture.Float:
		return row.float
	case texture.Snorm, texture.Sint:
		return row.signed
	}
	return row.unsigned
}

// array is a CUmipmappedArray with its levels.
type array struct {
	handle uintptr
	levels []uintptr // CUarray
}

// image is a texture.
type image struct {
	device      *device
	description texture.Description
	held        texture.Format // in which arrays hold the texels
	layered     array
	generation  uint64 // of its zero-fill
	freed       atomic.Bool

	mutex   sync.Mutex
	version uint64  // counts what writes the texels
	writer  *stream // that was given the last of that
	objects []bound // made so far

	cube        array
	cubeVersion uint64 // of the texels in cube
	copied      uintptr
	copier      *stream // whose work the last copy was
}

// errNoTextures tells users of a driver without textures what to do.
func (d *device) errNoTextures() error {
	return fmt.Errorf("%w: the %s driver has no textures; open the device through Vulkan instead", driver.ErrUnsupported, d.c.api.Title)
}

// NewTexture makes an array and has it filled with zeros before any stream uses it.
func (d *device) NewTexture(t *texture.Description) (driver.Texture, error) {
	m, err := d.newImage(t)
	if err != nil {
		return nil, d.named(fmt.Errorf("make a texture: %w", err))
	}
	return m, nil
}

func (d *device) newImage(t *texture.Description) (*image, error) {
	if !d.c.hasTextures() {
		return nil, d.errNoTextures()
	}
	if t.Samples > 1 {
		return nil, fmt.Errorf("%w: CUDA has no function that makes a multisampled texture", driver.ErrUnsupported)
	}
	if err := d.unloadUnused(); err != nil {
		return nil, err
	}
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if d.closed {
		return nil, d.closedError()
	}
	if bytes := t.Bytes(); bytes > d.info.Memory {
		return nil, fmt.Errorf("%w: %d bytes, and the device has %d", driver.ErrOutOfMemory, bytes, d.info.Memory)
	}
	if err := d.enter(); err != nil {
		return nil, err
	}
	defer d.leave()
	m := &image{device: d, description: *t, held: abi.ArrayFormat(t.Format), version: 1}
	if err := m.make(&m.layered, false); err != nil {
		return nil, err
	}
	if err := m.clear(); err != nil {
		return nil, errors.Join(err, m.unload())
	}
	d.generation++
	m.generation = d.generation
	d.images[m] = struct{}{}
	return m, nil
}

// make makes an array for the texels. If there is no memory, what was freed is given back first;
// the device's mutex is held unless it is a cube's.
func (m *image) make(a *array, cube bool) error {
	d, t := m.device, &m.description
	description := &arrayDescription{width: uintptr(t.Width), format: arrayFormat(m.held), channels: uint32(m.held.Info().Channels), flags: arraySurface}
	switch t.Dimension {
	case texture.D1, texture.D2:
		description.height, description.depth = uintptr(t.Height), uintptr(t.Layers)
		description.flags |= arrayLayered
	case texture.D3:
		description.height, description.depth = uintptr(t.Height), uintptr(t.Depth)
	}
	if cube {
		description.flags |= arrayCube
	}
	code := dl.Call(d.c.MipmappedCreate, uintptr(unsafe.Pointer(&a.handle)), uintptr(unsafe.Pointer(description)), uintptr(t.Levels))
	if uint32(code) == codeOutOfMemory && !cube {
		if err := d.check("wait for the device", dl.Call(d.c.Synchronize)); err != nil {
			return err
		}
		d.unloadRetired()
		if d.pools {
			dl.Call(d.c.PoolTrim, d.pool, 0)
		}
		code = dl.Call(d.c.MipmappedCreate, uintptr(unsafe.Pointer(&a.handle)), uintptr(unsafe.Pointer(description)), uintptr(t.Levels))
	}
	if err := d.check("create an array", code); err != nil {
		return err
	}
	a.levels = make([]uintptr, t.Levels)
	for level := range a.levels {
		err := d.check("get a level", dl.Call(d.c.MipmappedLevel, uintptr(unsafe.Pointer(&a.levels[level])), a.handle, uintptr(level)))
		if err != nil {
			dl.Call(d.c.MipmappedDestroy, a.handle)
			*a = array{}
			return err
		}
	}
	return nil
}

// zeroBytes is how much memory a device has for filling arrays, for which there is no function, and
// more than a row of any texture.
const zeroBytes = 4 << 20

// clear has all levels filled by allocStream; the device's mutex is held.
func (m *image) clear() error {
	d := m.device
	if d.zeros == 0 {
		if err := d.check("allocate", dl.Call(d.c.Alloc, uintptr(unsafe.Pointer(&d.zeros)), zeroBytes)); err != nil {
			return err
		}
		if err := d.check("fill memory", dl.Call(d.c.Fill, d.zeros, 0, zeroBytes/4, d.allocStream)); err != nil {
			return err
		}
	}
	for level := range m.description.Levels {
		for pieces := m.pieces(level); ; {
			c, _ := pieces.next(zeroBytes)
			if c == nil {
				break
			}
			c.source = end{kind: memoryDevice, device: d.zeros, pitch: c.widthBytes, height: c.height}
			c.target.kind, c.target.array = memoryArray, m.layered.levels[level]
			if err := d.check("fill a texture", dl.Call2(d.c.Copy3D, uintptr(unsafe.Pointer(c)), d.allocStream)); err != nil {
				return err
			}
		}
	}
	return d.check("record an event", dl.Call2(d.c.EventRecord, d.filled, d.allocStream))
}

// Description says what the texture is made of. It must not be changed.
func (m *image) Description() *texture.Description { return &m.description }

// Free gives the arrays back once the work that all streams were given before has finished. It
// waits for none of it.
func (m *image) Free() error {
	if m.freed.Swap(true) {
		return nil
	}
	return m.device.retire(func() { delete(m.device.images, m) }, m.unload)
}

// unload gives the driver's objects back; no work uses them.
func (m *image) unload() error {
	c := m.device.c
	for _, o := range m.objects {
		destroy := c.TextureDestroy
		if o.key.kind == surfaceObject {
			destroy = c.SurfaceDestroy
		}
		dl.Call(destroy, uintptr(o.handle))
	}
	if m.copied != 0 {
		dl.Call(c.EventDestroy, m.copied)
	}
	var err error
	for _, a := range [...]*array{&m.layered, &m.cube} {
		if a.handle != 0 {
			if failure := m.device.check("free a texture", dl.Call(c.MipmappedDestroy, a.handle)); err == nil {
				err = failure
			}
		}
	}
	return err
}

// changed notes that a stream was given what writes the texels.
func (m *image) changed(s *stream) {
	m.mutex.Lock()
	m.version++
	m.writer = s
	m.mutex.Unlock()
}

// asCube orders a stream's next work after a copy of the texels as they are to the cube's array,
// which it makes and has copied where that is needed. Enter must have been called, and m.mutex is
// held. A copy that may come before the end of what another stream writes is the caller's mistake,
// but must not be taken for the texels for ever.
func (m *image) asCube(s *stream) error {
	d := m.device
	if m.cube.handle == 0 {
		if err := m.make(&m.cube, true); err != nil {
			return err
		}
		var err error
		if m.copied, err = d.newEvent(eventWithoutTiming); err != nil {
			return err
		}
	}
	if m.cubeVersion == m.version {
		if m.copier == s {
			return nil
		}
		return d.check("wait for an event", dl.Call3(d.c.StreamWait, s.handle, m.copied, 0))
	}
	final := m.writer == nil || m.writer == s || m.writer.idles()
	for level := range m.description.Levels {
		width, height, _ := m.description.LevelSize(level)
		c := &copy3D{widthBytes: uintptr(width) * uintptr(m.held.Bytes()), height: uintptr(height), depth: uintptr(m.description.Layers)}
		c.source.kind, c.source.array = memoryArray, m.layered.levels[level]
		c.target.kind, c.target.array = memoryArray, m.cube.levels[level]
		if err := d.check("copy a texture", dl.Call2(d.c.Copy3D, uintptr(unsafe.Pointer(c)), s.handle)); err != nil {
			return err
		}
	}
	m.cubeVersion, m.copier = 0, s
	if final {
		m.cubeVersion = m.version
	}
	return d.check("record an event", dl.Call2(d.c.EventRecord, m.copied, s.handle))
}

// idles reports whether the stream has nothing left to do, or is closed, after which it cannot be
// asked.
func (s *stream) idles() bool {
	d := s.device
	d.mutex.Lock() // which keeps the stream from being destroyed
	defer d.mutex.Unlock()
	return s.closed.Load() || uint32(dl.Call1(d.c.StreamQuery, s.handle)) == 0
}

// sampler is a sampler's description; objects are made of it where it is used.
type sampler struct {
	device      *device
	description texture.Sampler
	freed       atomic.Bool
}

// NewSampler makes a sampler.
func (d *device) NewSampler(s *texture.Sampler) (driver.Sampler, error) {
	if !d.c.hasTextures() {
		return nil, d.named(fmt.Errorf("make a sampler: %w", d.errNoTextures()))
	}
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if d.closed {
		return nil, d.closedError()
	}
	if err := d.lost(); err != nil {
		return nil, err
	}
	return &sampler{device: d, description: *s}, nil
}

// Free lets the sampler go; objects made of it are their textures'.
func (s *sampler) Free() error {
	s.freed.Store(true)
	return nil
}

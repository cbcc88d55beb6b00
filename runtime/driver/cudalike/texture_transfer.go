// Copies between host memory and levels of textures, through pinned chunks, in which the texels are
// converted to what arrays hold.

package cudalike

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"unsafe"

	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/ir/texture"
	"github.com/gpuc/gpuc/runtime/dl"
	"github.com/gpuc/gpuc/runtime/driver"
)

// copy3D is CUDA_MEMCPY3D, and end one side of it.
type copy3D struct {
	source, target            end
	widthBytes, height, depth uintptr
}

type end struct {
	xBytes, y, z, level uintptr
	kind                uint32 // CUmemorytype
	_                   uint32
	host                uintptr
	device              uintptr
	array               uintptr
	_                   uintptr
	pitch, height       uintptr
}

// Kinds of memory.
const (
	memoryHost   = 1
	memoryDevice = 2
	memoryArray  = 3
)

// pieces cuts the copy of a level into pieces that chunks hold: whole slices, or rows of one slice.
// A slice is a layer, or one of a texture of three dimensions.
type pieces struct {
	rowBytes       uintptr // as the array holds them
	height, slices uintptr
	slice, row     uintptr // where the next piece begins
}

func (m *image) pieces(level uint32) pieces {
	width, height, depth := m.description.LevelSize(level)
	return pieces{rowBytes: uintptr(width) * uintptr(m.held.Bytes()), height: uintptr(height), slices: uintptr(depth) * uintptr(m.description.Layers)}
}

// next returns the next piece, as a copy to an array that is not named yet, of at most room bytes,
// which hold a row, and how many it has. After the last there is none.
func (p *pieces) next(room uintptr) (*copy3D, uintptr) {
	if p.slice == p.slices {
		return nil, 0
	}
	rows, slices := p.height-p.row, uintptr(1)
	if sliceBytes := p.rowBytes * p.height; p.row == 0 && sliceBytes <= room {
		slices = min(p.slices-p.slice, room/sliceBytes)
	} else {
		rows = min(rows, room/p.rowBytes)
	}
	c := &copy3D{widthBytes: p.rowBytes, height: rows, depth: slices}
	c.target.y, c.target.z = p.row, p.slice
	if p.row += rows; p.row == p.height {
		p.row, p.slice = 0, p.slice+slices
	}
	return c, p.rowBytes * rows * slices
}

// inHost returns the end of a copy that lies in a chunk.
func (c *copy3D) inHost(chunk *chunk) end {
	return end{kind: memoryHost, host: chunk.address, pitch: c.widthBytes, height: c.height}
}

// WriteTexture converts host bytes in pinned chunks and enqueues the copies from there.
func (s *stream) WriteTexture(dst driver.Texture, level uint32, src []byte) error {
	m, err := s.checkLevel(dst, level, len(src))
	if err != nil {
		return s.device.named(fmt.Errorf("write a texture: %w", err))
	}
	if err := s.begin(); err != nil {
		return err
	}
	d := s.device
	defer d.leave()
	if err := s.await(m.generation); err != nil {
		return err
	}
	defer m.changed(s)
	convert := conversionOf(m.description.Format)
	for all := m.pieces(level); ; {
		c, bytes := all.next(chunkBytes)
		if c == nil {
			return nil
		}
		chunk, err := d.takeChunk()
		if err != nil {
			return err
		}
		n := int(bytes) / m.held.Bytes() * m.description.Format.Bytes()
		convert.hold(chunk.data[:bytes], src[:n])
		src = src[n:]
		c.source = c.inHost(chunk)
		c.target.kind, c.target.array = memoryArray, m.layered.levels[level]
		err = d.check("write a texture", dl.Call2(d.c.Copy3D, uintptr(unsafe.Pointer(c)), s.handle))
		if err == nil {
			err = d.check("record an event", dl.Call2(d.c.EventRecord, chunk.event, s.handle))
		}
		d.staging.chunks.put(chunk)
		if err != nil {
			return err
		}
	}
}

// ReadTexture copies a level to pinned chunks piece by piece, and converts it from there.
func (s *stream) ReadTexture(dst []byte, src driver.Texture, level uint32) error {
	m, err := s.checkLevel(src, level, len(dst))
	if err != nil {
		return s.device.named(fmt.Errorf("read a texture: %w", err))
	}
	if err := s.begin(); err != nil {
		return err
	}
	d := s.device
	defer d.leave()
	if err := s.await(m.generation); err != nil {
		return err
	}
	convert := conversionOf(m.description.Format)
	for all := m.pieces(level); ; {
		c, bytes := all.next(chunkBytes)
		if c == nil {
			return nil
		}
		chunk, err := d.takeChunk()
		if err != nil {
			return err
		}
		c.source, c.target = c.target, c.inHost(chunk)
		c.source.kind, c.source.array = memoryArray, m.layered.levels[level]
		err = d.check("read a texture", dl.Call2(d.c.Copy3D, uintptr(unsafe.Pointer(c)), s.handle))
		if err == nil {
			err = d.check("record an event", dl.Call2(d.c.EventRecord, chunk.event, s.handle))
		}
		if err == nil {
			err = d.wait(context.Background(), d.c.EventQuery, chunk.event, chunk.event, 0)
		}
		if err == nil {
			n := int(bytes) / m.held.Bytes() * m.description.Format.Bytes()
			convert.give(dst[:n], chunk.data[:bytes])
			dst = dst[n:]
		}
		d.staging.chunks.put(chunk)
		if err != nil {
			return err
		}
	}
}

// checkLevel tells whether a level can be copied from or to n host bytes.
func (s *stream) checkLevel(t driver.Texture, level uint32, n int) (*image, error) {
	if !s.device.c.hasTextures() {
		return nil, s.device.errNoTextures()
	}
	m, err := s.imageOf(t)
	if err != nil {
		return nil, err
	}
	if err := driver.CheckLevel(&m.description, level, n); err != nil {
		return nil, err
	}
	return m, nil
}

// conversion makes held texels of those of a format, and the reverse, which yields the same bits.
type conversion struct{ hold, give func(to, from []byte) }

// conversions are those of formats that are held in another way (abi.ArrayFormat).
var conversions = [texture.Formats]conversion{
	texture.BGRA8Unorm: {swapped, swapped}, texture.BGRA8UnormSRGB: {swapped, swapped},
	texture.RGB10A2Unorm: {
		func(to, from []byte) { recode(to, texture.RGBA32Float, from, texture.RGB10A2Unorm) },
		func(to, from []byte) { recode(to, texture.RGB10A2Unorm, from, texture.RGBA32Float) },
	},
	texture.RGB10A2Uint: {
		func(to, from []byte) { recode(to, texture.RGBA16Uint, from, texture.RGB10A2Uint) },
		func(to, from []byte) { recode(to, texture.RGB10A2Uint, from, texture.RGBA16Uint) },
	},
	texture.RG11B10Ufloat: {holdUnsignedFloats, giveUnsignedFloats},
	texture.RGB9E5Ufloat:  {holdSharedExponent, giveSharedExponent},
}

func conversionOf(f texture.Format) conversion {
	if c := conversions[f]; c.hold != nil {
		return c
	}
	return conversion{driver.Copy, driver.Copy}
}

// swapped exchanges red and blue.
func swapped(to, from []byte) {
	for i := 0; i < len(from); i += 4 {
		to[i], to[i+1], to[i+2], to[i+3] = from[i+2], from[i+1], from[i], from[i+3]
	}
}

// recode writes texels of a format in another one that has its values.
func recode(to []byte, as texture.Format, from []byte, is texture.Format) {
	for len(from) > 0 {
		as.Encode(to, is.Decode(from))
		to, from = to[as.Bytes():], from[is.Bytes():]
	}
}

// Unsigned floats of 11 and 10 bits are halves without their sign and last bits, NaNs included.

func holdUnsignedFloats(to, from []byte) {
	for ; len(from) > 0; to, from = to[8:], from[4:] {
		n := uint64(binary.LittleEndian.Uint32(from))
		binary.LittleEndian.PutUint64(to, n&0x7FF<<4|n>>11&0x7FF<<20|n>>22<<37)
	}
}

func giveUnsignedFloats(to, from []byte) {
	for ; len(to) > 0; to, from = to[4:], from[8:] {
		n := binary.LittleEndian.Uint64(from)
		binary.LittleEndian.PutUint32(to, uint32(n>>4&0x7FF|n>>20&0x7FF<<11|n>>37&0x3FF<<22))
	}
}

// Three fractions of 9 bits and an exponent are three halves. Since a number can be spelled in
// several ways, the exponent is kept in the fourth channel, which no kernel sees.

func holdSharedExponent(to, from []byte) {
	for ; len(from) > 0; to, from = to[8:], from[4:] {
		n := binary.LittleEndian.Uint32(from)
		exponent := n >> 27
		for c := range 3 {
			value := math.Ldexp(float64(n>>(9*c)&511), int(exponent)-sharedUnit)
			binary.LittleEndian.PutUint16(to[2*c:], scalar.HalfFromFloat64(value))
		}
		binary.LittleEndian.PutUint16(to[6:], uint16(exponent))
	}
}

func giveSharedExponent(to, from []byte) {
	for ; len(to) > 0; to, from = to[4:], from[8:] {
		exponent := uint32(binary.LittleEndian.Uint16(from[6:]))
		n := exponent << 27
		for c := range 3 {
			value := scalar.HalfToFloat64(binary.LittleEndian.Uint16(from[2*c:]))
			n |= uint32(math.Ldexp(value, sharedUnit-int(exponent))) << (9 * c)
		}
		binary.LittleEndian.PutUint32(to, n)
	}
}

// sharedUnit is the bias of the shared exponent and the bits of a fraction.
const sharedUnit = 15 + 9

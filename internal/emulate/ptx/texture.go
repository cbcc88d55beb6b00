package ptx

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"

	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/ir/texture"
	"github.com/gpuc/gpuc/runtime/abi"
)

// Instructions on textures and surfaces (PTX ISA, "Texture Instructions" and "Surface
// Instructions"). Images are those of package texture, in the formats of the device's arrays, and
// that package also computes the samples. So the emulator checks operands and results of the
// instructions, but not the sampling itself; tests compare that with independent references.
//
// The emulator is stricter than a device. Reads outside of an image are errors, and so are layers
// that do not exist. Channels that the format lacks are undefined. A surface is accessed one texel
// at a time. Races between accesses to surfaces are not detected.

// Texture is a texture or sampler that a launch binds.
type Texture struct {
	// Handle is a sampler, or an image in the format of the device's array (abi.ArrayFormat).
	Handle texture.Handle
	// Format is the format of the texture in the kernel.
	Format texture.Format
}

// object is a texture object or a surface object.
type object struct {
	handle   texture.Handle
	sampler  texture.Sampler
	format   texture.Format // of the texture
	surface  bool
	sampled  bool // whether it has a sampler
	gathered bool // whether it is a single level, for gathers
	name     string
}

// objectMark is the high bits of handles.
const objectMark = 0x7EC5 << 48

// geometries are the geometries in names of instructions: the shape of images, the number of
// coordinates, and whether a layer or sample index comes before them.
var geometries = map[string]struct {
	shape       texture.Shape
	coordinates int
	first       bool
}{
	"a2d": {texture.Sampled2DArray, 2, true}, "3d": {texture.Sampled3D, 3, false},
	"cube": {texture.SampledCube, 3, false}, "acube": {texture.SampledCubeArray, 3, true}, "2dms": {texture.Multisampled2D, 2, true},
}

// imageAccess is an instruction's access to an image, with the slots of its operands.
type imageAccess struct {
	geometry    string
	shape       texture.Shape
	first       int32 // the layer or sample
	hasFirst    bool
	coordinates []int32
	level       int32
	offset      []int32
	component   uint32
	kind        kind // of the accessed scalars
	width       int  // bytes of each scalar of a surface's texel
}

// imageOf returns the access to an image of an instruction by its name.
func imageOf(name string) *imageAccess {
	a := &imageAccess{}
	parts := strings.Split(name, ".")
	for _, part := range parts[1:] {
		if g, ok := geometries[part]; ok {
			a.geometry, a.shape = part, g.shape
		}
		if k, ok := kinds[part]; ok && a.kind.bits == 0 {
			a.kind = k
		}
	}
	if parts[0] == "tld4" {
		a.component = uint32(strings.Index("rgba", parts[1]))
	}
	a.width = a.kind.bits / 8
	return a
}

// imageOperand parses [handle, {coordinates}]. Coordinates have a given kind, layers and samples
// u32.
func (p *parser) imageOperand(x *instruction, k kind) {
	g := geometries[x.image.geometry]
	p.expect('[')
	x.a = p.source(kinds["u64"], true)
	p.expect(',')
	p.expect('{')
	count := g.coordinates
	if g.first {
		count++
	}
	if count > 1 {
		count = 4 // PTX ISA, tex: vectors of three have a fourth element that is ignored
	}
	for n := range count {
		if n > 0 {
			p.expect(',')
		}
		if g.first && n == 0 {
			x.image.first, x.image.hasFirst = p.source(kinds["u32"], true), true
			continue
		}
		slot := p.source(k, true)
		if len(x.image.coordinates) < g.coordinates {
			x.image.coordinates = append(x.image.coordinates, slot)
		}
	}
	p.expect('}')
	p.expect(']')
}

// readTexture parses {results}, [handle, {coordinates}], a level if the name has one, and an
// optional offset.
func readTexture(p *parser, x *instruction, f *form) {
	x.image = imageOf(f.name)
	x.more = p.scalars(x.image.kind, 4, true)
	p.expect(',')
	p.imageOperand(x, f.t)
	if strings.Contains(f.name, ".level.") {
		p.expect(',')
		x.image.level = p.source(f.t, f.t.float())
	}
	if f.t.float() && p.accept(',') {
		p.expect('{')
		g := geometries[x.image.geometry]
		if g.shape.Info().Dimension == texture.Cube {
			p.refuse("an offset on a cube")
		}
		count := g.coordinates
		if count == 3 {
			count = 4
		}
		for n := range count {
			if n > 0 {
				p.expect(',')
			}
			slot := p.source(kinds["s32"], false)
			if n < g.coordinates {
				x.image.offset = append(x.image.offset, slot)
			}
		}
		p.expect('}')
	}
}

// surfaceParts returns the number of scalars that a surface instruction moves.
func surfaceParts(f *form) int {
	switch {
	case strings.Contains(f.name, ".v2."):
		return 2
	case strings.Contains(f.name, ".v4."):
		return 4
	}
	return 1
}

// held returns the kind of the registers for scalars: bytes have registers of 16 bits.
func (a *imageAccess) held() kind { return kind{'b', max(a.kind.bits, 16)} }

// readSurfaceLoad parses scalars and [handle, {coordinates}], and readSurfaceStore both in the
// other order.
func readSurfaceLoad(p *parser, x *instruction, f *form) {
	x.image = imageOf(f.name)
	x.more = p.scalars(x.image.held(), surfaceParts(f), true)
	p.expect(',')
	p.imageOperand(x, kinds["s32"])
}

func readSurfaceStore(p *parser, x *instruction, f *form) {
	x.image = imageOf(f.name)
	p.imageOperand(x, kinds["s32"])
	p.expect(',')
	x.more = p.scalars(x.image.held(), surfaceParts(f), false)
}

// object returns the object of an instruction's handle, whose image must have the geometry of the
// instruction.
func (t *thread) object(x *instruction) *object {
	t.need(x.a)
	t.need(x.image.coordinates...)
	if x.image.hasFirst {
		t.need(x.image.first)
	}
	list := t.group.machine.objects
	n := t.frame.values[x.a] ^ objectMark
	if n >= uint64(len(list)) {
		fail(fmt.Sprintf("%#x is no handle of a texture or surface", t.frame.values[x.a]))
	}
	o := &list[n]
	d := &o.handle.Image.Description
	dimension := x.image.shape.Info().Dimension
	if dimension == texture.Cube {
		dimension = texture.D2
	}
	if dimension != d.Dimension || x.image.shape.Info().Multisampled != (d.Samples > 1) ||
		x.image.shape.Info().Dimension == texture.Cube && d.Layers%6 != 0 {
		fail("object " + o.name + " is of images of another geometry")
	}
	return o
}

// channelKinds are the kinds of channels by the letter of an instruction's type.
var channelKinds = map[byte]scalar.Kind{'f': scalar.F32, 's': scalar.I32, 'u': scalar.U32}

// setResults writes a texel to an instruction's results. Only the first channels are defined.
func (t *thread) setResults(x *instruction, o *object, texel texture.Texel, channels int) {
	if o.handle.Image.Format.Info().Channel != channelKinds[x.image.kind.letter] {
		fail("object " + o.name + " is read as another type")
	}
	for n, slot := range x.more {
		t.frame.values[slot], t.frame.states[slot] = texel[n]&x.image.kind.mask(), defined
		if n >= channels {
			t.frame.states[slot] = undefined
		}
	}
}

func (t *thread) word(slot int32) uint32    { return uint32(t.frame.values[slot]) }
func (t *thread) single(slot int32) float32 { return math.Float32frombits(t.word(slot)) }

// fetch executes tex with integer coordinates, which reads a texel without a sampler.
func fetch(t *thread, x *instruction) {
	o, a := t.object(x), x.image
	var p texture.TexelAddress
	for n, slot := range a.coordinates {
		*[...]*uint32{&p.X, &p.Y, &p.Z}[n] = t.word(slot)
	}
	switch {
	case a.shape.Info().Multisampled:
		p.Sample = t.word(a.first)
	case a.hasFirst:
		p.Layer = t.word(a.first)
	}
	if !a.shape.Info().Multisampled {
		t.need(a.level)
		p.Level = t.word(a.level)
	}
	at := p
	if !o.handle.Clamp(a.shape, &at) || p.Level >= o.handle.LevelCount(a.shape) || o.surface {
		fail(fmt.Sprintf("texel %+v lies outside of %s", p, o.name))
	}
	t.setResults(x, o, o.handle.Load(a.shape, &p), o.format.Info().Channels)
}

// lookup returns the operands of a sampling instruction.
func (t *thread) lookup(x *instruction) (l texture.Lookup) {
	a := x.image
	for n, slot := range a.coordinates {
		l.Coordinates[n] = t.single(slot)
	}
	if a.hasFirst {
		l.Layer = t.word(a.first)
	}
	for n, slot := range a.offset {
		t.need(slot)
		l.Offset[n] = int32(t.word(slot))
		if l.Offset[n] < -8 || l.Offset[n] > 7 {
			fail("an offset that is not from -8 to 7")
		}
	}
	return l
}

// sample executes tex with float coordinates.
func sample(t *thread, x *instruction) {
	o := t.object(x)
	if !o.sampled || o.gathered {
		fail("object " + o.name + " has no sampler")
	}
	l := t.lookup(x)
	t.need(x.image.level)
	l.Detail = t.single(x.image.level)
	if x.image.hasFirst && l.Layer >= o.handle.LayerCount(x.image.shape) {
		fail("a layer that " + o.name + " does not have")
	}
	t.setResults(x, o, o.handle.Sample(x.image.shape, &o.sampler, &l), o.format.Info().Channels)
}

// gather executes tld4.
func gather(t *thread, x *instruction) {
	o := t.object(x)
	if !o.gathered {
		fail("object " + o.name + " is not for gathers")
	}
	l := t.lookup(x)
	l.Component = x.image.component
	channels := 4
	if int(l.Component) >= o.format.Info().Channels {
		channels = 0
	}
	t.setResults(x, o, o.handle.Gather(x.image.shape, &o.sampler, &l), channels)
}

// surfaceTexel returns the bytes of a surface's texel, or nil if it lies outside.
func (t *thread) surfaceTexel(x *instruction) []byte {
	o, a := t.object(x), x.image
	if !o.surface {
		fail("object " + o.name + " is no surface")
	}
	d := &o.handle.Image.Description
	bytes := uint32(d.Format.Bytes())
	if n := len(x.more) * a.width; n != int(bytes) {
		fail(fmt.Sprintf("an access of %d bytes to a surface whose texels have %d", n, bytes))
	}
	width, height, depth := d.LevelSize(o.handle.Level)
	var at [3]uint32
	for n, slot := range a.coordinates {
		at[n] = t.word(slot)
	}
	if at[0]%bytes != 0 {
		fail("an access to a surface that is not aligned to a texel")
	}
	if at[0]/bytes >= width || at[1] >= height || at[2] >= depth {
		return nil
	}
	if a.hasFirst {
		if at[2] = t.word(a.first); at[2] >= d.Layers {
			fail(fmt.Sprintf("layer %d of a surface that has %d", at[2], d.Layers))
		}
	}
	return o.handle.Image.Level(o.handle.Level)[((at[2]*height+at[1])*width)*bytes+at[0]:][:bytes]
}

// loadSurface executes suld.
func loadSurface(t *thread, x *instruction) {
	data := t.surfaceTexel(x)
	for n, slot := range x.more {
		var v uint64
		if data != nil {
			var wide [8]byte
			copy(wide[:], data[n*x.image.width:][:x.image.width])
			v = binary.LittleEndian.Uint64(wide[:])
		}
		t.frame.values[slot], t.frame.states[slot] = v, defined
	}
}

// storeSurface executes sust.
func storeSurface(t *thread, x *instruction) {
	data := t.surfaceTexel(x)
	t.need(x.more...)
	if data == nil {
		return
	}
	for n, slot := range x.more {
		wide := binary.LittleEndian.AppendUint64(nil, t.frame.values[slot])
		copy(data[n*x.image.width:][:x.image.width], wide)
	}
}

// textureArgument returns the argument for a parameter of a texture. If it is a handle, it also
// creates the object.
func (x *machine) textureArgument(kernel *abi.Kernel, p abi.Parameter, textures []Texture) ([]byte, error) {
	if p.Binding >= len(textures) || p.Sampler >= len(textures) {
		return nil, fmt.Errorf("%d textures and samplers are bound, and the kernel needs more", len(textures))
	}
	t, with := &textures[p.Binding], textures[p.Sampler].Handle.Sampler
	h, shape := t.Handle, kernel.Handles[p.Binding].Texture.Shape
	o := object{handle: h, format: t.Format, name: fmt.Sprintf("%s of %s", p.Kind, kernel.Handles[p.Binding].Name)}
	levels := h.LevelCount(shape)
	o.handle.Levels = levels
	word := func(n uint32) ([]byte, error) { return binary.LittleEndian.AppendUint32(nil, n), nil }
	width, height, depth := h.SizeOf(shape, 0)
	switch p.Kind {
	case abi.WidthParameter:
		return word(width)
	case abi.HeightParameter:
		return word(height)
	case abi.DepthParameter:
		return word(depth)
	case abi.LayersParameter:
		return word(h.LayerCount(shape))
	case abi.LevelsParameter:
		return word(levels)
	case abi.SamplesParameter:
		return word(h.Image.Samples)
	case abi.ChannelsParameter:
		return word(uint32(t.Format.Info().Channels))
	case abi.ComparedParameter:
		return word(uint32(abi.Compared(with, t.Format, levels)))
	case abi.TextureParameter:
	case abi.SurfaceParameter:
		o.surface = true
	case abi.SampledParameter, abi.MinifiedParameter: // an object has one filter
		o.sampled, o.sampler = true, *with
		filter := abi.FilterOf(with, p.Kind == abi.MinifiedParameter)
		o.sampler.Magnify, o.sampler.Minify = filter, filter
	case abi.GatheredParameter:
		o.sampled, o.gathered, o.sampler = true, true, *with
		if with.Compare != texture.NoCompare {
			o.handle.Level += abi.Compared(with, t.Format, levels).Level()
		}
		o.handle.Levels = 1
	default:
		return nil, fmt.Errorf("a parameter of the kind %s", p.Kind)
	}
	if shape.Info().Dimension == texture.D1 { // on the device a 2D array with one row
		row := *h.Image
		row.Dimension, o.handle.Image = texture.D2, &row
	}
	x.objects = append(x.objects, o)
	return binary.LittleEndian.AppendUint64(nil, objectMark|uint64(len(x.objects)-1)), nil
}

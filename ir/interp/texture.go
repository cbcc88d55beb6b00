package interp

import (
	"errors"
	"fmt"
	"math"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/ir/texture"
)

// This file compiles and executes the operations on textures; what they yield is package texture's.
// A texture or sampler value is a slot that holds its index in Program.Handles, so that functions
// take handles like any other value.

// Handle is a texture or sampler that a launch binds.
type Handle struct {
	Name           string
	Group, Binding uint32
	// Sampler says that it is a sampler; Comparison that it compares.
	Sampler, Comparison bool
	// Shape and Channel describe a texture, Format and Access a storage texture.
	Shape   texture.Shape
	Channel scalar.Kind
	Format  texture.Format
	Access  ir.Access
}

func handleOf(m *ir.Module, g *ir.Global) Handle {
	h := Handle{Name: g.Name, Group: g.Group, Binding: g.Binding}
	t := m.Element(g.Type)
	if !m.IsTexture(t) {
		h.Sampler, h.Comparison = true, m.IsComparison(t)
		return h
	}
	h.Shape, h.Channel, h.Format, h.Access = m.ShapeOf(t), m.ChannelOf(t), m.FormatOf(t), m.AccessOf(t)
	return h
}

// Check returns what keeps something from being bound to the handle, or nil.
func (h *Handle) Check(b *texture.Handle) error {
	switch {
	case h.Sampler && (b.Sampler == nil || b.Image != nil):
		return errors.New("it is a sampler, and something else is given")
	case h.Sampler && h.Comparison != (b.Sampler.Compare != texture.NoCompare):
		if h.Comparison {
			return errors.New("it is a comparison sampler, and the one given does not compare")
		}
		return errors.New("the sampler given compares, and the kernel's does not")
	case h.Sampler:
		return nil
	case b.Image == nil || b.Sampler != nil:
		return errors.New("it is a texture, and something else is given")
	case b.Level >= b.Image.Levels || b.Levels > b.Image.Levels-b.Level:
		return fmt.Errorf("levels from %d on of a texture of %d", b.Level, b.Image.Levels)
	}
	if channel := b.Image.Format.Info().Channel; channel != h.Channel {
		return fmt.Errorf("the texture holds %s (%s), and the kernel reads or writes %s", channel, b.Image.Format, h.Channel)
	}
	return b.Image.Fits(h.Shape, h.Format)
}

// TextureOperation is an instruction on a texture: what is constant of it.
type TextureOperation struct {
	Op        op.Op
	Shape     texture.Shape
	Component uint32
	Offset    [3]int32
	// SignedLayer says that a negative layer to sample from counts as the first.
	SignedLayer bool
}

// TextureOperands are the other operands by slot: every kind of operand has its own slots, which
// hold zero where an operation has no such operand.
type TextureOperands [TextureSlots]uint64

// The slots of operands. Coordinates, gradients and the texel to store have as many slots as they
// can have components.
const (
	TextureSlot     = 0 // the index of a texture in Launch.Handles
	SamplerSlot     = 1 // that of a sampler
	CoordinateSlots = 2
	LayerSlot       = 5
	LevelSlot       = 6 // of a texel, or the level of detail
	SampleSlot      = 7
	ReferenceSlot   = 8
	GradientXSlots  = 9
	GradientYSlots  = 12
	StoredSlots     = 15
	TextureSlots    = 19
)

// texture compiles an operation on a texture, in the checked mode with a check
// before it.
func (c *compiler) texture(i ir.Inst) {
	f, m := c.f, c.m
	o := f.TextureOperandsOf(i)
	t := TextureOperation{Op: f.Op(i), Shape: m.ShapeOf(f.TypeOf(o.Texture))}
	list := make([]slot, TextureSlots)
	for n := range list {
		list[n] = c.bits(0)
	}
	for _, operand := range [...]struct {
		value ir.Value
		at    int
	}{{o.Texture, TextureSlot}, {o.Sampler, SamplerSlot}, {o.Coordinates, CoordinateSlots}, {o.Layer, LayerSlot}, {o.Level, LevelSlot},
		{o.Sample, SampleSlot}, {o.Reference, ReferenceSlot}, {o.GradientX, GradientXSlots}, {o.GradientY, GradientYSlots}, {o.Stored, StoredSlots}} {
		if operand.value != ir.NoValue {
			copy(list[operand.at:], c.slots(operand.value))
		}
	}
	if o.Layer != ir.NoValue {
		t.SignedLayer = m.ScalarOf(f.TypeOf(o.Layer)) == scalar.I32
	}
	if o.Component != ir.NoValue {
		n, _ := m.ConstUint(o.Component)
		t.Component = uint32(n)
	}
	if o.Offset != ir.NoValue {
		for n := range c.m.Components(m.TypeOf(o.Offset)) {
			bits := m.ConstBits(o.Offset)
			if !m.IsScalar(m.TypeOf(o.Offset)) {
				bits = m.ConstBits(m.ConstPart(o.Offset, uint32(n)))
			}
			t.Offset[n] = int32(bits)
		}
	}
	in := instruction{op: opTexture, aux: uint32(len(c.image.textures)), x: uint64(c.list(list))}
	c.image.textures = append(c.image.textures, t)
	if c.checked {
		check := in
		check.op = opCheckTexture
		c.emitFinder(i, check)
	}
	if f.Type(i) != ir.Void {
		to := c.define(i)
		in.d, in.n = to[0], uint16(len(to))
	}
	c.emit(in)
}

// texture executes an operation.
func (w *worker) texture(slots frame, c *code) {
	o := w.textureOperands(slots, c)
	texel := w.image.textures[c.aux].Run(w.launch.handles, &o)
	copy(slots[c.d:][:c.n], texel[:])
}

// textureOperands returns the operands of an instruction.
func (w *worker) textureOperands(slots frame, c *code) (o TextureOperands) {
	for n, from := range w.image.lists[c.x:][:TextureSlots] {
		o[n] = slots[from]
	}
	return o
}

// Run executes the operation on the handles of a launch and returns its results, which are zero
// beyond those that it has.
func (t *TextureOperation) Run(handles []texture.Handle, o *TextureOperands) (texel texture.Texel) {
	h := &handles[o[TextureSlot]]
	switch t.Op {
	case op.TextureLoad, op.TextureRead:
		address := o.address()
		return h.Load(t.Shape, &address)
	case op.TextureStore:
		address := o.address()
		h.Store(t.Shape, &address, texture.Texel(o[StoredSlots:]))
	case op.TextureSize:
		width, height, depth := h.SizeOf(t.Shape, uint32(o[LevelSlot]))
		return texture.Texel{uint64(width), uint64(height), uint64(depth)}
	case op.TextureLayers:
		texel[0] = uint64(h.LayerCount(t.Shape))
	case op.TextureLevels:
		texel[0] = uint64(h.LevelCount(t.Shape))
	case op.TextureSamples:
		texel[0] = uint64(h.Image.Samples)
	default:
		l, s := t.lookup(o), handles[o[SamplerSlot]].Sampler
		switch t.Op {
		case op.TextureSample:
			return h.Sample(t.Shape, s, &l)
		case op.TextureSampleGradient:
			return h.SampleGradient(t.Shape, s, &l)
		case op.TextureSampleCompare:
			texel[0] = uint64(math.Float32bits(h.SampleCompare(t.Shape, s, &l)))
		case op.TextureGather:
			return h.Gather(t.Shape, s, &l)
		case op.TextureGatherCompare:
			return h.GatherCompare(t.Shape, s, &l)
		default:
			panic("interp: unknown texture operation " + t.Op.String())
		}
	}
	return texel
}

// texelAddress returns the address of the texel that the operands name.
func (o *TextureOperands) address() texture.TexelAddress {
	return texture.TexelAddress{X: uint32(o[CoordinateSlots]), Y: uint32(o[CoordinateSlots+1]), Z: uint32(o[CoordinateSlots+2]),
		Layer: uint32(o[LayerSlot]), Level: uint32(o[LevelSlot]), Sample: uint32(o[SampleSlot])}
}

// lookup returns where the operands sample.
func (t *TextureOperation) lookup(o *TextureOperands) texture.Lookup {
	l := texture.Lookup{Offset: t.Offset, Component: t.Component, Layer: uint32(o[LayerSlot]),
		Detail: float(o[LevelSlot]), Reference: float(o[ReferenceSlot])}
	if t.SignedLayer {
		l.Layer = uint32(max(int32(l.Layer), 0))
	}
	for n := range l.Coordinates {
		l.Coordinates[n] = float(o[CoordinateSlots+n])
		l.GradientX[n], l.GradientY[n] = float(o[GradientXSlots+n]), float(o[GradientYSlots+n])
	}
	return l
}

// texture checks the operation that follows: what a load, read or size outside
// of a texture yields differs between implementations, and texels are memory. A
// store outside has no effect everywhere.
func (k *checker) texture(w *worker, v *invocation, pc uint32, c *code) {
	t := &w.image.textures[c.aux]
	o := w.textureOperands(v.slots, c)
	number := o[TextureSlot]
	h := &w.launch.handles[number]
	switch t.Op {
	case op.TextureSize, op.TextureLoad, op.TextureRead, op.TextureStore:
	default:
		return
	}
	given := o.address()
	inside := given
	if !h.Clamp(t.Shape, &inside) {
		if t.Op != op.TextureStore {
			name := k.e.program.handles[number].Name
			k.find(diag.Diagnostic{Code: diag.OutOfBounds, Span: k.e.image.spans[pc],
				Message: fmt.Sprintf("%s, in %s", outsideTexture(h, t.Shape, name, &given, &inside), k.e.name(w.groupIndex, v.local))}, pc, v, pc)
		}
		return
	}
	root := w.image.textureRoots[number]
	if root < 0 || t.Op == op.TextureSize {
		return
	}
	kind := checkRead
	if t.Op == op.TextureStore {
		kind = checkWrite
	}
	k.touch(w, v, pc, root, h.Index(&inside)*k.grain, k.grain, kind)
}

// outsideTexture says what is outside, given the texel that was meant and the nearest one inside.
func outsideTexture(h *texture.Handle, s texture.Shape, name string, given, inside *texture.TexelAddress) string {
	switch {
	case given.Level != inside.Level:
		return fmt.Sprintf("level %s is outside of the %d levels of %s", signed(uint64(given.Level)), h.LevelCount(s), name)
	case given.Sample != inside.Sample:
		return fmt.Sprintf("sample %s is outside of the %d samples of %s", signed(uint64(given.Sample)), h.Image.Samples, name)
	case given.Layer != inside.Layer:
		return fmt.Sprintf("layer %s is outside of the %d layers of %s", signed(uint64(given.Layer)), h.LayerCount(s), name)
	}
	at, size := "", ""
	width, height, depth := h.SizeOf(s, inside.Level)
	coordinates, sizes := [3]uint32{given.X, given.Y, given.Z}, [3]uint32{width, height, depth}
	for n := range s.SizeComponents() {
		if n > 0 {
			at, size = at+", ", size+" x "
		}
		at, size = at+signed(uint64(coordinates[n])), size+fmt.Sprint(sizes[n])
	}
	message := fmt.Sprintf("texel (%s) is outside of the %s texels of %s", at, size, name)
	if h.LevelCount(s) > 1 {
		message += fmt.Sprintf(" at level %d", inside.Level)
	}
	return message
}

// texelName names a texel of a written texture by its number.
func (k *checker) texelName(r *root, index uint64) string {
	h, info := &k.e.handles[r.offset], &k.e.program.handles[r.offset]
	width, height, _ := h.SizeOf(info.Shape, 0)
	x, y, z := index%uint64(width), index/uint64(width)%uint64(height), index/uint64(width)/uint64(height)
	name := fmt.Sprintf("texel (%d, %d, %d)", x, y, z)
	switch info.Shape {
	case texture.Storage1D:
		name = fmt.Sprintf("texel (%d)", x)
	case texture.Storage2D:
		name = fmt.Sprintf("texel (%d, %d)", x, y)
	case texture.Storage2DArray:
		name = fmt.Sprintf("texel (%d, %d) of layer %d", x, y, z)
	}
	return name + " of " + r.name
}

// texels is the number of texels of the level that a storage texture sees.
func texels(h *texture.Handle) uint64 {
	return h.Image.LevelBytes(h.Level) / uint64(h.Image.Format.Bytes())
}

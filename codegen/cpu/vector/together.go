package vector

import (
	"math"

	"github.com/gpuc/gpuc/ir/eval"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/texture"
)

// This file executes what takes lanes one by one besides memory: operations on textures, and on
// parts of words.

// convert executes what makes values of parts of others, and parts of values.
func (w *worker) convert(code opcode, x *meaning) {
	if x.one {
		w.convertLane(code, x, 0)
		return
	}
	for n, mask := range w.run {
		for mask != 0 {
			w.convertLane(code, x, w.lane(n, &mask))
		}
	}
}

func (w *worker) convertLane(code opcode, x *meaning, lane int) {
	list := w.program.lists[x.list:]
	results, in := list[:x.results], list[x.results:x.results+x.operands]
	var parts [8]uint64
	for n, o := range in {
		parts[n] = w.get(o, lane)
	}
	switch code {
	case opJoin:
		width := x.kind.Bits() / len(in)
		joined := uint64(0)
		for n, part := range parts[:len(in)] {
			joined |= part << (n * width)
		}
		parts[0] = joined
	case opSplit:
		width, whole := x.kind.Bits()/len(results), parts[0]
		for n := range results {
			parts[n] = whole >> (n * width) & (1<<width - 1)
		}
	case opPack:
		parts[0] = eval.Pack(x.op, parts[:len(in)])
	case opUnpack:
		eval.Unpack(x.op, parts[0], parts[:len(results)])
	case opDot:
		if x.op == op.Dot4I8 {
			parts[0] = eval.Dot4I8(parts[0], parts[1])
		} else {
			parts[0] = eval.Dot4U8(parts[0], parts[1])
		}
	}
	for n, r := range results {
		w.put(r, lane, parts[n])
	}
}

// texture executes an operation on a texture, as package texture defines it.
func (w *worker) texture(t *textureOperation) {
	if t.one {
		w.textureLane(t, 0)
		return
	}
	if w.textureBlocks(t) {
		return
	}
	for n, mask := range w.run {
		for mask != 0 {
			w.textureLane(t, w.lane(n, &mask))
		}
	}
}

// operands are the values of an operation on a texture that have not been taken yet.
type operands struct {
	values [24]uint64
	next   int
}

func (o *operands) take() uint64 {
	o.next++
	return o.values[o.next-1]
}

func (o *operands) single() float32 { return math.Float32frombits(uint32(o.take())) }

// textureLane executes it in one lane. Operands come in the order of the table of operations.
func (w *worker) textureLane(t *textureOperation, lane int) {
	list := w.program.lists[t.list:]
	results, in := list[:t.results], list[t.results:t.results+t.operands]
	var o operands
	for n, x := range in {
		o.values[n] = w.get(x, lane)
	}
	h := &w.launch.handles[t.texture]
	var texel texture.Texel
	switch t.op {
	case op.TextureSize:
		level := uint32(0)
		if len(in) > 0 {
			level = uint32(o.take())
		}
		width, height, depth := h.SizeOf(t.shape, level)
		texel = texture.Texel{uint64(width), uint64(height), uint64(depth)}
	case op.TextureLayers:
		texel[0] = uint64(h.LayerCount(t.shape))
	case op.TextureLevels:
		texel[0] = uint64(h.LevelCount(t.shape))
	case op.TextureSamples:
		texel[0] = uint64(h.Image.Samples)
	case op.TextureLoad, op.TextureRead, op.TextureStore:
		p := o.place(t.shape)
		if t.op == op.TextureStore {
			h.Store(t.shape, &p, texture.Texel{o.take(), o.take(), o.take(), o.take()})
			return
		}
		switch {
		case t.shape.Info().Multisampled:
			p.Sample = uint32(o.take())
		case t.shape.HasLevels():
			p.Level = uint32(o.take())
		}
		texel = h.Load(t.shape, &p)
	default:
		texel = w.sample(t, h, &o, len(in))
	}
	for n, r := range results {
		w.put(r, lane, texel[n])
	}
}

// place takes the coordinates of a texel and its layer.
func (o *operands) place(shape texture.Shape) (p texture.Place) {
	for n := range shape.SizeComponents() {
		*[...]*uint32{&p.X, &p.Y, &p.Z}[n] = uint32(o.take())
	}
	if shape.Info().Arrayed {
		p.Layer = uint32(o.take())
	}
	return p
}

// sample takes the operands of a lookup with a sampler, of which there are count in all, and does
// it.
func (w *worker) sample(t *textureOperation, h *texture.Handle, o *operands, count int) (texel texture.Texel) {
	var l texture.Lookup
	for n := range t.shape.Coordinates() {
		l.Coordinates[n] = o.single()
	}
	if t.shape.Info().Arrayed {
		l.Layer = uint32(o.take())
	}
	if t.op == op.TextureSampleGradient {
		for n := range t.shape.Coordinates() {
			l.GradientX[n] = o.single()
		}
		for n := range t.shape.Coordinates() {
			l.GradientY[n] = o.single()
		}
	} else { // a level, a reference or a component
		bits := uint32(o.take())
		l.Detail, l.Reference, l.Component = math.Float32frombits(bits), math.Float32frombits(bits), bits
	}
	for n := 0; o.next < count; n++ {
		l.Offset[n] = int32(o.take())
	}
	s := w.launch.handles[t.sampler].Sampler
	switch t.op {
	case op.TextureSample:
		return h.Sample(t.shape, s, &l)
	case op.TextureSampleGradient:
		return h.SampleGradient(t.shape, s, &l)
	case op.TextureSampleCompare:
		texel[0] = uint64(math.Float32bits(h.SampleCompare(t.shape, s, &l)))
	case op.TextureGather:
		return h.Gather(t.shape, s, &l)
	case op.TextureGatherCompare:
		return h.GatherCompare(t.shape, s, &l)
	}
	return texel
}

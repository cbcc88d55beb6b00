package columns

import (
	"math"

	"github.com/gpuc/gpuc/ir/eval"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/ir/texture"
)

// This file executes what takes lanes one by one besides memory: operations of subgroups, on textures, and on parts of words.

// meet executes an operation of subgroups in the lanes that run, in the order of package interp: reductions go from the lowest lane to the highest, and
// a lane that asks for the value of one that does not run keeps its own.
func (w *worker) meet(g *groupOperation) {
	list := w.program.lists[g.list:]
	count := int(g.components)
	results, in := list[:count], list[count:]
	size := w.launch.subgroupSize
	for first := 0; first < w.program.lanes; first += size {
		w.members = w.members[:0]
		for k := first; k < min(first+size, w.program.lanes); k++ {
			if w.run[k/64]>>(k%64)&1 == 1 {
				w.members = append(w.members, k)
			}
		}
		if len(w.members) > 0 {
			w.meetOne(g, results, in, first)
		}
	}
}

// meetOne executes the operation in one subgroup.
func (w *worker) meetOne(g *groupOperation, results, in []operand, first int) {
	lanes, size := w.members, w.launch.subgroupSize
	give := func(o operand, value uint64) {
		for _, k := range lanes {
			w.put(o, k, value)
		}
	}
	switch {
	case g.op == op.SubgroupElect:
		for n, k := range lanes {
			w.put(results[0], k, oneIf(n == 0))
		}
	case g.op == op.SubgroupAll || g.op == op.SubgroupAny:
		holds := 0
		for _, k := range lanes {
			holds += int(w.get(in[0], k))
		}
		give(results[0], oneIf(holds > 0 && (g.op == op.SubgroupAny || holds == len(lanes))))
	case g.op == op.SubgroupBallot:
		var ballot [4]uint64
		for _, k := range lanes {
			if lane := k - first; w.get(in[0], k) != 0 && lane < 128 {
				ballot[lane/32] |= 1 << (lane % 32)
			}
		}
		for n, r := range results {
			give(r, ballot[n])
		}
	case g.op == op.SubgroupBroadcastFirst:
		for n, r := range results {
			give(r, w.get(in[n], lanes[0]))
		}
	case isReduction(g.op):
		for n, r := range results {
			w.reduce(g, r, in[n])
		}
	default:
		for n, r := range results {
			w.values = w.values[:0]
			for _, k := range lanes {
				operand := uint64(0)
				if g.second {
					operand = w.get(in[len(results)], k)
				}
				from := k
				if lane := source(g.op, uint64(k-first), operand); lane < uint64(size) && first+int(lane) < w.program.lanes {
					if other := first + int(lane); w.run[other/64]>>(other%64)&1 == 1 {
						from = other
					}
				}
				w.values = append(w.values, w.get(in[n], from))
			}
			for m, k := range lanes {
				w.put(r, k, w.values[m])
			}
		}
	}
}

func oneIf(x bool) uint64 {
	if x {
		return 1
	}
	return 0
}

func isReduction(o op.Op) bool { return o >= op.SubgroupAdd && o <= op.SubgroupExclusiveMul }

// combining is the operation by which a reduction or scan joins two values.
var combining = [...]op.Op{op.SubgroupAdd: op.Add, op.SubgroupMul: op.Mul, op.SubgroupMin: op.Min, op.SubgroupMax: op.Max,
	op.SubgroupAnd: op.And, op.SubgroupOr: op.Or, op.SubgroupXor: op.Xor,
	op.SubgroupInclusiveAdd: op.Add, op.SubgroupInclusiveMul: op.Mul, op.SubgroupExclusiveAdd: op.Add, op.SubgroupExclusiveMul: op.Mul}

// reduce computes a reduction or a scan over the members of a subgroup.
func (w *worker) reduce(g *groupOperation, to, from operand) {
	f := eval.For(combining[g.op], g.kind)
	lanes := w.members
	sum := w.get(from, lanes[0])
	switch g.op {
	case op.SubgroupInclusiveAdd, op.SubgroupInclusiveMul:
		w.put(to, lanes[0], sum)
		for _, k := range lanes[1:] {
			sum = f(sum, w.get(from, k), 0, 0)
			w.put(to, k, sum)
		}
	case op.SubgroupExclusiveAdd, op.SubgroupExclusiveMul:
		w.put(to, lanes[0], identity(g))
		for _, k := range lanes[1:] {
			own := w.get(from, k)
			w.put(to, k, sum)
			sum = f(sum, own, 0, 0)
		}
	default:
		for _, k := range lanes[1:] {
			sum = f(sum, w.get(from, k), 0, 0)
		}
		for _, k := range lanes {
			w.put(to, k, sum)
		}
	}
}

// identity returns what an exclusive scan gives the first lane: 0 or 1.
func identity(g *groupOperation) uint64 {
	switch {
	case g.op == op.SubgroupExclusiveAdd:
		return 0
	case g.kind.IsFloat():
		return scalar.FromFloat64(g.kind, 1)
	}
	return 1
}

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

// sample takes the operands of a lookup with a sampler, of which there are count in all, and does it.
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

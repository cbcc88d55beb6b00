package mir

import (
	"slices"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/ir/texture"
)

// This file lowers operations on textures. They keep their names and the order of their operands,
// one scalar at a time, except the texture and the sampler, which no register holds. An instruction
// names these by their indices among the module's textures and samplers, in the order of group and
// binding. The machine decides where a texture and its size are held.

// Handles returns the textures and samplers of a module in the order of their numbers. A kernel's
// description lists them alike.
func Handles(m *ir.Module) (handles []ir.Value) {
	for n := range m.Globals {
		if m.SpaceOf(m.Globals[n].Type) == ir.Handle {
			handles = append(handles, ir.GlobalValue(n))
		}
	}
	slices.SortStableFunc(handles, m.CompareBindings)
	return handles
}

// IsTexture reports whether an operation is one on textures.
func IsTexture(o Op) bool { return o >= Op(op.TextureSize) && o <= Op(op.TextureGatherCompare) }

// IsSampled reports whether an operation takes a sampler.
func IsSampled(o Op) bool { return o >= Op(op.TextureSample) && o <= Op(op.TextureGatherCompare) }

// handleBits is the width of the numbers in an instruction's aux: a texture's, and after it a
// sampler's.
const handleBits = 16

// HandlesAux is the aux of an instruction on the texture and with the sampler of these numbers.
func HandlesAux(texture, sampler uint32) uint32 { return texture | sampler<<handleBits }

// AuxHandles returns the numbers of the texture and the sampler that an instruction's aux names.
func AuxHandles(aux uint32) (texture, sampler uint32) {
	return aux & (1<<handleBits - 1), aux >> handleBits
}

// HandleOf returns the number of the texture or sampler that a value is, which was loaded from its
// variable.
func (b *Builder) HandleOf(v ir.Value) uint32 {
	i, ok := b.F.Def(v)
	if !ok || b.F.Op(i) != op.Load {
		panic("mir: a texture or sampler that was not loaded from its variable")
	}
	return uint32(slices.Index(b.handles, b.F.Arg(i, 0)))
}

// TextureType returns the type of the texture with a number.
func (b *Builder) TextureType(n uint32) ir.Type { return b.M.Element(b.M.TypeOf(b.handles[n])) }

// texture lowers an operation on a texture as it is.
func (b *Builder) texture(i ir.Inst) {
	f := b.F
	o := f.TextureOperandsOf(i)
	first, aux := 1, b.HandleOf(o.Texture)
	if o.Sampler != ir.NoValue {
		first, aux = 2, HandlesAux(aux, b.HandleOf(o.Sampler))
	}
	b.scratch = b.scratch[:0]
	for _, a := range f.Args(i)[first:] {
		b.scratch = append(b.scratch, b.Slots(a)...)
	}
	var results []Operand
	if r := f.Result(i); r != ir.NoValue {
		results = b.Define(r)
	}
	b.EmitTexture(f.Op(i), aux, results, b.scratch...)
}

// EmitTexture emits an operation on the texture, and with the sampler, that aux names (HandlesAux).
func (b *Builder) EmitTexture(o op.Op, aux uint32, results []Operand, args ...Operand) Inst {
	n, _ := AuxHandles(aux)
	k := scalar.U32
	if o > op.TextureSamples {
		k = b.M.ChannelOf(b.TextureType(n))
	}
	i := b.Emit(Op(o), k, results, args...)
	b.Out.insts[i].aux = aux
	return i
}

// textureCounts returns how many operands and results an operation on a texture of a type has.
func textureCounts(m *ir.Module, o op.Op, t ir.Type) (args, results count) {
	shape := m.ShapeOf(t)
	size, coordinates := shape.SizeComponents(), shape.Coordinates()
	layer, offset := 0, 0
	if shape.Info().Arrayed {
		layer = 1
	}
	if shape.Info().Dimension != texture.Cube {
		offset = size
	}
	four := 4
	exactly := func(n int) count { return count{n, n} }
	if shape.IsDepth() {
		four = 1
	}
	switch o {
	case op.TextureSize:
		return count{0, 1}, exactly(size)
	case op.TextureLayers, op.TextureLevels, op.TextureSamples:
		return count{}, exactly(1)
	case op.TextureLoad:
		n := size + layer
		if shape.HasLevels() || shape.Info().Multisampled {
			n++
		}
		return exactly(n), exactly(four)
	case op.TextureRead:
		return exactly(size + layer), exactly(4)
	case op.TextureStore:
		return exactly(size + layer + 4), count{}
	case op.TextureSample:
		return count{coordinates + layer + 1, coordinates + layer + 1 + offset}, exactly(four)
	case op.TextureSampleGradient:
		return count{3*coordinates + layer, 3*coordinates + layer + offset}, exactly(four)
	case op.TextureSampleCompare:
		return count{coordinates + layer + 1, coordinates + layer + 1 + offset}, exactly(1)
	}
	// gathers: a component or a reference
	return count{coordinates + layer + 1, coordinates + layer + 1 + offset}, exactly(4)
}

// texture checks an instruction on a texture: its handles, and how many operands and results it
// has, which are words. A text without a module does not say what its textures are.
func (v *verifier) texture(i Inst) {
	f := v.f
	m := f.Module
	n, sampler := AuxHandles(f.Aux(i))
	if v.handles == nil {
		v.handles = Handles(m)
	}
	handles := v.handles
	typeOf := func(n uint32) ir.Type { return m.Element(m.TypeOf(handles[n])) }
	switch {
	case len(handles) == 0:
		return
	case int(n) >= len(handles) || !m.IsTexture(typeOf(n)):
		v.fail(i, "there is no such texture")
		return
	case IsSampled(f.Op(i)) && (int(sampler) >= len(handles) || m.KindOf(typeOf(sampler)) != ir.SamplerType):
		v.fail(i, "there is no such sampler")
		return
	}
	args, results := textureCounts(m, op.Op(f.Op(i)), typeOf(n))
	switch {
	case !args.has(len(f.Args(i))):
		v.fail(i, "it has %d operands", len(f.Args(i)))
	case !results.has(len(f.Results(i))):
		v.fail(i, "it has %d results", len(f.Results(i)))
	}
	for _, list := range [...][]Operand{f.Args(i), f.Results(i)} {
		for _, o := range list {
			if f.classOf(o) != Word {
				v.fail(i, "%s is no word", f.OperandString(o))
			}
		}
	}
}

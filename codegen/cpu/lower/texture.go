package lower

import (
	"slices"

	"github.com/gpuc/gpuc/codegen/mir"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/interp"
	"github.com/gpuc/gpuc/ir/op"
)

// TextureCall is an operation on a texture for executors that have Go execute it, invocation by
// invocation.
type TextureCall struct {
	Operation interp.TextureOperation
	// Texture and Sampler are their indices in a launch.
	Texture, Sampler uint32
	// Slots are the slots of the instruction's operands in interp.TextureOperands, or NoSlot for
	// constants that Operation has.
	Slots []uint8
}

// NoSlot is the slot of an operand that is a part of TextureCall.Operation.
const NoSlot = 255

// TextureCall describes an instruction on a texture.
func (p *Program) TextureCall(i mir.Inst) TextureCall {
	f := p.F
	reached, handles := ir.ReachOf(f.Module, f.Source).Handles, mir.Handles(f.Module)
	inLaunch := func(n uint32) uint32 { return uint32(slices.Index(reached, handles[n])) }
	t, sampler := mir.AuxHandles(f.Aux(i))
	o, shape, args := op.Op(f.Op(i)), p.Handles[t].Shape, f.Args(i)
	c := TextureCall{Operation: interp.TextureOperation{Op: o, Shape: shape}, Texture: inLaunch(t)}
	if mir.IsSampled(f.Op(i)) {
		c.Sampler = inLaunch(sampler)
	}
	take := func(slot, count int) {
		for k := range count {
			c.Slots = append(c.Slots, uint8(slot+k))
		}
	}
	left := func() int { return len(args) - len(c.Slots) }
	layer := 0
	if shape.Info().Arrayed {
		layer = 1
	}
	switch o {
	case op.TextureLayers, op.TextureLevels, op.TextureSamples:
		return c
	case op.TextureSize:
		take(interp.LevelSlot, left())
		return c
	case op.TextureLoad, op.TextureRead, op.TextureStore:
		take(interp.CoordinateSlots, shape.SizeComponents())
		take(interp.LayerSlot, layer)
		switch {
		case o == op.TextureStore:
			take(interp.StoredSlots, left())
		case shape.Info().Multisampled:
			take(interp.SampleSlot, left())
		default:
			take(interp.LevelSlot, left())
		}
		return c
	}
	take(interp.CoordinateSlots, shape.Coordinates())
	take(interp.LayerSlot, layer)
	switch o {
	case op.TextureSampleGradient:
		take(interp.GradientXSlots, shape.Coordinates())
		take(interp.GradientYSlots, shape.Coordinates())
	case op.TextureSample:
		take(interp.LevelSlot, 1)
	case op.TextureGather:
		c.Operation.Component = uint32(f.Bits(args[len(c.Slots)]))
		take(NoSlot, 1)
	default:
		take(interp.ReferenceSlot, 1)
	}
	for n := range left() {
		c.Operation.Offset[n] = int32(f.Bits(args[len(c.Slots)]))
		take(NoSlot, 1)
	}
	return c
}

// Operands returns the operands with the texture and the sampler, and zeros elsewhere.
func (c *TextureCall) Operands() (o interp.TextureOperands) {
	o[interp.TextureSlot], o[interp.SamplerSlot] = uint64(c.Texture), uint64(c.Sampler)
	return o
}

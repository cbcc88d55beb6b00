package lower

import (
	"github.com/gpuc/gpuc/frontend/wgsl/sem"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
)

// This file lowers the texture builtins (WGSL §17.7). sem.Builtins names the operation, and the
// arguments are its operands in order, with the exceptions below.

// onTexture lowers a builtin that is one texture operation.
func onTexture(l *Lowerer, row *sem.Builtin, t ir.Type, args []ir.Value) ir.Value {
	o := row.Op
	switch o {
	case op.TextureLoad:
		if l.m.AccessOf(l.f.TypeOf(args[0])) != ir.Read {
			o = op.TextureRead // another invocation may write meanwhile
		}
	case op.TextureSample:
		// levels of depth textures are integers in WGSL
		if shape := l.m.ShapeOf(l.f.TypeOf(args[0])); shape.IsDepth() {
			level := 3
			if shape.Info().Arrayed {
				level++
			}
			args[level] = l.expander.Convert(ir.F32, args[level])
		}
	case op.TextureGather:
		return l.gather(t, args)
	}
	return l.b.Emit(o, t, 0, args...)
}

// gather lowers textureGather. WGSL has the component first, and none for depth textures; the
// operation has it after coordinates and layer.
func (l *Lowerer) gather(t ir.Type, args []ir.Value) ir.Value {
	component := l.m.ConstU32(0)
	if k, ok := l.m.ConstUint(args[0]); ok {
		component, args = l.m.ConstU32(uint32(k)), args[1:]
	}
	before := 3
	if l.m.ShapeOf(l.f.TypeOf(args[0])).Info().Arrayed {
		before++
	}
	var operands [6]ir.Value // texture, sampler, coordinates, layer, component, offset
	n := copy(operands[:], args[:before])
	operands[n] = component
	n++
	n += copy(operands[n:], args[before:])
	return l.b.Emit(op.TextureGather, t, 0, operands[:n]...)
}

// clampedSample lowers textureSampleBaseClampToEdge: a sample of level 0 at least half a texel from
// the edges, so that linear filtering does not wrap around in any address mode.
func clampedSample(l *Lowerer, _ *sem.Builtin, t ir.Type, args []ir.Value) ir.Value {
	vector := l.f.TypeOf(args[2])
	size := l.b.Emit(op.TextureSize, l.m.TextureResult(op.TextureSize, l.f.TypeOf(args[0])), 0, args[0])
	low := l.b.Op(op.Div, l.m.ConstFloat(vector, 0.5), l.expander.Convert(vector, size))
	high := l.b.Op(op.Sub, l.m.ConstFloat(vector, 1), low)
	coordinates := l.b.Op(op.Clamp, args[2], low, high)
	return l.b.Emit(op.TextureSample, t, 0, args[0], args[1], coordinates, l.m.ConstFloat(ir.F32, 0))
}

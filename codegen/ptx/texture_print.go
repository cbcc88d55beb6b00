package ptx

import (
	"math"

	"github.com/gpuc/gpuc/codegen/mir"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/ir/texture"
	"github.com/gpuc/gpuc/runtime/abi"
)

// This file prints instructions on textures and surfaces (PTX ISA, "Texture Instructions" and
// "Surface Instructions"). They take objects by handles of 64 bits, which are parameters of the
// kernel.

// parameter prints the load of a parameter and notes that the kernel has it.
func (e *emitter) parameter(r mir.Operand, p abi.Parameter) {
	e.passedTextures = append(e.passedTextures, p)
	e.text("\tld.param.", kinds[r.Class().Kind()].bits, " ")
	e.name(r)
	e.text(", [")
	e.body = appendParameter(e.body, p)
	e.text("];\n")
}

// object prints the load of an object, and returns the register with its handle.
func (e *emitter) object(kind abi.ParameterKind, t, sampler uint32) mir.Operand {
	r := e.f.Fresh(mir.Long)
	e.parameter(r, abi.Parameter{Kind: kind, Binding: int(t), Sampler: int(sampler)})
	return r
}

// sizeKinds are the parameters that hold the components of a size.
var sizeKinds = [...]abi.ParameterKind{abi.WidthParameter, abi.HeightParameter, abi.DepthParameter}

// texture prints an instruction on a texture.
func (e *emitter) texture(i mir.Inst) {
	t, sampler := mir.AuxHandles(e.f.Aux(i))
	if !e.source.Kernel { // see opt.InlineHandles, whose budgets end somewhere
		if e.refused == e.source {
			return
		}
		e.refused = e.source
		e.Context.List.Add(diag.Diagnostic{Code: diag.TargetLimit, Span: e.f.SpanOf(i),
			Message: "target ptx has textures in the kernel alone, and this function is too large to be put into it; reduce the number of calls"})
		return
	}
	number := func(r mir.Operand, kind abi.ParameterKind) {
		e.parameter(r, abi.Parameter{Kind: kind, Binding: int(t), Sampler: int(sampler)})
	}
	results := e.f.Results(i)
	switch o := e.f.Op(i); o {
	case textureChannels:
		number(results[0], abi.ChannelsParameter)
	case textureComparison:
		number(results[0], abi.ComparedParameter)
	case surfaceLoad, surfaceStore:
		e.surface(i, t)
	case mir.Op(op.TextureSize):
		for k, r := range results {
			number(r, sizeKinds[k])
		}
	case mir.Op(op.TextureLayers):
		number(results[0], abi.LayersParameter)
	case mir.Op(op.TextureLevels):
		number(results[0], abi.LevelsParameter)
	case mir.Op(op.TextureSamples):
		number(results[0], abi.SamplesParameter)
	case mir.Op(op.TextureLoad):
		e.fetch(i, t)
	case mir.Op(op.TextureSample):
		e.sample(i, t, sampler)
	case mir.Op(op.TextureGather):
		e.gather(i, t, sampler)
	default:
		panic("ptx: texture operation " + e.f.Name(o))
	}
}

// geometry is how instructions see the images of a shape: all of two dimensions have layers, and
// those of one dimension are rows of such an image. Of one dimension a read with whole coordinates
// is one of linear memory for the device, as tex1Dfetch in CUDA, and of an array it reads zeros.
func geometry(s texture.Shape) string {
	switch info := s.Info(); {
	case info.Multisampled:
		return "2dms"
	case info.Dimension == texture.D1 || info.Dimension == texture.D2:
		return "a2d"
	case info.Dimension == texture.D3:
		return "3d"
	case info.Arrayed:
		return "acube"
	}
	return "cube"
}

// shapeOf returns the shape of the texture with a number.
func (e *emitter) shapeOf(t uint32) texture.Shape { return e.m.ShapeOf(e.builder.TextureType(t)) }

// coordinates prints the vector of coordinates. It has one component, or four, of which a layer or
// a sample is the first. The last coordinate is repeated to fill them.
func (e *emitter) coordinates(first mir.Operand, at []mir.Operand) {
	e.text("{")
	count := 0
	add := func(o mir.Operand) {
		if count++; count > 1 {
			e.text(", ")
		}
		e.name(o)
	}
	if first != mir.NoOperand {
		add(first)
	}
	for _, o := range at {
		add(o)
	}
	for last := at[len(at)-1]; count > 1 && count < 4; {
		add(last)
	}
	e.text("}")
}

// textureCoordinates splits off the operands that say where, in registers: a layer, if the geometry
// has one, and so many coordinates. A row is where its second coordinate is middle.
func (e *emitter) textureCoordinates(args []mir.Operand, s texture.Shape, n int, middle mir.Operand) (layer mir.Operand, at operandList, rest []mir.Operand) {
	at, rest = e.inRegisters(args[:n]), args[n:]
	switch info := s.Info(); {
	case info.Arrayed:
		layer, rest = e.register(rest[0]), rest[1:]
	case info.Dimension == texture.D1:
		layer = e.register(e.zero())
		at.add(e.register(middle))
	case info.Dimension == texture.D2 && !info.Multisampled:
		layer = e.register(e.zero())
	}
	return layer, at, rest
}

// inRegisters returns operands, of which constants are brought into registers.
func (e *emitter) inRegisters(list []mir.Operand) (in operandList) {
	for _, o := range list {
		in.add(e.register(o))
	}
	return in
}

func (e *emitter) zero() mir.Operand { return mir.Const(e.m.ConstU32(0)) }
func (e *emitter) half() mir.Operand {
	return mir.Const(e.m.ConstScalar(ir.F32, uint64(math.Float32bits(0.5))))
}

// four returns the registers of an instruction that always yields four numbers; those that nobody
// asked for are new ones.
func (e *emitter) four(results []mir.Operand) (four operandList) {
	four.add(results...)
	for four.count < 4 {
		four.add(e.f.Fresh(mir.Word))
	}
	return four
}

// channelTypes are the types of what is read.
var channelTypes = [scalar.Count]string{scalar.F32: "f32", scalar.I32: "s32", scalar.U32: "u32"}

// fetch prints a read of a texel.
func (e *emitter) fetch(i mir.Inst, t uint32) {
	s := e.shapeOf(t)
	layer, at, rest := e.textureCoordinates(e.f.Args(i), s, s.SizeComponents(), e.zero())
	object := e.object(abi.TextureParameter, t, 0)
	instruction, level := "\ttex.level.", e.zero()
	switch {
	case s.Info().Multisampled:
		instruction, layer = "\ttex.", e.register(rest[0])
	case len(rest) > 0:
		level = rest[0]
	}
	e.text(instruction, geometry(s), ".v4.", channelTypes[e.f.Kind(i)], ".s32 ")
	four := e.four(e.f.Results(i))
	e.tuple(four.all())
	e.text(", [")
	e.name(object)
	e.text(", ")
	e.coordinates(layer, at.all())
	e.text("]")
	if !s.Info().Multisampled {
		e.text(", ")
		e.bits(level)
	}
	e.text(";\n")
}

// texelOffset prints the offset in texels, if there is one.
func (e *emitter) texelOffset(offset []mir.Operand) {
	if len(offset) == 0 {
		return
	}
	e.text(", {")
	for k, o := range offset {
		if k > 0 {
			e.text(", ")
		}
		e.typed(o)
	}
	if len(offset) == 3 {
		e.text(", 0")
	}
	e.text("}")
}

// sample prints a sample at a level. Which object it takes depends on the level, where that is
// known only then.
func (e *emitter) sample(i mir.Inst, t, sampler uint32) {
	s := e.shapeOf(t)
	layer, at, rest := e.textureCoordinates(e.f.Args(i), s, s.Coordinates(), e.half())
	level := rest[0]
	var object mir.Operand
	switch {
	case level.IsConst() && scalar.ToFloat64(scalar.F32, e.f.Bits(level)) > 0:
		object = e.object(abi.MinifiedParameter, t, sampler)
	case level.IsConst():
		object = e.object(abi.SampledParameter, t, sampler)
	default:
		magnified, minified := e.object(abi.SampledParameter, t, sampler), e.object(abi.MinifiedParameter, t, sampler)
		object = e.f.Fresh(mir.Long)
		e.expand("setp.gt.f32 $p0, $a, 0f00000000; selp.b64 $d, $b, $c, $p0", of(scalar.F32, []mir.Operand{object}, level, minified, magnified))
	}
	level = e.register(level)
	e.text("\ttex.level.", geometry(s), ".v4.", channelTypes[e.f.Kind(i)], ".f32 ")
	four := e.four(e.f.Results(i))
	e.tuple(four.all())
	e.text(", [")
	e.name(object)
	e.text(", ")
	e.coordinates(layer, at.all())
	e.text("], ")
	e.name(level)
	e.texelOffset(rest[1:])
	e.text(";\n")
}

// gather prints a gather of one channel.
func (e *emitter) gather(i mir.Inst, t, sampler uint32) {
	s := e.shapeOf(t)
	layer, at, rest := e.textureCoordinates(e.f.Args(i), s, s.Coordinates(), e.half())
	object := e.object(abi.GatheredParameter, t, sampler)
	component := e.f.Bits(rest[0]) & 3
	e.text("\ttld4.", "rgba"[component:component+1], ".", geometry(s), ".v4.", channelTypes[e.f.Kind(i)], ".f32 ")
	e.tuple(e.f.Results(i))
	e.text(", [")
	e.name(object)
	e.text(", ")
	e.coordinates(layer, at.all())
	e.text("]")
	e.texelOffset(rest[1:])
	e.text(";\n")
}

// surface prints a load or a store of bits. A load asks the memory itself (.cv), since the
// invocation, or another one before a barrier, may have written there.
func (e *emitter) surface(i mir.Inst, t uint32) {
	s, format := e.shapeOf(t), e.m.FormatOf(e.builder.TextureType(t))
	args, data := e.f.Args(i), e.f.Results(i)
	n := s.SizeComponents()
	var layer mir.Operand
	at := e.inRegisters(args[:n])
	switch args = args[n:]; n {
	case 1:
		layer = e.register(e.zero())
		at.add(e.register(e.zero()))
	case 2:
		layer, args = e.register(args[0]), args[1:]
	}
	store := e.f.Op(i) == surfaceStore
	if store {
		stored := e.inRegisters(args)
		data = stored.all()
	}
	kind := scalar.U32
	switch abi.ArrayFormat(format).Bytes() {
	case 1:
		kind = scalar.U8
	case 2:
		kind = scalar.F16
	}
	object := e.object(abi.SurfaceParameter, t, 0)
	name := "\tsuld.b."
	if store {
		name = "\tsust.b."
	}
	e.text(name, geometry(s))
	if !store {
		e.text(".cv")
	}
	switch len(data) {
	case 2:
		e.text(".v2")
	case 4:
		e.text(".v4")
	}
	e.text(".", kinds[kind].bits, ".zero ")
	where := func() {
		e.text("[")
		e.name(object)
		e.text(", ")
		e.coordinates(layer, at.all())
		e.text("]")
	}
	if store {
		where()
		e.text(", ")
		e.operands(data)
	} else {
		e.operands(data)
		e.text(", ")
		where()
	}
	e.text(";\n")
}

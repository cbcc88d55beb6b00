package msl

import (
	"strconv"
	"strings"

	"github.com/gpuc/gpuc/codegen/printer"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/ir/texture"
	"github.com/gpuc/gpuc/opt"
)

// This file writes textures and samplers: their types (MSL 2.9 and 2.10) and what is done with
// them, which are member functions of the types (MSL 6.12). Coordinates of texels, layers and
// levels are unsigned there.
//
// Reads stay inside because guard.RobustTextures clamps them. A store outside is left out by a
// test that the text makes itself: the specification does not say what becomes of it. The layer of
// a sample is clamped in the text as well, for the same reason.

// textureTypes are Metal's types, by shape. What a video is, an external texture, the program that
// has one knows; to a kernel it is a texture of floats.
var textureTypes = [texture.Shapes]string{
	texture.Sampled1D: "texture1d", texture.Sampled2D: "texture2d", texture.Sampled2DArray: "texture2d_array",
	texture.Sampled3D: "texture3d", texture.SampledCube: "texturecube", texture.SampledCubeArray: "texturecube_array",
	texture.Multisampled2D: "texture2d_ms", texture.Depth2D: "depth2d", texture.Depth2DArray: "depth2d_array",
	texture.DepthCube: "depthcube", texture.DepthCubeArray: "depthcube_array", texture.DepthMultisampled2D: "depth2d_ms",
	texture.Storage1D: "texture1d", texture.Storage2D: "texture2d", texture.Storage2DArray: "texture2d_array",
	texture.Storage3D: "texture3d", texture.External: "texture2d",
}

// accessWords are what is done with a texture that is not sampled (MSL 2.9).
var accessWords = [...]string{ir.Read: "access::read", ir.Write: "access::write", ir.ReadWrite: "access::read_write"}

// textureType spells the type of a texture.
func (w *emitter) textureType(t ir.Type) string {
	m := w.M
	shape := m.ShapeOf(t)
	name := textureTypes[shape] + "<" + w.scalarName(m.ChannelOf(t))
	switch {
	case shape.IsStorage():
		name += ", " + accessWords[m.AccessOf(t)]
	case shape.Info().Multisampled: // which are never sampled
		name += ", access::read"
	}
	return name + ">"
}

// textureOperations write the operations on textures.
var textureOperations = [op.Count]func(w *emitter, i ir.Inst, o *ir.TextureOperands) printer.Expr{
	op.TextureSize: textureSize, op.TextureLayers: textureNumber, op.TextureLevels: textureNumber, op.TextureSamples: textureNumber,
	op.TextureLoad: textureLoad, op.TextureRead: textureLoad, op.TextureStore: textureStore,
	op.TextureSample: textureSample, op.TextureSampleGradient: textureSample, op.TextureSampleCompare: textureSample,
	op.TextureGather: textureGather, op.TextureGatherCompare: textureGather,
}

func (w *emitter) texture(i ir.Inst) {
	f := w.F
	o := f.TextureOperandsOf(i)
	x := textureOperations[f.Op(i)](w, i, &o)
	switch f.Op(i) {
	case op.TextureStore:
		w.Flush(printer.Anything)
		w.Line(x.Text, ";")
		return
	case op.TextureRead:
		x.Reads = printer.Anything
	}
	w.Define(i, x)
}

// member writes a call of a texture's member function.
func (w *emitter) member(o *ir.TextureOperands, function string, args []printer.Expr) printer.Expr {
	t := w.Take(o.Texture)
	x := printer.Call(t.Text+"."+function, args)
	return x.With(t)
}

// unsigned writes an integer or a vector of integers as unsigned, like Metal's coordinates.
func (w *emitter) unsigned(v ir.Value) printer.Expr { return w.asUnsigned(w.Take(v), w.F.TypeOf(v)) }

// sizeNames are the functions for the components of a size.
var sizeNames = [...]string{"get_width", "get_height", "get_depth"}

func textureSize(w *emitter, i ir.Inst, o *ir.TextureOperands) printer.Expr {
	shape := w.M.ShapeOf(w.F.TypeOf(o.Texture))
	var level []printer.Expr
	// one dimension has one level (MSL 6.12.1)
	if o.Level != ir.NoValue && shape.Info().Dimension != texture.D1 {
		x := w.unsigned(o.Level)
		if shape.SizeComponents() > 1 && x.Level != printer.Primary {
			x = w.Let(ir.NoValue, ir.U32, x)
		}
		level = []printer.Expr{x}
	}
	var parts []printer.Expr
	for _, name := range sizeNames[:shape.SizeComponents()] {
		parts = append(parts, w.member(o, name, level))
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return printer.Call(w.typeName(w.F.Type(i)), parts)
}

// numberNames are the functions for a texture's counts.
var numberNames = [op.Count]string{op.TextureLayers: "get_array_size", op.TextureLevels: "get_num_mip_levels", op.TextureSamples: "get_num_samples"}

func textureNumber(w *emitter, i ir.Inst, o *ir.TextureOperands) printer.Expr {
	return w.member(o, numberNames[w.F.Op(i)], nil)
}

func textureLoad(w *emitter, i ir.Inst, o *ir.TextureOperands) printer.Expr {
	args := []printer.Expr{w.unsigned(o.Coordinates)}
	if o.Layer != ir.NoValue {
		args = append(args, w.unsigned(o.Layer))
	}
	switch {
	case o.Sample != ir.NoValue:
		args = append(args, w.unsigned(o.Sample))
	case o.Level != ir.NoValue && !w.M.IsZero(o.Level) && w.M.ShapeOf(w.F.TypeOf(o.Texture)).Info().Dimension != texture.D1:
		args = append(args, w.unsigned(o.Level))
	}
	return w.member(o, "read", args)
}

func textureStore(w *emitter, i ir.Inst, o *ir.TextureOperands) printer.Expr {
	args := []printer.Expr{w.Take(o.Texture), w.unsigned(o.Coordinates)}
	if o.Layer != ir.NoValue {
		args = append(args, w.unsigned(o.Layer))
	}
	return printer.Call(w.storeHelper(w.F.TypeOf(o.Texture)), append(args, w.Take(o.Stored)))
}

// storeHelper returns the function that writes a texel if it is within the texture. An invocation
// reads its own writes only after a fence (MSL 6.12, "fence"), and those of others after a barrier.
// Textures with different formats have the same type in Metal, and share a function.
func (w *emitter) storeHelper(t ir.Type) string {
	name := &w.operationNames[op.TextureStore]
	if *name == "" {
		*name = w.globals.Always("store_texel")
	}
	spelled := w.typeName(t)
	if w.stored[spelled] {
		return *name
	}
	w.stored[spelled] = true
	shape := w.M.ShapeOf(t)
	n := shape.SizeComponents()
	at := "uint"
	if n > 1 {
		at += strconv.Itoa(n)
	}
	parameters, args := spelled+" image, "+at+" at", "texel, at"
	var inside []string
	for k, size := range sizeNames[:n] {
		component := "at"
		if n > 1 {
			component += "." + "xyz"[k:][:1]
		}
		inside = append(inside, component+" < image."+size+"()")
	}
	if shape.Info().Arrayed {
		parameters, args = parameters+", uint layer", args+", layer"
		inside = append(inside, "layer < image.get_array_size()")
	}
	text := "inline void " + *name + "(" + parameters + ", " + w.vectorName(w.M.ChannelOf(t), 4) + " texel) {\n"
	lines := []string{"image.write(" + args + ");"}
	if w.M.AccessOf(t) == ir.ReadWrite {
		lines = append(lines, "image.fence();")
	}
	margin := "  "
	if w.e.Context.Bounds != opt.BoundsOff {
		text += "  if (" + strings.Join(inside, " && ") + ") {\n"
		margin = "    "
	}
	for _, line := range lines {
		text += margin + line + "\n"
	}
	if margin != "  " {
		text += "  }\n"
	}
	w.declare(text + "}\n\n")
	return *name
}

// sampleArgs returns the first arguments of every sample: sampler, coordinates, and the layer if
// there is one.
func (w *emitter) sampleArgs(o *ir.TextureOperands) []printer.Expr {
	args := []printer.Expr{w.Take(o.Sampler), w.Take(o.Coordinates)}
	if o.Layer == ir.NoValue {
		return args
	}
	layer := w.unsigned(o.Layer)
	if w.e.Context.Bounds != opt.BoundsOff && !w.M.IsZero(o.Layer) {
		last := w.member(o, "get_array_size", nil)
		layer = printer.Call("min", []printer.Expr{layer, printer.Binary(last, "-", printer.Atom("1u"), printer.Additive)})
	}
	return append(args, layer)
}

// offset appends the offset in texels, unless it is none.
func (w *emitter) offset(args []printer.Expr, o *ir.TextureOperands) []printer.Expr {
	if o.Offset == ir.NoValue || w.M.IsZero(o.Offset) {
		return args
	}
	return append(args, w.Take(o.Offset))
}

// gradients are the options that have a sample's level follow from derivatives (MSL 6.12), by
// dimension.
var gradients = [...]string{texture.D2: "gradient2d", texture.D3: "gradient3d", texture.Cube: "gradientcube"}

// textureSample writes samples with an explicit level. One-dimensional textures have one level, and
// no option for it (MSL 6.12.1): Metal uses the magnification filter.
func textureSample(w *emitter, i ir.Inst, o *ir.TextureOperands) printer.Expr {
	args := w.sampleArgs(o)
	function := "sample"
	if o.Reference != ir.NoValue {
		function = "sample_compare"
		args = append(args, w.Take(o.Reference))
	}
	switch dimension := w.M.ShapeOf(w.F.TypeOf(o.Texture)).Info().Dimension; {
	case dimension == texture.D1:
	case o.GradientX != ir.NoValue:
		args = append(args, printer.Call(gradients[dimension], []printer.Expr{w.Take(o.GradientX), w.Take(o.GradientY)}))
	case o.Level != ir.NoValue:
		args = append(args, printer.Call("level", []printer.Expr{w.Take(o.Level)}))
	default:
		args = append(args, printer.Call("level", []printer.Expr{w.scalarConstant(scalar.F32, 0)}))
	}
	return w.member(o, function, w.offset(args, o))
}

// textureGather writes gathers. The component comes after the offset and is a constant (MSL
// 6.12.3).
func textureGather(w *emitter, i ir.Inst, o *ir.TextureOperands) printer.Expr {
	args := w.sampleArgs(o)
	function := "gather"
	if o.Reference != ir.NoValue {
		function = "gather_compare"
		args = append(args, w.Take(o.Reference))
	}
	shape := w.M.ShapeOf(w.F.TypeOf(o.Texture))
	args = w.offset(args, o)
	if o.Component == ir.NoValue || shape.IsDepth() {
		return w.member(o, function, args)
	}
	if shape.Info().Dimension != texture.Cube && (o.Offset == ir.NoValue || w.M.IsZero(o.Offset)) {
		args = append(args, printer.Atom("int2(0)"))
	}
	component := w.M.ConstBits(o.Component) & 3
	return w.member(o, function, append(args, printer.Atom("component::"+"xyzw"[component:][:1])))
}

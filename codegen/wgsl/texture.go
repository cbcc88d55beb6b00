package wgsl

import (
	"strconv"

	"github.com/gpuc/gpuc/codegen/printer"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file writes operations on textures: builtin functions with the operands in the order of the
// IR's. The exceptions are below.

var textureNames = [op.Count]string{
	op.TextureSize: "textureDimensions", op.TextureLayers: "textureNumLayers", op.TextureLevels: "textureNumLevels",
	op.TextureSamples: "textureNumSamples", op.TextureLoad: "textureLoad", op.TextureRead: "textureLoad",
	op.TextureStore: "textureStore", op.TextureSample: "textureSampleLevel", op.TextureSampleGradient: "textureSampleGrad",
	op.TextureSampleCompare: "textureSampleCompareLevel", op.TextureGather: "textureGather", op.TextureGatherCompare: "textureGatherCompare",
}

func (w *emitter) texture(i ir.Inst) {
	f, m := w.F, w.M
	args := f.Args(i)
	t := f.TypeOf(args[0])
	shape := m.ShapeOf(t)
	texts := make([]printer.Expr, len(args))
	for n, a := range args {
		texts[n] = w.Take(a)
	}
	behind := 3 // operands after texture, sampler, coordinates and layer
	if shape.Info().Arrayed {
		behind++
	}
	switch f.Op(i) {
	case op.TextureSample:
		if shape.IsDepth() { // whose levels are integers
			texts[behind] = w.integerLevel(args[behind], texts[behind])
		}
	case op.TextureGather: // has the component in front, and none of a depth texture
		component := strconv.Itoa(int(m.ConstBits(args[behind])))
		texts = append(texts[:behind], texts[behind+1:]...)
		if !shape.IsDepth() {
			texts = append([]printer.Expr{printer.Atom(component)}, texts...)
		}
	}
	x := printer.Call(textureNames[f.Op(i)], texts)
	switch {
	case f.Op(i) == op.TextureStore:
		w.Flush(printer.Anything)
		w.Line(x.Text, ";")
	case f.Op(i) == op.TextureRead:
		x.Reads = printer.Anything
		w.Define(i, x)
	default:
		w.Define(i, x)
	}
}

// integerLevel makes an integer of a level of detail, which was one in the source.
func (w *emitter) integerLevel(v ir.Value, x printer.Expr) printer.Expr {
	if v.IsConst() {
		return number(strconv.Itoa(int(scalar.ToFloat64(scalar.F32, w.M.ConstBits(v)))))
	}
	return printer.Call("i32", []printer.Expr{x})
}

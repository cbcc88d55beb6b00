package ir

import (
	"fmt"

	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/ir/texture"
)

// This file checks the operands of texture operations. What they are follows
// from the operation's row below and the shape of the texture.

// textureOperand is a kind of operand after the texture.
type textureOperand uint8

const (
	samplerOperand       textureOperand = iota // a sampler
	comparisonOperand                          // a comparison sampler
	texelOperand                               // integers that address a texel
	coordinatesOperand                         // f32 coordinates of a sample
	layerOperand                               // i32 or u32, of arrayed textures only
	levelOrSampleOperand                       // i32 or u32, of textures that have either
	optionalLevelOperand                       // i32 or u32, may be left out
	detailOperand                              // the f32 level of detail
	gradientOperand                            // f32, as the coordinates
	referenceOperand                           // the f32 to compare with
	componentOperand                           // a constant u32 from 0 to 3
	offsetOperand                              // constant i32, may be left out
	valueOperand                               // what is stored
)

// textureResult is what an operation yields.
type textureResult uint8

const (
	noTexel    textureResult = iota
	countOf                  // u32
	sizeOf                   // u32, a vector of as many components as the size
	texelOf                  // vec4 of the texture's channels, or f32 of a depth texture
	fourOf                   // vec4 of the texture's channels
	comparison               // f32
)

// textureRow says which textures an operation takes, its operands and result.
type textureRow struct {
	takes    func(texture.Shape) bool
	operands []textureOperand
	result   textureResult
}

var textureRows = [op.Count]textureRow{
	op.TextureSize:    {func(texture.Shape) bool { return true }, []textureOperand{optionalLevelOperand}, sizeOf},
	op.TextureLayers:  {func(s texture.Shape) bool { return s.Info().Arrayed }, nil, countOf},
	op.TextureLevels:  {texture.Shape.HasLevels, nil, countOf},
	op.TextureSamples: {func(s texture.Shape) bool { return s.Info().Multisampled }, nil, countOf},
	op.TextureLoad: {func(s texture.Shape) bool { return s.Info().Dimension != texture.Cube },
		[]textureOperand{texelOperand, layerOperand, levelOrSampleOperand}, texelOf},
	op.TextureRead:  {texture.Shape.IsStorage, []textureOperand{texelOperand, layerOperand}, texelOf},
	op.TextureStore: {texture.Shape.IsStorage, []textureOperand{texelOperand, layerOperand, valueOperand}, noTexel},
	op.TextureSample: {sampleable,
		[]textureOperand{samplerOperand, coordinatesOperand, layerOperand, detailOperand, offsetOperand}, texelOf},
	op.TextureSampleGradient: {sampleable,
		[]textureOperand{samplerOperand, coordinatesOperand, layerOperand, gradientOperand, gradientOperand, offsetOperand}, texelOf},
	op.TextureSampleCompare: {compared,
		[]textureOperand{comparisonOperand, coordinatesOperand, layerOperand, referenceOperand, offsetOperand}, comparison},
	op.TextureGather: {gatherable,
		[]textureOperand{samplerOperand, coordinatesOperand, layerOperand, componentOperand, offsetOperand}, fourOf},
	op.TextureGatherCompare: {compared,
		[]textureOperand{comparisonOperand, coordinatesOperand, layerOperand, referenceOperand, offsetOperand}, fourOf},
}

func sampleable(s texture.Shape) bool { return !s.IsStorage() && !s.Info().Multisampled }

func compared(s texture.Shape) bool { return s.IsDepth() && !s.Info().Multisampled }

func gatherable(s texture.Shape) bool {
	return sampleable(s) && (s.Info().Dimension == texture.D2 || s.Info().Dimension == texture.Cube)
}

// textureTypes checks an instruction on a texture.
func textureTypes(v *verifier, i Inst) string {
	row := &textureRows[v.f.Op(i)]
	args := v.f.Args(i)
	if len(args) == 0 || !v.m.IsTexture(v.f.TypeOf(args[0])) {
		return "the first operand is no texture"
	}
	t := v.f.TypeOf(args[0])
	if !row.takes(v.m.ShapeOf(t)) {
		return "the operation does not take " + v.m.TypeString(t)
	}
	if message := textureAccess(v.f.Op(i), v.m.AccessOf(t)); message != "" {
		return message
	}
	next := 1
	for _, kind := range row.operands {
		if !v.m.takesTextureOperand(t, kind) {
			continue
		}
		if next == len(args) {
			if kind == optionalLevelOperand || kind == offsetOperand {
				continue
			}
			return fmt.Sprintf("operand %d is missing", next+1)
		}
		if want := v.textureOperand(t, kind, args[next]); want != "" {
			return fmt.Sprintf("operand %d is %s, want %s", next+1, v.m.TypeString(v.f.TypeOf(args[next])), want)
		}
		next++
	}
	if next != len(args) {
		return fmt.Sprintf("%d operands, want %d", len(args), next)
	}
	return v.result(i, v.m.TextureResult(v.f.Op(i), t))
}

// textureAccess returns why an operation does not go with an access mode, or "".
func textureAccess(o op.Op, access Access) string {
	switch {
	case o == op.TextureLoad && access != Read:
		return "the texture may be written; texture_read reads it"
	case o == op.TextureRead && access != ReadWrite:
		return "the texture is not one that is both read and written"
	case o == op.TextureStore && access == Read:
		return "the texture is read-only"
	}
	return ""
}

// takesTextureOperand reports whether operations on a texture have the operand.
func (m *Module) takesTextureOperand(t Type, kind textureOperand) bool {
	shape := m.ShapeOf(t)
	switch kind {
	case layerOperand:
		return shape.Info().Arrayed
	case levelOrSampleOperand:
		return shape.HasLevels() || shape.Info().Multisampled
	case optionalLevelOperand:
		return shape.HasLevels()
	case offsetOperand:
		return shape.Info().Dimension != texture.Cube && shape != texture.Sampled1D
	}
	return true
}

// textureOperand returns what an operand should be if it is something else.
func (v *verifier) textureOperand(t Type, kind textureOperand, arg Value) string {
	m, got := v.m, v.f.TypeOf(arg)
	vector := func(k scalar.Kind, n int) Type {
		if n == 1 {
			return Type(k)
		}
		return m.VectorOf(Type(k), n)
	}
	shape := m.ShapeOf(t)
	want := F32
	switch kind {
	case samplerOperand, comparisonOperand:
		want = m.SamplerOf(kind == comparisonOperand)
	case texelOperand:
		want = vector(scalar.U32, shape.SizeComponents())
		if got == vector(scalar.I32, shape.SizeComponents()) {
			return ""
		}
	case layerOperand, levelOrSampleOperand, optionalLevelOperand:
		want = U32
		if got == I32 {
			return ""
		}
	case coordinatesOperand, gradientOperand:
		want = vector(scalar.F32, shape.Coordinates())
	case componentOperand:
		if n, ok := m.ConstUint(arg); !ok || got != U32 || n > 3 {
			return "a constant from 0u to 3u"
		}
		want = U32
	case offsetOperand:
		want = vector(scalar.I32, shape.SizeComponents())
		if !arg.IsConst() {
			return "a constant " + m.TypeString(want)
		}
	case valueOperand:
		want = m.VectorOf(Type(m.ChannelOf(t)), 4)
	}
	if got != want {
		return m.TypeString(want)
	}
	return ""
}

// TextureResult returns the type that an operation on a texture of the given
// type yields.
func (m *Module) TextureResult(o op.Op, t Type) Type {
	shape := m.ShapeOf(t)
	switch textureRows[o].result {
	case countOf:
		return U32
	case sizeOf:
		if n := shape.SizeComponents(); n > 1 {
			return m.VectorOf(U32, n)
		}
		return U32
	case texelOf:
		if shape.IsDepth() {
			return F32
		}
		return m.VectorOf(Type(m.ChannelOf(t)), 4)
	case fourOf:
		return m.VectorOf(Type(m.ChannelOf(t)), 4)
	case comparison:
		return F32
	}
	return Void
}

// TextureOperands are the operands of an instruction on a texture by what they
// are; those that it does not have are NoValue.
type TextureOperands struct {
	Texture, Sampler     Value
	Coordinates          Value // of a texel or a sample
	Layer                Value
	Level                Value // of texture_size, texture_load and texture_sample
	Sample               Value
	GradientX, GradientY Value
	Reference            Value
	Component            Value
	Offset               Value
	Stored               Value
}

// TextureOperandsOf returns the operands of an instruction on a texture.
func (f *Func) TextureOperandsOf(i Inst) (o TextureOperands) {
	m, args := f.Module, f.Args(i)
	o.Texture = args[0]
	t := f.TypeOf(args[0])
	next := 1
	for _, kind := range textureRows[f.Op(i)].operands {
		if next == len(args) {
			break
		}
		if !m.takesTextureOperand(t, kind) {
			continue
		}
		to := &o.Level
		switch kind {
		case samplerOperand, comparisonOperand:
			to = &o.Sampler
		case texelOperand, coordinatesOperand:
			to = &o.Coordinates
		case layerOperand:
			to = &o.Layer
		case levelOrSampleOperand:
			if m.ShapeOf(t).Info().Multisampled {
				to = &o.Sample
			}
		case gradientOperand:
			if to = &o.GradientX; o.GradientX != NoValue {
				to = &o.GradientY
			}
		case referenceOperand:
			to = &o.Reference
		case componentOperand:
			to = &o.Component
		case offsetOperand:
			to = &o.Offset
		case valueOperand:
			to = &o.Stored
		}
		*to = args[next]
		next++
	}
	return o
}

package guard

import (
	"github.com/gpuc/gpuc/codegen/rewrite"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
)

// RobustTextures makes reads of texels and queries stay within their texture (Tint: Robustness).
// Coordinates, layers, levels and samples are clamped to the last, as unsigned integers.
//
//	%v = texture_load %t, %p, %l      ─►   %n = texture_levels %t
//	                                       %last = sub %n, 1u
//	                                       %size = texture_size %t
//	                                       …
//	                                       %l.0 = min %l, %last
//	                                       %end = sub (max (shr %size, %l.0), 1u), 1u
//	                                       %p.0 = min %p, %end
//	                                       %v = texture_load %t, %p.0, %l.0
//
// The size of a level is that of level 0, halved once for each level, so one query serves all
// levels. No query has a level that differs between invocations, since a driver may return the size
// of one of the levels (workaround.Choices).
//
// Zero operands need no clamp. Sizes and counts of a texture are queried once, after the
// instruction that yields the texture, so that no loop repeats the query. Devices drop stores out
// of range, but may compute addresses in 32 bits, and then write to layer 0 for layer 2^31.
// Coordinates and layers of stores are therefore clamped to 2^16 - 1, which no texture reaches.
// Sampled coordinates stay in range by the sampler's modes. Only layers are clamped, to integers
// that are exact as floats.
//
// With bounds off the caller has promised that nothing is out of range. The trap mode clamps as the
// robust mode does and records nothing: a texture has no single index that a report could show.
var RobustTextures = opt.Pass{
	Name:  "robust-textures",
	Doc:   "clamp coordinates, layers, levels and samples of texel reads to the last",
	Needs: ir.Bound,
	Run: func(c *opt.Context, m *ir.Module) {
		if c.Bounds == opt.BoundsOff {
			return
		}
		p := opt.Scratch[textureClamper](c, "robust-textures")
		for _, f := range m.Funcs {
			if !f.Had(&textureOps) {
				continue
			}
			p.Rewriter = rewrite.New(c, m)
			p.F, p.B.F = f, f
			p.queries = p.queries[:0]
			p.function()
			f.ApplyReplacements()
		}
	},
}

var textureOps = func() (ops op.Set) {
	for o := op.TextureSize; o <= op.TextureGatherCompare; o++ {
		ops.Add(o)
	}
	return ops
}()

// textureClamper guards one function at a time.
type textureClamper struct {
	rewrite.Rewriter
	queries []textureQuery
}

// textureQuery is what a query of a texture yields, and one less or NoValue
// while nothing needs that.
type textureQuery struct {
	texture      ir.Value
	op           op.Op // texture_size is that of level 0
	result, last ir.Value
}

func (p *textureClamper) function() {
	f := p.F
	for i := f.First(f.Entry); i != 0; {
		next := f.After(i, f.Entry)
		switch o := f.Op(i); {
		case o == op.TextureLoad, o == op.TextureRead:
			if p.Context.Survey != nil {
				p.surveyTexel(p.Context.Survey, i)
			}
			p.clampTexel(i)
		case o == op.TextureStore:
			p.clampStore(i)
		case o == op.TextureSize && len(f.Args(i)) > 1:
			p.clampSize(i)
		case isSample(o):
			p.clampSampleLayer(i)
		}
		i = next
	}
}

func isSample(o op.Op) bool { return o >= op.TextureSample && o <= op.TextureGatherCompare }

// maxTexel lies outside of every texture.
const maxTexel = 1<<16 - 1

// clampStore clamps a store out of range to an address that devices recognise as out of range.
func (p *textureClamper) clampStore(i ir.Inst) {
	o := p.F.TextureOperandsOf(i)
	for n, v := range [...]ir.Value{1: o.Coordinates, 2: o.Layer} {
		if k, ok := p.M.ConstUint(v); v == ir.NoValue || ok && k <= maxTexel || p.M.IsZero(v) {
			continue
		}
		p.before(i)
		v = p.Cast(scalar.U32, v)
		p.F.SetArg(i, n, p.Op(op.Min, v, p.Integer(p.F.TypeOf(v), maxTexel)))
	}
}

// maxLayers is more than any texture has, and exact as an f32.
const maxLayers = 1 << 16

// clampSampleLayer keeps a layer to sample from between 0 and maxLayers, which is exact as a
// float. Devices clamp the float to the number of layers. A driver may convert it to an integer
// first, times six for cubes, which wraps (workaround.Choices).
func (p *textureClamper) clampSampleLayer(i ir.Inst) {
	layer := p.F.TextureOperandsOf(i).Layer
	if n, ok := p.M.ConstUint(layer); layer == ir.NoValue || ok && n <= maxLayers {
		return
	}
	p.before(i)
	t := p.F.TypeOf(layer)
	if p.M.ScalarOf(t).IsSigned() {
		layer = p.Op(op.Max, layer, p.Integer(t, 0))
	}
	p.F.SetArg(i, sampleLayer, p.Op(op.Min, layer, p.Integer(t, maxLayers)))
}

// sampleLayer is the operand after the coordinates.
const sampleLayer = 3

// clampTexel clamps what addresses a texel: the level first, since the size
// depends on it.
func (p *textureClamper) clampTexel(i ir.Inst) {
	f := p.F
	o := f.TextureOperandsOf(i)
	n := len(f.Args(i)) - 1 // the level or sample is the last operand
	level := ir.NoValue
	switch {
	case o.Level != ir.NoValue:
		level = p.clampOperand(i, n, op.TextureLevels)
	case o.Sample != ir.NoValue:
		p.clampOperand(i, n, op.TextureSamples)
	}
	if o.Layer != ir.NoValue {
		p.clampOperand(i, 2, op.TextureLayers)
	}
	if p.M.IsZero(o.Coordinates) {
		return
	}
	var last ir.Value
	if level == ir.NoValue || p.M.IsZero(level) {
		last = p.last(i, op.TextureSize)
	} else {
		size := p.levelSize(i, level)
		last = p.Op(op.Sub, size, p.Integer(f.TypeOf(size), 1))
	}
	p.before(i)
	f.SetArg(i, 1, p.Op(op.Min, p.Cast(scalar.U32, o.Coordinates), last))
}

// clampSize replaces the query of a level's size.
func (p *textureClamper) clampSize(i ir.Inst) {
	f := p.F
	var size ir.Value
	if level := p.clampOperand(i, 1, op.TextureLevels); p.M.IsZero(level) {
		size = p.queries[p.query(i, op.TextureSize)].result
	} else {
		size = p.levelSize(i, level)
	}
	f.Replace(f.Result(i), size)
	f.Remove(i)
}

// levelSize builds the size of a level other than 0 before an instruction.
func (p *textureClamper) levelSize(i ir.Inst, level ir.Value) ir.Value {
	size := p.queries[p.query(i, op.TextureSize)].result
	p.before(i)
	t := p.F.TypeOf(size)
	return p.Op(op.Max, p.Op(op.Shr, size, p.Broadcast(t, level)), p.Integer(t, 1))
}

// clampOperand clamps operand n to the result of a query less one, and returns the clamped operand.
func (p *textureClamper) clampOperand(i ir.Inst, n int, query op.Op) ir.Value {
	v := p.F.Arg(i, n)
	if p.M.IsZero(v) {
		return v
	}
	last := p.last(i, query)
	p.before(i)
	v = p.Op(op.Min, p.Cast(scalar.U32, v), last)
	p.F.SetArg(i, n, v)
	return v
}

// last returns the result of a query of an instruction's texture, less one.
func (p *textureClamper) last(i ir.Inst, query op.Op) ir.Value {
	x := &p.queries[p.query(i, query)]
	if x.last == ir.NoValue {
		made, _ := p.F.Def(x.result)
		p.before(made)
		p.B.SetBefore(p.F.Next(made))
		x.last = p.Op(op.Sub, x.result, p.Integer(p.F.TypeOf(x.result), 1))
	}
	return x.last
}

// query returns the index in queries of a query of an instruction's texture.
func (p *textureClamper) query(i ir.Inst, query op.Op) int {
	f := p.F
	texture := f.Arg(i, 0)
	for n, x := range p.queries {
		if x.texture == texture && x.op == query {
			return n
		}
	}
	p.before(i)
	if made, ok := f.Def(texture); ok {
		p.B.SetBefore(f.Next(made))
	} else { // a parameter of the function
		p.B.SetBefore(rewrite.AfterVars(f))
	}
	result := p.B.Emit(query, p.M.TextureResult(query, f.TypeOf(texture)), 0, texture)
	p.queries = append(p.queries, textureQuery{texture: texture, op: query, result: result})
	return len(p.queries) - 1
}

// before makes an instruction the one that others are built before.
func (p *textureClamper) before(i ir.Inst) {
	p.B.At(i)
}

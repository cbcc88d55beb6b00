package legalize

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
)

// RobustTextures makes reads of texels and queries stay within their texture, as
// the table of operations says: coordinates, layers, levels and samples beyond
// the last become the last, compared as unsigned numbers.
//
//	%v = texture_load %t, %p, %l      ─►   %n = texture_levels %t
//	                                       %last = sub %n, 1u
//	                                       %l.0 = min %l, %last
//	                                       %s = texture_size %t, %l.0
//	                                       %end = sub %s, 1u
//	                                       %p.0 = min %p, %end
//	                                       %v = texture_load %t, %p.0, %l.0
//
// What is zero needs nothing. Sizes of level 0, and the other numbers that a
// texture has, are made once, behind what yields the texture, so that no loop
// asks for them again. Stores need nothing: devices drop those that lie outside.
//
// With bounds off the caller has promised that nothing lies outside. The trap
// mode clamps as the robust mode does and records nothing: a texture has no
// single index that a report could show.
var RobustTextures = opt.Pass{
	Name:  "robusttextures",
	Doc:   "clamp coordinates, layers, levels and samples of texel reads to the last",
	Needs: ir.Bound,
	Run: func(c *opt.Context, m *ir.Module) {
		if c.Bounds == opt.BoundsOff {
			return
		}
		p := opt.Scratch[textureClamper](c, "robusttextures")
		for _, f := range m.Funcs {
			p.rewriter = rewriter{c: c, m: m, f: f}
			p.b.F = f
			p.lasts = p.lasts[:0]
			p.block(f.Entry)
		}
	},
}

// textureClamper guards one function at a time.
type textureClamper struct {
	rewriter
	lasts []textureLast
}

// textureLast is a number, or numbers, that a texture has, less one.
type textureLast struct {
	texture ir.Value
	query   op.Op // texture_size is that of level 0
	last    ir.Value
}

func (p *textureClamper) block(b ir.Block) {
	f := p.f
	for i := f.First(b); i != 0; i = f.Next(i) {
		switch o := f.Op(i); {
		case o == op.TextureLoad, o == op.TextureRead:
			p.clampTexel(i)
		case o == op.TextureSize && len(f.Args(i)) > 1:
			p.clampOperand(i, 1, op.TextureLevels)
		case o.Is(op.Control):
			for n := range f.Blocks(i) {
				p.block(f.Region(i, n))
			}
		}
	}
}

// clampTexel clamps what addresses a texel: the level first, since the size
// depends on it.
func (p *textureClamper) clampTexel(i ir.Inst) {
	f := p.f
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
	if p.m.IsZero(o.Coordinates) {
		return
	}
	var last ir.Value
	if level == ir.NoValue || p.m.IsZero(level) {
		last = p.last(i, op.TextureSize)
	} else {
		p.before(i)
		size := p.b.Emit(op.TextureSize, p.m.TextureResult(op.TextureSize, f.TypeOf(o.Texture)), 0, o.Texture, level)
		last = p.op(op.Sub, size, p.integer(f.TypeOf(size), 1))
	}
	p.before(i)
	f.SetArg(i, 1, p.op(op.Min, p.cast(scalar.U32, o.Coordinates), last))
}

// clampOperand clamps operand n to what a query yields less one, and returns what
// it becomes.
func (p *textureClamper) clampOperand(i ir.Inst, n int, query op.Op) ir.Value {
	v := p.f.Arg(i, n)
	if p.m.IsZero(v) {
		return v
	}
	last := p.last(i, query)
	p.before(i)
	v = p.op(op.Min, p.cast(scalar.U32, v), last)
	p.f.SetArg(i, n, v)
	return v
}

// last returns what a query of an instruction's texture yields less one.
func (p *textureClamper) last(i ir.Inst, query op.Op) ir.Value {
	f := p.f
	texture := f.Arg(i, 0)
	for _, l := range p.lasts {
		if l.texture == texture && l.query == query {
			return l.last
		}
	}
	p.before(i)
	if made, ok := f.Def(texture); ok {
		p.b.SetBefore(f.Next(made))
	} else { // a parameter of the function
		p.b.SetBefore(behindVariables(f))
	}
	t := f.TypeOf(texture)
	number := p.b.Emit(query, p.m.TextureResult(query, t), 0, texture)
	last := p.op(op.Sub, number, p.integer(f.TypeOf(number), 1))
	p.lasts = append(p.lasts, textureLast{texture, query, last})
	return last
}

// before makes an instruction the one that others are built before.
func (p *textureClamper) before(i ir.Inst) {
	p.b.SetBefore(i)
	p.b.Span, p.b.Flags = p.f.SpanOf(i), 0
}

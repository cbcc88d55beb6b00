package sampling

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/ir/texture"
)

// lookup is where and how to sample.
type lookup struct {
	*tex
	sampler *texture.Sampler
	at      []ir.Value // coordinates
	offset  [3]int32
	slice   ir.Value // of arrays, of cubes the first face's; the third axis of D3 is a coordinate
	face    ir.Value // of a cube, on which the coordinates are
	// reference is what texels are compared with, if not NoValue
	reference ir.Value
}

// sample lowers an operation with a sampler.
func (t *tex) sample(o op.Op, operands *ir.TextureOperands, s *texture.Sampler) []ir.Value {
	l := t.l
	u := &lookup{tex: t, sampler: s, at: l.parts(operands.Coordinates), slice: l.u(0), reference: operands.Reference}
	if layer := operands.Layer; layer != ir.NoValue {
		if l.F.TypeOf(layer) == ir.I32 {
			layer = l.max(layer, l.i(0))
		}
		u.slice = t.layer(layer)
	}
	detail := operands.Level
	if o == op.TextureSampleGradient {
		detail = u.detail(l.parts(operands.GradientX), l.parts(operands.GradientY))
	}
	if t.isCube() {
		u.slice = l.mul(u.slice, l.u(6))
		u.face, u.at = l.face(u.at)
	}
	for n, x := range l.parts(operands.Offset) {
		u.offset[n] = int32(l.m.ConstBits(x))
	}
	if r := u.reference; r != ir.NoValue && t.format.Encoding == texture.Unorm { // a NaN stays one
		r = l.pick(l.lt(r, l.f(0)), l.f(0), r)
		u.reference = l.pick(l.lt(l.f(1), r), l.f(1), r)
	}
	switch o {
	case op.TextureGather, op.TextureGatherCompare:
		component := uint64(0)
		if operands.Component != ir.NoValue {
			component, _ = l.m.ConstUint(operands.Component)
		}
		return u.gather(int(component & 3))
	case op.TextureSampleCompare:
		return u.sampleAt(l.f(0))
	}
	return u.sampleAt(detail)
}

// gather returns a channel of the four texels of level 0 that a linear filter would use.
func (u *lookup) gather(component int) []ir.Value {
	v := u.level(u.l.u(0))
	x, y := u.pair(&v, 0), u.pair(&v, 1)
	texels := u.around(&v, x, y, u.slice)
	list := make([]ir.Value, 4)
	for n, at := range texture.GatherOrder {
		list[n] = texels[at[1]][at[0]][component]
	}
	return list
}

// sampleAt samples at a level of detail.
func (u *lookup) sampleAt(detail ir.Value) []ir.Value {
	l, s := u.l, u.sampler
	low, high := l.f(float64(s.LowestLevel)), l.f(float64(s.HighestLevel))
	detail = l.pick(l.Op(op.Ge, detail, low), detail, low)
	detail = l.pick(l.lt(high, detail), high, detail)
	reduced := l.lt(l.f(0), detail)
	last := u.lastLevel()
	one := func(n ir.Value) []ir.Value {
		v := u.level(n)
		switch {
		case u.format.Channel != scalar.F32:
			return u.nearest(&v)
		case s.Magnify == s.Minify:
			return u.filtered(&v, s.Magnify)
		case reduced.IsConst() && l.m.ConstBits(reduced) == 0:
			return u.filtered(&v, s.Magnify)
		}
		magnified, minified := u.filtered(&v, s.Magnify), u.filtered(&v, s.Minify)
		for n := range magnified {
			magnified[n] = l.pick(reduced, minified[n], magnified[n])
		}
		return magnified
	}
	if last.IsConst() || reduced.IsConst() && l.m.ConstBits(reduced) == 0 {
		return one(l.u(0))
	}
	clamped := l.pick(reduced, detail, l.f(0))
	most := l.toF(last)
	clamped = l.pick(l.lt(most, clamped), most, clamped)
	if s.Mipmap == texture.Nearest {
		return one(l.min(l.Convert(scalar.U32, l.add(clamped, l.f(0.5))), last))
	}
	first := l.Convert(scalar.U32, clamped)
	result := one(first)
	if u.format.Channel != scalar.F32 {
		return result
	}
	weight := l.sub(clamped, l.toF(first))
	return l.when(l.lt(l.f(0), weight), result, func() []ir.Value {
		return u.mix(result, one(l.min(l.add(first, l.u(1)), last)), weight)
	})
}

// mix interpolates towards second values.
func (u *lookup) mix(x, y []ir.Value, weight ir.Value) []ir.Value {
	l := u.l
	list := make([]ir.Value, len(x))
	for c := range x {
		list[c] = l.add(x[c], l.mul(l.sub(y[c], x[c]), weight))
	}
	return list
}

// filtered filters a level.
func (u *lookup) filtered(v *level, filter texture.Filter) []ir.Value {
	if filter == texture.Nearest {
		return u.nearest(v)
	}
	x := u.pair(v, 0)
	if u.shape.Info().Dimension == texture.D1 {
		zero := u.l.u(0)
		return u.mix(u.texel(v, x.at[0], zero, zero), u.texel(v, x.at[1], zero, zero), x.weight)
	}
	y := u.pair(v, 1)
	plane := func(slice ir.Value) []ir.Value {
		texels := u.around(v, x, y, slice)
		return u.mix(u.mix(texels[0][0], texels[0][1], x.weight), u.mix(texels[1][0], texels[1][1], x.weight), y.weight)
	}
	if u.shape.Info().Dimension != texture.D3 {
		return plane(u.slice)
	}
	z := u.pair(v, 2)
	return u.mix(plane(z.at[0]), plane(z.at[1]), z.weight)
}

// around returns the texels of two rows and columns, by row and column.
func (u *lookup) around(v *level, x, y pair, slice ir.Value) (texels [2][2][]ir.Value) {
	if u.isCube() {
		return u.aroundOnCube(v, x, y)
	}
	for j := range texels {
		for i := range texels[j] {
			texels[j][i] = u.texel(v, x.at[i], y.at[j], slice)
		}
	}
	return texels
}

// nearest returns the texel that the sample lies in.
func (u *lookup) nearest(v *level) []ir.Value {
	l := u.l
	at, slice, modes := u.at, u.slice, u.sampler.Address
	if u.isCube() {
		slice, modes = l.add(slice, u.face), [3]texture.AddressMode{}
	}
	texel := [3]ir.Value{l.u(0), l.u(0), slice}
	sizes := [...]ir.Value{v.width, v.height, v.depth}
	for n, size := range sizes[:len(at)] {
		floor, _ := l.split(l.mul(at[n], l.toF(l.asI(size))))
		i := l.add(floor, l.i(u.offset[n]))
		texel[n] = l.wrap(modes[n], i, l.asI(size))
	}
	return u.texel(v, texel[0], texel[1], texel[2])
}

// texel returns the channels of a texel, or how it compares.
func (u *lookup) texel(v *level, x, y, slice ir.Value) []ir.Value {
	l := u.l
	channels := u.channels(u.words(u.index(v, x, y, slice)))
	if u.reference == ir.NoValue {
		return channels
	}
	switch c := u.sampler.Compare; c {
	case texture.Never:
		return []ir.Value{l.f(0)}
	case texture.Always:
		return []ir.Value{l.f(1)}
	default:
		return []ir.Value{l.pick(l.Op(comparisons[c], u.reference, channels[0]), l.f(1), l.f(0))}
	}
}

// comparisons are the operations of samplers' functions: of a reference and a texel.
var comparisons = [texture.Compares]op.Op{texture.Less: op.Lt, texture.Equal: op.Eq, texture.LessEqual: op.Le,
	texture.Greater: op.Gt, texture.NotEqual: op.Ne, texture.GreaterEqual: op.Ge}

// pair is the two texels along an axis that a sample lies between, and the weight of the second.
type pair struct {
	at     [2]ir.Value
	weight ir.Value
}

func (u *lookup) pair(v *level, axis int) (p pair) {
	l := u.l
	size := l.asI([...]ir.Value{v.width, v.height, v.depth}[axis])
	low, weight := l.split(l.sub(l.mul(u.at[axis], l.toF(size)), l.f(0.5)))
	if u.isCube() { // the texels beside the face are those of others
		low = l.max(l.min(low, l.sub(size, l.i(1))), l.i(-1))
		return pair{[2]ir.Value{low, l.add(low, l.i(1))}, weight}
	}
	low = l.add(low, l.i(u.offset[axis]))
	mode := u.sampler.Address[axis]
	return pair{[2]ir.Value{l.wrap(mode, low, size), l.wrap(mode, l.add(low, l.i(1)), size)}, weight}
}

// farthest bounds coordinates, in texels, so that they fit integers.
const farthest = 1 << 30

// split splits a coordinate into its floor, an i32, and the rest; a NaN counts as 0.
func (b *builder) split(x ir.Value) (floor, rest ir.Value) {
	far := b.pick(b.lt(x, b.f(0)), b.f(-farthest), b.f(0))
	far = b.pick(b.lt(b.f(0), x), b.f(farthest), far)
	x = b.pick(b.lt(b.Op(op.Abs, x), b.f(farthest)), x, far)
	down := b.Op(op.Floor, x)
	return b.Convert(scalar.I32, down), b.sub(x, down)
}

// wrap applies an address mode to the index of a texel along an axis of n texels, and returns a
// word.
func (b *builder) wrap(mode texture.AddressMode, i, n ir.Value) ir.Value {
	positive := func(x, n ir.Value) ir.Value {
		x = b.Op(op.Rem, x, n)
		return b.pick(b.lt(x, b.i(0)), b.add(x, n), x)
	}
	switch mode {
	case texture.Repeat:
		i = positive(i, n)
	case texture.MirrorRepeat:
		both := b.shl(n, 1)
		i = positive(i, both)
		i = b.pick(b.lt(i, n), i, b.sub(b.sub(both, b.i(1)), i))
	default:
		i = b.min(b.max(i, b.i(0)), b.sub(n, b.i(1)))
	}
	return b.asU(i)
}

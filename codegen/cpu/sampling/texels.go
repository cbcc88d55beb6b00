package sampling

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/texture"
)

// size returns the size of a level.
func (t *tex) size(o *ir.TextureOperands) []ir.Value {
	n := t.l.u(0)
	if o.Level != ir.NoValue {
		n = t.l.min(t.l.asU(o.Level), t.lastLevel())
	}
	v := t.level(n)
	return []ir.Value{v.width, v.height, v.depth}
}

// coordinates returns the coordinates of a texel as words, and its layer: those that the texture
// has no dimension for are 0.
func (t *tex) coordinates(o *ir.TextureOperands) (at [3]ir.Value) {
	at = [3]ir.Value{t.l.u(0), t.l.u(0), t.l.u(0)}
	for k, x := range t.l.parts(o.Coordinates) {
		at[k] = t.l.asU(x)
	}
	return at
}

// index returns the index of a texel of a level.
func (t *tex) index(v *level, x, y, slice ir.Value) ir.Value {
	l := t.l
	row := y
	if d := t.shape.Info(); d.Arrayed || d.Dimension == texture.D3 || d.Dimension == texture.Cube {
		row = l.add(l.mul(slice, v.height), y)
	}
	if t.shape.Info().Dimension == texture.D1 {
		return l.add(v.offset, x)
	}
	return l.add(l.add(l.mul(row, v.width), v.offset), x)
}

// load returns the texel at some coordinates, or the nearest one.
func (t *tex) load(o *ir.TextureOperands) []ir.Value {
	l := t.l
	n := l.u(0)
	if o.Level != ir.NoValue {
		n = l.min(l.asU(o.Level), t.lastLevel())
	}
	v := t.level(n)
	at := t.coordinates(o)
	for k, size := range v.sizes(t.shape) {
		at[k] = l.min(at[k], l.sub(size, l.u(1)))
	}
	slice := at[2]
	if t.shape.Info().Arrayed {
		slice = t.layer(o.Layer)
	}
	index := t.index(&v, at[0], at[1], slice)
	if t.shape.Info().Multisampled {
		samples := t.entry(tableSamples)
		// behind the offset, which is 0: there is one level
		index = l.add(l.mul(index, samples), l.min(l.asU(o.Sample), l.sub(samples, l.u(1))))
	}
	return t.channels(t.words(index))
}

// store writes a texel, or nothing outside of the texture.
func (t *tex) store(o *ir.TextureOperands) {
	l := t.l
	v := t.level(l.u(0))
	at := t.coordinates(o)
	inside := ir.NoValue
	within := func(x ir.Value) {
		if inside == ir.NoValue {
			inside = x
		} else {
			inside = l.and(inside, x)
		}
	}
	for k, size := range v.sizes(t.shape) {
		within(l.lt(at[k], size))
	}
	slice := at[2]
	if t.shape.Info().Arrayed {
		slice = l.asU(o.Layer)
		within(l.Op(op.Le, slice, t.entry(tableLastLayer)))
	}
	l.when(inside, nil, func() []ir.Value {
		index := t.index(&v, at[0], at[1], slice)
		bytes := t.state.Format.Bytes()
		for k, x := range t.encode(l.parts(o.Stored)) {
			l.Store(l.address(l.texels[t.n], index, uint32(bytes), 4*k, l.F.TypeOf(x)), x)
		}
		return nil
	})
}

// words loads the words of a texel; one that is smaller comes in the low bits of a word, and zeros
// above.
func (t *tex) words(index ir.Value) []ir.Value {
	l, buffer, bytes := t.l, t.l.texels[t.n], t.state.Format.Bytes()
	if bytes >= 4 {
		list := make([]ir.Value, bytes/4)
		for k := range list {
			list[k] = l.Load(l.address(buffer, index, uint32(bytes), 4*k, ir.U32))
		}
		return list
	}
	perWord := 4 / bytes
	word := l.Load(l.address(buffer, l.shr(index, 3-bytes), 4, 0, ir.U32))
	shift := l.mul(l.and(index, l.u(uint32(perWord-1))), l.u(uint32(8*bytes)))
	return []ir.Value{l.and(l.Op(op.Shr, word, shift), l.u(1<<(8*bytes)-1))}
}

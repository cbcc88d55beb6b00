package sampling

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/ir/texture"
)

// This file samples cubes. Faces have the numbers, and the axes along their columns and rows, that
// package texture gives them.

func (t *tex) isCube() bool { return t.shape.Info().Dimension == texture.Cube }

// face returns the face of a cube that a direction points to, and the coordinates on it.
func (b *builder) face(at []ir.Value) (face ir.Value, on []ir.Value) {
	x, y, z := at[0], at[1], at[2]
	absolute := func(x ir.Value) ir.Value { return b.asF(b.and(b.asU(x), b.u(1<<31-1))) }
	ax, ay, az := absolute(x), absolute(y), absolute(z)
	isZ := b.and(b.Op(op.Ge, az, ax), b.Op(op.Ge, az, ay))
	isY := b.Op(op.Ge, ay, ax)
	of := func(x, y, z ir.Value) ir.Value { return b.pick(isZ, z, b.pick(isY, y, x)) }
	largest := of(x, y, z)
	sign := b.and(b.asU(largest), b.u(1<<31))
	face = b.add(of(b.u(0), b.u(2), b.u(4)), b.shr(sign, 31))
	// the components along columns and rows, and whether they run against the sign of the largest
	flip := func(x, by ir.Value) ir.Value { return b.asF(b.Op(op.Xor, b.asU(x), by)) }
	opposite := b.Op(op.Xor, sign, b.u(1<<31))
	across := of(flip(z, opposite), x, flip(x, sign))
	down := of(flip(y, b.u(1<<31)), flip(z, sign), flip(y, b.u(1<<31)))
	out := absolute(largest)
	coordinate := func(x ir.Value) ir.Value {
		return b.add(b.mul(b.f(0.5), b.Op(op.Div, x, out)), b.f(0.5))
	}
	return face, []ir.Value{coordinate(across), coordinate(down)}
}

// axes are values by the axis that points out of a face.
type axes struct{ isY, isZ ir.Value }

func (b *builder) axesOf(face ir.Value) axes {
	axis := b.shr(face, 1)
	return axes{b.eq(axis, b.u(1)), b.eq(axis, b.u(2))}
}

func (b *builder) of(a axes, x, y, z ir.Value) ir.Value { return b.pick(a.isZ, z, b.pick(a.isY, y, x)) }

// aroundOnCube returns the texels of two rows and columns, of which one may lie beside the face
// (texture.Beyond). The one beyond a corner is the mean of the others, and one that is no float the
// nearest texel of the face.
func (u *lookup) aroundOnCube(v *level, x, y pair) (texels [2][2][]ir.Value) {
	l := u.l
	n := l.asI(v.width)
	last := l.sub(n, l.i(1))
	var besideX, besideY [2]ir.Value
	for k := range 2 {
		besideX[k], besideY[k] = l.Op(op.Ge, l.asU(x.at[k]), v.width), l.Op(op.Ge, l.asU(y.at[k]), v.width)
	}
	inside := func(x ir.Value) ir.Value { return l.min(l.max(x, l.i(0)), last) }
	var within []ir.Value // face, column and row of each
	for j := range 2 {
		for i := range 2 {
			within = append(within, l.asI(u.face), inside(x.at[i]), inside(y.at[j]))
		}
	}
	someX, someY := l.or(besideX[0], besideX[1]), l.or(besideY[0], besideY[1])
	at := l.when(l.or(someX, someY), within, func() (list []ir.Value) {
		for j := range 2 {
			for i := range 2 {
				own := within[len(list):][:3]
				one := l.Op(op.Ne, besideX[i], besideY[j])
				for k, other := range l.beyond(u.face, x.at[i], y.at[j], n, besideY[j]) {
					list = append(list, l.pick(one, other, own[k]))
				}
			}
		}
		return list
	})
	for j := range 2 {
		for i := range 2 {
			k := 3 * (2*j + i)
			texels[j][i] = u.texel(v, l.asU(at[k+1]), l.asU(at[k+2]), l.add(u.slice, l.asU(at[k])))
		}
	}
	if u.format.Channel != scalar.F32 {
		return texels
	}
	var flat []ir.Value
	for j := range 2 {
		flat = append(append(flat, texels[j][0]...), texels[j][1]...)
	}
	count := len(texels[0][0])
	flat = l.when(l.and(someX, someY), flat, func() (list []ir.Value) {
		for j := range 2 {
			for i := range 2 {
				both := l.and(besideX[i], besideY[j])
				for c := range count {
					sum := l.add(l.add(texels[1-j][1-i][c], texels[1-j][i][c]), texels[j][1-i][c])
					list = append(list, l.pick(both, l.Op(op.Div, sum, l.f(3)), texels[j][i][c]))
				}
			}
		}
		return list
	})
	for k := range 4 {
		texels[k/2][k%2] = flat[k*count:][:count]
	}
	return texels
}

// beyond returns the face, column and row of a texel just beside an edge of a face of n columns, as
// texture.Beyond does. It is beside a row if it lies above or below.
func (b *builder) beyond(face, i, j, n, besideRows ir.Value) []ir.Value {
	a := b.axesOf(face)
	negate := func(x ir.Value) ir.Value { return b.sub(b.i(0), x) }
	odd := func(x ir.Value) ir.Value { return b.Op(op.Ne, b.and(x, b.u(1)), b.u(0)) }
	signed := func(x, minus ir.Value) ir.Value { return b.pick(minus, negate(x), x) }
	minus := odd(face)
	middle := func(x ir.Value) ir.Value { return b.sub(b.add(b.shl(x, 1), b.i(1)), n) }
	across, down := middle(i), middle(j)
	out, left := signed(n, minus), negate(down)
	x := b.of(a, out, across, signed(across, minus))
	y := b.of(a, left, out, left)
	z := b.of(a, signed(negate(across), minus), signed(down, minus), out)
	axis := b.pick(besideRows, b.of(a, b.u(1), b.u(2), b.u(1)), b.of(a, b.u(2), b.u(0), b.u(0)))
	to := axes{b.eq(axis, b.u(1)), b.eq(axis, b.u(2))}
	minus = b.lt(b.of(to, x, y, z), b.i(0))
	along := func(x ir.Value) ir.Value { return b.max(b.shr(b.sub(b.add(x, n), b.i(1)), 1), b.i(0)) }
	return []ir.Value{
		b.asI(b.add(b.shl(axis, 1), b.pick(minus, b.u(1), b.u(0)))),
		along(b.of(to, signed(negate(z), minus), x, signed(x, minus))),
		along(b.of(to, negate(y), signed(z, minus), negate(y))),
	}
}

package sampling

import (
	"math"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/ir/texture"
)

// detail returns the level of detail for the derivatives of the coordinates, which are still those
// of the operation.
func (u *lookup) detail(dx, dy []ir.Value) ir.Value {
	l := u.l
	if u.isCube() {
		dx, dy = l.onFace(u.at, dx), l.onFace(u.at, dy)
	}
	v := u.level(l.u(0))
	square := func(d []ir.Value) ir.Value {
		sum := l.d(0)
		for n, size := range v.sizes(u.shape) {
			part := l.mul(l.Convert(scalar.F64, d[n]), l.Convert(scalar.F64, l.asI(size)))
			sum = l.add(sum, l.mul(part, part))
		}
		return sum
	}
	x, y := square(dx), square(dy)
	larger := l.pick(l.lt(x, y), y, x)
	return l.detailOf(l.pick(l.Op(op.Ne, y, y), y, larger))
}

// detailOf is texture.DetailOf.
func (b *builder) detailOf(square ir.Value) ir.Value {
	long := ir.Type(scalar.U64)
	u64 := func(x uint64) ir.Value { return b.m.ConstScalar(long, x) }
	bits := b.Bitcast(long, square)
	m := b.Bitcast(ir.F64, b.or(b.and(bits, u64(1<<52-1)), u64(1023<<52)))
	exponent := b.Convert(scalar.I32, b.Op(op.Shr, bits, b.u(52)))
	above := b.lt(b.d(math.Sqrt2), m)
	m = b.pick(above, b.mul(b.d(0.5), m), m)
	exponent = b.pick(above, b.add(exponent, b.i(1)), exponent)
	s := b.Op(op.Div, b.sub(m, b.d(1)), b.add(m, b.d(1)))
	z := b.mul(s, s)
	sum := b.d(0)
	for _, c := range texture.DetailTerms {
		sum = b.add(b.mul(sum, z), b.d(c))
	}
	half := b.mul(b.Convert(scalar.F64, b.sub(exponent, b.i(1023))), b.d(0.5))
	log := b.Convert(scalar.F32, b.add(half, b.mul(s, sum)))
	special := b.pick(b.eq(square, b.d(0)), b.f(math.Inf(-1)), b.Convert(scalar.F32, square))
	return b.pick(b.and(b.lt(b.d(0), square), b.lt(square, b.d(math.Inf(1)))), log, special)
}

// onFace returns the derivatives of the coordinates on the face of a cube from those of a
// direction: the quotient rule.
func (b *builder) onFace(direction, derivative []ir.Value) []ir.Value {
	face, _ := b.face(direction)
	a := b.axesOf(face)
	minus := b.Op(op.Ne, b.and(face, b.u(1)), b.u(0))
	signed := func(x, minus ir.Value) ir.Value { return b.pick(minus, b.Op(op.Neg, x), x) }
	on := func(d []ir.Value) (out, across, down ir.Value) {
		x, y, z := d[0], d[1], d[2]
		up := b.Op(op.Neg, y)
		return signed(b.of(a, x, y, z), minus), b.of(a, signed(b.Op(op.Neg, z), minus), x, signed(x, minus)), b.of(a, up, signed(z, minus), up)
	}
	out, across, down := on(direction)
	dOut, dAcross, dDown := on(derivative)
	part := func(value, change ir.Value) ir.Value {
		difference := b.sub(b.mul(change, out), b.mul(value, dOut))
		return b.Op(op.Div, b.mul(b.f(0.5), difference), b.mul(out, out))
	}
	return []ir.Value{part(across, dAcross), part(down, dDown)}
}

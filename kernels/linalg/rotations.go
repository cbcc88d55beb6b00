package linalg

import (
	"math"

	"github.com/gpuc/gpuc/runtime/gpu"
)

// Rotg returns the rotation that makes (a, b) to (r, 0): c·a + s·b = r and c·b − s·a = 0. It
// computes on the host, without overflow and underflow that can be avoided (Anderson, "Algorithm
// 978: Safe Scaling in the Level 1 BLAS", 2017). z is what c and s can be made of again: s if |a| >
// |b|, else 1/c, and 1 if c is zero.
func Rotg[T Real](a, b T) (c, s, r, z T) {
	x, y := float64(a), float64(b)
	switch {
	case b == 0:
		return 1, 0, a, 0
	case a == 0:
		return 0, 1, b, 1
	}
	scale := math.Max(math.Abs(x), math.Abs(y))
	if math.IsInf(scale, 0) || scale != scale {
		scale = 1
	}
	_, e := math.Frexp(scale)
	x, y = math.Ldexp(x, -e), math.Ldexp(y, -e) // the greater is 0.5 to 1
	h := math.Copysign(math.Sqrt(x*x+y*y), x)
	if math.Abs(x) <= math.Abs(y) {
		h = math.Copysign(h, y)
	}
	c, s, r = T(x/h), T(y/h), T(math.Ldexp(h, e))
	switch {
	case math.Abs(x) > math.Abs(y):
		return c, s, r, s
	case c != 0:
		return c, s, r, 1 / c
	}
	return c, s, r, 1
}

// ModifiedRotation is a matrix of two rows and columns that Rotm multiplies points with.
type ModifiedRotation[T Real] [2][2]T

// modified are the parts of a modified rotation while it is made.
type modified[T Real] struct {
	ModifiedRotation[T]
	d1, d2, x T
}

// Rotmg returns the modified rotation that makes the second component of (√d1·x, √d2·y) zero. It
// also returns what d1, d2 and x become (Lawson et al., "Basic Linear Algebra Subprograms for
// Fortran Usage", 1979). If d1 is negative, all results are zero. If d2·y is zero, h is the
// identity. Where d1 and d2 get far from one, they are scaled by powers of 4096².
func Rotmg[T Real](d1, d2, x, y T) (h ModifiedRotation[T], newD1, newD2, newX T) {
	p1, p2 := d1*x, d2*y
	q1, q2 := p1*x, p2*y
	var m modified[T]
	switch {
	case d1 < 0:
		return
	case p2 == 0:
		return ModifiedRotation[T]{{1, 0}, {0, 1}}, d1, d2, x
	case size(q1) > size(q2):
		h21, h12 := -y/x, p2/p1
		u := 1 - h12*h21
		if !(u > 0) {
			return
		}
		m = modified[T]{ModifiedRotation[T]{{1, h12}, {h21, 1}}, d1 / u, d2 / u, x * u}
	case q2 < 0:
		return
	default:
		h11, h22 := p1/p2, x/y
		u := 1 + h11*h22
		m = modified[T]{ModifiedRotation[T]{{h11, 1}, {-1, h22}}, d2 / u, d1 / u, y * u}
	}
	m.scale()
	return m.ModifiedRotation, m.d1, m.d2, m.x
}

// scale brings d1 and d2 between 2⁻²⁴ and 2²⁴, if they are neither zero nor without a bound.
func (m *modified[T]) scale() {
	const gamma, square = 4096, 4096 * 4096
	far := func(d T) bool { d = size(d); return d != 0 && d-d == 0 && (d*square <= 1 || d >= square) }
	for row, d := range [...]*T{&m.d1, &m.d2} {
		for far(*d) {
			by := T(gamma)
			if size(*d) < 1 {
				by = 1 / by
			}
			*d = *d / by / by
			m.ModifiedRotation[row][0] *= by
			m.ModifiedRotation[row][1] *= by
			if row == 0 {
				m.x *= by
			}
		}
	}
}

// Rotm multiplies the points (x[i], y[i]) with a matrix: x becomes h[0][0]·x + h[0][1]·y, and y
// becomes h[1][0]·x + h[1][1]·y.
func Rotm[T Real](s *gpu.Stream, x, y Vector[T], h ModifiedRotation[T]) error {
	if err := checkPair("Rotm", x, y, true, true); err != nil || x.Len == 0 {
		return err
	}
	return launchRotm(s, groups(x.Len, block), x.Len, h, x.Buffer, x.line(), y.Buffer, y.line())
}

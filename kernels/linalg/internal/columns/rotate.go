package columns

import (
	"sync/atomic"

	"github.com/gpuc/gpuc/runtime/gpu"
)

// limits say which columns count as orthogonal: those whose product is at most floor, or its square
// at most relative times the product of the squares of their norms.
type limits[T Real] struct{ relative, floor T }

// sweeps is how many sweeps there are at most. About eight are enough for 64 columns.
const sweeps = 30

// orthogonalise rotates the first n columns until they are orthogonal (Hestenes, "Inversion of
// Matrices by Biorthogonalization and Related Results", 1958). In each round a column meets another
// one, as in a tournament (Brent and Luk, "The Solution of Singular-Value and Symmetric Eigenvalue
// Problems on Multiprocessor Arrays", 1985). It returns the square of the column's norm, and
// whether some columns of the matrix were not orthogonal before the last sweep.
//
// A column is that in the registers times scale, which a sweep begins with as one. So a rotation is
// one multiplication for an element (fast rotations: Golub and Van Loan, §5.1.13, and LAPACK's
// GESVJ). Squares of norms are computed before each sweep, and changed by rotations.
func orthogonalise[A Arithmetic[T], C column[T], T Real](it gpu.Item, o seat, s Shared[T], n int, l limits[T], x *C) (norm T, unfinished bool) {
	var a A
	players := max(n+1, 2) / 2 * 2
	left := true
	for sweep := 0; sweep < sweeps && left; sweep++ {
		rotated := false
		scale, inverse := T(1), T(1)
		norm = product[C, T](0, s.side, x, x)
		for round := range players - 1 {
			var y C
			other := opponent(players, round, o.j)
			norm2, scale2 := meet[A](it, o, s, other, norm, scale, x, &y)
			dot := product[C, T](0, s.side, x, &y) * (scale * scale2)
			rotates := other != o.j && size(dot) > l.floor && dot*dot > l.relative*(norm*norm2)
			if !gpu.SubgroupAny(it, rotates) {
				continue
			}
			t := T(0)
			if rotates {
				t = T(tangent(a.rough(norm2-norm), a.rough(2*dot), o.j < other))
				rotated = true
			}
			by := t * (scale2 * inverse)
			for i := range len(*x) {
				(*x)[i] -= by * y[i]
			}
			norm -= t * dot
			square := 1 + t*t // of the secant
			cosine := a.cosine(square)
			scale, inverse = scale*cosine, inverse*(square*cosine)
		}
		for i := range len(*x) {
			(*x)[i] *= scale
		}
		left, unfinished = anyOf(it, o, s, rotated)
	}
	return product[C, T](0, s.side, x, x), unfinished
}

// opponent returns the column that column j meets in a round of so many players, which are even. It
// is the column itself if that does not play.
func opponent(players, round, j int) int {
	last := players - 1
	other := 2*round - j
	if other < 0 {
		other += last
	}
	if other >= last {
		other -= last
	}
	switch {
	case j > last:
		return j
	case j == last:
		return round
	case other == j:
		return last
	}
	return other
}

// meet makes y column other of the item's matrix, and returns the norm and the scale of that.
func meet[A Arithmetic[T], C column[T], T Real](it gpu.Item, o seat, s Shared[T], other int, norm, scale T, x, y *C) (norm2, scale2 T) {
	if s.shuffles(it) {
		var a A
		for i := range len(*x) {
			(*y)[i] = a.shuffle(it, (*x)[i], o.first+other)
		}
		return a.shuffle(it, norm, o.first+other), a.shuffle(it, scale, o.first+other)
	}
	it.Barrier()
	keep(o, s, s.side, x)
	s.norms[o.item], s.scales[o.item] = norm, scale
	it.Barrier()
	fetch(s, s.side, o.first+other, y)
	return s.norms[o.first+other], s.scales[o.first+other]
}

// tangent returns that of the angle by which two columns are rotated: of the smaller one. It takes
// the difference of the squares of their norms, and twice their product. The other column has the
// negative difference, and gets the negative tangent. If norms are equal, ascending decides.
// Rotations with inexact tangents are rotations, too, and the next sweep corrects what they leave.
func tangent(difference, twice float32, ascending bool) float32 {
	t := twice / (size(difference) + root(difference*difference+twice*twice))
	if difference < 0 || difference == 0 && !ascending {
		return -t
	}
	return t
}

// anyOf reports whether a condition holds in any item, and whether in one of the same matrix.
func anyOf[T Real](it gpu.Item, o seat, s Shared[T], condition bool) (all, own bool) {
	it.Barrier()
	s.numbers[o.item] = 0
	if o.item == 0 {
		*s.left = 0
	}
	it.Barrier()
	if condition {
		atomic.StoreInt32(&s.numbers[o.first], 1)
		atomic.StoreInt32(s.left, 1)
	}
	it.Barrier()
	own = s.numbers[o.first] != 0
	return gpu.UniformLoad(it, s.left) != 0, own
}

// ranked puts the first n columns in order by their values, and returns the value that is the
// item's then. Values that are equal keep their order, and NaN is equal to all.
func ranked[C column[T], T Real](it gpu.Item, o seat, s Shared[T], n int, descending bool, value T, x *C) T {
	it.Barrier()
	s.norms[o.item] = value
	it.Barrier()
	rank := o.j
	if o.j < n {
		rank = 0
		for k := range n {
			other := s.norms[o.first+k]
			if descending && other > value || !descending && other < value || !(other < value || other > value) && k < o.j {
				rank++
			}
		}
	}
	s.numbers[o.first+rank] = int32(o.j)
	it.Barrier()
	from := o.first + int(uint32(s.numbers[o.item])%uint32(s.side))
	value = s.norms[from]
	keep(o, s, s.side, x)
	it.Barrier()
	fetch(s, s.side, from, x)
	return value
}

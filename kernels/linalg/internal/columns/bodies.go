package columns

import "github.com/gpuc/gpuc/runtime/gpu"

// Values of info: LAPACK's for success and for what has not converged, and one of its own.
const (
	Converged   = 0
	Unconverged = 1
	NotFinite   = -1
)

// State returns what info says.
func State(notFinite, unfinished bool) int32 {
	switch {
	case notFinite:
		return NotFinite
	case unfinished:
		return Unconverged
	}
	return Converged
}

// Bits of the parameter along: whether columns are closer in memory than rows.
const (
	AlongA = 1 << iota
	AlongU
	AlongV
)

// Bits of the parameter wanted: which vectors are written.
const (
	WantedU = 1 << iota
	WantedV
)

func batchOf[T Real](m gpu.Matrix[T], stride, along int) batch[T] {
	return batch[T]{m, stride, along != 0}
}

// own is the item's matrix in a loop over matrices, and whether there is one. If there is not, the
// item computes with the last one.
func own[T Real](o seat, s Shared[T], first, count int) (m int, has bool) {
	m = first + o.item/s.side
	return min(m, count-1), m < count
}

// Factor factors count matrices, whose distance is stride. The upper triangle becomes R, and
// columns below it those of v. A matrix has as many elements of tau as columns, or as rows if these
// are fewer.
func Factor[A Arithmetic[T], C column[T], T Real](it gpu.Item, s Shared[T], count int, a gpu.Matrix[T], stride, along int, tau []T) {
	var x C
	o := s.seat(it)
	n, b := min(a.Rows(), a.Cols()), batchOf(a, stride, along)
	for first := it.Group().X * s.matrices(); first < count; first += it.Groups().X * s.matrices() {
		m, has := own(o, s, first, count)
		load(it, o, s, b, m, false, &x)
		scale := ScaleFor(most[C, T](&x))
		for i := range len(x) {
			x[i] *= scale
		}
		r := reflect[A](it, o, s, n, &x)
		factors(o, s, r, 1/scale, &x)
		store(it, o, s, b, m, has, &x)
		if has && o.j < n {
			tau[m*n+o.j] = r.tau
		}
	}
}

// most returns the greatest absolute value. NaN does not count.
func most[C column[T], T Real](x *C) (v T) {
	for i := range len(*x) {
		if y := size((*x)[i]); y > v {
			v = y
		}
	}
	return v
}

// scaled returns the power of two by which the item's matrix has been divided, so that its greatest
// element is at least 1 and below 2. It is NaN if there are infinities or NaN, as the matrix is.
func scaled[C column[T], T Real](it gpu.Item, o seat, s Shared[T], x *C) T {
	zero := T(0) // unless there are infinities or NaN
	for i := range len(*x) {
		zero += (*x)[i] * 0
	}
	scale := ScaleOf(greatest(it, o, s, most[C, T](x)+zero))
	divide(scale, x)
	return scale
}

// divide divides a column by a power of two, whose reciprocal may be too large for a number, or by
// NaN.
func divide[C column[T], T Real](scale T, x *C) {
	up := T(1)
	if scale < 1 {
		up = 0x1p32
	}
	by := 1 / (scale * up)
	for i := range len(*x) {
		(*x)[i] = (*x)[i] * up * by
	}
}

// divideAny divides a column by a number.
func divideAny[C column[T], T Real](by T, x *C) {
	const together = 4 // elements, before the others move up
	for range len(*x) / together {
		var q [together]T
		for t := range together {
			q[t] = (*x)[t] / by
		}
		shift(q, x)
	}
}

// shift moves the rows of a column up, and puts others behind them.
func shift[C column[T], T Real](last [4]T, x *C) {
	for i := range len(*x) - len(last) {
		(*x)[i] = (*x)[i+len(last)]
	}
	for t := range len(last) {
		(*x)[len(*x)-len(last)+t] = last[t]
	}
}

// times makes y the product of the matrix in memory, transposed, and the column x.
func times[C column[T], T Real](o seat, s Shared[T], x, y *C) {
	const together = 4
	for k := 0; k < s.side; k += together {
		var sum [together]T
		for i := range s.side / 2 {
			for t := range together {
				p := s.columns[(o.first+k+t)*s.pairs()+i]
				sum[t] += p[0] * (*x)[2*i]
				sum[t] += p[1] * (*x)[2*i+1]
			}
		}
		shift(sum, y)
	}
}

// multiply makes y the product of the item's matrix, divided by scale and transposed, and x.
func multiply[C column[T], T Real](it gpu.Item, o seat, s Shared[T], b batch[T], m int, symmetric bool, scale T, x, y *C) {
	load(it, o, s, b, m, symmetric, y)
	divide(scale, y)
	keep(o, s, s.side, y)
	it.Barrier()
	times(o, s, x, y)
}

// Singular finds the singular values of count matrices, which have at least as many rows as
// columns, and their vectors. Values descend. The distances of matrices are strides. Vectors are
// written if wanted says so. There may be as many vectors u as rows.
//
// Rotations make the columns of a·v orthogonal, for a v that is not known, so that they are those
// of u times the values. Then aᵀ·u has the columns of v times the values. As Q of a factorisation
// they become orthonormal, also where values are zero. It is enough to divide those of u by their
// norms if even the product of the shortest two was not too small to be rotated.
func Singular[A Arithmetic[T], C column[T], T Real](it gpu.Item, s Shared[T], count int, a gpu.Matrix[T], stride int, relative, floor T, values []T, u gpu.Matrix[T], strideU int, v gpu.Matrix[T], strideV, wanted, along int, info []int32) {
	var x C
	s.blocks = 2
	o := s.seat(it)
	n, b := a.Cols(), batchOf(a, stride, along&AlongA)
	for first := it.Group().X * s.matrices(); first < count; first += it.Groups().X * s.matrices() {
		m, has := own(o, s, first, count)
		load(it, o, s, b, m, false, &x)
		scale := scaled(it, o, s, &x)
		norm, unfinished := orthogonalise[A](it, o, s, n, limits[T]{relative, floor}, &x)
		norm = ranked(it, o, s, n, true, root(norm), &x)
		if has && o.j < n {
			values[m*n+o.j] = norm * scale
		}
		if has && o.j == 0 {
			info[m] = State(scale != scale, unfinished)
		}
		passes := 0
		if wanted != 0 {
			passes = 1 + wanted/WantedV
		}
		for pass := range passes {
			square := norm * norm
			least := valueOf[A](it, o, s, n-1, square*square)
			short := !(least*relative >= floor*floor)
			if some, _ := anyOf(it, o, s, short || pass == 1 || u.Cols() > n); some {
				orthonormal[A](it, o, s, n, &x)
			} else {
				divideAny(norm, &x)
			}
			if pass == 1 {
				store(it, o, s, batchOf(v, strideV, along&AlongV), m, has, &x)
				continue
			}
			if wanted&WantedU != 0 {
				store(it, o, s, batchOf(u, strideU, along&AlongU), m, has, &x)
			}
			if passes > 1 {
				var y C
				multiply(it, o, s, b, m, false, scale, &x, &y)
				x = y
			}
		}
	}
}

// Symmetric finds the eigenvalues of count symmetric matrices, of which the triangle above the
// diagonal is not read, and their vectors, if wanted is not zero. Values ascend. The distances of
// matrices are strides.
//
// The columns of the matrix become orthogonal as those of Singular, after so much was added to the
// diagonal that no eigenvalue is negative and no column short. So their unit vectors are the
// eigenvectors. Values are their Rayleigh quotients.
func Symmetric[A Arithmetic[T], C column[T], T Real](it gpu.Item, s Shared[T], count int, a gpu.Matrix[T], stride int, relative, floor T, values []T, vectors gpu.Matrix[T], strideV, wanted, along int, info []int32) {
	var x C
	o := s.seat(it)
	n, b := a.Cols(), batchOf(a, stride, along&AlongA)
	for first := it.Group().X * s.matrices(); first < count; first += it.Groups().X * s.matrices() {
		m, has := own(o, s, first, count)
		load(it, o, s, b, m, true, &x)
		scale := scaled(it, o, s, &x)
		sum := T(0)
		for i := range len(x) {
			sum += size(x[i])
		}
		bound := greatest(it, o, s, sum)
		if bound == 0 {
			bound = 1
		}
		for i := range len(x) {
			if i == o.j && i < n {
				x[i] += bound + bound/4
			}
		}
		norm, unfinished := orthogonalise[A](it, o, s, n, limits[T]{relative, floor}, &x)
		if norm = root(norm); o.j < n {
			divideAny(norm, &x)
		}
		var y C
		multiply(it, o, s, b, m, true, scale, &x, &y)
		value := ranked(it, o, s, n, false, product[C, T](0, s.side, &x, &y), &x)
		if has && o.j < n {
			values[m*n+o.j] = value * scale
		}
		if has && o.j == 0 {
			info[m] = State(scale != scale, unfinished)
		}
		if wanted != 0 {
			store(it, o, s, batchOf(vectors, strideV, along&AlongV), m, has, &x)
		}
	}
}

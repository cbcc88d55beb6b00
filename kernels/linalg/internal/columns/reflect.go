package columns

// Factorisations by Householder's reflections (Golub and Van Loan, "Matrix Computations", §5.1 and
// §5.2). A reflection is I − tau·v·vᵀ, where v has zeros above the diagonal and a one on it.
//
// The row of the diagonal is always the first one in the registers. So a step moves all rows by
// one, and puts the finished row behind the others. After a block of steps its finished rows stay
// where they are, and the next ones concern the rows before them only.

import "github.com/gpuc/gpuc/runtime/gpu"

// at is where row r is after all steps: blocks are in reverse order.
func (s Shared[T]) at(r int) int { return r ^ (s.side - s.side/s.blocks) }

// reflected is what an item knows of the reflection of its column: tau, and by what the column
// below the diagonal is multiplied to be v.
type reflected[T Real] struct{ tau, by T }

// reflect makes the reflections of the first n columns, and applies each to the columns behind it.
// The greatest elements of columns are about one.
func reflect[A Arithmetic[T], C column[T], T Real](it gpu.Item, o seat, s Shared[T], n int, x *C) reflected[T] {
	var own reflection[T]
	it.Barrier()
	own = reflectBlock[A](it, o, s, 0, n, x, own)
	if s.blocks > 2 {
		own = reflectBlock[A](it, o, s, s.side/4, n, x, own)
	}
	own = reflectBlock[A](it, o, s, s.side/2, n, x, own)
	if s.blocks > 2 {
		own = reflectBlock[A](it, o, s, s.side/4*3, n, x, own)
	}
	if own.factor == 0 {
		return reflected[T]{0, 0}
	}
	return reflected[T]{own.first * own.first * own.factor, 1 / own.first}
}

// reflectBlock is the steps of a block of columns. It returns the reflection of the item's column
// if that is one of them, and own otherwise.
func reflectBlock[A Arithmetic[T], C column[T], T Real](it gpu.Item, o seat, s Shared[T], from, n int, x *C, own reflection[T]) reflection[T] {
	rows, block := s.side-from, s.side/s.blocks
	var finished C // rows of this block, at the end
	steps := min(max(n-from, 0), block)
	for k := from; k < from+steps; k++ {
		var y C
		show[A](it, o, s, rows, k, x, &y)
		dot := product[C, T](1, rows, x, &y)
		square := valueOf[A](it, o, s, k, dot)
		if wrong := square-square != 0 && o.j <= k; gpu.SubgroupAny(it, wrong) {
			for i := 1; i < rows; i++ { // columns before are not to get infinities and NaN
				if wrong {
					y[i] = 0
				}
			}
		}
		c := reflectionOf[A](y[0], square)
		top, by := (*x)[0], T(0)
		dot = c.factor * (c.first*top + dot)
		if o.j == k {
			own, top = c, c.beta
		}
		if o.j > k {
			top, by = top-dot*c.first, dot
		}
		for i := 1; i < rows; i++ {
			(*x)[i-1] = (*x)[i] - by*y[i]
		}
		(*x)[rows-1] = 0
		finish(rows-block, rows, top, &finished)
	}
	for range block - steps {
		finish(rows-block, rows, (*x)[0], &finished)
		finish(0, rows, T(0), x)
	}
	for i := rows - block; i < rows; i++ {
		(*x)[i] = finished[i]
	}
	return own
}

// reflection is I − factor·w·wᵀ, where w is the column below the diagonal, and first on it. What
// was there becomes beta.
type reflection[T Real] struct{ first, factor, beta T }

// reflectionOf returns the reflection of a column. Square is the sum of squares below the diagonal.
// If all squares are less than least, the elements are nothing beside the greatest one of the
// column, and there is no reflection.
func reflectionOf[A Arithmetic[T], T Real](diagonal, square T) reflection[T] {
	var a A
	all := square + diagonal*diagonal
	if square == 0 || all < a.least() {
		return reflection[T]{diagonal, 0, diagonal}
	}
	norm := a.norm(all)
	if diagonal > 0 {
		norm = -norm
	}
	first := diagonal - norm
	both := -norm * first
	factor := 1 / both
	factor += factor * (1 - factor*both)
	return reflection[T]{first, factor, norm}
}

// finish moves rows from to to − 1 up by one, and puts a finished one behind them.
func finish[C column[T], T Real](from, to int, row T, x *C) {
	for i := from; i < to-1; i++ {
		(*x)[i] = (*x)[i+1]
	}
	(*x)[to-1] = row
}

// factors makes the columns what QR returns: v below the diagonal, and R on and above it, which it
// multiplies by scale. Rows are in order again.
func factors[C column[T], T Real](o seat, s Shared[T], r reflected[T], scale T, x *C) {
	y := *x
	for i := range s.side {
		by := scale
		if i > o.j {
			by = r.by
		}
		(*x)[i] = y[s.at(i)] * by
	}
}

// orthonormal makes the columns those of Q, each times the sign of the diagonal of R. So columns
// that are orthogonal, and descend by their norms, become unit vectors. Those that are zero become
// vectors that are orthogonal to all others, as those behind the first n do.
func orthonormal[A Arithmetic[T], C column[T], T Real](it gpu.Item, o seat, s Shared[T], n int, x *C) {
	r := reflect[A](it, o, s, n, x)
	sign := T(1)
	for i := range s.side {
		v := (*x)[s.at(i)]
		if i == o.j && v < 0 {
			sign = -1
		}
		if i > o.j {
			v *= r.by
		} else if i == o.j {
			v = 1
		} else {
			v = 0
		}
		(*x)[s.at(i)] = v
	}
	it.Barrier()
	if s.blocks > 2 {
		expandBlock[A](it, o, s, s.side/4*3, n, x, r.tau, sign)
	}
	expandBlock[A](it, o, s, s.side/2, n, x, r.tau, sign)
	if s.blocks > 2 {
		expandBlock[A](it, o, s, s.side/4, n, x, r.tau, sign)
	}
	expandBlock[A](it, o, s, 0, n, x, r.tau, sign)
}

// expandBlock applies the reflections of a block of columns to unit vectors, the last one first: to
// that of its column, which replaces its v, and those behind (LAPACK's ORG2R).
func expandBlock[A Arithmetic[T], C column[T], T Real](it gpu.Item, o seat, s Shared[T], from, n int, x *C, tau, sign T) {
	rows, block := s.side-from, s.side/s.blocks
	steps := min(max(n-from, 0), block)
	for range block - steps {
		top := (*x)[rows-1]
		for i := rows - 1; i > 0; i-- {
			(*x)[i] = (*x)[i-1]
		}
		(*x)[0] = top
	}
	for t := range steps {
		k := from + steps - 1 - t
		var y C
		show[A](it, o, s, rows, k, x, &y)
		factor := valueOf[A](it, o, s, k, tau)
		if o.j == k {
			for i := range rows - 1 {
				(*x)[i] = 0
			}
			(*x)[rows-1] = sign
		}
		by := factor * product[C, T](0, rows, x, &y)
		if o.j < k {
			by = 0
		}
		top := (*x)[rows-1] - by*y[rows-1]
		for i := rows - 1; i > 0; i-- {
			(*x)[i] = (*x)[i-1] - by*y[i-1]
		}
		(*x)[0] = top
	}
}

// ScaleFor returns a power of two that makes x, which is not negative, about one. It is 1 for 0,
// infinity and NaN.
func ScaleFor[T Real](x T) T {
	const little, much = 0x1p-8, 0x1p8
	s := T(1)
	if x-x != 0 {
		return s
	}
	for x > much {
		x *= little
		s *= little
	}
	for x < little && x != 0 && s*much*much-s*much*much == 0 {
		x *= much
		s *= much
	}
	return s
}

// ScaleOf returns the power of two by which x, which is not negative, is divided to be at least 1
// and below 2. It returns 1 for 0, and NaN for infinity and NaN. Where the device has no
// subnormals, the scale is none either, and x may be below 1.
func ScaleOf[T Real](x T) T {
	const large, few = 0x1p32, 0x1p-32
	s := T(1)
	if !(x-x == 0) {
		return x - x
	}
	if x == 0 {
		return 1
	}
	for x >= large {
		x *= few
		s *= large
	}
	for x >= 2 {
		x /= 2
		s *= 2
	}
	for x < few && s*few > 0 {
		x *= large
		s *= few
	}
	for x < 1 && s/2 > 0 {
		x *= 2
		s /= 2
	}
	return s
}

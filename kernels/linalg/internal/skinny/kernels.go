// Package skinny has the kernels of package linalg that multiply a matrix by one of few columns.
// The memory of the large matrix limits them, so that each of its elements is loaded once. Sums are
// split where rows alone are too few for a large device.
package skinny

import (
	"github.com/gpuc/gpuc/kernels/linalg/internal/product"
	"github.com/gpuc/gpuc/runtime/gpu"
)

//go:generate go tool gpuc gen .

// Short names for the directives of kernels.
type (
	f16  = gpu.Float16
	bf16 = gpu.BFloat16
	f32  = float32
	f64  = float64
	a16  = product.F16
	ab16 = product.BF16
	a32  = product.F32
	a64  = product.F64
)

const (
	items = 256 // of a workgroup
	lanes = 32  // items that add the products of some rows
	teams = items / lanes
	rows  = 4 // of a team
)

// Items and RowsOfGroup are the rows of a workgroup, for contiguous columns and rows.
const (
	Items       = items
	RowsOfGroup = teams * rows
)

// few is a row of sums or of the second factor, which may have a column less.
type few[S product.Sum] interface{ [8]S | [16]S }

// room is a workgroup's memory for rows of the second factor, and after that for sums.
type room[F any] [items]F

// Rows8 makes parts of a·b for a matrix b of at most 8 columns. Rows of a are contiguous.
// Workgroups whose Y is n add the products of columns n·width to (n+1)·width − 1 of a. Their part
// follows that of n − 1 in sums, row by row.
//
//gpuc:kernel workgroup=items types=f32/f32/a32,f64/f64/a64,f16/f32/a16,bf16/f32/ab16
func Rows8[T product.Element, S product.Sum, V product.Arithmetic[T, S]](it gpu.Item, shared *room[[8]S], a, b gpu.Matrix[T], width int, sums []S) {
	alongRows[[8]S, T, S, V](it, shared, a, b, width, sums)
}

// Rows16 is Rows8 for at most 16 columns.
//
//gpuc:kernel workgroup=items types=f32/f32/a32,f64/f64/a64
func Rows16[T f32 | f64, S product.Sum, V product.Arithmetic[T, S]](it gpu.Item, shared *room[[16]S], a, b gpu.Matrix[T], width int, sums []S) {
	alongRows[[16]S, T, S, V](it, shared, a, b, width, sums)
}

// Columns8 is Rows8 for a matrix a whose columns are contiguous.
//
//gpuc:kernel workgroup=items types=f32/f32/a32,f64/f64/a64,f16/f32/a16,bf16/f32/ab16
func Columns8[T product.Element, S product.Sum, V product.Arithmetic[T, S]](it gpu.Item, shared *room[[8]S], a, b gpu.Matrix[T], width int, sums []S) {
	alongColumns[[8]S, T, S, V](it, shared, a, b, width, sums)
}

// Columns16 is Columns8 for at most 16 columns.
//
//gpuc:kernel workgroup=items types=f32/f32/a32,f64/f64/a64
func Columns16[T f32 | f64, S product.Sum, V product.Arithmetic[T, S]](it gpu.Item, shared *room[[16]S], a, b gpu.Matrix[T], width int, sums []S) {
	alongColumns[[16]S, T, S, V](it, shared, a, b, width, sums)
}

// alongRows is the body of Rows8 and Rows16. Item l of a team adds the products of columns l, l +
// lanes and so forth of the team's rows. Then the sums of the items are added in ascending order.
func alongRows[F few[S], T product.Element, S product.Sum, V product.Arithmetic[T, S]](it gpu.Item, shared *room[F], a, b gpu.Matrix[T], width int, sums []S) {
	var v V
	var none F
	l := it.LocalIndex()
	team, lane := l/lanes, l%lanes
	chunk := it.Group().Y
	last := min((chunk+1)*width, a.Cols())
	for first := it.Group().X * teams * rows; first < a.Rows(); first += it.Groups().X * teams * rows {
		var sum [rows]F
		for k := chunk * width; k < last; k += items {
			shared[l] = rowOf[F, T, S, V](b, k+l, last)
			it.Barrier()
			for d := 0; d < items; d += 2 * lanes {
				var x [2][rows]S
				for e := range 2 {
					for r := range rows {
						x[e][r] = within[T, S, V](a, first+team*rows+r, k+d+e*lanes+lane, last)
					}
				}
				for e := range 2 {
					y := shared[d+e*lanes+lane]
					for r := range rows {
						for j := range len(none) {
							sum[r][j] = v.MulAdd(x[e][r], y[j], sum[r][j])
						}
					}
				}
			}
			it.Barrier()
		}
		for r := range rows {
			shared[l] = sum[r]
			it.Barrier()
			for n := l; n < teams*b.Cols(); n += items {
				t, j := n/b.Cols(), n%b.Cols()
				var s S
				for e := range lanes {
					s += shared[t*lanes+e][j]
				}
				if i := first + t*rows + r; i < a.Rows() {
					sums[(chunk*a.Rows()+i)*b.Cols()+j] = s
				}
			}
			it.Barrier()
		}
	}
}

// alongColumns is the body of Columns8 and Columns16. An item adds the products of a row in
// ascending order.
func alongColumns[F few[S], T product.Element, S product.Sum, V product.Arithmetic[T, S]](it gpu.Item, shared *room[F], a, b gpu.Matrix[T], width int, sums []S) {
	const ahead = 8
	var v V
	var none F
	l := it.LocalIndex()
	chunk := it.Group().Y
	last := min((chunk+1)*width, a.Cols())
	for first := it.Group().X * items; first < a.Rows(); first += it.Groups().X * items {
		var sum F
		for k := chunk * width; k < last; k += items {
			shared[l] = rowOf[F, T, S, V](b, k+l, last)
			it.Barrier()
			for d := 0; d < min(items, last-k); d += ahead {
				var x [ahead]S
				for e := range ahead {
					x[e] = within[T, S, V](a, first+l, k+d+e, last)
				}
				for e := range ahead {
					y := shared[d+e]
					for j := range len(none) {
						sum[j] = v.MulAdd(x[e], y[j], sum[j])
					}
				}
			}
			it.Barrier()
		}
		if i := first + l; i < a.Rows() {
			for j := range len(none) {
				if j < b.Cols() {
					sums[(chunk*a.Rows()+i)*b.Cols()+j] = sum[j]
				}
			}
		}
	}
}

// within returns an element of a column below last, and zero where there is none. It loads one
// always.
func within[T product.Element, S product.Sum, V product.Arithmetic[T, S]](a gpu.Matrix[T], i, j, last int) S {
	var v V
	x := v.Wide(a.At(min(i, a.Rows()-1), min(j, last-1)))
	if j >= last {
		x = 0
	}
	return x
}

// rowOf returns a row of b below last, and zeros where there is none.
func rowOf[F few[S], T product.Element, S product.Sum, V product.Arithmetic[T, S]](b gpu.Matrix[T], i, last int) (f F) {
	var v V
	for j := range len(f) {
		x := v.Wide(b.At(min(i, last-1), min(j, b.Cols()-1)))
		if i >= last || j >= b.Cols() {
			x = 0
		}
		f[j] = x
	}
	return f
}

// Join makes c = alpha·sum + beta·c of count parts of sums. If beta is zero, c is not read.
//
//gpuc:kernel workgroup=items types=f32/f32/a32,f64/f64/a64,f16/f32/a16,bf16/f32/ab16
func Join[T product.Element, S product.Sum, V product.Arithmetic[T, S]](it gpu.Item, count int, alpha S, sums []S, beta S, c gpu.Matrix[T]) {
	each := c.Rows() * c.Cols()
	for n := it.Global().X; n < each; n += it.Groups().X * items {
		var sum S
		for p := range count {
			sum += sums[p*each+n]
		}
		i, j := n/c.Cols(), n%c.Cols()
		c.Set(i, j, product.Joined[T, S, V](alpha*sum, beta, c, product.All, i, j))
	}
}

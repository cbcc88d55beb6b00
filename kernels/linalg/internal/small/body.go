package small

import (
	"github.com/gpuc/gpuc/kernels/linalg/internal/product"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// quad is 16 bytes of a row, which devices load and store at once.
type quad[T product.Sum] interface{ [4]T | [2]T }

// square is a matrix of 16, 32 or 64 rows and as many columns, in quads, row by row.
type square[Q any] interface {
	[64]Q | [128]Q | [256]Q | [512]Q | [1024]Q | [2048]Q
}

// shape says how a workgroup computes. All of it is constant in a kernel.
type shape struct {
	side     int // rows and columns of matrices
	depth    int // how many products of each sum are copied at a time
	rows     int // of an item's block, at most 8
	quads    int // of each of these rows, at most 2
	products int // of a workgroup
}

// own is what an item does: block (i, j) of a product. Its number is l among each items of the
// product. Down and across are how many blocks are below each other and side by side.
//
// A block has rows i, i + down, i + 2·down … and quads j, j + across …, so that neighbouring items
// use neighbouring quads.
type own struct{ product, l, each, i, j, down, across int }

func ownOf(it gpu.Item, s shape, q int) own {
	across, down := s.side/q/s.quads, s.side/s.rows
	each, l := across*down, it.LocalIndex()
	return own{l / each, l % each, each, l % each / across, l % across, down, across}
}

// memory returns where a product's copies of a part of its factors begin. The left one has side
// rows of depth elements, and the right one depth rows of side elements. Between rows of left is a
// quad, so that quads below each other are in different banks.
func (o own) memory(s shape, q int) (left, right int) {
	return o.product * s.side * (s.depth/q + 1), o.product * s.depth * s.side / q
}

// addProducts adds the products of the copied parts to sum, in ascending order.
func addProducts[Q quad[T], T product.Sum, V product.Arithmetic[T, T]](o own, s shape, left, right []Q, sum *[8][2]Q) {
	var v V
	var zero Q
	q := len(zero)
	width, part := s.side/q, s.depth/q
	for d := range part {
		var u [8]Q
		for r := range s.rows {
			u[r] = left[(o.i+r*o.down)*(part+1)+d]
		}
		for e := range q {
			for t := range s.quads {
				w := right[(d*q+e)*width+o.j+t*o.across]
				for r := range s.rows {
					for f := range q {
						sum[r][t][f] = v.MulAdd(u[r][e], w[f], sum[r][t][f])
					}
				}
			}
		}
	}
}

// multiply makes c = alpha·a·b + beta·c for count products. If beta is zero, c is not read.
func multiply[Q quad[T], M square[Q], T product.Sum, V product.Arithmetic[T, T]](it gpu.Item, left, right []Q, s shape, count int, alpha T, a, b []M, beta T, c []M, at Steps) {
	var zero Q
	q := len(zero)
	width, part := s.side/q, s.depth/q
	o := ownOf(it, s, q)
	le, ri := o.memory(s, q)
	left, right = left[le:], right[ri:]
	for first := it.Group().X * s.products; first < count; first += it.Groups().X * s.products {
		p := min(first+o.product, count-1)
		x, y, z := &a[int(at.FirstA)+p*int(at.StepA)], &b[int(at.FirstB)+p*int(at.StepB)], &c[int(at.FirstC)+p*int(at.StepC)]
		var sum [8][2]Q
		for k := 0; k < s.side; k += s.depth {
			for e := range s.side * part / o.each {
				n := e*o.each + o.l
				left[n/part*(part+1)+n%part] = (*x)[n/part*width+k/q+n%part]
			}
			for e := range s.depth * width / o.each {
				n := e*o.each + o.l
				right[n] = (*y)[k*width+n]
			}
			it.Barrier()
			addProducts[Q, T, V](o, s, left, right, &sum)
			it.Barrier()
		}
		if first+o.product >= count {
			continue
		}
		for r := range s.rows {
			for t := range s.quads {
				n := (o.i+r*o.down)*width + o.j + t*o.across
				var old Q
				if beta != 0 {
					old = (*z)[n]
				}
				for f := range q {
					old[f] = joined(alpha*sum[r][t][f], beta, old[f])
				}
				(*z)[n] = old
			}
		}
	}
}

// joined returns x + beta·old, and does without old if beta is zero.
func joined[T product.Sum](x, beta, old T) T {
	if beta == 0 {
		return x
	}
	return x + beta*old
}

// products is a batch of any matrices. Matrices p are by p times their step behind the first ones.
// Along says of which factors rows are contiguous: bit 0 of a, and bit 1 of b.
type products[T any] struct {
	a, b, c                    gpu.Matrix[T]
	stepA, stepB, stepC, along int
}

// multiplyAny is multiply for matrices of any size and strides, by blocks of side × side elements
// of results. Elements that factors do not have are zero in the copies. If there is a list, its
// entries are the numbers of the matrices of the products. Those with a number that is not below
// limit are left out.
func multiplyAny[Q quad[T], T product.Sum, V product.Arithmetic[T, T]](it gpu.Item, left, right []Q, s shape, count int, alpha T, m products[T], beta T, list [][3]int32, limit [3]int32) {
	var zero Q
	q := len(zero)
	width, part := s.side/q, s.depth/q
	o := ownOf(it, s, q)
	le, ri := o.memory(s, q)
	left, right = left[le:], right[ri:]
	high, wide := (m.c.Rows()+s.side-1)/s.side, (m.c.Cols()+s.side-1)/s.side
	for first := it.Group().X * s.products; first < count*high*wide; first += it.Groups().X * s.products {
		n := min(first+o.product, count*high*wide-1)
		p := n / (high * wide)
		row, col := n/wide%high*s.side, n%wide*s.side
		at, has := [3]int32{int32(p), int32(p), int32(p)}, first+o.product == n
		if limit[0] >= 0 {
			at = list[p]
			for k := range 3 {
				has = has && uint32(at[k]) < uint32(limit[k])
			}
		}
		if !has {
			at = [3]int32{}
		}
		x, y, z := m.a.Skip(int(at[0])*m.stepA), m.b.Skip(int(at[1])*m.stepB), m.c.Skip(int(at[2])*m.stepC)
		var sum [8][2]Q
		for k := 0; k < m.a.Cols(); k += s.depth {
			copyPart(o, s.side, s.depth, m.along&1 != 0, x, row, k, left, part+1)
			copyPart(o, s.depth, s.side, m.along&2 != 0, y, k, col, right, width)
			it.Barrier()
			addProducts[Q, T, V](o, s, left, right, &sum)
			it.Barrier()
		}
		if !has {
			continue
		}
		for r := range s.rows {
			for t := range s.quads {
				for f := range q {
					i, j := row+o.i+r*o.down, col+(o.j+t*o.across)*q+f
					if i >= m.c.Rows() || j >= m.c.Cols() {
						continue
					}
					v := alpha * sum[r][t][f]
					if beta != 0 {
						v += beta * z.At(i, j)
					}
					z.Set(i, j, v)
				}
			}
		}
	}
}

// copyPart copies rows × cols elements that begin at (row, col) to rows at a distance of stride
// quads. Neighbouring items load what is close in memory: along rows, or along columns. An item
// loads several elements before it stores them.
func copyPart[Q quad[T], T product.Sum](o own, rows, cols int, along bool, m gpu.Matrix[T], row, col int, to []Q, stride int) {
	const ahead = 4 // divides each shape's elements of an item
	var zero Q
	for e := 0; e < rows*cols; e += ahead * o.each {
		var v [ahead]T
		for t := range ahead {
			i, j := position(e+t*o.each+o.l, rows, cols, along)
			v[t] = within(m, row+i, col+j)
		}
		for t := range ahead {
			i, j := position(e+t*o.each+o.l, rows, cols, along)
			to[i*stride+j/len(zero)][j%len(zero)] = v[t]
		}
	}
}

// position is that of element n, counted along rows or along columns.
func position(n, rows, cols int, along bool) (i, j int) {
	if along {
		return n / cols, n % cols
	}
	return n % rows, n / rows
}

// within returns an element, and zero where there is none. It loads one always, so that loads need
// not wait for each other's conditions.
func within[T product.Sum](m gpu.Matrix[T], i, j int) T {
	v := m.At(min(i, m.Rows()-1), min(j, m.Cols()-1))
	if i >= m.Rows() || j >= m.Cols() {
		v = 0
	}
	return v
}

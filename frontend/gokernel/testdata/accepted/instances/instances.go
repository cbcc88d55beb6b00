// Package instances has generic kernels.
package instances

import (
	"github.com/gpuc/gpuc/frontend/gokernel/testdata/accepted/helpers"
	"github.com/gpuc/gpuc/runtime/gpu"
)

const rows = 8

type celsius float32

type block [4 * rows]float32

type pair[T any] struct{ a, b T }

func (p pair[T]) swapped() pair[T] { return pair[T]{p.b, p.a} }

func double[T gpu.Number](x T) T { return x + x }

//gpuc:kernel workgroup=64 types=float32,int32,uint32,celsius
func Scale[E gpu.Number](it gpu.Item, s E, x []E) {
	if i := it.Index(); i < len(x) {
		x[i] = double(x[i]) * s
	}
}

// int is no element of a buffer, but may be a value.
//
//gpuc:kernel types=int,uint,int32 workgroup=rows,rows
func Filled[E gpu.Integer](it gpu.Item, s E, x []int32) { x[it.Index()] = int32(s) }

//gpuc:kernel workgroup=64 types=float32/int32,uint32/float32,pair[float32]/float32
func Convert[A any, B gpu.Number](it gpu.Item, from []A, to []B, last A) {
	from[it.Index()] = last
	to[it.Index()] = to[0] + B(it.Index())
}

//gpuc:kernel workgroup=64 types=pair[int32],pair[pair[float32]],gpu.Vec3[float32],helpers.Vector,[3][rows/2]float32
func Swap[P any](it gpu.Item, x []P, all []pair[P]) {
	p := pair[P]{x[0], x[1]}.swapped()
	x[0], x[1] = p.a, p.b
	all[0] = p.swapped()
	both := struct{ first, second P }{x[0], x[1]}
	x[2] = both.second
}

//gpuc:kernel workgroup=64 types=[64]float32,[256]float32,block
func Sizes[T interface {
	~[32]float32 | ~[64]float32 | ~[256]float32
}](it gpu.Item, shared *T, x []float32) {
	for i := range len(*shared) {
		(*shared)[i] = x[i]
	}
	it.Barrier()
	x[it.Index()] = (*shared)[len(*shared)-1]
}

type operation[T any] interface {
	start() T
	apply(a, b T) T
}

type sum struct{}

func (sum) start() float32             { return 0 }
func (sum) apply(a, b float32) float32 { return a + b }

type product struct{}

func (product) start() int32           { return 1 }
func (product) apply(a, b int32) int32 { return a * b }

//gpuc:kernel workgroup=64 types=sum/float32,product/int32
func Fold[O operation[T], T gpu.Number](it gpu.Item, x []T) {
	var o O
	r := o.start()
	for _, v := range x {
		r = o.apply(r, v)
	}
	x[0] = r
}

var _ helpers.Vector

package linalg

// The kernels that make one number of vectors. The first one reduces parts of equal size, by as
// many workgroups as the length alone says, and the second one their results. So the order of
// additions is the same on all devices.

import (
	"math"

	"github.com/gpuc/gpuc/runtime/gpu"
)

// maxStates is how many workgroups reduce a long vector.
const maxStates = 512

// reduction makes a state of elements, and a result of that. The zero state is that of no element.
type reduction[T Real, S, R any] interface {
	// add adds element i, which is x in the one and y in the other vector.
	add(s S, i int, x, y T) S
	// join adds two states.
	join(a, b S) S
	result(s S) R
}

// dot makes states of the sum of the products x[i]·y[i].
//
//gpuc:kernel workgroup=items types=float32,float64
func dot[T Real](it gpu.Item, shared *[items]T, n int, x []T, px line, y []T, py line, states []T) {
	reduce[products[T], T, T, T](it, products[T]{}, shared, n, x, px, y, py, states)
}

// asum makes states of the sum of absolute values.
//
//gpuc:kernel workgroup=items types=float32,float64
func asum[T Real](it gpu.Item, shared *[items]T, n int, x []T, px line, states []T) {
	reduce[absolute[T], T, T, T](it, absolute[T]{}, shared, n, x, px, x, px, states)
}

// nrm2 makes states of the norm.
//
//gpuc:kernel workgroup=items types=float32,float64
func nrm2[T Real](it gpu.Item, shared *[items]squares[T], n int, o norm[T], x []T, px line, states []squares[T]) {
	reduce[norm[T], T, squares[T], T](it, o, shared, n, x, px, x, px, states)
}

// iamax makes states of the index of the greatest absolute value.
//
//gpuc:kernel workgroup=items types=float32/uint32/magnitude32,float64/uint64/magnitude64
func iamax[T Real, K key, M magnitudes[T, K]](it gpu.Item, shared *[items]ranked[K], n int, x []T, px line, states []ranked[K]) {
	reduce[highest[T, K, M], T, ranked[K], int32](it, highest[T, K, M]{}, shared, n, x, px, x, px, states)
}

// reduce makes a state of each workgroup's elements.
//
// Item l of workgroup g adds elements g·block + l + e·items for e below each. It goes on with the
// block that is as many blocks further as there are workgroups. Then states at distances of 128,
// 64 … are joined.
func reduce[O reduction[T, S, R], T Real, S, R any](it gpu.Item, o O, shared *[items]S, n int, x []T, px line, y []T, py line, states []S) {
	s := reduced[O, T, S, R](it, o, shared, n, x, px, y, py)
	if it.LocalIndex() == 0 {
		states[it.Group().X] = s
	}
}

// reduced returns the state of a workgroup's elements. Item 0 has it.
func reduced[O reduction[T, S, R], T Real, S, R any](it gpu.Item, o O, shared *[items]S, n int, x []T, px line, y []T, py line) S {
	var s S
	if px.Stride == 1 && py.Stride == 1 {
		s = reduceAt[O, T, S, R](it, o, n, x, beside{px.Offset}, y, beside{py.Offset})
	} else {
		s = reduceAt[O, T, S, R](it, o, n, x, px, y, py)
	}
	return joinAll[O, T, S, R](it, o, shared, s)
}

// reduceAt returns the state of an item's elements.
func reduceAt[O reduction[T, S, R], T Real, S, R any, P positions](it gpu.Item, o O, n int, x []T, px P, y []T, py P) (s S) {
	for first := it.Group().X * block; first < n; first += it.Groups().X * block {
		i := first + it.LocalIndex()
		if first+block > n {
			for ; i < n; i += items {
				s = o.add(s, i, x[px.at(i)], y[py.at(i)])
			}
			break
		}
		var a, b [each]T
		for e := range each {
			a[e], b[e] = x[px.at(i+e*items)], y[py.at(i+e*items)]
		}
		for e := range each {
			s = o.add(s, i+e*items, a[e], b[e])
		}
	}
	return s
}

// sumStates makes a sum of n states.
//
//gpuc:kernel workgroup=items types=float32,float64
func sumStates[T Real](it gpu.Item, shared *[items]T, n int, states, to []T) {
	finish[products[T], T, T, T](it, products[T]{}, shared, n, states, to)
}

// nrm2States makes the norm of n states.
//
//gpuc:kernel workgroup=items types=float32,float64
func nrm2States[T Real](it gpu.Item, shared *[items]squares[T], n int, o norm[T], states []squares[T], to []T) {
	finish[norm[T], T, squares[T], T](it, o, shared, n, states, to)
}

// iamaxStates makes an index of n states.
//
//gpuc:kernel workgroup=items types=float32/uint32/magnitude32,float64/uint64/magnitude64
func iamaxStates[T Real, K key, M magnitudes[T, K]](it gpu.Item, shared *[items]ranked[K], n int, states []ranked[K], to []int32) {
	finish[highest[T, K, M], T, ranked[K], int32](it, highest[T, K, M]{}, shared, n, states, to)
}

// finish makes the result of n states. Item l joins state l, l + items and so forth.
func finish[O reduction[T, S, R], T Real, S, R any](it gpu.Item, o O, shared *[items]S, n int, states []S, to []R) {
	var s S
	for i := it.LocalIndex(); i < n; i += items {
		s = o.join(s, states[i])
	}
	s = joinAll[O, T, S, R](it, o, shared, s)
	if it.LocalIndex() == 0 {
		to[0] = o.result(s)
	}
}

// joinAll joins the states of a workgroup's items. Item 0 has the result.
func joinAll[O reduction[T, S, R], T Real, S, R any](it gpu.Item, o O, shared *[items]S, s S) S {
	l := it.LocalIndex()
	shared[l] = s
	for step := items / 2; step > 0; step /= 2 {
		it.Barrier()
		if l < step {
			s = o.join(s, shared[l+step])
			shared[l] = s
		}
	}
	return s
}

// products is the sum of products.
type products[T Real] struct{}

func (products[T]) add(s T, _ int, x, y T) T { return s + x*y }
func (products[T]) join(a, b T) T            { return a + b }
func (products[T]) result(s T) T             { return s }

// absolute is the sum of absolute values.
type absolute[T Real] struct{}

func (absolute[T]) add(s T, _ int, x, _ T) T { return s + size(x) }
func (absolute[T]) join(a, b T) T            { return a + b }
func (absolute[T]) result(s T) T             { return s }

// size returns |x|.
func size[T Real](x T) T {
	if x < 0 {
		return -x
	}
	return x + 0 // +0 for -0
}

// key is a number that is greater for a greater absolute value: the bits of that, and one number
// above those of infinity for all NaN.
type key interface{ uint32 | uint64 }

// magnitudes makes keys of numbers.
type magnitudes[T Real, K key] interface{ of(x T) K }

type (
	magnitude32 struct{}
	magnitude64 struct{}
)

func (magnitude32) of(x float32) uint32 { return min(math.Float32bits(x)&(1<<31-1), 0x7F800001) }
func (magnitude64) of(x float64) uint64 {
	return min(math.Float64bits(x)&(1<<63-1), 0x7FF0000000000001)
}

// ranked is a key and its index plus one. Index 0 is none.
type ranked[K key] struct {
	Key   K
	Index int32
}

// highest is the index of the first element with the greatest key. NaN is greater than all numbers.
type highest[T Real, K key, M magnitudes[T, K]] struct{}

// add adds an element whose index is greater than those before.
func (o highest[T, K, M]) add(s ranked[K], i int, x, _ T) ranked[K] {
	var m M
	if k := m.of(x); k > s.Key || s.Index == 0 {
		return ranked[K]{k, int32(i) + 1}
	}
	return s
}

func (highest[T, K, M]) join(a, b ranked[K]) ranked[K] {
	if b.Index != 0 && (a.Index == 0 || b.Key > a.Key || b.Key == a.Key && b.Index < a.Index) {
		return b
	}
	return a
}

func (highest[T, K, M]) result(s ranked[K]) int32 { return s.Index - 1 }

// squares are three sums of squares (Blue, "A Portable Fortran Program to Find the Euclidean Norm
// of a Vector", 1978). Large is of numbers whose squares may overflow, scaled down. Small is of
// those whose squares may underflow, scaled up. Middle is of all others.
type squares[T Real] struct{ Large, Middle, Small T }

// norm is the Euclidean norm. Its fields are the numbers below and above which squares are scaled,
// and by what their roots are (Anderson, "Algorithm 978: Safe Scaling in the Level 1 BLAS", 2017).
type norm[T Real] struct{ Small, Large, Up, Down T }

// add adds the square to one sum, and zeros to the others, which they keep their values by: so no
// item waits for another's branch. NaN is of the middle.
func (o norm[T]) add(s squares[T], _ int, x, _ T) squares[T] {
	x = size(x)
	isLarge, isSmall := x > o.Large, x < o.Small
	by := T(1)
	if isLarge {
		by = o.Down
	}
	if isSmall {
		by = o.Up
	}
	x *= by
	square := x * x
	middle := square
	if isLarge || isSmall {
		middle = 0
	}
	s.Middle += middle
	large := square
	if !isLarge {
		large = 0
	}
	s.Large += large
	if !isSmall {
		square = 0
	}
	s.Small += square
	return s
}

func (norm[T]) join(a, b squares[T]) squares[T] {
	return squares[T]{a.Large + b.Large, a.Middle + b.Middle, a.Small + b.Small}
}

func (o norm[T]) result(s squares[T]) T {
	switch {
	case s.Large > 0:
		return root(s.Large+s.Middle*o.Down*o.Down) / o.Down
	case s.Small > 0 && s.Middle == 0:
		return root(s.Small) / o.Up
	}
	return root(s.Middle + s.Small/o.Up/o.Up)
}

// root returns the square root.
func root[T Real](x T) T { return T(math.Sqrt(float64(x))) }

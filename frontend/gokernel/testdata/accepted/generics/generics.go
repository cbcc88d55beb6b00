// Package generics has generic functions and types.
package generics

import "github.com/gpuc/gpuc/runtime/gpu"

type number interface{ ~int32 | ~uint32 | ~float32 }

type celsius float32

func twice[T number](x T) T { return x + x }

func largest[T number](x []T) (most T) {
	for i, v := range x {
		if i == 0 || v > most {
			most = v
		}
	}
	return most
}

type pair[A, B any] struct {
	a A
	b B
}

func (p pair[A, B]) first() A { return p.a }

func swapped[A, B any](p pair[A, B]) pair[B, A] { return pair[B, A]{p.b, p.a} }

type operation[T any] interface {
	start() T
	apply(a, b T) T
}

type sum struct{}

func (sum) start() float32             { return 0 }
func (sum) apply(a, b float32) float32 { return a + b }

type product struct{}

func (product) start() float32             { return 1 }
func (product) apply(a, b float32) float32 { return a * b }

func fold[O operation[T], T any](x []T) T {
	var o O
	r := o.start()
	for _, v := range x {
		r = o.apply(r, v)
	}
	return r
}

type tile interface{ ~[4]float32 | ~[8]float32 }

func filled[A tile](v float32) (a A) {
	for i := range len(a) {
		a[i] = v
	}
	return a
}

//gpuc:kernel workgroup=64
func Instances(it gpu.Item, x []float32, i []int32) {
	x[0] = twice(x[1])
	i[0] = twice(i[1]) + twice[int32](3)
	x[1] = float32(twice(celsius(x[2])))
	x[2] = largest(x)
	i[1] = largest(i[:4])
	p := pair[float32, int32]{1, 2}
	q := swapped(p)
	i[2] = q.first()
	x[3] = fold[sum](x) + fold[product](x)
	a := filled[[8]float32](2)
	x[4] = a[7]
}

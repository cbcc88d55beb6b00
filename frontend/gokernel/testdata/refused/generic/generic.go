// Package generic has what generic functions do with types that kernels do not have.
package generic

import (
	"fmt"
	"math"

	"github.com/gpuc/gpuc/runtime/gpu"
)

type number interface {
	~int32 | ~float32 | ~uintptr
}

func zero[T number]() (z T) { return z }

func double[T number](x T) T { return x + x }

func drop[T any](x float32) float32 { return x }

type operation interface {
	apply(a, b float32) float32
}

type plus struct{}

func (plus) apply(a, b float32) float32 { return a + b }

type noisy struct{}

func (noisy) apply(a, b float32) float32 {
	fmt.Println(a, b) // want "kernels do not call fmt\.Println"
	return a + b
}

type exact struct{}

func (exact) apply(a, b float32) float32 {
	return float32(math.Gamma(float64(a + b))) // want "kernels do not call math\.Gamma"
}

type looping struct{}

func (l looping) apply(a, b float32) float32 {
	return fold[looping](a, b) // want "apply calls itself, and kernels have no recursion"
}

func fold[O operation](a, b float32) float32 {
	var o O
	return o.apply(a, b)
}

type pair[T any] struct{ a, b T }

func (p pair[T]) first() T { return p.a }

func run(o operation) float32 { return o.apply(1, 2) } // want "kernels have no values of type operation"

func mapped[T any](x []T, f func(T) T) { // want "kernels have no values of type func\(T\) T"
	for i, v := range x {
		x[i] = f(v)
	}
}

//gpuc:kernel workgroup=64
func Instances(it gpu.Item, x []float32) {
	x[0] = float32(zero[uintptr]())       // want "kernels have no values of type uintptr"
	x[1] = float32(double(uintptr(x[1]))) // want "kernels have no values of type uintptr"
	x[2] = float32(double[uintptr](3))    // want "kernels have no values of type uintptr"
	x[3] = drop[string](x[3])             // want "kernels have no values of type string"
	x[4] = fold[plus](1, 2)
	x[5] = fold[noisy](1, 2)
	x[6] = fold[exact](1, 2)
	x[7] = fold[looping](1, 2)
	p := pair[complex128]{1, 2} // want "kernels have no values of type complex128, which the fields a and b have"
	x[8] = float32(real(p.first()))
	q := pair[[]float32]{x, x}
	x[9] = q.first()[0]
	x[10] = run(plus{})
	mapped(x, func(v float32) float32 { return v })
	f := double[float32] // want "double\[float32\] is used as a value, and kernels have no function values"
	x[11] = f(1)
	x[12] = float32(pair[string]{}.a[0]) // want "kernels have no values of type string"
	var o operation = plus{}             // want "kernels have no values of type operation"
	x[13] = o.apply(1, 2)
}

//gpuc:kernel workgroup=64
func Generic[T float32 | int32](it gpu.Item, x []T) { // want "Generic has type parameters, and its directive does not list the types to compile it for"
	x[it.Index()] = 0
}

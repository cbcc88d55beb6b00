// Package helpers has functions that kernels of another package call.
package helpers

import (
	"strings"

	"example.com/module/deeper"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// Mean computes with numbers of 64 bits.
func Mean(x []float32) float32 { // want Mean:"kernels have no values of type complex128"
	total := 0i
	for _, v := range x {
		total += complex(float64(v), 0)
	}
	return float32(real(total)) / float32(len(x))
}

// Through calls a function that kernels cannot, as Again does: what is wrong there is so for both.
func Through(x float32) float32 { return within(x) } // want Through:"kernels have no maps"

// Again calls the same.
func Again(x float32) float32 { return within(x) } // want Again:"kernels have no maps"

func within(x float32) float32 {
	_ = map[int]int{}
	return x
}

// Prints calls a function of a further package.
func Prints(x float32) float32 { // want Prints:"kernels do not call println"
	deeper.Print(x)
	return deeper.Twice(x)
}

// Factorial calls itself.
func Factorial(n int) int { // want Factorial:"Factorial calls itself, and kernels have no recursion"
	if n < 2 {
		return 1
	}
	return n * Factorial(n-1)
}

// Odd and Even call each other.
func Odd(n int) bool  { return n != 0 && Even(n-1) } // want Odd:"Odd calls itself through Even, and kernels have no recursion"
func Even(n int) bool { return n == 0 || !Odd(n-1) } // want Even:"Odd calls itself through Even, and kernels have no recursion"

// Words takes what no kernel has.
func Words(text string) int { return len(strings.Fields(text)) } // want Words:"kernels have no values of type string"

// Wide returns what no kernel has.
func Wide(n int) uintptr { return uintptr(n) } // want Wide:"kernels have no values of type uintptr"

// Point is for kernels, and so is Add.
type Point struct{ X, Y float32 }

// Add adds points.
func (p Point) Add(q Point) Point { return Point{p.X + q.X, p.Y + q.Y} }

// String stays on the host.
func (p Point) String() string { return "point" } // want String:"kernels have no values of type string"

// Norm is a method that kernels cannot call.
func (p *Point) Norm() float32 { // want Norm:"kernels start no goroutines"
	go p.Add(*p)
	return p.X
}

// Ring has a method that kernels cannot call.
type Ring struct{ R float32 }

// Norm is that.
func (r Ring) Norm() float32 { // want Norm:"kernels defer no calls"
	defer r.Norm()
	return r.R
}

// Scaled is a kernel.
//
//gpuc:kernel workgroup=64
func Scaled(it gpu.Item, x []float32) { x[0] = 2 } // want Scaled:"Scaled is a kernel, which is launched and not called"

// Launches calls a kernel.
func Launches(it gpu.Item, x []float32) { Scaled(it, x) } // want Launches:"Scaled is a kernel, which is launched and not called"

// Sum is generic.
func Sum[T float32 | int32](x []T) (sum T) {
	for _, v := range x {
		sum += v
	}
	return sum
}

// Shapes calls a method of its type parameter.
func Shapes[T interface{ Norm() float32 }](t T) float32 { return t.Norm() }

// Lazy is generic and not for kernels.
func Lazy[T float32 | int32](x []T) T { // want Lazy:"kernels do not call make"
	return make([]T, 1)[0] + x[0]
}

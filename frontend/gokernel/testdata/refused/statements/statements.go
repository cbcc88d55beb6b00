// Package statements has what kernels are not made of.
package statements

import (
	"fmt"
	"math"

	"github.com/gpuc/gpuc/runtime/gpu"
)

var total float32

func factorial(n int) int {
	if n < 2 {
		return 1
	}
	return n * factorial(n-1) // want "factorial calls itself; the functions of kernels do not recur"
}

func pair(x int) [2]int { return [2]int{x, x} }

func half(x int) int { return x / 2 }

//gpuc:kernel workgroup=64
func Statements(it gpu.Item, x []float32) {
	go func() {}()                              // want "kernels start no goroutines"
	s := "hello"                                // want "kernels have no values of type string"
	fmt.Println(s)                              // want "kernels do not call fmt.Println"
	y := append(x, 1)                           // want "kernels do not call append"
	total += float32(math.Gamma(float64(x[0]))) // want "total is a variable of the package, which a kernel cannot see change" "kernels do not call math.Gamma"
	z := float64(x[1]) * 2                      // want "kernels have no values of type float64"
	_ = z
	x[0] = float32(factorial(3)) + y[0]
	f := factorial
	x[1] = float32(f(1)) // want "what this calls is a value, which kernels do not have"
	defer it.Barrier()   // want "kernels defer no calls"
	var m map[int]int    // want "kernels have no values of type map\[int\]int"
	x[2] = float32(m[1])
	goto end // want "kernels have no goto"
end:
	for range s { // want "kernels range over integers, slices and arrays"
	}
	var c chan int // want "kernels have no values of type chan int"
	c <- 1         // want "kernels have no channels"
	p := new(int)  // want "kernels do not call new"
	*p = 1
	_ = pair(1)[half(1)] // want "kernels do not index an array that calls make with what a call gives"
	list := []int{1, 2}  // want "kernels make no slices"
	_ = list
}

// want+2 "a kernel needs the size of its workgroups"
//
//gpuc:kernel
func Returns(it gpu.Item, x []int32) int { // want "a kernel returns nothing"
	return 1
}

//gpuc:kernel workgroup=64
func Elements(it gpu.Item, x []int) { // want "the elements of x have a int, whose size depends on the platform"
	x[it.Index()] = 1
}

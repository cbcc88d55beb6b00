// Package declared has kernels with parameters, results and names that kernels do not have.
package declared

import (
	"time"
	"unsafe"

	"github.com/gpuc/gpuc/runtime/gpu"
)

type body struct{ x, y float32 }

type tagged struct {
	body
	label string
}

type flagged struct {
	on bool
	v  float32
}

type sized struct {
	n int
	v float32
}

type stringer interface{ String() string }

type window struct{ data []float32 }

type options struct {
	scale string
	names []string
}

type method struct{}

//gpuc:kernel workgroup=64
func (m method) Step(it gpu.Item, x []float32) {} // want "a kernel is a function, and Step is a method"

//gpuc:kernel workgroup=64
func NoItem(x []float32) {} // want "the first parameter of a kernel is a gpu\.Item"

//gpuc:kernel workgroup=64
func Nothing() {} // want "the first parameter of a kernel is a gpu\.Item"

//gpuc:kernel workgroup=64
func ItemLast(x []float32, it gpu.Item) {} // want "the first parameter of a kernel is a gpu\.Item"

//gpuc:kernel workgroup=64
func ItemPointer(it *gpu.Item, x []float32) {} // want "the first parameter of a kernel is a gpu\.Item"

//gpuc:kernel workgroup=64
func TwoItems(it, other gpu.Item, x []float32) {} // want "a kernel has one gpu\.Item, its first parameter"

//gpuc:kernel workgroup=64
func Variadic(it gpu.Item, x ...float32) {} // want "a kernel has a fixed number of parameters"

//gpuc:kernel workgroup=64
func Result(it gpu.Item, x []float32) int { return 1 } // want "a kernel returns nothing, and Result has a result"

//gpuc:kernel workgroup=64
func Results(it gpu.Item, x []float32) (n int, err error) { return } // want "a kernel returns nothing, and Results has a result"

//gpuc:kernel workgroup=64
func Unnamed(gpu.Item, []float32) {} // want "a parameter of a kernel needs a name, by which the host says what it is"

//gpuc:kernel workgroup=64
func Blank(it gpu.Item, _ []float32) {} // want "a parameter of a kernel needs a name, by which the host says what it is"

//gpuc:kernel workgroup=64
func _(it gpu.Item, x []float32) {} // want "a kernel needs a name, by which it is launched"

//gpuc:kernel workgroup=64
func Clash(it gpu.Item, a, b float32, parameters []float32) {} // want "parameters is the name of the structure of all values of a kernel: this parameter needs another name"

//gpuc:kernel workgroup=64
func Ints(it gpu.Item, x []int) {} // want "the elements of x hold values of type int, which has 64 bits on most hosts and 32 on devices"

//gpuc:kernel workgroup=64
func Uints(it gpu.Item, x []uint) {} // want "the elements of x hold values of type uint, which has 64 bits on most hosts and 32 on devices"

//gpuc:kernel workgroup=64
func Bools(it gpu.Item, x []bool) {} // want "the elements of x hold values of type bool, whose size devices do not agree on"

//gpuc:kernel workgroup=64
func Flags(it gpu.Item, x []flagged) {} // want "the elements of x hold values of type bool, whose size devices do not agree on"

//gpuc:kernel workgroup=64
func Sizes(it gpu.Item, x []sized) {} // want "the elements of x hold values of type int, which has 64 bits on most hosts and 32 on devices"

//gpuc:kernel workgroup=64
func Arrays(it gpu.Item, x [][4]int) {} // want "the elements of x hold values of type int, which has 64 bits on most hosts and 32 on devices"

//gpuc:kernel workgroup=64
func Doubles(it gpu.Item, x []complex128) {} // want "a kernel takes slices, pointers to workgroup memory, numbers and structures of numbers, and x is of type complex128"

//gpuc:kernel workgroup=64
func Bytes(it gpu.Item, x []uintptr) {} // want "a kernel takes slices, pointers to workgroup memory, numbers and structures of numbers, and x is of type uintptr"

//gpuc:kernel workgroup=64
func Longs(it gpu.Item, x []uintptr) {} // want "a kernel takes slices, pointers to workgroup memory, numbers and structures of numbers, and x is of type uintptr"

//gpuc:kernel workgroup=64
func Matrix(it gpu.Item, x [][]float32) {} // want "a buffer holds numbers, arrays and structures of them, and the elements of x have values of type \[\]float32"

//gpuc:kernel workgroup=64
func Pointers(it gpu.Item, x []*float32) {} // want "a buffer holds numbers, arrays and structures of them, and the elements of x have values of type \*float32"

//gpuc:kernel workgroup=64
func Windows(it gpu.Item, x []window) {} // want "a buffer holds numbers, arrays and structures of them, and the elements of x have values of type \[\]float32"

//gpuc:kernel workgroup=64
func Window(it gpu.Item, x window) {} // want "x has values of type \[\]float32 inside, which the host cannot fill in"

//gpuc:kernel workgroup=64
func Shared(it gpu.Item, x *window) {} // want "workgroup memory holds numbers, arrays and structures of them, and that of x has values of type \[\]float32"

//gpuc:kernel workgroup=64
func SharedSlice(it gpu.Item, x *[]float32) {} // want "workgroup memory holds numbers, arrays and structures of them, and that of x has values of type \[\]float32"

//gpuc:kernel workgroup=64
func PointerToPointer(it gpu.Item, x **float32) {} // want "workgroup memory holds numbers, arrays and structures of them, and that of x has values of type \*float32"

//gpuc:kernel workgroup=64
func Text(it gpu.Item, s string) {} // want "a kernel takes slices, pointers to workgroup memory, numbers and structures of numbers, and s is of type string"

//gpuc:kernel workgroup=64
func Tagged(it gpu.Item, x []tagged) {} // want "a kernel takes slices, pointers to workgroup memory, numbers and structures of numbers, and its field label is of type string"

//gpuc:kernel workgroup=64
func Map(it gpu.Item, m map[int]float32) { // want "a kernel takes slices, pointers to workgroup memory, numbers and structures of numbers, and m is of type map\[int\]float32"
	for k := range m {
		m[k] = 1
	}
}

//gpuc:kernel workgroup=64
func Channel(it gpu.Item, c chan int) { c <- 1 } // want "a kernel takes slices, pointers to workgroup memory, numbers and structures of numbers, and c is of type chan int"

//gpuc:kernel workgroup=64
func Interface(it gpu.Item, s stringer) { s.String() } // want "a kernel takes slices, pointers to workgroup memory, numbers and structures of numbers, and s is of type stringer"

//gpuc:kernel workgroup=64
func Anything(it gpu.Item, v any) { _ = v } // want "a kernel takes slices, pointers to workgroup memory, numbers and structures of numbers, and v is of type any"

//gpuc:kernel workgroup=64
func Callback(it gpu.Item, f func(int) int, x []int32) { x[0] = int32(f(1)) } // want "a kernel takes slices, pointers to workgroup memory, numbers and structures of numbers, and f is of type func\(int\) int"

//gpuc:kernel workgroup=64
func Options(it gpu.Item, o options, x []float32) { x[0] = float32(len(o.scale)) } // want "a kernel takes slices, pointers to workgroup memory, numbers and structures of numbers, and its fields scale and names are of type string"

//gpuc:kernel workgroup=64
func Double(it gpu.Item, scale float64, x []float32) { x[0] *= float32(scale) }

//gpuc:kernel workgroup=64
func Wait(it gpu.Item, d []time.Time) {} // want "a buffer holds numbers, arrays and structures of them, and the elements of d have values of type \*time\.Location"

//gpuc:kernel workgroup=64
func Raw(it gpu.Item, p unsafe.Pointer) {} // want "a kernel takes slices, pointers to workgroup memory, numbers and structures of numbers, and p is of type unsafe\.Pointer"

//gpuc:kernel workgroup=64
func None(it gpu.Item, x [0]float32, y []struct{}, z *[3][0]int) {} // want "there is nothing in what x gives a kernel, as the type \[0\]float32 has no size" "there is nothing in what y gives a kernel, as the type struct{} has no size" "there is nothing in what z gives a kernel, as the type \[3\]\[0\]int has no size"

//gpuc:kernel workgroup=64
func Huge(it gpu.Item, x [1 << 20]float32) {} // want "x is too large for a parameter that is copied: the limit is 64 KiB"

//gpuc:kernel workgroup=64
func HugeShared(it gpu.Item, x *[1 << 40]float32) {} // want "the workgroup memory of x is too large"

//gpuc:kernel workgroup=64
func HugeElement(it gpu.Item, x [][1 << 40]float32) {} // want "an element of x is too large"

//gpuc:kernel workgroup=64
func Complex(it gpu.Item, z []complex64) {} // want "a kernel takes slices, pointers to workgroup memory, numbers and structures of numbers, and z is of type complex64"

//gpuc:kernel workgroup=64
func Embedded(it gpu.Item, x []struct{ stringer }) {} // want "a kernel takes slices, pointers to workgroup memory, numbers and structures of numbers, and its field stringer is of type stringer"

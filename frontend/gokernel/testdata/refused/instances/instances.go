// Package instances has generic kernels whose types are wrong, or which are wrong for some types.
package instances

import (
	"fmt"
	"math"

	"github.com/gpuc/gpuc/runtime/gpu"
)

var size = 3

type node struct{ next *node }

type large [1 << 16]float32

type open struct{ x any }

//gpuc:kernel workgroup=64
func Unlisted[E gpu.Number](it gpu.Item, x []E) {} // want "Unlisted has type parameters, and its directive does not list the types to compile it for"

// want+2 "types= is for kernels with type parameters, and Plain has none"
//
//gpuc:kernel workgroup=64 types=float32
func Plain(it gpu.Item, x []float32) {}

// want+2 "types is given twice"
//
//gpuc:kernel workgroup=64 types=float32 types=int32
func Twice[E gpu.Number](it gpu.Item, x []E) {}

// want+2 "a kernel needs the size of its workgroups"
//
//gpuc:kernel types=float32
func Bare[E gpu.Number](it gpu.Item, x []E) {}

// want+2 "the type arguments of a kernel are numbers, arrays and structures of them, and string is none"
//
//gpuc:kernel workgroup=64 types=float32,string
func Double[E gpu.Number](it gpu.Item, x []E) {}

// want+2 "Unsatisfied cannot be compiled for float32: float32 does not satisfy gpu\.Integer \(float32 missing in ~int | ~int32 | ~uint | ~uint32\)"
//
//gpuc:kernel workgroup=64 types=int32,float32
func Unsatisfied[E gpu.Integer](it gpu.Item, x []E) {}

// want+2 "Repeated\[float32\] is listed twice"
//
//gpuc:kernel workgroup=64 types=float32,int32,float32
func Repeated[E gpu.Number](it gpu.Item, x []E) {}

// want+2 "Two has 2 type parameters, and int32 is 1 type"
//
//gpuc:kernel workgroup=64 types=float32/int32,int32
func Two[E, F gpu.Number](it gpu.Item, x []E, y []F) {}

// want+2 "One has 1 type parameter, and float32/int32 is 2 types"
//
//gpuc:kernel workgroup=64 types=float32/int32
func One[E gpu.Number](it gpu.Item, x []E) {}

// want+2 "types= lists types, and float31 is not known here$"
//
//gpuc:kernel workgroup=64 types=float31
func Unknown[E gpu.Number](it gpu.Item, x []E) {}

// want+2 "types= lists types, and size is none"
//
//gpuc:kernel workgroup=64 types=size
func Variable[E gpu.Number](it gpu.Item, x []E) {}

// want+2 "types= lists types, and \[4\]float32\] is none"
//
//gpuc:kernel workgroup=64 types=[4]float32]
func Syntax[E any](it gpu.Item, x []E) {}

// want+2 "there is no type here" "there is no type here"
//
//gpuc:kernel workgroup=64 types=,int32,
func Nothing[E gpu.Number](it gpu.Item, x []E) {}

// want+2 "the options of //gpuc:kernel are workgroup=SIZE, types=TYPES and resident=COUNT, found int32"
//
//gpuc:kernel workgroup=64 types=float32 int32
func Spaced[E gpu.Number](it gpu.Item, x []E) {}

// want+2 ".* and \*node is none" ".* and \[\]float32 is none" ".* and node has values of type \*node" ".* and open has values of type any" "large is too large for a type argument of a kernel: the limit is 64 KiB" ".* and gpu\.Item is none"
//
//gpuc:kernel workgroup=64 types=*node,[]float32,node,open,large,gpu.Item
func Kinds[E any](it gpu.Item, x []E) {}

//gpuc:kernel workgroup=64 types=float32,int,bool
func Elements[E any](it gpu.Item, v E, x []E) {} // want "the elements of x hold values of type int, " "the elements of x hold values of type bool, "

//gpuc:kernel workgroup=64 types=float32/float32
func Names[int32 gpu.Number, _ any](it gpu.Item, x []int32) {} // want "a type parameter of a kernel has a name of its own, which int32 is not" "a type parameter of a kernel has a name of its own, which _ is not"

//gpuc:kernel workgroup=64 types=float32
func Node[node gpu.Number](it gpu.Item, x []node) node { return x[0] } // want "a type parameter of a kernel has a name of its own, which node is not" "a kernel returns nothing"

//gpuc:kernel workgroup=64 types=float32,int32
func Body[E gpu.Number](it gpu.Item, x []E) {
	fmt.Println(x[0]) // want "kernels do not call fmt\.Println"
	x[0] += half(x[0])
}

func half[E gpu.Number](x E) E {
	return E(math.Gamma(2)) * x // want "kernels do not call math\.Gamma"
}

type operation interface{ apply(a, b float32) float32 }

type plus struct{}

func (plus) apply(a, b float32) float32 { return a + b }

type noisy struct{}

func (noisy) apply(a, b float32) float32 {
	println(a, b) // want "kernels do not call println"
	return a + b
}

//gpuc:kernel workgroup=64 types=plus,noisy
func Fold[O operation](it gpu.Item, x []float32) {
	var o O
	x[0] = o.apply(x[0], x[1])
}

// want+2 "the directive of kernels is //gpuc:kernel"
//
//gpuc:kernal workgroup=64 types=float32
func Misspelt[E gpu.Number](it gpu.Item, x []E) {}

// Package tables has variables of packages that are no tables of constants.
package tables

import (
	"os"

	"github.com/gpuc/gpuc/runtime/gpu"
)

var (
	gain     float32 = 2
	counter  int32
	list     = []float32{1, 2, 3}
	lookup   = map[int]int{1: 2}
	Public   = [...]float32{1, 2}
	written  = [...]float32{1, 2}
	cleared  = [2]int32{1, 2}
	counted  = [2]int32{1, 2}
	pointed  = [...]float32{1, 2}
	sliced   = [...]float32{1, 2}
	ranged   = [...]int{1, 2}
	method   = series{1, 2}
	computed = fill()
	half     = [...]float32{1, gain}
	empty    [4]float32
	precise      = [...]float64{1, 2}
	bytes        = [256]uint8{1, 2}
	words        = [...]string{"a", "b"}
	hook         = set
	origin       = struct{ x, y float32 }{1, 2}
	here         = &origin
	anything any = 1
	a, b         = pairs()
	name         = "kernel"
	parts        = [...]part{{1}, {2}}
)

type series [2]float32

type part struct{ n int32 }

func (s *series) reset() { s[0] = 0 }

func fill() (x [4]float32) { return x }

func pairs() (x, y [2]float32) { return x, y }

func double(x []float32) {
	for k := range x {
		x[k] *= 2
	}
}

func set() {
	written[0] = 3
	cleared = [2]int32{}
	counted[1]++
	p := &pointed[0]
	*p = 1
	double(sliced[:1])
	for ranged[0] = range 3 {
	}
	method.reset()
	parts[0].n = 3
}

// The variable is said to be no table once, and a number is at each use: kernels may take it.
//
//gpuc:kernel workgroup=64
func Again(it gpu.Item, x []float32) {
	x[it.Index()] = written[1] + gain // want "gain is a variable of the package, which kernels read only if it is a table of constants" "written is a variable of the package, which kernels read only if it is a table of constants"
	x[it.Index()] = written[1] + gain // want "gain is a variable of the package, which kernels read only if it is a table of constants"
	it.Barrier()
}

//gpuc:kernel workgroup=64
func Tables(it gpu.Item, x []float32) {
	i := it.Index()
	x[0] = gain               // want "gain is a variable of the package, which kernels read only if it is a table of constants"
	counter++                 // want "counter is a variable of the package, which kernels read only if it is a table of constants"
	x[1] = list[i]            // want "list is a variable of the package, which kernels read only if it is a table of constants"
	x[2] = float32(lookup[i]) // want "lookup is a variable of the package, which kernels read only if it is a table of constants"
	x[3] = Public[i]          // want "Public is a variable of the package, which kernels read only if it is a table of constants"
	x[4] = written[i]
	x[5] = float32(cleared[i]) // want "cleared is a variable of the package, which kernels read only if it is a table of constants"
	x[6] = float32(counted[i]) // want "counted is a variable of the package, which kernels read only if it is a table of constants"
	x[7] = pointed[i]          // want "pointed is a variable of the package, which kernels read only if it is a table of constants"
	x[8] = sliced[i]           // want "sliced is a variable of the package, which kernels read only if it is a table of constants"
	x[9] = float32(ranged[i])  // want "ranged is a variable of the package, which kernels read only if it is a table of constants"
	x[10] = method[i]          // want "method is a variable of the package, which kernels read only if it is a table of constants"
	x[11] = computed[i]        // want "computed is a variable of the package, which kernels read only if it is a table of constants"
	x[12] = half[i]            // want "half is a variable of the package, which kernels read only if it is a table of constants"
	x[13] = empty[i]           // want "empty is a variable of the package, which kernels read only if it is a table of constants"
	x[14] = float32(precise[i])
	x[15] = float32(bytes[i])
	x[16] = float32(len(words[i]))  // want "kernels have no values of type string"
	hook()                          // want "hook is a variable of the package, which kernels read only if it is a table of constants"
	x[17] = origin.x                // want "origin is a variable of the package, which kernels read only if it is a table of constants"
	x[18] = here.x                  // want "here is a variable of the package, which kernels read only if it is a table of constants"
	x[19] = float32(anything.(int)) // want "kernels have no type assertions"
	x[20] = a[i] + b[i]             // want "a is a variable of the package, which kernels read only if it is a table of constants" "b is a variable of the package, which kernels read only if it is a table of constants"
	x[21] = float32(len(name))      // want "name is a variable of the package, which kernels read only if it is a table of constants"
	x[22] = float32(parts[i].n)     // want "parts is a variable of the package, which kernels read only if it is a table of constants"
	for _, v := range list {
		x[23] += v
	}
	for i := range list {
		x[i] = 1
	}
	x[24] = float32(len(os.Args)) // want "os\.Args is a variable of the package, which kernels read only if it is a table of constants"
}

// Package variants has values of tuned constants that a kernel cannot have, and too many of them.
package variants

import "github.com/gpuc/gpuc/runtime/gpu"

const unused = 16 //gpuc:tune 8 16 // want "no kernel of the package depends on unused"

const (
	a = 1 //gpuc:tune 1 2 3 4
	b = 1 //gpuc:tune 1 2 3 4
	c = 1 //gpuc:tune 1 2 3
)

//gpuc:kernel workgroup=64
func Many(it gpu.Item, x []float32) { // want "Many would have 48 variants, one for each combination of its tuned constants, and the limit is 32"
	x[it.Index()] = a * b * c
}

const short = 8 //gpuc:tune 4 8 // want "Index cannot have short = 4: invalid argument: index 5 out of bounds"

var table = [...]float32{1, 2, 3, 4, 5, 6, 7, 8}

//gpuc:kernel workgroup=64
func Index(it gpu.Item, x []float32) {
	var part [short]float32
	part[5] = x[0]
	x[it.Index()] = part[5] + table[short-1]
}

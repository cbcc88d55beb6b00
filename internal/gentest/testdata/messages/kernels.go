// Package messages has kernels that print, held against what they print as plain Go.
package messages

import "github.com/gpuc/gpuc/runtime/gpu"

//go:generate go tool gpuc gen -debug .

type level int8

func (level) String() string { return "no device calls this" }

// Line prints numbers of all sizes, in a loop and in branches.
//
//gpuc:kernel workgroup=64
func Line(it gpu.Item, factor float32, x []float32, y []int64, z []uint8) {
	i := it.Index()
	it.Printf("%v of %v: %v %g %5.2f", i, it.Group(), x[i], x[i]*factor, float64(x[i])/3)
	for n := range i % 4 {
		if n == 2 {
			continue
		}
		it.Printf("turn %d: %x %d %08b %c %t\n", n, y[i], level(n-i), z[i], 'a'+rune(n), x[i] > 1)
	}
	x[i] = float32(i)
	it.Printf("%v %d, 100%%", gpu.V3f(factor, 0, x[i]), gpu.Vec2i{X: int32(i), Y: -1})
}

// Square prints in two dimensions, between barriers.
//
//gpuc:kernel workgroup=4,2
func Square(it gpu.Item, shared *[8]uint32, sums []uint32) {
	l := it.LocalIndex()
	shared[l] = uint32(l * l)
	it.Printf("before %v", it.Local())
	it.Barrier()
	if l == 0 {
		var sum uint32
		for _, v := range shared {
			sum += v
		}
		it.Printf("sum %d", sum)
		sums[it.Group().Y*it.Groups().X+it.Group().X] = sum
	}
	it.Barrier()
	it.Printf("behind %v", sums[it.Group().Y*it.Groups().X+it.Group().X])
}

// Positive wants all of x to be above 0.
//
//gpuc:kernel workgroup=8
func Positive(it gpu.Item, x []float32) {
	i := it.Index()
	it.Assert(x[i] > 0, "x[%d] is %v", i, x[i])
	x[i] = 1 / x[i]
}

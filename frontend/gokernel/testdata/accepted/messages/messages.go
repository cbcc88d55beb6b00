// Package messages has kernels that print.
package messages

import "github.com/gpuc/gpuc/runtime/gpu"

const format = "x[%d] " + "= %6.2f\n"

type level int16

type pair struct{ a, b float32 }

func show[T gpu.Number](it gpu.Item, v T) { it.Printf("%v", v) }

func (p pair) show(it gpu.Item) bool {
	it.Printf("%g %g", p.a, p.b)
	return p.a < p.b
}

//gpuc:kernel workgroup=64
func Print(it gpu.Item, on bool, x []float32, y []int64, z []uint8) {
	i := it.Index()
	it.Printf("begin")
	it.Printf("100%% of %v", it.Global())
	it.Printf(format, i, x[i])
	it.Printf("%t %x %c %08b %+d %v", on && y[i] > 0, y[i], 'a'+rune(i), z[i], level(i), float64(x[i]))
	it.Printf("%v %d", gpu.V3f(1, 2, x[i]), gpu.V2[uint32](1, 2))
	for n := range i {
		if n%2 == 0 {
			it.Printf("turn %d", n)
			continue
		}
		it.Assert(n < 100 || x[n] > 0, "turn %d of %d", n, i)
	}
	show(it, x[i])
	show(it, uint32(i))
	if (pair{x[i], 2}).show(it) {
		x[i] = 0
	}
}

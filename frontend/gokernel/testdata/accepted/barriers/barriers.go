// Package barriers has barriers that all items of a workgroup come to.
package barriers

import "github.com/gpuc/gpuc/runtime/gpu"

const items = 64

type settings struct {
	rounds, width int
	deep          bool32
}

type bool32 uint32

func sync(it gpu.Item) { it.Barrier() }

func rounds(n int) int {
	if n > 10 {
		return 10
	}
	return n
}

//gpuc:kernel workgroup=items
func Plain(it gpu.Item, x []float32) {
	it.Barrier()
	if it.Index() < len(x) {
		x[it.Index()] = 1
	}
	it.Barrier()
}

//gpuc:kernel workgroup=items
func Reduce(it gpu.Item, shared *[items]float32, x, sums []float32) {
	l := it.LocalIndex()
	if it.Index() < len(x) {
		shared[l] = x[it.Index()]
	}
	for step := items / 2; step > 0; step /= 2 {
		it.Barrier()
		if l < step {
			shared[l] += shared[l+step]
		}
	}
	if l == 0 {
		sums[it.Group().X] = shared[0]
	}
}

//gpuc:kernel workgroup=items
func Parameters(it gpu.Item, n int, s settings, x []float32) {
	for i := range n {
		x[i] = 1
		it.Barrier()
	}
	for range rounds(s.rounds) {
		sync(it)
	}
	if s.deep != 0 {
		it.Barrier()
	}
	switch s.width {
	case 1:
		it.Barrier()
	case 2, 3:
		x[0] = 2
	default:
		sync(it)
	}
	if n > len(x) {
		return
	}
	it.Barrier()
}

//gpuc:kernel workgroup=items
func Groups(it gpu.Item, x []float32) {
	if it.Group().X > 3 && it.Groups().X < 100 {
		it.Barrier()
	}
	for i := it.Group().X; i < len(x); i += it.Groups().X {
		it.Barrier()
		x[i] = float32(it.LocalIndex())
		if i > 1000 {
			break
		}
	}
	if it.Size().X == items {
		it.Barrier()
	}
}

// What a buffer holds that the kernel only reads is one value for all at one index.
//
//gpuc:kernel workgroup=items
func ReadOnly(it gpu.Item, bounds []int32, x []float32) {
	from, to := int(bounds[it.Group().X]), int(bounds[it.Group().X+1])
	for i := from; i < to; i++ {
		it.Barrier()
		x[i] = float32(it.LocalIndex())
	}
}

//gpuc:kernel workgroup=items
func Variables(it gpu.Item, n int, x []float32) {
	i := 0
	for {
		if i >= n {
			break
		}
		i++
		if i&1 == 0 {
			continue
		}
		it.Barrier()
	}
	pair := [2]int{n, n + 1}
	if pair[1] > 3 {
		it.Barrier()
	}
	p := gpu.Int3{X: n}
	p.Y = p.X + 1
	for p.Y > 0 {
		p.Y--
		it.Barrier()
	}
outer:
	for a := range n {
		for b := range a {
			it.Barrier()
			if a+b > 100 {
				break outer
			}
			if b > 5 {
				continue outer
			}
		}
		if it.LocalIndex() > 3 {
			x[a] = 1
		}
		it.Barrier()
	}
}

// Divergent loops end before the barrier.
//
//gpuc:kernel workgroup=items
func Behind(it gpu.Item, x []float32) {
	for i := it.LocalIndex(); i < len(x); i += items {
		if x[i] < 0 {
			break
		}
		x[i]++
	}
	it.Barrier()
	switch it.LocalIndex() {
	case 1:
		x[0] = 1
	case 2:
		x[1] = 2
		fallthrough
	case 3:
		x[2] = 3
	}
	it.Barrier()
	if half(it, x) {
		x[3] = 1
	}
	it.Barrier()
}

func half(it gpu.Item, x []float32) bool {
	if it.LocalIndex() < 32 {
		return true
	}
	for i := range it.LocalIndex() {
		if x[i] > 3 {
			return false
		}
	}
	return x[0] > 2
}

func put(p *int, v int) { *p = v }

// A variable whose address is taken is one value for all, too.
//
//gpuc:kernel workgroup=items
func Addresses(it gpu.Item, n int, x []float32) {
	var y int
	put(&y, n)
	p := &y
	*p++
	if y > 0 {
		it.Barrier()
	}
	x[0] = 1
}

// Package statements has the statements of kernels.
package statements

import "github.com/gpuc/gpuc/runtime/gpu"

const (
	red = iota
	green
	blue
)

type state int32

const (
	start state = iota
	middle
	end
)

//gpuc:kernel workgroup=64
func Switches(it gpu.Item, x []int32) {
	i := it.Index()
	switch i {
	case red:
		x[0] = 1
		fallthrough
	case green, blue:
		x[1] = 2
	default:
		x[2] = 3
	}
	switch {
	case i > 5 && x[3] == 0:
		x[3] = 1
	case i < 0:
	}
	switch y := x[4] * 2; y & 3 {
	case 1:
		x[4] = y
	case x[5]:
		break
	}
	switch {
	}
}

//gpuc:kernel workgroup=64
func Loops(it gpu.Item, n int, x []int32, shared *[16]int32) {
outer:
	for i := range n {
		for j := range 3 {
			if i == j {
				continue outer
			}
			if x[i] < 0 {
				break outer
			}
			x[i] += int32(j)
		}
	}
	for range n {
		x[0]++
	}
	for range 4 {
		x[1]++
	}
	for i, v := range x {
		x[i] = v + 1
	}
	for i := range x {
		x[i]++
	}
	for range x {
		x[2]++
	}
	for _, v := range x[2:5] {
		x[3] += v
	}
	for i, v := range shared {
		shared[i] = v + 1
	}
	for i := range shared {
		shared[i]++
	}
	var list [4]int32
	for i, v := range list {
		list[i] = v + int32(i)
	}
	for i := range &list {
		list[i]++
	}
	for i, j := 0, len(x)-1; i < j; i, j = i+1, j-1 {
		x[i], x[j] = x[j], x[i]
	}
	for x[4] > 0 {
		x[4]--
	}
	for {
		x[5]++
		if x[5] > 3 {
			break
		}
	}
	var k int32
	for k = range int32(5) {
		x[k]++
	}
	for i := range uint32(3) {
		x[i] = int32(i)
	}
	x[6] = list[0] + k
}

//gpuc:kernel workgroup=64
func Machine(it gpu.Item, x []int32) {
	s := start
	for s != end {
		switch s {
		case start:
			s = middle
		case middle:
			if x[it.Index()]--; x[it.Index()] < 0 {
				s = end
			}
		}
	}
}

//gpuc:kernel workgroup=64
func Names(it gpu.Item, x []int32) {
	n := len(x)
	{
		x := x[1:]
		x[0] = 3
		n := n * 2
		x[0] = int32(n)
	}
	if n := 3; n < len(x) {
		x[1] = int32(n)
	} else if m := n + 1; m > 2 {
		x[2] = int32(m)
	}
	_ = x[3]
	_, y := 1, 2
	var _ = n
	len := y
	min := func1(len)
	true := 1
	x[4] = int32(min + true + n)
	const local, other = 3, "not used"
	type pair struct{ a, b int32 }
	p := pair{local, 2}
	x[5] = p.a
	var a, b, c int32 = 1, 2, 3
	a, b, c = b, c, a
	x[6] = a + b*c
	x[7] += 2
	x[7] -= 1
	x[7] *= 2
	x[7] /= 3
	x[7] %= 5
	x[7] &= 3
	x[7] |= 8
	x[7] ^= 1
	x[7] <<= 2
	x[7] >>= 1
	x[7] &^= 4
}

func func1(n int) int { return n + 1 }

//gpuc:kernel workgroup=64
func Unused(_ gpu.Item, x []int32, n int) {
}

//gpuc:kernel workgroup=4,4,4
func Only(it gpu.Item) {
	it.Barrier()
}

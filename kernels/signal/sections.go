package signal

import "github.com/gpuc/gpuc/runtime/gpu"

// sections filters channels of n samples by second-order sections, one channel an item. The
// sections are in the transposed direct form II, which has two numbers of state each:
//
//	y = b0·x + s0
//	s0 = b1·x - a1·y + s1
//	s1 = b2·x - a2·y
//
//gpuc:kernel workgroup=64 types=float32,float64
func sections[T Float](it gpu.Item, channels, n uint32, coefficients []T, state []T, x, y []T) {
	channel := uint32(it.Index())
	if channel >= channels {
		return
	}
	count := uint32(len(coefficients)) / 6
	for s := range count {
		a0 := coefficients[6*s+3]
		b0, b1, b2 := coefficients[6*s]/a0, coefficients[6*s+1]/a0, coefficients[6*s+2]/a0
		a1, a2 := coefficients[6*s+4]/a0, coefficients[6*s+5]/a0
		at := 2 * (channel*count + s)
		s0, s1 := state[at], state[at+1]
		for k := channel * n; k < (channel+1)*n; k++ {
			v := y[k]
			if s == 0 {
				v = x[k]
			}
			w := b0*v + s0
			s0 = b1*v - a1*w + s1
			s1 = b2*v - a2*w
			y[k] = w
		}
		state[at], state[at+1] = s0, s1
	}
}

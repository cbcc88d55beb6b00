package signal

import "math/bits"

// This file divides transforms into passes over memory.

// isSmooth reports whether n has no prime factor above 13.
func isSmooth(n int) bool {
	for _, p := range [...]int{2, 3, 5, 7, 11, 13} {
		for n%p == 0 {
			n /= p
		}
	}
	return n == 1
}

// divide writes n as a product of as few factors as possible, of at most limit each, and nearly
// equal. There is none if n has a prime factor above 13.
func divide(n, limit int) []int {
	if !isSmooth(n) {
		return nil
	}
	for count := 1; count <= bits.Len(uint(n)); count++ {
		if list := divideInto(n, limit, count); list != nil {
			return list
		}
	}
	return nil
}

// divideInto is divide with a number of factors.
func divideInto(n, limit, count int) []int {
	if count == 1 {
		if n > limit {
			return nil
		}
		return []int{n}
	}
	var best []int
	worst := 0
	for f := min(n, limit); f > 1; f-- {
		if n%f != 0 || power(f, count) < n { // f is the largest factor
			continue
		}
		if rest := divideInto(n/f, f, count-1); rest != nil && (best == nil || f < worst) {
			best, worst = append([]int{f}, rest...), f
		}
	}
	return best
}

// power is f^n, or as much as an int holds.
func power(f, n int) int {
	p := 1
	for range n {
		if p > (1<<62)/f {
			return 1 << 62
		}
		p *= f
	}
	return p
}

// smoothAtLeast returns the length of a convolution by transforms of which n numbers are needed:
// a power of two, or three quarters of one. Long powers of two have faster kernels in complex64.
func (e *engine) smoothAtLeast(n int) int {
	p := 1 << bits.Len(uint(n-1))
	if p >= 16 && p/4*3 >= n && (e.double || p <= 2*e.room()) {
		return p / 4 * 3
	}
	return p
}

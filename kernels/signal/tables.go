package signal

import "math"

// root returns exp(-2πi·e/n), with an error of one or two ULP: angles are below
// π/4, where nothing is lost.
func root(e, n int) complex128 {
	e %= n
	octant, rest := 8*e/n, 8*e%n // the angle is (octant + rest/n)·π/4
	if octant%2 == 1 {
		rest = n - rest
	}
	sin, cos := math.Sincos(math.Pi / 4 * float64(rest) / float64(n))
	if octant%4 == 1 || octant%4 == 2 {
		sin, cos = cos, sin
	}
	if octant >= 2 && octant < 6 {
		cos = -cos
	}
	if octant < 4 {
		sin = -sin
	}
	return complex(cos, sin)
}

// stageTable returns the twiddle factors of stages of these radices: for each one, those of an
// input together. There is at least one.
func stageTable(radices []int) (list []complex128) {
	span := 1
	for _, radix := range radices {
		for r := 1; r < radix; r++ {
			for j := range span {
				list = append(list, root(j*r, span*radix))
			}
		}
		span *= radix
	}
	if list == nil {
		list = []complex128{1}
	}
	return list
}

// longTable returns the factors of the last stage of a row of n numbers, see weighLast.
func longTable(n int) (list []complex128) {
	for r := 1; r <= 8; r++ {
		for j := range n / 32 {
			list = append(list, root(j*r, n))
		}
	}
	return list
}

// passShift returns how many bits of the exponent of a twiddle factor the first half of
// passTable is for.
func passShift(n int) (shift uint32) {
	for 1<<(2*shift) < n {
		shift++
	}
	return shift
}

// passTable returns the twiddle factors of a pass, exp(-2πi·e/n) for e below n, as two factors:
// those for e below 2^passShift, and those for its multiples.
func passTable(n int) (list []complex128) {
	step := 1 << passShift(n)
	for e := range step {
		list = append(list, root(e, n))
	}
	for e := 0; e < n; e += step {
		list = append(list, root(e, n))
	}
	return list
}

// rootsTo returns exp(-2πi·k/n) for k up to n/2.
func rootsTo(n int) []complex128 {
	list := make([]complex128, n/2+1)
	for k := range list {
		list[k] = root(k, n)
	}
	return list
}

// chirpOf returns exp(-πi·k²/n) for k below n.
func chirpOf(n int) []complex128 {
	list := make([]complex128, n)
	for k := range list {
		list[k] = root(k*k%(2*n), 2*n)
	}
	return list
}

// chirpFactors returns the transform of m numbers, exp(πi·k²/n) at k and at m-k, with zeros
// between.
func chirpFactors(n, m int) []complex128 {
	list := make([]complex128, m)
	for k, v := range chirpOf(n) {
		v = complex(real(v), -imag(v))
		list[k], list[(m-k)%m] = v, v
	}
	all := make([]complex128, m)
	for k := range all {
		all[k] = root(k, m)
	}
	return hostTransform(list, all)
}

// hostTransform returns the transform of numbers whose count has the prime factors 2 and 3.
// Roots are those of one, of a multiple of that order.
func hostTransform(x, roots []complex128) []complex128 {
	n := len(x)
	if n == 1 {
		return x
	}
	radix := 2
	if n%2 != 0 {
		radix = 3
	}
	parts := make([][]complex128, radix)
	for r := range parts {
		part := make([]complex128, n/radix)
		for k := range part {
			part[k] = x[k*radix+r]
		}
		parts[r] = hostTransform(part, roots)
	}
	y := make([]complex128, n)
	for k := range y {
		for r, part := range parts {
			y[k] += part[k%len(part)] * roots[k*r%n*(len(roots)/n)]
		}
	}
	return y
}

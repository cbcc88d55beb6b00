package signal

import "github.com/gpuc/gpuc/runtime/gpu"

// This file has the kernels of cosine transforms of rows of N numbers, before and after Fourier
// transforms.

// evenFirst orders rows as a cosine transform of type 2 needs them: the even numbers, and then
// the odd ones in reverse. Source: Makhoul, "A fast cosine transform in one and two dimensions",
// 1980.
//
//gpuc:kernel workgroup=items types=float32,float64
func evenFirst[T Float](it gpu.Item, p rows, x, y []T) {
	if row, k, ok := p.element(it); ok {
		y[row*p.N+k] = x[row*p.N+makhoul(k, p.N)]
	}
}

// evenLast is the inverse of evenFirst, and multiplies by scale.
//
//gpuc:kernel workgroup=items types=float32,float64
func evenLast[T Float](it gpu.Item, p rows, scale T, x, y []T) {
	if row, k, ok := p.element(it); ok {
		y[row*p.N+makhoul(k, p.N)] = x[row*p.N+k] * scale
	}
}

// makhoul is where number k of a row of n comes from.
func makhoul(k, n uint32) uint32 {
	if 2*k < n {
		return 2 * k
	}
	return 2*(n-k) - 1
}

// cosines writes the cosine transform of type 2 of rows whose Fourier transforms are x. Factors
// are 2·exp(-πi·k/2N), times a scale.
//
//gpuc:kernel workgroup=items types=float32,float64
func cosines[T Float](it gpu.Item, p rows, factors, x [][2]T, y []T) {
	row, k, ok := p.element(it)
	if !ok {
		return
	}
	v := load(x, row*(p.N/2+1)+min(k, p.N-k))
	if k > p.N-k {
		v.im = -v.im
	}
	y[row*p.N+k] = v.times(load(factors, k)).re
}

// fromCosines is the inverse of cosines: its result is the Fourier transform of a row. Factors
// are exp(πi·k/2N), times a scale.
//
//gpuc:kernel workgroup=items types=float32,float64
func fromCosines[T Float](it gpu.Item, p rows, factors [][2]T, x []T, y [][2]T) {
	row, k, ok := p.element(it)
	if !ok {
		return
	}
	v := pair[T]{re: x[row*p.N+k]}
	if k > 0 {
		v.im = -x[row*p.N+p.N-k]
	}
	v = v.times(load(factors, k))
	y[row*p.Length+k] = [2]T{v.re, v.im}
}

// quarter writes N numbers times factors, exp(-πi·k/2N), and as many zeros behind.
//
//gpuc:kernel workgroup=items types=float32,float64
func quarter[T Float](it gpu.Item, p rows, factors [][2]T, x []T, y [][2]T) {
	row, k, ok := p.element(it)
	if !ok {
		return
	}
	v := pair[T]{}
	if k < p.N {
		v = load(factors, k).scaled(x[row*p.N+k])
	}
	y[row*p.Length+k] = [2]T{v.re, v.im}
}

// quarterOut writes the real parts of the first half of rows of 2N numbers times factors.
//
//gpuc:kernel workgroup=items types=float32,float64
func quarterOut[T Float](it gpu.Item, p rows, factors, x [][2]T, y []T) {
	if row, k, ok := p.element(it); ok {
		y[row*p.N+k] = load(x, 2*row*p.N+k).times(load(factors, k)).re
	}
}

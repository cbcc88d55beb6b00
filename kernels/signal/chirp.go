package signal

import "github.com/gpuc/gpuc/runtime/gpu"

// This file has the kernels of Bluestein's algorithm ("A linear filtering approach to the
// computation of discrete Fourier transform", 1970). With j·k = (j² + k² - (k-j)²)/2 a transform
// of any length is a convolution with a chirp, exp(-πi·k²/N).

// chirpIn multiplies rows of N numbers by the chirp, and writes them to rows of M numbers, with
// zeros behind.
//
//gpuc:kernel workgroup=items types=float32,float64
func chirpIn[T Float](it gpu.Item, p rows, chirp, x, y [][2]T) {
	row, k, ok := p.element(it)
	if !ok {
		return
	}
	v := pair[T]{}
	if k < p.N {
		v = load(x, p.in(row)+k*p.Inner)
		if p.Flags&conjugateIn != 0 {
			v = v.conjugated()
		}
		v = v.times(load(chirp, k))
	}
	y[row*p.M+k] = [2]T{v.re, v.im}
}

// chirpOut multiplies the first N numbers of rows of M numbers by the chirp and by scale.
//
//gpuc:kernel workgroup=items types=float32,float64
func chirpOut[T Float](it gpu.Item, p rows, scale T, chirp, x, y [][2]T) {
	row, k, ok := p.element(it)
	if !ok {
		return
	}
	v := load(x, row*p.M+k).times(load(chirp, k)).scaled(scale)
	if p.Flags&conjugateOut != 0 {
		v = v.conjugated()
	}
	y[p.out(row)+k*p.Inner] = [2]T{v.re, v.im}
}

// multiply multiplies rows by the row factors.
//
//gpuc:kernel workgroup=items types=float32,float64
func multiply[T Float](it gpu.Item, p rows, factors, x [][2]T) {
	row, k, ok := p.element(it)
	if !ok {
		return
	}
	v := load(x, row*p.Length+k).times(load(factors, k))
	x[row*p.Length+k] = [2]T{v.re, v.im}
}

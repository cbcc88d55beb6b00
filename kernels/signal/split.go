package signal

import "github.com/gpuc/gpuc/runtime/gpu"

// This file has the kernels of real transforms. A row of an even number of samples is
// transformed as a row of half as many complex numbers. Rows of odd lengths become complex.
// Source: Cooley, Lewis and Welch, "The fast Fourier transform algorithm: programming
// considerations", 1970.

// splitSpectrum writes the spectra of rows of N samples. x has the transforms of rows of N/2
// pairs of samples; roots are exp(-2πi·k/N).
//
//gpuc:kernel workgroup=items types=float32,float64
func splitSpectrum[T Float](it gpu.Item, p rows, roots, x, y [][2]T) {
	row, k, ok := p.element(it)
	if !ok {
		return
	}
	m := p.N / 2
	a, b := load(x, row*m+k%m), load(x, row*m+(m-k)%m)
	b.im = -b.im
	even, odd := a.plus(b).scaled(T(half)), a.minus(b).scaled(T(half)).turned()
	v := even.plus(odd.times(load(roots, k)))
	y[p.out(row)+k] = [2]T{v.re, v.im}
}

// joinSpectrum is the inverse of splitSpectrum. What is imaginary in the first and last number
// of a spectrum is ignored.
//
//gpuc:kernel workgroup=items types=float32,float64
func joinSpectrum[T Float](it gpu.Item, p rows, roots, x, y [][2]T) {
	row, k, ok := p.element(it)
	if !ok {
		return
	}
	m := p.N / 2
	at := p.in(row)
	a, b := load(x, at+k), load(x, at+m-k)
	b.im = -b.im
	if k == 0 {
		a.im, b.im = 0, 0
	}
	root := load(roots, k)
	root.im = -root.im
	even, odd := a.plus(b).scaled(T(half)), a.minus(b).scaled(T(half)).times(root)
	y[row*m+k] = [2]T{even.re - odd.im, even.im + odd.re}
}

// widen makes samples complex.
//
//gpuc:kernel workgroup=items types=float32,float64
func widen[T Float](it gpu.Item, p rows, x []T, y [][2]T) {
	if row, k, ok := p.element(it); ok {
		y[row*p.Length+k] = [2]T{x[p.in(row)+k], 0}
	}
}

// firstHalf copies the first numbers of rows of N.
//
//gpuc:kernel workgroup=items types=float32,float64
func firstHalf[T Float](it gpu.Item, p rows, x, y [][2]T) {
	if row, k, ok := p.element(it); ok {
		y[p.out(row)+k] = x[row*p.N+k]
	}
}

// mirror writes rows of N numbers whose second half is the conjugate of the first, in reverse.
//
//gpuc:kernel workgroup=items types=float32,float64
func mirror[T Float](it gpu.Item, p rows, x, y [][2]T) {
	row, k, ok := p.element(it)
	if !ok {
		return
	}
	v := load(x, p.in(row)+min(k, p.N-k))
	if k > p.N-k {
		v.im = -v.im
	}
	if k == 0 {
		v.im = 0
	}
	y[row*p.N+k] = [2]T{v.re, v.im}
}

// realPart copies the real parts of rows.
//
//gpuc:kernel workgroup=items types=float32,float64
func realPart[T Float](it gpu.Item, p rows, scale T, x [][2]T, y []T) {
	if row, k, ok := p.element(it); ok {
		y[p.out(row)+k] = x[row*p.N+k][0] * scale
	}
}

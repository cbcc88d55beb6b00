package signal

// Float is the type of real samples.
type Float interface{ float32 | float64 }

// Complex is the type of complex samples.
type Complex interface{ complex64 | complex128 }

// pair is a complex number as kernels compute with it.
type pair[T Float] struct{ re, im T }

func load[T Float](x [][2]T, i uint32) pair[T] {
	v := x[i]
	return pair[T]{v[0], v[1]}
}

func (v pair[T]) plus(w pair[T]) pair[T] { return pair[T]{v.re + w.re, v.im + w.im} }

func (v pair[T]) minus(w pair[T]) pair[T] { return pair[T]{v.re - w.re, v.im - w.im} }

// times is the product of two complex numbers.
func (v pair[T]) times(w pair[T]) pair[T] {
	return pair[T]{v.re*w.re - v.im*w.im, v.re*w.im + v.im*w.re}
}

// scaled is the product with a real number.
func (v pair[T]) scaled(by T) pair[T] { return pair[T]{v.re * by, v.im * by} }

// turned is the product with -i, the fourth root of one that a forward transform has.
func (v pair[T]) turned() pair[T] { return pair[T]{v.im, -v.re} }

// conjugated is the conjugate. An inverse transform is a forward one with
// this before and after.
func (v pair[T]) conjugated() pair[T] { return pair[T]{v.re, -v.im} }

// Package pairs has the kernels of package linalg for complex numbers, which kernels have as arrays
// of two floats. Its functions take buffers of complex numbers, which fit those.
//
// Arithmetic is strict. A product of two numbers is rounded as the terms say: a fused multiply-add
// is one where it is written, and nothing else is fused.
package pairs

import (
	"math"

	"github.com/gpuc/gpuc/runtime/gpu"
)

//go:generate go tool gpuc gen -math=strict .

// float is the type of the parts of complex numbers.
type float interface{ float32 | float64 }

// arithmetic has the functions of a type of parts.
type arithmetic[T float] interface {
	// fma returns x·y + z, which is rounded once.
	fma(x, y, z T) T
	root(x T) T
}

// The arithmetics of the types of parts.
type (
	single struct{}
	double struct{}
)

func (single) fma(x, y, z float32) float32 { return gpu.FMA(x, y, z) }
func (single) root(x float32) float32      { return float32(math.Sqrt(float64(x))) }
func (double) fma(x, y, z float64) float64 { return math.FMA(x, y, z) }
func (double) root(x float64) float64      { return math.Sqrt(x) }

// plus returns a + b.
func plus[T float](a, b [2]T) [2]T { return [2]T{a[0] + b[0], a[1] + b[1]} }

// times returns a·b, whose products are rounded before they are added.
func times[T float](a, b [2]T) [2]T {
	return [2]T{a[0]*b[0] - a[1]*b[1], a[0]*b[1] + a[1]*b[0]}
}

// mulAdd returns a·b + c, by four fused multiply-adds: first those with the real part of a.
func mulAdd[V arithmetic[T], T float](a, b, c [2]T) [2]T {
	var v V
	return [2]T{v.fma(-a[1], b[1], v.fma(a[0], b[0], c[0])), v.fma(a[1], b[0], v.fma(a[0], b[1], c[1]))}
}

// conjugated returns the conjugate of a if conj is not zero, and a otherwise.
func conjugated[T float](a [2]T, conj int) [2]T {
	if conj != 0 {
		a[1] = -a[1]
	}
	return a
}

// isZero reports whether a is zero.
func isZero[T float](a [2]T) bool { return a[0] == 0 && a[1] == 0 }

// joined returns alpha·x + beta·old, and does without old if beta is zero.
func joined[T float](alpha, x, beta, old [2]T) [2]T {
	x = times(alpha, x)
	if isZero(beta) {
		return x
	}
	return plus(x, times(beta, old))
}

// size returns |x|.
func size[T float](x T) T {
	if x < 0 {
		return -x
	}
	return x + 0 // +0 for −0
}

// Line says where the elements of a vector are.
type Line struct{ Offset, Stride int32 }

func (l Line) at(i int) int { return int(l.Offset) + i*int(l.Stride) }

// Layout says where the elements of a matrix are.
type Layout struct{ Offset, Rows, Cols, RowStride, ColStride int32 }

func (l Layout) at(i, j int) int {
	return int(l.Offset) + i*int(l.RowStride) + j*int(l.ColStride)
}

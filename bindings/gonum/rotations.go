package gonum

// The functions of rotations. Those that make one compute on the host, and Drotmg is gonum's.

import (
	"gonum.org/v1/gonum/blas"

	"github.com/gpuc/gpuc/kernels/linalg"
)

// Drotg returns a rotation.
func (i Implementation) Drotg(a, b float64) (c, s, r, z float64) { return linalg.Rotg(a, b) }

// Srotg returns a rotation.
func (i Implementation) Srotg(a, b float32) (c, s, r, z float32) { return linalg.Rotg(a, b) }

// matrixOf returns the matrix of parameters.
func matrixOf[T linalg.Real](flag blas.Flag, h [4]T) linalg.ModifiedRotation[T] {
	m := linalg.ModifiedRotation[T]{{h[0], h[2]}, {h[1], h[3]}}
	switch flag {
	case blas.Identity:
		return linalg.ModifiedRotation[T]{{1, 0}, {0, 1}}
	case blas.OffDiagonal:
		m[0][0], m[1][1] = 1, 1
	case blas.Diagonal:
		m[0][1], m[1][0] = 1, -1
	}
	return m
}

// Drotm applies a modified rotation.
func (i Implementation) Drotm(n int, x []float64, incX int, y []float64, incY int, p blas.DrotmParams) {
	pair(i.stream, n, x, incX, y, incY, func(x, y linalg.Vector[float64]) error {
		return linalg.Rotm(i.stream, x, y, matrixOf(p.Flag, p.H))
	})
}

// Srotm applies a modified rotation.
func (i Implementation) Srotm(n int, x []float32, incX int, y []float32, incY int, p blas.SrotmParams) {
	pair(i.stream, n, x, incX, y, incY, func(x, y linalg.Vector[float32]) error {
		return linalg.Rotm(i.stream, x, y, matrixOf(p.Flag, p.H))
	})
}

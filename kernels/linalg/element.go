package linalg

import "github.com/gpuc/gpuc/runtime/gpu"

// Real is a number that all functions compute with.
type Real interface{ float32 | float64 }

// Element is a number in the matrices of a product. Sums of Float16 and BFloat16 are float32.
type Element interface {
	float32 | float64 | gpu.Float16 | gpu.BFloat16
}

// Uplo says which triangle of a matrix counts. The other one is not read, and not written.
type Uplo uint8

// The triangles, each with the diagonal.
const (
	Lower Uplo = iota
	Upper
)

// span returns the triangle's diagonals, of a matrix of n rows.
func (u Uplo) span(n int) span {
	if u == Lower {
		return span{int32(-n), 0}
	}
	return span{0, int32(n)}
}

// strict returns the span without the diagonal, for a triangle.
func (d span) strict() span {
	if d.High == 0 {
		return span{d.Low, -1}
	}
	return span{1, d.High}
}

// transposed returns the span of the transpose.
func (d span) transposed() span { return span{-d.High, -d.Low} }

// sub returns the span of the part of a matrix that begins at (row, col).
func (d span) sub(row, col int) span {
	return span{d.Low + int32(row-col), d.High + int32(row-col)}
}

// other returns the triangle of the transpose.
func (u Uplo) other() Uplo {
	if u == Lower {
		return Upper
	}
	return Lower
}

// Diag says whether the diagonal of a triangular matrix is in memory.
type Diag uint8

// A diagonal that is read, and one of ones, which is not.
const (
	NonUnit Diag = iota
	Unit
)

// Side says on which side of the other matrix the one with a triangle is.
type Side uint8

// The sides: a·b and b·a.
const (
	Left Side = iota
	Right
)

// valid returns an error if the value is none of the constants.
func valid[C ~uint8](o operation, parameter string, c, last C) error {
	if c > last {
		return o.wrong(parameter, "one of its constants", "%d", c)
	}
	return nil
}

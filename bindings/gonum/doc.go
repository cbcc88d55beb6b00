// Package gonum is the BLAS and LAPACK of gonum.org/v1/gonum on a device: what kernels/linalg has
// of them runs there, and gonum's own code does the rest.
//
//	stream, err := device.NewStream()
//	blas64.Use(gonum.New(stream))
//	lapack64.Use(gonum.NewLAPACK(stream))
//
// Each call copies its slices to the device, waits, and copies back what has changed. So it is for
// tests, and for products and decompositions of large matrices. It is a module of its own, since
// nothing else needs gonum.
//
// Wrong arguments panic, as gonum's functions do, and so do errors of the device.
package gonum

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"

	"github.com/gpuc/gpuc/kernels/linalg"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// Implementation implements blas.Float64, blas.Float32 and blas.Complex128. New makes one.
type Implementation struct {
	gonum.Implementation
	stream *gpu.Stream
}

var (
	_ blas.Float64 = Implementation{}
	_ blas.Float32 = Implementation{}

	_ blas.Complex128 = Implementation{}
)

// New returns an implementation that runs on the device of a stream.
func New(s *gpu.Stream) Implementation { return Implementation{stream: s} }

// must panics with an error.
func must(err error) {
	if err != nil {
		panic(fmt.Errorf("gonum: %w", err))
	}
}

// number is an element of the slices of callers, or an index.
type number interface {
	linalg.Real | linalg.Complex | int32
}

// array is a slice, and its copy on the device.
type array[T number] struct {
	host   []T
	buffer *gpu.Buffer[T]
}

// upload copies a slice to the device. One without elements has no buffer.
func upload[T number](s *gpu.Stream, host []T) array[T] {
	if len(host) == 0 {
		return array[T]{}
	}
	b, err := gpu.AllocUninitialized[T](s, len(host))
	must(err)
	must(b.Write(s, host))
	return array[T]{host, b}
}

// close frees the copy, after it was copied back if it has changed.
func (x array[T]) close(s *gpu.Stream, changed bool) {
	if x.buffer == nil {
		return
	}
	if changed {
		must(x.buffer.Read(context.Background(), s, x.host))
	}
	must(x.buffer.Close())
}

// vector returns n elements with a distance of increment. If that is negative, the first one is the
// last in memory.
func (x array[T]) vector(n, increment int) linalg.Vector[T] {
	if n < 0 || increment == 0 {
		panic(fmt.Sprintf("gonum: %d elements with an increment of %d", n, increment))
	}
	v := linalg.Vector[T]{Buffer: x.buffer, Len: n, Stride: increment}
	if increment < 0 {
		v.Offset = (1 - n) * increment
	}
	return v
}

// matrix returns a matrix whose rows have a distance of stride.
func (x array[T]) matrix(rows, cols, stride int) gpu.MatrixBuffer[T] {
	if rows < 0 || cols < 0 || stride < max(cols, 1) {
		panic(fmt.Sprintf("gonum: %d rows of %d columns at a distance of %d", rows, cols, stride))
	}
	return gpu.MatrixBuffer[T]{Buffer: x.buffer, MatrixLayout: gpu.MatrixLayout{Rows: rows, Cols: cols, RowStride: stride, ColStride: 1}}
}

// operand returns the matrix, or its transpose, that has so many rows and columns.
func (x array[T]) operand(t blas.Transpose, rows, cols, stride int) gpu.MatrixBuffer[T] {
	if transposes(t) {
		return x.matrix(cols, rows, stride).T()
	}
	return x.matrix(rows, cols, stride)
}

// band returns a matrix of which some diagonals are in memory.
func (x array[T]) band(rows, cols, below, above, stride int) linalg.Band[T] {
	if below < 0 || above < 0 {
		panic(fmt.Sprintf("gonum: %d and %d diagonals", below, above))
	}
	return linalg.BandOf(x.matrix(rows, below+above+1, stride), cols, below, above)
}

// triangleBand returns a matrix with k diagonals on one side of the main one, or its transpose.
func (x array[T]) triangleBand(u blas.Uplo, t blas.Transpose, n, k, stride int) linalg.Band[T] {
	below, above := k, 0
	if uplo(u) == linalg.Upper {
		below, above = 0, k
	}
	b := x.band(n, n, below, above, stride)
	if transposes(t) {
		return b.T()
	}
	return b
}

// transposes reports whether an operand is the transpose of what is in memory.
func transposes(t blas.Transpose) bool {
	switch t {
	case blas.NoTrans:
		return false
	case blas.Trans, blas.ConjTrans:
		return true
	}
	panic(fmt.Sprintf("gonum: transpose %q", t))
}

func uplo(u blas.Uplo) linalg.Uplo {
	switch u {
	case blas.Lower:
		return linalg.Lower
	case blas.Upper:
		return linalg.Upper
	}
	panic(fmt.Sprintf("gonum: triangle %q", u))
}

// uploOf returns the triangle of an operand.
func uploOf(u blas.Uplo, t blas.Transpose) linalg.Uplo {
	if transposes(t) {
		return linalg.Upper - uplo(u)
	}
	return uplo(u)
}

func diag(d blas.Diag) linalg.Diag {
	switch d {
	case blas.NonUnit:
		return linalg.NonUnit
	case blas.Unit:
		return linalg.Unit
	}
	panic(fmt.Sprintf("gonum: diagonal %q", d))
}

// sideOf returns the side, and how many rows the matrix on it has.
func sideOf(s blas.Side, m, n int) (linalg.Side, int) {
	switch s {
	case blas.Left:
		return linalg.Left, m
	case blas.Right:
		return linalg.Right, n
	}
	panic(fmt.Sprintf("gonum: side %q", s))
}

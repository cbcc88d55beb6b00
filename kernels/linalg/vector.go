package linalg

import "github.com/gpuc/gpuc/runtime/gpu"

// Vector is Len elements of a buffer, as the BLAS has them: element i is element Offset + i·Stride
// of the buffer. The stride may be negative, and Offset is that of the first element always.
type Vector[T any] struct {
	Buffer              *gpu.Buffer[T]
	Offset, Len, Stride int
}

// VectorOf returns all elements of a buffer, in their order. It has none if the buffer is nil.
func VectorOf[T any](b *gpu.Buffer[T]) Vector[T] {
	if b == nil {
		return Vector[T]{Stride: 1}
	}
	return Vector[T]{b, 0, b.Len(), 1}
}

// line returns the vector's positions as kernels take them.
func (v Vector[T]) line() line { return line{int32(v.Offset), int32(v.Stride)} }

// sub returns n elements from element first on.
func (v Vector[T]) sub(first, n int) Vector[T] {
	return Vector[T]{v.Buffer, v.Offset + first*v.Stride, n, v.Stride}
}

// line says where the elements of a vector are.
type line struct{ Offset, Stride int32 }

// at returns the position of element i.
func (l line) at(i int) int { return int(l.Offset) + i*int(l.Stride) }

// positions are those of a vector's elements in a kernel: any, or side by side, which compilers
// make faster loads of.
type positions interface{ at(i int) int }

type beside struct{ offset int32 }

func (l beside) at(i int) int { return int(l.offset) + i }

// layout says where the elements of a matrix are, as gpu.MatrixLayout does for the host.
type layout struct{ Offset, Rows, Cols, RowStride, ColStride int32 }

// layoutOf returns the layout of a matrix.
func layoutOf(l gpu.MatrixLayout) layout {
	return layout{int32(l.Offset), int32(l.Rows), int32(l.Cols), int32(l.RowStride), int32(l.ColStride)}
}

// row returns the positions of a row.
func (l layout) row(i int) line { return line{l.Offset + int32(i)*l.RowStride, l.ColStride} }

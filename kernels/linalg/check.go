package linalg

import (
	"fmt"
	"math"

	"github.com/gpuc/gpuc/runtime/gpu"
)

// maxLength bounds the elements of vectors and the dimensions of matrices: indices of kernels have
// 32 bits, and loops go beyond the last element by a part of a grid.
const maxLength = 1 << 30

// operation names a function in its errors.
type operation string

// wrong returns the error for a parameter.
func (o operation) wrong(parameter, wanted, given string, values ...any) error {
	return &gpu.ShapeError{Operation: "linalg." + string(o), Parameter: parameter, Wanted: wanted, Given: fmt.Sprintf(given, values...)}
}

// length returns an error unless there are so many of something.
func (o operation) length(parameter, what string, given, wanted int) error {
	if given == wanted {
		return nil
	}
	return o.wrong(parameter, fmt.Sprintf("%d %s", wanted, what), "%d", given)
}

// dimension returns an error for a count of elements that vectors and matrices do not have.
func (o operation) dimension(parameter, what string, n int) error {
	if n < 0 || n > maxLength {
		return o.wrong(parameter, fmt.Sprintf("0 to %d %s", maxLength, what), "%d", n)
	}
	return nil
}

// inside returns an error unless the elements of rows and columns with these strides are in a
// buffer of so many elements.
func (o operation) inside(parameter string, size int, l gpu.MatrixLayout) error {
	for _, v := range [...]struct {
		what string
		n    int
	}{{"offset", l.Offset}, {"stride", l.RowStride}, {"stride", l.ColStride}} {
		if v.n != int(int32(v.n)) {
			return o.wrong(parameter, "numbers of 32 bits", "%s %d", v.what, v.n)
		}
	}
	low, high := l.Offset, l.Offset
	for _, reach := range [...]int{(l.Rows - 1) * l.RowStride, (l.Cols - 1) * l.ColStride} {
		low, high = low+min(reach, 0), high+max(reach, 0)
	}
	if low < 0 || high >= size || high > math.MaxInt32 {
		return o.wrong(parameter, fmt.Sprintf("positions in a buffer of %d elements", size), "%d to %d", low, high)
	}
	return nil
}

// checkVector returns an error unless the vector is in its buffer. One that is written has no
// position twice.
func checkVector[T any](o operation, parameter string, v Vector[T], written bool) error {
	if err := o.dimension(parameter, "elements", v.Len); err != nil || v.Len == 0 {
		return err
	}
	if v.Buffer == nil {
		return o.wrong(parameter, "a buffer", "%d elements of nil", v.Len)
	}
	if written && v.Stride == 0 && v.Len > 1 {
		return o.wrong(parameter, "a position for each element", "stride 0")
	}
	return o.inside(parameter, v.Buffer.Len(), gpu.MatrixLayout{Offset: v.Offset, Rows: 1, Cols: v.Len, ColStride: v.Stride})
}

// checkMatrix returns an error unless the matrix is in its buffer. One that is written has no
// position twice.
func checkMatrix[T any](o operation, parameter string, m gpu.MatrixBuffer[T], written bool) error {
	if err := o.dimension(parameter, "rows", m.Rows); err != nil {
		return err
	}
	if err := o.dimension(parameter, "columns", m.Cols); err != nil || m.Rows == 0 || m.Cols == 0 {
		return err
	}
	if m.Buffer == nil {
		return o.wrong(parameter, "a buffer", "%d rows of %d columns of nil", m.Rows, m.Cols)
	}
	if written && !distinct(dimension{m.Rows, m.RowStride}, dimension{m.Cols, m.ColStride}) {
		return o.wrong(parameter, "a position for each element", "strides %d and %d of %d rows and %d columns", m.RowStride, m.ColStride, m.Rows, m.Cols)
	}
	return o.inside(parameter, m.Buffer.Len(), m.MatrixLayout)
}

// dimension is a count of elements at a distance.
type dimension struct{ n, stride int }

// distinct reports whether elements of all dimensions have a position each, as far as strides that
// grow tell: each one is greater than what the smaller ones reach.
func distinct(list ...dimension) bool {
	reach := 0
	for range list {
		least := -1
		for k, d := range list {
			if d.n > 1 && (least < 0 || magnitude(d.stride) < magnitude(list[least].stride)) {
				least = k
			}
		}
		if least < 0 {
			break
		}
		stride := magnitude(list[least].stride)
		if stride <= reach {
			return false
		}
		reach += (list[least].n - 1) * stride
		list[least].n = 1
	}
	return true
}

func magnitude(n int) int { return max(n, -n) }

// checkScalar returns an error unless the buffer has room for a result.
func checkScalar[T any](o operation, parameter string, b *gpu.Buffer[T]) error {
	if b == nil || b.Len() < 1 {
		return o.wrong(parameter, "a buffer of one element", "none")
	}
	return nil
}

// checkSquare returns an error unless the matrix has as many rows as columns, and a copy of it has
// positions below 2³¹. Strides of zero have room for larger ones.
func checkSquare[T any](o operation, parameter string, m gpu.MatrixBuffer[T]) error {
	if m.Rows != m.Cols {
		return o.wrong(parameter, "as many rows as columns", "%d rows of %d columns", m.Rows, m.Cols)
	}
	if m.Rows*m.Cols > math.MaxInt32 {
		return o.wrong(parameter, "fewer than 2³¹ elements", "%d rows of %d columns", m.Rows, m.Cols)
	}
	return nil
}

// apart returns gpu.ErrAlias if the buffer of an operand that is written shares memory with that of
// another one. Launches would not find it where there are several.
func apart[T any](o operation, written *gpu.Buffer[T], others ...*gpu.Buffer[T]) error {
	for _, other := range others {
		if gpu.Overlap(written, other) {
			return fmt.Errorf("linalg.%s: %w: an operand that is written has the buffer of another one", o, gpu.ErrAlias)
		}
	}
	return nil
}

// usable returns an error unless the stream takes all buffers. It is for functions of several
// launches, which otherwise change operands before the launch that fails.
func usable(s *gpu.Stream, o operation, list ...gpu.Bound) error {
	for _, b := range list {
		if err := s.Usable(b); err != nil {
			return fmt.Errorf("linalg.%s: %w", o, err)
		}
	}
	return nil
}

// first returns the first error.
func first(list ...error) error {
	for _, err := range list {
		if err != nil {
			return err
		}
	}
	return nil
}

// groups returns a grid of workgroups for so many of what each takes. Workgroups take further ones
// where there are more than a grid has.
func groups(n, each int) gpu.Grid { return gpu.D1(uint32(min((n+each-1)/each, maxGroups))) }

// maxGroups is what all devices have in a dimension of a grid, and what times a workgroup's share
// added to maxLength stays below 2³¹.
const maxGroups = 1 << 15

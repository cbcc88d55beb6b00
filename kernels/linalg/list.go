package linalg

import (
	"github.com/gpuc/gpuc/kernels/linalg/internal/product"
	"github.com/gpuc/gpuc/kernels/linalg/internal/small"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// GemmList makes c = alpha·a·b + beta·c for matrices in any order. Entry p of the list has the
// numbers of the matrices of product p: in a, in b and in c, which may have different counts. An
// entry with a number that one of them does not have is left out. If two entries have matrices of c
// that overlap, elements of these are any.
//
// Matrices of c that no entry names may overlap, so that a batch with a Stride of one has all
// matrices of its buffer, and numbers are offsets. Options are those of GemmBatch. Without a list
// nothing happens.
func GemmList[T Real](s *gpu.Stream, alpha float64, a, b Batch[T], beta float64, c Batch[T], list *gpu.Buffer[[3]int32], o ...Option) error {
	const op = operation("GemmList")
	count := list.Len()
	if err := first(checkBatch(op, "a", a, false), checkBatch(op, "b", b, false), checkBatch(op, "c", c, false), checkMatrix(op, "c", c.MatrixBuffer, true),
		op.length("b", "rows, as a has columns", b.Rows, a.Cols), op.length("c", "rows, as a has", c.Rows, a.Rows), op.length("c", "columns, as b has", c.Cols, b.Cols),
		op.dimension("c", "elements", c.Rows*c.Cols), op.dimension("list", "blocks of results", small.Blocks(count, c.Rows, c.Cols)), apart(op, c.Buffer, a.Buffer, b.Buffer)); err != nil {
		return err
	}
	if count == 0 || a.Count == 0 || b.Count == 0 || c.Count == 0 || c.Rows == 0 || c.Cols == 0 {
		return nil
	}
	if alpha == 0 || a.Cols == 0 {
		a.Cols, b.Rows = 0, 0
	}
	if a.Buffer.Len() > 0 && b.Buffer.Len() > 0 {
		return launchList(s, alpha, a, b, beta, c, list, joined(o))
	}
	none, err := gpu.AllocUninitialized[T](s, 1)
	if err != nil {
		return err
	}
	a.Buffer, b.Buffer, a.Offset, b.Offset = none, none, 0, 0
	return first(launchList(s, alpha, a, b, beta, c, list, joined(o)), none.Close())
}

// launchList launches the kernel for products of a list.
func launchList[T Real](s *gpu.Stream, alpha float64, a, b Batch[T], beta float64, c Batch[T], list *gpu.Buffer[[3]int32], o Option) error {
	limit := [3]int32{int32(a.Count), int32(b.Count), int32(c.Count)}
	if !o.strict {
		return small.MultiplyListed(s, list.Len(), T(alpha), smallBatch[T](a), smallBatch[T](b), T(beta), smallBatch[T](c), list, limit)
	}
	g := gpu.D2(groups(c.Rows*c.Cols, items).X, uint32(min(list.Len(), maxGroups)))
	switch alpha := any(T(alpha)).(type) {
	case float32:
		return launchListed[float32, product.F32](s, g, list.Len(), alpha, as[float32](a.MatrixBuffer), a.Stride, as[float32](b.MatrixBuffer), b.Stride, float32(beta), as[float32](c.MatrixBuffer), c.Stride, list, limit)
	case float64:
		return launchListed[float64, product.F64](s, g, list.Len(), alpha, as[float64](a.MatrixBuffer), a.Stride, as[float64](b.MatrixBuffer), b.Stride, beta, as[float64](c.MatrixBuffer), c.Stride, list, limit)
	}
	return nil
}

package linalg

import (
	"github.com/gpuc/gpuc/kernels/linalg/internal/fast"
	"github.com/gpuc/gpuc/kernels/linalg/internal/product"
	"github.com/gpuc/gpuc/kernels/linalg/internal/small"
	"github.com/gpuc/gpuc/kernels/linalg/internal/strict"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// Batch is Count matrices of one size at equal distances: element (i, j) of matrix p is Stride·p
// elements behind that of the MatrixBuffer, which is matrix 0. With a stride of zero all are the
// same matrix.
type Batch[T any] struct {
	gpu.MatrixBuffer[T]
	Count, Stride int
}

// BatchOf returns a buffer as count matrices of rows × cols elements, one behind the other. It
// panics as gpu.MatrixOf does.
func BatchOf[T any](b *gpu.Buffer[T], count, rows, cols int) Batch[T] {
	gpu.MatrixOf(b, max(count, 0)*rows, cols)
	m := gpu.MatrixOf(b, rows, cols)
	return Batch[T]{m, count, rows * cols}
}

// T returns the batch of the transposes.
func (b Batch[T]) T() Batch[T] { return Batch[T]{b.MatrixBuffer.T(), b.Count, b.Stride} }

// checkBatch checks matrices as checkMatrix does.
func checkBatch[T any](o operation, parameter string, b Batch[T], written bool) error {
	if err := first(o.dimension(parameter, "matrices", b.Count), o.dimension(parameter, "rows", b.Rows), o.dimension(parameter, "columns", b.Cols)); err != nil || b.Count == 0 {
		return err
	}
	if err := checkMatrix(o, parameter, b.MatrixBuffer, written); err != nil || b.Rows == 0 || b.Cols == 0 {
		return err
	}
	if b.Stride != int(int32(b.Stride)) {
		return o.wrong(parameter, "numbers of 32 bits", "stride %d", b.Stride)
	}
	if written && !distinct(dimension{b.Rows, b.RowStride}, dimension{b.Cols, b.ColStride}, dimension{b.Count, b.Stride}) {
		return o.wrong(parameter, "a position for each element", "matrices at a distance of %d", b.Stride)
	}
	last := b.MatrixLayout
	last.Offset += (b.Count - 1) * b.Stride
	return o.inside(parameter, b.Buffer.Len(), last)
}

// GemmBatch makes c = alpha·a·b + beta·c for each of the matrices, as Gemm does for one. The three
// have as many, and those of c do not overlap.
func GemmBatch[T Element](s *gpu.Stream, alpha float64, a, b Batch[T], beta float64, c Batch[T], o ...Option) error {
	const op = operation("GemmBatch")
	if err := first(checkBatch(op, "a", a, false), checkBatch(op, "b", b, false), checkBatch(op, "c", c, true),
		op.length("a", "matrices, as c has", a.Count, c.Count), op.length("b", "matrices, as c has", b.Count, c.Count),
		op.length("b", "rows, as a has columns", b.Rows, a.Cols), op.length("c", "rows, as a has", c.Rows, a.Rows), op.length("c", "columns, as b has", c.Cols, b.Cols),
		apart(op, c.Buffer, a.Buffer, b.Buffer)); err != nil {
		return err
	}
	if c.Rows == 0 || c.Cols == 0 || c.Count == 0 {
		return nil
	}
	if alpha == 0 || a.Cols == 0 {
		a.Cols, b.Rows = 0, 0
	}
	if a.Buffer.Len() == 0 || b.Buffer.Len() == 0 {
		none, err := gpu.AllocUninitialized[T](s, 1)
		if err != nil {
			return err
		}
		a.Buffer, b.Buffer, a.Offset, b.Offset = none, none, 0, 0
		return first(launchBatch(s, alpha, a, b, beta, c, joined(o)), none.Close())
	}
	return launchBatch(s, alpha, a, b, beta, c, joined(o))
}

// launchBatch launches the kernel for products.
func launchBatch[T Element](s *gpu.Stream, alpha float64, a, b Batch[T], beta float64, c Batch[T], o Option) error {
	isSmall := !o.strict && fitsBlocks(s.Device().Info(), c)
	switch any(c.Buffer).(type) {
	case *gpu.Buffer[float32]:
		if isSmall {
			return small.Multiply(s, c.Count, float32(alpha), smallBatch[float32](a), smallBatch[float32](b), float32(beta), smallBatch[float32](c))
		}
		return launchBatchOf[float32, float32, product.F32](s, float32(alpha), asBatch[float32](a), asBatch[float32](b), float32(beta), asBatch[float32](c), o)
	case *gpu.Buffer[float64]:
		if isSmall {
			return small.Multiply(s, c.Count, alpha, smallBatch[float64](a), smallBatch[float64](b), beta, smallBatch[float64](c))
		}
		return launchBatchOf[float64, float64, product.F64](s, alpha, asBatch[float64](a), asBatch[float64](b), beta, asBatch[float64](c), o)
	case *gpu.Buffer[gpu.Float16]:
		return launchBatchOf[gpu.Float16, float32, product.F16](s, float32(alpha), asBatch[gpu.Float16](a), asBatch[gpu.Float16](b), float32(beta), asBatch[gpu.Float16](c), o)
	}
	return launchBatchOf[gpu.BFloat16, float32, product.BF16](s, float32(alpha), asBatch[gpu.BFloat16](a), asBatch[gpu.BFloat16](b), float32(beta), asBatch[gpu.BFloat16](c), o)
}

// fitsBlocks reports whether a result is one block of the kernels for small matrices, and fills it
// for the most part. The processor has tiles for larger blocks than the smallest.
func fitsBlocks[T any](info gpu.Info, c Batch[T]) bool {
	side, most := 16, small.Largest
	if info.Driver == gpu.CPU {
		most = side
	}
	for side < c.Rows || side < c.Cols {
		side *= 2
	}
	return side <= most && 4*c.Rows*c.Cols > side*side
}

// smallBatch returns a batch of elements of type T, which are U, as package small has it.
func smallBatch[U float32 | float64, T any](b Batch[T]) small.Batch[U] {
	return small.Batch[U]{MatrixBuffer: as[U](b.MatrixBuffer), Step: b.Stride}
}

func asBatch[U, T any](b Batch[T]) Batch[U] {
	return Batch[U]{as[U](b.MatrixBuffer), b.Count, b.Stride}
}

// arithmetic is that of one type of elements.
type arithmetic[T, S any] interface {
	product.Arithmetic[T, S]
	product.F32 | product.F64 | product.F16 | product.BF16
}

// launchBatchOf launches the kernel for a type of elements.
func launchBatchOf[T product.Element, S product.Sum, V arithmetic[T, S]](s *gpu.Stream, alpha S, a, b Batch[T], beta S, c Batch[T], o Option) error {
	const small = 16 // rows and columns for which a tile would be empty for the most part
	if elements := c.Count * c.Rows * c.Cols; c.Rows <= small && c.Cols <= small && elements <= maxLength {
		g := groups(elements, items)
		if o.strict {
			return strict.LaunchBatchSmall[T, S, V](s, g, c.Count, alpha, a.MatrixBuffer, a.Stride, b.MatrixBuffer, b.Stride, beta, c.MatrixBuffer, c.Stride)
		}
		return fast.LaunchBatchSmall[T, S, V](s, g, c.Count, alpha, a.MatrixBuffer, a.Stride, b.MatrixBuffer, b.Stride, beta, c.MatrixBuffer, c.Stride)
	}
	t := tile{32, 32}
	g := gpu.D1(uint32(min(c.Count*t.count(c.MatrixLayout), maxGroups)))
	if o.strict {
		return strict.LaunchBatch32[T, S, V](s, g, c.Count, alpha, a.MatrixBuffer, a.Stride, b.MatrixBuffer, b.Stride, beta, c.MatrixBuffer, c.Stride)
	}
	return fast.LaunchBatch32[T, S, V](s, g, c.Count, alpha, a.MatrixBuffer, a.Stride, b.MatrixBuffer, b.Stride, beta, c.MatrixBuffer, c.Stride)
}

package linalg

import (
	"unsafe"

	"github.com/gpuc/gpuc/kernels/linalg/internal/columns"
	"github.com/gpuc/gpuc/kernels/linalg/internal/columns/fast"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// The kernels of package columns are for so many rows and columns, and for all less than that. In
// float64 the last ones need more memory than some devices have. So no strict one is for that many.
var columnSides = [...]int{8, 16, 32, columns.Largest}

// columnKernels are those for a number of rows and columns, and how many workgroups count matrices
// need.
func columnKernels(n, count int) (kernel int, g gpu.Grid) {
	for columnSides[kernel] < n {
		kernel++
	}
	return kernel, groups(count, max(columnSides[0]*4/columnSides[kernel], 1))
}

// columnsUpTo returns how many rows and columns matrices have at most that are decomposed by those
// kernels. A processor has too few registers for long columns. Without Strict, its most is another.
func columnsUpTo[T Real](s *gpu.Stream, o Option, most int) int {
	info := s.Device().Info()
	if !o.strict && info.Driver == gpu.CPU {
		return most
	}
	if o.strict || uintptr(info.WorkgroupBytes) < unsafe.Sizeof(columns.Memory64[T]{}) {
		return columnSides[len(columnSides)-2]
	}
	return columns.Largest
}

// arithmeticOf is the arithmetic of a type.
type arithmeticOf[T Real] interface {
	columns.Arithmetic[T]
	columns.Single | columns.Double
}

// written returns a batch that a kernel writes, or temporary memory if there is none.
func written[T Real](m *memory, b Batch[T]) Batch[T] {
	if b.Buffer == nil {
		b.Buffer = temporary[T](m, 1)
	}
	return b
}

// alongBit returns the bit if the columns of matrices are closer in memory than their rows.
func alongBit[T Real](b Batch[T], bit int) int { return along(b.MatrixBuffer) * bit }

// factorColumns is QRBatch for operands that have been checked.
func factorColumns[T Real, A arithmeticOf[T]](s *gpu.Stream, a Batch[T], tau *gpu.Buffer[T], o Option) error {
	kernel, g := columnKernels(max(a.Rows, a.Cols), a.Count)
	list := [...]func(*gpu.Stream, gpu.Grid, int, gpu.MatrixBuffer[T], int, int, *gpu.Buffer[T]) error{
		fast.LaunchQr8[T, A], fast.LaunchQr16[T, A], fast.LaunchQr32[T, A], fast.LaunchQr64[T, A],
		columns.LaunchQr8[T, A], columns.LaunchQr16[T, A], columns.LaunchQr32[T, A],
	}
	return list[kernel+o.set()](s, g, a.Count, a.MatrixBuffer, a.Stride, along(a.MatrixBuffer), tau)
}

// set is where the kernels for an option begin in lists that have the strict ones last.
func (o Option) set() int {
	if o.strict {
		return len(columnSides)
	}
	return 0
}

// singularColumns is SVDBatch for matrices with at least as many rows as columns.
func singularColumns[T Real, A arithmeticOf[T]](s *gpu.Stream, a, u Batch[T], values *gpu.Buffer[T], v Batch[T], info *gpu.Buffer[int32], o Option) error {
	m, wanted := &memory{s: s}, 0
	if u.Buffer != nil {
		wanted |= columns.WantedU
	}
	if v.Buffer != nil {
		wanted |= columns.WantedV
	}
	u, v = written(m, u), written(m, v)
	bits := alongBit(a, columns.AlongA) | alongBit(u, columns.AlongU) | alongBit(v, columns.AlongV)
	relative, floor := limits[T](a.Rows)
	kernel, g := columnKernels(a.Rows, a.Count)
	list := [...]func(*gpu.Stream, gpu.Grid, int, gpu.MatrixBuffer[T], int, T, T, *gpu.Buffer[T], gpu.MatrixBuffer[T], int, gpu.MatrixBuffer[T], int, int, int, *gpu.Buffer[int32]) error{
		fast.LaunchSvd8[T, A], fast.LaunchSvd16[T, A], fast.LaunchSvd32[T, A], fast.LaunchSvd64[T, A],
		columns.LaunchSvd8[T, A], columns.LaunchSvd16[T, A], columns.LaunchSvd32[T, A],
	}
	m.do(func() error {
		return list[kernel+o.set()](s, g, a.Count, a.MatrixBuffer, a.Stride, relative, floor, values, u.MatrixBuffer, u.Stride, v.MatrixBuffer, v.Stride, wanted, bits, info)
	})
	return m.close()
}

// symmetricColumns is SymmetricEigenBatch for the triangle below the diagonal.
func symmetricColumns[T Real, A arithmeticOf[T]](s *gpu.Stream, a Batch[T], values *gpu.Buffer[T], vectors Batch[T], info *gpu.Buffer[int32], o Option) error {
	m, wanted := &memory{s: s}, 0
	if vectors.Buffer != nil {
		wanted = 1
	}
	vectors = written(m, vectors)
	bits := alongBit(a, columns.AlongA) | alongBit(vectors, columns.AlongV)
	relative, floor := limits[T](a.Rows)
	kernel, g := columnKernels(a.Rows, a.Count)
	list := [...]func(*gpu.Stream, gpu.Grid, int, gpu.MatrixBuffer[T], int, T, T, *gpu.Buffer[T], gpu.MatrixBuffer[T], int, int, int, *gpu.Buffer[int32]) error{
		fast.LaunchEigen8[T, A], fast.LaunchEigen16[T, A], fast.LaunchEigen32[T, A], fast.LaunchEigen64[T, A],
		columns.LaunchEigen8[T, A], columns.LaunchEigen16[T, A], columns.LaunchEigen32[T, A],
	}
	m.do(func() error {
		return list[kernel+o.set()](s, g, a.Count, a.MatrixBuffer, a.Stride, relative, floor, values, vectors.MatrixBuffer, vectors.Stride, wanted, bits, info)
	})
	return m.close()
}

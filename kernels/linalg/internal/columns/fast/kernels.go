// Package fast has the kernels of package columns whose sums are rounded as devices like it best.
package fast

import (
	"github.com/gpuc/gpuc/kernels/linalg/internal/columns"
	"github.com/gpuc/gpuc/runtime/gpu"
)

//go:generate go tool gpuc gen .

// Qr8 is columns.Factor for up to 8 rows and columns.
//
//gpuc:kernel workgroup=32 resident=24 types=float32/columns.Single,float64/columns.Double
func Qr8[T columns.Real, A columns.Arithmetic[T]](it gpu.Item, m *columns.Memory8[T], count int, a gpu.Matrix[T], stride, along int, tau []T) {
	columns.Factor[A, [8]T](it, m.Shared(), count, a, stride, along, tau)
}

// Svd8 is columns.Singular for up to 8 rows and columns.
//
//gpuc:kernel workgroup=32 resident=24 types=float32/columns.Single,float64/columns.Double
func Svd8[T columns.Real, A columns.Arithmetic[T]](it gpu.Item, m *columns.Memory8[T], count int, a gpu.Matrix[T], stride int, relative, floor T, values []T, u gpu.Matrix[T], strideU int, v gpu.Matrix[T], strideV, wanted, along int, info []int32) {
	columns.Singular[A, [8]T](it, m.Shared(), count, a, stride, relative, floor, values, u, strideU, v, strideV, wanted, along, info)
}

// Eigen8 is columns.Symmetric for up to 8 rows.
//
//gpuc:kernel workgroup=32 resident=24 types=float32/columns.Single,float64/columns.Double
func Eigen8[T columns.Real, A columns.Arithmetic[T]](it gpu.Item, m *columns.Memory8[T], count int, a gpu.Matrix[T], stride int, relative, floor T, values []T, vectors gpu.Matrix[T], strideV, wanted, along int, info []int32) {
	columns.Symmetric[A, [8]T](it, m.Shared(), count, a, stride, relative, floor, values, vectors, strideV, wanted, along, info)
}

// Qr16 is columns.Factor for up to 16 rows and columns.
//
//gpuc:kernel workgroup=32 resident=20 types=float32/columns.Single,float64/columns.Double
func Qr16[T columns.Real, A columns.Arithmetic[T]](it gpu.Item, m *columns.Memory16[T], count int, a gpu.Matrix[T], stride, along int, tau []T) {
	columns.Factor[A, [16]T](it, m.Shared(), count, a, stride, along, tau)
}

// Svd16 is columns.Singular for up to 16 rows and columns.
//
//gpuc:kernel workgroup=32 resident=20 types=float32/columns.Single,float64/columns.Double
func Svd16[T columns.Real, A columns.Arithmetic[T]](it gpu.Item, m *columns.Memory16[T], count int, a gpu.Matrix[T], stride int, relative, floor T, values []T, u gpu.Matrix[T], strideU int, v gpu.Matrix[T], strideV, wanted, along int, info []int32) {
	columns.Singular[A, [16]T](it, m.Shared(), count, a, stride, relative, floor, values, u, strideU, v, strideV, wanted, along, info)
}

// Eigen16 is columns.Symmetric for up to 16 rows.
//
//gpuc:kernel workgroup=32 resident=20 types=float32/columns.Single,float64/columns.Double
func Eigen16[T columns.Real, A columns.Arithmetic[T]](it gpu.Item, m *columns.Memory16[T], count int, a gpu.Matrix[T], stride int, relative, floor T, values []T, vectors gpu.Matrix[T], strideV, wanted, along int, info []int32) {
	columns.Symmetric[A, [16]T](it, m.Shared(), count, a, stride, relative, floor, values, vectors, strideV, wanted, along, info)
}

// Qr32 is columns.Factor for up to 32 rows and columns.
//
//gpuc:kernel workgroup=32 types=float32/columns.Single,float64/columns.Double
func Qr32[T columns.Real, A columns.Arithmetic[T]](it gpu.Item, m *columns.Memory32[T], count int, a gpu.Matrix[T], stride, along int, tau []T) {
	columns.Factor[A, [32]T](it, m.Shared(), count, a, stride, along, tau)
}

// Svd32 is columns.Singular for up to 32 rows and columns.
//
//gpuc:kernel workgroup=32 resident=12 types=float32/columns.Single,float64/columns.Double
func Svd32[T columns.Real, A columns.Arithmetic[T]](it gpu.Item, m *columns.Memory32[T], count int, a gpu.Matrix[T], stride int, relative, floor T, values []T, u gpu.Matrix[T], strideU int, v gpu.Matrix[T], strideV, wanted, along int, info []int32) {
	columns.Singular[A, [32]T](it, m.Shared(), count, a, stride, relative, floor, values, u, strideU, v, strideV, wanted, along, info)
}

// Eigen32 is columns.Symmetric for up to 32 rows.
//
//gpuc:kernel workgroup=32 types=float32/columns.Single,float64/columns.Double
func Eigen32[T columns.Real, A columns.Arithmetic[T]](it gpu.Item, m *columns.Memory32[T], count int, a gpu.Matrix[T], stride int, relative, floor T, values []T, vectors gpu.Matrix[T], strideV, wanted, along int, info []int32) {
	columns.Symmetric[A, [32]T](it, m.Shared(), count, a, stride, relative, floor, values, vectors, strideV, wanted, along, info)
}

// Qr64 is columns.Factor for up to 64 rows and columns.
//
//gpuc:kernel workgroup=64 types=float32/columns.Single,float64/columns.Double
func Qr64[T columns.Real, A columns.Arithmetic[T]](it gpu.Item, m *columns.Memory64[T], count int, a gpu.Matrix[T], stride, along int, tau []T) {
	columns.Factor[A, [64]T](it, m.Shared(), count, a, stride, along, tau)
}

// Svd64 is columns.Singular for up to 64 rows and columns.
//
//gpuc:kernel workgroup=64 types=float32/columns.Single,float64/columns.Double
func Svd64[T columns.Real, A columns.Arithmetic[T]](it gpu.Item, m *columns.Memory64[T], count int, a gpu.Matrix[T], stride int, relative, floor T, values []T, u gpu.Matrix[T], strideU int, v gpu.Matrix[T], strideV, wanted, along int, info []int32) {
	columns.Singular[A, [64]T](it, m.Shared(), count, a, stride, relative, floor, values, u, strideU, v, strideV, wanted, along, info)
}

// Eigen64 is columns.Symmetric for up to 64 rows.
//
//gpuc:kernel workgroup=64 types=float32/columns.Single,float64/columns.Double
func Eigen64[T columns.Real, A columns.Arithmetic[T]](it gpu.Item, m *columns.Memory64[T], count int, a gpu.Matrix[T], stride int, relative, floor T, values []T, vectors gpu.Matrix[T], strideV, wanted, along int, info []int32) {
	columns.Symmetric[A, [64]T](it, m.Shared(), count, a, stride, relative, floor, values, vectors, strideV, wanted, along, info)
}

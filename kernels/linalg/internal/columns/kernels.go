package columns

import "github.com/gpuc/gpuc/runtime/gpu"

// Qr8 is Factor for up to 8 rows and columns.
//
//gpuc:kernel workgroup=32 types=float32/Single,float64/Double
func Qr8[T Real, A Arithmetic[T]](it gpu.Item, m *Memory8[T], count int, a gpu.Matrix[T], stride, along int, tau []T) {
	Factor[A, [8]T](it, m.Shared(), count, a, stride, along, tau)
}

// Svd8 is Singular for up to 8 rows and columns.
//
//gpuc:kernel workgroup=32 types=float32/Single,float64/Double
func Svd8[T Real, A Arithmetic[T]](it gpu.Item, m *Memory8[T], count int, a gpu.Matrix[T], stride int, relative, floor T, values []T, u gpu.Matrix[T], strideU int, v gpu.Matrix[T], strideV, wanted, along int, info []int32) {
	Singular[A, [8]T](it, m.Shared(), count, a, stride, relative, floor, values, u, strideU, v, strideV, wanted, along, info)
}

// Eigen8 is Symmetric for up to 8 rows.
//
//gpuc:kernel workgroup=32 types=float32/Single,float64/Double
func Eigen8[T Real, A Arithmetic[T]](it gpu.Item, m *Memory8[T], count int, a gpu.Matrix[T], stride int, relative, floor T, values []T, vectors gpu.Matrix[T], strideV, wanted, along int, info []int32) {
	Symmetric[A, [8]T](it, m.Shared(), count, a, stride, relative, floor, values, vectors, strideV, wanted, along, info)
}

// Qr16 is Factor for up to 16 rows and columns.
//
//gpuc:kernel workgroup=32 types=float32/Single,float64/Double
func Qr16[T Real, A Arithmetic[T]](it gpu.Item, m *Memory16[T], count int, a gpu.Matrix[T], stride, along int, tau []T) {
	Factor[A, [16]T](it, m.Shared(), count, a, stride, along, tau)
}

// Svd16 is Singular for up to 16 rows and columns.
//
//gpuc:kernel workgroup=32 types=float32/Single,float64/Double
func Svd16[T Real, A Arithmetic[T]](it gpu.Item, m *Memory16[T], count int, a gpu.Matrix[T], stride int, relative, floor T, values []T, u gpu.Matrix[T], strideU int, v gpu.Matrix[T], strideV, wanted, along int, info []int32) {
	Singular[A, [16]T](it, m.Shared(), count, a, stride, relative, floor, values, u, strideU, v, strideV, wanted, along, info)
}

// Eigen16 is Symmetric for up to 16 rows.
//
//gpuc:kernel workgroup=32 types=float32/Single,float64/Double
func Eigen16[T Real, A Arithmetic[T]](it gpu.Item, m *Memory16[T], count int, a gpu.Matrix[T], stride int, relative, floor T, values []T, vectors gpu.Matrix[T], strideV, wanted, along int, info []int32) {
	Symmetric[A, [16]T](it, m.Shared(), count, a, stride, relative, floor, values, vectors, strideV, wanted, along, info)
}

// Qr32 is Factor for up to 32 rows and columns.
//
//gpuc:kernel workgroup=32 types=float32/Single,float64/Double
func Qr32[T Real, A Arithmetic[T]](it gpu.Item, m *Memory32[T], count int, a gpu.Matrix[T], stride, along int, tau []T) {
	Factor[A, [32]T](it, m.Shared(), count, a, stride, along, tau)
}

// Svd32 is Singular for up to 32 rows and columns.
//
//gpuc:kernel workgroup=32 types=float32/Single,float64/Double
func Svd32[T Real, A Arithmetic[T]](it gpu.Item, m *Memory32[T], count int, a gpu.Matrix[T], stride int, relative, floor T, values []T, u gpu.Matrix[T], strideU int, v gpu.Matrix[T], strideV, wanted, along int, info []int32) {
	Singular[A, [32]T](it, m.Shared(), count, a, stride, relative, floor, values, u, strideU, v, strideV, wanted, along, info)
}

// Eigen32 is Symmetric for up to 32 rows.
//
//gpuc:kernel workgroup=32 types=float32/Single,float64/Double
func Eigen32[T Real, A Arithmetic[T]](it gpu.Item, m *Memory32[T], count int, a gpu.Matrix[T], stride int, relative, floor T, values []T, vectors gpu.Matrix[T], strideV, wanted, along int, info []int32) {
	Symmetric[A, [32]T](it, m.Shared(), count, a, stride, relative, floor, values, vectors, strideV, wanted, along, info)
}

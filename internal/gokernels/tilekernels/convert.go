package tilekernels

import "github.com/gpuc/gpuc/runtime/gpu"

// convert stores a tile with elements of each type.
func convert[A, T any](it gpu.Item, x gpu.Matrix[T], h gpu.Matrix[gpu.Float16], b gpu.Matrix[gpu.BFloat16], p gpu.Matrix[gpu.Float8E4M3], q gpu.Matrix[gpu.Float8E5M2],
	f gpu.Matrix[float32], s gpu.Matrix[int8], u gpu.Matrix[uint8], i gpu.Matrix[int32], w gpu.Matrix[uint32]) {
	row := 16 * it.Group().X
	v := gpu.LoadTile[A](it, x, row, 0)
	gpu.StoreTile(it, h, row, 0, gpu.ConvertTile[[16][16]gpu.Float16](it, v))
	gpu.StoreTile(it, b, row, 0, gpu.ConvertTile[[16][16]gpu.BFloat16](it, v))
	gpu.StoreTile(it, p, row, 0, gpu.ConvertTile[[16][16]gpu.Float8E4M3](it, v))
	gpu.StoreTile(it, q, row, 0, gpu.ConvertTile[[16][16]gpu.Float8E5M2](it, v))
	gpu.StoreTile(it, f, row, 0, gpu.ConvertTile[[16][16]float32](it, v))
	gpu.StoreTile(it, s, row, 0, gpu.ConvertTile[[16][16]int8](it, v))
	gpu.StoreTile(it, u, row, 0, gpu.ConvertTile[[16][16]uint8](it, v))
	gpu.StoreTile(it, i, row, 0, gpu.ConvertTile[[16][16]int32](it, v))
	gpu.StoreTile(it, w, row, 0, gpu.ConvertTile[[16][16]uint32](it, v))
}

// The kernels convert elements of one type to all types but float64.

//gpuc:kernel workgroup=32
func ConvertF16(it gpu.Item, x gpu.Matrix[gpu.Float16], h gpu.Matrix[gpu.Float16], b gpu.Matrix[gpu.BFloat16], p gpu.Matrix[gpu.Float8E4M3], q gpu.Matrix[gpu.Float8E5M2], f gpu.Matrix[float32], s gpu.Matrix[int8], u gpu.Matrix[uint8], i gpu.Matrix[int32], w gpu.Matrix[uint32]) {
	convert[[16][16]gpu.Float16](it, x, h, b, p, q, f, s, u, i, w)
}

//gpuc:kernel workgroup=32
func ConvertBF16(it gpu.Item, x gpu.Matrix[gpu.BFloat16], h gpu.Matrix[gpu.Float16], b gpu.Matrix[gpu.BFloat16], p gpu.Matrix[gpu.Float8E4M3], q gpu.Matrix[gpu.Float8E5M2], f gpu.Matrix[float32], s gpu.Matrix[int8], u gpu.Matrix[uint8], i gpu.Matrix[int32], w gpu.Matrix[uint32]) {
	convert[[16][16]gpu.BFloat16](it, x, h, b, p, q, f, s, u, i, w)
}

//gpuc:kernel workgroup=32
func ConvertE4M3(it gpu.Item, x gpu.Matrix[gpu.Float8E4M3], h gpu.Matrix[gpu.Float16], b gpu.Matrix[gpu.BFloat16], p gpu.Matrix[gpu.Float8E4M3], q gpu.Matrix[gpu.Float8E5M2], f gpu.Matrix[float32], s gpu.Matrix[int8], u gpu.Matrix[uint8], i gpu.Matrix[int32], w gpu.Matrix[uint32]) {
	convert[[16][16]gpu.Float8E4M3](it, x, h, b, p, q, f, s, u, i, w)
}

//gpuc:kernel workgroup=32
func ConvertE5M2(it gpu.Item, x gpu.Matrix[gpu.Float8E5M2], h gpu.Matrix[gpu.Float16], b gpu.Matrix[gpu.BFloat16], p gpu.Matrix[gpu.Float8E4M3], q gpu.Matrix[gpu.Float8E5M2], f gpu.Matrix[float32], s gpu.Matrix[int8], u gpu.Matrix[uint8], i gpu.Matrix[int32], w gpu.Matrix[uint32]) {
	convert[[16][16]gpu.Float8E5M2](it, x, h, b, p, q, f, s, u, i, w)
}

//gpuc:kernel workgroup=32
func ConvertF32(it gpu.Item, x gpu.Matrix[float32], h gpu.Matrix[gpu.Float16], b gpu.Matrix[gpu.BFloat16], p gpu.Matrix[gpu.Float8E4M3], q gpu.Matrix[gpu.Float8E5M2], f gpu.Matrix[float32], s gpu.Matrix[int8], u gpu.Matrix[uint8], i gpu.Matrix[int32], w gpu.Matrix[uint32]) {
	convert[[16][16]float32](it, x, h, b, p, q, f, s, u, i, w)
}

//gpuc:kernel workgroup=32
func ConvertF64(it gpu.Item, x gpu.Matrix[float64], h gpu.Matrix[gpu.Float16], b gpu.Matrix[gpu.BFloat16], p gpu.Matrix[gpu.Float8E4M3], q gpu.Matrix[gpu.Float8E5M2], f gpu.Matrix[float32], s gpu.Matrix[int8], u gpu.Matrix[uint8], i gpu.Matrix[int32], w gpu.Matrix[uint32]) {
	convert[[16][16]float64](it, x, h, b, p, q, f, s, u, i, w)
}

//gpuc:kernel workgroup=32
func ConvertI8(it gpu.Item, x gpu.Matrix[int8], h gpu.Matrix[gpu.Float16], b gpu.Matrix[gpu.BFloat16], p gpu.Matrix[gpu.Float8E4M3], q gpu.Matrix[gpu.Float8E5M2], f gpu.Matrix[float32], s gpu.Matrix[int8], u gpu.Matrix[uint8], i gpu.Matrix[int32], w gpu.Matrix[uint32]) {
	convert[[16][16]int8](it, x, h, b, p, q, f, s, u, i, w)
}

//gpuc:kernel workgroup=32
func ConvertU8(it gpu.Item, x gpu.Matrix[uint8], h gpu.Matrix[gpu.Float16], b gpu.Matrix[gpu.BFloat16], p gpu.Matrix[gpu.Float8E4M3], q gpu.Matrix[gpu.Float8E5M2], f gpu.Matrix[float32], s gpu.Matrix[int8], u gpu.Matrix[uint8], i gpu.Matrix[int32], w gpu.Matrix[uint32]) {
	convert[[16][16]uint8](it, x, h, b, p, q, f, s, u, i, w)
}

//gpuc:kernel workgroup=32
func ConvertI32(it gpu.Item, x gpu.Matrix[int32], h gpu.Matrix[gpu.Float16], b gpu.Matrix[gpu.BFloat16], p gpu.Matrix[gpu.Float8E4M3], q gpu.Matrix[gpu.Float8E5M2], f gpu.Matrix[float32], s gpu.Matrix[int8], u gpu.Matrix[uint8], i gpu.Matrix[int32], w gpu.Matrix[uint32]) {
	convert[[16][16]int32](it, x, h, b, p, q, f, s, u, i, w)
}

//gpuc:kernel workgroup=32
func ConvertU32(it gpu.Item, x gpu.Matrix[uint32], h gpu.Matrix[gpu.Float16], b gpu.Matrix[gpu.BFloat16], p gpu.Matrix[gpu.Float8E4M3], q gpu.Matrix[gpu.Float8E5M2], f gpu.Matrix[float32], s gpu.Matrix[int8], u gpu.Matrix[uint8], i gpu.Matrix[int32], w gpu.Matrix[uint32]) {
	convert[[16][16]uint32](it, x, h, b, p, q, f, s, u, i, w)
}

// Doubles converts to float64.
//
//gpuc:kernel workgroup=32
func Doubles(it gpu.Item, x gpu.Matrix[float32], p gpu.Matrix[gpu.Float8E4M3], i gpu.Matrix[int32], u gpu.Matrix[uint8], z gpu.Matrix[float64]) {
	gpu.StoreTile(it, z, 0, 0, gpu.ConvertTile[[16][16]float64](it, gpu.LoadTile[[16][16]float32](it, x, 0, 0)))
	gpu.StoreTile(it, z, 0, 16, gpu.ConvertTile[[16][16]float64](it, gpu.LoadTile[[16][16]gpu.Float8E4M3](it, p, 0, 0)))
	gpu.StoreTile(it, z, 0, 32, gpu.ConvertTile[[16][16]float64](it, gpu.LoadTile[[16][16]int32](it, i, 0, 0)))
	gpu.StoreTile(it, z, 0, 48, gpu.ConvertTile[[16][16]float64](it, gpu.LoadTile[[16][16]uint8](it, u, 0, 0)))
}

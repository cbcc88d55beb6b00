package fast

// This file has the kernels for float64 on devices whose units for matrices multiply it. A warp of
// NVIDIA's devices has 64 × 32 or 32 × 32 sums: more do not fit into registers, and with fewer,
// workgroup memory is the limit.

import (
	"github.com/gpuc/gpuc/kernels/linalg/internal/product"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// GemmDouble128x128 computes c = alpha·a·b + beta·c, by tiles of 128 × 128 elements.
//
//gpuc:kernel workgroup=256
func GemmDouble128x128(it gpu.Item, alpha float64, a, b gpu.Matrix[float64], beta float64, c gpu.Matrix[float64], part int) {
	product.Multiply[[128][32]f64, [32][128]f64, [128][128]f64, [128][128]f64, f64, f64, product.F64](it, alpha, a, b, beta, c, part, 128, 128, 32)
}

// NewGemmDouble128x128 computes c = alpha·a·b, by tiles of 128 × 128 elements.
//
//gpuc:kernel workgroup=256
func NewGemmDouble128x128(it gpu.Item, alpha float64, a, b, c gpu.Matrix[float64]) {
	product.MultiplyNew[[128][32]f64, [32][128]f64, [128][128]f64, [128][128]f64, f64, f64](it, alpha, a, b, c, 128, 128, 32)
}

// GemmDouble64x64 computes c = alpha·a·b + beta·c, by tiles of 64 × 64 elements.
//
//gpuc:kernel workgroup=128
func GemmDouble64x64(it gpu.Item, alpha float64, a, b gpu.Matrix[float64], beta float64, c gpu.Matrix[float64], part int) {
	product.Multiply[[64][32]f64, [32][64]f64, [64][64]f64, [64][64]f64, f64, f64, product.F64](it, alpha, a, b, beta, c, part, 64, 64, 32)
}

// NewGemmDouble64x64 computes c = alpha·a·b, by tiles of 64 × 64 elements.
//
//gpuc:kernel workgroup=128
func NewGemmDouble64x64(it gpu.Item, alpha float64, a, b, c gpu.Matrix[float64]) {
	product.MultiplyNew[[64][32]f64, [32][64]f64, [64][64]f64, [64][64]f64, f64, f64](it, alpha, a, b, c, 64, 64, 32)
}

// GemmPartsDouble64 is GemmParts64 for float64.
//
//gpuc:kernel workgroup=128
func GemmPartsDouble64(it gpu.Item, a, b gpu.Matrix[f64], width int, sums gpu.Matrix[f64]) {
	product.MultiplyParts[[64][32]f64, [32][64]f64, [64][64]f64, f64, f64](it, a, b, width, sums, 64, 64, 32)
}

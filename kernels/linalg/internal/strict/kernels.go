// Package strict has the kernels of package linalg that multiply matrices with strict arithmetic.
// Package fast has others.
package strict

import (
	"github.com/gpuc/gpuc/kernels/linalg/internal/product"
	"github.com/gpuc/gpuc/runtime/gpu"
)

//go:generate go tool gpuc gen -math=strict .

// Short names for the directives of kernels.
type (
	f16  = gpu.Float16
	bf16 = gpu.BFloat16
	f32  = float32
	f64  = float64
	a16  = product.F16
	ab16 = product.BF16
	a32  = product.F32
	a64  = product.F64
)

// Gemm32 computes c = alpha·a·b + beta·c, by tiles of 32 × 32 elements.
//
//gpuc:kernel workgroup=256 types=f32/f32/a32,f64/f64/a64,f16/f32/a16,bf16/f32/ab16
func Gemm32[T product.Element, S product.Sum, V product.Arithmetic[T, S]](it gpu.Item, alpha S, a, b gpu.Matrix[T], beta S, c gpu.Matrix[T], part int) {
	product.Multiply[[32][16]T, [16][32]T, [32][32]S, [32][32]T, T, S, V](it, alpha, a, b, beta, c, part, 32, 32, 16)
}

// Gemm64 computes c = alpha·a·b + beta·c, by tiles of 64 × 64 elements.
//
//gpuc:kernel workgroup=256 types=f32/f32/a32,f64/f64/a64
func Gemm64[T product.Element, S product.Sum, V product.Arithmetic[T, S]](it gpu.Item, alpha S, a, b gpu.Matrix[T], beta S, c gpu.Matrix[T], part int) {
	product.Multiply[[64][32]T, [32][64]T, [64][64]S, [64][64]T, T, S, V](it, alpha, a, b, beta, c, part, 64, 64, 32)
}

// NewGemm256x64 computes c = alpha·a·b, by tiles of 256 × 64 elements.
//
//gpuc:kernel workgroup=256
func NewGemm256x64(it gpu.Item, alpha f32, a, b, c gpu.Matrix[f32]) {
	product.MultiplyNew[[256][32]f32, [32][64]f32, [256][64]f32, [256][64]f32, f32, f32](it, alpha, a, b, c, 256, 64, 32)
}

// NewGemm128x64 computes c = alpha·a·b, by tiles of 128 × 64 elements.
//
//gpuc:kernel workgroup=256
func NewGemm128x64(it gpu.Item, alpha f32, a, b, c gpu.Matrix[f32]) {
	product.MultiplyNew[[128][32]f32, [32][64]f32, [128][64]f32, [128][64]f32, f32, f32](it, alpha, a, b, c, 128, 64, 32)
}

// NewGemm64x64 computes c = alpha·a·b, by tiles of 64 × 64 elements.
//
//gpuc:kernel workgroup=128
func NewGemm64x64(it gpu.Item, alpha f32, a, b, c gpu.Matrix[f32]) {
	product.MultiplyNew[[64][32]f32, [32][64]f32, [64][64]f32, [64][64]f32, f32, f32](it, alpha, a, b, c, 64, 64, 32)
}

// NewGemmOfTranspose computes c = alpha·aᵀ·b, by tiles of 256 × 128 elements. Columns of a are
// where a warp reads several rows of the result at once.
//
//gpuc:kernel workgroup=256
func NewGemmOfTranspose(it gpu.Item, alpha f32, a, b, c gpu.Matrix[f32]) {
	product.MultiplyNew[[256][32]f32, [32][128]f32, [256][128]f32, [256][128]f32, f32, f32](it, alpha, a.T(), b, c, 256, 128, 32)
}

// Batch32 computes c = alpha·a·b + beta·c for many matrices, by tiles of 32 × 32 elements.
//
//gpuc:kernel workgroup=128 types=f32/f32/a32,f64/f64/a64,f16/f32/a16,bf16/f32/ab16
func Batch32[T product.Element, S product.Sum, V product.Arithmetic[T, S]](it gpu.Item, count int, alpha S, a gpu.Matrix[T], strideA int, b gpu.Matrix[T], strideB int, beta S, c gpu.Matrix[T], strideC int) {
	product.MultiplyBatch[[32][16]T, [16][32]T, [32][32]S, [32][32]T, T, S, V](it, count, alpha, a, strideA, b, strideB, beta, c, strideC, 32, 32, 16)
}

// BatchSmall computes c = alpha·a·b + beta·c for many small matrices, an element by an item.
//
//gpuc:kernel workgroup=256 types=f32/f32/a32,f64/f64/a64,f16/f32/a16,bf16/f32/ab16
func BatchSmall[T product.Element, S product.Sum, V product.Arithmetic[T, S]](it gpu.Item, count int, alpha S, a gpu.Matrix[T], strideA int, b gpu.Matrix[T], strideB int, beta S, c gpu.Matrix[T], strideC int) {
	product.MultiplySmall[T, S, V](it, count, alpha, a, strideA, b, strideB, beta, c, strideC)
}

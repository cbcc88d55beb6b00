// Package fast has the kernels of package linalg whose arithmetic is not strict: devices multiply
// with their units for matrices, and choose the order of additions.
package fast

import (
	"github.com/gpuc/gpuc/kernels/linalg/internal/product"
	"github.com/gpuc/gpuc/runtime/gpu"
)

//go:generate go tool gpuc gen .

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
	product.Multiply[[32][32]T, [32][32]T, [32][32]S, [32][32]T, T, S, V](it, alpha, a, b, beta, c, part, 32, 32, 32)
}

// Gemm64 computes c = alpha·a·b + beta·c, by tiles of 64 × 64 elements.
//
//gpuc:kernel workgroup=256 types=f32/a32,f64/a64
func Gemm64[T f32 | f64, V product.Arithmetic[T, T]](it gpu.Item, alpha T, a, b gpu.Matrix[T], beta T, c gpu.Matrix[T], part int) {
	product.Multiply[[64][32]T, [32][64]T, [64][64]T, [64][64]T, T, T, V](it, alpha, a, b, beta, c, part, 64, 64, 32)
}

// GemmHalf64 is Gemm64 for elements of 16 bits. Rows of its tiles have 128 bytes, as the tensor
// memory accelerator of NVIDIA's devices copies them.
//
//gpuc:kernel workgroup=256 types=f16/a16,bf16/ab16
func GemmHalf64[T f16 | bf16, V product.Arithmetic[T, f32]](it gpu.Item, alpha f32, a, b gpu.Matrix[T], beta f32, c gpu.Matrix[T], part int) {
	product.Multiply[[64][64]T, [64][64]T, [64][64]f32, [64][64]T, T, f32, V](it, alpha, a, b, beta, c, part, 64, 64, 64)
}

// Gemm128 computes c = alpha·a·b + beta·c, by tiles of 128 × 128 elements.
//
//gpuc:kernel workgroup=256
func Gemm128(it gpu.Item, alpha float32, a, b gpu.Matrix[float32], beta float32, c gpu.Matrix[float32], part int) {
	product.Multiply[[128][32]float32, [32][128]float32, [128][128]float32, [128][128]float32, float32, float32, product.F32](it, alpha, a, b, beta, c, part, 128, 128, 32)
}

// Gemm256 computes c = alpha·a·b + beta·c, by tiles of 256 × 64 elements.
//
//gpuc:kernel workgroup=256
func Gemm256(it gpu.Item, alpha float32, a, b gpu.Matrix[float32], beta float32, c gpu.Matrix[float32], part int) {
	product.Multiply[[256][32]float32, [32][64]float32, [256][64]float32, [256][64]float32, float32, float32, product.F32](it, alpha, a, b, beta, c, part, 256, 64, 32)
}

// GemmWide computes c = alpha·a·b + beta·c of elements of 16 bits, by tiles of 128 × 256 elements.
//
//gpuc:kernel workgroup=256 types=f16/a16,bf16/ab16
func GemmWide[T product.Element, V product.Arithmetic[T, float32]](it gpu.Item, alpha float32, a, b gpu.Matrix[T], beta float32, c gpu.Matrix[T], part int) {
	product.Multiply[[128][64]T, [64][256]T, [128][256]float32, [128][256]T, T, float32, V](it, alpha, a, b, beta, c, part, 128, 256, 64)
}

// NewGemm256x64 computes c = alpha·a·b, by tiles of 256 × 64 elements.
//
//gpuc:kernel workgroup=256
func NewGemm256x64(it gpu.Item, alpha float32, a, b, c gpu.Matrix[float32]) {
	product.MultiplyNew[[256][32]float32, [32][64]float32, [256][64]float32, [256][64]float32, float32, float32](it, alpha, a, b, c, 256, 64, 32)
}

// NewGemmHalf128x256 computes c = alpha·a·b of elements of 16 bits, by tiles of 128 × 256 elements.
//
//gpuc:kernel workgroup=256 types=f16,bf16
func NewGemmHalf128x256[T f16 | bf16](it gpu.Item, alpha f32, a, b, c gpu.Matrix[T]) {
	product.MultiplyNew[[128][64]T, [64][256]T, [128][256]f32, [128][256]T, T, f32](it, alpha, a, b, c, 128, 256, 64)
}

// NewGemmHalf128x128 is NewGemmHalf128x256 by tiles of 128 × 128 elements.
//
//gpuc:kernel workgroup=256 types=f16,bf16
func NewGemmHalf128x128[T f16 | bf16](it gpu.Item, alpha f32, a, b, c gpu.Matrix[T]) {
	product.MultiplyNew[[128][64]T, [64][128]T, [128][128]f32, [128][128]T, T, f32](it, alpha, a, b, c, 128, 128, 64)
}

// NewGemmHalf64x128 is NewGemmHalf128x256 by tiles of 64 × 128 elements.
//
//gpuc:kernel workgroup=128 types=f16,bf16
func NewGemmHalf64x128[T f16 | bf16](it gpu.Item, alpha f32, a, b, c gpu.Matrix[T]) {
	product.MultiplyNew[[64][64]T, [64][128]T, [64][128]f32, [64][128]T, T, f32](it, alpha, a, b, c, 64, 128, 64)
}

// NewGemmHalf64x64 is NewGemmHalf128x256 by tiles of 64 × 64 elements.
//
//gpuc:kernel workgroup=128 types=f16,bf16
func NewGemmHalf64x64[T f16 | bf16](it gpu.Item, alpha f32, a, b, c gpu.Matrix[T]) {
	product.MultiplyNew[[64][64]T, [64][64]T, [64][64]f32, [64][64]T, T, f32](it, alpha, a, b, c, 64, 64, 64)
}

// GemmParts64 computes sums of a·b for each width columns of a, by tiles of 64 × 64 elements.
//
//gpuc:kernel workgroup=256
func GemmParts64(it gpu.Item, a, b gpu.Matrix[f32], width int, sums gpu.Matrix[f32]) {
	product.MultiplyParts[[64][32]f32, [32][64]f32, [64][64]f32, f32, f32](it, a, b, width, sums, 64, 64, 32)
}

// Batch32 computes c = alpha·a·b + beta·c for many matrices, by tiles of 32 × 32 elements.
//
//gpuc:kernel workgroup=128 types=f32/f32/a32,f64/f64/a64,f16/f32/a16,bf16/f32/ab16
func Batch32[T product.Element, S product.Sum, V product.Arithmetic[T, S]](it gpu.Item, count int, alpha S, a gpu.Matrix[T], strideA int, b gpu.Matrix[T], strideB int, beta S, c gpu.Matrix[T], strideC int) {
	product.MultiplyBatch[[32][32]T, [32][32]T, [32][32]S, [32][32]T, T, S, V](it, count, alpha, a, strideA, b, strideB, beta, c, strideC, 32, 32, 32)
}

// BatchSmall computes c = alpha·a·b + beta·c for many small matrices, an element by an item.
//
//gpuc:kernel workgroup=256 types=f32/f32/a32,f64/f64/a64,f16/f32/a16,bf16/f32/ab16
func BatchSmall[T product.Element, S product.Sum, V product.Arithmetic[T, S]](it gpu.Item, count int, alpha S, a gpu.Matrix[T], strideA int, b gpu.Matrix[T], strideB int, beta S, c gpu.Matrix[T], strideC int) {
	product.MultiplySmall[T, S, V](it, count, alpha, a, strideA, b, strideB, beta, c, strideC)
}

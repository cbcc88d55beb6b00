// Package small has the kernels of package linalg that multiply many small matrices. A workgroup
// copies the factors of some products to its memory, and each of its items computes a block of one
// result in registers.
//
// Sums begin with zero, and products follow in ascending order by fused multiply-adds, so that
// results have the same bits on every device.
package small

import (
	"github.com/gpuc/gpuc/kernels/linalg/internal/product"
	"github.com/gpuc/gpuc/runtime/gpu"
)

//go:generate go tool gpuc gen .

// Short names for the directives of kernels.
type (
	f32 = float32
	f64 = float64
	a32 = product.F32
	a64 = product.F64
)

// Steps says where the matrices of a batch are: product p has matrix First + p·Step of a buffer.
type Steps struct{ FirstA, StepA, FirstB, StepB, FirstC, StepC int32 }

// The memory of workgroups, of about 18 KiB each: so multiprocessors have several of them.
type (
	single16 struct {
		Left  [8 * 16 * 5][4]f32
		Right [8 * 16 * 4][4]f32
	}
	single32 struct {
		Left  [2 * 32 * 9][4]f32
		Right [2 * 32 * 8][4]f32
	}
	single64 struct {
		Left  [64 * 9][4]f32
		Right [32 * 16][4]f32
	}
	double16 struct {
		Left  [4 * 16 * 9][2]f64
		Right [4 * 16 * 8][2]f64
	}
	double32 struct {
		Left  [32 * 17][2]f64
		Right [32 * 16][2]f64
	}
	double64 struct {
		Left  [64 * 9][2]f64
		Right [16 * 32][2]f64
	}
)

// single16Of computes products of 16 × 16 elements.
//
//gpuc:kernel workgroup=128
func single16Of(it gpu.Item, shared *single16, count int, alpha f32, a, b [][64][4]f32, beta f32, c [][64][4]f32, at Steps) {
	multiply[[4]f32, [64][4]f32, f32, a32](it, shared.Left[:], shared.Right[:], shape{16, 16, 4, 1, 8}, count, alpha, a, b, beta, c, at)
}

// single32Of computes products of 32 × 32 elements.
//
//gpuc:kernel workgroup=64
func single32Of(it gpu.Item, shared *single32, count int, alpha f32, a, b [][256][4]f32, beta f32, c [][256][4]f32, at Steps) {
	multiply[[4]f32, [256][4]f32, f32, a32](it, shared.Left[:], shared.Right[:], shape{32, 32, 8, 1, 2}, count, alpha, a, b, beta, c, at)
}

// single64Of computes products of 64 × 64 elements.
//
//gpuc:kernel workgroup=128
func single64Of(it gpu.Item, shared *single64, count int, alpha f32, a, b [][1024][4]f32, beta f32, c [][1024][4]f32, at Steps) {
	multiply[[4]f32, [1024][4]f32, f32, a32](it, shared.Left[:], shared.Right[:], shape{64, 32, 8, 1, 1}, count, alpha, a, b, beta, c, at)
}

// double16Of computes products of 16 × 16 elements.
//
//gpuc:kernel workgroup=64
func double16Of(it gpu.Item, shared *double16, count int, alpha f64, a, b [][128][2]f64, beta f64, c [][128][2]f64, at Steps) {
	multiply[[2]f64, [128][2]f64, f64, a64](it, shared.Left[:], shared.Right[:], shape{16, 16, 4, 2, 4}, count, alpha, a, b, beta, c, at)
}

// double32Of computes products of 32 × 32 elements.
//
//gpuc:kernel workgroup=64
func double32Of(it gpu.Item, shared *double32, count int, alpha f64, a, b [][512][2]f64, beta f64, c [][512][2]f64, at Steps) {
	multiply[[2]f64, [512][2]f64, f64, a64](it, shared.Left[:], shared.Right[:], shape{32, 32, 4, 2, 1}, count, alpha, a, b, beta, c, at)
}

// double64Of computes products of 64 × 64 elements.
//
//gpuc:kernel workgroup=256
func double64Of(it gpu.Item, shared *double64, count int, alpha f64, a, b [][2048][2]f64, beta f64, c [][2048][2]f64, at Steps) {
	multiply[[2]f64, [2048][2]f64, f64, a64](it, shared.Left[:], shared.Right[:], shape{64, 16, 4, 2, 1}, count, alpha, a, b, beta, c, at)
}

// single16Any computes products by blocks of 16 × 16 elements.
//
//gpuc:kernel workgroup=128
func single16Any(it gpu.Item, shared *single16, count int, alpha f32, a gpu.Matrix[f32], stepA int, b gpu.Matrix[f32], stepB int, beta f32, c gpu.Matrix[f32], stepC, along int) {
	m := products[f32]{a, b, c, stepA, stepB, stepC, along}
	multiplyAny[[4]f32, f32, a32](it, shared.Left[:], shared.Right[:], shape{16, 16, 4, 1, 8}, count, alpha, m, beta, nil, [3]int32{-1})
}

// single32Any computes products by blocks of 32 × 32 elements.
//
//gpuc:kernel workgroup=64
func single32Any(it gpu.Item, shared *single32, count int, alpha f32, a gpu.Matrix[f32], stepA int, b gpu.Matrix[f32], stepB int, beta f32, c gpu.Matrix[f32], stepC, along int) {
	m := products[f32]{a, b, c, stepA, stepB, stepC, along}
	multiplyAny[[4]f32, f32, a32](it, shared.Left[:], shared.Right[:], shape{32, 32, 8, 1, 2}, count, alpha, m, beta, nil, [3]int32{-1})
}

// single64Any computes products by blocks of 64 × 64 elements.
//
//gpuc:kernel workgroup=128
func single64Any(it gpu.Item, shared *single64, count int, alpha f32, a gpu.Matrix[f32], stepA int, b gpu.Matrix[f32], stepB int, beta f32, c gpu.Matrix[f32], stepC, along int) {
	m := products[f32]{a, b, c, stepA, stepB, stepC, along}
	multiplyAny[[4]f32, f32, a32](it, shared.Left[:], shared.Right[:], shape{64, 32, 8, 1, 1}, count, alpha, m, beta, nil, [3]int32{-1})
}

// single16Listed computes products by blocks of 16 × 16 elements, of matrices in a list.
//
//gpuc:kernel workgroup=128
func single16Listed(it gpu.Item, shared *single16, count int, alpha f32, a gpu.Matrix[f32], stepA int, b gpu.Matrix[f32], stepB int, beta f32, c gpu.Matrix[f32], stepC, along int, list [][3]int32, limit [3]int32) {
	m := products[f32]{a, b, c, stepA, stepB, stepC, along}
	multiplyAny[[4]f32, f32, a32](it, shared.Left[:], shared.Right[:], shape{16, 16, 4, 1, 8}, count, alpha, m, beta, list, limit)
}

// single64Listed computes products by blocks of 64 × 64 elements, of matrices in a list.
//
//gpuc:kernel workgroup=128
func single64Listed(it gpu.Item, shared *single64, count int, alpha f32, a gpu.Matrix[f32], stepA int, b gpu.Matrix[f32], stepB int, beta f32, c gpu.Matrix[f32], stepC, along int, list [][3]int32, limit [3]int32) {
	m := products[f32]{a, b, c, stepA, stepB, stepC, along}
	multiplyAny[[4]f32, f32, a32](it, shared.Left[:], shared.Right[:], shape{64, 32, 8, 1, 1}, count, alpha, m, beta, list, limit)
}

// double16Any computes products by blocks of 16 × 16 elements.
//
//gpuc:kernel workgroup=64
func double16Any(it gpu.Item, shared *double16, count int, alpha f64, a gpu.Matrix[f64], stepA int, b gpu.Matrix[f64], stepB int, beta f64, c gpu.Matrix[f64], stepC, along int) {
	m := products[f64]{a, b, c, stepA, stepB, stepC, along}
	multiplyAny[[2]f64, f64, a64](it, shared.Left[:], shared.Right[:], shape{16, 16, 4, 2, 4}, count, alpha, m, beta, nil, [3]int32{-1})
}

// double32Any computes products by blocks of 32 × 32 elements.
//
//gpuc:kernel workgroup=64
func double32Any(it gpu.Item, shared *double32, count int, alpha f64, a gpu.Matrix[f64], stepA int, b gpu.Matrix[f64], stepB int, beta f64, c gpu.Matrix[f64], stepC, along int) {
	m := products[f64]{a, b, c, stepA, stepB, stepC, along}
	multiplyAny[[2]f64, f64, a64](it, shared.Left[:], shared.Right[:], shape{32, 32, 4, 2, 1}, count, alpha, m, beta, nil, [3]int32{-1})
}

// double64Any computes products by blocks of 64 × 64 elements.
//
//gpuc:kernel workgroup=256
func double64Any(it gpu.Item, shared *double64, count int, alpha f64, a gpu.Matrix[f64], stepA int, b gpu.Matrix[f64], stepB int, beta f64, c gpu.Matrix[f64], stepC, along int) {
	m := products[f64]{a, b, c, stepA, stepB, stepC, along}
	multiplyAny[[2]f64, f64, a64](it, shared.Left[:], shared.Right[:], shape{64, 16, 4, 2, 1}, count, alpha, m, beta, nil, [3]int32{-1})
}

// double16Listed computes products by blocks of 16 × 16 elements, of matrices in a list.
//
//gpuc:kernel workgroup=64
func double16Listed(it gpu.Item, shared *double16, count int, alpha f64, a gpu.Matrix[f64], stepA int, b gpu.Matrix[f64], stepB int, beta f64, c gpu.Matrix[f64], stepC, along int, list [][3]int32, limit [3]int32) {
	m := products[f64]{a, b, c, stepA, stepB, stepC, along}
	multiplyAny[[2]f64, f64, a64](it, shared.Left[:], shared.Right[:], shape{16, 16, 4, 2, 4}, count, alpha, m, beta, list, limit)
}

// double64Listed computes products by blocks of 64 × 64 elements, of matrices in a list.
//
//gpuc:kernel workgroup=256
func double64Listed(it gpu.Item, shared *double64, count int, alpha f64, a gpu.Matrix[f64], stepA int, b gpu.Matrix[f64], stepB int, beta f64, c gpu.Matrix[f64], stepC, along int, list [][3]int32, limit [3]int32) {
	m := products[f64]{a, b, c, stepA, stepB, stepC, along}
	multiplyAny[[2]f64, f64, a64](it, shared.Left[:], shared.Right[:], shape{64, 16, 4, 2, 1}, count, alpha, m, beta, list, limit)
}

package misusetest

import (
	"github.com/gpuc/gpuc/kernels/linalg"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// vector is four elements of a buffer.
func vector(b *gpu.Buffer[float32]) linalg.Vector[float32] {
	return linalg.Vector[float32]{Buffer: b, Len: 4, Stride: 1}
}

// square is four rows of four elements.
func square(b *gpu.Buffer[float32]) gpu.MatrixBuffer[float32] { return rectangle(b, 4, 4) }

func rectangle(b *gpu.Buffer[float32], rows, cols int) gpu.MatrixBuffer[float32] {
	return gpu.MatrixBuffer[float32]{Buffer: b, MatrixLayout: gpu.MatrixLayout{Rows: rows, Cols: cols, RowStride: cols, ColStride: 1}}
}

// batch is three matrices.
func batch(b *gpu.Buffer[float32]) linalg.Batch[float32] {
	return linalg.Batch[float32]{MatrixBuffer: square(b), Count: 3, Stride: 16}
}

// band is a matrix with two diagonals.
func band(b *gpu.Buffer[float32]) linalg.Band[float32] {
	return linalg.BandOf(rectangle(b, 4, 2), 4, 1, 0)
}

func linalgRows() []row {
	type f = float32
	const lower, full, left = linalg.Lower, linalg.NonUnit, linalg.Left
	return []row{
		{name: "linalg.Axpy", call: func(k *kit) error { return linalg.Axpy(k.s, 2, vector(in[f](k, 4)), vector(out[f](k, 4))) }},
		{name: "linalg.Copy", call: func(k *kit) error { return linalg.Copy(k.s, vector(in[f](k, 4)), vector(out[f](k, 4))) }},
		{name: "linalg.Swap", call: func(k *kit) error { return linalg.Swap(k.s, vector(out[f](k, 4)), vector(out[f](k, 4))) }},
		{name: "linalg.Rot", call: func(k *kit) error { return linalg.Rot(k.s, vector(out[f](k, 4)), vector(out[f](k, 4)), 0.6, 0.8) }},
		{name: "linalg.Scal", call: func(k *kit) error { return linalg.Scal(k.s, 2, vector(out[f](k, 4))) }},
		{name: "linalg.Dot", call: func(k *kit) error {
			return linalg.Dot(k.s, vector(in[f](k, 4)), vector(in[f](k, 4)), out[f](k, 1))
		}},
		{name: "linalg.Asum", call: func(k *kit) error { return linalg.Asum(k.s, vector(in[f](k, 4)), out[f](k, 1)) }},
		{name: "linalg.Nrm2", call: func(k *kit) error { return linalg.Nrm2(k.s, vector(in[f](k, 4)), out[f](k, 1)) }},
		{name: "linalg.Iamax", call: func(k *kit) error { return linalg.Iamax(k.s, vector(in[f](k, 4)), out[int32](k, 1)) }},
		{name: "linalg.Gemv", call: func(k *kit) error {
			return linalg.Gemv(k.s, 2, square(in[f](k, 16)), vector(in[f](k, 4)), 3, vector(out[f](k, 4)))
		}},
		{name: "linalg.Symv", call: func(k *kit) error {
			return linalg.Symv(k.s, lower, 2, square(in[f](k, 16)), vector(in[f](k, 4)), 3, vector(out[f](k, 4)))
		}},
		{name: "linalg.Ger", call: func(k *kit) error {
			return linalg.Ger(k.s, 2, vector(in[f](k, 4)), vector(in[f](k, 4)), square(out[f](k, 16)))
		}},
		{name: "linalg.Syr", call: func(k *kit) error { return linalg.Syr(k.s, lower, 2, vector(in[f](k, 4)), square(out[f](k, 16))) }},
		{name: "linalg.Syr2", call: func(k *kit) error {
			return linalg.Syr2(k.s, lower, 2, vector(in[f](k, 4)), vector(in[f](k, 4)), square(out[f](k, 16)))
		}},
		{name: "linalg.Trmv", call: func(k *kit) error { return linalg.Trmv(k.s, lower, full, square(in[f](k, 16)), vector(out[f](k, 4))) }},
		{name: "linalg.Trsv", call: func(k *kit) error { return linalg.Trsv(k.s, lower, full, square(in[f](k, 16)), vector(out[f](k, 4))) }},
		{name: "linalg.Gbmv", call: func(k *kit) error {
			return linalg.Gbmv(k.s, 2, band(in[f](k, 8)), vector(in[f](k, 4)), 3, vector(out[f](k, 4)))
		}},
		{name: "linalg.Sbmv", call: func(k *kit) error {
			return linalg.Sbmv(k.s, 2, band(in[f](k, 8)), vector(in[f](k, 4)), 3, vector(out[f](k, 4)))
		}},
		{name: "linalg.Tbmv", call: func(k *kit) error { return linalg.Tbmv(k.s, full, band(in[f](k, 8)), vector(out[f](k, 4))) }},
		{name: "linalg.Tbsv", call: func(k *kit) error { return linalg.Tbsv(k.s, full, band(in[f](k, 8)), vector(out[f](k, 4))) }},
		{name: "linalg.Gemm", call: func(k *kit) error {
			return linalg.Gemm(k.s, 2, square(in[f](k, 16)), square(in[f](k, 16)), 3, square(out[f](k, 16)))
		}},
		{name: "linalg.Gemm strict", call: func(k *kit) error {
			return linalg.Gemm(k.s, 2, square(in[f](k, 16)), square(in[f](k, 16)), 3, square(out[f](k, 16)), linalg.Strict())
		}},
		{name: "linalg.Gemm split", call: func(k *kit) error {
			return linalg.Gemm(k.s, 2, square(in[f](k, 16)), square(in[f](k, 16)), 3, square(out[f](k, 16)), linalg.Split())
		}},
		{name: "linalg.Gemm with an epilogue", call: func(k *kit) error {
			a, b, c := square(in[f](k, 16)), square(in[f](k, 16)), square(out[f](k, 16))
			return linalg.Gemm(k.s, 2, a, b, 3, c, linalg.Epilogue(vector(in[f](k, 4)), linalg.ReLU))
		}, optional: []int{3}},
		{name: "linalg.GemmBatch", call: func(k *kit) error {
			return linalg.GemmBatch(k.s, 2, batch(in[f](k, 48)), batch(in[f](k, 48)), 3, batch(out[f](k, 48)))
		}},
		{name: "linalg.Transpose", call: func(k *kit) error { return linalg.Transpose(k.s, square(in[f](k, 16)), square(out[f](k, 16))) }},
		{name: "linalg.Symm", call: func(k *kit) error {
			return linalg.Symm(k.s, left, lower, 2, square(in[f](k, 16)), square(in[f](k, 16)), 3, square(out[f](k, 16)))
		}},
		{name: "linalg.Syrk", call: func(k *kit) error {
			return linalg.Syrk(k.s, lower, 2, square(in[f](k, 16)), 3, square(out[f](k, 16)))
		}},
		{name: "linalg.Syr2k", call: func(k *kit) error {
			return linalg.Syr2k(k.s, lower, 2, square(in[f](k, 16)), square(in[f](k, 16)), 3, square(out[f](k, 16)))
		}},
		{name: "linalg.Trmm", call: func(k *kit) error {
			return linalg.Trmm(k.s, left, lower, full, 2, square(in[f](k, 16)), square(out[f](k, 16)))
		}},
		{name: "linalg.Trsm", call: func(k *kit) error {
			return linalg.Trsm(k.s, left, lower, full, 2, square(in[f](k, 16)), square(out[f](k, 16)))
		}},
		{name: "linalg.Cholesky", call: func(k *kit) error { return linalg.Cholesky(k.s, lower, square(out[f](k, 16)), out[int32](k, 1)) }},
		{name: "linalg.CholeskySolve", call: func(k *kit) error {
			return linalg.CholeskySolve(k.s, lower, square(in[f](k, 16)), square(out[f](k, 16)))
		}},
		{name: "linalg.CholeskyBatch", call: func(k *kit) error {
			return linalg.CholeskyBatch(k.s, lower, batch(out[f](k, 48)), out[int32](k, 3))
		}},
		{name: "linalg.LU", call: func(k *kit) error { return linalg.LU(k.s, square(out[f](k, 16)), out[int32](k, 4), out[int32](k, 1)) }},
		{name: "linalg.LUSolve", call: func(k *kit) error {
			return linalg.LUSolve(k.s, square(in[f](k, 16)), in[int32](k, 4), square(out[f](k, 16)))
		}},
		{name: "linalg.LUBatch", call: func(k *kit) error {
			return linalg.LUBatch(k.s, batch(out[f](k, 48)), out[int32](k, 12), out[int32](k, 3))
		}},
		{name: "linalg.QR", call: func(k *kit) error { return linalg.QR(k.s, square(out[f](k, 16)), out[f](k, 4)) }},
		{name: "linalg.QRMultiply", call: func(k *kit) error {
			return linalg.QRMultiply(k.s, square(in[f](k, 16)), in[f](k, 4), true, square(out[f](k, 16)))
		}},
		{name: "linalg.LeastSquares", call: func(k *kit) error {
			return linalg.LeastSquares(k.s, square(out[f](k, 16)), out[f](k, 4), square(out[f](k, 16)))
		}},
		{name: "linalg.QRBatch", call: func(k *kit) error { return linalg.QRBatch(k.s, batch(out[f](k, 48)), out[f](k, 12)) }},
	}
}

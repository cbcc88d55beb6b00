package misusetest

import (
	"github.com/gpuc/gpuc/kernels/linalg"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// vector is four elements of a buffer.
func vector[T any](b *gpu.Buffer[T]) linalg.Vector[T] {
	return linalg.Vector[T]{Buffer: b, Len: 4, Stride: 1}
}

// square is four rows of four elements.
func square[T any](b *gpu.Buffer[T]) gpu.MatrixBuffer[T] { return rectangle(b, 4, 4) }

func rectangle[T any](b *gpu.Buffer[T], rows, cols int) gpu.MatrixBuffer[T] {
	return gpu.MatrixBuffer[T]{Buffer: b, MatrixLayout: gpu.MatrixLayout{Rows: rows, Cols: cols, RowStride: cols, ColStride: 1}}
}

// batch is three matrices.
func batch(b *gpu.Buffer[float32]) linalg.Batch[float32] {
	return linalg.Batch[float32]{MatrixBuffer: square(b), Count: 3, Stride: 16}
}

// sparse is a sparse matrix of four rows, as many columns, and six elements.
func sparse(starts, columns *gpu.Buffer[int32], values *gpu.Buffer[float32]) linalg.CSR[float32] {
	return linalg.CSR[float32]{Rows: 4, Cols: 4, Starts: starts, Columns: columns, Values: values}
}

func sparseIn(k *kit) linalg.CSR[float32] {
	return sparse(in[int32](k, 5), in[int32](k, 6), in[float32](k, 6))
}

func sparseOut(k *kit) linalg.CSR[float32] {
	return sparse(out[int32](k, 5), out[int32](k, 6), out[float32](k, 6))
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
		{name: "linalg.SVD", call: func(k *kit) error {
			return linalg.SVD(k.s, square(in[f](k, 16)), square(out[f](k, 16)), out[f](k, 4), square(out[f](k, 16)), out[int32](k, 1))
		}},
		{name: "linalg.SVDBatch", call: func(k *kit) error {
			return linalg.SVDBatch(k.s, batch(in[f](k, 48)), batch(out[f](k, 48)), out[f](k, 12), batch(out[f](k, 48)), out[int32](k, 3))
		}},
		{name: "linalg.SymmetricEigen", call: func(k *kit) error {
			return linalg.SymmetricEigen(k.s, lower, square(in[f](k, 16)), out[f](k, 4), square(out[f](k, 16)), out[int32](k, 1))
		}},
		{name: "linalg.SymmetricEigenBatch", call: func(k *kit) error {
			return linalg.SymmetricEigenBatch(k.s, lower, batch(in[f](k, 48)), out[f](k, 12), batch(out[f](k, 48)), out[int32](k, 3))
		}},
		{name: "linalg.Inverse", call: func(k *kit) error {
			return linalg.Inverse(k.s, square(in[f](k, 16)), square(out[f](k, 16)), out[int32](k, 1))
		}},
		{name: "linalg.PseudoInverse", call: func(k *kit) error {
			return linalg.PseudoInverse(k.s, square(in[f](k, 16)), 0, square(out[f](k, 16)), out[int32](k, 1))
		}},
		{name: "linalg.Lstsq", call: func(k *kit) error {
			return linalg.Lstsq(k.s, square(in[f](k, 16)), square(in[f](k, 16)), 0, square(out[f](k, 16)), out[int32](k, 1))
		}},
		{name: "linalg.Det", call: func(k *kit) error { return linalg.Det(k.s, square(in[f](k, 16)), out[f](k, 1)) }},
		{name: "linalg.Cond", call: func(k *kit) error { return linalg.Cond(k.s, square(in[f](k, 16)), out[f](k, 1)) }},
		{name: "linalg.QRBatch", call: func(k *kit) error { return linalg.QRBatch(k.s, batch(out[f](k, 48)), out[f](k, 12)) }},
		{name: "linalg.Gemm tf32", call: func(k *kit) error {
			return linalg.Gemm(k.s, 2, square(in[f](k, 16)), square(in[f](k, 16)), 3, square(out[f](k, 16)), linalg.TF32())
		}},
		{name: "linalg.Rotm", call: func(k *kit) error {
			return linalg.Rotm(k.s, vector(out[f](k, 4)), vector(out[f](k, 4)), linalg.ModifiedRotation[f]{{1, 2}, {3, 4}})
		}},
		{name: "linalg.GemmList", call: func(k *kit) error {
			return linalg.GemmList(k.s, 2, batch(in[f](k, 48)), batch(in[f](k, 48)), 3, batch(out[f](k, 48)), in[[3]int32](k, 2))
		}, lengths: []int{3}, optional: []int{3}},
		{name: "linalg.GemmList strict", call: func(k *kit) error {
			return linalg.GemmList(k.s, 2, batch(in[f](k, 48)), batch(in[f](k, 48)), 3, batch(out[f](k, 48)), in[[3]int32](k, 2), linalg.Strict())
		}, lengths: []int{3}, optional: []int{3}},
		{name: "linalg.MulVec", call: func(k *kit) error {
			return linalg.MulVec(k.s, 2, sparseIn(k), vector(in[f](k, 4)), 3, vector(out[f](k, 4)))
		}},
		{name: "linalg.MulMat", call: func(k *kit) error {
			return linalg.MulMat(k.s, 2, sparseIn(k), square(in[f](k, 16)), 3, square(out[f](k, 16)))
		}},
		{name: "linalg.TransposeCSR", call: func(k *kit) error { return linalg.TransposeCSR(k.s, sparseIn(k), sparseOut(k)) }},
		{name: "linalg.CSROf", call: func(k *kit) error { return linalg.CSROf(k.s, square(in[f](k, 16)), sparseOut(k)) }},
		{name: "linalg.DenseOf", call: func(k *kit) error { return linalg.DenseOf(k.s, sparseIn(k), square(out[f](k, 16))) }},
		{name: "linalg.CheckCSR", call: func(k *kit) error { return linalg.CheckCSR(k.s, sparseIn(k), out[int32](k, 1)) }},
	}
}

// complexRows are the rows of complex numbers.
func complexRows() []row {
	type c = complex64
	const lower, full, left = linalg.Lower, linalg.NonUnit, linalg.Left
	return []row{
		{name: "linalg.CAxpy", call: func(k *kit) error { return linalg.CAxpy(k.s, 2, vector(in[c](k, 4)), vector(out[c](k, 4))) }},
		{name: "linalg.CCopy", call: func(k *kit) error { return linalg.CCopy(k.s, vector(in[c](k, 4)), vector(out[c](k, 4))) }},
		{name: "linalg.CSwap", call: func(k *kit) error { return linalg.CSwap(k.s, vector(out[c](k, 4)), vector(out[c](k, 4))) }},
		{name: "linalg.CScal", call: func(k *kit) error { return linalg.CScal(k.s, 2, vector(out[c](k, 4))) }},
		{name: "linalg.CDotu", call: func(k *kit) error {
			return linalg.CDotu(k.s, vector(in[c](k, 4)), vector(in[c](k, 4)), out[c](k, 1))
		}},
		{name: "linalg.CDotc", call: func(k *kit) error {
			return linalg.CDotc(k.s, vector(in[c](k, 4)), vector(in[c](k, 4)), out[c](k, 1))
		}},
		{name: "linalg.CNrm2", call: func(k *kit) error { return linalg.CNrm2(k.s, vector(in[c](k, 4)), out[float32](k, 1)) }},
		{name: "linalg.CAsum", call: func(k *kit) error { return linalg.CAsum(k.s, vector(in[c](k, 4)), out[float32](k, 1)) }},
		{name: "linalg.CIamax", call: func(k *kit) error { return linalg.CIamax(k.s, vector(in[c](k, 4)), out[int32](k, 1)) }},
		{name: "linalg.CGemv", call: func(k *kit) error {
			return linalg.CGemv(k.s, 2, linalg.Plain(square(in[c](k, 16))), vector(in[c](k, 4)), 3, vector(out[c](k, 4)))
		}},
		{name: "linalg.CGeru", call: func(k *kit) error {
			return linalg.CGeru(k.s, 2, vector(in[c](k, 4)), vector(in[c](k, 4)), square(out[c](k, 16)))
		}},
		{name: "linalg.CGerc", call: func(k *kit) error {
			return linalg.CGerc(k.s, 2, vector(in[c](k, 4)), vector(in[c](k, 4)), square(out[c](k, 16)))
		}},
		{name: "linalg.CGemm", call: func(k *kit) error {
			return linalg.CGemm(k.s, 2, linalg.Plain(square(in[c](k, 16))), linalg.Adjoint(square(in[c](k, 16))), 3, square(out[c](k, 16)))
		}},
		{name: "linalg.CHerk", call: func(k *kit) error {
			return linalg.CHerk(k.s, lower, 2, linalg.Plain(square(in[c](k, 16))), 3, square(out[c](k, 16)))
		}},
		{name: "linalg.CSyrk", call: func(k *kit) error {
			return linalg.CSyrk(k.s, lower, 2, linalg.Plain(square(in[c](k, 16))), 3, square(out[c](k, 16)))
		}},
		{name: "linalg.CHer2k", call: func(k *kit) error {
			return linalg.CHer2k(k.s, lower, 2, linalg.Plain(square(in[c](k, 16))), linalg.Plain(square(in[c](k, 16))), 3, square(out[c](k, 16)))
		}},
		{name: "linalg.CSyr2k", call: func(k *kit) error {
			return linalg.CSyr2k(k.s, lower, 2, linalg.Plain(square(in[c](k, 16))), linalg.Plain(square(in[c](k, 16))), 3, square(out[c](k, 16)))
		}},
		{name: "linalg.CHemm", call: func(k *kit) error {
			return linalg.CHemm(k.s, left, lower, 2, square(in[c](k, 16)), square(in[c](k, 16)), 3, square(out[c](k, 16)))
		}},
		{name: "linalg.CSymm", call: func(k *kit) error {
			return linalg.CSymm(k.s, left, lower, 2, square(in[c](k, 16)), square(in[c](k, 16)), 3, square(out[c](k, 16)))
		}},
		{name: "linalg.CTrmm", call: func(k *kit) error {
			return linalg.CTrmm(k.s, left, lower, full, 2, linalg.Plain(square(in[c](k, 16))), square(out[c](k, 16)))
		}},
		{name: "linalg.CTrsm", call: func(k *kit) error {
			return linalg.CTrsm(k.s, left, lower, full, 2, linalg.Plain(square(in[c](k, 16))), square(out[c](k, 16)))
		}},
	}
}

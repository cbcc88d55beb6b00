// Package linalg computes with vectors and matrices on devices: the basic linear algebra
// subprograms (Lawson et al. 1979, Dongarra et al. 1988 and 1990), products in batches,
// factorisations, singular values and eigenvalues of symmetric matrices. There are also sparse
// matrices (CSR), and functions of complex numbers, whose names begin with a C.
//
//	c := gpu.MatrixOf(product, 2, 2)
//	err := linalg.Gemm(stream, 1, gpu.MatrixOf(x, 2, 3), gpu.MatrixOf(y, 3, 2), 0, c) // c = x·y
//
// A Matrix is a gpu.MatrixBuffer: elements of a buffer, with any strides between rows and columns.
// T makes the transpose and Sub a part without a copy, so that there are no options for those. A
// Vector is elements of a buffer at equal distances.
//
// Functions return once their work is enqueued on the stream, and allocate nothing when they are
// called again with the same sizes. They check their arguments before. What does not fit is a
// *gpu.ShapeError, and nothing is written then. An operand that is written has a buffer that no
// other operand has, otherwise the error is gpu.ErrAlias. Vectors and matrices may be empty, and
// what is empty needs no buffer. A vector and a dimension of a matrix have at most 2³⁰ elements,
// and positions in buffers are below 2³¹.
//
// Arithmetic is strict: results have the same bits on all devices, and the order of additions
// depends on sizes and strides alone. For sparse matrices it also depends on how long rows are.
// Products of real matrices, and decompositions of those with up to 64 rows and columns, are strict
// only with the option Strict.
package linalg

//go:generate go tool gpuc gen -math=strict .

package referencetest

import (
	"github.com/gpuc/gpuc/kernels/linalg"
	"github.com/gpuc/gpuc/runtime/gpu"
)

func arrayMatrices() map[string]operator {
	return map[string]operator{
		"gemm":     {"float32": stridedGemm[float32], "float64": stridedGemm[float64], "float16": stridedGemm[gpu.Float16]},
		"einsum":   {"float32": batched[float32], "float64": batched[float64]},
		"lu":       {"float32": lu[float32], "float64": lu[float64]},
		"cholesky": {"float32": cholesky[float32], "float64": cholesky[float64]},
		"qr":       {"float32": qr[float32], "float64": qr[float64]},
		"batches":  {"float32": batches[float32], "float64": batches[float64]},
		"gbmv":     {"float32": gbmv[float32], "float64": gbmv[float64]},
		"sbmv":     {"float32": sbmv[float32], "float64": sbmv[float64]},
		"tbmv":     {"float32": tbmv[float32], "float64": tbmv[float64]},
		"level1":   {"float32": level1[float32], "float64": level1[float64]},
		"level2":   {"float32": level2[float32], "float64": level2[float64]},
		"level3":   {"float32": level3[float32], "float64": level3[float64]},
	}
}

// matrix uploads an input as a matrix. Each call makes a buffer of its own.
func matrix[T linalg.Element](e *env, n *node, i int) gpu.MatrixBuffer[T] {
	x := n.Inputs[i]
	return gpu.MatrixOf(upload(e, elements[T](x)), x.Shape[0], x.Shape[1])
}

// vector uploads an input as a vector.
func vector[T linalg.Element](e *env, n *node, i int) linalg.Vector[T] {
	return linalg.VectorOf(upload(e, elements[T](n.Inputs[i])))
}

// part returns the elements of a matrix for which keep is true, and zeros for the others.
func part[T linalg.Real](e *env, m gpu.MatrixBuffer[T], keep func(i, j int) bool) []T {
	x := read(e, m.Buffer)
	for i := range m.Rows {
		for j := range m.Cols {
			if !keep(i, j) {
				x[m.Offset+i*m.RowStride+j*m.ColStride] = 0
			}
		}
	}
	return x
}

func lower(i, j int) bool { return i >= j }
func upper(i, j int) bool { return i <= j }

// strided returns an input as a matrix that an attribute describes.
func strided[T linalg.Element](e *env, n *node, i int, name string) gpu.MatrixBuffer[T] {
	l := n.list(name, nil)
	return gpu.MatrixBuffer[T]{
		Buffer:       upload(e, elements[T](n.Inputs[i])),
		MatrixLayout: gpu.MatrixLayout{Offset: l[0], Rows: l[1], Cols: l[2], RowStride: l[3], ColStride: l[4]},
	}
}

func stridedGemm[T linalg.Element](e *env, n *node) []any {
	a, b, c := strided[T](e, n, 0, "a"), strided[T](e, n, 1, "b"), strided[T](e, n, 2, "c")
	e.check(linalg.Gemm(e.s, n.number("alpha", 1), a, b, n.number("beta", 0), c, linalg.Strict()))
	dense := gpu.MatrixOf(zeros[T](e, c.Rows*c.Cols), c.Cols, c.Rows)
	e.check(linalg.Transpose(e.s, c, dense))
	return []any{permuted(read(e, dense.Buffer), []int{c.Cols, c.Rows}, []int{1, 0})}
}

func batched[T linalg.Element](e *env, n *node) []any {
	a, b := n.Inputs[0], n.Inputs[1]
	x := linalg.BatchOf(upload(e, elements[T](a)), a.Shape[0], a.Shape[1], a.Shape[2])
	y := linalg.BatchOf(upload(e, elements[T](b)), b.Shape[0], b.Shape[1], b.Shape[2])
	c := zeros[T](e, count(n.Outputs[0].Shape))
	e.check(linalg.GemmBatch(e.s, 1, x, y.T(), 0, linalg.BatchOf(c, a.Shape[0], a.Shape[1], b.Shape[1]), linalg.Strict()))
	return []any{read(e, c)}
}

// lu returns the factors, the pivots and a solution.
func lu[T linalg.Real](e *env, n *node) []any {
	a, b := matrix[T](e, n, 0), matrix[T](e, n, 1)
	pivots, info := zeros[int32](e, a.Rows), zeros[int32](e, 1)
	e.check(linalg.LU(e.s, a, pivots, info, linalg.Strict()))
	e.check(linalg.LUSolve(e.s, a, pivots, b, linalg.Strict()))
	return []any{read(e, a.Buffer), read(e, pivots), read(e, b.Buffer)}
}

// cholesky returns the lower factor and a solution.
func cholesky[T linalg.Real](e *env, n *node) []any {
	a, b, info := matrix[T](e, n, 0), matrix[T](e, n, 1), zeros[int32](e, 1)
	e.check(linalg.Cholesky(e.s, linalg.Lower, a, info, linalg.Strict()))
	e.check(linalg.CholeskySolve(e.s, linalg.Lower, a, b, linalg.Strict()))
	return []any{part(e, a, lower), read(e, b.Buffer)}
}

// qr returns the factors, and what has the least squares.
func qr[T linalg.Real](e *env, n *node) []any {
	a, b := matrix[T](e, n, 0), matrix[T](e, n, 1)
	tau, again := zeros[T](e, a.Cols), zeros[T](e, a.Cols)
	e.check(linalg.QR(e.s, a, tau, linalg.Strict()))
	e.check(linalg.LeastSquares(e.s, matrix[T](e, n, 0), again, b, linalg.Strict()))
	return []any{read(e, a.Buffer), read(e, tau), read(e, b.Buffer)[:a.Cols*b.Cols]}
}

// batches has the factors of small matrices: with pivots, of positive ones, and by reflections.
func batches[T linalg.Real](e *env, n *node) []any {
	shape := n.Inputs[0].Shape
	of := func(i int) linalg.Batch[T] {
		return linalg.BatchOf(upload(e, elements[T](n.Inputs[i])), shape[0], shape[1], shape[2])
	}
	a, s, q := of(0), of(1), of(0)
	pivots, info, tau := zeros[int32](e, shape[0]*shape[1]), zeros[int32](e, shape[0]), zeros[T](e, shape[0]*shape[1])
	e.check(linalg.LUBatch(e.s, a, pivots, info))
	e.check(linalg.CholeskyBatch(e.s, linalg.Lower, s, info))
	e.check(linalg.QRBatch(e.s, q, tau))
	factors := read(e, s.Buffer)
	for i := range factors {
		if row, col := i/shape[2]%shape[1], i%shape[2]; col > row {
			factors[i] = 0
		}
	}
	return []any{read(e, a.Buffer), read(e, pivots), factors, read(e, q.Buffer), read(e, tau)}
}

func gbmv[T linalg.Real](e *env, n *node) []any {
	y, x := vector[T](e, n, 2), vector[T](e, n, 1)
	a := linalg.BandOf(matrix[T](e, n, 0), x.Len, int(n.number("below", 0)), int(n.number("above", 0)))
	e.check(linalg.Gbmv(e.s, 0.5, a, x, -1, y))
	return []any{read(e, y.Buffer)}
}

func sbmv[T linalg.Real](e *env, n *node) []any {
	y, x := vector[T](e, n, 2), vector[T](e, n, 1)
	e.check(linalg.Sbmv(e.s, 0.5, linalg.BandOf(matrix[T](e, n, 0), x.Len, int(n.number("below", 0)), 0), x, -1, y))
	return []any{read(e, y.Buffer)}
}

// tbmv multiplies by a triangle, and solves.
func tbmv[T linalg.Real](e *env, n *node) []any {
	x, y := vector[T](e, n, 1), vector[T](e, n, 1)
	a := linalg.BandOf(matrix[T](e, n, 0), x.Len, int(n.number("below", 0)), 0)
	e.check(linalg.Tbmv(e.s, linalg.NonUnit, a, x))
	e.check(linalg.Tbsv(e.s, linalg.NonUnit, a, y))
	return []any{read(e, x.Buffer), read(e, y.Buffer)}
}

// level1 has the functions of vectors. The third input is so large that its squares are infinite.
func level1[T linalg.Real](e *env, n *node) []any {
	x, y, large := vector[T](e, n, 0), vector[T](e, n, 1), vector[T](e, n, 2)
	dot, sum, norm, at := zeros[T](e, 1), zeros[T](e, 1), zeros[T](e, 1), zeros[int32](e, 1)
	e.check(linalg.Dot(e.s, x, y, dot))
	e.check(linalg.Asum(e.s, x, sum))
	e.check(linalg.Nrm2(e.s, large, norm))
	e.check(linalg.Iamax(e.s, x, at))
	total := vector[T](e, n, 1)
	e.check(linalg.Axpy(e.s, 0.5, x, total))
	e.check(linalg.Rot(e.s, x, y, 0.6, 0.8))
	return []any{read(e, dot), read(e, sum), read(e, norm), read(e, total.Buffer), read(e, x.Buffer), read(e, y.Buffer), read(e, at)}
}

// level2 has the functions of a square matrix and vectors.
func level2[T linalg.Real](e *env, n *node) []any {
	a, x, y := matrix[T](e, n, 0), vector[T](e, n, 1), vector[T](e, n, 2)
	symmetric, product, solution := vector[T](e, n, 2), vector[T](e, n, 1), vector[T](e, n, 1)
	e.check(linalg.Symv(e.s, linalg.Lower, 0.5, a, x, -1, symmetric))
	e.check(linalg.Trmv(e.s, linalg.Upper, linalg.NonUnit, a, product))
	e.check(linalg.Trsv(e.s, linalg.Lower, linalg.NonUnit, a, solution))
	ger, syr, syr2 := matrix[T](e, n, 0), matrix[T](e, n, 0), matrix[T](e, n, 0)
	e.check(linalg.Ger(e.s, 0.5, x, y, ger))
	e.check(linalg.Syr(e.s, linalg.Lower, 0.5, x, syr))
	e.check(linalg.Syr2(e.s, linalg.Upper, 0.5, x, y, syr2))
	return []any{read(e, symmetric.Buffer), read(e, product.Buffer), read(e, solution.Buffer), read(e, ger.Buffer), part(e, syr, lower), part(e, syr2, upper)}
}

// level3 has the functions of a matrix of which a triangle is read or written.
func level3[T linalg.Real](e *env, n *node) []any {
	a, b, b2 := matrix[T](e, n, 0), matrix[T](e, n, 1), matrix[T](e, n, 3)
	symmetric := gpu.MatrixOf(zeros[T](e, b.Rows*b.Cols), b.Rows, b.Cols)
	product, solution := matrix[T](e, n, 1), matrix[T](e, n, 1)
	e.check(linalg.Symm(e.s, linalg.Left, linalg.Lower, 0.5, a, b, 0, symmetric, linalg.Strict()))
	e.check(linalg.Trmm(e.s, linalg.Left, linalg.Lower, linalg.NonUnit, 0.5, a, product, linalg.Strict()))
	e.check(linalg.Trsm(e.s, linalg.Left, linalg.Upper, linalg.NonUnit, 0.5, a, solution, linalg.Strict()))
	syrk, syr2k := matrix[T](e, n, 2), matrix[T](e, n, 2)
	e.check(linalg.Syrk(e.s, linalg.Lower, 0.5, b, -1, syrk, linalg.Strict()))
	e.check(linalg.Syr2k(e.s, linalg.Upper, 0.5, b, b2, -1, syr2k, linalg.Strict()))
	return []any{read(e, symmetric.Buffer), read(e, product.Buffer), read(e, solution.Buffer), part(e, syrk, lower), part(e, syr2k, upper)}
}

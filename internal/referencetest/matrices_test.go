package referencetest

import (
	"testing"

	"github.com/gpuc/gpuc/kernels/linalg"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// TestMatrices runs what SciPy has computed of complex vectors and matrices, and of sparse ones.
func TestMatrices(t *testing.T) {
	suite{
		file:       "testdata/matrices.json.gz",
		executed:   38,
		operators:  []map[string]operator{complexMatrices(), sparseMatrices()},
		tolerances: map[string]float64{"float32": 5e-7, "float64": 1e-15},
		factors:    map[string]float64{"complex_triangles": 2},
	}.run(t)
}

func complexMatrices() map[string]operator {
	return map[string]operator{
		"complex_level1":    {"float32": complexLevel1[complex64, float32], "float64": complexLevel1[complex128, float64]},
		"complex_gemm":      {"float32": complexGemm[complex64], "float64": complexGemm[complex128]},
		"complex_triangles": {"float32": complexTriangles[complex64], "float64": complexTriangles[complex128]},
	}
}

func sparseMatrices() map[string]operator {
	return map[string]operator{"sparse": {"float32": sparse[float32], "float64": sparse[float64]}}
}

// complexMatrix uploads an input, whose last axis are the parts of numbers, as a matrix.
func complexMatrix[C linalg.Complex](e *env, n *node, i int) gpu.MatrixBuffer[C] {
	x := n.Inputs[i]
	shape := x.Shape[:len(x.Shape)-1]
	b := upload(e, elements[C](&tensor{x.Type, shape, x.Data}))
	return gpu.MatrixOf(b, count(shape)/shape[len(shape)-1], shape[len(shape)-1])
}

func complexVector[C linalg.Complex](e *env, n *node, i int) linalg.Vector[C] {
	return linalg.VectorOf(complexMatrix[C](e, n, i).Buffer)
}

func complexLevel1[C linalg.Complex, T linalg.Real](e *env, n *node) []any {
	x, y := complexVector[C](e, n, 0), complexVector[C](e, n, 1)
	dotu, dotc, norm, sum, at := zeros[C](e, 1), zeros[C](e, 1), zeros[T](e, 1), zeros[T](e, 1), zeros[int32](e, 1)
	e.check(linalg.CDotu(e.s, x, y, dotu))
	e.check(linalg.CDotc(e.s, x, y, dotc))
	e.check(linalg.CNrm2(e.s, x, norm))
	e.check(linalg.CAsum(e.s, x, sum))
	e.check(linalg.CIamax(e.s, x, at))
	e.check(linalg.CAxpy(e.s, C(alpha), x, y))
	e.check(linalg.CScal(e.s, C(alpha), x))
	return []any{append(read(e, dotu), read(e, dotc)...), read(e, y.Buffer), read(e, x.Buffer), append(read(e, norm), read(e, sum)...), read(e, at)}
}

// alpha and beta are those of the program in testdata.
const alpha, beta = 0.5 - 0.25i, -1 + 2i

func complexGemm[C linalg.Complex](e *env, n *node) []any {
	a, b, c := linalg.Plain(complexMatrix[C](e, n, 0)), complexMatrix[C](e, n, 1), complexMatrix[C](e, n, 2)
	u, v, w := complexVector[C](e, n, 3), complexVector[C](e, n, 4), complexVector[C](e, n, 5)
	geru, gerc := complexMatrix[C](e, n, 2), complexMatrix[C](e, n, 2)
	e.check(linalg.CGeru(e.s, C(alpha), u, v, geru))
	e.check(linalg.CGerc(e.s, C(alpha), u, v, gerc))
	e.check(linalg.CGemm(e.s, C(alpha), a, linalg.Adjoint(b), C(beta), c))
	plain, adjoint := complexVector[C](e, n, 3), complexVector[C](e, n, 5)
	e.check(linalg.CGemv(e.s, C(alpha), a, w, C(beta), plain))
	e.check(linalg.CGemv(e.s, C(alpha), linalg.Adjoint(a.MatrixBuffer), u, C(beta), adjoint))
	return []any{read(e, c.Buffer), read(e, plain.Buffer), read(e, adjoint.Buffer), read(e, geru.Buffer), read(e, gerc.Buffer)}
}

// complexPart returns the elements of a square matrix for which keep is true, and zeros for others.
func complexPart[C linalg.Complex](e *env, m gpu.MatrixBuffer[C], keep func(i, j int) bool) []C {
	x := read(e, m.Buffer)
	for k := range x {
		if !keep(k/m.Cols, k%m.Cols) {
			x[k] = 0
		}
	}
	return x
}

func complexTriangles[C linalg.Complex](e *env, n *node) []any {
	a, b, b2 := complexMatrix[C](e, n, 0), complexMatrix[C](e, n, 1), complexMatrix[C](e, n, 2)
	plain, adjoint := linalg.Plain(a), linalg.Adjoint(a)
	const left, full = linalg.Left, linalg.NonUnit
	triangle := func(keep func(i, j int) bool, f func(u linalg.Uplo, c gpu.MatrixBuffer[C]) error) any {
		c, u := complexMatrix[C](e, n, 0), linalg.Lower
		if !keep(1, 0) {
			u = linalg.Upper
		}
		e.check(f(u, c))
		return complexPart(e, c, keep)
	}
	changed := func(i int, f func(c gpu.MatrixBuffer[C]) error) any {
		c := complexMatrix[C](e, n, i)
		e.check(f(c))
		return read(e, c.Buffer)
	}
	type m = gpu.MatrixBuffer[C]
	return []any{
		triangle(lower, func(u linalg.Uplo, c m) error { return linalg.CHerk(e.s, u, 0.5, linalg.Plain(b), -1, c) }),
		triangle(upper, func(u linalg.Uplo, c m) error {
			return linalg.CHer2k(e.s, u, C(alpha), linalg.Plain(b), linalg.Plain(b2), -1, c)
		}),
		triangle(upper, func(u linalg.Uplo, c m) error { return linalg.CSyrk(e.s, u, C(alpha), linalg.Plain(b), C(beta), c) }),
		triangle(lower, func(u linalg.Uplo, c m) error {
			return linalg.CSyr2k(e.s, u, C(alpha), linalg.Plain(b), linalg.Plain(b2), C(beta), c)
		}),
		changed(2, func(c m) error { return linalg.CHemm(e.s, left, linalg.Lower, C(alpha), a, b, C(beta), c) }),
		changed(2, func(c m) error { return linalg.CSymm(e.s, left, linalg.Upper, C(alpha), a, b, C(beta), c) }),
		changed(1, func(c m) error { return linalg.CTrmm(e.s, left, linalg.Lower, full, C(alpha), plain, c) }),
		changed(1, func(c m) error { return linalg.CTrmm(e.s, left, linalg.Upper, full, C(alpha), adjoint, c) }),
		changed(1, func(c m) error { return linalg.CTrsm(e.s, left, linalg.Upper, full, C(alpha), plain, c) }),
		changed(1, func(c m) error { return linalg.CTrsm(e.s, left, linalg.Upper, full, C(alpha), adjoint, c) }),
	}
}

// sparse multiplies, and makes the transpose and the dense matrix, of which the sparse one is made
// again.
func sparse[T linalg.Real](e *env, n *node) []any {
	values, starts, columns := elements[T](n.Inputs[0]), elements[int32](n.Inputs[1]), elements[int32](n.Inputs[2])
	x, y, b, c := vector[T](e, n, 3), vector[T](e, n, 4), matrix[T](e, n, 5), matrix[T](e, n, 6)
	rows, cols := y.Len, x.Len
	a := linalg.CSR[T]{Rows: rows, Cols: cols, Starts: upload(e, starts), Columns: upload(e, columns), Values: upload(e, values)}
	info := upload(e, []int32{99})
	e.check(linalg.CheckCSR(e.s, a, info))
	if got := read(e, info)[0]; got != 0 {
		e.Errorf("row %d is wrong", got)
	}
	e.check(linalg.MulVec(e.s, 0.5, a, x, -1, y))
	e.check(linalg.MulMat(e.s, 0.5, a, b, -1, c))
	like := func(rows, cols int) linalg.CSR[T] {
		return linalg.CSR[T]{Rows: rows, Cols: cols, Starts: zeros[int32](e, rows+1), Columns: zeros[int32](e, len(values)), Values: zeros[T](e, len(values))}
	}
	transposed, again := like(cols, rows), like(rows, cols)
	e.check(linalg.TransposeCSR(e.s, a, transposed))
	dense := gpu.MatrixOf(zeros[T](e, rows*cols), rows, cols)
	e.check(linalg.DenseOf(e.s, a, dense))
	e.check(linalg.CSROf(e.s, dense, again))
	if got := read(e, again.Starts); got[rows] > int32(len(values)) {
		e.Errorf("the dense matrix has %d elements, and the sparse one %d", got[rows], len(values))
	}
	return []any{read(e, y.Buffer), read(e, c.Buffer), read(e, transposed.Starts), read(e, transposed.Columns), read(e, transposed.Values), read(e, dense.Buffer)}
}

package linalg

import (
	"context"
	"errors"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/internal/drivertest"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// arguments are what the calls of tests are made of.
type arguments struct {
	s       *gpu.Stream
	x, y    Vector[float64]
	a, b, c gpu.MatrixBuffer[float64]
	p, q, r Batch[float64]
	band    Band[float64]
	result  *gpu.Buffer[float64]
	index   *gpu.Buffer[int32]
	pivots  *gpu.Buffer[int32]
	tau     *gpu.Buffer[float64]
	rcond   float64
	list    *gpu.Buffer[[3]int32]
	sparse  [2]CSR[float64]
	// twins are buffers of complex numbers for the functions of these, by those of float64.
	twins map[*gpu.Buffer[float64]]*gpu.Buffer[complex128]
	uplo  Uplo
	diag  Diag
	side  Side
}

// complexVector returns a vector with the twin of its buffer.
func (v arguments) complexVector(x Vector[float64]) Vector[complex128] {
	return Vector[complex128]{v.twins[x.Buffer], x.Offset, x.Len, x.Stride}
}

// complexMatrix returns a matrix with the twin of its buffer.
func (v arguments) complexMatrix(m gpu.MatrixBuffer[float64]) gpu.MatrixBuffer[complex128] {
	return gpu.MatrixBuffer[complex128]{Buffer: v.twins[m.Buffer], MatrixLayout: m.MatrixLayout}
}

func (v arguments) plain(m gpu.MatrixBuffer[float64]) Operand[complex128] {
	return Plain(v.complexMatrix(m))
}

// calls has each function once.
var calls = map[string]func(v arguments) error{
	"Axpy":         func(v arguments) error { return Axpy(v.s, 2, v.x, v.y) },
	"Copy":         func(v arguments) error { return Copy(v.s, v.x, v.y) },
	"Swap":         func(v arguments) error { return Swap(v.s, v.x, v.y) },
	"Rot":          func(v arguments) error { return Rot(v.s, v.x, v.y, 0.5, 0.25) },
	"Rotm":         func(v arguments) error { return Rotm(v.s, v.x, v.y, ModifiedRotation[float64]{{1, 2}, {3, 4}}) },
	"Scal":         func(v arguments) error { return Scal(v.s, 2, v.x) },
	"Dot":          func(v arguments) error { return Dot(v.s, v.x, v.y, v.result) },
	"Asum":         func(v arguments) error { return Asum(v.s, v.x, v.result) },
	"Nrm2":         func(v arguments) error { return Nrm2(v.s, v.x, v.result) },
	"Iamax":        func(v arguments) error { return Iamax(v.s, v.x, v.index) },
	"Gemv":         func(v arguments) error { return Gemv(v.s, 2, v.a, v.x, 3, v.y) },
	"Symv":         func(v arguments) error { return Symv(v.s, v.uplo, 2, v.a, v.x, 3, v.y) },
	"Ger":          func(v arguments) error { return Ger(v.s, 2, v.x, v.y, v.a) },
	"Syr":          func(v arguments) error { return Syr(v.s, v.uplo, 2, v.x, v.a) },
	"Syr2":         func(v arguments) error { return Syr2(v.s, v.uplo, 2, v.x, v.y, v.a) },
	"Trmv":         func(v arguments) error { return Trmv(v.s, v.uplo, v.diag, v.a, v.x) },
	"Trsv":         func(v arguments) error { return Trsv(v.s, v.uplo, v.diag, v.a, v.x) },
	"Gbmv":         func(v arguments) error { return Gbmv(v.s, 2, v.band, v.x, 3, v.y) },
	"Sbmv":         func(v arguments) error { return Sbmv(v.s, 2, v.band, v.x, 3, v.y) },
	"Tbmv":         func(v arguments) error { return Tbmv(v.s, v.diag, v.band, v.x) },
	"Tbsv":         func(v arguments) error { return Tbsv(v.s, v.diag, v.band, v.x) },
	"Gemm":         func(v arguments) error { return Gemm(v.s, 2, v.a, v.b, 3, v.c) },
	"GemmBatch":    func(v arguments) error { return GemmBatch(v.s, 2, v.p, v.q, 3, v.r) },
	"GemmList":     func(v arguments) error { return GemmList(v.s, 2, v.p, v.q, 3, v.r, v.list) },
	"MulVec":       func(v arguments) error { return MulVec(v.s, 2, v.sparse[0], v.x, 3, v.y) },
	"MulMat":       func(v arguments) error { return MulMat(v.s, 2, v.sparse[0], v.b, 3, v.c) },
	"DenseOf":      func(v arguments) error { return DenseOf(v.s, v.sparse[0], v.c) },
	"CSROf":        func(v arguments) error { return CSROf(v.s, v.c, v.sparse[1]) },
	"CheckCSR":     func(v arguments) error { return CheckCSR(v.s, v.sparse[0], v.index) },
	"TransposeCSR": func(v arguments) error { return TransposeCSR(v.s, v.sparse[0], v.sparse[1]) },
	"Transpose":    func(v arguments) error { return Transpose(v.s, v.a, v.b) },
	"Symm":         func(v arguments) error { return Symm(v.s, v.side, v.uplo, 2, v.a, v.b, 3, v.c) },
	"Syrk":         func(v arguments) error { return Syrk(v.s, v.uplo, 2, v.a, 3, v.c) },
	"Syr2k":        func(v arguments) error { return Syr2k(v.s, v.uplo, 2, v.a, v.b, 3, v.c) },
	"Trmm":         func(v arguments) error { return Trmm(v.s, v.side, v.uplo, v.diag, 2, v.a, v.b) },
	"Trsm":         func(v arguments) error { return Trsm(v.s, v.side, v.uplo, v.diag, 2, v.a, v.b) },
}

// complexCalls has each function of complex numbers once.
var complexCalls = map[string]func(v arguments) error{
	"CAxpy": func(v arguments) error { return CAxpy(v.s, 2, v.complexVector(v.x), v.complexVector(v.y)) },
	"CCopy": func(v arguments) error { return CCopy(v.s, v.complexVector(v.x), v.complexVector(v.y)) },
	"CSwap": func(v arguments) error { return CSwap(v.s, v.complexVector(v.x), v.complexVector(v.y)) },
	"CScal": func(v arguments) error { return CScal(v.s, 2, v.complexVector(v.x)) },
	"CDotu": func(v arguments) error {
		return CDotu(v.s, v.complexVector(v.x), v.complexVector(v.y), v.twins[v.result])
	},
	"CDotc": func(v arguments) error {
		return CDotc(v.s, v.complexVector(v.x), v.complexVector(v.y), v.twins[v.result])
	},
	"CNrm2":  func(v arguments) error { return CNrm2(v.s, v.complexVector(v.x), v.result) },
	"CAsum":  func(v arguments) error { return CAsum(v.s, v.complexVector(v.x), v.result) },
	"CIamax": func(v arguments) error { return CIamax(v.s, v.complexVector(v.x), v.index) },
	"CGemv": func(v arguments) error {
		return CGemv(v.s, 2, v.plain(v.a), v.complexVector(v.x), 3, v.complexVector(v.y))
	},
	"CGeru": func(v arguments) error {
		return CGeru(v.s, 2, v.complexVector(v.x), v.complexVector(v.y), v.complexMatrix(v.a))
	},
	"CGerc": func(v arguments) error {
		return CGerc(v.s, 2, v.complexVector(v.x), v.complexVector(v.y), v.complexMatrix(v.a))
	},
	"CGemm": func(v arguments) error { return CGemm(v.s, 2, v.plain(v.a), v.plain(v.b), 3, v.complexMatrix(v.c)) },
	"CHerk": func(v arguments) error { return CHerk(v.s, v.uplo, 2, v.plain(v.a), 3, v.complexMatrix(v.c)) },
	"CSyrk": func(v arguments) error { return CSyrk(v.s, v.uplo, 2, v.plain(v.a), 3, v.complexMatrix(v.c)) },
	"CHer2k": func(v arguments) error {
		return CHer2k(v.s, v.uplo, 2, v.plain(v.a), v.plain(v.b), 3, v.complexMatrix(v.c))
	},
	"CSyr2k": func(v arguments) error {
		return CSyr2k(v.s, v.uplo, 2, v.plain(v.a), v.plain(v.b), 3, v.complexMatrix(v.c))
	},
	"CHemm": func(v arguments) error {
		return CHemm(v.s, v.side, v.uplo, 2, v.complexMatrix(v.a), v.complexMatrix(v.b), 3, v.complexMatrix(v.c))
	},
	"CSymm": func(v arguments) error {
		return CSymm(v.s, v.side, v.uplo, 2, v.complexMatrix(v.a), v.complexMatrix(v.b), 3, v.complexMatrix(v.c))
	},
	"CTrmm": func(v arguments) error {
		return CTrmm(v.s, v.side, v.uplo, v.diag, 2, v.plain(v.a), v.complexMatrix(v.b))
	},
	"CTrsm": func(v arguments) error {
		return CTrsm(v.s, v.side, v.uplo, v.diag, 2, v.plain(v.a), v.complexMatrix(v.b))
	},
}

// factorisations are calls of functions that replace a.
var factorisations = map[string]func(v arguments) error{
	"Cholesky":      func(v arguments) error { return Cholesky(v.s, v.uplo, v.a, v.index) },
	"CholeskySolve": func(v arguments) error { return CholeskySolve(v.s, v.uplo, v.a, v.b) },
	"CholeskyBatch": func(v arguments) error { return CholeskyBatch(v.s, v.uplo, v.p, v.index) },
	"LU":            func(v arguments) error { return LU(v.s, v.a, v.pivots, v.index) },
	"LUSolve":       func(v arguments) error { return LUSolve(v.s, v.a, v.pivots, v.b) },
	"LUBatch":       func(v arguments) error { return LUBatch(v.s, v.p, v.pivots, v.index) },
	"QR":            func(v arguments) error { return QR(v.s, v.a, v.tau) },
	"QRMultiply":    func(v arguments) error { return QRMultiply(v.s, v.a, v.tau, true, v.b) },
	"LeastSquares":  func(v arguments) error { return LeastSquares(v.s, v.a, v.tau, v.b) },
	"QRBatch":       func(v arguments) error { return QRBatch(v.s, v.p, v.tau) },
}

func init() {
	maps.Copy(calls, factorisations)
	maps.Copy(calls, complexCalls)
	maps.Copy(calls, decomposing)
}

// withA are the functions whose first matrix is a.
const withA = "Gemv Symv Ger Syr Syr2 Trmv Trsv Gemm Transpose Symm Syrk Syr2k Trmm Trsm Cholesky CholeskySolve LU LUSolve QR LeastSquares " +
	"CGemv CGeru CGerc CGemm CHerk CSyrk CHer2k CSyr2k CHemm CSymm CTrmm CTrsm"

// held is a buffer of arguments.
type held struct {
	read  func(s *gpu.Stream) any
	close func() error
}

func hold[T any](t testing.TB, b *gpu.Buffer[T]) held {
	return held{func(s *gpu.Stream) any { return read(&source{t: t, s: s}, b) }, b.Close}
}

// newArguments returns arguments of four rows and columns, which all functions take.
func newArguments(t testing.TB, s *gpu.Stream) (v arguments, buffers []held) {
	t.Helper()
	make16 := func(n int) *gpu.Buffer[float64] {
		host := make([]float64, n)
		for i := range host {
			host[i] = float64(i%5) + 1
		}
		b := must[*gpu.Buffer[float64]](t)(gpu.Upload(context.Background(), s.Device(), host))
		buffers = append(buffers, hold(t, b))
		return b
	}
	square := func() gpu.MatrixBuffer[float64] { return gpu.MatrixOf(make16(16), 4, 4) }
	several := func() Batch[float64] { return BatchOf(make16(12), 3, 2, 2) }
	v = arguments{s: s, x: VectorOf(make16(4)), y: VectorOf(make16(4)), a: square(), b: square(), c: square(), p: several(), q: several(), r: several(),
		band: BandOf(gpu.MatrixOf(make16(8), 4, 2), 4, 1, 0), result: make16(1), tau: make16(6), rcond: -1}
	v.index = must[*gpu.Buffer[int32]](t)(gpu.Alloc[int32](s, 3))
	v.pivots = must[*gpu.Buffer[int32]](t)(gpu.Alloc[int32](s, 6))
	v.list = must[*gpu.Buffer[[3]int32]](t)(gpu.Upload(context.Background(), s.Device(), [][3]int32{{0, 1, 2}}))
	v.twins = map[*gpu.Buffer[float64]]*gpu.Buffer[complex128]{}
	for _, b := range []*gpu.Buffer[float64]{v.x.Buffer, v.y.Buffer, v.a.Buffer, v.b.Buffer, v.c.Buffer, v.result} {
		host := make([]complex128, b.Len())
		for i := range host {
			host[i] = complex(float64(i%5)+1, float64(i%3))
		}
		v.twins[b] = must[*gpu.Buffer[complex128]](t)(gpu.Upload(context.Background(), s.Device(), host))
		buffers = append(buffers, hold(t, v.twins[b]))
	}
	for k := range v.sparse {
		starts, err1 := gpu.Upload(context.Background(), s.Device(), []int32{0, 1, 1, 3, 4})
		columns, err2 := gpu.Upload(context.Background(), s.Device(), []int32{2, 0, 1, 3})
		check(t, errors.Join(err1, err2))
		v.sparse[k] = CSR[float64]{4, 4, starts, columns, make16(4)}
		buffers = append(buffers, hold(t, starts), hold(t, columns))
	}
	buffers = append(buffers, hold(t, v.index), hold(t, v.pivots), hold(t, v.list))
	return v, buffers
}

// TestRefuses: wrong arguments are errors that say what is wrong, and change nothing.
func TestRefuses(t *testing.T) {
	s := onCPU(t)
	closed := streamOf(t, s.Device())
	check(t, closed.Close())
	gone := must[*gpu.Buffer[float64]](t)(gpu.Alloc[float64](s, 16))
	goneTwin := must[*gpu.Buffer[complex128]](t)(gpu.Alloc[complex128](s, 16))
	check(t, errors.Join(gone.Close(), goneTwin.Close()))
	var goneStarts [2]*gpu.Buffer[int32]
	var goneValues [2]*gpu.Buffer[float64]
	for k := range goneStarts {
		goneStarts[k], goneValues[k] = must[*gpu.Buffer[int32]](t)(gpu.Alloc[int32](s, 5)), must[*gpu.Buffer[float64]](t)(gpu.Alloc[float64](s, 4))
		check(t, errors.Join(goneStarts[k].Close(), goneValues[k].Close()))
	}
	columns16 := must[*gpu.Buffer[int32]](t)(gpu.Alloc[int32](s, 16))
	goneList := must[*gpu.Buffer[[3]int32]](t)(gpu.Alloc[[3]int32](s, 1))
	check(t, goneList.Close())
	const vectors = "Axpy Copy Swap Rot Rotm Scal Dot Asum Nrm2 Iamax Gemv Symv Ger Syr Syr2 Trmv Trsv Gbmv Sbmv Tbmv Tbsv MulVec " +
		"CAxpy CCopy CSwap CScal CDotu CDotc CNrm2 CAsum CIamax CGemv CGeru CGerc"
	const sparseFunctions = "MulVec MulMat DenseOf CSROf CheckCSR TransposeCSR"
	for _, test := range []struct {
		what      string
		functions string // or all
		change    func(v *arguments)
		want      error
		says      string
	}{
		{"sparse: too few starts", sparseFunctions, func(v *arguments) { v.sparse[0].Rows, v.sparse[1].Rows = 5, 5 }, gpu.ErrShape, "got 5 for 5 rows"},
		{"sparse: no starts", sparseFunctions, func(v *arguments) { v.sparse[0].Starts, v.sparse[1].Starts = nil, nil }, gpu.ErrShape, "got 0 for 4 rows"},
		{"sparse: fewer columns than values", sparseFunctions, func(v *arguments) { v.sparse[0].Columns, v.sparse[1].Columns = nil, nil }, gpu.ErrShape, "got 0, want 4 columns"},
		{"sparse: a negative size", sparseFunctions, func(v *arguments) { v.sparse[0].Rows, v.sparse[1].Rows = -1, -1 }, gpu.ErrShape, "got -1"},
		{"sparse: a huge size", sparseFunctions, func(v *arguments) { v.sparse[0].Cols, v.sparse[1].Cols = 1<<40, 1<<40 }, gpu.ErrShape, "got 1099511627776"},
		{"sparse: other sizes", "MulVec MulMat DenseOf CSROf TransposeCSR", func(v *arguments) { v.sparse[0].Cols, v.sparse[1].Cols = 3, 3 }, gpu.ErrShape, "want"},
		{"sparse: its own transpose", "TransposeCSR", func(v *arguments) { v.sparse[1] = v.sparse[0] }, gpu.ErrAlias, ""},
		{"sparse: the values are the result", "MulVec", func(v *arguments) { v.y.Buffer = v.sparse[0].Values }, gpu.ErrAlias, ""},
		{"sparse: the values are the matrix", "MulMat DenseOf", func(v *arguments) { v.sparse[0].Columns, v.sparse[0].Values = columns16, v.c.Buffer }, gpu.ErrAlias, ""},
		{"sparse: starts are columns", "CSROf", func(v *arguments) { v.sparse[1].Starts = v.sparse[1].Columns; v.sparse[1].Rows, v.c.Rows = 3, 3 }, gpu.ErrAlias, ""},
		{"sparse: info is a part", "CheckCSR", func(v *arguments) { v.index = v.sparse[0].Starts }, gpu.ErrAlias, ""},
		{"sparse: rows of the result that overlap", "DenseOf", func(v *arguments) { v.c.RowStride = 0 }, gpu.ErrShape, "b: got strides 0 and 1"},
		{"sparse: no info", "CheckCSR", func(v *arguments) { v.index = nil }, gpu.ErrShape, "info: "},
		{"sparse: closed starts", sparseFunctions, func(v *arguments) { v.sparse[0].Starts, v.sparse[1].Starts = goneStarts[0], goneStarts[1] }, gpu.ErrClosed, ""},
		{"sparse: closed values", sparseFunctions, func(v *arguments) { v.sparse[0].Values, v.sparse[1].Values = goneValues[0], goneValues[1] }, gpu.ErrClosed, ""},
		{"a list of closed memory", "GemmList", func(v *arguments) { v.list = goneList }, gpu.ErrClosed, ""},
		{"a list: more matrices than there are", "GemmList", func(v *arguments) { v.q.Count = 4 }, gpu.ErrShape, "b: got 12 to 15"},
		{"a list: negative matrices", "GemmList", func(v *arguments) { v.r.Count = -1 }, gpu.ErrShape, "c: got -1"},
		{"a list: rows that overlap", "GemmList", func(v *arguments) { v.r.RowStride = 1 }, gpu.ErrShape, "c: got strides 1 and 1"},
		{"a list: other sizes", "GemmList GemmBatch", func(v *arguments) { v.q.Rows = 1 }, gpu.ErrShape, "b: got 1, want 2 rows"},
		{"a list: the result is an operand", "GemmList", func(v *arguments) { v.r = v.p }, gpu.ErrAlias, ""},
		{"no stream", "", func(v *arguments) { v.s = nil }, gpu.ErrClosed, ""},
		{"a closed stream", "", func(v *arguments) { v.s = closed }, gpu.ErrClosed, ""},
		{"a vector that is too long", vectors, func(v *arguments) { v.x.Len = 5 }, gpu.ErrShape, "x: "},
		{"a negative length", vectors, func(v *arguments) { v.x.Len = -1 }, gpu.ErrShape, "x: got -1"},
		{"a huge vector", vectors, func(v *arguments) { v.x.Len = 1 << 40 }, gpu.ErrShape, "x: got 1099511627776"},
		{"a negative position", vectors, func(v *arguments) { v.x.Stride = -1 }, gpu.ErrShape, "x: got -3 to 0"},
		{"a huge stride", vectors, func(v *arguments) { v.x.Stride = 1 << 62 }, gpu.ErrShape, "stride 4611686018427387904"},
		{"a huge offset", vectors, func(v *arguments) { v.x.Offset = -1 << 63 }, gpu.ErrShape, "offset -9223372036854775808"},
		{"no buffer", vectors, func(v *arguments) { v.x.Buffer = nil }, gpu.ErrShape, "x: got 4 elements of nil"},
		{"a closed buffer", vectors, func(v *arguments) { v.x.Buffer = gone }, gpu.ErrClosed, ""},
		{"no result", "Dot Asum Nrm2 CDotu CDotc CNrm2 CAsum", func(v *arguments) { v.result = nil }, gpu.ErrShape, "result: "},
		{"no index", "Iamax CIamax", func(v *arguments) { v.index = nil }, gpu.ErrShape, "result: "},
		{"the result is an operand", "Dot Asum Nrm2 CDotu CDotc", func(v *arguments) { v.result = v.x.Buffer }, gpu.ErrAlias, ""},
		{"another length", "Axpy Copy Swap Rot Rotm Dot Gemv Symv Ger Syr2 Gbmv Sbmv MulVec CAxpy CCopy CSwap CDotu CDotc CGemv CGeru CGerc", func(v *arguments) { v.y.Len = 3 }, gpu.ErrShape, "got 3, want 4 elements"},
		{"two vectors in one buffer", "Axpy Copy Swap Rot Rotm Gemv Symv Gbmv Sbmv MulVec CAxpy CCopy CSwap CGemv", func(v *arguments) { v.y = v.x }, gpu.ErrAlias, ""},
		{"one element twice", "Axpy Copy Swap Rot Rotm Gemv Symv Gbmv Sbmv MulVec CAxpy CCopy CSwap CGemv", func(v *arguments) { v.y.Stride = 0 }, gpu.ErrShape, "y: got stride 0"},
		{"a matrix that is too large", withA, func(v *arguments) { v.a.Cols = 5 }, gpu.ErrShape, ""},
		{"rows too many", withA, func(v *arguments) { v.a.Rows = 5 }, gpu.ErrShape, "a: got 0 to 19"},
		{"negative rows", withA, func(v *arguments) { v.a.Rows = -1 }, gpu.ErrShape, "a: got -1"},
		{"huge rows", withA, func(v *arguments) { v.a.Rows = 1 << 50 }, gpu.ErrShape, "a: got 1125899906842624"},
		{"huge strides", withA, func(v *arguments) { v.a.RowStride = 1 << 62 }, gpu.ErrShape, "stride 4611686018427387904"},
		{"no matrix", withA, func(v *arguments) { v.a.Buffer = nil }, gpu.ErrShape, "a: got 4 rows of 4 columns of nil"},
		{"a closed matrix", withA, func(v *arguments) { v.a.Buffer = gone }, gpu.ErrClosed, ""},
		{"rows that overlap", "Ger Syr Syr2 CGeru CGerc", func(v *arguments) { v.a.RowStride = 3 }, gpu.ErrShape, "a: got strides 3 and 1"},
		{"rows of the result that overlap", "Gemm Symm Syrk Syr2k MulMat CGemm CHerk CSyrk CHer2k CSyr2k CHemm CSymm", func(v *arguments) { v.c.RowStride = 0 }, gpu.ErrShape, "c: got strides 0 and 1"},
		{"a square without end", "Symv Trmv Trsv Symm Trmm Trsm CHemm CSymm CTrmm CTrsm", func(v *arguments) {
			v.a.MatrixLayout = gpu.MatrixLayout{Rows: 50000, Cols: 50000}
		}, gpu.ErrShape, "a: got 50000 rows of 50000 columns, want fewer than 2³¹ elements"},
		{"no square", "Symv Syr Syr2 Trmv Trsv Symm Trmm Trsm CHemm CSymm CTrmm CTrsm", func(v *arguments) { v.a.Cols = 3 }, gpu.ErrShape, "a: got 4 rows of 3 columns"},
		{"other rows", "Gemm Syr2k Transpose MulMat CGemm CHer2k CSyr2k", func(v *arguments) { v.b.Rows = 3 }, gpu.ErrShape, "b: got 3"},
		{"other rows on a side", "Symm Trmm Trsm CHemm CSymm CTrmm CTrsm", func(v *arguments) { v.b.Rows = 3 }, gpu.ErrShape, "a: got 4, want 3 rows"},
		{"another result", "Gemm Symm MulMat CGemm CHemm CSymm", func(v *arguments) { v.c.Cols = 3 }, gpu.ErrShape, "c: got 3"},
		{"a result that is no square", "Syrk Syr2k CHerk CSyrk CHer2k CSyr2k", func(v *arguments) { v.c.Cols = 3 }, gpu.ErrShape, "c: got 4 rows of 3 columns"},
		{"the result is an operand", "Gemm Symm Syrk Syr2k CGemm CHerk CSyrk CHer2k CSyr2k CHemm CSymm", func(v *arguments) { v.c = v.a }, gpu.ErrAlias, ""},
		{"the result is the other operand", "Transpose Trmm Trsm CTrmm CTrsm", func(v *arguments) { v.b = v.a }, gpu.ErrAlias, ""},
		{"the matrix has the vector", "Gemv Symv Ger Syr Syr2 CGemv CGeru CGerc", func(v *arguments) { v.y.Buffer, v.x.Buffer = v.a.Buffer, v.a.Buffer }, gpu.ErrAlias, ""},
		{"no triangle", "Symv Syr Syr2 Trmv Trsv Symm Syrk Syr2k Trmm Trsm CHerk CSyrk CHer2k CSyr2k CHemm CSymm CTrmm CTrsm", func(v *arguments) { v.uplo = 2 }, gpu.ErrShape, "uplo: got 2"},
		{"no diagonal", "Trmv Trsv Tbmv Tbsv Trmm Trsm CTrmm CTrsm", func(v *arguments) { v.diag = 2 }, gpu.ErrShape, "diag: got 2"},
		{"no side", "Symm Trmm Trsm CHemm CSymm CTrmm CTrsm", func(v *arguments) { v.side = 2 }, gpu.ErrShape, "side: got 2"},
		{"diagonals on both sides", "Sbmv Tbmv Tbsv", func(v *arguments) { v.band = BandOf(v.a.Sub(0, 0, 4, 3), 4, 1, 1) }, gpu.ErrShape, "1 below it and 1 above"},
		{"negative diagonals", "Gbmv Sbmv Tbmv Tbsv", func(v *arguments) { v.band = BandOf(v.a.Sub(0, 0, 4, 1), 4, 1, -1) }, gpu.ErrShape, "1 below it and -1 above"},
		{"diagonals without storage", "Gbmv Sbmv Tbmv Tbsv", func(v *arguments) { v.band = BandOf(v.a.Sub(0, 0, 4, 2), 4, 2, 0) }, gpu.ErrShape, "2 columns for 3 diagonals"},
		{"no square to factor", "Cholesky CholeskySolve LUSolve", func(v *arguments) { v.a.Cols = 3 }, gpu.ErrShape, "a: got 4 rows of 3 columns"},
		{"fewer rows than columns", "LeastSquares", func(v *arguments) { v.a.Rows = 3 }, gpu.ErrShape, "a: got 3 rows of 4 columns"},
		{"no info", "Cholesky LU CholeskyBatch LUBatch", func(v *arguments) { v.index = nil }, gpu.ErrShape, "info: "},
		{"few pivots", "LU LUSolve LUBatch", func(v *arguments) { v.pivots = must[*gpu.Buffer[int32]](t)(v.pivots.Slice(0, 3)) }, gpu.ErrShape, "pivots: got 3"},
		{"info in the pivots", "LU LUBatch", func(v *arguments) { v.index = v.pivots }, gpu.ErrAlias, ""},
		{"few tau", "QR QRMultiply LeastSquares QRBatch", func(v *arguments) { v.tau = must[*gpu.Buffer[float64]](t)(v.tau.Slice(0, 3)) }, gpu.ErrShape, "tau: got 3"},
		{"tau in the matrix", "QR LeastSquares", func(v *arguments) { v.tau = v.a.Buffer }, gpu.ErrAlias, ""},
		{"matrices that are too large", "CholeskyBatch LUBatch QRBatch", func(v *arguments) { v.p.Rows, v.p.Cols = 65, 65 }, gpu.ErrShape, "a: "},
		{"matrices that overlap", "CholeskyBatch LUBatch QRBatch", func(v *arguments) { v.p.Stride = 3 }, gpu.ErrShape, "a: got matrices at a distance of 3"},
		{"fewer matrices", "GemmBatch", func(v *arguments) { v.p.Count = 2 }, gpu.ErrShape, "a: got 2, want 3 matrices"},
		{"matrices too many", "GemmBatch", func(v *arguments) { v.p.Count = 4 }, gpu.ErrShape, "a: got 12 to 15"},
		{"negative matrices", "GemmBatch", func(v *arguments) { v.r.Count = -1 }, gpu.ErrShape, "c: got -1"},
		{"a huge distance", "GemmBatch", func(v *arguments) { v.r.Stride = 1 << 62 }, gpu.ErrShape, "stride 4611686018427387904"},
		{"matrices that overlap", "GemmBatch", func(v *arguments) { v.r.Stride = 3 }, gpu.ErrShape, "c: got matrices at a distance of 3"},
		{"the result is an operand", "GemmBatch", func(v *arguments) { v.r = v.q }, gpu.ErrAlias, ""},
	} {
		functions := strings.Fields(test.functions)
		for name, call := range calls {
			if len(functions) > 0 && !slices.Contains(functions, name) {
				continue
			}
			v, buffers := newArguments(t, s)
			v.twins[gone] = goneTwin
			before := contents(s, buffers)
			test.change(&v)
			err := call(v)
			var shape *gpu.ShapeError
			if !errors.Is(err, test.want) || test.want == gpu.ErrShape && (!errors.As(err, &shape) || shape.Operation != "linalg."+name) || err != nil && !strings.Contains(err.Error(), test.says) {
				t.Errorf("%s, %s: %v, want %v and %q", name, test.what, err, test.want, test.says)
			}
			if !reflect.DeepEqual(contents(s, buffers), before) {
				t.Errorf("%s, %s: an operand has changed", name, test.what)
			}
			closeAll(t, buffers)
		}
	}
}

// contents returns what all buffers have.
func contents(s *gpu.Stream, buffers []held) (all []any) {
	for _, b := range buffers {
		all = append(all, b.read(s))
	}
	return all
}

func closeAll(t testing.TB, buffers []held) {
	t.Helper()
	for _, b := range buffers {
		check(t, b.close())
	}
}

// TestNothing: operands without elements need no buffers.
func TestNothing(t *testing.T) {
	s := onCPU(t)
	v, _ := newArguments(t, s)
	none := arguments{s: s, result: v.result, index: v.index, twins: v.twins}
	for name, call := range calls {
		if name == "Gbmv" || name == "Sbmv" || name == "Tbmv" || name == "Tbsv" {
			none.band = BandOf(gpu.MatrixBuffer[float64]{MatrixLayout: gpu.MatrixLayout{Cols: 1}}, 0, 0, 0)
		}
		if err := call(none); err != nil {
			t.Errorf("%s of nothing: %v", name, err)
		}
	}
	check(t, calls["Dot"](none))
	if got := read(&source{t: t, s: s}, v.result); got[0] != 0 {
		t.Errorf("the sum of nothing is %v", got)
	}
	check(t, calls["Iamax"](none))
	if got := read(&source{t: t, s: s}, v.index); got[0] != -1 {
		t.Errorf("the greatest element of nothing is %v", got)
	}
}

// TestNoColumns: factors without elements may have no buffers, or empty ones.
func TestNoColumns(t *testing.T) {
	s := onCPU(t)
	r := sourceOf(t, s, 92)
	list := uploaded(r, [][3]int32{{0, 0, 0}})
	for _, none := range []*gpu.Buffer[float64]{nil, uploaded(r, []float64{})} {
		var twin *gpu.Buffer[complex128]
		if none != nil {
			twin = uploaded(r, []complex128{})
		}
		c, d := uploaded(r, []float64{1, 2, 3, 4}), uploaded(r, []complex128{1, 2, 3, 4i})
		a, b, to := gpu.MatrixOf(none, 2, 0), gpu.MatrixOf(none, 0, 2), gpu.MatrixOf(c, 2, 2)
		many := func(m gpu.MatrixBuffer[float64]) Batch[float64] { return Batch[float64]{m, 1, 4} }
		check(t, Gemm(s, 1, a, b, 2, to))
		check(t, GemmBatch(s, 1, many(a), many(b), 2, many(to)))
		check(t, GemmList(s, 1, many(a), many(b), 2, many(to), list))
		check(t, GemmList(s, 1, many(a), many(b), 2, many(to), list, Strict()))
		check(t, CGemm(s, 1, Plain(gpu.MatrixOf(twin, 2, 0)), Plain(gpu.MatrixOf(twin, 0, 2)), 2, gpu.MatrixOf(d, 2, 2)))
		if got := read(r, c); !slices.Equal(got, []float64{16, 32, 48, 64}) {
			t.Errorf("products of no columns are %v", got)
		}
		if got := read(r, d); !slices.Equal(got, []complex128{2, 4, 6, 8i}) {
			t.Errorf("the complex product of no columns is %v", got)
		}
	}
}

// TestNoMemory: functions that find no temporary memory return gpu.ErrOutOfMemory, and change
// nothing.
func TestNoMemory(t *testing.T) {
	s := onCPU(t)
	r := sourceOf(t, s, 91)
	const n, many = 128, 1 << 14
	alloc := func(n int) *gpu.Buffer[complex128] {
		return uploaded(r, slices.Repeat([]complex128{1 + 2i}, n))
	}
	square := func() gpu.MatrixBuffer[complex128] { return gpu.MatrixOf(alloc(n*n), n, n) }
	a, b, c, x := square(), square(), square(), VectorOf(alloc(many))
	starts := make([]int32, n+1)
	for i := range starts {
		starts[i] = int32(i * many / n)
	}
	csr := func() CSR[float64] {
		return CSR[float64]{n, n, uploaded(r, starts), uploaded(r, make([]int32, many)), uploaded(r, make([]float64, many))}
	}
	from, to := csr(), csr()
	result := uploaded(r, []float64{99})
	buffers := []held{hold(t, a.Buffer), hold(t, b.Buffer), hold(t, c.Buffer), hold(t, x.Buffer), hold(t, result),
		hold(t, to.Starts), hold(t, to.Columns), hold(t, to.Values)}
	before := contents(s, buffers)
	calls := map[string]func() error{
		"CTrmm":        func() error { return CTrmm(s, Left, Lower, Unit, 2, Plain(a), b) },
		"CTrsm":        func() error { return CTrsm(s, Left, Lower, Unit, 2, Plain(a), b) },
		"CHemm":        func() error { return CHemm(s, Left, Lower, 2, a, b, 3, c) },
		"CNrm2":        func() error { return CNrm2(s, x, result) },
		"TransposeCSR": func() error { return TransposeCSR(s, from, to) },
	}
	for name, call := range calls {
		check(t, errors.Join(s.Device().Trim(), s.Device().SetMemoryLimit(1)))
		if err := call(); !errors.Is(err, gpu.ErrOutOfMemory) {
			t.Errorf("%s: %v", name, err)
		}
		if !reflect.DeepEqual(contents(s, buffers), before) {
			t.Errorf("%s: an operand has changed", name)
		}
	}
	check(t, s.Device().SetMemoryLimit(0))
	for _, call := range calls {
		check(t, call())
	}
}

// TestAllocations counts what further calls allocate: nothing, but what the buffers of temporary
// memory are on the host.
func TestAllocations(t *testing.T) {
	if drivertest.RaceEnabled {
		t.Skip("skipped: the race detector allocates; this runs without -race")
	}
	s := onCPU(t)
	ctx := context.Background()
	var temporary *gpu.Buffer[float64]
	one := testing.AllocsPerRun(20, func() {
		temporary = must[*gpu.Buffer[float64]](t)(gpu.AllocUninitialized[float64](s, 4))
		check(t, temporary.Close())
	})
	buffers := map[string]float64{"Dot": 1, "Asum": 1, "Nrm2": 1, "Iamax": 1, "Trmv": 1, "Trsv": 1, "Tbmv": 1, "Tbsv": 1, "Symm": 1, "Trmm": 2, "Trsm": 1,
		"CholeskySolve": 2, "LUSolve": 2, "QR": 5, "QRMultiply": 5, "LeastSquares": 11, "MulVec": 2, "TransposeCSR": 2, "CheckCSR": 1,
		"CDotu": 1, "CDotc": 1, "CNrm2": 2, "CAsum": 2, "CIamax": 2, "CHemm": 1, "CSymm": 1, "CTrmm": 2, "CTrsm": 1}
	maps.Copy(buffers, decomposingBuffers)
	v, _ := newArguments(t, s)
	for name, call := range calls {
		for range 3 {
			check(t, call(v))
		}
		check(t, s.Wait(ctx))
		reserved := s.Device().Memory().Reserved
		least := math.Inf(1) // what runs beside the calls allocates, too
		for range 5 {
			least = min(least, testing.AllocsPerRun(20, func() { check(t, call(v)) }))
			check(t, s.Wait(ctx))
		}
		if most := one * buffers[name]; least > most {
			t.Errorf("%s: %v allocations, want at most %v", name, least, most)
		}
		if now := s.Device().Memory().Reserved; now != reserved {
			t.Errorf("%s: the device has reserved %d bytes, and %d before", name, now, reserved)
		}
	}
}

// FuzzArguments calls functions with any numbers in their arguments. What is wrong is an error.
func FuzzArguments(f *testing.F) {
	names := slices.Sorted(maps.Keys(calls))
	for k := range names {
		f.Add(uint8(k), 0, 4, 1, 0, 4, 4, 4, 1, uint8(0))
		f.Add(uint8(k), 3, 4, -1, 12, 4, 4, -4, 1, uint8(1))
		f.Add(uint8(k), -1, 1<<40, 1<<62, -1<<63, 1<<31, 1<<62, -1<<63, 1<<33, uint8(7))
	}
	s := onCPU(f)
	f.Fuzz(func(t *testing.T, function uint8, offset, n, stride, at, rows, cols, rowStride, colStride int, which uint8) {
		v, buffers := newArguments(t, s)
		x := Vector[float64]{v.x.Buffer, offset, n, stride}
		m := gpu.MatrixBuffer[float64]{Buffer: v.a.Buffer, MatrixLayout: gpu.MatrixLayout{Offset: at, Rows: rows, Cols: cols, RowStride: rowStride, ColStride: colStride}}
		if which&1 != 0 {
			v.x = x
		}
		if which&2 != 0 {
			v.y = Vector[float64]{v.y.Buffer, offset, n, stride}
		}
		if which&4 != 0 {
			v.a = m
		}
		if which&8 != 0 {
			v.b = gpu.MatrixBuffer[float64]{Buffer: v.b.Buffer, MatrixLayout: m.MatrixLayout}
		}
		if which&16 != 0 {
			v.c = gpu.MatrixBuffer[float64]{Buffer: v.c.Buffer, MatrixLayout: m.MatrixLayout}
		}
		if which&32 != 0 {
			v.band = BandOf(m, n, offset, stride)
		}
		if which&64 != 0 {
			v.r = Batch[float64]{gpu.MatrixBuffer[float64]{Buffer: v.r.Buffer, MatrixLayout: m.MatrixLayout}, n, stride}
		}
		v.uplo, v.diag, v.side = Uplo(which>>1&3), Diag(which>>2&3), Side(which>>3&3)
		name := names[int(function)%len(names)]
		if err := calls[name](v); err != nil && !errors.Is(err, gpu.ErrShape) && !errors.Is(err, gpu.ErrAlias) {
			t.Errorf("%s: %v", name, err)
		}
		check(t, s.Wait(context.Background()))
		closeAll(t, buffers)
	})
}

package linalg

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
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
	uplo    Uplo
	diag    Diag
	side    Side
}

// calls has each function once.
var calls = map[string]func(v arguments) error{
	"Axpy":      func(v arguments) error { return Axpy(v.s, 2, v.x, v.y) },
	"Copy":      func(v arguments) error { return Copy(v.s, v.x, v.y) },
	"Swap":      func(v arguments) error { return Swap(v.s, v.x, v.y) },
	"Rot":       func(v arguments) error { return Rot(v.s, v.x, v.y, 0.5, 0.25) },
	"Scal":      func(v arguments) error { return Scal(v.s, 2, v.x) },
	"Dot":       func(v arguments) error { return Dot(v.s, v.x, v.y, v.result) },
	"Asum":      func(v arguments) error { return Asum(v.s, v.x, v.result) },
	"Nrm2":      func(v arguments) error { return Nrm2(v.s, v.x, v.result) },
	"Iamax":     func(v arguments) error { return Iamax(v.s, v.x, v.index) },
	"Gemv":      func(v arguments) error { return Gemv(v.s, 2, v.a, v.x, 3, v.y) },
	"Symv":      func(v arguments) error { return Symv(v.s, v.uplo, 2, v.a, v.x, 3, v.y) },
	"Ger":       func(v arguments) error { return Ger(v.s, 2, v.x, v.y, v.a) },
	"Syr":       func(v arguments) error { return Syr(v.s, v.uplo, 2, v.x, v.a) },
	"Syr2":      func(v arguments) error { return Syr2(v.s, v.uplo, 2, v.x, v.y, v.a) },
	"Trmv":      func(v arguments) error { return Trmv(v.s, v.uplo, v.diag, v.a, v.x) },
	"Trsv":      func(v arguments) error { return Trsv(v.s, v.uplo, v.diag, v.a, v.x) },
	"Gbmv":      func(v arguments) error { return Gbmv(v.s, 2, v.band, v.x, 3, v.y) },
	"Sbmv":      func(v arguments) error { return Sbmv(v.s, 2, v.band, v.x, 3, v.y) },
	"Tbmv":      func(v arguments) error { return Tbmv(v.s, v.diag, v.band, v.x) },
	"Tbsv":      func(v arguments) error { return Tbsv(v.s, v.diag, v.band, v.x) },
	"Gemm":      func(v arguments) error { return Gemm(v.s, 2, v.a, v.b, 3, v.c) },
	"GemmBatch": func(v arguments) error { return GemmBatch(v.s, 2, v.p, v.q, 3, v.r) },
	"Transpose": func(v arguments) error { return Transpose(v.s, v.a, v.b) },
	"Symm":      func(v arguments) error { return Symm(v.s, v.side, v.uplo, 2, v.a, v.b, 3, v.c) },
	"Syrk":      func(v arguments) error { return Syrk(v.s, v.uplo, 2, v.a, 3, v.c) },
	"Syr2k":     func(v arguments) error { return Syr2k(v.s, v.uplo, 2, v.a, v.b, 3, v.c) },
	"Trmm":      func(v arguments) error { return Trmm(v.s, v.side, v.uplo, v.diag, 2, v.a, v.b) },
	"Trsm":      func(v arguments) error { return Trsm(v.s, v.side, v.uplo, v.diag, 2, v.a, v.b) },
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

func init() { maps.Copy(calls, factorisations) }

// withA are the functions whose first matrix is a.
const withA = "Gemv Symv Ger Syr Syr2 Trmv Trsv Gemm Transpose Symm Syrk Syr2k Trmm Trsm Cholesky CholeskySolve LU LUSolve QR LeastSquares"

// newArguments returns arguments of four rows and columns, which all functions take.
func newArguments(t testing.TB, s *gpu.Stream) (v arguments, buffers []*gpu.Buffer[float64]) {
	t.Helper()
	make16 := func(n int) *gpu.Buffer[float64] {
		host := make([]float64, n)
		for i := range host {
			host[i] = float64(i%5) + 1
		}
		b := must[*gpu.Buffer[float64]](t)(gpu.Upload(context.Background(), s.Device(), host))
		buffers = append(buffers, b)
		return b
	}
	square := func() gpu.MatrixBuffer[float64] { return gpu.MatrixOf(make16(16), 4, 4) }
	several := func() Batch[float64] { return BatchOf(make16(12), 3, 2, 2) }
	v = arguments{s: s, x: VectorOf(make16(4)), y: VectorOf(make16(4)), a: square(), b: square(), c: square(), p: several(), q: several(), r: several(),
		band: BandOf(gpu.MatrixOf(make16(8), 4, 2), 4, 1, 0), result: make16(1), tau: make16(6)}
	v.index = must[*gpu.Buffer[int32]](t)(gpu.Alloc[int32](s, 3))
	v.pivots = must[*gpu.Buffer[int32]](t)(gpu.Alloc[int32](s, 6))
	return v, buffers
}

// TestRefuses: wrong arguments are errors that say what is wrong, and change nothing.
func TestRefuses(t *testing.T) {
	s := onCPU(t)
	closed := streamOf(t, s.Device())
	check(t, closed.Close())
	gone := must[*gpu.Buffer[float64]](t)(gpu.Alloc[float64](s, 16))
	check(t, gone.Close())
	vectors := "Axpy Copy Swap Rot Scal Dot Asum Nrm2 Iamax Gemv Symv Ger Syr Syr2 Trmv Trsv Gbmv Sbmv Tbmv Tbsv"
	for _, test := range []struct {
		what      string
		functions string // or all
		change    func(v *arguments)
		want      error
		says      string
	}{
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
		{"no result", "Dot Asum Nrm2", func(v *arguments) { v.result = nil }, gpu.ErrShape, "result: "},
		{"no index", "Iamax", func(v *arguments) { v.index = nil }, gpu.ErrShape, "result: "},
		{"the result is an operand", "Dot Asum Nrm2", func(v *arguments) { v.result = v.x.Buffer }, gpu.ErrAlias, ""},
		{"another length", "Axpy Copy Swap Rot Dot Gemv Symv Ger Syr2 Gbmv Sbmv", func(v *arguments) { v.y.Len = 3 }, gpu.ErrShape, "got 3, want 4 elements"},
		{"two vectors in one buffer", "Axpy Copy Swap Rot Gemv Symv Gbmv Sbmv", func(v *arguments) { v.y = v.x }, gpu.ErrAlias, ""},
		{"one element twice", "Axpy Copy Swap Rot Gemv Symv Gbmv Sbmv", func(v *arguments) { v.y.Stride = 0 }, gpu.ErrShape, "y: got stride 0"},
		{"a matrix that is too large", withA, func(v *arguments) { v.a.Cols = 5 }, gpu.ErrShape, ""},
		{"rows too many", withA, func(v *arguments) { v.a.Rows = 5 }, gpu.ErrShape, "a: got 0 to 19"},
		{"negative rows", withA, func(v *arguments) { v.a.Rows = -1 }, gpu.ErrShape, "a: got -1"},
		{"huge rows", withA, func(v *arguments) { v.a.Rows = 1 << 50 }, gpu.ErrShape, "a: got 1125899906842624"},
		{"huge strides", withA, func(v *arguments) { v.a.RowStride = 1 << 62 }, gpu.ErrShape, "stride 4611686018427387904"},
		{"no matrix", withA, func(v *arguments) { v.a.Buffer = nil }, gpu.ErrShape, "a: got 4 rows of 4 columns of nil"},
		{"a closed matrix", strings.ReplaceAll(withA, "LUSolve", ""), // it exchanges rows before
			func(v *arguments) { v.a.Buffer = gone }, gpu.ErrClosed, ""},
		{"rows that overlap", "Ger Syr Syr2", func(v *arguments) { v.a.RowStride = 3 }, gpu.ErrShape, "a: got strides 3 and 1"},
		{"rows of the result that overlap", "Gemm Symm Syrk Syr2k", func(v *arguments) { v.c.RowStride = 0 }, gpu.ErrShape, "c: got strides 0 and 1"},
		{"no square", "Symv Syr Syr2 Trmv Trsv Symm Trmm Trsm", func(v *arguments) { v.a.Cols = 3 }, gpu.ErrShape, "a: got 4 rows of 3 columns"},
		{"other rows", "Gemm Syr2k Transpose", func(v *arguments) { v.b.Rows = 3 }, gpu.ErrShape, "b: got 3"},
		{"other rows on a side", "Symm Trmm Trsm", func(v *arguments) { v.b.Rows = 3 }, gpu.ErrShape, "a: got 4, want 3 rows"},
		{"another result", "Gemm Symm", func(v *arguments) { v.c.Cols = 3 }, gpu.ErrShape, "c: got 3"},
		{"a result that is no square", "Syrk Syr2k", func(v *arguments) { v.c.Cols = 3 }, gpu.ErrShape, "c: got 4 rows of 3 columns"},
		{"the result is an operand", "Gemm Symm Syrk Syr2k", func(v *arguments) { v.c = v.a }, gpu.ErrAlias, ""},
		{"the result is the other operand", "Transpose Trmm Trsm", func(v *arguments) { v.b = v.a }, gpu.ErrAlias, ""},
		{"the matrix has the vector", "Gemv Symv Ger Syr Syr2", func(v *arguments) { v.y.Buffer, v.x.Buffer = v.a.Buffer, v.a.Buffer }, gpu.ErrAlias, ""},
		{"no triangle", "Symv Syr Syr2 Trmv Trsv Symm Syrk Syr2k Trmm Trsm", func(v *arguments) { v.uplo = 2 }, gpu.ErrShape, "uplo: got 2"},
		{"no diagonal", "Trmv Trsv Tbmv Tbsv Trmm Trsm", func(v *arguments) { v.diag = 2 }, gpu.ErrShape, "diag: got 2"},
		{"no side", "Symm Trmm Trsm", func(v *arguments) { v.side = 2 }, gpu.ErrShape, "side: got 2"},
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
			before := contents(t, s, buffers)
			test.change(&v)
			err := call(v)
			var shape *gpu.ShapeError
			if !errors.Is(err, test.want) || test.want == gpu.ErrShape && (!errors.As(err, &shape) || shape.Operation != "linalg."+name) || err != nil && !strings.Contains(err.Error(), test.says) {
				t.Errorf("%s, %s: %v, want %v and %q", name, test.what, err, test.want, test.says)
			}
			if after := contents(t, s, buffers); after != before {
				t.Errorf("%s, %s: an operand has changed", name, test.what)
			}
			for _, b := range buffers {
				check(t, b.Close())
			}
		}
	}
}

// contents returns what all buffers have.
func contents(t testing.TB, s *gpu.Stream, buffers []*gpu.Buffer[float64]) string {
	t.Helper()
	var all []float64
	for _, b := range buffers {
		host := make([]float64, b.Len())
		check(t, b.Read(context.Background(), s, host))
		all = append(all, host...)
	}
	return fmt.Sprint(all)
}

// TestNothing: operands without elements need no buffers.
func TestNothing(t *testing.T) {
	s := onCPU(t)
	v, _ := newArguments(t, s)
	none := arguments{s: s, result: v.result, index: v.index}
	for name, call := range calls {
		if name == "Gbmv" || name == "Sbmv" || name == "Tbmv" || name == "Tbsv" {
			none.band = BandOf(gpu.MatrixBuffer[float64]{MatrixLayout: gpu.MatrixLayout{Cols: 1}}, 0, 0, 0)
		}
		if err := call(none); err != nil {
			t.Errorf("%s of nothing: %v", name, err)
		}
	}
	if got := read(&source{t: t, s: s}, v.result); got[0] != 0 {
		t.Errorf("the sum of nothing is %v", got)
	}
	check(t, calls["Iamax"](none))
	if got := read(&source{t: t, s: s}, v.index); got[0] != -1 {
		t.Errorf("the greatest element of nothing is %v", got)
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
		"CholeskySolve": 2, "LUSolve": 2, "QR": 5, "QRMultiply": 5, "LeastSquares": 11}
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
		for _, b := range buffers {
			check(t, b.Close())
		}
		check(t, errors.Join(v.index.Close(), v.pivots.Close()))
	})
}

package linalg

import (
	"errors"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/runtime/gpu"
)

// decomposing are calls of functions that decompose a or p, or make one of their inverses.
var decomposing = map[string]func(v arguments) error{
	"SVD":            func(v arguments) error { return SVD(v.s, v.a, v.b, v.tau, v.c, v.index) },
	"SVDBatch":       func(v arguments) error { return SVDBatch(v.s, v.p, v.q, v.tau, v.r, v.index) },
	"SymmetricEigen": func(v arguments) error { return SymmetricEigen(v.s, v.uplo, v.a, v.tau, v.b, v.index) },
	"SymmetricEigenBatch": func(v arguments) error {
		return SymmetricEigenBatch(v.s, v.uplo, v.p, v.tau, v.q, v.index)
	},
	"Inverse":       func(v arguments) error { return Inverse(v.s, v.a, v.b, v.index) },
	"Det":           func(v arguments) error { return Det(v.s, v.a, v.result) },
	"Cond":          func(v arguments) error { return Cond(v.s, v.a, v.result) },
	"PseudoInverse": func(v arguments) error { return PseudoInverse(v.s, v.a, v.rcond, v.b, v.index) },
	"Lstsq":         func(v arguments) error { return Lstsq(v.s, v.a, v.b, v.rcond, v.c, v.index) },
}

// decomposingBuffers is how many temporary buffers they have.
var decomposingBuffers = map[string]float64{"SVD": 12, "SVDBatch": 12, "SymmetricEigen": 0, "SymmetricEigenBatch": 0, "Inverse": 4, "Det": 4, "Cond": 12, "PseudoInverse": 16, "Lstsq": 17}

// TestRefusesToDecompose: wrong arguments are errors that say what is wrong, and change nothing.
func TestRefusesToDecompose(t *testing.T) {
	s := onCPU(t)
	gone := must[*gpu.Buffer[float64]](t)(gpu.Alloc[float64](s, 16))
	check(t, gone.Close())
	closed := must[*gpu.Buffer[int32]](t)(gpu.Alloc[int32](s, 3))
	check(t, closed.Close())
	one := "SVD SymmetricEigen Inverse Det Cond PseudoInverse Lstsq"
	numbers := "SVD SVDBatch SymmetricEigen SymmetricEigenBatch Inverse PseudoInverse Lstsq"
	values := "SVD SVDBatch SymmetricEigen SymmetricEigenBatch"
	batches := "SVDBatch SymmetricEigenBatch"
	both := must[*gpu.Buffer[float64]](t)(gpu.Alloc[float64](s, 31))
	slice := func(b *gpu.Buffer[float64], from, to int) *gpu.Buffer[float64] {
		return must[*gpu.Buffer[float64]](t)(b.Slice(from, to))
	}
	for _, test := range []struct {
		what      string
		functions string
		change    func(v *arguments)
		want      error
		says      string
	}{
		{"a matrix that is too large", one, func(v *arguments) { v.a.Cols = 5 }, gpu.ErrShape, "a: got"},
		{"negative rows", one, func(v *arguments) { v.a.Rows = -1 }, gpu.ErrShape, "a: got -1"},
		{"huge rows", one, func(v *arguments) { v.a.Rows = 1 << 50 }, gpu.ErrShape, "a: got 1125899906842624"},
		{"huge strides", one, func(v *arguments) { v.a.RowStride = 1 << 62 }, gpu.ErrShape, "stride 4611686018427387904"},
		{"no matrix", one, func(v *arguments) { v.a.Buffer = nil }, gpu.ErrShape, "a: got 4 rows of 4 columns of nil"},
		{"a closed matrix", one, func(v *arguments) { v.a.Buffer = gone }, gpu.ErrClosed, ""},
		{"too much temporary memory", "SVD Cond PseudoInverse", func(v *arguments) { v.a.Rows, v.a.RowStride, v.a.ColStride = 1<<20, 0, 0 }, gpu.ErrShape, "a: got 1048576 rows"},
		{"no square", "SymmetricEigen Inverse Det", func(v *arguments) { v.a.Rows = 3 }, gpu.ErrShape, "a: got 3 rows of 4 columns"},
		{"a result of another size", "SVD SymmetricEigen Inverse PseudoInverse Lstsq", func(v *arguments) { v.b.Rows = 3 }, gpu.ErrShape, "got 3, want 4"},
		{"another result of another size", "SVD Lstsq", func(v *arguments) { v.c.Rows = 3 }, gpu.ErrShape, "got 3, want 4"},
		{"a result of fewer columns", "SVD SymmetricEigen Inverse PseudoInverse Lstsq", func(v *arguments) { v.b.Cols = 3 }, gpu.ErrShape, "got "},
		{"rows of the result that overlap", "SVD SymmetricEigen Inverse PseudoInverse", func(v *arguments) { v.b.RowStride = 3 }, gpu.ErrShape, "got strides 3 and 1"},
		{"a closed result", "SVD SymmetricEigen Inverse PseudoInverse Lstsq", func(v *arguments) { v.b.Buffer = gone }, gpu.ErrClosed, ""},
		{"another closed result", "SVD Lstsq", func(v *arguments) { v.c.Buffer = gone }, gpu.ErrClosed, ""},
		{"the result is an operand", "SVD SymmetricEigen Inverse PseudoInverse Lstsq", func(v *arguments) { v.b.Buffer = v.a.Buffer }, gpu.ErrAlias, ""},
		{"results are the same", "SVD Lstsq", func(v *arguments) { v.c.Buffer = v.b.Buffer }, gpu.ErrAlias, ""},
		{"a part of the result is one of an operand", "SVD SymmetricEigen Inverse PseudoInverse Lstsq", func(v *arguments) { v.a.Buffer, v.b.Buffer = slice(both, 0, 16), slice(both, 15, 31) }, gpu.ErrAlias, ""},
		{"a part of both results is the same", "SVD Lstsq", func(v *arguments) { v.b.Buffer, v.c.Buffer = slice(both, 15, 31), slice(both, 0, 16) }, gpu.ErrAlias, ""},
		{"the result is a part of the matrix", "Det Cond", func(v *arguments) { v.result = slice(v.a.Buffer, 15, 16) }, gpu.ErrAlias, ""},
		{"values in an operand", values, func(v *arguments) { v.tau, v.p.Buffer = v.a.Buffer, v.a.Buffer }, gpu.ErrAlias, ""},
		{"few values", values, func(v *arguments) { v.tau = slice(v.tau, 0, 3) }, gpu.ErrShape, "values: got 3, want"},
		{"no values", values, func(v *arguments) { v.tau = nil }, gpu.ErrShape, "values: got 0"},
		{"closed values", values, func(v *arguments) { v.tau = gone }, gpu.ErrClosed, ""},
		{"no numbers", numbers, func(v *arguments) { v.index = nil }, gpu.ErrShape, ""},
		{"closed numbers", numbers, func(v *arguments) { v.index = closed }, gpu.ErrClosed, ""},
		{"no result", "Det Cond", func(v *arguments) { v.result = nil }, gpu.ErrShape, "result: "},
		{"the result is the matrix", "Det Cond", func(v *arguments) { v.result = v.a.Buffer }, gpu.ErrAlias, ""},
		{"an infinite limit", "PseudoInverse Lstsq", func(v *arguments) { v.rcond = math.Inf(-1) }, gpu.ErrShape, "rcond: got -Inf, want a finite number"},
		{"a limit that is no number", "PseudoInverse Lstsq", func(v *arguments) { v.rcond = math.NaN() }, gpu.ErrShape, "rcond: got NaN"},
		{"no triangle", "SymmetricEigen SymmetricEigenBatch", func(v *arguments) { v.uplo = 2 }, gpu.ErrShape, "uplo: got 2"},
		{"matrices too many", batches, func(v *arguments) { v.p.Count = 4 }, gpu.ErrShape, "a: got 12 to 15"},
		{"fewer results", batches, func(v *arguments) { v.q.Count = 2 }, gpu.ErrShape, "got 2, want 3 matrices"},
		{"results that overlap", batches, func(v *arguments) { v.q.Stride = 3 }, gpu.ErrShape, "got matrices at a distance of 3"},
		{"few numbers", batches, func(v *arguments) { v.index = must[*gpu.Buffer[int32]](t)(v.index.Slice(0, 2)) }, gpu.ErrShape, "info: got 2"},
	} {
		functions := strings.Fields(test.functions)
		for name, call := range decomposing {
			if !slices.Contains(functions, name) {
				continue
			}
			v, buffers := newArguments(t, s)
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

// TestOutOfMemory limits the memory of a device so that each of the temporary buffers is the first
// one that does not fit. Functions return the error, and what they had is free again.
func TestOutOfMemory(t *testing.T) {
	const rows, cols, step = 150, 70, 16 << 10
	calls := map[string]func(v arguments) error{
		"SVD":            decomposing["SVD"],
		"SymmetricEigen": func(v arguments) error { return SymmetricEigen(v.s, Lower, v.c, v.tau, v.r.MatrixBuffer, v.index) },
		"Inverse":        func(v arguments) error { return Inverse(v.s, v.c, v.r.MatrixBuffer, v.index) },
		"Det":            func(v arguments) error { return Det(v.s, v.c, v.tau) },
		"Cond":           func(v arguments) error { return Cond(v.s, v.a, v.tau) },
		"PseudoInverse":  func(v arguments) error { return PseudoInverse(v.s, v.a, -1, v.b.T(), v.index) },
		"Lstsq":          func(v arguments) error { return Lstsq(v.s, v.a, v.b, -1, v.c, v.index) },
	}
	for _, name := range some(sourceOf(t, nil, 34), slices.Sorted(maps.Keys(calls)), 1) {
		s, call := onCPU(t), calls[name]
		d := s.Device()
		matrixOf := func(rows, cols int) gpu.MatrixBuffer[float64] {
			return gpu.MatrixOf(must[*gpu.Buffer[float64]](t)(gpu.Alloc[float64](s, rows*cols)), rows, cols)
		}
		v := arguments{s: s, a: matrixOf(rows, cols), b: matrixOf(rows, cols), c: matrixOf(cols, cols), tau: matrixOf(1, cols).Buffer, index: must[*gpu.Buffer[int32]](t)(gpu.Alloc[int32](s, 1))}
		v.r.MatrixBuffer = matrixOf(cols, cols)
		check(t, call(v)) // what launches need for ever
		check(t, d.Trim())
		check(t, d.SetMemoryLimit(d.Memory().Reserved))
		var rest []*gpu.Buffer[byte] // what blocks have left
		for {
			b, err := gpu.Alloc[byte](d, step)
			if errors.Is(err, gpu.ErrOutOfMemory) {
				break
			}
			check(t, err)
			rest = append(rest, b)
		}
		failures := 0
		for limit := d.Memory().Reserved; ; limit += step {
			check(t, d.SetMemoryLimit(limit))
			before := d.Memory().InUse
			err := call(v)
			check(t, s.Wait(t.Context()))
			if now := d.Memory().InUse; now != before {
				t.Errorf("%s: %d bytes are in use after %v, and %d before", name, now, err, before)
			}
			if err == nil {
				break
			}
			if failures++; !errors.Is(err, gpu.ErrOutOfMemory) || limit > 64<<20 {
				t.Fatalf("%s within %d bytes: %v", name, limit, err)
			}
			check(t, d.Trim())
		}
		if failures == 0 {
			t.Errorf("%s does not fail", name)
		}
		for _, b := range rest {
			check(t, b.Close())
		}
	}
}

package linalg

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"testing"

	"github.com/gpuc/gpuc/runtime/gpu"
)

// numpyMatrix is a matrix in testdata/numpy.json, which testdata/make.py writes, with its values.
type numpyMatrix struct {
	Name             string
	Rows, Cols, Rank int
	Elements, Values []float64
	// What NumPy makes of it: the solution for three right sides, the inverses of both kinds, the
	// condition number and the determinant.
	Right, X, Pinv, Inv []float64
	Cond                float64
	Det                 *float64
}

// operandOf makes an operand of the elements of a matrix, which are float32, with random strides.
func operandOf[T Real](r *source, rows, cols int, elements []float64) operand[T] {
	x := matrix[T](r, rows, cols)
	return x.fill(r, func(i, j int) float64 { return float64(float32(elements[i*cols+j])) })
}

// numpy compares with NumPy's results, for random matrices and for those that are hard.
func numpy(t *testing.T, s *gpu.Stream) {
	data, err := os.ReadFile("testdata/numpy.json")
	check(t, err)
	var cases struct{ General, Symmetric, Systems []numpyMatrix }
	check(t, json.Unmarshal(data, &cases))
	if len(cases.General) != 28 || len(cases.Symmetric) != 21 || len(cases.Systems) != 6 {
		t.Fatalf("%d, %d and %d matrices", len(cases.General), len(cases.Symmetric), len(cases.Systems))
	}
	r, share := sourceOf(t, s, 32), shareOf(s)
	for _, c := range some(r, every(cases.General, share), 8) {
		r := r.of(c.Name)
		svdOf(r, fmt.Sprintf("SVD, float32: %s", c.Name), operandOf[float32](r, c.Rows, c.Cols, c.Elements), c.Values)
		svdOf(r, fmt.Sprintf("SVD, float64: %s", c.Name), operandOf[float64](r, c.Rows, c.Cols, c.Elements), c.Values)
	}
	for _, c := range some(r, every(cases.Symmetric, share), 8) {
		r := r.of(c.Name)
		eigenOf(r, fmt.Sprintf("eigenvalues, float32: %s", c.Name), Lower, operandOf[float32](r, c.Rows, c.Cols, c.Elements), c.Values)
		eigenOf(r, fmt.Sprintf("eigenvalues, float64: %s", c.Name), Upper, operandOf[float64](r, c.Rows, c.Cols, c.Elements), c.Values)
	}
	for _, c := range some(r, every(cases.Systems, share), 3) {
		r := r.of(c.Rows, c.Cols)
		systems[float32](r, c)
		systems[float64](r, c)
	}
}

// shareOf is of how many matrices a device gets one.
func shareOf(s *gpu.Stream) int {
	if s.Device().Info().Driver == gpu.CPU {
		return 1
	}
	return 4 // since a matrix takes ten times longer there
}

// every returns one of so many elements of a list.
func every[E any](list []E, share int) (part []E) {
	for k, e := range list {
		if k%share == 0 {
			part = append(part, e)
		}
	}
	return part
}

// systems compares inverses and solutions with NumPy's.
func systems[T Real](r *source, c numpyMatrix) {
	r.t.Helper()
	what := fmt.Sprintf("%d × %d %T of rank %d", c.Rows, c.Cols, T(0), c.Rank)
	a := operandOf[T](r, c.Rows, c.Cols, c.Elements)
	b := operandOf[T](r, c.Rows, 3, c.Right)
	condition := c.Cond
	if c.Rank < min(c.Rows, c.Cols) {
		condition = 100
	}
	bound := closeTo[T](c.Rows, c.Cols) * condition * condition
	near := func(list []float64, cols int) func(i, j int) (float64, float64) {
		greatest := 0.0
		for _, x := range list {
			greatest = max(greatest, math.Abs(x))
		}
		return func(i, j int) (float64, float64) { return list[i*cols+j], bound * greatest }
	}
	x, inverse, rank, result := matrix[T](r, c.Cols, 3), matrix[T](r, c.Cols, c.Rows), numbers(r, 1), vector[T](r, 2)
	result.Offset, result.ColStride = 0, 1
	check(r.t, Lstsq(r.s, a.MatrixBuffer, b.MatrixBuffer, -1, x.MatrixBuffer, rank, Strict()))
	x.expect(r, "Lstsq of "+what, near(c.X, 3))
	if got := read(r, rank); got[0] != int32(c.Rank) || got[1] != 99 {
		r.t.Errorf("Lstsq of %s: the rank is %d", what, got)
	}
	check(r.t, PseudoInverse(r.s, a.MatrixBuffer, 1e-5, inverse.MatrixBuffer, rank, Strict()))
	inverse.expect(r, "PseudoInverse of "+what, near(c.Pinv, c.Rows))
	if got := read(r, rank); got[0] != int32(c.Rank) {
		r.t.Errorf("PseudoInverse of %s: the rank is %d", what, got)
	}
	check(r.t, Cond(r.s, a.MatrixBuffer, result.Buffer, Strict()))
	if got := float64(read(r, result.Buffer)[0]); c.Rank == min(c.Rows, c.Cols) && !(math.Abs(got-c.Cond) <= bound*c.Cond) || c.Rank < min(c.Rows, c.Cols) && !(got > 1e6) {
		r.t.Errorf("Cond of %s is %v, and NumPy's %v", what, got, c.Cond)
	}
	if c.Det == nil {
		return
	}
	inverse = matrix[T](r, c.Rows, c.Rows)
	check(r.t, Inverse(r.s, a.MatrixBuffer, inverse.MatrixBuffer, rank, Strict()))
	inverse.expect(r, "Inverse of "+what, near(c.Inv, c.Rows))
	if got := read(r, rank); got[0] != 0 {
		r.t.Errorf("Inverse of %s: info is %d", what, got)
	}
	check(r.t, Det(r.s, a.MatrixBuffer, result.Buffer, Strict()))
	if got := float64(read(r, result.Buffer)[0]); !(math.Abs(got-*c.Det) <= bound*math.Abs(*c.Det)) {
		r.t.Errorf("Det of %s is %v, and NumPy's %v", what, got, *c.Det)
	}
}

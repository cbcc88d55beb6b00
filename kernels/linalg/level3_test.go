package linalg

import (
	"fmt"
	"math"
	"testing"

	"github.com/gpuc/gpuc/runtime/gpu"
)

func TestTranspose(t *testing.T) {
	onDevices(t, true, func(t *testing.T, s *gpu.Stream) {
		transposes[float32](t, s)
		transposes[float64](t, s)
		transposes[gpu.Float16](t, s)
		transposes[gpu.BFloat16](t, s)
	})
}

func transposes[T Element](t *testing.T, s *gpu.Stream) {
	r := sourceOf(t, s, 8)
	for _, size := range some(r, shapes(r), 4) {
		a, b := matrix[T](r, size[0], size[1]), matrix[T](r, size[1], size[0])
		check(t, Transpose(s, a.MatrixBuffer, b.MatrixBuffer))
		b.expect(r, fmt.Sprintf("Transpose of %v %T", size, *new(T)), func(i, j int) (float64, float64) { return a.at(j, i), 0 })
	}
}

func TestLevel3(t *testing.T) {
	onDevices(t, true, func(t *testing.T, s *gpu.Stream) {
		level3[float32](t, s)
		level3[float64](t, s)
	})
}

// level3 compares products with triangles and symmetric matrices with loops in float64, and puts
// the solutions of systems in.
func level3[T Real](t *testing.T, s *gpu.Stream) {
	r := sourceOf(t, s, 9)
	for k, size := range some(r, [][2]int{{0, 4}, {3, 5}, {unknowns, 65}, {unknowns + 1, 3}, {100, 70}, {strip + 9, 5}}, 3) {
		m, n := size[0], size[1]
		for _, uplo := range uplos {
			for _, o := range [][]Option{nil, {Strict()}}[k%2 : k%2+1] {
				what := fmt.Sprintf("of %d × %d %T, triangle %d, %v", m, n, T(0), uplo, o)
				r.loose = o == nil
				for _, side := range []Side{Left, Right} {
					order := m
					if side == Right {
						order = n
					}
					a, b, c := matrix[T](r, order, order), matrix[T](r, m, n), matrix[T](r, m, n)
					check(t, Symm(s, side, uplo, 0.5, a.MatrixBuffer, b.MatrixBuffer, -1, c.MatrixBuffer, o...))
					left, right := dense(a.at).symmetric(uplo), dense(b.at)
					if side == Right {
						left, right = right, left
					}
					c.expect(r, fmt.Sprintf("Symm %s, side %d", what, side), func(i, j int) (float64, float64) {
						return element(0.5, left, right, order, -1, c, i, j)
					})
					for _, diag := range diags {
						oneTriangle(r, fmt.Sprintf("%s, side %d, diagonal %d", what, side, diag), side, uplo, diag, order, m, n, o, T(0))
					}
				}
				inside := func(i, j int) bool { return i == j || (i > j) == (uplo == Lower) }
				a, b, c := matrix[T](r, m, n), matrix[T](r, m, n), matrix[T](r, m, m)
				if m == 100 {
					c.fill(r, func(int, int) float64 { return math.NaN() })
				}
				beta := 0.0
				if m != 100 {
					beta = 2
				}
				check(t, Syrk(s, uplo, 0.5, a.MatrixBuffer, T(beta), c.MatrixBuffer, o...))
				c.expect(r, "Syrk "+what, func(i, j int) (float64, float64) {
					if !inside(i, j) {
						return 0, -1
					}
					return element(0.5, a.at, a.T().at, n, beta, c, i, j)
				})
				c = matrix[T](r, m, m)
				check(t, Syr2k(s, uplo, 0.5, a.MatrixBuffer, b.MatrixBuffer, 2, c.MatrixBuffer, o...))
				c.expect(r, "Syr2k "+what, func(i, j int) (float64, float64) {
					if !inside(i, j) {
						return 0, -1
					}
					v, e := element(0.5, a.at, b.T().at, n, 2, c, i, j)
					w, f := element(0.5, b.at, a.T().at, n, 0, c, i, j)
					return v + w, e + f
				})
			}
		}
	}
}

// oneTriangle compares a product with a triangular matrix, and puts a solution in.
func oneTriangle[T Real](r *source, what string, side Side, uplo Uplo, diag Diag, order, m, n int, o []Option, _ T) {
	r.t.Helper()
	a, b := matrix[T](r, order, order), matrix[T](r, m, n)
	a.fill(r, func(i, j int) float64 {
		if i == j {
			return 2 + a.at(i, j)
		}
		return a.at(i, j) / float64(order)
	})
	whole := dense(a.at).triangle(uplo, diag)
	product := func(x dense, i, j int) (sum, size float64) {
		if side == Right {
			return x.row(i, order, func(k int) float64 { return whole(k, j) })
		}
		return whole.row(i, order, func(k int) float64 { return x(k, j) })
	}
	check(r.t, Trmm(r.s, side, uplo, diag, 0.5, a.MatrixBuffer, b.MatrixBuffer, o...))
	b.expect(r, "Trmm "+what, func(i, j int) (float64, float64) {
		sum, size := product(b.at, i, j)
		return 0.5 * sum, beyond[T](order, size)
	})
	b = matrix[T](r, m, n)
	check(r.t, Trsm(r.s, side, uplo, diag, 0.5, a.MatrixBuffer, b.MatrixBuffer, o...))
	x := operand[T]{b.MatrixBuffer, read(r, b.Buffer)}
	same(r, "Trsm "+what, x.host)
	for i := range m {
		for j := range n {
			sum, size := product(x.at, i, j)
			if want := 0.5 * b.at(i, j); !(math.Abs(sum-want) <= beyond[T](order, size)) {
				r.t.Fatalf("Trsm %s: element (%d, %d) of the solution's product is %v, want %v", what, i, j, sum, want)
			}
		}
	}
}

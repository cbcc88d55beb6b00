package linalg

import (
	"fmt"
	"math"
	"testing"

	"github.com/gpuc/gpuc/runtime/gpu"
)

func TestLevel2(t *testing.T) {
	onDevices(t, true, func(t *testing.T, s *gpu.Stream) {
		vectors[float32](t, s)
		vectors[float64](t, s)
		triangles[float32](t, s)
		triangles[float64](t, s)
	})
}

// shapes are sizes of matrices: empty ones, small ones, those whose columns are split, and random
// ones.
func shapes(r *source) (list [][2]int) {
	list = [][2]int{{0, 0}, {0, 3}, {3, 0}, {1, 1}, {1, 7}, {7, 1}, {8, 32}, {33, 31}, {64, 65}, {5, 5000}, {300, 700}, {700, 3}}
	for range 6 {
		list = append(list, [2]int{r.IntN(90), r.IntN(90)})
	}
	return list
}

// beyond is the bound for a sum of n products, whose absolute values add up to so much.
func beyond[T Element](n int, sum float64) float64 {
	return epsilon[T]() * (4 + float64(n)) * (sum + 1)
}

// dense is a matrix for tests to compute with.
type dense func(i, j int) float64

// triangle returns the matrix of a triangle.
func (a dense) triangle(uplo Uplo, diag Diag) dense {
	return func(i, j int) float64 {
		switch {
		case i == j && diag == Unit:
			return 1
		case uplo == Lower && j > i, uplo == Upper && i > j:
			return 0
		}
		return a(i, j)
	}
}

// symmetric returns the symmetric matrix with a triangle.
func (a dense) symmetric(uplo Uplo) dense {
	return func(i, j int) float64 {
		if uplo == Lower && j > i || uplo == Upper && i > j {
			i, j = j, i
		}
		return a(i, j)
	}
}

// band returns the matrix without diagonals that are far from the main one.
func (a dense) band(below, above int) dense {
	return func(i, j int) float64 {
		if j < i-below || j > i+above {
			return 0
		}
		return a(i, j)
	}
}

// row returns the sum of products of a row and a vector, and that of their absolute values.
func (a dense) row(i, n int, x func(j int) float64) (sum, size float64) {
	for j := range n {
		p := a(i, j) * x(j)
		sum, size = sum+p, size+math.Abs(p)
	}
	return sum, size
}

// expectProduct compares y with alpha·a·x + beta·y.
func expectProduct[T Real](r *source, what string, y operand[T], alpha float64, a dense, n int, x operand[T], beta float64) {
	r.t.Helper()
	y.expect(r, what, func(_, i int) (float64, float64) {
		sum, size := a.row(i, n, x.element)
		want := alpha * sum
		if beta != 0 {
			want += beta * y.element(i)
		}
		return want, beyond[T](n, size)
	})
}

var uplos, diags = []Uplo{Lower, Upper}, []Diag{NonUnit, Unit}

// vectors compares products and updates with loops in float64.
func vectors[T Real](t *testing.T, s *gpu.Stream) {
	r := sourceOf(t, s, 4)
	for _, size := range some(r, shapes(r), 5) {
		m, n := size[0], size[1]
		for _, factors := range [][2]T{{1, 0}, {0.5, -2}, {0, 0.5}, {-1, 1}} {
			alpha, beta := factors[0], factors[1]
			what := fmt.Sprintf("%v·a·x + %v·y of %d × %d %T", alpha, beta, m, n, alpha)
			a, x, y := matrix[T](r, m, n), vector[T](r, n), vector[T](r, m)
			if beta == 0 {
				y.fill(r, func(int, int) float64 { return math.NaN() })
			}
			check(t, Gemv(s, alpha, a.MatrixBuffer, x.vector(), beta, y.vector()))
			expectProduct(r, "Gemv "+what, y, float64(alpha), a.at, n, x, float64(beta))

			below, above := r.IntN(5), r.IntN(5)
			storage := matrix[T](r, m, below+above+1)
			banded := dense(func(i, j int) float64 { return storage.at(i, j-i+below) })
			banded = banded.band(below, above)
			band := BandOf(storage.MatrixBuffer, n, below, above)
			y = vector[T](r, m)
			check(t, Gbmv(s, alpha, band, x.vector(), beta, y.vector()))
			expectProduct(r, fmt.Sprintf("Gbmv %s, %d and %d diagonals", what, below, above), y, float64(alpha), banded, n, x, float64(beta))
			transposed := dense(func(i, j int) float64 { return banded(j, i) })
			x, y = vector[T](r, m), vector[T](r, n)
			check(t, Gbmv(s, alpha, band.T(), x.vector(), beta, y.vector()))
			expectProduct(r, "Gbmv of the transpose, "+what, y, float64(alpha), transposed, m, x, float64(beta))

			a, x, y = matrix[T](r, m, n), vector[T](r, m), vector[T](r, n)
			check(t, Ger(s, alpha, x.vector(), y.vector(), a.MatrixBuffer))
			a.expect(r, "Ger "+what, func(i, j int) (float64, float64) {
				return a.at(i, j) + float64(alpha)*x.element(i)*y.element(j), beyond[T](3, 2)
			})
		}
	}
	for _, n := range some(r, []int{0, 1, 2, 31, 65, 300}, 3) {
		for _, uplo := range uplos {
			what := fmt.Sprintf("of %d %T, triangle %d", n, T(0), uplo)
			a, x, y := matrix[T](r, n, n), vector[T](r, n), vector[T](r, n)
			check(t, Symv(s, uplo, 0.5, a.MatrixBuffer, x.vector(), -2, y.vector()))
			expectProduct(r, "Symv "+what, y, 0.5, dense(a.at).symmetric(uplo), n, x, -2)
			update := func(name string, u operand[T], second bool) {
				a.expect(r, name+" "+what, func(i, j int) (float64, float64) {
					if dense(func(int, int) float64 { return 1 }).triangle(uplo, NonUnit)(i, j) == 0 {
						return 0, -1
					}
					v := a.at(i, j) + 0.5*x.element(i)*u.element(j)
					if second {
						v += 0.5 * u.element(i) * x.element(j)
					}
					return v, beyond[T](4, 3)
				})
			}
			a = matrix[T](r, n, n)
			check(t, Syr(s, uplo, 0.5, x.vector(), a.MatrixBuffer))
			update("Syr", x, false)
			a = matrix[T](r, n, n)
			y = vector[T](r, n)
			check(t, Syr2(s, uplo, 0.5, x.vector(), y.vector(), a.MatrixBuffer))
			update("Syr2", y, true)
		}
	}
}

// triangles compares products with triangular matrices, and puts the solutions of systems in.
func triangles[T Real](t *testing.T, s *gpu.Stream) {
	r := sourceOf(t, s, 5)
	for _, n := range some(r, []int{0, 1, 2, 31, solved - 1, solved, solved + 1, 3*solved + 5, 400}, 3) {
		for _, uplo := range uplos {
			for _, diag := range diags {
				what := fmt.Sprintf("of %d %T, triangle %d, diagonal %d", n, T(0), uplo, diag)
				// The diagonal is so large that rounding does not grow.
				steady := func(a operand[T], center int) func(i, j int) float64 {
					return func(i, j int) float64 {
						if i == j-center {
							return 2 + a.at(i, j)
						}
						return a.at(i, j) / float64(n)
					}
				}
				a, x := matrix[T](r, n, n), vector[T](r, n)
				a.fill(r, steady(a, 0))
				whole := dense(a.at).triangle(uplo, diag)
				check(t, Trmv(s, uplo, diag, a.MatrixBuffer, x.vector()))
				expectProduct(r, "Trmv "+what, x, 1, whole, n, operand[T]{x.MatrixBuffer, x.host}, 0)
				x = vector[T](r, n)
				check(t, Trsv(s, uplo, diag, a.MatrixBuffer, x.vector()))
				expectSolution(r, "Trsv "+what, whole, x, n)

				width := r.IntN(7)
				if n > 100 {
					width += 60
				}
				below, above := width, 0
				if uplo == Upper {
					below, above = 0, width
				}
				storage := matrix[T](r, n, width+1)
				storage.fill(r, func(i, j int) float64 {
					if j == below {
						return 2 + storage.at(i, j)
					}
					return storage.at(i, j) / float64(n+1)
				})
				band := BandOf(storage.MatrixBuffer, n, below, above)
				whole = dense(func(i, j int) float64 { return storage.at(i, j-i+below) }).band(below, above).triangle(uplo, diag)
				limited := whole.band(below, above)
				x = vector[T](r, n)
				check(t, Tbmv(s, diag, band, x.vector()))
				expectProduct(r, "Tbmv "+what, x, 1, limited, n, x, 0)
				x = vector[T](r, n)
				check(t, Tbsv(s, diag, band, x.vector()))
				expectSolution(r, fmt.Sprintf("Tbsv %s, %d diagonals", what, width), limited, x, n)
				x, y := vector[T](r, n), vector[T](r, n)
				check(t, Sbmv(s, 0.5, band, x.vector(), 2, y.vector()))
				stored := dense(func(i, j int) float64 { return storage.at(i, j-i+below) }).band(below, above)
				both := func(i, j int) float64 {
					if uplo == Lower && j > i || uplo == Upper && i > j {
						i, j = j, i
					}
					return stored(i, j)
				}
				expectProduct(r, "Sbmv "+what, y, 0.5, both, n, x, 2)
			}
		}
	}
}

// expectSolution puts what x has become into a·x, which is what it was.
func expectSolution[T Real](r *source, what string, a dense, x operand[T], n int) {
	r.t.Helper()
	got := read(r, x.Buffer)
	same(r, what, got)
	for i := range n {
		sum, size := a.row(i, n, func(j int) float64 { return wide(got[x.Offset+j*x.ColStride]) })
		if want := x.element(i); !(math.Abs(sum-want) <= beyond[T](n, size)) {
			r.t.Fatalf("%s: row %d of the solution gives %v, want %v", what, i, sum, want)
		}
	}
}

package linalg

import (
	"errors"
	"fmt"
	"math"
	"math/cmplx"
	"slices"
	"testing"

	"github.com/gpuc/gpuc/runtime/gpu"
)

// complexes is a matrix of complex numbers, or a vector as one row. Its parts are small whole
// numbers, so that products and sums are exact.
type complexes[C Complex] struct {
	gpu.MatrixBuffer[C]
	host []C
}

// complexesOf makes a matrix with random strides.
func complexesOf[C Complex](r *source, rows, cols int) complexes[C] {
	l := matrix[float32](r, rows, cols).MatrixLayout
	host := make([]C, max(l.Offset, l.Offset+(rows-1)*l.RowStride)+max((cols-1)*l.ColStride, 0)+3)
	for i := range host {
		host[i] = C(complex(float64(r.IntN(9)-4), float64(r.IntN(9)-4)))
	}
	return complexes[C]{gpu.MatrixBuffer[C]{Buffer: uploaded(r, host), MatrixLayout: l}, host}
}

func (x complexes[C]) vector() Vector[C] { return Vector[C]{x.Buffer, x.Offset, x.Cols, x.ColStride} }

func (x complexes[C]) position(i, j int) int { return x.Offset + i*x.RowStride + j*x.ColStride }

// at returns an element as it was.
func (x complexes[C]) at(i, j int) complex128 { return complex128(x.host[x.position(i, j)]) }

func (x complexes[C]) T() complexes[C] { return complexes[C]{x.MatrixBuffer.T(), x.host} }

// fillNaN makes all elements of the matrix NaN.
func (x complexes[C]) fillNaN(r *source) complexes[C] {
	for i := range x.Rows {
		for j := range x.Cols {
			x.host[x.position(i, j)] = C(cmplx.NaN())
		}
	}
	check(r.t, x.Buffer.Write(r.s, x.host))
	return x
}

// positiveZeros returns a list with +0 for −0: Mesa's software Vulkan (22.3) makes −0 of 0·x − 0·y
// after a loop with fused products. All others make +0.
func positiveZeros[C Complex](list []C) []C {
	list = slices.Clone(list)
	for i := range list {
		list[i] += 0
	}
	return list
}

// expect compares all elements of the buffer with those that there should be. Those beside the
// matrix are as they were.
func (x complexes[C]) expect(r *source, what string, want func(i, j int) complex128) {
	r.t.Helper()
	all := slices.Clone(x.host)
	for i := range x.Rows {
		for j := range x.Cols {
			all[x.position(i, j)] = C(want(i, j))
		}
	}
	got := read(r, x.Buffer)
	same(r, fmt.Sprintf("%s, %T", what, got), positiveZeros(got))
	for i, v := range all {
		if got[i] != v && !(cmplx.IsNaN(complex128(got[i])) && cmplx.IsNaN(complex128(v))) {
			r.t.Fatalf("%s of %T: element %d of the buffer is %v, want %v", what, v, i, got[i], v)
		}
	}
}

func TestComplexVectors(t *testing.T) {
	onDevices(t, true, func(t *testing.T, s *gpu.Stream) {
		complexVectors[complex64, float32](t, s)
		complexVectors[complex128, float64](t, s)
	})
}

func complexVectors[C Complex, T Real](t *testing.T, s *gpu.Stream) {
	r := sourceOf(t, s, 41)
	for _, n := range some(r, []int{0, 1, 3, 255, 257, 1023, 1025, 5000}, 4) {
		for _, alpha := range []C{0, 2, C(3 - 2i)} {
			x, y := complexesOf[C](r, 1, n), complexesOf[C](r, 1, n)
			check(t, CAxpy(s, alpha, x.vector(), y.vector()))
			y.expect(r, fmt.Sprintf("CAxpy of %d", n), func(_, i int) complex128 { return complex128(alpha)*x.at(0, i) + y.at(0, i) })
			z := complexesOf[C](r, 1, n)
			check(t, CScal(s, alpha, z.vector()))
			z.expect(r, fmt.Sprintf("CScal of %d", n), func(_, i int) complex128 { return complex128(alpha) * z.at(0, i) })
		}
		x, y, z := complexesOf[C](r, 1, n), complexesOf[C](r, 1, n), complexesOf[C](r, 1, n)
		check(t, CCopy(s, x.vector(), z.vector()))
		z.expect(r, fmt.Sprintf("CCopy of %d", n), func(_, i int) complex128 { return x.at(0, i) })
		var dotu, dotc complex128
		var squares, sum, greatest float64
		index := int32(-1)
		for i := range n {
			v := x.at(0, i)
			dotu += v * y.at(0, i)
			dotc += cmplx.Conj(v) * y.at(0, i)
			squares += real(v)*real(v) + imag(v)*imag(v)
			size := math.Abs(real(v)) + math.Abs(imag(v))
			sum += size
			if index < 0 || size > greatest {
				index, greatest = int32(i), size
			}
		}
		to := uploaded(r, []C{99, 98})
		check(t, CDotu(s, x.vector(), y.vector(), to))
		if got := read(r, to); got[0] != C(dotu) || got[1] != 98 {
			t.Errorf("CDotu of %d is %v, want %v", n, got, dotu)
		}
		check(t, CDotc(s, x.vector(), y.vector(), to))
		if got := read(r, to); got[0] != C(dotc) || got[1] != 98 {
			t.Errorf("CDotc of %d is %v, want %v", n, got, dotc)
		}
		part := uploaded(r, []T{99, 98})
		check(t, CNrm2(s, x.vector(), part))
		if got := read(r, part); math.Abs(float64(got[0])-math.Sqrt(squares)) > 4*epsilon[T]()*math.Sqrt(squares) || got[1] != 98 {
			t.Errorf("CNrm2 of %d is %v, want %v", n, got, math.Sqrt(squares))
		}
		check(t, CAsum(s, x.vector(), part))
		if got := read(r, part); got[0] != T(sum) || got[1] != 98 {
			t.Errorf("CAsum of %d is %v, want %v", n, got, sum)
		}
		at := uploaded(r, []int32{99, 98})
		check(t, CIamax(s, x.vector(), at))
		if got := read(r, at); got[0] != index || got[1] != 98 {
			t.Errorf("CIamax of %d is %v, want %v", n, got, index)
		}
		check(t, CSwap(s, x.vector(), y.vector()))
		x.expect(r, fmt.Sprintf("x of CSwap of %d", n), func(_, i int) complex128 { return y.at(0, i) })
		y.expect(r, fmt.Sprintf("y of CSwap of %d", n), func(_, i int) complex128 { return x.at(0, i) })
	}
	// What is not finite becomes zero by zero, and is not read by an alpha of zero.
	x, y := complexesOf[C](r, 1, 5).fillNaN(r), complexesOf[C](r, 1, 5)
	check(t, CAxpy(s, 0, x.vector(), y.vector()))
	y.expect(r, "CAxpy by 0", func(_, i int) complex128 { return y.at(0, i) })
	check(t, CScal(s, 0, x.vector()))
	x.expect(r, "CScal by 0", func(int, int) complex128 { return 0 })
}

// variants are matrices as they are, transposes, conjugates and adjoints, with elements as loops
// read them.
func variants[C Complex](r *source, rows, cols int) (list []Operand[C], at []func(i, j int) complex128) {
	a, b := complexesOf[C](r, rows, cols), complexesOf[C](r, cols, rows)
	conj := func(i, j int) complex128 { return cmplx.Conj(a.at(i, j)) }
	return []Operand[C]{Plain(a.MatrixBuffer), {a.MatrixBuffer, true}, Plain(b.T().MatrixBuffer), Adjoint(b.MatrixBuffer)},
		[]func(i, j int) complex128{a.at, conj, b.T().at, func(i, j int) complex128 { return cmplx.Conj(b.at(j, i)) }}
}

func TestComplexMatrices(t *testing.T) {
	onDevices(t, true, func(t *testing.T, s *gpu.Stream) {
		complexMatrices[complex64](t, s)
		if s.Device().Info().Driver == gpu.CPU { // others take ten seconds to compile the kernel
			complexMatrices[complex128](t, s)
		}
	})
}

func complexMatrices[C Complex](t *testing.T, s *gpu.Stream) {
	r := sourceOf(t, s, 42)
	sizes := [][3]int{{7, 66, 9}}
	if s.Device().Info().Driver == gpu.CPU {
		sizes = some(r, [][3]int{{7, 66, 9}, {0, 3, 2}, {3, 0, 2}, {4, 5, 0}, {1, 1, 1}, {33, 64, 17}, {70, 66, 11}, {130, 5, 2}}, 3)
	}
	for _, size := range sizes {
		m, n, k := size[0], size[1], size[2]
		as, readA := variants[C](r, m, k)
		bs, readB := variants[C](r, k, n)
		for v := range as {
			alpha, beta := []C{1, 0, C(2 - 1i), 3}[v], []C{0, C(1i), 2, 1}[v]
			w := r.IntN(len(bs))
			what := fmt.Sprintf("of %v, %d and %d", size, v, w)
			old := func(x complexes[C], i, j int) complex128 {
				if beta == 0 {
					return 0
				}
				return complex128(beta) * x.at(i, j)
			}
			c, x, y := complexesOf[C](r, m, n), complexesOf[C](r, 1, k), complexesOf[C](r, 1, m)
			if beta == 0 {
				c.fillNaN(r)
				y.fillNaN(r)
			}
			check(t, CGemm(s, alpha, as[v], bs[w], beta, c.MatrixBuffer))
			c.expect(r, "CGemm "+what, func(i, j int) complex128 {
				var sum complex128
				for l := range k {
					sum += readA[v](i, l) * readB[w](l, j)
				}
				return complex128(alpha)*sum + old(c, i, j)
			})
			check(t, CGemv(s, alpha, as[v], x.vector(), beta, y.vector()))
			y.expect(r, "CGemv "+what, func(_, i int) complex128 {
				var sum complex128
				for l := range k {
					sum += readA[v](i, l) * x.at(0, l)
				}
				return complex128(alpha)*sum + old(y, 0, i)
			})
			for _, uplo := range []Uplo{Lower, Upper} {
				inside := func(i, j int) bool { return i == j || (j < i) == (uplo == Lower) }
				c := complexesOf[C](r, m, m)
				check(t, CHerk(s, uplo, 2, as[v], -3, c.MatrixBuffer))
				c.expect(r, "CHerk "+what, func(i, j int) complex128 {
					if !inside(i, j) {
						return c.at(i, j)
					}
					var sum complex128
					for l := range k {
						sum += readA[v](i, l) * cmplx.Conj(readA[v](j, l))
					}
					sum = 2*sum - 3*c.at(i, j)
					if i == j {
						sum = complex(real(sum), 0)
					}
					return sum
				})
				c = complexesOf[C](r, m, m)
				check(t, CSyrk(s, uplo, alpha, as[v], C(1i), c.MatrixBuffer))
				c.expect(r, "CSyrk "+what, func(i, j int) complex128 {
					if !inside(i, j) {
						return c.at(i, j)
					}
					var sum complex128
					for l := range k {
						sum += readA[v](i, l) * readA[v](j, l)
					}
					return complex128(alpha)*sum + 1i*c.at(i, j)
				})
				c = complexesOf[C](r, m, m)
				w := r.IntN(len(as))
				other := as[w]
				check(t, CHer2k(s, uplo, alpha, as[v], other, 2, c.MatrixBuffer))
				c.expect(r, "CHer2k "+what, func(i, j int) complex128 {
					if !inside(i, j) {
						return c.at(i, j)
					}
					var sum complex128
					for l := range k {
						sum += complex128(alpha)*readA[v](i, l)*cmplx.Conj(readA[w](j, l)) + cmplx.Conj(complex128(alpha))*readA[w](i, l)*cmplx.Conj(readA[v](j, l))
					}
					sum += 2 * c.at(i, j)
					if i == j {
						sum = complex(real(sum), 0)
					}
					return sum
				})
				c = complexesOf[C](r, m, m)
				check(t, CSyr2k(s, uplo, alpha, as[v], other, C(1i), c.MatrixBuffer))
				c.expect(r, "CSyr2k "+what, func(i, j int) complex128 {
					if !inside(i, j) {
						return c.at(i, j)
					}
					var sum complex128
					for l := range k {
						sum += readA[v](i, l)*readA[w](j, l) + readA[w](i, l)*readA[v](j, l)
					}
					return complex128(alpha)*sum + 1i*c.at(i, j)
				})
				// The triangle of a that is not read is NaN.
				a, b := complexesOf[C](r, m, m), complexesOf[C](r, m, n)
				for i := range m {
					for j := range m {
						if !inside(i, j) {
							a.host[a.position(i, j)] = C(cmplx.NaN())
						}
					}
				}
				check(t, a.Buffer.Write(s, a.host))
				whole := func(i, j int) complex128 {
					switch {
					case i == j:
						return complex(real(a.at(i, i)), 0)
					case inside(i, j):
						return a.at(i, j)
					}
					return cmplx.Conj(a.at(j, i))
				}
				d, e := complexesOf[C](r, m, n), complexesOf[C](r, n, m)
				check(t, CHemm(s, Left, uplo, alpha, a.MatrixBuffer, b.MatrixBuffer, 2, d.MatrixBuffer))
				d.expect(r, "CHemm "+what, func(i, j int) complex128 {
					var sum complex128
					for l := range m {
						sum += whole(i, l) * b.at(l, j)
					}
					return complex128(alpha)*sum + 2*d.at(i, j)
				})
				check(t, CSymm(s, Right, uplo, alpha, a.MatrixBuffer, b.T().MatrixBuffer, 2, e.MatrixBuffer))
				e.expect(r, "CSymm "+what, func(j, i int) complex128 {
					var sum complex128
					for l := range m {
						v := a.at(l, i)
						if !inside(l, i) {
							v = a.at(i, l)
						}
						sum += b.at(l, j) * v
					}
					return complex128(alpha)*sum + 2*e.at(j, i)
				})
			}
		}
		for name, f := range map[string]func(*gpu.Stream, C, Vector[C], Vector[C], gpu.MatrixBuffer[C]) error{"CGeru": CGeru[C], "CGerc": CGerc[C]} {
			x, y, a := complexesOf[C](r, 1, m), complexesOf[C](r, 1, n), complexesOf[C](r, m, n)
			check(t, f(s, C(2+1i), x.vector(), y.vector(), a.MatrixBuffer))
			a.expect(r, fmt.Sprintf("%s of %v", name, size), func(i, j int) complex128 {
				v := y.at(0, j)
				if name == "CGerc" {
					v = cmplx.Conj(v)
				}
				return a.at(i, j) + (2+1i)*x.at(0, i)*v
			})
		}
	}
}

func TestComplexTriangles(t *testing.T) {
	onDevices(t, true, func(t *testing.T, s *gpu.Stream) {
		complexTriangles[complex64, float32](t, s)
		if s.Device().Info().Driver == gpu.CPU {
			complexTriangles[complex128, float64](t, s)
		}
	})
}

// complexTriangles compares products with loops, and multiplies solutions to get right sides.
func complexTriangles[C Complex, T Real](t *testing.T, s *gpu.Stream) {
	r := sourceOf(t, s, 44)
	sizes := [][2]int{{5, 3}}
	if s.Device().Info().Driver == gpu.CPU {
		sizes = append(sizes, [2]int{0, 2}, [2]int{1, 1}, [2]int{17, 66}, [2]int{40, 2})
	}
	for _, size := range sizes {
		n, cols := size[0], size[1]
		for which := range 8 {
			side, uplo, diag := Side(which&1), Uplo(which>>1&1), Diag(which>>2)
			a := complexesOf[C](r, n, n)
			op, at := Plain(a.MatrixBuffer), a.at
			if r.IntN(2) == 0 {
				op, at = Adjoint(a.MatrixBuffer), func(i, j int) complex128 { return cmplx.Conj(a.at(j, i)) }
			}
			for i := range n { // what is not read is NaN, and diagonals are large
				for j := range n {
					k := a.position(i, j)
					beside := i != j && (j < i) != ((uplo == Lower) != op.Conjugated)
					switch {
					case beside || i == j && diag == Unit:
						a.host[k] = C(cmplx.NaN())
					case i == j:
						a.host[k] = C(complex(16, 8))
					case diag == Unit: // so that solutions stay small
						a.host[k] *= 1.0 / 16
					}
				}
			}
			check(t, a.Buffer.Write(s, a.host))
			element := func(i, j int) complex128 {
				switch {
				case i == j && diag == Unit:
					return 1
				case i == j || (j < i) == (uplo == Lower):
					return at(i, j)
				}
				return 0
			}
			b, x := complexesOf[C](r, n, cols), complexesOf[C](r, n, cols)
			if side == Right {
				b, x = b.T(), x.T()
			}
			// product returns an element of a·y or y·a.
			product := func(y func(i, j int) complex128, i, j int) (sum complex128) {
				for l := range n {
					if side == Left {
						sum += element(i, l) * y(l, j)
					} else {
						sum += y(i, l) * element(l, j)
					}
				}
				return sum
			}
			what := fmt.Sprintf("of %v, %d", size, which)
			check(t, CTrmm(s, side, uplo, diag, C(2+1i), op, b.MatrixBuffer))
			b.expect(r, "CTrmm "+what, func(i, j int) complex128 { return (2 + 1i) * product(b.at, i, j) })
			check(t, CTrsm(s, side, uplo, diag, C(1i), op, x.MatrixBuffer))
			solution := complexes[C]{x.MatrixBuffer, read(r, x.Buffer)}
			same(r, fmt.Sprintf("CTrsm %s, %T", what, solution.host), positiveZeros(solution.host))
			for i := range x.Rows {
				for j := range x.Cols {
					if got, want := product(solution.at, i, j), 1i*x.at(i, j); !(cmplx.Abs(got-want) <= 1e4*epsilon[T]()) {
						t.Fatalf("CTrsm %s: the product has element (%d, %d) %v, want %v", what, i, j, got, want)
					}
				}
			}
			zero := complexesOf[C](r, x.Rows, x.Cols).fillNaN(r)
			check(t, CTrsm(s, side, uplo, diag, 0, op, zero.MatrixBuffer))
			zero.expect(r, "CTrsm by 0", func(int, int) complex128 { return 0 })
			check(t, CTrmm(s, side, uplo, diag, 0, op, zero.MatrixBuffer))
		}
	}
}

// TestOtherParts: results of another type than the parts of complex numbers are errors.
func TestOtherParts(t *testing.T) {
	s := onCPU(t)
	r := sourceOf(t, s, 43)
	x, result := complexesOf[complex64](r, 1, 4), uploaded(r, []float64{99})
	for what, err := range map[string]error{
		"CNrm2": CNrm2(s, x.vector(), result),
		"CAsum": CAsum(s, x.vector(), result),
	} {
		var shape *gpu.ShapeError
		if !errors.As(err, &shape) || shape.Operation != "linalg."+what || shape.Parameter != "result" {
			t.Errorf("%s: %v", what, err)
		}
	}
	if got := read(r, result); got[0] != 99 {
		t.Errorf("the result is %v", got)
	}
}

package linalg

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/kernels/linalg/internal/product"
	"github.com/gpuc/gpuc/runtime/gpu"
)

func TestGemm(t *testing.T) {
	onDevices(t, true, func(t *testing.T, s *gpu.Stream) {
		gemm[float32](t, s)
		gemm[float64](t, s)
		gemm[gpu.Float16](t, s)
		gemm[gpu.BFloat16](t, s)
	})
}

// gemm compares products with loops in float64.
func gemm[T Element](t *testing.T, s *gpu.Stream) {
	r := sourceOf(t, s, 6)
	list := [][3]int{{0, 3, 2}, {3, 0, 2}, {3, 2, 0}, {1, 1, 1}, {1, 5, 9}, {32, 32, 32}, {33, 31, 17}, {64, 64, 64}, {65, 130, 33}, {130, 200, 40}, {260, 64, 31}}
	for range 4 {
		list = append(list, [3]int{r.IntN(70), r.IntN(70), r.IntN(70)})
	}
	for _, size := range some(r, list, 5) {
		m, n, k := size[0], size[1], size[2]
		for _, factors := range [][2]float64{{1, 0}, {0.5, -2}, {0, 0.5}} {
			for _, options := range [][]Option{nil, {Strict()}} {
				r.loose = options == nil
				alpha, beta := factors[0], factors[1]
				a, b, c := matrix[T](r, m, k), matrix[T](r, k, n), matrix[T](r, m, n)
				if beta == 0 {
					c.fill(r, func(int, int) float64 { return math.NaN() })
				}
				check(t, Gemm(s, alpha, a.MatrixBuffer, b.MatrixBuffer, beta, c.MatrixBuffer, options...))
				expectGemm(r, fmt.Sprintf("Gemm %v·a·b + %v·c, %d × %d × %d, %T, %v", alpha, beta, m, k, n, *new(T), options), alpha, a, b, beta, c)
			}
		}
	}
}

// TestDoubleTiles: products of float64 by each tile, which Gemm chooses for large matrices only. On
// devices without units for float64 the kernels have other code.
func TestDoubleTiles(t *testing.T) {
	for _, name := range []string{gpu.CPU, gpu.CUDA} {
		t.Run(name, func(t *testing.T) {
			if name == gpu.CPU {
				testmode.Long(t)
			}
			d, err := gpu.Open(gpu.Named(name))
			if errors.Is(err, gpu.ErrNoDevice) {
				t.Skip("skipped: no device of " + name)
			}
			check(t, err)
			defer d.Close()
			multiplyDoubles(t, streamOf(t, d))
		})
	}
}

// multiplyDoubles multiplies matrices of float64 by each tile.
func multiplyDoubles(t *testing.T, s *gpu.Stream) {
	r := sourceOf(t, s, 19)
	r.loose = true
	for _, d := range doubleTiles {
		for n, size := range [][3]int{{300, 100, 270}, {128, 64, 128}, {131, 33, 67}} {
			beta := []float64{0, -2, 0.5}[n]
			a, b, c := matrix[float64](r, size[0], size[1]), matrix[float64](r, size[1], size[2]), matrix[float64](r, size[0], size[2])
			if n == 1 { // as Gemm copies what is not aligned
				for _, x := range []*operand[float64]{&a, &b} {
					m, err := regular(s, x.MatrixBuffer)
					check(t, err)
					*x = operand[float64]{m, read(r, m.Buffer)}
				}
			}
			check(t, launchDouble(s, d.tile, 0.5, a.MatrixBuffer, b.MatrixBuffer, beta, c.MatrixBuffer, product.All, Option{}))
			expectGemm(r, fmt.Sprintf("0.5·a·b + %v·c, %v, tiles of %v", beta, size, d.tile), 0.5, a, b, beta, c)
		}
	}
}

// TestNewTiles: products by each tile for new results, which Gemm chooses on devices with tensor
// maps only, with operands as Gemm copies them there.
func TestNewTiles(t *testing.T) {
	onDevices(t, true, func(t *testing.T, s *gpu.Stream) {
		singles := append([]timedTile{ofTranspose}, newSingleTiles...)
		newTiles[float32](t, s, singles)
		newTiles[gpu.Float16](t, s, newHalfTiles)
		newTiles[gpu.BFloat16](t, s, newHalfTiles)
	})
}

func newTiles[T Element](t *testing.T, s *gpu.Stream, list []timedTile) {
	r := sourceOf(t, s, 20)
	r.loose = true
	for n := range list {
		for _, size := range some(r, [][3]int{{300, 100, 270}, {128, 64, 128}, {131, 33, 67}}, 1) {
			a, b, c := matrix[T](r, size[0], size[1]), matrix[T](r, size[1], size[2]), matrix[T](r, size[0], size[2])
			c.fill(r, func(int, int) float64 { return math.NaN() })
			x := a.MatrixBuffer
			if list[n].tile == ofTranspose.tile {
				x = x.T()
			}
			left, err1 := regular(s, x)
			right, err2 := regular(s, b.MatrixBuffer)
			check(t, errors.Join(err1, err2))
			check(t, launchNew(s, list[n].tile, 0.5, left, right, c.MatrixBuffer))
			expectGemm(r, fmt.Sprintf("0.5·a·b of %T, %v, tiles of %v", *new(T), size, list[n].tile), 0.5, a, b, 0, c)
			check(t, errors.Join(dropped(left, x), dropped(right, b.MatrixBuffer)))
		}
	}
}

// expectGemm compares c with alpha·a·b + beta·c.
func expectGemm[T Element](r *source, what string, alpha float64, a, b operand[T], beta float64, c operand[T]) {
	r.t.Helper()
	c.expect(r, what, func(i, j int) (float64, float64) { return element(alpha, a.at, b.at, a.Cols, beta, c, i, j) })
}

// element returns an element of alpha·a·b + beta·c, and a bound for differences. Elements are
// rounded to T, sums at least to float32.
func element[T Element](alpha float64, a, b dense, k int, beta float64, c operand[T], i, j int) (value, bound float64) {
	sum, size := a.row(i, k, func(l int) float64 { return b(l, j) })
	value = alpha * sum
	if beta != 0 {
		value += beta * c.at(i, j)
	}
	fine := max(epsilon[T](), epsilon[float64]())
	if fine > epsilon[float32]() {
		fine = epsilon[float32]()
	}
	return value, fine*float64(k+4)*(size+2) + epsilon[T]()*math.Abs(value)
}

// TestSplit: products of split operands have the errors of float32. Mesa's software Vulkan compiles
// the kernel for a quarter of a minute, so that it runs on the processor.
func TestSplit(t *testing.T) {
	s := onCPU(t)
	r := sourceOf(t, s, 16)
	full := func(int, int) float64 { return r.Float64()*4 - 2 } // numbers with all bits of float32
	for _, size := range [][3]int{{3, 2, 0}, {1, 1, 1}, {5, 7, 1}, {130, 20, 3}, {20, 140, 70}} {
		m, n, k := size[0], size[1], size[2]
		for _, beta := range []float64{0, 0.5} {
			a, b, c := matrix[float32](r, m, k).fill(r, full), matrix[float32](r, k, n).fill(r, full), matrix[float32](r, m, n)
			check(t, Gemm(s, 0.5, a.MatrixBuffer, b.MatrixBuffer, beta, c.MatrixBuffer, Split()))
			c.expect(r, fmt.Sprintf("%d × %d × %d", m, k, n), func(i, j int) (float64, float64) {
				value, _ := element(0.5, a.at, b.at, k, beta, c, i, j)
				_, size := dense(a.at).row(i, k, func(l int) float64 { return b.at(l, j) })
				return value, 0x1p-23 * (size + 1) * (1 + float64(k)/8)
			})
		}
	}
	// Parts of the triangle, and other elements than float32, which are not split.
	a, c, d := matrix[float32](r, 50, 9), matrix[float32](r, 50, 50), matrix[float64](r, 5, 5)
	check(t, Syrk(s, Lower, 1, a.MatrixBuffer, 1, c.MatrixBuffer, Split()))
	c.expect(r, "Syrk", func(i, j int) (float64, float64) {
		if j > i {
			return 0, -1
		}
		return element(1, a.at, a.T().at, 9, 1, c, i, j)
	})
	e, f := matrix[float64](r, 5, 5), matrix[float64](r, 5, 5)
	check(t, Gemm(s, 1, d.MatrixBuffer, e.MatrixBuffer, 0, f.MatrixBuffer, Split()))
	expectGemm(r, "float64", 1, d, e, 0, f)
}

// TestTF32: three products of split operands have errors below those of TensorFloat-32, and other
// options count more. The processor has no units for them, and computes as without the option.
func TestTF32(t *testing.T) {
	s := onCPU(t)
	r := sourceOf(t, s, 18)
	full := func(int, int) float64 { return r.Float64()*4 - 2 }
	compare := func(what string, bound float64, f func(a, b, c operand[float32]) error) {
		for _, size := range [][3]int{{3, 2, 0}, {5, 7, 1}, {130, 20, 3}, {20, 140, 70}} {
			m, n, k := size[0], size[1], size[2]
			a, b, c := matrix[float32](r, m, k).fill(r, full), matrix[float32](r, k, n).fill(r, full), matrix[float32](r, m, n)
			check(t, f(a, b, c))
			c.expect(r, fmt.Sprintf("%s, %d × %d × %d", what, m, k, n), func(i, j int) (float64, float64) {
				value, _ := element(0.5, a.at, b.at, k, 2, c, i, j)
				_, size := dense(a.at).row(i, k, func(l int) float64 { return b.at(l, j) })
				return value, bound * (size + 1)
			})
		}
	}
	compare("three products", 0x1p-15, func(a, b, c operand[float32]) error {
		return launchSplit(s, 0.5, a.MatrixBuffer, b.MatrixBuffer, 2, c.MatrixBuffer, product.All, true)
	})
	compare("no units", 0x1p-18, func(a, b, c operand[float32]) error {
		return Gemm(s, 0.5, a.MatrixBuffer, b.MatrixBuffer, 2, c.MatrixBuffer, TF32())
	})
	compare("six products", 0x1p-18, func(a, b, c operand[float32]) error {
		return Gemm(s, 0.5, a.MatrixBuffer, b.MatrixBuffer, 2, c.MatrixBuffer, TF32(), Split())
	})
	var info gpu.Info
	if multipliesSplit(info) {
		t.Error("a device without units has some")
	}
	info.Hardware.Matrices = []string{"f16", "bf16"}
	if !multipliesSplit(info) {
		t.Error("a device with units has none")
	}
}

func TestGemmBatch(t *testing.T) {
	onDevices(t, true, func(t *testing.T, s *gpu.Stream) {
		batch[float32](t, s)
		batch[float64](t, s)
		batch[gpu.Float16](t, s)
		batch[gpu.BFloat16](t, s)
	})
}

// TestBatchOfSmall: small matrices have the bits of the kernel for larger ones, which strict sums
// are in one order for.
func TestBatchOfSmall(t *testing.T) {
	s := onCPU(t)
	r := sourceOf(t, s, 17)
	a, b, c := matrix[float32](r, 16, 33), matrix[float32](r, 33, 16), matrix[float32](r, 16, 16)
	wider := matrix[float32](r, 16, 17) // the same, and a column more
	more := matrix[float32](r, 33, 17)
	more.fill(r, func(i, j int) float64 { return b.at(i, min(j, 15)) })
	wider.fill(r, func(i, j int) float64 { return c.at(i, min(j, 15)) })
	check(t, GemmBatch(s, 0.3, Batch[float32]{a.MatrixBuffer, 1, 0}, Batch[float32]{b.MatrixBuffer, 1, 0}, 0.7, Batch[float32]{c.MatrixBuffer, 1, 0}, Strict()))
	check(t, GemmBatch(s, 0.3, Batch[float32]{a.MatrixBuffer, 1, 0}, Batch[float32]{more.MatrixBuffer, 1, 0}, 0.7, Batch[float32]{wider.MatrixBuffer, 1, 0}, Strict()))
	large := operand[float32]{wider.MatrixBuffer, read(r, wider.Buffer)}
	c.expect(r, "a small matrix", func(i, j int) (float64, float64) { return large.at(i, j), 0 })
}

// batch compares products in batches with loops in float64.
func batch[T Element](t *testing.T, s *gpu.Stream) {
	r := sourceOf(t, s, 7)
	for _, size := range some(r, [][4]int{{0, 3, 2, 2}, {3, 0, 2, 2}, {3, 2, 0, 4}, {5, 1, 1, 1}, {7, 4, 5, 6}, {3, 33, 20, 40}, {2, 64, 70, 65}}, 3) {
		count, m, k, n := size[0], size[1], size[2], size[3]
		for _, options := range [][]Option{nil, {Strict()}} {
			r.loose = options == nil
			many := func(rows, cols int, shared bool) (operand[T], Batch[T]) {
				whole := matrix[T](r, count*rows, cols)
				one := whole.MatrixBuffer.Sub(0, 0, rows, cols)
				one.Rows, one.Cols = rows, cols
				stride := rows * whole.RowStride
				if shared {
					stride = 0
				}
				return whole, Batch[T]{one, count, stride}
			}
			a, as := many(m, k, false)
			b, bs := many(k, n, true)
			c, cs := many(m, n, false)
			check(t, GemmBatch(s, 0.5, as, bs, 2, cs, options...))
			c.expect(r, fmt.Sprintf("GemmBatch of %v %T, %v", size, *new(T), options), func(i, j int) (float64, float64) {
				return element(0.5, a.at, b.at, k, 2, c, i, j)
			})
		}
	}
}

// activations are the functions of epilogues, as their papers have them.
var activations = map[Activation]func(x float64) float64{
	Identity:  func(x float64) float64 { return x },
	ReLU:      func(x float64) float64 { return math.Max(x, 0) },
	LeakyReLU: func(x float64) float64 { return math.Max(x, 0.01*x) },
	Sigmoid:   func(x float64) float64 { return 1 / (1 + math.Exp(-x)) },
	Tanh:      math.Tanh,
	SiLU:      func(x float64) float64 { return x / (1 + math.Exp(-x)) },
	GELU: func(x float64) float64 {
		return x / 2 * (1 + math.Tanh(math.Sqrt(2/math.Pi)*(x+0.044715*x*x*x)))
	},
}

func TestEpilogue(t *testing.T) {
	onDevices(t, true, func(t *testing.T, s *gpu.Stream) {
		epilogues[float32](t, s)
		epilogues[gpu.Float16](t, s)
		epilogues[gpu.BFloat16](t, s)
	})
}

// epilogues compares products with a bias and an activation with loops in float64.
func epilogues[T Element](t *testing.T, s *gpu.Stream) {
	r := sourceOf(t, s, 10)
	r.loose = true
	for activation, f := range activations {
		for _, with := range []bool{true, false} {
			m, k, n := 1+r.IntN(40), r.IntN(9), 1+r.IntN(300)
			a, b, c, bias := matrix[T](r, m, k), matrix[T](r, k, n), matrix[T](r, m, n), vector[T](r, n)
			var v Vector[T]
			if with {
				v = bias.vector()
			}
			check(t, Gemm(s, 2, a.MatrixBuffer, b.MatrixBuffer, 0.5, c.MatrixBuffer, Epilogue(v, activation)))
			c.expect(r, fmt.Sprintf("activation %d of %T, bias: %v", activation, *new(T), with), func(i, j int) (float64, float64) {
				x, bound := element(2, a.at, b.at, k, 0.5, c, i, j)
				if with {
					x += bias.element(j)
				}
				return f(x), 2*bound + 2*epsilon[T]()*math.Abs(f(x)) + 1e-5
			})
		}
	}
}

// TestEpilogueRefuses: an epilogue that does not fit is an error, and nothing is multiplied.
func TestEpilogueRefuses(t *testing.T) {
	s := onCPU(t)
	r := sourceOf(t, s, 11)
	a, b, c, long, other := matrix[float32](r, 4, 4), matrix[float32](r, 4, 4), matrix[float32](r, 4, 4), vector[float32](r, 5), vector[gpu.Float16](r, 4)
	for what, o := range map[string]Option{
		"a long bias":         Epilogue(long.vector(), ReLU),
		"other elements":      Epilogue(other.vector(), ReLU),
		"no activation":       Epilogue(Vector[float32]{}, GELU+1),
		"a bias out of range": Epilogue(Vector[float32]{long.Buffer, 100, 4, 1}, ReLU),
	} {
		if err := Gemm(s, 1, a.MatrixBuffer, b.MatrixBuffer, 0, c.MatrixBuffer, o); !errors.Is(err, gpu.ErrShape) {
			t.Errorf("%s: %v", what, err)
		}
	}
	own := Epilogue(Vector[float32]{c.Buffer, c.Offset, 4, c.ColStride}, ReLU)
	if err := Gemm(s, 1, a.MatrixBuffer, b.MatrixBuffer, 0, c.MatrixBuffer, own); !errors.Is(err, gpu.ErrAlias) {
		t.Errorf("a bias in the result: %v", err)
	}
	c.expect(r, "refused", func(i, j int) (float64, float64) { return c.at(i, j), 0 })
	d := matrix[float64](r, 2, 2)
	if err := Gemm(s, 1, d.MatrixBuffer, matrix[float64](r, 2, 2).MatrixBuffer, 0, matrix[float64](r, 2, 2).MatrixBuffer, Epilogue(Vector[float64]{}, ReLU)); !errors.Is(err, gpu.ErrShape) {
		t.Errorf("float64: %v", err)
	}
}

package linalg

import (
	"fmt"
	"math"
	"testing"

	"github.com/gpuc/gpuc/kernels/linalg/internal/product"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// TestSkinny compares products by matrices of few columns with loops in float64. The processor has
// other kernels for them, so that their functions are called.
func TestSkinny(t *testing.T) {
	onDevices(t, true, func(t *testing.T, s *gpu.Stream) {
		skinnyProducts(t, s, fewColumns, skinnyReal[float32, product.F32])
		if s.Device().Info().Driver != gpu.CPU { // others compile a kernel for a second
			return
		}
		skinnyProducts(t, s, fewColumns, skinnyReal[float64, product.F64])
		skinnyProducts(t, s, fewColumnsHalf, skinnyHalf[gpu.Float16, product.F16])
		skinnyProducts(t, s, fewColumnsHalf, skinnyHalf[gpu.BFloat16, product.BF16])
	})
}

func skinnyProducts[T Element, S Real](t *testing.T, s *gpu.Stream, most int, f func(s *gpu.Stream, alpha S, a, b gpu.MatrixBuffer[T], beta S, c gpu.MatrixBuffer[T]) error) {
	r := sourceOf(t, s, 61)
	r.loose = true
	for _, size := range some(r, [][3]int{{1, 1, 1}, {33, 3, 257}, {300, 8, 700}, {130, most, 256}, {257, most - 1, 1100}}, 2) {
		m, n, k := size[0], size[1], size[2]
		for _, beta := range []float64{0, -2} {
			a, b, c := matrix[T](r, m, k), matrix[T](r, k, n), matrix[T](r, m, n)
			if beta == 0 {
				c.fill(r, func(int, int) float64 { return math.NaN() })
			}
			check(t, f(s, 0.5, a.MatrixBuffer, b.MatrixBuffer, S(beta), c.MatrixBuffer))
			expectGemm(r, fmt.Sprintf("%d × %d × %d, %T, %v", m, k, n, *new(T), beta), 0.5, a, b, beta, c)
		}
	}
}

// TestSkinnyChoice: Gemm has kernels of their own for few columns and few rows.
func TestSkinnyChoice(t *testing.T) {
	device := gpu.Info{Driver: gpu.CUDA}
	for _, test := range []struct {
		rows, k, cols int
		single, half  bool
	}{
		{4096, 4096, 1, true, true}, {4096, 4096, 8, true, true}, {4096, 4096, 9, true, false}, {4096, 4096, 16, true, false},
		{4096, 4096, 17, false, false}, {64, 4096, 4, false, false}, {4096, 64, 4, false, false}, {1 << 30, 4096, 4, false, false},
	} {
		if single, half := isSkinny[float32](device, test.rows, test.k, test.cols), isSkinny[gpu.Float16](device, test.rows, test.k, test.cols); single != test.single || half != test.half {
			t.Errorf("%+v: %v and %v", test, single, half)
		}
	}
	onDevices(t, true, func(t *testing.T, s *gpu.Stream) {
		r := sourceOf(t, s, 62)
		r.loose = true
		for _, size := range [][3]int{{150, 5, 140}, {5, 150, 140}} {
			a, b, c := matrix[float32](r, size[0], size[2]), matrix[float32](r, size[2], size[1]), matrix[float32](r, size[0], size[1])
			check(t, Gemm(s, 0.5, a.MatrixBuffer, b.MatrixBuffer, 2, c.MatrixBuffer))
			expectGemm(r, fmt.Sprint(size), 0.5, a, b, 2, c)
		}
	})
}

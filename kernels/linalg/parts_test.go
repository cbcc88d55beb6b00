package linalg

import (
	"fmt"
	"math"
	"testing"

	"github.com/gpuc/gpuc/kernels/linalg/internal/fast"
	"github.com/gpuc/gpuc/kernels/linalg/internal/product"
	"github.com/gpuc/gpuc/runtime/driver"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// TestParts compares products by parts of sums with loops in float64. No device of the tests has so
// many multiprocessors that Gemm chooses them.
func TestParts(t *testing.T) {
	onDevices(t, true, func(t *testing.T, s *gpu.Stream) {
		productsByParts(t, s, func(a, b gpu.MatrixBuffer[float32], width int, beta float32, c gpu.MatrixBuffer[float32]) error {
			return launchParts[float32, product.F32](s, fast.LaunchGemmParts64, 0.5, a, b, width, beta, c)
		})
		if s.Device().Info().Driver != gpu.CPU { // others compile a kernel for a second
			return
		}
		productsByParts(t, s, func(a, b gpu.MatrixBuffer[float64], width int, beta float64, c gpu.MatrixBuffer[float64]) error {
			return launchParts[float64, product.F64](s, fast.LaunchGemmPartsDouble64, 0.5, a, b, width, beta, c)
		})
	})
}

func productsByParts[T Real](t *testing.T, s *gpu.Stream, f func(a, b gpu.MatrixBuffer[T], width int, beta T, c gpu.MatrixBuffer[T]) error) {
	r := sourceOf(t, s, 63)
	r.loose = true
	for _, size := range some(r, [][4]int{{1, 1, 2, 32}, {65, 3, 64, 32}, {70, 130, 100, 32}, {64, 64, 257, 96}}, 2) {
		m, n, k := size[0], size[1], size[2]
		for _, beta := range []float64{0, -2} {
			a, b, c := matrix[T](r, m, k), matrix[T](r, k, n), matrix[T](r, m, n)
			if beta == 0 {
				c.fill(r, func(int, int) float64 { return math.NaN() })
			}
			check(t, f(a.MatrixBuffer, b.MatrixBuffer, size[3], T(beta), c.MatrixBuffer))
			expectGemm(r, fmt.Sprintf("%d × %d × %d by %d, %T, %v", m, k, n, size[3], T(0), beta), 0.5, a, b, beta, c)
		}
	}
}

// TestPartsChoice: results of few tiles, and sums of many products, have parts.
func TestPartsChoice(t *testing.T) {
	large := gpu.Info{Driver: gpu.CUDA, Hardware: driver.Hardware{Units: 132}}
	for _, test := range []struct {
		info              gpu.Info
		rows, cols, depth int
		width             int
	}{
		{large, 512, 512, 512, 128}, {large, 64, 2048, 4096, 512}, {large, 64, 2048, 128, 128}, {large, 4096, 4096, 4096, 4096},
		{large, 64, 32, 4096, 4096}, {large, 64, 64, 1000, 160}, {gpu.Info{Driver: gpu.CPU}, 64, 64, 4096, 4096}, {gpu.Info{Driver: gpu.Vulkan}, 64, 64, 4096, 4096},
	} {
		if width := partsOf(test.info, gpu.MatrixLayout{Rows: test.rows, Cols: test.cols}, test.depth); width != test.width {
			t.Errorf("%d × %d × %d on %s: parts of %d products, want %d", test.rows, test.depth, test.cols, test.info.Driver, width, test.width)
		}
	}
}

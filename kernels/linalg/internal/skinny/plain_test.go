package skinny

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/gpuc/gpuc/kernels/linalg/internal/product"
	"github.com/gpuc/gpuc/runtime/gpu"
	"github.com/gpuc/gpuc/runtime/gpu/gputest"
)

// TestPlain runs kernels as plain Go and on all devices. All numbers are exact.
func TestPlain(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	random := func(rows, cols int) gpu.Matrix[float32] {
		list := make([]float32, rows*cols)
		for i := range list {
			list[i] = float32(r.IntN(9) - 4)
		}
		return gpu.NewMatrix(list, rows, cols)
	}
	const rows, k, cols = 40, 300, 5
	a, b, c, sums := random(rows, k), random(k, cols), random(rows, cols), random(2*rows, cols).Data()
	parts := gpu.D2(1, 2)
	gputest.Compare(t, gputest.Exact, func() { GoRows8[float32, float32, product.F32](parts, a, b, items, sums) },
		func(ctx context.Context, d *gpu.Device) error {
			return RunRows8[float32, float32, product.F32](ctx, d, parts, a, b, items, sums)
		}, sums)
	gputest.Compare(t, gputest.Exact, func() { GoJoin[float32, float32, product.F32](gpu.D1(1), 2, 2, sums, 3, c) },
		func(ctx context.Context, d *gpu.Device) error {
			return RunJoin[float32, float32, product.F32](ctx, d, gpu.D1(1), 2, 2, sums, 3, c)
		}, c.Data())
}

package pairs

import (
	"context"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/runtime/gpu"
	"github.com/gpuc/gpuc/runtime/gpu/gputest"
)

// TestPlain runs kernels as plain Go and on all devices, and compares the bits.
func TestPlain(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	random := func(n int) [][2]float32 {
		list := make([][2]float32, n)
		for i := range list {
			list[i] = [2]float32{float32(r.IntN(41)-20) / 16, float32(r.IntN(41)-20) / 16}
		}
		return list
	}
	const n, rows, cols = block + 77, 37, 45
	alpha, beta := [2]float32{2, -0.5}, [2]float32{0.25, 3}
	x, y, sums := random(2*n), random(n), random(2)
	px, py := Line{1, 2}, Line{n - 1, -1}
	a, b, c := random(rows*cols), random(rows*cols), random(rows*rows)
	ma, mb, mc := Layout{0, rows, cols, cols, 1}, Layout{0, cols, rows, 1, cols}, Layout{0, rows, rows, rows, 1}
	triangle := random(unknowns * unknowns)
	for i := range unknowns {
		triangle[i*unknowns+i] = [2]float32{20, 5}
	}
	mt := Layout{0, unknowns, unknowns, unknowns, 1}
	two := gpu.D1(2)
	type device = func(context.Context, *gpu.Device) error
	kernels := map[string]struct {
		plain   func()
		run     device
		written []any
	}{
		"axpy": {func() { goAxpy(two, alpha, n, px, py, x, y) },
			func(ctx context.Context, d *gpu.Device) error { return runAxpy(ctx, d, two, alpha, n, px, py, x, y) }, []any{y}},
		"scale": {func() { goScale(two, alpha, n, 0, px, x) },
			func(ctx context.Context, d *gpu.Device) error { return runScale(ctx, d, two, alpha, n, 0, px, x) }, []any{x}},
		"dot": {func() { goDot(two, n, 1, px, py, x, y, sums) },
			func(ctx context.Context, d *gpu.Device) error { return runDot(ctx, d, two, n, 1, px, py, x, y, sums) }, []any{sums}},
		"gemvRows": {func() { goGemvRows[float32, single](two, alpha, beta, 1, ma, px, py, a, x, y) },
			func(ctx context.Context, d *gpu.Device) error {
				return runGemvRows[float32, single](ctx, d, two, alpha, beta, 1, ma, px, py, a, x, y)
			}, []any{y}},
		"gemvColumns": {func() { goGemvColumns[float32, single](two, alpha, beta, 1, mb, px, py, a, x, y) },
			func(ctx context.Context, d *gpu.Device) error {
				return runGemvColumns[float32, single](ctx, d, two, alpha, beta, 1, mb, px, py, a, x, y)
			}, []any{y}},
		"rank1": {func() { goRank1(two, alpha, 1, ma, px, py, x, y, a) },
			func(ctx context.Context, d *gpu.Device) error {
				return runRank1(ctx, d, two, alpha, 1, ma, px, py, x, y, a)
			}, []any{a}},
		"gemm": {func() { goGemm[float32, single](gpu.D1(1), alpha, beta, 2, Upper|Hermitian, ma, mb, mc, a, b, c) },
			func(ctx context.Context, d *gpu.Device) error {
				return runGemm[float32, single](ctx, d, gpu.D1(1), alpha, beta, 2, Upper|Hermitian, ma, mb, mc, a, b, c)
			}, []any{c}},
		"expand": {func() { goExpand(two, Lower|Hermitian, mc, mc, c, a[:rows*rows]) },
			func(ctx context.Context, d *gpu.Device) error {
				return runExpand(ctx, d, two, Lower|Hermitian, mc, mc, c, a[:rows*rows])
			}, []any{a[:rows*rows]}},
		"solve": {func() { goSolve(two, 1, unknowns-1, -1, unknowns, 0, mt, ma, ma, triangle, a, b) },
			func(ctx context.Context, d *gpu.Device) error {
				return runSolve(ctx, d, two, 1, unknowns-1, -1, unknowns, 0, mt, ma, ma, triangle, a, b)
			}, []any{a, b}},
	}
	for k, name := range slices.Sorted(maps.Keys(kernels)) {
		if !testmode.Sampled(k, 4) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			test := kernels[name]
			gputest.Compare(t, gputest.Exact, test.plain, test.run, test.written...)
		})
	}
}

package jacobi

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
	r := rand.New(rand.NewPCG(16, 1))
	random := func(n int) []float32 {
		list := make([]float32, n)
		for i := range list {
			list[i] = float32(r.IntN(41)-20) / 16
		}
		return list
	}
	const rows, columns = 70, 60
	s := Shape{Count: 2, Rows: rows, Columns: columns, Blocks: 4, Parts: 1}
	long := Shape{Count: 1, Rows: PartRows + 5, Columns: 20, Blocks: 2, Parts: 2}
	square := Shape{Count: 2, Rows: columns, Columns: columns, Blocks: 4, Parts: 1}
	w, x, wide := random(2*rows*64), random(2*columns*64), random((PartRows+5)*32)
	g, parts, scales, bounds, values := random(2*2*Order*Order), random(2*Order*Order), []float32{2, 0.25}, []float32{1, 3}, random(2*columns)
	for i := range Order { // a product of columns is symmetric, and has positive squares
		for j := range i {
			for _, first := range []int{0, Order * Order, 2 * Order * Order, 3 * Order * Order} {
				g[first+i*Order+j] = g[first+j*Order+i]
			}
		}
		for first := 0; first < len(g); first += Order * Order {
			g[first+i*Order+i] = 10 + float32(i%5)
		}
	}
	idle, busy, rotated, info, rank := make([]int32, 2), []int32{1, 0}, make([]int32, 2), make([]int32, 2), make([]int32, 1)
	changes, order := make([]int32, 2*2*Order), make([]int32, 2*columns)
	for i := range changes {
		changes[i] = int32((i*7 + 3) % Order)
	}
	changes[Order] = -1
	for i := range order {
		order[i] = int32((i*7 + 3) % columns)
	}
	data := gpu.NewMatrix(random(2*rows*columns), rows, columns)
	small, vectors, result := gpu.NewMatrix(random(3*7*7), 7, 7), gpu.NewMatrix(random(3*7*7), 7, 7), random(3*7)
	factors, to, tau := gpu.NewMatrix(random(2*9*5), 9, 5), gpu.NewMatrix(random(2*9*5), 9, 5), random(2*5)
	failures, sums := make([]int32, 3), []float32{3, 0.75, 9, 100}
	grid, one := gpu.D1(3), gpu.D1(1)
	type device = func(context.Context, *gpu.Device) error
	kernels := map[string]struct {
		plain   func()
		run     device
		written []any
	}{
		"EigenSmall": {func() { GoEigenSmall(grid, 3, small, 49, 1e-7, result, 1, vectors, 49, failures) },
			func(ctx context.Context, d *gpu.Device) error {
				return RunEigenSmall(ctx, d, grid, 3, small, 49, 1e-7, result, 1, vectors, 49, failures)
			}, []any{result, vectors.Data(), failures}},
		"Gram": {func() { GoGram(grid, s, 2, w, busy, g) },
			func(ctx context.Context, d *gpu.Device) error { return RunGram(ctx, d, grid, s, 2, w, busy, g) }, []any{g}},
		"Gram of parts": {func() { GoGram(one, long, 0, wide, idle, parts) },
			func(ctx context.Context, d *gpu.Device) error {
				return RunGram(ctx, d, one, long, 0, wide, idle, parts)
			}, []any{parts}},
		"Rotate": {func() { GoRotate(grid, s, 2, 3, 1e-12, 1e-15, idle, g, changes, rotated) },
			func(ctx context.Context, d *gpu.Device) error {
				return RunRotate(ctx, d, grid, s, 2, 3, 1e-12, 1e-15, idle, g, changes, rotated)
			}, []any{g, changes, rotated}},
		"Update": {func() { GoUpdate(grid, s, 1, rows, busy, changes, g, w) },
			func(ctx context.Context, d *gpu.Device) error {
				return RunUpdate(ctx, d, grid, s, 1, rows, busy, changes, g, w)
			}, []any{w}},
		"Pair": {func() { GoPair(one, long, 4, 3, 1e-11, 1e-15, 1, wide, g, idle) },
			func(ctx context.Context, d *gpu.Device) error {
				return RunPair(ctx, d, one, long, 4, 3, 1e-11, 1e-15, 1, wide, g, idle)
			}, []any{wide, g, idle}},
		"EndSweep": {func() { GoEndSweep(one, 2, rotated, idle) },
			func(ctx context.Context, d *gpu.Device) error { return RunEndSweep(ctx, d, one, 2, rotated, idle) }, []any{rotated, idle}},
		"Measure": {func() { GoMeasure(one, 2, 2, data, rows*columns, 0, result) },
			func(ctx context.Context, d *gpu.Device) error {
				return RunMeasure(ctx, d, one, 2, 2, data, rows*columns, 0, result)
			}, []any{result}},
		"Scales": {func() { GoScales(one, 2, 2, sums, scales) },
			func(ctx context.Context, d *gpu.Device) error { return RunScales(ctx, d, one, 2, 2, sums, scales) }, []any{scales}},
		"Squares": {func() { GoSquares(one, square, 2, x, result) },
			func(ctx context.Context, d *gpu.Device) error { return RunSquares(ctx, d, one, square, 2, x, result) }, []any{result}},
		"Load": {func() { GoLoad(grid, square, data, rows*columns, Symmetric, scales, x) },
			func(ctx context.Context, d *gpu.Device) error {
				return RunLoad(ctx, d, grid, square, data, rows*columns, Symmetric, scales, x)
			}, []any{x}},
		"Load a triangle": {func() { GoLoad(grid, square, data, rows*columns, Triangle, scales, x) },
			func(ctx context.Context, d *gpu.Device) error {
				return RunLoad(ctx, d, grid, square, data, rows*columns, Triangle, scales, x)
			}, []any{x}},
		"Unit": {func() { GoUnit(grid, s, scales, w[:2*64*64]) },
			func(ctx context.Context, d *gpu.Device) error { return RunUnit(ctx, d, grid, s, scales, w[:2*64*64]) }, []any{w}},
		"Power": {func() { GoPower(grid, square, 2, 2, sums, x, bounds) },
			func(ctx context.Context, d *gpu.Device) error {
				return RunPower(ctx, d, grid, square, 2, 2, sums, x, bounds)
			}, []any{x, bounds}},
		"Shift": {func() { GoShift(one, square, bounds, x) },
			func(ctx context.Context, d *gpu.Device) error { return RunShift(ctx, d, one, square, bounds, x) }, []any{x}},
		"Norms": {func() { GoNorms(one, s, 1, w, values) },
			func(ctx context.Context, d *gpu.Device) error { return RunNorms(ctx, d, one, s, 1, w, values) }, []any{w, values}},
		"Quotients": {func() { GoQuotients(one, square, x, w, values) },
			func(ctx context.Context, d *gpu.Device) error { return RunQuotients(ctx, d, one, square, x, w, values) }, []any{values}},
		"Sort": {func() { GoSort(one, s, 1, w[:2*columns], scales, busy, values, order, info) },
			func(ctx context.Context, d *gpu.Device) error {
				return RunSort(ctx, d, one, s, 1, w[:2*columns], scales, busy, values, order, info)
			}, []any{values, order, info}},
		"Gather": {func() { GoGather(grid, s, rows, w, order, data, rows*columns) },
			func(ctx context.Context, d *gpu.Device) error {
				return RunGather(ctx, d, grid, s, rows, w, order, data, rows*columns)
			}, []any{data.Data()}},
		"Signs": {func() { GoSigns(one, 2, factors, 45, to, 45) },
			func(ctx context.Context, d *gpu.Device) error { return RunSigns(ctx, d, one, 2, factors, 45, to, 45) }, []any{to.Data()}},
		"Reflect": {func() { GoReflect(one, 2, factors, 45, tau, to, 45) },
			func(ctx context.Context, d *gpu.Device) error {
				return RunReflect(ctx, d, one, 2, factors, 45, tau, to, 45)
			}, []any{to.Data()}},
		"Reciprocals": {func() { GoReciprocals(one, 0.5, bounds, idle, gpu.NewMatrix(result, 10, 2), rank) },
			func(ctx context.Context, d *gpu.Device) error {
				return RunReciprocals(ctx, d, one, 0.5, bounds, idle, gpu.NewMatrix(result, 10, 2), rank)
			}, []any{result, rank}},
		"Condition": {func() { GoCondition(one, 2, bounds, result) },
			func(ctx context.Context, d *gpu.Device) error { return RunCondition(ctx, d, one, 2, bounds, result) }, []any{result}},
	}
	for k, name := range slices.Sorted(maps.Keys(kernels)) {
		if !testmode.Sampled(k, 8) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			test := kernels[name]
			gputest.Compare(t, gputest.Exact, test.plain, test.run, test.written...)
		})
	}
}

package sparse

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
	const rows, cols, room, tiles = 300, 70, 2300, 2
	m := Shape{rows, cols, room}
	starts, columns, values := make([]int32, rows+1), make([]int32, room), make([]float32, room)
	for i := range rows {
		starts[i+1] = starts[i] + int32(r.IntN(5))
		if i == 70 {
			starts[i+1] = starts[i] + 1700
		}
	}
	for k := range room {
		columns[k], values[k] = int32(r.IntN(cols+2)-1), float32(r.IntN(41)-20)/16
	}
	random := func(n int) []float32 {
		list := make([]float32, n)
		for i := range list {
			list[i] = float32(r.IntN(41)-20) / 16
		}
		return list
	}
	x, y, parts, pathRows := random(2*cols), random(rows), random(2*tiles), make([]int32, tiles+1)
	b, c := gpu.NewMatrix(random(cols*40), cols, 40), gpu.NewMatrix(random(rows*40), rows, 40)
	dense := gpu.NewMatrix(random(rows*cols), rows, cols)
	for i := range rows * cols / 2 {
		dense.Set(2*i/cols, 2*i%cols, 0)
	}
	px, py := Line{1, 2}, Line{rows - 1, -1}
	keys := make([]Key, 2*block)
	for k := range keys {
		keys[k] = Key{uint32(r.IntN(50)), uint32(k)}
	}
	numbers, counts := make([]int32, room), make([]int32, rows+1)
	two, one := gpu.D1(2), gpu.D1(1)
	GoPathRows(two, m, starts, tiles, pathRows)
	denseStarts := make([]int32, rows+1)
	GoCountRows(two, dense, denseStarts)
	GoSumStarts(one, rows, denseStarts)
	type device = func(context.Context, *gpu.Device) error
	kernels := map[string]struct {
		plain   func()
		run     device
		written []any
	}{
		"PathRows": {func() { GoPathRows(two, m, starts, tiles, pathRows) },
			func(ctx context.Context, d *gpu.Device) error {
				return RunPathRows(ctx, d, two, m, starts, tiles, pathRows)
			}, []any{pathRows}},
		"PathSums": {func() { GoPathSums(two, m, starts, columns, values, tiles, pathRows, 3, x, px, 2, y, py, parts) },
			func(ctx context.Context, d *gpu.Device) error {
				return RunPathSums(ctx, d, two, m, starts, columns, values, tiles, pathRows, 3, x, px, 2, y, py, parts)
			}, []any{y, parts}},
		"JoinSums": {func() { GoJoinSums(one, m, starts, tiles, pathRows, 3, 2, y, py, parts) },
			func(ctx context.Context, d *gpu.Device) error {
				return RunJoinSums(ctx, d, one, m, starts, tiles, pathRows, 3, 2, y, py, parts)
			}, []any{y}},
		"Times": {func() { GoTimes(two, m, starts, columns, values, 3, b, 2, c) },
			func(ctx context.Context, d *gpu.Device) error {
				return RunTimes(ctx, d, two, m, starts, columns, values, 3, b, 2, c)
			}, []any{c.Data()}},
		"CountRows": {func() { GoCountRows(two, dense, counts) },
			func(ctx context.Context, d *gpu.Device) error { return RunCountRows(ctx, d, two, dense, counts) }, []any{counts}},
		"SumStarts": {func() { GoSumStarts(one, rows, numbers) },
			func(ctx context.Context, d *gpu.Device) error { return RunSumStarts(ctx, d, one, rows, numbers) }, []any{numbers}},
		"FromDense": {func() { GoFromDense(two, m, dense, denseStarts, columns, values) },
			func(ctx context.Context, d *gpu.Device) error {
				return RunFromDense(ctx, d, two, m, dense, denseStarts, columns, values)
			}, []any{columns, values}},
		"SortBlocks": {func() { GoSortBlocks(two, 2*block, 2, keys) },
			func(ctx context.Context, d *gpu.Device) error { return RunSortBlocks(ctx, d, two, 2*block, 2, keys) }, []any{keys}},
		"ExchangeKeys": {func() { GoExchangeKeys(two, 2*block, 2*block, block, keys) },
			func(ctx context.Context, d *gpu.Device) error {
				return RunExchangeKeys(ctx, d, two, 2*block, 2*block, block, keys)
			}, []any{keys}},
		"KeyStarts": {func() { GoKeyStarts(one, 60, 2*block, keys, counts) },
			func(ctx context.Context, d *gpu.Device) error {
				return RunKeyStarts(ctx, d, one, 60, 2*block, keys, counts)
			}, []any{counts}},
		"Faults": {func() { GoFaults(two, m, starts, columns, numbers) },
			func(ctx context.Context, d *gpu.Device) error {
				return RunFaults(ctx, d, two, m, starts, columns, numbers)
			}, []any{numbers}},
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

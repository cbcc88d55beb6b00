package linalg

import (
	"context"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/kernels/linalg/internal/product"
	"github.com/gpuc/gpuc/kernels/linalg/internal/strict"
	"github.com/gpuc/gpuc/runtime/gpu"
	"github.com/gpuc/gpuc/runtime/gpu/gputest"
)

// TestPlain runs kernels as plain Go and on all devices, and compares the bits.
func TestPlain(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 1))
	random := func(n int) []float32 {
		list := make([]float32, n)
		for i := range list {
			list[i] = float32(r.IntN(41)-20) / 16
		}
		return list
	}
	const n = 2*block + 77
	const rows, cols = 37, 45
	x, y, states, to := random(2*n), random(n), random(3), random(1)
	forward, back := line{1, 2}, line{n - 1, -1}
	m, big := gpu.NewMatrix(random(rows*cols), rows, cols), gpu.NewMatrix(random(cols*rows), cols, rows)
	square, other := gpu.NewMatrix(random(rows*rows), rows, rows), gpu.NewMatrix(random(rows*rows), rows, rows)
	for i := range rows {
		square.Set(i, i, 20)
	}
	tau, pivots, info := random(rows), make([]int32, rows), make([]int32, 1)
	for i := range pivots {
		pivots[i] = int32(i + r.IntN(rows-i))
	}
	norms, indices := make([]squares[float32], 3), make([]ranked[uint32], 3)
	for i := range indices {
		norms[i], indices[i] = squares[float32]{0, 2, float32(i)}, ranked[uint32]{uint32(i % 2), int32(9 - i)}
	}
	index, d, o := make([]int32, 1), span{-5, 7}, normOf[float32]()
	three, one := gpu.D1(3), gpu.D1(1)
	type device = func(context.Context, *gpu.Device) error
	kernels := map[string]struct {
		plain   func()
		run     device
		written []any
	}{
		"axpy": {func() { goAxpy(three, n, 3, x, forward, y, back) },
			func(ctx context.Context, d *gpu.Device) error {
				return runAxpy(ctx, d, three, n, 3, x, forward, y, back)
			}, []any{y}},
		"copyVector": {func() { goCopyVector(three, n, x, forward, y, back) },
			func(ctx context.Context, d *gpu.Device) error {
				return runCopyVector(ctx, d, three, n, x, forward, y, back)
			}, []any{y}},
		"swap": {func() { goSwap(three, n, x, forward, y, back) },
			func(ctx context.Context, d *gpu.Device) error { return runSwap(ctx, d, three, n, x, forward, y, back) }, []any{x, y}},
		"rotate": {func() { goRotate(three, n, 0.5, 2, x, forward, y, back) },
			func(ctx context.Context, d *gpu.Device) error {
				return runRotate(ctx, d, three, n, 0.5, 2, x, forward, y, back)
			}, []any{x, y}},
		"scale": {func() { goScale(three, n, 3, x, forward) },
			func(ctx context.Context, d *gpu.Device) error { return runScale(ctx, d, three, n, 3, x, forward) }, []any{x}},
		"dot": {func() { goDot(three, n, x, forward, y, back, states) },
			func(ctx context.Context, d *gpu.Device) error {
				return runDot(ctx, d, three, n, x, forward, y, back, states)
			}, []any{states}},
		"asum": {func() { goAsum(three, n, x, forward, states) },
			func(ctx context.Context, d *gpu.Device) error { return runAsum(ctx, d, three, n, x, forward, states) }, []any{states}},
		"nrm2": {func() { goNrm2(three, n, o, x, forward, norms) },
			func(ctx context.Context, d *gpu.Device) error { return runNrm2(ctx, d, three, n, o, x, forward, norms) }, []any{norms}},
		"iamax": {func() { goIamax[float32, uint32, magnitude32](three, n, x, forward, indices) },
			func(ctx context.Context, d *gpu.Device) error {
				return runIamax[float32, uint32, magnitude32](ctx, d, three, n, x, forward, indices)
			}, []any{indices}},
		"sumStates": {func() { goSumStates(one, 3, states, to) },
			func(ctx context.Context, d *gpu.Device) error { return runSumStates(ctx, d, one, 3, states, to) }, []any{to}},
		"nrm2States": {func() { goNrm2States(one, 3, o, norms, to) },
			func(ctx context.Context, d *gpu.Device) error { return runNrm2States(ctx, d, one, 3, o, norms, to) }, []any{to}},
		"iamaxStates": {func() { goIamaxStates[float32, uint32, magnitude32](one, 3, indices, index) },
			func(ctx context.Context, d *gpu.Device) error {
				return runIamaxStates[float32, uint32, magnitude32](ctx, d, one, 3, indices, index)
			}, []any{index}},
		"gemvRows": {func() { goGemvRows(three, 3, m.Data(), layoutOf(m.Layout()), d, 64, x, forward, 2, y, back) },
			func(ctx context.Context, dev *gpu.Device) error {
				return runGemvRows(ctx, dev, three, 3, m.Data(), layoutOf(m.Layout()), d, 64, x, forward, 2, y, back)
			}, []any{y}},
		"gemvColumns": {func() { goGemvColumns(three, 3, m.Data(), layoutOf(m.Layout()), d, 64, x, forward, 2, y, back) },
			func(ctx context.Context, dev *gpu.Device) error {
				return runGemvColumns(ctx, dev, three, 3, m.Data(), layoutOf(m.Layout()), d, 64, x, forward, 2, y, back)
			}, []any{y}},
		"addParts": {func() { goAddParts(three, rows, 3, 3, x, 2, y, back) },
			func(ctx context.Context, d *gpu.Device) error {
				return runAddParts(ctx, d, three, rows, 3, 3, x, 2, y, back)
			}, []any{y}},
		"solveVector": {func() { goSolveVector(one, square, rows-1, -1, rows, 5, 0, x, forward, y) },
			func(ctx context.Context, d *gpu.Device) error {
				return runSolveVector(ctx, d, one, square, rows-1, -1, rows, 5, 0, x, forward, y)
			}, []any{x, y}},
		"rank1": {func() { goRank1(three, 3, x, forward, y, back, m, d) },
			func(ctx context.Context, dev *gpu.Device) error {
				return runRank1(ctx, dev, three, 3, x, forward, y, back, m, d)
			}, []any{m.Data()}},
		"rank2": {func() { goRank2(three, 3, x, forward, y, back, square, d) },
			func(ctx context.Context, dev *gpu.Device) error {
				return runRank2(ctx, dev, three, 3, x, forward, y, back, square, d)
			}, []any{square.Data()}},
		"transpose": {func() { goTranspose(three, m, big) },
			func(ctx context.Context, d *gpu.Device) error { return runTranspose(ctx, d, three, m, big) }, []any{big.Data()}},
		"copyMatrix": {func() { goCopyMatrix(three, m.T(), big) },
			func(ctx context.Context, d *gpu.Device) error { return runCopyMatrix(ctx, d, three, m.T(), big) }, []any{big.Data()}},
		"expand": {func() { goExpand(three, square, span{0, rows}, symmetric, other) },
			func(ctx context.Context, d *gpu.Device) error {
				return runExpand(ctx, d, three, square, span{0, rows}, symmetric, other)
			}, []any{other.Data()}},
		"scaleMatrix": {func() { goScaleMatrix(three, 3, m) },
			func(ctx context.Context, d *gpu.Device) error { return runScaleMatrix(ctx, d, three, 3, m) }, []any{m.Data()}},
		"exchangeRows": {func() { goExchangeRows(three, m, pivots, 3, rows) },
			func(ctx context.Context, d *gpu.Device) error {
				return runExchangeRows(ctx, d, three, m, pivots, 3, rows)
			}, []any{m.Data()}},
		"joinReflections": {func() { goJoinReflections(one, 30, square, tau, 2, other) },
			func(ctx context.Context, d *gpu.Device) error {
				return runJoinReflections(ctx, d, one, 30, square, tau, 2, other)
			}, []any{other.Data()}},
		"clearNumbers": {func() { goClearNumbers(one, 1, info) },
			func(ctx context.Context, d *gpu.Device) error { return runClearNumbers(ctx, d, one, 1, info) }, []any{info}},
		"solveColumns": {func() { goSolveColumns(one, square, 3, 1, unknowns, 0, m, gpu.NewMatrix(y, rows, cols)) },
			func(ctx context.Context, d *gpu.Device) error {
				return runSolveColumns(ctx, d, one, square, 3, 1, unknowns, 0, m, gpu.NewMatrix(y, rows, cols))
			}, []any{m.Data(), y}},
		"cholesky": {func() { goCholesky(one, 1, square, 0, 0, info) },
			func(ctx context.Context, d *gpu.Device) error { return runCholesky(ctx, d, one, 1, square, 0, 0, info) }, []any{square.Data(), info}},
		"luPanel": {func() { goLuPanel[float32, uint32, magnitude32](one, 1, m, 0, 0, pivots, info) },
			func(ctx context.Context, d *gpu.Device) error {
				return runLuPanel[float32, uint32, magnitude32](ctx, d, one, 1, m, 0, 0, pivots, info)
			}, []any{m.Data(), pivots, info}},
		"qrPanel": {func() {
			goQrPanel[float32, [4]float32](one, m.T(), 1, tau, 0, big, other)
		}, func(ctx context.Context, d *gpu.Device) error {
			return runQrPanel[float32, [4]float32](ctx, d, one, m.T(), 1, tau, 0, big, other)
		}, []any{m.Data(), tau, big.Data(), other.Data()}},
		"qrBatch32": {func() {
			goQrBatch32[float32, [4]float32](one, 2, m.Sub(0, 0, 9, 11), 9*cols, 0, tau)
		}, func(ctx context.Context, d *gpu.Device) error {
			return runQrBatch32[float32, [4]float32](ctx, d, one, 2, m.Sub(0, 0, 9, 11), 9*cols, 0, tau)
		}, []any{m.Data(), tau}},
		"qrBatch64": {func() {
			goQrBatch64[float32, [4]float32](one, 1, m, 0, 0, tau)
		}, func(ctx context.Context, d *gpu.Device) error {
			return runQrBatch64[float32, [4]float32](ctx, d, one, 1, m, 0, 0, tau)
		}, []any{m.Data(), tau}},
		"gemm32": {func() {
			strict.GoGemm32[float32, float32, product.F32](three, 2, m, big, 3, square, product.Upper)
		}, func(ctx context.Context, d *gpu.Device) error {
			return strict.RunGemm32[float32, float32, product.F32](ctx, d, three, 2, m, big, 3, square, product.Upper)
		}, []any{square.Data()}},
		"gemm64": {func() { strict.GoGemm64[float32, float32, product.F32](one, 2, m, big, 3, square, product.All) },
			func(ctx context.Context, d *gpu.Device) error {
				return strict.RunGemm64[float32, float32, product.F32](ctx, d, one, 2, m, big, 3, square, product.All)
			}, []any{square.Data()}},
		"batch32": {func() {
			strict.GoBatch32[float32, float32, product.F32](three, 2, 2, m.Sub(0, 0, 9, 9), 9*cols, big.Sub(0, 0, 9, 9), 0, 3, square.Sub(0, 0, 9, 9), 9*rows)
		}, func(ctx context.Context, d *gpu.Device) error {
			return strict.RunBatch32[float32, float32, product.F32](ctx, d, three, 2, 2, m.Sub(0, 0, 9, 9), 9*cols, big.Sub(0, 0, 9, 9), 0, 3, square.Sub(0, 0, 9, 9), 9*rows)
		}, []any{square.Data()}},
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

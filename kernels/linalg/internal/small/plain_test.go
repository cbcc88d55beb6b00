package small

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/gpuc/gpuc/runtime/gpu"
	"github.com/gpuc/gpuc/runtime/gpu/gputest"
)

// TestPlain runs kernels as plain Go and on all devices. All numbers are exact.
func TestPlain(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	const count = 9
	at := Steps{FirstA: 1, StepA: 1, FirstB: 3, StepC: 1}
	var a, b, c [count + 1][64][4]float32
	for p := range a {
		for q := range a[p] {
			for e := range a[p][q] {
				a[p][q][e], b[p][q][e], c[p][q][e] = float32(r.IntN(9)-4), float32(r.IntN(9)-4), float32(r.IntN(9)-4)
			}
		}
	}
	gputest.Compare(t, gputest.Exact,
		func() { goSingle16Of(gpu.D1(1), count, 2, a[:], b[:], 3, c[:], at) },
		func(ctx context.Context, d *gpu.Device) error {
			return runSingle16Of(ctx, d, gpu.D1(1), count, 2, a[:], b[:], 3, c[:], at)
		}, c[:])
	x, y, z := make([]float32, 200), make([]float32, 200), make([]float32, 200)
	for i := range x {
		x[i], y[i], z[i] = float32(r.IntN(9)-4), float32(r.IntN(9)-4), float32(r.IntN(9)-4)
	}
	ma, mb, mc := gpu.NewMatrix(x[:196], 28, 7).Sub(0, 0, 5, 7), gpu.NewMatrix(y[:189], 63, 3).Sub(0, 0, 7, 3), gpu.NewMatrix(z[:198], 66, 3).Sub(0, 0, 5, 3)
	list := [][3]int32{{1, 0, 3}, {5, 0, 0}, {4, 2, 1}}
	gputest.Compare(t, gputest.Exact,
		func() {
			goSingle16Listed(gpu.D1(1), len(list), 2, ma, 35, mb, 21, 1, mc, 15, 1, list, [3]int32{5, 5, 5})
		},
		func(ctx context.Context, d *gpu.Device) error {
			return runSingle16Listed(ctx, d, gpu.D1(1), len(list), 2, ma, 35, mb, 21, 1, mc, 15, 1, list, [3]int32{5, 5, 5})
		}, z)
}

package columns

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/runtime/gpu"
	"github.com/gpuc/gpuc/runtime/gpu/gputest"
)

// operands are matrices of rows × cols elements, and what kernels write.
type operands[T Real] struct {
	count, rows, cols int
	a, u, v           gpu.Matrix[T]
	values, tau       []T
	info              []int32
}

func newOperands[T Real](count, rows, cols int) operands[T] {
	r := rand.New(rand.NewPCG(uint64(rows), uint64(cols)))
	list := make([]T, count*rows*cols)
	for i := range list {
		list[i] = T(r.IntN(41)-20) / 16
	}
	n := min(rows, cols)
	return operands[T]{count, rows, cols, gpu.NewMatrix(list, rows, cols), gpu.NewMatrix(make([]T, count*rows*n), rows, n),
		gpu.NewMatrix(make([]T, count*cols*n), cols, n), make([]T, count*n), make([]T, count*n), make([]int32, count)}
}

// clone returns operands with memory of their own.
func (o operands[T]) clone() operands[T] {
	to := newOperands[T](o.count, o.rows, o.cols)
	copy(to.a.Data(), o.a.Data())
	return to
}

const relative, floor = 0x1p-40, 0x1p-52

// all are arguments of both kernels with vectors.
const all = WantedU | WantedV

// TestPlain runs kernels as plain Go and on all devices, and compares the bits.
func TestPlain(t *testing.T) {
	type device = func(context.Context, *gpu.Device) error
	q, s, e, d := newOperands[float32](2, 30, 20), newOperands[float32](3, 8, 7), newOperands[float32](3, 13, 13), newOperands[float64](1, 16, 15)
	one := gpu.D1(1)
	for k, test := range []struct {
		name    string
		plain   func()
		run     device
		written []any
	}{
		{"Qr32", func() { GoQr32[float32, Single](one, 2, q.a, 600, 0, q.tau) },
			func(ctx context.Context, d *gpu.Device) error {
				return RunQr32[float32, Single](ctx, d, one, 2, q.a, 600, 0, q.tau)
			}, []any{q.a.Data(), q.tau}},
		{"Svd8", func() {
			GoSvd8[float32, Single](one, 3, s.a, 56, relative, floor, s.values, s.u, 56, s.v, 49, all, AlongV, s.info)
		}, func(ctx context.Context, d *gpu.Device) error {
			return RunSvd8[float32, Single](ctx, d, one, 3, s.a, 56, relative, floor, s.values, s.u, 56, s.v, 49, all, AlongV, s.info)
		}, []any{s.values, s.u.Data(), s.v.Data(), s.info}},
		{"Eigen16", func() {
			GoEigen16[float32, Single](gpu.D1(2), 3, e.a, 169, relative, floor, e.values, e.v, 169, 1, AlongA, e.info)
		}, func(ctx context.Context, d *gpu.Device) error {
			return RunEigen16[float32, Single](ctx, d, gpu.D1(2), 3, e.a, 169, relative, floor, e.values, e.v, 169, 1, AlongA, e.info)
		}, []any{e.values, e.v.Data(), e.info}},
		{"Qr16", func() { GoQr16[float64, Double](one, 1, d.a, 0, 0, d.tau) },
			func(ctx context.Context, on *gpu.Device) error {
				return RunQr16[float64, Double](ctx, on, one, 1, d.a, 0, 0, d.tau)
			}, []any{d.a.Data(), d.tau}},
	} {
		if !testmode.Sampled(k, 2) {
			continue
		}
		t.Run(test.name, func(t *testing.T) { gputest.Compare(t, gputest.Exact, test.plain, test.run, test.written...) })
	}
}

// TestSubgroups: results have the same bits whether subgroups have all columns or some.
func TestSubgroups(t *testing.T) {
	first := newOperands[float64](3, 15, 14)
	var before []operands[float64]
	for _, lanes := range []int{32, 8, 128} {
		s, q := first.clone(), first.clone()
		gpu.EachGroupWithSubgroups(gpu.D1(1), gpu.Int3{X: warp, Y: 1, Z: 1}, lanes, func() func(gpu.Item) {
			shared := new(Memory16[float64])
			return func(it gpu.Item) {
				Svd16[float64, Double](it, shared, 3, s.a, 210, 0x1p-98, 0x1p-110, s.values, s.u, 210, s.v, 196, all, 0, s.info)
			}
		})
		gpu.EachGroupWithSubgroups(gpu.D1(2), gpu.Int3{X: warp, Y: 1, Z: 1}, lanes, func() func(gpu.Item) {
			shared := new(Memory16[float64])
			return func(it gpu.Item) { Qr16[float64, Double](it, shared, 3, q.a, 210, 0, q.tau) }
		})
		if before == nil {
			before = []operands[float64]{s, q}
			continue
		}
		for k, now := range []operands[float64]{s, q} {
			for _, list := range [][2][]float64{{before[k].a.Data(), now.a.Data()}, {before[k].u.Data(), now.u.Data()}, {before[k].v.Data(), now.v.Data()},
				{before[k].values, now.values}, {before[k].tau, now.tau}} {
				if !slices.Equal(list[0], list[1]) {
					t.Errorf("subgroups of %d: the results are not those of subgroups of 32", lanes)
				}
			}
		}
	}
}

// TestInfo: info says whether columns are orthogonal in the end, and whether numbers are finite.
func TestInfo(t *testing.T) {
	x := newOperands[float32](3, 6, 6)
	x.a.Skip(36).Set(2, 2, float32(math.Inf(1)))
	GoSvd8[float32, Single](gpu.D1(1), 3, x.a, 36, 0, -1, x.values, x.u, 36, x.v, 36, 0, 0, x.info)
	if want := []int32{Unconverged, NotFinite, Unconverged}; !slices.Equal(x.info, want) {
		t.Errorf("with limits that nothing reaches, info is %d, want %d", x.info, want)
	}
	GoSvd8[float32, Single](gpu.D1(1), 3, x.a, 36, relative, floor, x.values, x.u, 36, x.v, 36, 0, 0, x.info)
	if want := []int32{Converged, NotFinite, Converged}; !slices.Equal(x.info, want) {
		t.Errorf("info is %d, want %d", x.info, want)
	}
}

// TestNotFinite: infinities stay in columns from theirs on.
func TestNotFinite(t *testing.T) {
	x := newOperands[float32](1, 7, 5)
	y := x.clone()
	y.a.Set(3, 2, float32(math.Inf(1)))
	for _, o := range []operands[float32]{x, y} {
		GoQr8[float32, Single](gpu.D1(1), 1, o.a, 0, 0, o.tau)
	}
	for i := range 7 {
		for j := range 2 {
			if got, want := y.a.At(i, j), x.a.At(i, j); got != want {
				t.Errorf("element (%d, %d) is %v, and %v without an infinity", i, j, got, want)
			}
		}
	}
	if got := y.tau[2]; got == got {
		t.Errorf("tau of the column with an infinity is %v", got)
	}
}

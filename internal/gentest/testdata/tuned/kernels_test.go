package tuned

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/runtime/gpu"
	"github.com/gpuc/gpuc/runtime/gpu/gputest"
)

// TestVariants: every variant multiplies as plain Go does, and as three loops do, on all devices.
func TestVariants(t *testing.T) {
	const n = 64
	a, b, c, want := make([]float32, n*n), make([]float32, n*n), make([]float32, n*n), make([]float32, n*n)
	for i := range a {
		a[i], b[i] = float32(i%7-3), float32(i%5-2)
	}
	for i := range n {
		for j := range n {
			for k := range n {
				want[i*n+j] += a[i*n+k] * b[k*n+j]
			}
		}
	}
	for _, tile := range []int{0, 8, 16, 32} {
		gputest.Compare(t, gputest.Exact,
			func() { GoMatMul(gpu.Items2(n, n), n, a, b, c) },
			func(ctx context.Context, d *gpu.Device) error {
				return RunMatMul(ctx, d, gpu.Items2(n, n), n, a, b, c, MatMulVariant{Tile: tile})
			},
			c)
		if !slices.Equal(c, want) {
			t.Fatal("plain Go multiplies in another way than loops do")
		}
	}
}

func open(t *testing.T) (*gpu.Device, *gpu.Stream) {
	t.Helper()
	d, err := gpu.Open(gpu.Named(gpu.CPU))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	s, err := d.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	return d, s
}

// TestChosen: the variant that is named runs, fields that are left out have the package's own values, and what is wrong is an
// error of its kind before anything runs.
func TestChosen(t *testing.T) {
	d, _ := open(t)
	for v, want := range map[WhichVariant]uint32{{}: 1602, {Tile: 8}: 802, {Unroll: 1}: 1601, {Tile: 32, Unroll: 1}: 3201, {Tile: 16, Unroll: 2}: 1602} {
		got := make([]uint32, 3)
		if err := RunWhich(t.Context(), d, gpu.D1(1), got, []uint32{0}, v); err != nil || got[2] != want {
			t.Errorf("%v: got %d, want %d: %v", v, got, want, err)
		}
	}
	x := []int32{0}
	if err := runFirst(t.Context(), d, gpu.D1(1), 40, x, firstVariant{Unroll: 1}); err != nil || x[0] != 41 {
		t.Errorf("got %d: %v", x, err)
	}
	m := make([]float32, 24*24)
	for name, test := range map[string]struct {
		err  error
		says string
	}{
		"no such variant": {RunWhich(t.Context(), d, gpu.D1(1), []uint32{0}, []uint32{0}, WhichVariant{Tile: 64}), "there is no variant with Tile=64 Unroll=0; it is compiled for Tile=16 Unroll=2"},
		"negative":        {RunWhich(t.Context(), d, gpu.D1(1), []uint32{0}, []uint32{0}, WhichVariant{Tile: -8}), "there is no variant with Tile=-8"},
		"two variants":    {RunWhich(t.Context(), d, gpu.D1(1), []uint32{0}, []uint32{0}, WhichVariant{}, WhichVariant{}), "it is given 2"},
		"workgroups":      {RunMatMul(t.Context(), d, gpu.D2(1, 1), 24, m, m[:1], m[:2]), "count items"},
		"no whole number": {RunMatMul(t.Context(), d, gpu.Items2(24, 24), 24, slices.Clone(m), slices.Clone(m), m), "24 x 24 x 1 items is no whole number of workgroups of 16 x 16 x 1 items"},
	} {
		if !errors.Is(test.err, gpu.ErrShape) || !strings.Contains(test.err.Error(), test.says) {
			t.Errorf("%s: %v", name, test.err)
		}
	}
	if err := RunMatMul(t.Context(), d, gpu.Items2(24, 24), 24, slices.Clone(m), slices.Clone(m), m, MatMulVariant{Tile: 8}); err != nil {
		t.Error(err)
	}
}

// TestMeasuring: measuring finds a variant that is listed, which is read back and runs. What is measured is not looked at.
func TestMeasuring(t *testing.T) {
	t.Setenv("GPUC_CACHE", t.TempDir())
	d, s := open(t)
	variant, err1 := gpu.Alloc[uint32](d, 40)
	x, err2 := gpu.Alloc[uint32](d, 1)
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	asked := map[WhichVariant]bool{}
	grid := func(v WhichVariant) gpu.Grid { asked[v] = true; return gpu.Items1(64) }
	v, why, err := TunedWhich(s, grid, variant, x)
	if err != nil || why.Known() || v != (WhichVariant{Tile: 16, Unroll: 2}) || !strings.Contains(why.String(), "the package's own values") {
		t.Fatalf("before: %v, %v, %v", v, why, err)
	}
	best, why, err := TuneWhich(t.Context(), s, grid, variant, x)
	if err != nil || len(why.Measured) != 6 || why.Source != "" || why.Note != "" || len(asked) != 6 {
		t.Fatalf("%v, %v, %v, %d asked for", best, why, err, len(asked))
	}
	v, again, err := TunedWhich(s, grid, variant, x)
	if err != nil || v != best || again.Reason != "this device and driver" || !slices.EqualFunc(again.Measured, why.Measured, func(a, b gpu.Measured) bool { return a.Times == b.Times }) || !strings.Contains(again.String(), "in "+again.Source) {
		t.Fatalf("after: %v, %v, %v", v, again, err)
	}
	if err := LaunchWhich(s, gpu.Items1(64), variant, x, v); err != nil {
		t.Fatal(err)
	}
	got := make([]uint32, 40)
	if err := variant.Read(t.Context(), s, got); err != nil || got[39] != uint32(100*best.Tile+best.Unroll) {
		t.Errorf("got %d: %v", got, err)
	}
}

// TestTune gives gpuc tune two problems of one kernel and one of another.
func TestTune(t *testing.T) {
	gputest.Tune(t, func(ctx context.Context, s *gpu.Stream) error {
		for _, n := range []int{32, 64} {
			x, err1 := gpu.Alloc[float32](s, n*n)
			y, err2 := gpu.Alloc[float32](s, n*n)
			if err := errors.Join(err1, err2); err != nil {
				return err
			}
			if _, _, err := TuneMatMul(ctx, s, func(MatMulVariant) gpu.Grid { return gpu.Items2(n, n) }, n, x, x, y); err != nil {
				return err
			}
		}
		chosen, err := gpu.Alloc[int32](s, 4096)
		if err != nil {
			return err
		}
		_, _, err = tuneFirst(ctx, s, func(firstVariant) gpu.Grid { return gpu.Items1(4096) }, 1, chosen)
		return err
	})
}

// TestEmbedded: with records in the package a program looks them up, also for a problem that is close.
func TestEmbedded(t *testing.T) {
	t.Setenv("GPUC_CACHE", "off")
	_, err := os.Stat("gpuc_tuning.jsonl")
	there := err == nil
	_, s := open(t)
	for n, known := range map[int]bool{64: there, 96: there, 1024: false} {
		x, err := gpu.Alloc[float32](s, n*n)
		if err != nil {
			t.Fatal(err)
		}
		v, why, err := TunedMatMul(s, func(MatMulVariant) gpu.Grid { return gpu.Items2(n, n) }, n, x, x, x)
		if err != nil || why.Known() != known || strings.HasPrefix(why.Source, "the package's gpuc_tuning.jsonl:") != known || v.Tile != why.Values[0] {
			t.Errorf("%d: %v, %v, %v, want it to be known: %v", n, v, why, err, known)
		}
		if near := strings.Contains(why.Reason, "for another problem"); near != (known && n == 96) {
			t.Errorf("%d: %v", n, why)
		}
	}
}

// TestAllocations: a launch that names a variant allocates nothing.
func TestAllocations(t *testing.T) {
	d, s := open(t)
	x, err := gpu.Alloc[float32](d, 64*64)
	if err != nil {
		t.Fatal(err)
	}
	c, err := gpu.Alloc[float32](d, 64*64)
	if err != nil {
		t.Fatal(err)
	}
	for _, tile := range []int{8, 16} {
		launch := func() {
			if err := LaunchMatMul(s, gpu.Items2(0, 64), 64, x, x, c, MatMulVariant{Tile: tile}); err != nil {
				t.Fatal(err)
			}
		}
		for range 400 { // the CPU device keeps a record of each launch that waits, and uses them again
			launch()
		}
		if err := s.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		if n := testing.AllocsPerRun(200, launch); n != 0 {
			t.Errorf("Tile %d: %v allocations", tile, n)
		}
	}
}

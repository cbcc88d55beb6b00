package extent

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/gpuc/gpuc/runtime/gpu"
	"github.com/gpuc/gpuc/runtime/gpu/gputest"
)

// TestExtents: exactly the items of an extent run, on all devices and as plain Go. Buffers are longer than the extent, so that
// an item too many leaves its mark, and the marks are compared with loops, too.
func TestExtents(t *testing.T) {
	const most = 9 * 11 * 13
	for _, n := range []int{1, 5, 63, 64, 65, 200} {
		t.Run(fmt.Sprint("line ", n), func(t *testing.T) {
			x := make([]uint32, 256)
			gputest.Compare(t, gputest.Exact, func() { GoLine(gpu.Items1(n), x) },
				func(ctx context.Context, d *gpu.Device) error { return RunLine(ctx, d, gpu.Items1(n), x) }, x)
			for i, v := range x {
				if want := uint32(i + 1); i < n && v != want || i >= n && v != 0 {
					t.Fatalf("x[%d] is %d", i, v)
				}
			}
			f := make([]float32, 256)
			w := [20]float32{1, 2, 3, 19: 20}
			gputest.Compare(t, gputest.Exact, func() { GoTable(gpu.Items1(n), w, f) },
				func(ctx context.Context, d *gpu.Device) error { return RunTable(ctx, d, gpu.Items1(n), w, f) }, f)
			for i, v := range f {
				if i < n && v != w[i%20] || i >= n && v != 0 {
					t.Fatalf("table: x[%d] is %v", i, v)
				}
			}
			clear(x)
			gputest.Compare(t, gputest.Exact, func() { GoGuarded(gpu.Items1(n), x[:150]) },
				func(ctx context.Context, d *gpu.Device) error { return RunGuarded(ctx, d, gpu.Items1(n), x[:150]) }, x[:150])
			for i, v := range x {
				if ran := i < min(n, 150); ran != (v == 1) {
					t.Fatalf("guarded: x[%d] is %d", i, v)
				}
			}
			counts := make([]uint32, 2)
			gputest.Compare(t, gputest.Exact, func() { GoCount(gpu.Items1(n), counts) },
				func(ctx context.Context, d *gpu.Device) error { return RunCount(ctx, d, gpu.Items1(n), counts) }, counts)
			if counts[0] != uint32(n) {
				t.Errorf("%d items ran, want %d", counts[0], n)
			}
		})
	}
	for _, size := range [][2]int{{1, 1}, {7, 3}, {8, 4}, {9, 5}, {17, 2}} {
		t.Run(fmt.Sprint("square ", size), func(t *testing.T) {
			const width = 40
			x := make([]uint32, most)
			grid := gpu.Items2(size[0], size[1])
			gputest.Compare(t, gputest.Exact, func() { GoSquare(grid, width, x) },
				func(ctx context.Context, d *gpu.Device) error { return RunSquare(ctx, d, grid, width, x) }, x)
			for i, v := range x {
				at, row := i%width, i/width
				if inside := at < size[0] && row < size[1]; inside && v != uint32(100*row+at+1) || !inside && v != 0 {
					t.Fatalf("x[%d] is %d", i, v)
				}
			}
			clear(x)
			gputest.Compare(t, gputest.Exact, func() { GoFlat(grid, width, x) },
				func(ctx context.Context, d *gpu.Device) error { return RunFlat(ctx, d, grid, width, x) }, x)
			for i, v := range x {
				if inside := i%width < size[0] && i/width < size[1]; inside != (v == 1) {
					t.Fatalf("flat: x[%d] is %d", i, v)
				}
			}
		})
	}
	for _, size := range [][3]int{{1, 1, 1}, {3, 5, 7}, {4, 2, 8}, {9, 3, 9}, {5, 2, 8}, {4, 3, 8}, {4, 2, 9}} {
		t.Run(fmt.Sprint("cube ", size), func(t *testing.T) {
			const width, height = 9, 11
			x := make([]float32, most)
			grid, first := gpu.Items3(size[0], size[1], size[2]), gpu.V3f(1, 7, 2)
			gputest.Compare(t, gputest.Exact, func() { GoCube(grid, first, width, height, x) },
				func(ctx context.Context, d *gpu.Device) error {
					return RunCube(ctx, d, grid, first, width, height, x)
				}, x)
			for i, v := range x {
				at, row, plane := i%width, i/width%height, i/width/height
				if inside := at < size[0] && row < size[1] && plane < size[2]; inside && v != float32(1+2*plane) || !inside && v != 0 {
					t.Fatalf("x[%d] is %v", i, v)
				}
			}
		})
	}
}

// TestOther: workgroups run whole where a grid counts them, extents change from launch to launch without allocations, and items
// that work together run in whole workgroups only.
func TestOther(t *testing.T) {
	d, err := gpu.Open(gpu.Named(gpu.CPU))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	s, err1 := d.NewStream()
	counts, err2 := gpu.Alloc[uint32](d, 1)
	x, err3 := gpu.Alloc[uint32](d, 64)
	if err := errors.Join(err1, err2, err3); err != nil {
		t.Fatal(err)
	}
	launch := func(g gpu.Grid) {
		if err := LaunchCount(s, g, counts); err != nil {
			t.Fatal(err)
		}
	}
	for _, g := range []gpu.Grid{gpu.D1(2), gpu.Items1(3), gpu.Items1(0), gpu.D2(1, 2), gpu.Items2(5, 3), gpu.D1(1)} {
		launch(g)
	}
	got := make([]uint32, 1)
	if err := counts.Read(t.Context(), s, got); err != nil || got[0] != 128+3+128+15+64 {
		t.Errorf("%d items ran: %v", got, err)
	}
	for _, n := range []int{1, 31, 33, 63} {
		if err := LaunchTogether(s, gpu.Items1(n), x); !errors.Is(err, gpu.ErrShape) {
			t.Errorf("%d items together: %v", n, err)
		}
	}
	if err := LaunchTogether(s, gpu.Items1(64), x); err != nil {
		t.Error(err)
	}
	n := 0
	for range 400 {
		launch(gpu.Items1(7))
	}
	if err := s.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if count := testing.AllocsPerRun(200, func() { n++; launch(gpu.Items1(n%100 + 1)) }); count != 0 {
		t.Errorf("%v allocations for each launch", count)
	}
}

package main

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/runtime/gpu"
	"github.com/gpuc/gpuc/runtime/gpu/gputest"
)

// TestTune gives gpuc tune the sizes of matrices to measure.
func TestTune(t *testing.T) {
	gputest.Tune(t, func(ctx context.Context, s *gpu.Stream) error {
		for _, n := range []int{256, 1024, 4096} {
			a, err1 := gpu.Upload(ctx, s.Device(), numbers(n, 3))
			b, err2 := gpu.Upload(ctx, s.Device(), numbers(n, 5))
			c, err3 := gpu.Alloc[float32](s, n*n)
			if err := errors.Join(err1, err2, err3); err != nil {
				return err
			}
			grid := func(MatMulVariant) gpu.Grid { return gpu.Items2(n, n) }
			if _, _, err := TuneMatMul(ctx, s, grid, n, a, b, c); err != nil {
				return err
			}
			if err := errors.Join(a.Close(), b.Close(), c.Close()); err != nil {
				return err
			}
		}
		return nil
	})
}

func TestMultiply(t *testing.T) {
	device, err := gpu.Open(gpu.Named(gpu.CPU))
	if err != nil {
		t.Fatal(err)
	}
	defer device.Close()
	var text strings.Builder
	product, err := multiply(&text, device, 2*Tile, false)
	if err != nil {
		t.Fatal(err)
	}
	if len(product) != 4*Tile*Tile || !strings.Contains(text.String(), "matrices of 32 rows") {
		t.Errorf("%d numbers, and it says %q", len(product), text.String())
	}
	// A matrix times one that doubles all elements and reverses the order of the columns.
	const n = 2 * Tile
	m, reversal, got := make([]float32, n*n), make([]float32, n*n), make([]float32, n*n)
	for i := range n {
		for j := range n {
			m[i*n+j] = float32(100*i + j)
		}
		reversal[i*n+n-1-i] = 2
	}
	for _, tile := range []int{0, 8, 16, 32} {
		clear(got)
		if err := RunMatMul(context.Background(), device, gpu.Items2(n, n), n, m, reversal, got, MatMulVariant{Tile: tile}); err != nil {
			t.Fatal(err)
		}
		for i := range n {
			for j := range n {
				if want := float32(2 * (100*i + n - 1 - j)); got[i*n+j] != want {
					t.Fatalf("Tile %d, row %d, column %d: got %v, want %v", tile, i, j, got[i*n+j], want)
				}
			}
		}
	}
}

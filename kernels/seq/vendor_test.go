package seq

import (
	"fmt"
	"testing"

	"github.com/gpuc/gpuc/internal/vendorlib"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// BenchmarkVendor compares with CUB, which nvcc compiles. Ratios above 1 mean that ours is faster.
func BenchmarkVendor(b *testing.B) {
	_, s := vendorlib.Device(b)
	cub, err := vendorlib.BuildCUB(s, "../../internal/vendorlib/testdata")
	if err != nil {
		b.Skip("skipped: no CUB: ", err)
	}
	for _, n := range []int{1 << 20, 1 << 24, 1 << 28} {
		result := allocate[uint32](b, s, n)
		words, other, flags := allocate[uint32](b, s, n), allocate[uint32](b, s, n), allocate[uint8](b, s, n)
		if err := (Random{Seed: 1}).Uint32(s, words); err != nil {
			b.Fatal(err)
		}
		floats, halves, one := allocate[float32](b, s, n), allocate[float32](b, s, n), allocate[float32](b, s, 1)
		if err := Uniform(s, Random{Seed: 2}, floats); err != nil {
			b.Fatal(err)
		}
		count, bins := allocate[uint32](b, s, 1), allocate[uint32](b, s, 256)
		size := float64(n)
		bytes, err := words.Raw().Slice(0, n)
		if err != nil {
			b.Fatal(err)
		}
		// both with a copy, as ours sorts within a buffer
		sorted := func(sort func() error) func() error {
			return func() error {
				if err := gpu.Copy(s, other, words); err != nil {
					return err
				}
				return sort()
			}
		}
		if err := gpu.Copy(s, flags, bytes); err != nil {
			b.Fatal(err)
		}
		for _, c := range []struct {
			name         string
			ours, theirs func() error
			bytes        float64
		}{
			{"sum", func() error { return Sum(s, floats, one) }, func() error { return cub.Run("sum_f32", n, floats, one) }, 4 * size},
			{"max", func() error { return Max(s, floats, one) }, func() error { return cub.Run("max_f32", n, floats, one) }, 4 * size},
			{"scan-u32", func() error { return Scan(s, Add, words, other) }, func() error { return cub.Run("scan_u32", n, words, other) }, 8 * size},
			{"scan-f32", func() error { return Scan(s, Add, floats, halves) }, func() error { return cub.Run("scan_f32", n, floats, halves) }, 8 * size},
			{"select", func() error { return Select(s, words, flags, other, count) }, func() error { return cub.Run("select_u32", n, words, flags, other, count) }, 5 * size},
			{"sort-u32", sorted(func() error { return Sort(s, other) }), sorted(func() error { return cub.Run("sort_u32", n, other, result) }), 0},
			{"histogram-u8", func() error { return HistogramBytes(s, bytes, bins) }, func() error { return cub.Run("histogram_u8", n, bytes, bins) }, size},
			{"histogram-f32", func() error { return HistogramEven(s, floats, 0, 1, bins) }, func() error { return cub.Run("histogram_f32", n, floats, bins) }, 4 * size},
		} {
			b.Run(fmt.Sprint(c.name, "/", n), func(b *testing.B) { vendorlib.Compare(b, s, c.ours, c.theirs, c.bytes, 0) })
		}
	}
}

// allocate makes a buffer that lives as long as the benchmark.
func allocate[T any](b *testing.B, s *gpu.Stream, n int) *gpu.Buffer[T] {
	b.Helper()
	x, err := gpu.Alloc[T](s, n)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = x.Close() })
	return x
}

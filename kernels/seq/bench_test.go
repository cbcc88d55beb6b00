package seq

import (
	"errors"
	"flag"
	"fmt"
	"slices"
	"testing"

	"github.com/gpuc/gpuc/runtime/gpu"
	"github.com/gpuc/gpuc/runtime/gpu/gputest"
)

var (
	benchDevice = flag.String("device", gpu.CPU, "the device of benchmarks")
	benchSize   = flag.Int("size", 1<<22, "how many elements benchmarks have")
)

// BenchmarkSeq measures functions on a device, and loops or the standard library in Go.
//
//	go test -bench . -device cuda:0 -size 268435456 ./kernels/seq
func BenchmarkSeq(b *testing.B) {
	n := *benchSize
	d := gputest.Open(b, gpu.Named(*benchDevice))
	s, err := d.NewStream()
	x, err1 := gpu.Alloc[float32](d, n)
	y, err2 := gpu.Alloc[float32](d, n)
	keys, err3 := gpu.Alloc[uint32](d, n)
	values, err4 := gpu.Alloc[uint32](d, n)
	one, err5 := gpu.Alloc[float32](d, 1)
	count, err6 := gpu.Alloc[uint32](d, 1)
	bins, err7 := gpu.Alloc[uint32](d, 256)
	bytes, err8 := gpu.Alloc[uint8](d, n)
	if err := errors.Join(err, err1, err2, err3, err4, err5, err6, err7, err8); err != nil {
		b.Fatal(err)
	}
	host := make([]float32, n)
	random := func() error { return Uniform(s, Random{Seed: 1}, x) }
	randomKeys := func() error { return Random{Seed: 2}.Uint32(s, keys) }
	if err := errors.Join(random(), x.Read(b.Context(), s, host), randomKeys()); err != nil {
		b.Fatal(err)
	}
	run := func(name string, bytes int, f func() error) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(bytes))
			for b.Loop() {
				if err := errors.Join(f(), s.Wait(b.Context())); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	loop := func(name string, bytes int, f func()) {
		b.Run(name, func(b *testing.B) {
			if n > 1<<24 {
				b.Skip("skipped: one processor would need minutes; give it a smaller -size")
			}
			b.SetBytes(int64(bytes))
			for b.Loop() {
				f()
			}
		})
	}
	run("Sum", 4*n, func() error { return Sum(s, x, one) })
	sum := float32(0)
	loop("Sum/loop", 4*n, func() {
		for _, v := range host {
			sum += v
		}
	})
	run("Min", 4*n, func() error { return Min(s, x, one) })
	run("Variance", 4*n, func() error { return Variance(s, x, 1, one) })
	run("Scan", 8*n, func() error { return Scan(s, Add, x, y) })
	sums := make([]float32, n)
	loop("Scan/loop", 8*n, func() {
		sum := float32(0)
		for i, v := range host {
			sum += v
			sums[i] = sum
		}
	})
	run("Random", 4*n, randomKeys)
	run("Uniform", 4*n, random)
	run("Normal", 4*n, func() error { return Normal(s, Random{}, 0, 1, y) })
	run("HistogramEven", 4*n, func() error { return HistogramEven(s, x, 0, 1, bins) })
	run("HistogramBytes", n, func() error { return HistogramBytes(s, bytes, bins) })
	run("SelectIf", 4*n, func() error { return SelectIf(s, x, Less, 0.5, y, count) })
	run("Sort, with new keys", 4*n, func() error { return errors.Join(randomKeys(), Sort(s, keys)) })
	run("SortPairs, with new keys", 8*n, func() error { return errors.Join(randomKeys(), SortPairs(s, keys, values)) })
	loop("Sort/slices.Sort", 4*n, func() {
		list := slices.Clone(host)
		slices.Sort(list)
	})
	for _, rows := range []int{1, 64, 4096} {
		k := min(100, n/rows)
		top, err1 := gpu.Alloc[float32](d, rows*k)
		indices, err2 := gpu.Alloc[int32](d, rows*k)
		if err := errors.Join(err1, err2); err != nil {
			b.Fatal(err)
		}
		part, err := x.Slice(0, n/rows*rows)
		if err != nil {
			b.Fatal(err)
		}
		run(fmt.Sprintf("TopK of %d rows", rows), 4*n, func() error { return TopK(s, part, rows, n/rows, k, top, indices) })
	}
}

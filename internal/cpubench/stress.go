package cpubench

import (
	"fmt"
	"io"
	"math"
	"runtime"
	"runtime/metrics"
	"runtime/pprof"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gpuc/gpuc/runtime/driver/cpu"
)

// Runs kernels while everything happens that could disturb machine code in a Go program: garbage
// collections, the profiler's signals, and concurrent launches.

// Stress runs all kernels, at the sizes of tests, in the highest tier on several goroutines for
// some time, and compares each result. It prints the number of launches, and how long collections
// waited for the goroutines to stop. With plain it runs equivalent Go loops instead of kernels,
// which shows the waits that are due to the machine.
func Stress(w io.Writer, folder string, goroutines int, limit time.Duration, plain bool) error {
	if err := pprof.StartCPUProfile(io.Discard); err != nil {
		return err
	}
	defer pprof.StopCPUProfile()
	var stop atomic.Bool
	var launches, collections atomic.Uint64
	var wait sync.WaitGroup
	errors := make(chan error, goroutines)
	for n := range goroutines {
		wait.Go(func() {
			for launch := n; !stop.Load(); launch++ {
				k := &kernels[launch%len(kernels)]
				if plain {
					inputs := k.inputs(k.small)
					k.run(k.small, inputs, make([]uint32, k.outputs(k.small)))
				} else if err := k.once(folder); err != nil {
					errors <- fmt.Errorf("%s: %w", k.name, err)
					stop.Store(true)
					return
				}
				launches.Add(1)
			}
		})
	}
	wait.Go(func() {
		for !stop.Load() {
			runtime.GC()
			collections.Add(1)
		}
	})
	time.AfterFunc(limit, func() { stop.Store(true) })
	wait.Wait()
	select {
	case err := <-errors:
		return err
	default:
	}
	what := "launches"
	if plain {
		what = "loops without a kernel"
	}
	fmt.Fprintf(w, "%d %s, %d collections in %v; they waited for goroutines to stop %s\n", launches.Load(), what, collections.Load(), limit, stops())
	return nil
}

// once loads a kernel, launches it and compares the results.
func (k *kernel) once(folder string) error {
	inputs := k.inputs(k.small)
	x, err := k.prepare(&cpu.Driver{Tier: cpu.JIT}, "", folder, k.small, inputs)
	if err != nil {
		return err
	}
	defer x.close()
	want := make([]uint32, k.outputs(k.small))
	k.run(k.small, inputs, want)
	if err := x.run(); err != nil {
		return err
	}
	got, err := x.result()
	if err != nil {
		return err
	}
	if at := k.differs(got, want); at >= 0 {
		return fmt.Errorf("element %d is %#x, expected %#x", at, got[at], want[at])
	}
	return nil
}

// stops returns a histogram of the times to stop the world for a collection. The buckets of the
// runtime are 20 to 25 % apart, so each time is a lower bound.
func stops() string {
	sample := []metrics.Sample{{Name: "/sched/pauses/stopping/gc:seconds"}}
	metrics.Read(sample)
	h := sample[0].Value.Float64Histogram()
	var all, millisecond, five uint64
	longest := 0.0
	for n, count := range h.Counts {
		bound := h.Buckets[n+1]
		if math.IsInf(bound, 1) {
			bound = h.Buckets[n]
		}
		if count == 0 {
			continue
		}
		all += count
		longest = bound
		if h.Buckets[n] >= 1e-3 {
			millisecond += count
		}
		if h.Buckets[n] >= 5e-3 {
			five += count
		}
	}
	return fmt.Sprintf("%d times, %d of them for more than 1 ms, %d for more than 5 ms, and %.2f ms at most", all, millisecond, five, longest*1e3)
}

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

// This file runs kernels while everything goes on that could disturb machine code in a Go program: collections one after
// the other, the profiler's signals, and goroutines that launch at the same time.

// Stress runs all kernels, at the sizes of tests, in the highest tier on so many goroutines for some time, and compares each result.
// It reports how many launches there were, and the longest time that a collection waited for the goroutines to stop, which
// is how long a kernel kept one waiting, or the machine did.
func Stress(w io.Writer, folder string, goroutines int, limit time.Duration) error {
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
			for turn := n; !stop.Load(); turn++ {
				k := &kernels[turn%len(kernels)]
				if err := k.once(folder); err != nil {
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
	fmt.Fprintf(w, "%d launches, %d collections in %v, the longest wait for goroutines to stop was %.2f ms\n",
		launches.Load(), collections.Load(), limit, longestStop().Seconds()*1e3)
	return nil
}

// once loads a kernel, launches it and compares what it leaves.
func (k *kernel) once(folder string) error {
	inputs := k.inputs(k.small)
	x, err := k.prepare(&cpu.Driver{Tier: cpu.Native}, "", folder, k.small, inputs)
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

// longestStop returns an upper bound of the longest time that it took to stop the world for a collection.
func longestStop() time.Duration {
	sample := []metrics.Sample{{Name: "/sched/pauses/stopping/gc:seconds"}}
	metrics.Read(sample)
	h := sample[0].Value.Float64Histogram()
	for n := len(h.Counts) - 1; n >= 0; n-- {
		if h.Counts[n] > 0 {
			bound := h.Buckets[n+1]
			if math.IsInf(bound, 1) {
				bound = h.Buckets[n]
			}
			return time.Duration(bound * float64(time.Second))
		}
	}
	return 0
}

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

// This file runs kernels while everything goes on that could disturb machine code in a Go program.
// That is collections one after the other, the profiler's signals, and goroutines that launch at
// the same time.

// Stress runs all kernels, at the sizes of tests, in the highest tier on so many goroutines for
// some time, and compares each result. It reports how many launches there were, and how long
// collections waited for the goroutines to stop. A kernel kept them waiting, or the machine did.
// With plain it runs Go loops that compute the same, and no kernel, so that all waits are the
// machine's.
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
			for turn := n; !stop.Load(); turn++ {
				k := &kernels[turn%len(kernels)]
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

// once loads a kernel, launches it and compares what it leaves.
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

// stops says how often it took how long to stop the world for a collection. The runtime counts
// between bounds, which are a quarter or a fifth apart: more than so long is what certainly was.
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

// Package peak measures the peak size of the heap and the processor time of a function, for tests.
package peak

import (
	"runtime"
	"runtime/metrics"
	"time"
)

// Heap runs a function and returns the largest increase of the heap meanwhile: all objects, live or
// not yet collected. It samples the heap every 50 µs, so it may miss shorter peaks, and includes
// other goroutines.
func Heap(run func()) uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	heapBytes := func() uint64 {
		metrics.Read(sample)
		return sample[0].Value.Uint64()
	}
	runtime.GC()
	runtime.GC()
	before, stop, done := heapBytes(), make(chan struct{}), make(chan uint64)
	go func() {
		peak := uint64(0)
		for {
			peak = max(peak, heapBytes())
			select {
			case <-stop:
				done <- max(peak, heapBytes())
				return
			case <-time.After(50 * time.Microsecond):
			}
		}
	}()
	run()
	close(stop)
	return max(<-done, before) - before
}

// Within is Heap for a function with an expected bound. If it is exceeded, the function runs up to
// five times, and the minimum counts: on a busy machine the collector falls behind, and garbage is
// counted.
func Within(bound uint64, run func()) uint64 {
	least := Heap(run)
	for again := 0; least > bound && again < 4; again++ {
		least = min(least, Heap(run))
	}
	return least
}

// Processor runs a function and returns the processor time of the process meanwhile, on all cores.
// It is 0 on systems without such a clock.
func Processor(run func()) time.Duration {
	before := processor()
	run()
	return processor() - before
}

// Units returns processor time relative to that of a reference workload, about 50 ms, which runs on
// the same machine at the same time. The workload allocates memory, as a compiler does, since the
// cost of new memory depends on the machine and its load.
type Units int

// leastUnit is a lower bound of the reference workload's time.
const leastUnit = 30 * time.Millisecond

// unit measures one.
func unit() time.Duration {
	return max(leastUnit, Processor(func() {
		for range 8 {
			grown = nil
			for n := range uint32(1 << 21) {
				grown = append(grown, n*n)
			}
		}
	}))
}

// grown prevents the compiler from removing the work.
var grown []uint32

// Exceeded reports whether processor time that was used just now is more than a bound.
func (bound Units) Exceeded(took time.Duration) bool {
	return took > time.Duration(bound)*leastUnit && took > time.Duration(bound)*unit()
}

// ProcessorWithin is Processor for a function with an expected bound. If it is exceeded, the
// function runs up to three times, and the minimum counts, since other processes may evict the
// caches.
func ProcessorWithin(bound Units, run func()) (least time.Duration, exceeded bool) {
	least = Processor(run)
	exceeded = bound.Exceeded(least)
	for again := 0; exceeded && again < 2; again++ {
		least = min(least, Processor(run))
		exceeded = bound.Exceeded(least)
	}
	return least, exceeded
}

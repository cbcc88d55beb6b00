// Package peak measures, for tests, the most bytes that the heap holds while
// something runs, and the processor time that it takes.
package peak

import (
	"runtime"
	"runtime/metrics"
	"time"
)

// Heap runs a function and returns the most bytes that the heap held meanwhile:
// all objects, whether live or not yet collected, less those that were there
// before. It samples them every 50 µs, so that a shorter peak can be missed; other
// goroutines count.
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

// Within is Heap of a function that should stay within a bound. Where it does not, it is measured
// again, five times in all, and the least counts. On a busy machine the collector falls behind, and
// garbage is counted.
func Within(bound uint64, run func()) uint64 {
	least := Heap(run)
	for again := 0; least > bound && again < 4; again++ {
		least = min(least, Heap(run))
	}
	return least
}

// Processor runs a function and returns the processor time that the process used meanwhile, on all
// cores. Other processes and waiting for them do not count. It is 0 where the system does not tell.
func Processor(run func()) time.Duration {
	before := processor()
	run()
	return processor() - before
}

// Units is processor time as a multiple of what a reference workload takes on the same machine at
// the same time, some 50 ms. The workload allocates and grows memory, as a compiler does. What new
// memory costs differs from machine to machine, and with what runs beside.
type Units int

// leastUnit is a unit on a machine that is faster than those at hand.
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

// grown keeps the compiler from leaving the work out.
var grown []uint32

// Exceeded reports whether processor time that was used just now is more than a bound.
func (bound Units) Exceeded(took time.Duration) bool {
	return took > time.Duration(bound)*leastUnit && took > time.Duration(bound)*unit()
}

// ProcessorWithin is Processor of a function that should stay within a bound. Where it
// does not, it runs again, three times in all, and the least counts: memory that others
// push out of the caches costs time, too.
func ProcessorWithin(bound Units, run func()) (least time.Duration, exceeded bool) {
	least = Processor(run)
	exceeded = bound.Exceeded(least)
	for again := 0; exceeded && again < 2; again++ {
		least = min(least, Processor(run))
		exceeded = bound.Exceeded(least)
	}
	return least, exceeded
}

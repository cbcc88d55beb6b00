// The memory of devices, which Go's collector does not see: a buffer of a gigabyte
// is a hundred bytes to it. Those who close what they make need no collector. For
// those who do not it is called when the memory in use has doubled since it last
// ran, which is how it paces itself with Go's own heap.

package gpu

import (
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// leastGoal is the memory in use below which the collector is not called.
const leastGoal = 64 << 20

// reserve counts a device's memory.
type reserve struct {
	bytes       atomic.Int64 // of buffers and textures that are not freed
	goal        atomic.Int64 // of bytes, beyond which there is a collection; 0 is leastGoal
	collections atomic.Uint64
	mutex       sync.Mutex // held during a collection
	orphans     *orphans
}

// due reports whether so much is in use that a collection may be worth its while.
func (r *reserve) due() bool { return r.bytes.Load() > max(r.goal.Load(), leastGoal) }

// patience is how long a collection waits for cleanups. Those of the program that
// take longer, or that allocate buffers themselves, must not hold it up.
const patience = 100 * time.Millisecond

// rounds is how often a collection is repeated that has freed something, but not
// half of what is in use: cleanups run behind the collector, on several goroutines
// and in no order, so some may be late.
const rounds = 3

// collect frees the memory of buffers and textures that nobody refers to any more,
// inside enter and leave. It does not repeat what another goroutine has just done.
func (r *reserve) collect() {
	seen := r.collections.Load()
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.collections.Load() != seen {
		return
	}
	for range rounds {
		before := r.bytes.Load()
		ran := make(chan struct{})
		// Large enough for a place of its own: small objects without pointers share one.
		runtime.AddCleanup(new([64]byte), func(ran chan struct{}) { close(ran) }, ran)
		runtime.GC()
		select {
		case <-ran:
		case <-time.After(patience):
		}
		r.orphans.reclaim()
		if after := r.bytes.Load(); after >= before || after <= before/2 {
			break
		}
	}
	r.goal.Store(2 * r.bytes.Load())
	r.collections.Add(1)
}

// reserved calls create for an object of so many bytes on the device, after a collection
// if one is due, and once more after a collection if memory is short, which it may be
// only because nobody closed what is in it. free is the end of the object.
func reserved[T interface{ Free() error }](r *reserve, bytes uint64, create func() (T, error)) (made T, free func() error, err error) {
	r.orphans.reclaim()
	if r.due() {
		r.collect()
	}
	if made, err = create(); errors.Is(err, ErrOutOfMemory) {
		r.collect()
		made, err = create()
	}
	if err != nil {
		return made, nil, err
	}
	r.bytes.Add(int64(bytes))
	return made, func() error {
		r.bytes.Add(-int64(bytes))
		return made.Free()
	}, nil
}

// Device memory, which Go's garbage collector does not see: to it a buffer of a gigabyte has a
// hundred bytes. Programs that close their buffers need no collector. For others it runs when the
// memory in use has doubled since its last run, as it does for Go's own heap.

package gpu

import (
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// minGoal is the memory in use below which the collector is not called.
const minGoal = 64 << 20

// reserve counts a device's memory.
type reserve struct {
	bytes       atomic.Int64 // of buffers and textures that are not freed
	goal        atomic.Int64 // of bytes, beyond which there is a collection; 0 is minGoal
	collections atomic.Uint64
	mutex       sync.Mutex // held during a collection
	orphans     *orphans
}

// due reports whether so much is in use that a collection may pay.
func (r *reserve) due() bool { return r.bytes.Load() > max(r.goal.Load(), minGoal) }

// patience limits how long a collection waits for cleanups. Those of the program may take longer,
// or allocate buffers themselves, and must not block it.
const patience = 100 * time.Millisecond

// rounds limits how often a collection is repeated that freed something, but less than half of what
// is in use. Cleanups run after the collector on several goroutines in any order, so some may be
// late.
const rounds = 3

// collect frees the memory of buffers and textures that are unreachable, inside enter and leave. It
// does not repeat what another goroutine has just done.
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
		// Large enough to be allocated alone: tiny objects without pointers share a block.
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

// collecting calls create, which reserves a number of bytes. It collects first if that is due, and
// tries again after a collection if memory is short. Whoever frees the bytes calls freed.
func (d *Device) collecting(bytes uint64, create func() error) error {
	r := &d.reserve
	r.orphans.reclaim()
	if r.due() {
		r.collect()
	}
	err := create()
	if errors.Is(err, ErrOutOfMemory) {
		r.collect()
		err = create()
	}
	if err == nil {
		r.bytes.Add(int64(bytes))
	}
	return err
}

// The lifetime of a driver object that belongs to a Go object. A call in another goroutine may be
// using it when it is closed, so the last user frees it. A cleanup frees what nothing closed. It
// only queues the release: cleanups share a goroutine and must not call into a driver.

package gpu

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// lifetime counts the users of a driver object: one for its owner while it is
// open, one for each call under way.
type lifetime struct {
	users   atomic.Int64
	closed  atomic.Bool
	free    func() error
	cleanup runtime.Cleanup
}

// orphan is a driver object whose owner was garbage collected.
type orphan struct {
	queue *orphans
	free  func() error
}

// open begins the lifetime of the driver object that free releases. free must not refer to l, or it
// would never be collected.
func (l *lifetime) open(queue *orphans, free func() error) {
	l.users.Store(1)
	l.free = free
	l.cleanup = runtime.AddCleanup(l, func(o orphan) { o.queue.add(o.free) }, orphan{queue, free})
}

// use adds a user unless l is closed.
func (l *lifetime) use() bool {
	if l.closed.Load() {
		return false
	}
	for {
		n := l.users.Load()
		if n == 0 {
			return false
		}
		if l.users.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

// done ends a use.
func (l *lifetime) done() error {
	if l.users.Add(-1) == 0 {
		return l.free()
	}
	return nil
}

// close ends the owner's use, once.
func (l *lifetime) close() error {
	if l.closed.Swap(true) {
		return nil
	}
	l.cleanup.Stop()
	return l.done()
}

// orphans queues the releases of collected objects.
type orphans struct {
	mutex sync.Mutex
	queue []func() error
}

func (o *orphans) add(free func() error) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	o.queue = append(o.queue, free)
}

// reclaim frees what is queued. There is nobody to return errors to: the device reports its loss to
// the next call.
func (o *orphans) reclaim() {
	o.mutex.Lock()
	queue := o.queue
	o.queue = nil
	o.mutex.Unlock()
	for _, free := range queue {
		_ = free()
	}
}

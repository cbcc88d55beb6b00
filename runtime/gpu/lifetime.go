// The lifetime of what the device holds for a Go object. A call in another
// goroutine may be using it when it is closed, so the last user frees it; and an
// object that nobody closed is freed by a net under the garbage collector, which
// only queues the work: a cleanup must not call into a driver, for it runs on a
// goroutine that all cleanups share.

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

// orphan is a driver object whose owner was collected.
type orphan struct {
	queue *orphans
	free  func() error
}

// open starts the life of l, whose driver object free releases. free must not
// refer to l, or it would never be collected.
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

// orphans queues what collected objects left behind.
type orphans struct {
	mutex sync.Mutex
	queue []func() error
}

func (o *orphans) add(free func() error) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	o.queue = append(o.queue, free)
}

// reclaim frees what is queued. Errors have nobody to go to: the device will
// report its loss to the next call.
func (o *orphans) reclaim() {
	o.mutex.Lock()
	queue := o.queue
	o.queue = nil
	o.mutex.Unlock()
	for _, free := range queue {
		_ = free()
	}
}

package memlimit

import (
	"sync"
)

// This file bounds the memory of gpuc serve. Requests wait until there is room for them, in the
// order in which they come; one that needs more than there is at all runs alone.

// Budget is memory that several share.
type Budget struct {
	mutex   sync.Mutex
	changed *sync.Cond
	size    uint64
	Used    uint64
	most    uint64 // that were used at one time
	// over is told how much more than its size is in use, because one needs it alone.
	over func(bytes uint64)
	// Those who wait have numbers, and are served in the order of these.
	last, serving uint64
}

func NewBudget(size uint64, over func(bytes uint64)) *Budget {
	b := &Budget{size: size, over: over}
	b.changed = sync.NewCond(&b.mutex)
	return b
}

// Take adds bytes to what a user has, once there is room for them or nobody else has anything. A
// user that has something already may take more only if no other does so, or two could wait for
// each other.
func (b *Budget) Take(has, bytes uint64) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	number := b.last
	b.last++
	for number != b.serving || b.Used+bytes > b.size && b.Used > has {
		b.changed.Wait()
	}
	b.serving++
	b.change(b.Used + bytes)
}

// Give gives bytes back.
func (b *Budget) Give(bytes uint64) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.change(b.Used - bytes)
}

func (b *Budget) change(used uint64) {
	before := excess(b.Used, b.size)
	b.Used, b.most = used, max(b.most, used)
	if after := excess(used, b.size); after != before {
		b.over(after)
	}
	b.changed.Broadcast()
}

func excess(used, size uint64) uint64 { return max(used, size) - size }

package memlimit

import "sync"

// Budget is memory that several goroutines share. Each waits until there is enough for it, in the
// order of their calls. One that needs more than the whole budget gets it when no other has any.
type Budget struct {
	mutex   sync.Mutex
	changed *sync.Cond
	size    uint64
	used    uint64
	peak    uint64 // maximum of used
	exceed  func(bytes uint64)

	// tickets: the next to be given, and that of the goroutine whose turn it is
	next, serving uint64
}

// NewBudget returns a budget of the given number of bytes. It calls exceed when the bytes in use
// beyond the budget change.
func NewBudget(size uint64, exceed func(bytes uint64)) *Budget {
	b := &Budget{size: size, exceed: exceed}
	b.changed = sync.NewCond(&b.mutex)
	return b
}

// Take takes bytes for a goroutine that has some already. Only one goroutine may take more while it
// has some, as two could wait for each other.
func (b *Budget) Take(has, bytes uint64) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	ticket := b.next
	b.next++
	for ticket != b.serving || b.used+bytes > b.size && b.used > has {
		b.changed.Wait()
	}
	b.serving++
	b.change(b.used + bytes)
}

// Give gives bytes back.
func (b *Budget) Give(bytes uint64) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.change(b.used - bytes)
}

// Used returns the bytes in use.
func (b *Budget) Used() uint64 {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return b.used
}

func (b *Budget) change(used uint64) {
	before, after := max(b.used, b.size)-b.size, max(used, b.size)-b.size
	b.used, b.peak = used, max(b.peak, used)
	if after != before {
		b.exceed(after)
	}
	b.changed.Broadcast()
}

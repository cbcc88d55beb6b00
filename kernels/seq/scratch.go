package seq

import (
	"runtime"
	"sync"
	"weak"

	"github.com/gpuc/gpuc/runtime/gpu"
)

// A slot is one of the buffers that a stream keeps for the calls of this package, so that a second
// call allocates nothing. Each has one purpose, and no function uses one for two.
type slot int

const (
	slotStates slot = iota // partial results
	slotStatus             // words of chained kernels, which hold epochs
	slotLevels             // sums of tiles, blocks of tiles, and so on
	slotSums               // of histograms, which are zero between calls
	slotCounts             // of digits, of bins, of what is selected
	slotKeys               // keys of a sort, or their counts
	slotKeys2
	slotValues // values of a sort
	slotValues2
	slotFlags
	slotIndices
	slotNothing  // for bindings that a launch does not use
	slotNothing2 // others such, where one of them is written
	slotNothing3
	slots
)

// keptBytes is how large a buffer may be that a stream keeps. Larger ones go back to the stream's
// pool at the end of the call.
const keptBytes = 64 << 20

// leastBytes is how large such a buffer is at least. What is bound but not
// used needs no more, and so never grows within a call.
const leastBytes = 8 * scanBlock

// kept is what belongs to a stream.
type kept struct {
	mutex   sync.Mutex // held by a call: what it enqueues uses the same memory as other calls
	buffers [slots]*gpu.Buffer[byte]
	views   [views]view
	parts   parts
	// epoch is that of the last launch of a chained kernel, and tickets how many workgroups have
	// taken one since the status words were zero.
	epoch, tickets uint32
}

// views is how many buffers of the caller a call takes as bytes.
const views = 4

// view is a buffer of the caller as bytes, which kernels take for any type.
type view struct {
	of    gpu.Bound
	bytes *gpu.Buffer[byte]
}

var (
	keptMutex sync.Mutex
	keptBy    = map[weak.Pointer[gpu.Stream]]*kept{}
)

// keptOf returns what is kept for a stream, which goes with the stream.
func keptOf(s *gpu.Stream) *kept {
	key := weak.Make(s)
	keptMutex.Lock()
	defer keptMutex.Unlock()
	k := keptBy[key]
	if k == nil {
		k = new(kept)
		keptBy[key] = k
		runtime.AddCleanup(s, forget, key)
	}
	return k
}

func forget(key weak.Pointer[gpu.Stream]) {
	keptMutex.Lock()
	defer keptMutex.Unlock()
	delete(keptBy, key) // buffers that nothing reaches are freed
}

// call is one call of a function of this package, while it enqueues its work.
type call struct {
	operation string // "seq.Sum"
	stream    *gpu.Stream
	*kept
	values words
}

// begin begins a call once its arguments are checked. The caller ends it.
func begin(operation string, s *gpu.Stream) *call {
	c := calls.Get().(*call)
	c.operation, c.stream = operation, s
	if s.Capturing() {
		// Replays may run on any stream, and find the memory zeroed.
		c.kept = new(kept)
	} else {
		c.kept = keptOf(s)
	}
	c.mutex.Lock()
	return c
}

var calls = sync.Pool{New: func() any { return new(call) }}

// end ends the call, whether or not it has failed.
func (c *call) end() {
	captured := c.stream.Capturing()
	for n, b := range c.buffers {
		if b != nil && (captured || b.Len() > keptBytes) {
			c.drop(slot(n))
		}
	}
	c.mutex.Unlock()
	*c = call{}
	calls.Put(c)
}

// scratch returns at least n bytes of memory, which hold anything.
func (c *call) scratch(id slot, n int) (*gpu.Buffer[byte], error) {
	return c.take(id, n, gpu.AllocUninitialized[byte])
}

// zeroed returns at least n bytes of memory, zeroed when the slot got it, and in a replay each
// time.
func (c *call) zeroed(id slot, n int) (*gpu.Buffer[byte], error) {
	return c.take(id, n, gpu.Alloc[byte])
}

func (c *call) take(id slot, n int, alloc func(gpu.Allocator, int) (*gpu.Buffer[byte], error)) (*gpu.Buffer[byte], error) {
	n = (max(n, leastBytes) + 63) &^ 63
	old := c.buffers[id]
	if old != nil && old.Len() >= n && c.stream.Usable(old) == nil {
		return old, nil
	}
	c.drop(id)
	b, err := alloc(c.stream, n)
	if err != nil {
		return nil, failed(c.operation, err)
	}
	c.buffers[id] = b
	if id == slotStatus {
		c.epoch, c.tickets = 0, 0
	}
	return b, nil
}

// drop frees the memory of a slot, if it has some.
func (c *call) drop(id slot) {
	if b := c.buffers[id]; b != nil {
		_ = b.Close() // which waits for nothing, and has no error for an open buffer
		c.buffers[id] = nil
	}
}

// bytesOf returns a buffer of the caller as bytes. Calls number their views.
func bytesOf[T any](c *call, number int, b *gpu.Buffer[T]) *gpu.Buffer[byte] {
	v := &c.views[number]
	if v.of != gpu.Bound(b) {
		*v = view{b, b.Raw()}
	}
	return v.bytes
}

// parts are two parts of a buffer, which a launch may write both.
type parts struct {
	of          *gpu.Buffer[byte]
	at, end     int
	whole, rest *gpu.Buffer[byte]
}

// split returns the bytes of a buffer up to one, and those from there to the end. Where there are
// none it returns memory that the launch does not use, at least as much as given.
func (c *call) split(b *gpu.Buffer[byte], at, end, least int) (whole, rest gpu.Bound, err error) {
	p := &c.parts
	if p.of != b || p.at != at || p.end != end {
		*p = parts{of: b, at: at, end: end}
		if p.whole, err = b.Slice(0, at); err == nil {
			p.rest, err = b.Slice(at, end)
		}
		if err != nil {
			*p = parts{}
			return nil, nil, failed(c.operation, err)
		}
	}
	whole, rest = p.whole, p.rest
	if at == 0 {
		whole, err = c.scratch(slotNothing2, least)
	} else if at == end {
		rest, err = c.scratch(slotNothing2, least)
	}
	return whole, rest, err
}

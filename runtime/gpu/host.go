// Host buffers: memory of the host that a device reaches by itself, and the pool that it comes
// from.

package gpu

import (
	"cmp"
	"errors"
	"fmt"
	"math/bits"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"
	"weak"

	"github.com/gpuc/gpuc/runtime/driver"
)

// HostBuffer is memory of the host that a device copies from and to by itself, at the full speed of
// its bus, while the program goes on (pinned memory). AllocHost makes it. Its elements are a Go
// slice, which Buffer.WriteAsync and ReadAsync take, also in part.
type HostBuffer[T any] struct {
	allocation *hostAllocation
	data       []T
}

// hostAllocation is the memory of a host buffer.
type hostAllocation struct {
	lifetime
	device *Device
	block  *hostBlock
	users  *users
}

// AllocHost makes a host buffer of n zeroed elements. Close or Device.Close frees it, as soon as no
// copy uses it. Its memory is kept for later ones until Device.Trim, up to what was needed at once
// and 64 MiB. What is unreachable is freed some time later. Such memory is dear: systems cannot
// swap it out, and getting it takes longer than a copy. Errors are those of Alloc.
func AllocHost[T any](d *Device, n int) (*HostBuffer[T], error) {
	if _, err := elementOf(reflect.TypeFor[T]()); err != nil {
		return nil, err
	}
	size := uint64(unsafe.Sizeof(*new(T)))
	if n < 0 {
		return nil, fmt.Errorf("allocate a host buffer: %w: %d elements", ErrShape, n)
	}
	if err := d.enter(); err != nil {
		return nil, err
	}
	defer d.leave()
	d.orphans.reclaim()
	if uint64(n) > d.info.MaxBufferBytes/size {
		return nil, fmt.Errorf("allocate a host buffer of %d elements of %d bytes: %w: a buffer has at most %d bytes on %s",
			n, size, ErrLimit, d.info.MaxBufferBytes, d.info.ID())
	}
	a, err := d.hosts.allocate(d, size*uint64(n), true)
	if err != nil {
		return nil, fmt.Errorf("allocate a host buffer of %d bytes on %s: %w", size*uint64(n), d.info.ID(), err)
	}
	data := a.block.memory.Bytes()
	return &HostBuffer[T]{allocation: a, data: unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(data))), n)}, nil
}

// Data returns the elements. They are the memory itself: it must not be used after Close, nor when
// the HostBuffer is unreachable. Copies under way read or write it, see Buffer.ReadAsync. It is nil
// after Close, and for a nil or zero HostBuffer.
func (h *HostBuffer[T]) Data() []T {
	if !h.valid() || h.allocation.closed.Load() {
		return nil
	}
	return h.data
}

// Len is the number of elements, 0 for a nil or zero HostBuffer.
func (h *HostBuffer[T]) Len() int {
	if h == nil {
		return 0
	}
	return len(h.data)
}

// Close frees the memory once the copies that use it have finished. Closing twice is no error.
func (h *HostBuffer[T]) Close() error {
	if !h.valid() {
		return invalid("close a host buffer", hostBufferMaker)
	}
	return h.allocation.device.closing(h.allocation.close)
}

// Sizes in bytes.
const (
	// leastHost is the least that a host buffer gets.
	leastHost = 4096
	// spareHost is kept for later host buffers, or as much as was in use at once.
	spareHost = 64 << 20
)

// hostBlock is memory of the driver's. The pool keeps it when no host buffer has it.
type hostBlock struct {
	memory driver.HostMemory
	bytes  uint64
	uses   []use // by copies that may be under way
}

// hostPool is a device's memory for host buffers.
type hostPool struct {
	mutex    sync.Mutex
	idle     []*hostBlock // the longest unused first
	kept     uint64       // bytes of these
	held     uint64       // bytes that host buffers have
	peak     uint64       // the highest so far
	reserved atomic.Uint64
	// ranges are the addresses of host buffers, in order. The list is replaced, never changed.
	ranges atomic.Pointer[[]hostRange]
}

// hostRange is where a host buffer lies. It does not keep it alive.
type hostRange struct {
	first, end uintptr
	of         weak.Pointer[hostAllocation]
}

// hostBytes rounds a size up to four leading bits, so that host buffers of about the same size can
// have each other's memory.
func hostBytes(bytes uint64) uint64 {
	bytes = max(bytes, leastHost)
	step := uint64(1) << (bits.Len64(bytes) - 4)
	return (bytes + step - 1) &^ (step - 1)
}

// allocate makes a host buffer's memory, inside enter and leave.
func (p *hostPool) allocate(d *Device, bytes uint64, zeros bool) (*hostAllocation, error) {
	block, used, err := p.take(d, hostBytes(bytes))
	if err != nil {
		return nil, err
	}
	if zeros && used {
		driver.Clear(block.memory.Bytes()[:bytes])
	}
	a := &hostAllocation{device: d, block: block, users: new(users)}
	by := a.users
	a.lifetime.open(d.orphans, freeing(d, func() error {
		var list [2]use
		return p.give(block, by.unfinished(list[:0]))
	}))
	p.list(a)
	return a, nil
}

// take returns memory that is kept, or new one.
func (p *hostPool) take(d *Device, bytes uint64) (block *hostBlock, used bool, err error) {
	if block = p.find(d, bytes); block != nil {
		return block, true, nil
	}
	memory, err := d.driver.NewHostMemory(bytes)
	if errors.Is(err, ErrOutOfMemory) && p.trim(0) > 0 {
		memory, err = d.driver.NewHostMemory(bytes)
	}
	if err != nil {
		return nil, false, err
	}
	p.reserved.Add(bytes)
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.hold(bytes)
	return &hostBlock{memory: memory, bytes: bytes}, false, nil
}

func (p *hostPool) hold(bytes uint64) {
	p.held += bytes
	p.peak = max(p.peak, p.held)
}

// find returns memory of a size that is kept. If there is much that copies may use, it waits.
func (p *hostPool) find(d *Device, bytes uint64) *hostBlock {
	for attempt := range 2 {
		p.mutex.Lock()
		waiting := uint64(0)
		for n, b := range p.idle {
			if b.bytes != bytes {
				continue
			}
			if b.finished() {
				p.idle = slices.Delete(p.idle, n, n+1)
				p.kept -= bytes
				p.hold(bytes)
				p.mutex.Unlock()
				b.uses = b.uses[:0]
				return b
			}
			waiting += bytes
		}
		p.mutex.Unlock()
		if attempt > 0 || waiting < max(spareHost, bytes) || p.drain(d) != nil {
			break
		}
	}
	return nil
}

// drain waits for the work that uses memory which is kept.
func (p *hostPool) drain(d *Device) error {
	p.mutex.Lock()
	var uses []use
	for _, b := range p.idle {
		if !b.finished() {
			uses = append(uses, b.uses...)
		}
	}
	p.mutex.Unlock()
	if uses == nil {
		return nil
	}
	if err := d.driver.Drain(); err != nil {
		return err
	}
	for _, u := range uses {
		d.pool.finished(u.stream, u.number)
	}
	return nil
}

func (b *hostBlock) finished() bool {
	return !slices.ContainsFunc(b.uses, func(u use) bool { return !u.finished() })
}

// give keeps memory, and frees what there is too much of.
func (p *hostPool) give(b *hostBlock, uses []use) error {
	p.unlist(b)
	b.uses = append(b.uses[:0], uses...)
	p.mutex.Lock()
	p.idle = append(p.idle, b)
	p.kept += b.bytes
	p.held -= b.bytes
	most := max(spareHost, p.peak)
	p.mutex.Unlock()
	p.trim(most)
	return nil
}

// trim frees memory that no copy uses, the longest unused first, until no more than some bytes are
// kept. It returns how many it freed.
func (p *hostPool) trim(most uint64) (freed uint64) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	for n := 0; n < len(p.idle) && p.kept > most; {
		b := p.idle[n]
		if !b.finished() {
			n++
			continue
		}
		p.idle = slices.Delete(p.idle, n, n+1)
		p.kept -= b.bytes
		p.reserved.Add(-b.bytes)
		freed += b.bytes
		_ = b.memory.Free() // which fails on a lost device alone, as the next call says
	}
	return freed
}

// list adds a host buffer to the ranges.
func (p *hostPool) list(a *hostAllocation) {
	first := hostAddress(a.block.memory.Bytes())
	p.change(func(ranges []hostRange) []hostRange {
		n, _ := findRange(ranges, first)
		return slices.Insert(ranges, n, hostRange{first, first + uintptr(a.block.bytes), weak.Make(a)})
	})
}

// unlist removes the host buffer that has a block.
func (p *hostPool) unlist(b *hostBlock) {
	first := hostAddress(b.memory.Bytes())
	p.change(func(ranges []hostRange) []hostRange {
		n, found := findRange(ranges, first)
		if !found {
			return ranges
		}
		return slices.Delete(ranges, n, n+1)
	})
}

// change replaces the ranges.
func (p *hostPool) change(change func([]hostRange) []hostRange) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	var ranges []hostRange
	if old := p.ranges.Load(); old != nil {
		ranges = slices.Clone(*old)
	}
	ranges = change(ranges)
	p.ranges.Store(&ranges)
}

func findRange(ranges []hostRange, first uintptr) (int, bool) {
	return slices.BinarySearchFunc(ranges, first, func(r hostRange, first uintptr) int { return cmp.Compare(r.first, first) })
}

// within returns the host buffer that bytes lie in, in use until done, and where; nil if they lie
// in none.
func (p *hostPool) within(host []byte) (*hostAllocation, uint64) {
	ranges := p.ranges.Load()
	if ranges == nil || len(*ranges) == 0 || len(host) == 0 {
		return nil, 0
	}
	first := hostAddress(host)
	n, found := findRange(*ranges, first)
	if !found {
		n--
	}
	if n < 0 {
		return nil, 0
	}
	r := &(*ranges)[n]
	if first+uintptr(len(host)) > r.end {
		return nil, 0
	}
	a := r.of.Value()
	if a == nil || !a.use() {
		return nil, 0
	}
	return a, uint64(first - r.first)
}

func hostAddress(data []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(data))) }

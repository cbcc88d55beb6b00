package vector

import (
	"math"
	"math/bits"
	"sync/atomic"
	"unsafe"

	"github.com/gpuc/gpuc/codegen/mir"
	"github.com/gpuc/gpuc/ir/eval"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file executes accesses. What an address leads to outside of its root reads as zero and is
// not written, whatever the code before it has clamped. Where all lanes look at one address there
// is one access; where they look at neighbours there is one copy; otherwise each has its own.

// start returns the sum of what is the same in all lanes.
func (w *worker) start(a *access) uint64 {
	sum := uint64(a.offset)
	for _, term := range a.term[:a.terms] {
		if a.narrow {
			sum += uint64(*(*uint32)(w.at(term)))
		} else {
			sum += *(*uint64)(w.at(term))
		}
	}
	if a.narrow {
		sum = uint64(uint32(sum))
	}
	return sum
}

// address returns the address that a lane accesses, given the start.
func (w *worker) address(a *access, start uint64, lane int) uint64 {
	switch a.index {
	case unsignedIndex:
		start += uint64(min(*(*uint32)(unsafe.Add(w.at(a.column), 4*lane)), w.bound(a))) * uint64(a.scale)
	case signedIndex:
		start += uint64(int64(*(*int32)(unsafe.Add(w.at(a.column), 4*lane)))) * uint64(a.scale)
	case longIndex:
		start += *(*uint64)(unsafe.Add(w.at(a.column), 8*lane))
	}
	if a.narrow {
		start = uint64(uint32(start))
	}
	return start
}

// bound returns the greatest element that an access takes from its column.
func (w *worker) bound(a *access) uint32 {
	if a.bound == 0 {
		return math.MaxUint32
	}
	return *(*uint32)(w.at(a.bound - 1))
}

// find returns the address of some bytes in a root, or nil outside of it.
func (w *worker) find(a *access, address uint64, lane int) unsafe.Pointer {
	if a.own {
		return w.findOwn(a, address, lane)
	}
	root := &w.roots[a.root]
	if bytes := uint64(a.bytes); address > root.size || root.size-address < bytes {
		return nil
	}
	return unsafe.Add(root.base, address)
}

// findOwn returns an address in an invocation's own memory. Word n of it is a column, at the lane.
// Halves lie in one column and longs in two; those are a column apart, so that only their low words
// are found.
func (w *worker) findOwn(a *access, address uint64, lane int) unsafe.Pointer {
	if bytes := uint64(w.program.source.PrivateBytes); address > bytes || bytes-address < uint64(a.bytes) {
		return nil
	}
	return unsafe.Add(unsafe.Pointer(&w.own[0]), (address/4*uint64(w.program.room)+uint64(lane))*4+address%4)
}

// read returns what is at an address.
func (w *worker) read(a *access, p unsafe.Pointer) uint64 {
	switch {
	case p == nil:
		return 0
	case a.bytes == 4:
		return uint64(*(*uint32)(p))
	case a.bytes == 2:
		return uint64(*(*uint16)(p))
	case a.bytes == 1:
		return uint64(*(*uint8)(p))
	case a.own:
		return uint64(*(*uint32)(p)) | uint64(*(*uint32)(unsafe.Add(p, 4*w.program.room)))<<32
	}
	return *(*uint64)(p)
}

// write puts something there.
func (w *worker) write(a *access, p unsafe.Pointer, value uint64) {
	switch {
	case p == nil:
	case a.bytes == 4:
		*(*uint32)(p) = uint32(value)
	case a.bytes == 2:
		*(*uint16)(p) = uint16(value)
	case a.bytes == 1:
		*(*uint8)(p) = uint8(value)
	case a.own:
		*(*uint32)(p) = uint32(value)
		*(*uint32)(unsafe.Add(p, 4*w.program.room)) = uint32(value >> 32)
	default:
		*(*uint64)(p) = value
	}
}

// load executes a load.
func (w *worker) load(a *access) {
	start := w.start(a)
	switch {
	case a.result.step == 0:
		w.put(a.result, 0, w.read(a, w.find(a, start, 0)))
		return
	case a.bytes == 4 && a.own && a.index == noIndex && start%4 == 0:
		if p := w.find(a, start, 0); p != nil {
			w.program.primitives[copyWord](w.extent, w.at(a.result.at), p, nil, nil)
			return
		}
	case a.bytes == 4 && !a.own && w.live > w.extent/8 && w.loadWords(a, start):
		return
	case a.bytes == 4 && a.own && a.index == unsignedIndex && w.live > w.extent/8:
		w.loadOwn(a, uint32(start))
		return
	}
	for n, mask := range w.run {
		for mask != 0 {
			k := w.lane(n, &mask)
			w.put(a.result, k, w.read(a, w.find(a, w.address(a, start, k), k)))
		}
	}
}

// loadOwn loads words of each invocation's own memory at addresses that a column gives.
func (w *worker) loadOwn(a *access, start uint32) {
	bound, bytes, room := w.bound(a), w.program.source.PrivateBytes, uint64(w.program.room)
	to := unsafe.Slice((*uint32)(w.at(a.result.at)), w.extent)
	for n, index := range unsafe.Slice((*uint32)(w.at(a.column)), w.extent) {
		address := start + min(index, bound)*a.scale
		word := uint32(0)
		switch {
		case address%4 != 0:
			word = uint32(w.read(a, w.findOwn(a, uint64(address), n)))
		case address <= bytes-4:
			word = *(*uint32)(unsafe.Add(unsafe.Pointer(&w.own[0]), (uint64(address/4)*room+uint64(n))*4))
		}
		to[n] = word
	}
}

// window is what a column of words may look at: elements of scale bytes after base, from 0 to
// last. The element is the column's word, or bound if that is less, plus add.
type window struct {
	base  unsafe.Pointer
	add   uint32
	last  uint32
	scale uint32
	step  uint32 // from word to word, or 0 if elements do not add up to words
	bound uint32
}

// windowOf finds the window of an access to words, in the worker, and reports whether there is one.
func (w *worker) windowOf(a *access, start uint64) bool {
	root := &w.roots[a.root]
	if a.narrow {
		if a.index != unsignedIndex || a.scale != 1 || root.size < 4 || root.size > math.MaxInt32 {
			return false
		}
		w.window = window{root.base, uint32(start), uint32(root.size) - 4, 1, 4, w.bound(a)}
		return true
	}
	// A negative element times the scale is in front of the buffer, however little is added.
	if a.index != unsignedIndex && (a.index != signedIndex || start >= uint64(a.scale)) || start > root.size || root.size-start < 4 || root.size > math.MaxInt32 {
		return false
	}
	w.window = window{unsafe.Add(root.base, start), 0, (uint32(root.size-start) - 4) / a.scale, a.scale, 4 / a.scale, w.bound(a)}
	if w.window.step*a.scale != 4 {
		w.window.step = 0
	}
	return true
}

// loadWords loads words at addresses that a column of words gives. It reports false where it does
// not apply.
func (w *worker) loadWords(a *access, start uint64) bool {
	if !w.windowOf(a, start) {
		return false
	}
	index, to := w.at(a.column), w.at(a.result.at)
	if first, ok := w.consecutive(index); ok {
		copy(unsafe.Slice((*uint32)(to), w.extent), unsafe.Slice((*uint32)(first), w.extent))
		return true
	}
	gather(w.extent, to, index, &w.window)
	return true
}

// consecutive returns the address of the first lane's word, if all lanes up to the last that runs
// access consecutive words within the worker's window.
func (w *worker) consecutive(index unsafe.Pointer) (unsafe.Pointer, bool) {
	v := &w.window
	lanes := uint32(w.extent)
	first, last := *(*uint32)(index), *(*uint32)(unsafe.Add(index, 4*(lanes-1)))
	if v.step == 0 || last-first != (lanes-1)*v.step || max(first, last) > v.bound {
		return nil, false
	}
	first += v.add
	if first > v.last || uint64(first)+uint64(lanes-1)*uint64(v.step) > uint64(v.last) || !isConsecutive(int(lanes), index, v.step) {
		return nil, false
	}
	return unsafe.Add(v.base, uint64(first)*uint64(v.scale)), true
}

// store executes a store.
func (w *worker) store(a *access) {
	start := w.start(a)
	data := a.data[0]
	switch {
	case a.index == noIndex && !a.own: // the last lane's is what stays
		w.write(a, w.find(a, start, 0), w.get(data, w.last()))
		return
	case a.bytes == 4 && a.own && a.index == noIndex && start%4 == 0:
		if p := w.find(a, start, 0); p != nil {
			w.storeOwn(p, data)
			return
		}
	case a.bytes == 4 && !a.own && data.step == 4 && w.live > w.extent/8:
		if w.windowOf(a, start) {
			if w.live == w.extent {
				if first, ok := w.consecutive(w.at(a.column)); ok {
					copy(unsafe.Slice((*uint32)(first), w.extent), unsafe.Slice((*uint32)(w.at(data.at)), w.extent))
					return
				}
			}
			scatter(w.extent, w.at(data.at), w.at(a.column), w.column(), &w.window)
			return
		}
	}
	for n, mask := range w.run {
		for mask != 0 {
			k := w.lane(n, &mask)
			w.write(a, w.find(a, w.address(a, start, k), k), w.get(data, k))
		}
	}
}

// storeOwn stores a word of each invocation's own memory in the lanes that run.
func (w *worker) storeOwn(p unsafe.Pointer, data operand) {
	i, all := uint16(copyWord), w.live == w.program.lanes
	switch {
	case data.step == 0 && all:
		i = fillWord
	case data.step == 0:
		i = blendFillWord
	case !all:
		i = blendWord
	}
	var mask unsafe.Pointer
	if !all {
		mask = w.column()
	}
	w.program.primitives[i](w.extent, p, w.at(data.at), mask, nil)
}

// last returns the last lane that runs.
func (w *worker) last() int {
	for n := len(w.run) - 1; n >= 0; n-- {
		if mask := w.run[n]; mask != 0 {
			return n*64 + bits.Len64(mask) - 1
		}
	}
	return 0
}

// changes are the operations by which atomics change memory; an exchange has none.
var changes = [...]op.Op{op.AtomicAdd: op.Add, op.AtomicSub: op.Sub, op.AtomicMin: op.Min, op.AtomicMax: op.Max,
	op.AtomicAnd: op.And, op.AtomicOr: op.Or, op.AtomicXor: op.Xor}

// atomic executes an atomic, lane by lane.
func (w *worker) atomic(a *access) {
	start := w.start(a)
	if a.op == op.AtomicLoad && a.result.step == 0 {
		w.put(a.result, 0, w.change(a, w.find(a, start, 0), 0))
		return
	}
	for n, mask := range w.run {
		for mask != 0 {
			k := w.lane(n, &mask)
			old := w.change(a, w.find(a, w.address(a, start, k), k), k)
			if a.result.class != mir.NoClass {
				w.put(a.result, k, old)
			}
		}
	}
}

// change does what an atomic does at an address, and returns what was there.
func (w *worker) change(a *access, p unsafe.Pointer, lane int) uint64 {
	if p == nil || uintptr(p)%uintptr(a.bytes) != 0 {
		return 0
	}
	for {
		var old, value uint64
		if a.bytes == 4 {
			old = uint64(atomic.LoadUint32((*uint32)(p)))
		} else {
			old = atomic.LoadUint64((*uint64)(p))
		}
		switch a.op {
		case op.AtomicLoad:
			return old
		case op.AtomicCompareExchange:
			if old != w.get(a.data[0], lane) {
				return old
			}
			value = w.get(a.data[1], lane)
		default:
			value = w.get(a.data[0], lane)
			if a.op == op.AtomicReadModifyWrite && int(a.atomic) < len(changes) && changes[a.atomic] != op.Invalid {
				value = changed(changes[a.atomic], a.kind, old, value)
			}
		}
		if a.bytes == 4 {
			if atomic.CompareAndSwapUint32((*uint32)(p), uint32(old), uint32(value)) {
				return old
			}
		} else if atomic.CompareAndSwapUint64((*uint64)(p), old, value) {
			return old
		}
	}
}

func changed(o op.Op, k scalar.Kind, old, value uint64) uint64 {
	if o == op.Add && !k.IsFloat() {
		return old + value
	}
	return eval.For(o, k)(old, value, 0, 0)
}

package interp

import (
	"math"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/gpuc/gpuc/ir/eval"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file holds what single instructions do that the loop of run is too small for: how they
// find memory, move what has parts, and change memory at once.

// find returns where a switch goes for a value.
func (t *switchTable) find(value uint64) uint32 {
	if i := value - t.low; i < uint64(len(t.dense)) {
		return t.dense[i]
	}
	low, high := 0, len(t.values)
	for low < high {
		if middle := (low + high) / 2; t.values[middle] < value {
			low = middle + 1
		} else {
			high = middle
		}
	}
	if low < len(t.values) && t.values[low] == value {
		return t.target[low]
	}
	return t.other
}

// span returns the address of some bytes behind a pointer, or nil where they
// leave their root.
func span(roots []memory, pointer, bytes uint64) unsafe.Pointer {
	m := &roots[pointer>>offsetBits&rootMask]
	if offset := pointer & offsetMask; offset+bytes <= m.size {
		return unsafe.Add(m.base, offset)
	}
	return nil
}

// atomicAddress returns the address of an atomic, aligned down to its size, or nil outside of the
// root.
func atomicAddress(roots []memory, pointer uint64, bytes uint16) unsafe.Pointer {
	return span(roots, pointer&^uint64(bytes-1), uint64(bytes))
}

// elements returns the element count of a runtime-sized array (WGSL §17.4).
func elements(roots []memory, pointer, stride uint64) uint64 {
	m := &roots[pointer>>offsetBits&rootMask]
	offset := pointer & offsetMask
	if offset >= m.size || stride == 0 {
		return 0
	}
	return min((m.size-offset)/stride, math.MaxUint32)
}

func loadRun(slots frame, roots []memory, c *code, pointer uint64) {
	to := slots[c.d:][:c.n]
	from := span(roots, pointer, 4*uint64(len(to)))
	if from == nil {
		clear(to)
		return
	}
	for k := range to {
		to[k] = uint64(*(*uint32)(unsafe.Add(from, 4*k)))
	}
}

func load(slots frame, roots []memory, c *code, leaves []leaf) {
	pointer := slots[c.a]
	for k, l := range leaves {
		to := &slots[int(c.d)+k]
		from := span(roots, pointer+uint64(l.offset), uint64(l.kind.Bytes()))
		switch {
		case from == nil:
			*to = 0
		case l.kind == scalar.Bool:
			*to = truth(*(*uint32)(from) != 0)
		default:
			*to = bitsAt(from, l.kind.Bytes())
		}
	}
}

func store(slots frame, roots []memory, pointer uint64, leaves []leaf, list []uint32) {
	if pointer&outside != 0 {
		return
	}
	for k, l := range leaves {
		to := span(roots, pointer+uint64(l.offset), uint64(l.kind.Bytes()))
		if to != nil {
			putBits(to, l.kind.Bytes(), slots[list[k]])
		}
	}
}

// bitsAt returns the scalar of so many bytes at an address.
func bitsAt(from unsafe.Pointer, bytes int) uint64 {
	switch bytes {
	case 1:
		return uint64(*(*uint8)(from))
	case 2:
		return uint64(*(*uint16)(from))
	case 4:
		return uint64(*(*uint32)(from))
	}
	return *(*uint64)(from)
}

// putBits stores a scalar of so many bytes at an address.
func putBits(to unsafe.Pointer, bytes int, bits uint64) {
	switch bytes {
	case 1:
		*(*uint8)(to) = uint8(bits)
	case 2:
		*(*uint16)(to) = uint16(bits)
	case 4:
		*(*uint32)(to) = uint32(bits)
	default:
		*(*uint64)(to) = bits
	}
}

// copyParts copies the scalars of an aggregate, or clears them, and leaves the
// padding between them as it is.
func copyParts(roots []memory, to, from uint64, zero bool, leaves []leaf) {
	if to&outside != 0 {
		return
	}
	for _, l := range leaves {
		bytes := uint64(l.kind.Bytes())
		target := span(roots, to+uint64(l.offset), bytes)
		if target == nil {
			continue
		}
		part := unsafe.Slice((*byte)(target), bytes)
		var source unsafe.Pointer
		if !zero {
			source = span(roots, from+uint64(l.offset), bytes)
		}
		if source == nil {
			clear(part)
		} else {
			copy(part, unsafe.Slice((*byte)(source), bytes))
		}
	}
}

// halves is held by atomics of 16 bits, which Go does not have.
var halves sync.Mutex

// second returns the second operand, as an exchange does.
func second(_, b, _, _ uint64) uint64 { return b }

// modify applies a function to an atomic and returns the old value. It only loads if skip is set.
func modify(p unsafe.Pointer, bytes uint16, skip bool, operand uint64, f eval.Function) uint64 {
	switch {
	case p == nil:
		return 0
	case bytes == 4:
		for word := (*uint32)(p); ; {
			old := atomic.LoadUint32(word)
			if skip || atomic.CompareAndSwapUint32(word, old, uint32(f(uint64(old), operand, 0, 0))) {
				return uint64(old)
			}
		}
	case bytes == 2:
		halves.Lock()
		defer halves.Unlock()
		word := (*uint16)(p)
		old := uint64(*word)
		if !skip {
			*word = uint16(f(old, operand, 0, 0))
		}
		return old
	}
	for word := (*uint64)(p); ; {
		old := atomic.LoadUint64(word)
		if skip || atomic.CompareAndSwapUint64(word, old, f(old, operand, 0, 0)) {
			return old
		}
	}
}

// exchange stores a value in an atomic that equals another, and returns the old
// value.
func exchange(p unsafe.Pointer, bytes uint16, skip bool, compare, value uint64) uint64 {
	for {
		old := modify(p, bytes, true, 0, nil)
		switch {
		case p == nil || skip || old != compare:
			return old
		case bytes == 4:
			if atomic.CompareAndSwapUint32((*uint32)(p), uint32(old), uint32(value)) {
				return old
			}
		default:
			if atomic.CompareAndSwapUint64((*uint64)(p), old, value) {
				return old
			}
		}
	}
}

// bitcast joins components of one width to bits and splits them again.
func bitcast(slots frame, c *code, from []uint32) {
	var bits [4]uint64 // a vec4 of 64-bit scalars at most
	width, newWidth := int(c.x&255), int(c.x>>8&255)
	for k, s := range from {
		at := k * width
		bits[at/64] |= slots[s] << (at % 64)
	}
	mask := uint64(math.MaxUint64) >> (64 - newWidth)
	for k := range int(c.x >> 16 & 255) {
		at := k * newWidth
		slots[int(c.d)+k] = bits[at/64] >> (at % 64) & mask
	}
}

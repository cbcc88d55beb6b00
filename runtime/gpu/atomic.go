package gpu

import "sync/atomic"

// Kernels use sync/atomic for what it has: Add, And, Or, Swap, Load, Store and CompareAndSwap of
// integers of 32 and 64 bits, on elements of slices and of workgroup memory. This file has the
// other atomic operations. Under the race detector they order nothing, as on devices. The
// operations of sync/atomic do order accesses there, so that the detector misses races that only
// they prevent.

// AtomicMin sets *p to the minimum of *p and v, and returns the old value.
func AtomicMin[T int32 | uint32 | int64 | uint64](p *T, v T) T {
	return atomicChange(p, func(old T) T { return min(old, v) })
}

// AtomicMax sets *p to the maximum of *p and v, and returns the old value.
func AtomicMax[T int32 | uint32 | int64 | uint64](p *T, v T) T {
	return atomicChange(p, func(old T) T { return max(old, v) })
}

// AtomicXor sets *p to *p ^ bits, and returns the old value.
func AtomicXor[T int32 | uint32 | int64 | uint64](p *T, bits T) T {
	return atomicChange(p, func(old T) T { return old ^ bits })
}

func atomicChange[T int32 | uint32 | int64 | uint64](p *T, change func(T) T) (old T) {
	if raceEnabled {
		// On a device the operation orders nothing. What the detector has to know of it is a store,
		// which acquires nothing.
		hide()
		old = swapChanged(p, change)
		show(func() { atomicStore(p, change(old)) })
		return old
	}
	return swapChanged(p, change)
}

func atomicStore[T int32 | uint32 | int64 | uint64](p *T, v T) {
	switch word := any(p).(type) {
	case *int32:
		atomic.StoreInt32(word, int32(v))
	case *uint32:
		atomic.StoreUint32(word, uint32(v))
	case *int64:
		atomic.StoreInt64(word, int64(v))
	case *uint64:
		atomic.StoreUint64(word, uint64(v))
	}
}

func swapChanged[T int32 | uint32 | int64 | uint64](p *T, change func(T) T) (old T) {
	for {
		switch word := any(p).(type) {
		case *int32:
			was := atomic.LoadInt32(word)
			if old = T(was); atomic.CompareAndSwapInt32(word, was, int32(change(old))) {
				return old
			}
		case *uint32:
			was := atomic.LoadUint32(word)
			if old = T(was); atomic.CompareAndSwapUint32(word, was, uint32(change(old))) {
				return old
			}
		case *int64:
			was := atomic.LoadInt64(word)
			if old = T(was); atomic.CompareAndSwapInt64(word, was, int64(change(old))) {
				return old
			}
		case *uint64:
			was := atomic.LoadUint64(word)
			if old = T(was); atomic.CompareAndSwapUint64(word, was, uint64(change(old))) {
				return old
			}
		}
	}
}

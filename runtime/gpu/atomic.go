package gpu

import (
	"math"
	"sync"
	"sync/atomic"
	"unsafe"
)

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

// AtomicAdd adds v to *p, and returns the old value. The order in which items add is not defined,
// and with it the rounding of the sum. CUDA devices have an instruction for it. On others a
// compare-exchange is repeated until no other item has come between. These refuse kernels with sums
// of Float16, except for the CPU device, which interprets such kernels.
func AtomicAdd[T float32 | float64 | Float16](p *T, v T) (old T) {
	switch sum := any(p).(type) {
	case *float32:
		v := any(v).(float32)
		word := atomicChange((*uint32)(unsafe.Pointer(sum)), func(old uint32) uint32 { return math.Float32bits(math.Float32frombits(old) + v) })
		*any(&old).(*float32) = math.Float32frombits(word)
	case *float64:
		v := any(v).(float64)
		word := atomicChange((*uint64)(unsafe.Pointer(sum)), func(old uint64) uint64 { return math.Float64bits(math.Float64frombits(old) + v) })
		*any(&old).(*float64) = math.Float64frombits(word)
	case *Float16:
		halves.Lock() // Go has no atomics of 16 bits
		defer halves.Unlock()
		*any(&old).(*Float16) = *sum
		*sum = sum.Add(any(v).(Float16))
	}
	return old
}

// halves is held by sums of Float16.
var halves sync.Mutex

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

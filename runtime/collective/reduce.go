// Reductions on the host.

package collective

import (
	"unsafe"

	"github.com/gpuc/gpuc/runtime/gpu"
)

// number is what Go has operators for.
type number interface {
	~int8 | ~uint8 | ~int32 | ~uint32 | ~int64 | ~uint64 | ~float32 | ~float64
}

// combine stores in dst the reduction of the ranks' numbers, in the order of ranks. All have the
// same length in bytes. dst may be one of them.
func combine(dst []byte, ranks [][]byte, s scalar, by Reduction) {
	switch s {
	case int8Type:
		combineNumbers[int8](dst, ranks, by)
	case uint8Type:
		combineNumbers[uint8](dst, ranks, by)
	case int32Type:
		combineNumbers[int32](dst, ranks, by)
	case uint32Type:
		combineNumbers[uint32](dst, ranks, by)
	case int64Type:
		combineNumbers[int64](dst, ranks, by)
	case uint64Type:
		combineNumbers[uint64](dst, ranks, by)
	case float32Type:
		combineNumbers[float32](dst, ranks, by)
	case float64Type:
		combineNumbers[float64](dst, ranks, by)
	case float16Type:
		combineHalves(dst, ranks, by, gpu.Float16.Float32, gpu.ToFloat16)
	case bfloat16Type:
		combineHalves(dst, ranks, by, gpu.BFloat16.Float32, gpu.ToBFloat16)
	}
}

// block is how many numbers are reduced at once, so that sums stay in the cache.
const block = 1024

// view views bytes as numbers. Memory for host buffers is aligned for all of them.
func view[T any](b []byte) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/int(unsafe.Sizeof(*new(T))))
}

// combineNumbers reduces a block at a time.
func combineNumbers[T number](dst []byte, ranks [][]byte, by Reduction) {
	var sum [block]T
	to := view[T](dst)
	for at := 0; at < len(to); at += block {
		n := min(block, len(to)-at)
		copy(sum[:n], view[T](ranks[0])[at:])
		for _, rank := range ranks[1:] {
			accumulate(sum[:n], view[T](rank)[at:][:n], by)
		}
		if by == Average {
			divide(sum[:n], len(ranks))
		}
		copy(to[at:], sum[:n])
	}
}

// divide divides sums by the number of ranks, which small integers need not hold.
func divide[T number](sum []T, ranks int) {
	half, lowest := 0.5, -1.0
	isFloat, isSigned := T(half) != 0, T(lowest) < 0
	for i, x := range sum {
		switch {
		case isFloat:
			sum[i] = x / T(ranks)
		case isSigned:
			sum[i] = T(int64(x) / int64(ranks))
		default:
			sum[i] = T(uint64(x) / uint64(ranks))
		}
	}
}

// accumulate combines numbers with those so far.
func accumulate[T number](sum, with []T, by Reduction) {
	switch by {
	case Sum, Average:
		for i, x := range with {
			sum[i] += x
		}
	case Product:
		for i, x := range with {
			sum[i] *= x
		}
	case Max:
		for i, x := range with {
			sum[i] = max(sum[i], x)
		}
	case Min:
		for i, x := range with {
			sum[i] = min(sum[i], x)
		}
	}
}

// combineHalves reduces floats of 16 bits in float32, and rounds once.
func combineHalves[T any](dst []byte, ranks [][]byte, by Reduction, widen func(T) float32, round func(float32) T) {
	var sum, with [block]float32
	to := view[T](dst)
	for at := 0; at < len(to); at += block {
		n := min(block, len(to)-at)
		for rank, bytes := range ranks {
			for i, x := range view[T](bytes)[at:][:n] {
				with[i] = widen(x)
			}
			if rank == 0 {
				copy(sum[:n], with[:n])
			} else {
				accumulate(sum[:n], with[:n], by)
			}
		}
		for i := range n {
			if by == Average {
				sum[i] /= float32(len(ranks))
			}
			to[at+i] = round(sum[i])
		}
	}
}

// Host copies and zeros for drivers' staging memory.

package driver

import (
	"runtime"
	"sync"
	"unsafe"
)

// One core copies some 7 to 10 GB/s, a fraction of what a PCIe bus carries;
// eight together come close to it. Small copies do not repay waking them.
const (
	parallelBytes = 1 << 20
	maxWorkers    = 8
	pieceBytes    = 1 << 20
)

// Copy copies src to dst, of equal length, with several goroutines if that is faster.
func Copy(dst, src []byte) {
	workers := min(maxWorkers, runtime.GOMAXPROCS(0), len(src)/(parallelBytes/2))
	if len(src) < parallelBytes || workers < 2 {
		copyPieces(dst, src)
		return
	}
	var group sync.WaitGroup
	part := (len(src)/workers + 63) &^ 63
	for len(src) > part {
		to, from := dst[:part], src[:part]
		group.Go(func() { copyPieces(to, from) })
		dst, src = dst[part:], src[part:]
	}
	copyPieces(dst, src)
	group.Wait()
}

// Clear zeroes bytes, with several goroutines if that is faster.
func Clear(dst []byte) {
	workers := min(maxWorkers, runtime.GOMAXPROCS(0), len(dst)/(parallelBytes/2))
	if len(dst) < parallelBytes || workers < 2 {
		clear(dst)
		return
	}
	var group sync.WaitGroup
	part := (len(dst)/workers + 63) &^ 63
	for ; len(dst) > part; dst = dst[part:] {
		to := dst[:part]
		group.Go(func() { clear(to) })
	}
	clear(dst)
	group.Wait()
}

// Aligned makes n bytes, at least one, that begin at a multiple of a power of two.
func Aligned(n, alignment int) []byte {
	data := make([]byte, n+alignment-1)
	from := -int(uintptr(unsafe.Pointer(unsafe.SliceData(data)))) & (alignment - 1)
	return data[from:][:n:n]
}

// copyPieces copies in pieces: a garbage collection waits for each copy, now for a fraction of a
// millisecond.
func copyPieces(dst, src []byte) {
	for len(src) > pieceBytes {
		copy(dst[:pieceBytes], src)
		dst, src = dst[pieceBytes:], src[pieceBytes:]
	}
	copy(dst, src)
}

// Host copies and zeros for drivers' staging memory.

package driver

import (
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"
)

// pieceBytes is what one goroutine copies or clears at once.
const pieceBytes = 1 << 20

// share is a copy or a clearing that several goroutines share. Each takes one strip after another,
// as they begin at different times.
type share struct {
	dst, src []byte // src is nil for zeros
	next     atomic.Int64
	group    sync.WaitGroup
}

// Copy copies src to dst, of equal length, with several goroutines if that is faster.
func Copy(dst, src []byte) {
	if n := helpersFor(len(src)); n > 0 {
		together(n, dst, src)
		return
	}
	copyPieces(dst, src)
}

// Clear zeroes bytes, with several goroutines if that is faster.
func Clear(dst []byte) {
	if n := helpersFor(len(dst)); n > 0 {
		together(n, dst, nil)
		return
	}
	clear(dst)
}

// helpersFor is how many goroutines help with a copy. Small ones do not repay waking them.
func helpersFor(bytes int) int {
	if bytes < 4*helperBytes {
		return 0
	}
	return min(mostHelpers, runtime.GOMAXPROCS(0)-1, bytes/helperBytes-1)
}

// together copies, or clears if src is nil, with a number of helpers.
func together(helpers int, dst, src []byte) {
	s := &share{dst: dst, src: src}
	for range helpers {
		s.group.Go(s.work)
	}
	s.work()
	s.group.Wait()
}

// work takes strips until there are no more.
func (s *share) work() {
	for {
		at := int(s.next.Add(1)-1) * mostStrip
		if at >= len(s.dst) {
			return
		}
		dst := s.dst[at:min(at+mostStrip, len(s.dst))]
		if s.src == nil {
			clear(dst)
		} else {
			copy(dst, s.src[at:])
		}
	}
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

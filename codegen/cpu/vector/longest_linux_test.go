package vector

import (
	"fmt"
	"runtime"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/gpuc/gpuc/ir/scalar"
)

// BenchmarkLongestPrimitive says how long the slowest primitive takes for the invocations of the
// largest workgroup that a device runs: primitives in assembly are what is not preempted of
// columns, so that a collection of garbage waits so long. It is processor time of the thread: what
// the system runs meanwhile is not in it. Each counts by the least of its runs.
func BenchmarkLongestPrimitive(b *testing.B) {
	const lanes = 1024
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	spent := func() time.Duration {
		const threadClock = 3 // CLOCK_THREAD_CPUTIME_ID, linux/time.h
		var t syscall.Timespec
		syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, threadClock, uintptr(unsafe.Pointer(&t)), 0)
		return time.Duration(t.Nano())
	}
	here := thisProcessor()
	var longest time.Duration
	name := ""
	for b.Loop() {
		longest = 0
		for _, r := range rows {
			var columns [3]unsafe.Pointer
			for k := range columns {
				// room for both widths
				columns[k] = column(scalar.U64, values(scalar.U64, k)[:lanes])
			}
			room := make([]uint64, lanes+8)
			least := time.Hour
			for range 8 {
				begin := spent()
				here.columns[r.first](lanes, unsafe.Pointer(&room[0]), columns[0], columns[1], columns[2])
				least = min(least, spent()-begin)
			}
			if least > longest {
				longest, name = least, fmt.Sprintf("%s of %s", r.op, r.kind)
			}
		}
	}
	b.ReportMetric(float64(longest.Nanoseconds()), "ns/primitive")
	b.Log(name)
}

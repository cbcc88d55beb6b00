package park

import (
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"
)

// Operations of futex(2), for memory of one process.
const (
	futexWait = 0 | 128
	futexWake = 1 | 128
)

// Possible reports whether Wait and Wake do anything.
const Possible = true

// Wait blocks the thread until Wake, for at most a time, if the word has a value. It may return
// early.
func Wait(word *atomic.Uint32, value uint32, most time.Duration) {
	limit := syscall.NsecToTimespec(int64(most))
	syscall.Syscall6(syscall.SYS_FUTEX, uintptr(unsafe.Pointer(word)), futexWait, uintptr(value), uintptr(unsafe.Pointer(&limit)), 0, 0)
}

// Wake wakes some threads that Wait blocks. The word was given another value before.
func Wake(word *atomic.Uint32, count int) {
	syscall.Syscall6(syscall.SYS_FUTEX, uintptr(unsafe.Pointer(word)), futexWake, uintptr(count), 0, 0, 0)
}

//go:build amd64 || arm64

package execmem

import (
	"syscall"
	"unsafe"
)

// mprotect is the system call, for which package syscall has no function here.
func mprotect(code []byte, protection int) error {
	_, _, errno := syscall.Syscall(syscall.SYS_MPROTECT, uintptr(unsafe.Pointer(unsafe.SliceData(code))), uintptr(len(code)), uintptr(protection))
	if errno != 0 {
		return errno
	}
	return nil
}

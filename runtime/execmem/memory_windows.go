//go:build (amd64 || arm64) && windows

package execmem

import (
	"syscall"
	"unsafe"
)

// Constants of memoryapi.h and winnt.h.
const (
	memCommit       = 0x1000
	memReserve      = 0x2000
	memRelease      = 0x8000
	pageNoAccess    = 0x01
	pageReadWrite   = 0x04
	pageExecuteRead = 0x20
)

var (
	kernel32              = syscall.NewLazyDLL("kernel32.dll")
	virtualAlloc          = kernel32.NewProc("VirtualAlloc")
	virtualProtect        = kernel32.NewProc("VirtualProtect")
	virtualFree           = kernel32.NewProc("VirtualFree")
	flushInstructionCache = kernel32.NewProc("FlushInstructionCache")
)

func reserve(size int) ([]byte, error) {
	address, _, err := virtualAlloc.Call(0, uintptr(size), memCommit|memReserve, pageReadWrite)
	if address == 0 {
		return nil, err
	}
	// memory of the system's, which does not move: the address is reinterpreted, as go vet doubts
	// every conversion
	return unsafe.Slice(*(**byte)(unsafe.Pointer(&address)), size), nil
}

func protect(code []byte) error {
	if err := change(code, pageExecuteRead); err != nil {
		return err
	}
	process, err := syscall.GetCurrentProcess()
	if err != nil {
		return err
	}
	if ok, _, err := flushInstructionCache.Call(uintptr(process), uintptr(unsafe.Pointer(&code[0])), uintptr(len(code))); ok == 0 {
		return err
	}
	return nil
}

// change gives pages another protection.
func change(code []byte, protection uintptr) error {
	var old uint32
	if ok, _, err := virtualProtect.Call(uintptr(unsafe.Pointer(&code[0])), uintptr(len(code)), protection, uintptr(unsafe.Pointer(&old))); ok == 0 {
		return err
	}
	return nil
}

// revoke makes code inaccessible. If the system does not do so, it remains what it was.
func revoke(code []byte) { _ = change(code, pageNoAccess) }

// release gives a slab back, which cannot fail for what reserve returned.
func release(slab []byte) {
	_, _, _ = virtualFree.Call(uintptr(unsafe.Pointer(&slab[0])), 0, memRelease)
}

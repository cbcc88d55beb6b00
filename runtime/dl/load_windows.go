//go:build !nodrivers && (amd64 || arm64) && windows

package dl

import "syscall"

func load(name string) (uintptr, error) {
	handle, err := syscall.LoadLibrary(name)
	return uintptr(handle), err
}

func symbol(handle uintptr, name string) uintptr {
	address, err := syscall.GetProcAddress(syscall.Handle(handle), name)
	if err != nil {
		return 0
	}
	return address
}

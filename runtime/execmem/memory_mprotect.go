//go:build (amd64 || arm64) && (linux || darwin) && !ios

package execmem

import "syscall"

func mprotect(code []byte, protection int) error { return syscall.Mprotect(code, protection) }

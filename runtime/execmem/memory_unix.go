//go:build (amd64 || arm64) && (linux || freebsd || darwin) && !ios

package execmem

import "syscall"

func reserve(size int) ([]byte, error) {
	return syscall.Mmap(-1, 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON)
}

func protect(code []byte) error {
	if err := mprotect(code, syscall.PROT_READ|syscall.PROT_EXEC); err != nil {
		return err
	}
	synchronise(code)
	return nil
}

// revoke makes code inaccessible. If the system does not do so, it remains what it was.
func revoke(code []byte) { _ = mprotect(code, syscall.PROT_NONE) }

// release gives a slab back, which cannot fail for what reserve returned.
func release(slab []byte) { _ = syscall.Munmap(slab) }

package cpu

import "syscall"

// adviseLargePages asks for large pages behind memory that begins at a page, where the system gives
// them on request (Linux, "Transparent Hugepage Support"). Without them rows of a large matrix are
// each on another page, and a processor that prefetches waits for the tables of pages. Systems that
// have none return an error, which changes nothing.
func adviseLargePages(b []byte) error { return syscall.Madvise(b, syscall.MADV_HUGEPAGE) }

package execmem

import (
	"fmt"
	"os"
	"sync"
	"unsafe"
)

// This file allocates memory for code. Memory comes from the system in slabs, and kernels get whole
// pages of one. Each page is written once, made executable, and made inaccessible when its code is
// closed. No page is ever writable and executable at once, nor writable again. A slab is returned
// to the system when all its code is closed.

// slabBytes is the minimum size of a slab: a multiple of the page size of all systems.
const slabBytes = 64 << 10

// slab is memory from the system.
type slab struct {
	bytes []byte
	used  int // bytes that are allocated
	live  int // allocations that are not freed
}

// pages are the memory of one kernel.
type pages struct {
	bytes []byte
	slab  *slab
}

// address returns where they begin.
func (p pages) address() uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(p.bytes))) }

// slabs are those of the process.
type slabs struct {
	sync.Mutex
	current *slab // where the next code goes
}

var memory slabs

// store copies code to memory and makes it executable.
func (s *slabs) store(code []byte) (pages, error) {
	s.Lock()
	defer s.Unlock()
	page := os.Getpagesize()
	size := (len(code) + page - 1) &^ (page - 1)
	if s.current == nil || len(s.current.bytes)-s.current.used < size {
		bytes, err := reserve(max(size, slabBytes))
		if err != nil {
			return pages{}, fmt.Errorf("the system gives no memory for code: %w", err)
		}
		s.retire()
		s.current = &slab{bytes: bytes}
	}
	at := s.current
	p := pages{at.bytes[at.used : at.used+size : at.used+size], at}
	copy(p.bytes, code)
	fill(p.bytes[len(code):])
	if err := protect(p.bytes); err != nil {
		return pages{}, fmt.Errorf("the system does not let memory become executable: %w", err)
	}
	at.used += size
	at.live++
	return p, nil
}

// retire closes the current slab to allocations: it is returned with its last code.
func (s *slabs) retire() {
	if s.current != nil && s.current.live == 0 {
		release(s.current.bytes)
	}
	s.current = nil
}

// free makes pages inaccessible, and returns their slab to the system if it was the last code in
// it.
func (s *slabs) free(p pages) {
	s.Lock()
	defer s.Unlock()
	revoke(p.bytes)
	p.slab.live--
	switch {
	case p.slab != s.current:
		if p.slab.live == 0 {
			release(p.slab.bytes)
		}
	case p.slab.live == 0 && len(p.slab.bytes)-p.slab.used < os.Getpagesize():
		s.retire()
	}
}

// fill fills the end of the last page with trap instructions.
func fill(rest []byte) {
	for len(rest) > 0 {
		rest = rest[copy(rest, trap):]
	}
}

package execmem

import (
	"fmt"
	"os"
	"sync"
	"unsafe"
)

// This file keeps memory for code. Memory comes from the system in slabs, and kernels take whole
// pages of one: each page is written once, made executable, and made inaccessible when its code is
// closed; no page is ever writable and executable at once, nor writable again. A slab goes back to
// the system when all its code is closed.

// slabBytes is the size of a slab, if code is not larger. It is a multiple of the pages of all
// systems.
const slabBytes = 64 << 10

// slab is memory from the system.
type slab struct {
	bytes []byte
	used  int // bytes that code has been given
	live  int // how many kernels have not been closed
}

// pages are those of one kernel.
type pages struct {
	bytes []byte
	slab  *slab
}

// address returns where they are.
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

// retire gives the current slab up: it goes back when its last code is closed.
func (s *slabs) retire() {
	if s.current != nil && s.current.live == 0 {
		release(s.current.bytes)
	}
	s.current = nil
}

// free takes pages away.
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

// fill fills the rest of the last page with instructions that stop.
func fill(rest []byte) {
	for len(rest) > 0 {
		rest = rest[copy(rest, trap):]
	}
}

// Package execmem runs machine code in this process: it allocates executable memory, detects what
// the processor supports, and calls code.
//
//	Load(name, code) → pages that are written, made executable, and never writable again → Code
//	Code.Call(offset, context) → a stack of StackBytes, one argument → a status
//	Code.Close → the pages become inaccessible
//
// Available says whether that is possible: whether the processor has the features that code is
// written for, and the system lets memory become executable. If not, programs do without.
//
// Code is called like the C function uint64_t f(void *context), but may change more registers:
//
//	         context  status  stack                               preserved
//	amd64    RDI      RAX     StackBytes below RSP, which is 8    RSP
//	                          below a multiple of 64
//	arm64    R0       R0      StackBytes from R1 on               SP, R18, R28, R29, R30
//
// All other registers may be changed, vectors and flags included, except the rounding mode (MXCSR,
// FPCR). R30 of arm64 must not even be used: a profiler that interrupts the code takes it for a
// return address.
//
// Go's runtime knows nothing of running code. The goroutine is not preempted, and a garbage
// collection waits until the call returns. So code returns within a fraction of a millisecond, with
// a status with which it can be called again. It does not call Go and does not keep pointers. A
// fault in it ends the process; it is no Go panic.
package execmem

import (
	"errors"
	"fmt"
	"sync"
	"unsafe"
)

// StackBytes is how many bytes of stack code may use.
const StackBytes = 4096

// ErrUnavailable is wrapped by the errors of Available.
var ErrUnavailable = errors.New("machine code cannot be run here")

// Closed is the status of a call of closed code.
const Closed = ^uint64(0)

// Code is machine code that can be called. Calls may be made by many goroutines at once.
type Code struct {
	address uintptr // 0 if it has been closed
	size    uintptr
	memory  pages // none if it is a part of the program
}

// Available returns nil if machine code can be loaded and called. Otherwise the error wraps
// ErrUnavailable and says why. It tries once in a process.
func Available() error { return available() }

var available = sync.OnceValue(func() error {
	if err := callable(); err != nil {
		return err
	}
	c, err := load("probe", probe)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	defer c.Close()
	argument := uint64(probeArgument)
	if status := c.Call(0, unsafe.Pointer(&argument)); status != probeArgument {
		return fmt.Errorf("%w: a function returned %#x instead of its argument", ErrUnavailable, status)
	}
	return nil
})

// callable returns an error if this processor cannot run code.
func callable() error {
	if len(probe) == 0 {
		return fmt.Errorf("%w: there is no way to call it on this architecture", ErrUnavailable)
	}
	if missing := missing(); missing != "" {
		return fmt.Errorf("%w: the processor has no %s", ErrUnavailable, missing)
	}
	return nil
}

// HasAVX512 reports whether the processor has AVX-512 for vectors of 256 bits (F, VL, BW, DQ): such
// code may name 32 vector registers.
func HasAVX512() bool {
	avx512.Do(func() { avx512.has = hasAVX512() })
	return avx512.has
}

var avx512 struct {
	sync.Once
	has bool
}

const probeArgument = 0x5EED0FC0DE

// Load copies code into executable memory. The name is for profilers (see perfMap). Code must be
// position-independent, and begins at a multiple of 64.
func Load(name string, code []byte) (*Code, error) {
	if err := Available(); err != nil {
		return nil, err
	}
	if len(code) == 0 {
		return nil, errors.New("there is no code to load")
	}
	return load(name, code)
}

func load(name string, code []byte) (*Code, error) {
	p, err := memory.store(code)
	if err != nil {
		return nil, err
	}
	c := &Code{address: p.address(), size: uintptr(len(code)), memory: p}
	perf.add(c.address, len(code), name)
	return c, nil
}

// Address returns the address of the code, for debuggers; 0 if it is closed.
func (c *Code) Address() uintptr {
	if c == nil {
		return 0
	}
	return c.address
}

// Call calls the code at an offset in bytes and returns its status, or Closed if the code is closed
// or shorter. It keeps context alive during the call only, and nothing that context has addresses
// of. Those must not be of memory on a goroutine's stack, which may move before the code begins.
func (c *Code) Call(offset int, context unsafe.Pointer) uint64 {
	if c == nil || c.address == 0 || uintptr(offset) >= c.size {
		return Closed
	}
	return call(c.address+uintptr(offset), context)
}

// Close makes the code inaccessible. No call may be under way, and none may follow.
func (c *Code) Close() {
	if c == nil {
		return
	}
	if c.memory.slab != nil {
		memory.free(c.memory)
	}
	*c = Code{}
}

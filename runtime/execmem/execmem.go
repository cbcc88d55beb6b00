// Package execmem runs machine code in this process: it keeps memory for code, says what the
// processor can, and calls code.
//
//	Load(name, code) ──► pages that are written, then made executable, and never writable again ──► Code
//	Code.Call(offset, context) ──► a stack of StackBytes, one argument ──► a status
//	Code.Close ──► the pages are taken away
//
// Available says whether that is possible here at all: the processor has what code is written for,
// and the system lets memory become executable. Where it is not, programs do without machine code.
//
// Code is called as the function uint64_t f(void *context) of C is, with more liberties:
//
//	         context  status  stack                                              keeps
//	amd64    RDI      RAX     StackBytes below RSP, which is 8 bytes below a     RSP
//	                          multiple of 64, as behind a call
//	arm64    R0       R0      StackBytes from R1 on                              SP, R18, R28, R29; and R30, always
//
// All other registers may be changed, vectors and flags among them, but not how floats are rounded
// (MXCSR, FPCR). R30 of arm64 is no register to compute with: a profiler that interrupts the code
// takes it for an address to return to.
//
// While code runs, Go's runtime knows nothing of it. The goroutine is not preempted, and a garbage
// collection that begins waits until the call returns: so code returns within a fraction of a
// millisecond, with a status with which it can be called again. It does not call Go and does not
// keep pointers. A fault in it ends the process: it is not a panic of Go's.
package execmem

import (
	"errors"
	"fmt"
	"sync"
	"unsafe"
)

// StackBytes is how much of the stack code may use.
const StackBytes = 4096

// ErrUnavailable is the reason why machine code cannot be run here.
var ErrUnavailable = errors.New("machine code cannot be run here")

// Closed is the status of a call of code that has been closed.
const Closed = ^uint64(0)

// Code is machine code that can be called. Calls may be made by many goroutines at once.
type Code struct {
	address uintptr // 0 if it has been closed
	size    uintptr
	memory  pages // none if it is a part of the program
}

// Available returns nil if machine code can be loaded and called, and else an error that says why
// not, and that is an ErrUnavailable. It tries once in a process.
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

// callable says whether code can be called if there is any.
func callable() error {
	if len(probe) == 0 {
		return fmt.Errorf("%w: there is no way to call it on this architecture", ErrUnavailable)
	}
	if missing := missing(); missing != "" {
		return fmt.Errorf("%w: the processor has no %s", ErrUnavailable, missing)
	}
	return nil
}

const probeArgument = 0x5EED0FC0DE

// Load makes code callable. The name is what profilers show (see PerfMap). The code may lie at any
// multiple of 64; it is copied.
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

// Address returns where the code lies, for debuggers; 0 if it has been closed.
func (c *Code) Address() uintptr {
	if c == nil {
		return 0
	}
	return c.address
}

// Call calls the code at so many bytes from its beginning and returns its status; that is Closed if
// the code has been closed or has no such place. It does not keep context alive longer than the
// call, nor what context has addresses of: those must not be of memory on a goroutine's stack,
// which may move before the code begins.
func (c *Code) Call(offset int, context unsafe.Pointer) uint64 {
	if c == nil || c.address == 0 || uintptr(offset) >= c.size {
		return Closed
	}
	return call(c.address+uintptr(offset), context)
}

// Close takes the code away. No call may be going on, and none may follow.
func (c *Code) Close() {
	if c == nil {
		return
	}
	if c.memory.slab != nil {
		memory.free(c.memory)
	}
	*c = Code{}
}

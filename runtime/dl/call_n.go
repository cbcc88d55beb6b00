package dl

import "sync"

// This file has calls into C. Call takes any number of arguments and allocates their slice, which
// purego lets escape. CallN takes exactly N and allocates nothing, for functions that run at every
// launch or copy.

// frame holds the arguments of one call, reused between calls.
type frame [15]uintptr

var frames = sync.Pool{New: func() any { return new(frame) }}

// call runs fn on the first n values of f and gives f back.
func (f *frame) call(fn uintptr, n int) uintptr {
	result := invoke(fn, f[:n])
	frames.Put(f)
	return result
}

// Call calls the C function at fn with integer or pointer arguments and returns its result
// register. The goroutine keeps its thread during the call only; see runtime.LockOSThread for
// libraries with state per thread.
//
//go:uintptrescapes
//go:noinline
func Call(fn uintptr, arguments ...uintptr) uintptr { return invoke(fn, arguments) }

// Call1 is Call with 1 argument and without an allocation.
//
//go:uintptrescapes
//go:noinline
func Call1(fn, a uintptr) uintptr {
	frame := frames.Get().(*frame)
	frame[0] = a
	return frame.call(fn, 1)
}

// Call2 is Call with 2 arguments and without an allocation.
//
//go:uintptrescapes
//go:noinline
func Call2(fn, a, b uintptr) uintptr {
	frame := frames.Get().(*frame)
	frame[0], frame[1] = a, b
	return frame.call(fn, 2)
}

// Call3 is Call with 3 arguments and without an allocation.
//
//go:uintptrescapes
//go:noinline
func Call3(fn, a, b, c uintptr) uintptr {
	frame := frames.Get().(*frame)
	frame[0], frame[1], frame[2] = a, b, c
	return frame.call(fn, 3)
}

// Call4 is Call with 4 arguments and without an allocation.
//
//go:uintptrescapes
//go:noinline
func Call4(fn, a, b, c, d uintptr) uintptr {
	frame := frames.Get().(*frame)
	frame[0], frame[1], frame[2], frame[3] = a, b, c, d
	return frame.call(fn, 4)
}

// Call5 is Call with 5 arguments and without an allocation.
//
//go:uintptrescapes
//go:noinline
func Call5(fn, a, b, c, d, e uintptr) uintptr {
	frame := frames.Get().(*frame)
	frame[0], frame[1], frame[2], frame[3], frame[4] = a, b, c, d, e
	return frame.call(fn, 5)
}

// Call8 is Call with 8 arguments and without an allocation.
//
//go:uintptrescapes
//go:noinline
func Call8(fn, a, b, c, d, e, f, g, h uintptr) uintptr {
	frame := frames.Get().(*frame)
	frame[0], frame[1], frame[2], frame[3], frame[4], frame[5], frame[6], frame[7] = a, b, c, d, e, f, g, h
	return frame.call(fn, 8)
}

// Call10 is Call with 10 arguments and without an allocation.
//
//go:uintptrescapes
//go:noinline
func Call10(fn, a, b, c, d, e, f, g, h, i, j uintptr) uintptr {
	frame := frames.Get().(*frame)
	frame[0], frame[1], frame[2], frame[3], frame[4], frame[5], frame[6], frame[7], frame[8], frame[9] = a, b, c, d, e, f, g, h, i, j
	return frame.call(fn, 10)
}

// Call11 is Call with 11 arguments and without an allocation.
//
//go:uintptrescapes
//go:noinline
func Call11(fn, a, b, c, d, e, f, g, h, i, j, k uintptr) uintptr {
	frame := frames.Get().(*frame)
	frame[0], frame[1], frame[2], frame[3], frame[4], frame[5], frame[6], frame[7], frame[8], frame[9], frame[10] = a, b, c, d, e, f, g, h, i, j, k
	return frame.call(fn, 11)
}

// Call12 is Call with 12 arguments and without an allocation.
//
//go:uintptrescapes
//go:noinline
func Call12(fn, a, b, c, d, e, f, g, h, i, j, k, l uintptr) uintptr {
	frame := frames.Get().(*frame)
	*frame = [15]uintptr{a, b, c, d, e, f, g, h, i, j, k, l}
	return frame.call(fn, 12)
}

// Call15 is Call with 15 arguments and without an allocation.
//
//go:uintptrescapes
//go:noinline
func Call15(fn, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o uintptr) uintptr {
	frame := frames.Get().(*frame)
	*frame = [15]uintptr{a, b, c, d, e, f, g, h, i, j, k, l, m, n, o}
	return frame.call(fn, 15)
}

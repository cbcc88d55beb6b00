//go:build !nodrivers && (amd64 || arm64) && (linux || darwin || windows)

package dl

import (
	"sync"

	"github.com/ebitengine/purego"
)

// Supported says whether this build can load libraries at all.
const Supported = true

// unsupported is why not, in builds that cannot.
const unsupported = ""

// invoke calls the C function at fn and returns its result register.
func invoke(fn uintptr, arguments []uintptr) uintptr {
	result, _, _ := purego.SyscallN(fn, arguments...)
	return result
}

var floatCalls sync.Map // by address: *func(a, b uintptr) float64

// CallFloat calls the C function at fn, which takes two integers or pointers and returns a double.
// A double is in another register than the result of Call.
func CallFloat(fn, a, b uintptr) float64 {
	call, known := floatCalls.Load(fn)
	if !known {
		f := new(func(a, b uintptr) float64)
		purego.RegisterFunc(f, fn)
		call, _ = floatCalls.LoadOrStore(fn, f)
	}
	return (*call.(*func(a, b uintptr) float64))(a, b)
}

var callsWithFloat sync.Map // by address: *func(a, b uintptr, x float32)

// CallWithFloat calls the C function at fn, which takes two integers or pointers and a float. A
// float is in another register than the arguments of Call.
func CallWithFloat(fn, a, b uintptr, x float32) {
	call, known := callsWithFloat.Load(fn)
	if !known {
		f := new(func(a, b uintptr, x float32))
		purego.RegisterFunc(f, fn)
		call, _ = callsWithFloat.LoadOrStore(fn, f)
	}
	(*call.(*func(a, b uintptr, x float32)))(a, b, x)
}

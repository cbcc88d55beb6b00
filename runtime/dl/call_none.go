//go:build nodrivers || !(amd64 || arm64) || !(linux || darwin || windows)

// The build without drivers: no library is found, so nothing can be called.

package dl

import (
	"errors"
	"runtime"
)

// Supported says whether this build can load libraries at all.
const Supported = false

// unsupported is why.
const unsupported = "this program was built for " + runtime.GOOS + "/" + runtime.GOARCH + " without drivers, as the tag nodrivers does; " +
	"built with them it needs the C library, which loads them"

func load(name string) (uintptr, error) { return 0, errors.New(unsupported) }

func symbol(handle uintptr, name string) uintptr { return 0 }

// Call panics: no function was ever found.
//
//go:uintptrescapes
func Call(fn uintptr, arguments ...uintptr) uintptr {
	panic("dl: built without device drivers")
}

// Call1 panics like Call.
//
//go:uintptrescapes
func Call1(fn, a uintptr) uintptr { return Call(fn) }

// Call2 panics like Call.
//
//go:uintptrescapes
func Call2(fn, a, b uintptr) uintptr { return Call(fn) }

// Call3 panics like Call.
//
//go:uintptrescapes
func Call3(fn, a, b, c uintptr) uintptr { return Call(fn) }

// Call4 panics like Call.
//
//go:uintptrescapes
func Call4(fn, a, b, c, d uintptr) uintptr { return Call(fn) }

// Call5 panics like Call.
//
//go:uintptrescapes
func Call5(fn, a, b, c, d, e uintptr) uintptr { return Call(fn) }

// Call8 panics like Call.
//
//go:uintptrescapes
func Call8(fn, a, b, c, d, e, f, g, h uintptr) uintptr { return Call(fn) }

// Call10 panics like Call.
//
//go:uintptrescapes
func Call10(fn, a, b, c, d, e, f, g, h, i, j uintptr) uintptr { return Call(fn) }

// Call11 panics like Call.
//
//go:uintptrescapes
func Call11(fn, a, b, c, d, e, f, g, h, i, j, k uintptr) uintptr { return Call(fn) }

// Call12 panics like Call.
//
//go:uintptrescapes
func Call12(fn, a, b, c, d, e, f, g, h, i, j, k, l uintptr) uintptr { return Call(fn) }

// CallFloat panics like Call.
func CallFloat(fn, a, b uintptr) float64 { return float64(Call(fn)) }

// CallWithFloat panics like Call.
func CallWithFloat(fn, a, b uintptr, x float32) { Call(fn) }

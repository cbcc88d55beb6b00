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

// invoke panics: no function was ever found.
func invoke(fn uintptr, arguments []uintptr) uintptr {
	panic("dl: built without device drivers")
}

// CallFloat panics like Call.
func CallFloat(fn, a, b uintptr) float64 { return float64(Call(fn)) }

// CallWithFloat panics like Call.
func CallWithFloat(fn, a, b uintptr, x float32) { Call(fn) }

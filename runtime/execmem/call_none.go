//go:build !amd64 && !arm64

package execmem

import "unsafe"

var trap, probe []byte

func call(code uintptr, context unsafe.Pointer) uint64 { return Closed }

func missing() string { return "" }

func hasAVX512() bool { return false }

// Views of C memory as Go values, and of Go values as C strings. Conversions of C addresses are
// here only, because go vet rightly doubts them. An address becomes a pointer by reinterpreting the
// variable that holds it, which is valid because C memory never moves.

package dl

import (
	"bytes"
	"unsafe"
)

// Pointer turns a C address into a pointer. The address must be memory that C
// owns, not Go memory.
func Pointer(address uintptr) unsafe.Pointer {
	return *(*unsafe.Pointer)(unsafe.Pointer(&address))
}

// Bytes views n bytes of C memory.
func Bytes(address uintptr, n int) []byte {
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(Pointer(address)), n)
}

// maximumString bounds GoString, so that a bad pointer cannot run on for ever.
const maximumString = 1 << 12

// GoString copies a C string. A nil address gives "".
func GoString(address uintptr) string {
	if address == 0 {
		return ""
	}
	n := 0
	for n < maximumString && *(*byte)(unsafe.Add(Pointer(address), n)) != 0 {
		n++
	}
	return string(Bytes(address, n))
}

// Text returns the characters before the first zero of a character array.
func Text(array []byte) string {
	if i := bytes.IndexByte(array, 0); i >= 0 {
		array = array[:i]
	}
	return string(array)
}

// CString returns a pointer to a zero-terminated copy of s, kept alive like any
// Go value.
func CString(s string) *byte {
	b := make([]byte, len(s)+1)
	copy(b, s)
	return &b[0]
}

// First returns the address of the first byte of b for a C call that reads or
// writes it, or nil if b is empty.
func First(b []byte) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(b)) }

package execmem

import "unsafe"

// trap is brk #0, which stops whatever goes on after code.
var trap = []byte{0x00, 0x00, 0x20, 0xD4}

// probe returns the number that its argument leads to.
var probe = []byte{
	0x00, 0x00, 0x40, 0xF9, // ldr x0, [x0]
	0xC0, 0x03, 0x5F, 0xD6, // ret
}

// call calls code with its one argument and a stack of StackBytes.
//
//go:noescape
func call(code uintptr, context unsafe.Pointer) uint64

// clean makes stores to code visible to what executes it.
//
//go:noescape
func clean(from, to uintptr)

// synchronise has all processors see the code, of which none has executed anything at these
// addresses; call does what is left to be done by the one that executes.
func synchronise(code []byte) {
	from := uintptr(unsafe.Pointer(unsafe.SliceData(code)))
	clean(from, from+uintptr(len(code)))
}

// missing names what the processor lacks: nothing, as all of them have vectors of 128 bits.
func missing() string { return "" }

func hasAVX512() bool { return false }

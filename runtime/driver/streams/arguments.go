// Launches pass the parameters that the description lists (abi.Kernel.PassedParameters).

package streams

import (
	"math"
	"unsafe"

	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/driver"
)

// arguments is a block of parameters, reused between launches. Every parameter but
// the immediates, which are the last and take several, has a slot of 8 bytes, of
// which the driver reads as many as the kernel's parameter has; on the little-endian
// machines that CUDA runs on, a u32 is the slot's low half.
type arguments struct {
	slots    []uint64
	pointers []unsafe.Pointer // to the slots, as cuLaunchKernel takes them
}

// resize makes room for n parameters.
func (a *arguments) resize(n int) {
	if n <= len(a.slots) {
		return
	}
	a.slots = make([]uint64, max(n, 2*len(a.slots), 32))
	a.pointers = make([]unsafe.Pointer, len(a.slots))
	for i := range a.slots {
		a.pointers[i] = unsafe.Pointer(&a.slots[i])
	}
}

// set fills the block for a launch.
func (a *arguments) set(k *kernel, bindings []driver.Slice, immediates []byte) {
	a.resize(max(len(k.parameters)+(len(immediates)+7)/8, 1))
	for i, p := range k.parameters {
		switch p.Kind {
		case abi.AddressParameter:
			b := &bindings[p.Binding]
			a.slots[i] = b.Memory.(*memory).address + b.Offset
		case abi.BytesParameter:
			a.slots[i] = min(bindings[p.Binding].Bytes, math.MaxUint32)
		case abi.LengthParameter:
			a.slots[i] = uint64(k.bindings[p.Binding].Length(bindings[p.Binding].Bytes))
		case abi.ImmediatesParameter:
			copy(unsafe.Slice((*byte)(unsafe.Pointer(&a.slots[i])), 8*(len(a.slots)-i)), immediates)
		}
	}
}

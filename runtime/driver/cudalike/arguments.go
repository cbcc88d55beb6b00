// Launches pass the parameters that the description lists (abi.Kernel.PassedParameters).

package cudalike

import (
	"math"
	"unsafe"

	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/driver"
)

// arguments is a block of parameters, reused between launches. A parameter has a slot of 8 bytes,
// of which the driver reads the parameter's size; machines with CUDA are little-endian, so a u32 is
// the low half. Values and immediates have several slots. Tensor maps lie in maps.
type arguments struct {
	slots    []uint64
	pointers []unsafe.Pointer // to the slots, as cuLaunchKernel takes them
	maps     []*encodedMap    // those of the launch, if the kernel takes any
}

// resize makes room for n parameters.
func (a *arguments) resize(n int) {
	if n <= len(a.slots) {
		return
	}
	a.slots = make([]uint64, max(n, 2*len(a.slots), 32))
	a.pointers = make([]unsafe.Pointer, len(a.slots))
}

// set fills the block for a launch of a variant of the kernel on a stream. It returns false if a
// buffer is passed by value and its contents are not known.
func (a *arguments) set(s *stream, k *kernel, f *variant, bindings []driver.Slice, immediates []byte) bool {
	a.resize(max(f.slots, 1))
	next := 0 // slot
	for i, p := range f.parameters {
		a.pointers[i] = unsafe.Pointer(&a.slots[next])
		switch p.Kind {
		case abi.AddressParameter:
			b := &bindings[p.Binding]
			a.slots[next] = b.Memory.(*memory).address + b.Offset
		case abi.BytesParameter:
			a.slots[next] = min(bindings[p.Binding].Bytes, math.MaxUint32)
		case abi.LengthParameter:
			a.slots[next] = uint64(k.bindings[p.Binding].Length(bindings[p.Binding].Bytes))
		case abi.ValueParameter:
			b := &bindings[p.Binding]
			c := s.known(b.Memory.(*memory))
			if c == nil || b.Bytes < uint64(k.size(p)) || !c.read(s, a.bytes(next, k.size(p)), b.Offset) {
				return false
			}
		case abi.TensorMapParameter:
			a.pointers[i] = unsafe.Pointer(a.maps[p.Binding])
		case abi.ImmediatesParameter:
			copy(a.bytes(next, len(immediates)), immediates)
		}
		next += slotsOf(k.size(p))
	}
	return true
}

// bytes are the first n bytes from a slot on.
func (a *arguments) bytes(slot, n int) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(&a.slots[slot])), n)
}

// slotsOf is how many slots so many bytes take.
func slotsOf(bytes int) int { return (bytes + 7) / 8 }

// size is how many bytes an argument for a parameter takes in the block.
func (k *kernel) size(p abi.Parameter) int {
	switch p.Kind {
	case abi.ValueParameter:
		return int(k.bindings[p.Binding].Size)
	case abi.ImmediatesParameter:
		return k.immediates
	}
	return 8
}

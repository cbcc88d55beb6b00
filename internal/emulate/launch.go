// Package emulate has what the emulators share: the description of a launch, and float arithmetic.
// Each emulator executes the artefacts of one target and shares no code with the compiler, so that
// it is an independent test.
package emulate

import "fmt"

// Launch is one dispatch of an entry point.
type Launch struct {
	Entry      string    // the entry point's name
	Grid       [3]uint32 // workgroups
	Buffers    []Buffer  // the launch writes to their Data
	Images     []Image   // the launch writes to their Texels
	Immediates []byte    // push constants
	Subgroup   uint32    // invocations of a subgroup; 0 means the emulator's default
	// Steps is the limit of executed instructions of all invocations; 0 means 1<<26. Exceeding it
	// is an error.
	Steps uint64
}

// Buffer returns the data of the buffer with a group and binding. It is an error if there is none,
// or more than one.
func (l *Launch) Buffer(group, binding uint32) (data []byte, err error) {
	count := 0
	for n := range l.Buffers {
		if b := &l.Buffers[n]; b.Group == group && b.Binding == binding {
			data = b.Data
			count++
		}
	}
	if count != 1 {
		return nil, fmt.Errorf("the launch has %d buffers of group %d, binding %d, expected one", count, group, binding)
	}
	return data, nil
}

// Buffer is the memory of one binding, little-endian.
type Buffer struct {
	Group, Binding uint32
	Data           []byte
}

// Image is the texels of one binding. Texels has four 32-bit words for each texel: floats as IEEE
// bits, integers, and for missing channels the values that reads return. The order is by level,
// then layer or slice, then row. Stores write such words too; the caller converts from and to texel
// formats.
type Image struct {
	Group, Binding uint32
	Size           [3]uint32 // width, height, depth or layers; 1 for missing dimensions
	Levels         uint32
	Texels         []uint32
}

// Package emulate is what the emulators of emitted code share: the description
// of a launch. Each emulator executes the artefacts of one target and shares no
// code with the compiler that wrote them, so that it can judge them.
package emulate

// Launch is one dispatch of an entry point, with the memory it works on.
type Launch struct {
	Entry      string    // the entry point's name
	Grid       [3]uint32 // workgroups
	Buffers    []Buffer  // by group and binding; Data is read and written in place
	Images     []Image   // by group and binding; Texels are read and written in place
	Immediates []byte    // push constants
	Subgroup   uint32    // invocations of a subgroup; 0 means the emulator's default
	// limit of executed instructions over all invocations, 0 means 1<<26; exceeding it is an error
	Steps uint64
}

// Buffer is the memory of one binding, little-endian as the code sees it.
type Buffer struct {
	Group, Binding uint32
	Data           []byte
}

// Image is the texels of one binding. Channels are converted: four 32-bit words a
// texel, floats as IEEE bits and integers as they are, missing channels 0, 0 and
// 0 or 1 as reads give them; level by level, in each layer by layer or slice by
// slice, row by row. A kernel that writes changes Texels in place, to words like
// these: the conversion to a texel format is the caller's.
type Image struct {
	Group, Binding uint32
	Size           [3]uint32 // width, height, depth or layers, 1 where there is none
	Levels         uint32
	Texels         []uint32
}

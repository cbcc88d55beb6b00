package tally_test

import (
	"unsafe"

	"github.com/gpuc/gpuc/ir/texture"
)

// bytesOf is memory that is aligned for atomics.
func bytesOf(words []uint64) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), 8*len(words))
}

func picture() texture.Handle {
	m := texture.NewImage(&texture.Description{Dimension: texture.D2, Format: texture.RGBA8Unorm, Width: 4, Height: 4, Depth: 1, Layers: 1, Levels: 1, Samples: 1})
	return texture.Handle{Image: m, Levels: 1}
}

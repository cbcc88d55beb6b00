package counters_test

import (
	"unsafe"

	"github.com/gpuc/gpuc/ir/texture"
)

// bytesOf is memory that is aligned for atomics.
func bytesOf(words []uint64) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), 8*len(words))
}

// handles are textures of 4×4 texels, of four and of eight bytes, and samplers, by their names.
func handles() map[string]texture.Handle {
	picture := func(f texture.Format) texture.Handle {
		m := texture.NewImage(&texture.Description{Dimension: texture.D2, Format: f, Width: 4, Height: 4, Depth: 1, Layers: 1, Levels: 1, Samples: 1})
		return texture.Handle{Image: m, Levels: 1}
	}
	return map[string]texture.Handle{"t": picture(texture.RGBA8Unorm), "o": picture(texture.RGBA16Float), "soft": {Sampler: &texture.Smooth}, "near": {Sampler: new(texture.Sampler)}}
}

package ptx_test

import (
	emulator "github.com/gpuc/gpuc/internal/emulate/ptx"
	"github.com/gpuc/gpuc/internal/exectest"
	"github.com/gpuc/gpuc/ir/texture"
	"github.com/gpuc/gpuc/runtime/abi"
)

// This file binds the textures of the exec kernels. Texels are converted to the formats in which a
// device holds them, and back, by package texture; what the kernels leave is held against
// references that do not.

// bindTextures returns the textures and samplers of a dispatch.
func bindTextures(c *exectest.Case, k *abi.Kernel, dispatch int, contents [][]byte) (list []emulator.Texture) {
	for _, h := range k.Handles {
		if h.Texture == nil {
			for n := range c.Samplers {
				if c.Samplers[n].Name == h.Name {
					list = append(list, emulator.Texture{Handle: texture.Handle{Sampler: &c.Samplers[n].Description}})
				}
			}
			continue
		}
		n, view := c.View(&c.Dispatches[dispatch], h.Name)
		d := c.Textures[n].Description
		format := d.Format
		d.Format = abi.ArrayFormat(format)
		held := texture.NewImage(&d)
		for level := range d.Levels {
			convert(held.Level(level), d.Format, contents[c.Level(n, level)], format)
		}
		list = append(list, emulator.Texture{Handle: texture.Handle{Image: held, Level: view.Level, Levels: view.Levels}, Format: format})
	}
	return list
}

// keepTextures writes to the contents what a launch has written to its images.
func keepTextures(c *exectest.Case, list []emulator.Texture, k *abi.Kernel, dispatch int, contents [][]byte) {
	for i, h := range k.Handles {
		if h.Texture != nil && h.Texture.Written() {
			n, view := c.View(&c.Dispatches[dispatch], h.Name)
			image := list[i].Handle.Image
			convert(contents[c.Level(n, view.Level)], list[i].Format, image.Level(view.Level), image.Format)
		}
	}
}

// convert writes texels of one format as those of another.
func convert(to []byte, as texture.Format, from []byte, is texture.Format) {
	for len(to) > 0 {
		as.Encode(to, is.Decode(from))
		to, from = to[as.Bytes():], from[is.Bytes():]
	}
}

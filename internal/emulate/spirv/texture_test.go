package spirv_test

import (
	"github.com/gpuc/gpuc/internal/emulate"
	"github.com/gpuc/gpuc/internal/exectest"
	"github.com/gpuc/gpuc/ir/texture"
	"github.com/gpuc/gpuc/runtime/abi"
)

// This file binds the textures of the exec kernels. Texels are converted as the
// rest of the compiler does it; what the kernels leave is held against references
// that do not.

// known are the shapes of texture that the evaluator knows.
var known = map[texture.Shape]bool{
	texture.Sampled1D: true, texture.Sampled2D: true, texture.Sampled2DArray: true, texture.Sampled3D: true, texture.External: true,
	texture.Storage1D: true, texture.Storage2D: true, texture.Storage2DArray: true, texture.Storage3D: true,
}

// refused reports whether the evaluator refuses a kernel for what it binds.
func refused(k *abi.Kernel) bool {
	for _, h := range k.Handles {
		if h.Texture == nil || !known[h.Texture.Shape] || h.Texture.Format == texture.BGRA8Unorm {
			return true
		}
	}
	return false
}

// rounded are the kernels that store floats which are not those of the format, by
// case and entry point: the evaluator does not say what becomes of them.
var rounded = map[[2]string]bool{
	{"texture_blur", "main"}: true, {"texture_sobel", "main"}: true, {"texture_storage_formats", "small"}: true,
}

// bound is a texture that a kernel sees.
type bound struct {
	format   texture.Format
	contents int // where the case's contents have its first level
	image    int // of the launch
	writing  bool
}

// bindTextures adds the images of a case's contents to a launch.
func bindTextures(c *exectest.Case, k *abi.Kernel, dispatch int, contents [][]byte, l *emulate.Launch) []bound {
	var all []bound
	for _, h := range k.Handles {
		n, view := c.View(&c.Dispatches[dispatch], h.Name)
		d := c.Textures[n].Description
		b := bound{format: d.Format, contents: c.Level(n, view.Level), image: len(l.Images), writing: h.Texture.Access != abi.Read}
		levels := d.Levels - view.Level
		if view.Levels != 0 {
			levels = view.Levels
		}
		if h.Texture.Shape.IsStorage() {
			levels = 1
		}
		image := emulate.Image{Group: h.Group, Binding: h.Binding, Levels: levels}
		width, height, depth := d.LevelSize(view.Level)
		image.Size = [3]uint32{width, height, max(depth, d.Layers)}
		for level := range levels {
			for data := contents[b.contents+int(level)]; len(data) > 0; data = data[d.Format.Bytes():] {
				for _, word := range d.Format.Decode(data) {
					image.Texels = append(image.Texels, uint32(word))
				}
			}
		}
		l.Images = append(l.Images, image)
		all = append(all, b)
	}
	return all
}

// keepTextures writes to the contents what a launch has written to its images.
func keepTextures(all []bound, contents [][]byte, l *emulate.Launch) {
	for _, b := range all {
		if !b.writing {
			continue
		}
		texels := l.Images[b.image].Texels
		for data := contents[b.contents]; len(data) > 0; data = data[b.format.Bytes():] {
			var t texture.Texel
			for k := range t {
				t[k] = uint64(texels[k])
			}
			b.format.Encode(data, t)
			texels = texels[4:]
		}
	}
}

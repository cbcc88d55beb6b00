package campaign

// Textures of cases, on devices and emulators that have them.

import (
	"fmt"

	"github.com/gpuc/gpuc/internal/difftest"
	"github.com/gpuc/gpuc/internal/emulate"
	"github.com/gpuc/gpuc/ir/texture"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// bound is a texture of a case on a device.
type bound struct {
	*gpu.Texture
	at int // the binding of the case
}

// textures makes the textures that a kernel uses, with the contents that the case gives them,
// and binds them. It returns those made so far with an error, too.
func (d *executor) textures(k *abi.Kernel, args *gpu.Args, c *difftest.Case) (made []bound, err error) {
	for n, h := range k.Handles {
		at, err := textureIndex(c, &h)
		if err != nil {
			return made, err
		}
		description, err := describe(c.Bindings[at].Texture)
		if err != nil {
			return made, err
		}
		t, err := d.device.NewTexture(description)
		if err != nil {
			return made, err
		}
		made = append(made, bound{t, at})
		data := c.Bindings[at].Data
		for level := range description.Levels {
			size := description.LevelBytes(level)
			if err := t.Write(level, data[:size]); err != nil {
				return made, err
			}
			data = data[size:]
		}
		if err := args.SetTexture(n, t, 0); err != nil {
			return made, err
		}
	}
	return made, nil
}

// images are the textures that a kernel uses, for an emulator.
func images(k *abi.Kernel, c *difftest.Case) (list []emulate.Image, err error) {
	for n := range k.Handles {
		h := &k.Handles[n]
		at, err := textureIndex(c, h)
		if err != nil {
			return nil, err
		}
		b := &c.Bindings[at]
		i := emulate.Image{Group: h.Group, Binding: h.Binding, Levels: uint32(b.Texture.Levels), Texels: b.Texels()}
		for axis, size := range b.Texture.Size {
			i.Size[axis] = uint32(size)
		}
		list = append(list, i)
	}
	return list, nil
}

// textureIndex finds the binding of a kernel's texture in the case.
func textureIndex(c *difftest.Case, h *abi.Handle) (int, error) {
	at := index(c, h.Group, h.Binding)
	if at < 0 || c.Bindings[at].Texture == nil {
		return 0, fmt.Errorf("the kernel has a texture %d of group %d, which the program has not", h.Binding, h.Group)
	}
	return at, nil
}

// contents reads the texels of all levels back, after the stream's work.
func (d *executor) contents(t bound) ([]byte, error) {
	var data []byte
	description := t.Description()
	for level := range description.Levels {
		texels := make([]byte, description.LevelBytes(level))
		if err := d.stream.ReadTexture(texels, t.Texture, level); err != nil {
			return nil, err
		}
		data = append(data, texels...)
	}
	return data, nil
}

// describe says what a case's texture is in the runtime's terms.
func describe(s *difftest.TextureShape) (gpu.TextureDescription, error) {
	d := gpu.TextureDescription{Width: uint32(s.Size[0]), Height: uint32(s.Size[1]), Depth: 1, Layers: 1,
		Levels: uint32(s.Levels), Samples: 1}
	format, known := texture.FormatNamed(s.Format)
	if !known {
		return d, fmt.Errorf("there is no texel format %q", s.Format)
	}
	d.Format = format
	switch s.Dimension {
	case "1d":
		d.Dimension = texture.D1
	case "2d":
		d.Dimension = texture.D2
	case "2d-array":
		d.Dimension, d.Layers = texture.D2, uint32(s.Size[2])
	case "3d":
		d.Dimension, d.Depth = texture.D3, uint32(s.Size[2])
	default:
		return d, fmt.Errorf("there are no textures of dimension %q", s.Dimension)
	}
	return d, nil
}

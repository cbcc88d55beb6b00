// Checks that drivers share of what is done with textures and samplers.

package driver

import (
	"fmt"

	"github.com/gpuc/gpuc/ir/texture"
	"github.com/gpuc/gpuc/runtime/abi"
)

// Span returns the first level that a kernel sees and how many there are, for a
// variable of the kernel. The handle must have a texture.
func (h *Handle) Span(expected *abi.Texture) (first, count uint32) {
	switch levels := h.Texture.Description().Levels; {
	case expected.Shape.IsStorage() || h.Levels == 1:
		return h.Level, 1
	case h.Levels != 0 || h.Level >= levels:
		return h.Level, h.Levels
	default:
		return h.Level, levels - h.Level
	}
}

// Fits returns what keeps the handle from being bound where a kernel expects a
// texture or sampler, or nil. The error wraps ErrUnsupported. It does not tell
// comparison samplers from others, and not one device's objects from another's.
func (h *Handle) Fits(expected *abi.Handle) error {
	if expected.Texture == nil {
		if h.Sampler == nil || h.Texture != nil {
			return fmt.Errorf("%w: %s takes a sampler", ErrUnsupported, expected.Name)
		}
		return nil
	}
	if h.Texture == nil || h.Sampler != nil {
		return fmt.Errorf("%w: %s takes a texture", ErrUnsupported, expected.Name)
	}
	description := h.Texture.Description()
	if err := expected.Texture.Accepts(description); err != nil {
		return fmt.Errorf("%w: %s: %w", ErrUnsupported, expected.Name, err)
	}
	first, count := h.Span(expected.Texture)
	if first >= description.Levels || count > description.Levels-first {
		return fmt.Errorf("%w: %s: levels %d to %d of a texture of %d", ErrUnsupported, expected.Name,
			first, uint64(first)+uint64(max(count, 1))-1, description.Levels)
	}
	return nil
}

// CheckLevel tells whether a level of a texture can be copied from or to n host
// bytes. The error wraps ErrUnsupported.
func CheckLevel(d *texture.Description, level uint32, n int) error {
	if level >= d.Levels {
		return fmt.Errorf("%w: level %d of a texture of %d", ErrUnsupported, level, d.Levels)
	}
	if want := d.LevelBytes(level); uint64(n) != want {
		return fmt.Errorf("%w: %d host bytes for a level of %d", ErrUnsupported, n, want)
	}
	return nil
}

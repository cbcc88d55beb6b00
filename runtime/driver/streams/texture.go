// Textures, which these drivers do not have.

package streams

import (
	"fmt"

	"github.com/gpuc/gpuc/ir/texture"
	"github.com/gpuc/gpuc/runtime/driver"
)

// errNoTextures says what a user can do instead.
func (d *device) errNoTextures() error {
	return fmt.Errorf("%w: the %s driver has no textures; open the device through Vulkan instead", driver.ErrUnsupported, d.c.api.Title)
}

// NewTexture refuses.
func (d *device) NewTexture(*texture.Description) (driver.Texture, error) {
	return nil, d.named(fmt.Errorf("make a texture: %w", d.errNoTextures()))
}

// NewSampler refuses.
func (d *device) NewSampler(*texture.Sampler) (driver.Sampler, error) {
	return nil, d.named(fmt.Errorf("make a sampler: %w", d.errNoTextures()))
}

// WriteTexture refuses: there is nothing to write.
func (s *stream) WriteTexture(driver.Texture, uint32, []byte) error {
	return s.device.named(fmt.Errorf("write a texture: %w", s.device.errNoTextures()))
}

// ReadTexture refuses: there is nothing to read.
func (s *stream) ReadTexture([]byte, driver.Texture, uint32) error {
	return s.device.named(fmt.Errorf("read a texture: %w", s.device.errNoTextures()))
}

// Textures, which this driver does not have.

package cuda

import (
	"fmt"

	"github.com/gpuc/gpuc/ir/texture"
	"github.com/gpuc/gpuc/runtime/driver"
)

// errNoTextures says what a user can do instead.
func errNoTextures() error {
	return fmt.Errorf("%w: the CUDA driver has no textures; open the device through Vulkan instead", driver.ErrUnsupported)
}

// NewTexture refuses.
func (d *device) NewTexture(*texture.Description) (driver.Texture, error) {
	return nil, fmt.Errorf("cuda: make a texture: %w", errNoTextures())
}

// NewSampler refuses.
func (d *device) NewSampler(*texture.Sampler) (driver.Sampler, error) {
	return nil, fmt.Errorf("cuda: make a sampler: %w", errNoTextures())
}

// WriteTexture refuses: there is nothing to write.
func (s *stream) WriteTexture(driver.Texture, uint32, []byte) error {
	return fmt.Errorf("cuda: write a texture: %w", errNoTextures())
}

// ReadTexture refuses: there is nothing to read.
func (s *stream) ReadTexture([]byte, driver.Texture, uint32) error {
	return fmt.Errorf("cuda: read a texture: %w", errNoTextures())
}

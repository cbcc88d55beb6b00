// Textures and samplers: images of package texture in host memory.

package cpu

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/gpuc/gpuc/ir/texture"
	"github.com/gpuc/gpuc/runtime/driver"
)

// image is a texture. Work in flight keeps the texels alive by itself.
type image struct {
	device *Device
	image  *texture.Image
	freed  atomic.Bool
}

// NewTexture makes an image of zeros. Every format can be sampled and stored.
func (d *Device) NewTexture(description *texture.Description) (driver.Texture, error) {
	if err := d.open(); err != nil {
		return nil, err
	}
	if err := description.Check(); err != nil {
		return nil, fmt.Errorf("cpu: texture: %w: %w", driver.ErrUnsupported, err)
	}
	if bytes := description.Bytes(); bytes > d.info.MaxBufferBytes {
		return nil, fmt.Errorf("cpu: a texture of %d bytes: %w", bytes, driver.ErrOutOfMemory)
	}
	return &image{device: d, image: texture.NewImage(description)}, nil
}

// Description implements driver.Texture.
func (m *image) Description() *texture.Description { return &m.image.Description }

// Free lets the image go; the collector takes it once no work uses it.
func (m *image) Free() error {
	m.freed.Store(true)
	return nil
}

// sampler is a sampler.
type sampler struct {
	device  *Device
	sampler texture.Sampler
	freed   atomic.Bool
}

// NewSampler makes a sampler.
func (d *Device) NewSampler(s *texture.Sampler) (driver.Sampler, error) {
	if err := d.open(); err != nil {
		return nil, err
	}
	return &sampler{device: d, sampler: *s}, nil
}

// Free lets the sampler go.
func (s *sampler) Free() error {
	s.freed.Store(true)
	return nil
}

// texture returns a texture's image after checking it.
func (d *Device) texture(t driver.Texture) (*texture.Image, error) {
	m, ok := t.(*image)
	switch {
	case !ok || m.device != d:
		return nil, fmt.Errorf("%w: the texture belongs to another device", driver.ErrUnsupported)
	case m.freed.Load():
		return nil, fmt.Errorf("texture: %w", driver.ErrClosed)
	}
	return m.image, nil
}

// handle returns what the interpreter binds for a handle of a launch.
func (d *Device) handle(h *driver.Handle) (bound texture.Handle, err error) {
	bound.Level, bound.Levels = h.Level, h.Levels
	if h.Texture != nil {
		if bound.Image, err = d.texture(h.Texture); err != nil {
			return bound, err
		}
	}
	if h.Sampler != nil {
		s, ok := h.Sampler.(*sampler)
		switch {
		case !ok || s.device != d:
			return bound, fmt.Errorf("%w: the sampler belongs to another device", driver.ErrUnsupported)
		case s.freed.Load():
			return bound, fmt.Errorf("sampler: %w", driver.ErrClosed)
		}
		bound.Sampler = &s.sampler
	}
	return bound, nil
}

// WriteTexture copies host bytes to a level after the work so far.
func (s *stream) WriteTexture(dst driver.Texture, level uint32, src []byte) error {
	to, err := s.level(dst, level, len(src))
	if err != nil {
		return fmt.Errorf("cpu: write texture: %w", err)
	}
	driver.Copy(to, src)
	return nil
}

// ReadTexture copies a level to host bytes after the work so far.
func (s *stream) ReadTexture(dst []byte, src driver.Texture, level uint32) error {
	from, err := s.level(src, level, len(dst))
	if err != nil {
		return fmt.Errorf("cpu: read texture: %w", err)
	}
	driver.Copy(dst, from)
	return nil
}

// level returns the bytes of a level once the stream is idle. Errors of earlier
// work stay for Wait.
func (s *stream) level(t driver.Texture, level uint32, bytes int) ([]byte, error) {
	if err := s.open(); err != nil {
		return nil, err
	}
	m, err := s.device.texture(t)
	switch {
	case err != nil:
		return nil, err
	case level >= m.Levels:
		return nil, fmt.Errorf("%w: level %d of a texture of %d", driver.ErrUnsupported, level, m.Levels)
	case uint64(bytes) != m.LevelBytes(level):
		return nil, fmt.Errorf("%w: %d bytes for a level of %d", driver.ErrUnsupported, bytes, m.LevelBytes(level))
	}
	return m.Level(level), s.drain(context.Background())
}

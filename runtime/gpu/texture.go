// Textures and samplers.

package gpu

import (
	"context"
	"errors"
	"fmt"

	"github.com/gpuc/gpuc/ir/texture"
	"github.com/gpuc/gpuc/runtime/driver"
)

// TextureDescription describes a texture: its dimension and format, width, height and depth in
// texels, and how many layers, mip levels and samples it has. A cube has six layers.
type TextureDescription = texture.Description

// SamplerDescription says how a sampler reads. The zero value reads the nearest texel of level 0
// and clamps coordinates.
type SamplerDescription = texture.Sampler

// Texture is an image in device memory. Device.NewTexture makes it.
type Texture struct {
	device      *Device
	texture     driver.Texture
	description TextureDescription
	lifetime    *lifetime
}

// Sampler says how kernels read textures. Device.NewSampler makes it.
type Sampler struct {
	device   *Device
	sampler  driver.Sampler
	compares bool
	lifetime *lifetime
}

// NewTexture makes a texture whose texels are zero. It is ErrShape if there is no such texture,
// ErrUnsupported if the device has none, and ErrOutOfMemory if there is no memory. Only the CPU has
// multisampled textures. Formats that are optional in WebGPU depend on the device.
func (d *Device) NewTexture(description TextureDescription) (*Texture, error) {
	if err := description.Check(); err != nil {
		return nil, fmt.Errorf("make a texture: %w: %w", ErrShape, err)
	}
	if err := d.enter(); err != nil {
		return nil, err
	}
	defer d.leave()
	bytes := description.Bytes()
	var made driver.Texture
	err := d.collecting(bytes, func() error {
		return d.pool.texture(bytes, func() (err error) {
			made, err = d.driver.NewTexture(&description)
			return err
		})
	})
	if errors.Is(err, ErrOutOfMemory) {
		return nil, d.outOfMemory("make a texture", bytes, err)
	} else if err != nil {
		return nil, err
	}
	free := func() error {
		d.reserve.bytes.Add(-int64(bytes))
		d.pool.giveTexture(bytes)
		return made.Free()
	}
	t := &Texture{device: d, texture: made, description: description, lifetime: new(lifetime)}
	t.lifetime.open(d.orphans, freeing(d, free))
	return t, nil
}

// NewSampler makes a sampler. It is ErrShape if the description is invalid. Linear filters for
// textures of 32-bit floats or depths depend on the device: where they are missing, results are
// undefined.
func (d *Device) NewSampler(description SamplerDescription) (*Sampler, error) {
	if err := checkSampler(&description); err != nil {
		return nil, fmt.Errorf("make a sampler: %w: %w", ErrShape, err)
	}
	if err := d.enter(); err != nil {
		return nil, err
	}
	defer d.leave()
	d.orphans.reclaim()
	made, err := d.driver.NewSampler(&description)
	if err != nil {
		return nil, err
	}
	s := &Sampler{device: d, sampler: made, compares: description.Compare != texture.NoCompare, lifetime: new(lifetime)}
	s.lifetime.open(d.orphans, freeing(d, made.Free))
	return s, nil
}

// checkSampler returns what is wrong with a sampler's description.
func checkSampler(s *SamplerDescription) error {
	for _, mode := range s.Address {
		if mode >= texture.AddressModes {
			return fmt.Errorf("address mode %d", mode)
		}
	}
	for _, filter := range [...]texture.Filter{s.Magnify, s.Minify, s.Mipmap} {
		if filter >= texture.Filters {
			return fmt.Errorf("filter %d", filter)
		}
	}
	if s.Compare >= texture.Compares {
		return fmt.Errorf("comparison %d", s.Compare)
	}
	if !(0 <= s.LowestLevel && s.LowestLevel <= s.HighestLevel) { // false for NaN
		return fmt.Errorf("levels of detail from %v to %v", s.LowestLevel, s.HighestLevel)
	}
	return nil
}

// Description returns the description that the texture was made with.
func (t *Texture) Description() TextureDescription {
	if t == nil {
		return TextureDescription{}
	}
	return t.description
}

// Write copies data to a level and waits, so that any stream may use the texels. The layout is that
// of TextureDescription.LevelBytes: layer by layer, slice by slice, row by row, without gaps. Work
// of streams on the texture must have finished before. It is ErrShape if there is no such level or
// data has another size.
func (t *Texture) Write(level uint32, data []byte) error {
	if err := t.checkLevel("write a texture", level, len(data)); err != nil {
		return err
	}
	return t.transfer(copyWriteTexture, len(data), func(s driver.Stream) error {
		if err := s.WriteTexture(t.texture, level, data); err != nil {
			return err
		}
		return s.Wait(context.Background())
	})
}

// Read returns the texels of a level in the layout of Write. Work of streams on the texture must
// have finished before; Stream.ReadTexture waits for that of its stream. It is ErrShape if there is
// no such level.
func (t *Texture) Read(level uint32) ([]byte, error) {
	if !t.valid() {
		return nil, invalid("read a texture", textureMaker)
	}
	if level >= t.description.Levels {
		return nil, t.noLevel("read a texture", level)
	}
	data := make([]byte, t.description.LevelBytes(level))
	err := t.transfer(copyReadTexture, len(data), func(s driver.Stream) error { return s.ReadTexture(data, t.texture, level) })
	if err != nil {
		return nil, err
	}
	return data, nil
}

// transfer runs a copy on an idle stream.
func (t *Texture) transfer(what string, bytes int, call func(driver.Stream) error) error {
	d := t.device
	if err := d.enter(); err != nil {
		return err
	}
	defer d.leave()
	if !t.lifetime.use() {
		return fmt.Errorf("%s: %w", what, ErrClosed)
	}
	err := d.blocking(what, bytes, func() error { return d.onTransferStream(call) })
	if failure := t.lifetime.done(); err == nil {
		err = failure
	}
	return err
}

// WriteTexture copies data to a level after the stream's work so far, in the layout of
// Texture.Write. data may be reused when it returns. Errors are those of Texture.Write.
func (s *Stream) WriteTexture(t *Texture, level uint32, data []byte) error {
	if err := t.checkLevel("write a texture", level, len(data)); err != nil {
		return err
	}
	return s.withTexture("write a texture", t, func() error {
		return s.blocking(copyWriteTexture, len(data), func() error { return s.stream.WriteTexture(t.texture, level, data) })
	})
}

// ReadTexture copies a level to dst after the stream's work so far, and waits for it. dst has
// TextureDescription.LevelBytes bytes, otherwise it is ErrShape. Errors of the work are returned as
// by Buffer.Read.
func (s *Stream) ReadTexture(dst []byte, t *Texture, level uint32) error {
	if err := t.checkLevel("read a texture", level, len(dst)); err != nil {
		return err
	}
	return s.withTexture("read a texture", t, func() error {
		done, worked := s.settle(context.Background(), "Stream.ReadTexture")
		if !done {
			return worked
		}
		return join(worked, s.blocking(copyReadTexture, len(dst), func() error { return s.stream.ReadTexture(dst, t.texture, level) }))
	})
}

// withTexture runs a driver call that uses a texture.
func (s *Stream) withTexture(what string, t *Texture, call func() error) error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	if t.device != s.device {
		return fmt.Errorf("%s: %w: the texture belongs to another device than the stream", what, ErrShape)
	}
	if !t.lifetime.use() {
		return fmt.Errorf("%s: %w", what, ErrClosed)
	}
	err := call()
	if failure := t.lifetime.done(); err == nil {
		err = failure
	}
	return err
}

// checkLevel compares a level's size with that of host memory.
func (t *Texture) checkLevel(what string, level uint32, bytes int) error {
	if !t.valid() {
		return invalid(what, textureMaker)
	}
	if level >= t.description.Levels {
		return t.noLevel(what, level)
	}
	if want := t.description.LevelBytes(level); uint64(bytes) != want {
		w, h, z := t.description.LevelSize(level)
		return fmt.Errorf("%s: %w: %d bytes, and level %d has %d: %d x %d x %d texels of %s in %d layers", what, ErrShape,
			bytes, level, want, w, h, z, t.description.Format, t.description.Layers)
	}
	return nil
}

func (t *Texture) noLevel(what string, level uint32) error {
	return fmt.Errorf("%s: %w: level %d of a texture of %d levels", what, ErrShape, level, t.description.Levels)
}

// Close frees the texture once the work that uses it has finished. Closing twice is no error.
func (t *Texture) Close() error {
	if !t.valid() {
		return invalid("close a texture", textureMaker)
	}
	return t.device.closing(t.lifetime.close)
}

// Close releases the sampler once the work that uses it has finished. Closing twice is no error.
func (s *Sampler) Close() error {
	if !s.valid() {
		return invalid("close a sampler", samplerMaker)
	}
	return s.device.closing(s.lifetime.close)
}

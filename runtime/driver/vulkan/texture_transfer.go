// Copies between host memory and levels of textures, through the same staging
// memory as those of buffers.

package vulkan

import (
	"fmt"
	"unsafe"

	"github.com/gpuc/gpuc/ir/texture"
	"github.com/gpuc/gpuc/runtime/dl"
	"github.com/gpuc/gpuc/runtime/driver"
)

// levelCopy cuts the copy of a level into pieces that staging chunks hold: whole
// slices, or rows of one slice. A slice is a layer, or one of a 3D texture.
type levelCopy struct {
	region        imageCopy // what all pieces have in common
	deep          bool      // slices are those of a 3D texture
	width, height uint32
	slices        uint32
	rowBytes      uint64
	slice, row    uint32 // where the next piece begins
}

func newLevelCopy(d *texture.Description, level uint32) levelCopy {
	width, height, depth := d.LevelSize(level)
	return levelCopy{
		region: imageCopy{aspect: aspectOf(d.Format), level: level, layerCount: 1, extent: extent{width, height, 1}},
		deep:   d.Dimension == texture.D3,
		width:  width, height: height,
		slices:   depth * d.Layers, // one of the two is 1
		rowBytes: uint64(width) * uint64(d.Format.Bytes()),
	}
}

// next returns the next piece, of at most room bytes, and its size. Room must
// hold a row: the largest chunks hold many of the longest, and smaller ones are
// for levels that they hold whole.
func (c *levelCopy) next(room uint64) (imageCopy, int) {
	r := c.region
	rows, slices := c.height-c.row, uint32(1)
	if sliceBytes := c.rowBytes * uint64(c.height); c.row == 0 && sliceBytes <= room {
		slices = uint32(min(uint64(c.slices-c.slice), room/sliceBytes))
	} else {
		rows = uint32(min(uint64(rows), room/c.rowBytes))
	}
	r.offset[1], r.extent.height = int32(c.row), rows
	if c.deep {
		r.offset[2], r.extent.depth = int32(c.slice), slices
	} else {
		r.firstLayer, r.layerCount = c.slice, slices
	}
	bytes := int(c.rowBytes * uint64(rows) * uint64(slices))
	if c.row += rows; c.row == c.height {
		c.row, c.slice = 0, c.slice+slices
	}
	return r, bytes
}

// WriteTexture copies host bytes into staging memory and records the copies from
// there.
func (s *stream) WriteTexture(dst driver.Texture, level uint32, src []byte) error {
	to, err := s.checkLevel(dst, level, len(src))
	if err != nil {
		return fmt.Errorf("vulkan: write a texture: %w", err)
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	class := classFor(len(src))
	pieces := newLevelCopy(&to.description, level)
	for len(src) > 0 {
		c, b, err := s.stage(class, len(src))
		if err != nil {
			return err
		}
		if err := b.order(&to.resource, true); err != nil {
			return err
		}
		var n int
		s.texels, n = pieces.next(uint64(len(c.data)) - c.used)
		s.texels.bufferOffset = c.used
		driver.Copy(c.data[c.used:][:n], src[:n])
		dl.Call(s.device.vk.CmdCopyBufferToImage, b.commands, uintptr(c.region.buffer), uintptr(to.handle), layoutGeneral,
			1, uintptr(unsafe.Pointer(&s.texels)))
		src = src[n:]
		if err := s.staged(c, n, len(src) > 0); err != nil {
			return err
		}
	}
	return nil
}

// ReadTexture copies a level to staging memory piece by piece, and on to dst.
func (s *stream) ReadTexture(dst []byte, src driver.Texture, level uint32) error {
	from, err := s.checkLevel(src, level, len(dst))
	if err != nil {
		return fmt.Errorf("vulkan: read a texture: %w", err)
	}
	return s.read(dst, &origin{image: from, level: newLevelCopy(&from.description, level)})
}

// checkLevel tells whether a level can be copied from or to n host bytes.
func (s *stream) checkLevel(t driver.Texture, level uint32, n int) (*image, error) {
	m, err := s.imageOf(t)
	if err != nil {
		return nil, err
	}
	if err := driver.CheckLevel(&m.description, level, n); err != nil {
		return nil, err
	}
	return m, nil
}

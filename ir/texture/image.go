package texture

import (
	"errors"
	"fmt"
	"sync/atomic"
)

// This file describes images, the memory behind textures, and holds them for the
// CPU.

// Description is what an image is made of.
type Description struct {
	Dimension Dimension // of its texels: D1, D2 or D3; a cube is D2 with six layers
	Format    Format
	// Width, Height and Depth are in texels, of level 0. Height is 1 for D1, Depth
	// is 1 unless it is D3.
	Width, Height, Depth uint32
	Layers               uint32 // 1 unless it is an array or a cube: six for each cube
	Levels               uint32 // mip levels, at least 1
	Samples              uint32 // 1, or 4 for a multisampled image
}

// Describe returns the description of an image that fits a variable of the shape. It changes the
// dimensions to those that such an image has. A cube's height is its width, layers of cubes are six
// each, and there are no more levels than the size allows. Multisampled images have four samples.
func (s Shape) Describe(format Format, width, height, depth, layers, levels uint32) Description {
	i := &shapes[s]
	d := Description{Dimension: i.Dimension, Format: format, Width: width, Height: height, Depth: 1, Layers: 1, Levels: 1, Samples: 1}
	if i.Arrayed {
		d.Layers = layers
	}
	switch i.Dimension {
	case D1:
		d.Height = 1
	case D3:
		d.Depth = depth
	case Cube:
		d.Dimension, d.Height, d.Layers = D2, width, 6*d.Layers
	}
	if s.HasLevels() {
		d.Levels = min(levels, d.MaxLevels())
	}
	if i.Multisampled {
		d.Samples = 4
	}
	return d
}

// The limits of WebGPU (§3.6.2), which every device keeps.
const (
	MaxDimension1D = 8192
	MaxDimension2D = 8192
	MaxDimension3D = 2048
	MaxLayers      = 256
)

// Check returns what is wrong with the description, or nil.
func (d *Description) Check() error {
	largest := uint32(MaxDimension2D)
	switch {
	case d.Format == NoFormat || d.Format >= Formats:
		return errors.New("a texture needs a texel format")
	case d.Dimension < D1 || d.Dimension > D3:
		return errors.New("a texture's texels have one, two or three dimensions")
	case d.Dimension == D3:
		largest = MaxDimension3D
	case d.Depth != 1:
		return errors.New("only textures of three dimensions have a depth")
	}
	if d.Dimension == D1 && d.Height != 1 {
		return errors.New("a texture of one dimension has no height")
	}
	for _, n := range [...]uint32{d.Width, d.Height, d.Depth} {
		if n < 1 || n > largest {
			return fmt.Errorf("a texture of %d x %d x %d texels; each must be from 1 to %d", d.Width, d.Height, d.Depth, largest)
		}
	}
	switch {
	case d.Layers < 1 || d.Layers > MaxLayers:
		return fmt.Errorf("a texture of %d layers; expected 1 to %d", d.Layers, MaxLayers)
	case d.Layers > 1 && d.Dimension != D2:
		return errors.New("only textures of two dimensions have layers")
	case d.Levels < 1 || d.Levels > d.MaxLevels():
		return fmt.Errorf("a texture of %d levels; this size has 1 to %d", d.Levels, d.MaxLevels())
	case d.Samples != 1 && d.Samples != 4:
		return fmt.Errorf("a texture of %d samples; expected 1 or 4", d.Samples)
	case d.Samples > 1 && (d.Dimension != D2 || d.Levels > 1 || d.Layers > 1):
		return errors.New("a multisampled texture has two dimensions, one level and one layer")
	case d.Format.Info().Depth && d.Dimension != D2:
		return errors.New("a depth texture has two dimensions")
	}
	return nil
}

// MaxLevels is the number of levels down to a single texel.
func (d *Description) MaxLevels() uint32 {
	if d.Dimension == D1 {
		return 1
	}
	n := uint32(1)
	for size := max(d.Width, d.Height, d.Depth); size > 1; size /= 2 {
		n++
	}
	return n
}

// LevelSize returns the width, height and depth of a level.
func (d *Description) LevelSize(level uint32) (width, height, depth uint32) {
	return max(d.Width>>level, 1), max(d.Height>>level, 1), max(d.Depth>>level, 1)
}

// LevelBytes is the size of a level's texels: layer by layer, slice by slice,
// row by row, without gaps.
func (d *Description) LevelBytes(level uint32) uint64 {
	w, h, z := d.LevelSize(level)
	return uint64(w) * uint64(h) * uint64(z) * uint64(d.Layers) * uint64(d.Samples) * uint64(d.Format.Bytes())
}

// Bytes is the size of all levels.
func (d *Description) Bytes() (n uint64) {
	for level := range d.Levels {
		n += d.LevelBytes(level)
	}
	return n
}

// Fits returns what keeps a texture from being bound to a variable of the given
// shape, or nil. Channel is the scalar kind that reads yield; format is that of a
// storage texture.
func (d *Description) Fits(s Shape, format Format) error {
	i := s.Info()
	dimension := i.Dimension
	if dimension == Cube {
		dimension = D2
	}
	switch {
	case d.Dimension != dimension:
		return fmt.Errorf("the texture has %d dimensions, and %s has %d", d.Dimension, s, dimension)
	case i.Multisampled != (d.Samples > 1):
		return fmt.Errorf("the texture has %d samples, which does not fit %s", d.Samples, s)
	case i.Class == Storage && d.Format != format:
		return fmt.Errorf("the texture's format is %s, and the kernel writes or reads %s", d.Format, format)
	case i.Class == Depth && !d.Format.Info().Depth:
		return fmt.Errorf("the texture's format is %s, and %s needs depth32float or depth16unorm", d.Format, s)
	case i.Dimension == Cube && (d.Layers%6 != 0 || d.Width != d.Height || !i.Arrayed && d.Layers != 6):
		return fmt.Errorf("a texture of %d layers of %d x %d, and %s takes square layers, six for each cube", d.Layers, d.Width, d.Height, s)
	case i.Dimension != Cube && !i.Arrayed && d.Layers != 1:
		return fmt.Errorf("the texture has %d layers, and %s takes one", d.Layers, s)
	}
	return nil
}

// Image is an image in the memory of the CPU. Its texels may be read and written
// by several goroutines as long as no two of them touch the same texel.
type Image struct {
	Description
	memory []byte // of all levels, and some bytes more
	levels [][]byte
}

// Slack is how many bytes of memory there are after the last texel, so that a texel of one byte
// can be read as a part of a word.
const Slack = 3

// NewImage makes an image whose texels are zero. The description must have passed
// Check.
func NewImage(d *Description) *Image {
	m := &Image{Description: *d, memory: make([]byte, d.Bytes()+Slack), levels: make([][]byte, d.Levels)}
	memory := m.memory
	for level := range m.levels {
		n := d.LevelBytes(uint32(level))
		m.levels[level], memory = memory[:n:n], memory[n:]
	}
	return m
}

// Level returns the texels of a level, laid out as LevelBytes says.
func (m *Image) Level(level uint32) []byte { return m.levels[level] }

// Memory returns the texels of all levels, one after the other, and Slack bytes more.
func (m *Image) Memory() []byte { return m.memory }

// Handle is what a launch on the CPU binds for a texture or sampler: an image's
// levels from Level on, or a sampler. Levels is how many of them the kernel sees,
// or 0 for all the rest; of a storage texture it sees Level alone.
type Handle struct {
	Image   *Image
	Level   uint32
	Levels  uint32
	Sampler *Sampler
	// Traffic, if not nil, counts the texels that are read and written.
	Traffic *Traffic
}

// Traffic counts bytes of texels: those that loads, samples and gathers read, each as often as it
// is read, and those that are stored. Reads outside of a texture count, which give the nearest
// texel, and stores there do not, which write nothing.
type Traffic struct{ Read, Written atomic.Uint64 }

// reads counts a texel of a format; t may be nil.
func (t *Traffic) reads(f Format) {
	if t != nil {
		t.Read.Add(uint64(f.Bytes()))
	}
}

package spirv

import (
	"fmt"
	"math/bits"

	"github.com/gpuc/gpuc/internal/emulate"
)

// Binding of images and the instructions on them.

// image is the image of a variable.
type image struct {
	t                   *imageType
	texels              []uint32 // four words each
	levels              []imageLevel
	readOnly, writeOnly bool
	shadows             shadows
}

// imageLevel is a mip level.
type imageLevel struct {
	size  [3]uint32 // 1 in dimensions that the image lacks
	first uint32    // the index of its first texel
}

// maximumSide limits an image in each direction, so that sizes do not overflow.
const maximumSide = 1 << 15

// bindImages finds the images of the variables.
func (m *machine) bindImages(l *emulate.Launch) error {
	for n := range m.variables {
		v := &m.variables[n]
		if v.class != classUniformConstant {
			continue
		}
		if m.images == nil {
			m.images = make([]image, len(m.variables))
		}
		x := &m.images[n]
		*x = image{t: v.t.image, readOnly: v.readOnly, writeOnly: v.writeOnly}
		found := false
		for k := range l.Images {
			if from := &l.Images[k]; from.Group == v.set && from.Binding == v.binding {
				if fault := x.setLevels(from); fault != "" {
					return &Error{Message: fmt.Sprintf("the image of group %d, binding %d: %s", v.set, v.binding, fault)}
				}
				found = true
			}
		}
		if !found {
			return &Error{Message: fmt.Sprintf("no image of the launch has group %d, binding %d", v.set, v.binding)}
		}
		if x.t.storage && !x.readOnly {
			x.shadows = shadows{words: make([]shadow, len(x.texels)/4), kind: imageMemory}
		}
	}
	return nil
}

// setLevels computes the levels of an image. It returns how the image contradicts its type, or "".
func (x *image) setLevels(from *emulate.Image) (fault string) {
	largest := uint32(0) // size of the dimensions in which levels shrink
	for k, n := range from.Size {
		switch {
		case n == 0 || n > maximumSide:
			return fmt.Sprintf("expected a size of 1 to %d in each dimension, found %d", maximumSide, n)
		case uint32(k) >= x.t.coordinates && n != 1:
			return fmt.Sprintf("the size is %d in dimension %d of %d", n, k+1, x.t.coordinates)
		}
		if !(x.t.layered && k == 2) {
			largest = max(largest, n)
		}
	}
	most := uint32(bits.Len32(largest))
	if x.t.storage {
		most = 1
	}
	if from.Levels == 0 || from.Levels > most {
		return fmt.Sprintf("expected 1 to %d levels, found %d", most, from.Levels)
	}
	first := uint64(0)
	for n := range from.Levels {
		level := imageLevel{size: from.Size, first: uint32(first)}
		for k := range level.size {
			if !(x.t.layered && k == 2) {
				level.size[k] = max(level.size[k]>>n, 1)
			}
		}
		x.levels = append(x.levels, level)
		first += uint64(level.size[0]) * uint64(level.size[1]) * uint64(level.size[2])
	}
	if first > 1<<30 || uint64(len(from.Texels)) != 4*first {
		return fmt.Sprintf("expected four words for each of %d texels, found %d", first, len(from.Texels))
	}
	x.texels = from.Texels
	return ""
}

// image executes an instruction on an image.
func (m *machine) image(l *lane, i *inst) error {
	r := l.registers
	x := &m.images[r[i.a]>>offsetBits]
	if texels := i.code == doTexelLoad || i.code == doTexelStore; texels && m.vulkanModel && !i.nonPrivate && !x.readOnly && !x.writeOnly && x.t.storage {
		return l.faulty(i, "a private access to an image that is written")
	}
	level, err := x.level(l, i)
	if err != nil {
		return err
	}
	switch i.code {
	case doImageSize:
		for k := range i.n {
			r[i.d+k] = uint64(level.size[k])
		}
	case doImageLevels:
		r[i.d] = uint64(len(x.levels))
	case doTexelLoad:
		return m.loadTexel(l, i, x, level)
	case doTexelStore:
		return m.storeTexel(l, i, x, level)
	}
	return nil
}

// level returns the level that an instruction selects; the first by default.
func (x *image) level(l *lane, i *inst) (*imageLevel, error) {
	n := int64(0)
	if i.e != 0 {
		n = extend(32, l.registers[i.c])
	}
	if n < 0 || n >= int64(len(x.levels)) {
		return nil, l.faulty(i, "level %d of an image of %d", n, len(x.levels))
	}
	return &x.levels[n], nil
}

// texel returns the index of the texel at coordinates, and whether they are inside.
func (v *imageLevel) texel(coordinates []uint64) (n uint32, ok bool) {
	at := uint32(0)
	for k := len(coordinates) - 1; k >= 0; k-- {
		if coordinates[k] >= uint64(v.size[k]) { // negative ones are large
			return 0, false
		}
		at = at*v.size[k] + uint32(coordinates[k])
	}
	return v.first + at, true
}

func (m *machine) loadTexel(l *lane, i *inst, x *image, level *imageLevel) error {
	r := l.registers
	if x.writeOnly {
		return l.faulty(i, "the image is NonReadable")
	}
	coordinates := r[i.b:][:x.t.coordinates]
	n, ok := level.texel(coordinates)
	if !ok {
		at := make([]int64, len(coordinates))
		for k, c := range coordinates {
			at[k] = extend(32, c)
		}
		return l.faulty(i, "texel %d is outside of an image of %d", at, level.size[:len(at)])
	}
	for k := range i.n {
		r[i.d+k] = uint64(x.texels[4*n+k])
	}
	return x.shadows.read(m, l, i, n, 1)
}

// storeTexel discards stores outside of the image (Vulkan, Texel Output Validation Operations).
func (m *machine) storeTexel(l *lane, i *inst, x *image, level *imageLevel) error {
	r := l.registers
	if x.readOnly {
		return l.faulty(i, "the image is NonWritable")
	}
	n, ok := level.texel(r[i.b:][:x.t.coordinates])
	if !ok {
		return nil
	}
	f := x.t.format
	texel := [4]uint32{3: f.encoding.one}
	for k := range f.channels() {
		word := uint32(r[i.c+k])
		kept, ok := f.encoding.keep(word, f.bits[k])
		if !ok {
			return l.faulty(i, "channel %d: the format %s has no %v", k, f.name, f.encoding.value(word))
		}
		texel[k] = kept
	}
	copy(x.texels[4*n:], texel[:])
	return x.shadows.write(m, l, i, n, 1)
}

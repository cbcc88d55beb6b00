// Checks of arguments that all drivers share. Their errors wrap ErrUnsupported.

package driver

import (
	"fmt"

	"github.com/gpuc/gpuc/ir/texture"
	"github.com/gpuc/gpuc/runtime/abi"
)

// Check compares a launch with what its kernel takes, the numbers of bindings and handles and the
// bytes of immediates, and its grid with the limits of the device.
func (l *Launch) Check(bindings, handles, immediates int, limits *Info) error {
	switch {
	case len(l.Bindings) != bindings:
		return fmt.Errorf("%w: %d bindings given, %d expected", ErrUnsupported, len(l.Bindings), bindings)
	case len(l.Handles) != handles:
		return fmt.Errorf("%w: %d textures and samplers given, %d expected", ErrUnsupported, len(l.Handles), handles)
	case len(l.Immediates) != immediates:
		return fmt.Errorf("%w: %d bytes of immediates given, %d expected", ErrUnsupported, len(l.Immediates), immediates)
	}
	for i, n := range l.Grid {
		if n > limits.MaxGrid[i] {
			return fmt.Errorf("%w: grid %v, but the device takes at most %v", ErrUnsupported, l.Grid, limits.MaxGrid)
		}
	}
	return nil
}

// IsEmpty reports whether the grid has no workgroup.
func (l *Launch) IsEmpty() bool { return l.Grid[0] == 0 || l.Grid[1] == 0 || l.Grid[2] == 0 }

// CheckWithin tells whether a slice lies within an allocation of the given number of bytes, and
// begins at a multiple of 4.
func (b *Slice) CheckWithin(bytes uint64) error {
	if b.Offset > bytes || b.Bytes > bytes-b.Offset {
		return fmt.Errorf("%w: bytes %d to %d of an allocation of %d", ErrUnsupported, b.Offset, b.Offset+b.Bytes, bytes)
	}
	if b.Offset%4 != 0 {
		return fmt.Errorf("%w: offset %d is no multiple of 4", ErrUnsupported, b.Offset)
	}
	return nil
}

// CheckBound tells whether a slice can be bound: it has 1 to most bytes, and its offset is a
// multiple of the alignment.
func (b *Slice) CheckBound(most, alignment uint64) error {
	switch {
	case b.Bytes == 0:
		return fmt.Errorf("%w: the buffer is empty", ErrUnsupported)
	case b.Bytes > most:
		return fmt.Errorf("%w: %d bytes, but the device takes at most %d", ErrUnsupported, b.Bytes, most)
	case b.Offset%alignment != 0:
		return fmt.Errorf("%w: offset %d, but the device takes multiples of %d", ErrUnsupported, b.Offset, alignment)
	}
	return nil
}

// CheckHost compares the size of a slice with that of host memory.
func (b *Slice) CheckHost(host []byte) error {
	if uint64(len(host)) != b.Bytes {
		return fmt.Errorf("%w: %d host bytes for %d device bytes", ErrUnsupported, len(host), b.Bytes)
	}
	return nil
}

// CheckHostMemory tells whether some bytes lie within host memory.
func CheckHostMemory(m HostMemory, offset, bytes uint64) error {
	if n := uint64(len(m.Bytes())); offset > n || bytes > n-offset {
		return fmt.Errorf("%w: bytes %d to %d of host memory of %d", ErrUnsupported, offset, offset+bytes, n)
	}
	return nil
}

// CheckCopy tells whether a slice can be copied to another one: they have the same size and do not
// overlap.
func CheckCopy(dst, src *Slice) error {
	if dst.Bytes != src.Bytes {
		return fmt.Errorf("%w: %d bytes to %d", ErrUnsupported, src.Bytes, dst.Bytes)
	}
	if dst.Memory == src.Memory && src.Offset < dst.Offset+dst.Bytes && dst.Offset < src.Offset+src.Bytes && dst.Bytes > 0 {
		return fmt.Errorf("%w: the slices overlap", ErrUnsupported)
	}
	return nil
}

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
// texture or sampler, or nil. It does not tell comparison samplers from others, nor one device's
// objects from another's.
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

// CheckLevel tells whether a level of a texture can be copied from or to n host bytes.
func CheckLevel(d *texture.Description, level uint32, n int) error {
	if level >= d.Levels {
		return fmt.Errorf("%w: level %d of a texture of %d", ErrUnsupported, level, d.Levels)
	}
	if want := d.LevelBytes(level); uint64(n) != want {
		return fmt.Errorf("%w: %d host bytes for a level of %d", ErrUnsupported, n, want)
	}
	return nil
}

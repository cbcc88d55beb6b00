package exectest

// Comparison of a device's results with the reference's. A message shows the first wrong element
// with both values and its error, and the number of the others.

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/ir/texture"
)

// Compare returns an error that describes the first element of the first buffer or
// texture beyond the case's bounds, or nil. Both slices hold what Case.Contents
// does.
func Compare(c *Case, expected, got [][]byte) error {
	if n := c.Level(len(c.Textures), 0); len(expected) != n || len(got) != n {
		return fmt.Errorf("%s: expected %d contents, found %d references and %d results", c.Name, n, len(expected), len(got))
	}
	for i := range c.Buffers {
		if err := compareBuffer(&c.Buffers[i], expected[i], got[i]); err != nil {
			return fmt.Errorf("%s: %w", c.Name, err)
		}
	}
	for i := range c.Textures {
		for level := range c.Textures[i].Description.Levels {
			at := c.Level(i, level)
			if err := compareLevel(&c.Textures[i], level, expected[at], got[at]); err != nil {
				return fmt.Errorf("%s: %w", c.Name, err)
			}
		}
	}
	return nil
}

// compareLevel compares the channels of a level's texels as they are stored:
// floats by the bounds of a buffer, others as integers (Steps are for small ones).
func compareLevel(t *Texture, level uint32, expected, got []byte) error {
	if len(expected) != len(got) {
		return fmt.Errorf("texture %s, level %d: expected %d bytes, found %d", t.Name, level, len(expected), len(got))
	}
	format := t.Description.Format.Info()
	width := format.Bits / 8
	if width == 0 { // a packed format
		width = 4
	}
	channels := t.Description.Format.Bytes() / width
	b := Buffer{Element: scalar.U32, ULP: t.ULP, Absolute: t.Absolute}
	signed := format.Encoding == texture.Snorm || format.Encoding == texture.Sint
	switch {
	case format.Encoding == texture.Float && width == 2:
		b.Element = scalar.F16
	case format.Encoding == texture.Float:
		b.Element = scalar.F32
	case signed:
		b.Element = scalar.I32
	}
	first, wrong := -1, 0
	for at := 0; at < len(expected); at += width {
		e, g := channel(expected[at:], width, signed), channel(got[at:], width, signed)
		if within(&b, e, g) || t.Steps > 0 && width < 4 && max(int32(e-g), int32(g-e)) <= int32(t.Steps) {
			continue
		}
		if first < 0 {
			first = at
		}
		wrong++
	}
	if wrong == 0 {
		return nil
	}
	w, h, _ := t.Description.LevelSize(level)
	texel, row := uint32(first/width/channels), w*h
	e, g := channel(expected[first:], width, signed), channel(got[first:], width, signed)
	return fmt.Errorf("texture %s, level %d, texel (%d, %d, %d), channel %d: expected %s, found %s%s; %d channels differ", t.Name, level,
		texel%w, texel%row/w, texel/row, first/width%channels, show(b.Element, e), show(b.Element, g), deviation(&b, e, g), wrong)
}

// channel reads one channel as the storage of a 32-bit integer or of a float.
func channel(data []byte, width int, signed bool) uint64 {
	switch {
	case width == 1 && signed:
		return uint64(uint32(int8(data[0])))
	case width == 1:
		return uint64(data[0])
	case width == 2 && signed:
		return uint64(uint32(int16(binary.LittleEndian.Uint16(data))))
	}
	return element(data, width)
}

func compareBuffer(b *Buffer, expected, got []byte) error {
	if len(expected) != len(got) {
		return fmt.Errorf("buffer %s: expected %d bytes, found %d", b.Name, len(expected), len(got))
	}
	if bytes.Equal(expected, got) {
		return nil
	}
	width := b.Element.Bytes()
	first, wrong := -1, 0
	for at := 0; at+width <= len(expected); at += width {
		if !within(b, element(expected[at:], width), element(got[at:], width)) {
			if first < 0 {
				first = at
			}
			wrong++
		}
	}
	if wrong == 0 {
		return nil
	}
	e, g := element(expected[first:], width), element(got[first:], width)
	return fmt.Errorf("buffer %s, element %d of %d: expected %s, found %s%s; %d elements differ",
		b.Name, first/width, len(expected)/width, show(b.Element, e), show(b.Element, g), deviation(b, e, g), wrong)
}

// element reads one little-endian scalar as its storage (see package scalar).
func element(data []byte, width int) uint64 {
	if width == 2 {
		return uint64(binary.LittleEndian.Uint16(data))
	}
	return uint64(binary.LittleEndian.Uint32(data))
}

// within reports whether a result satisfies the buffer's bounds. Infinities
// are one step beyond the largest number; a NaN satisfies only a NaN.
func within(b *Buffer, expected, got uint64) bool {
	if expected == got {
		return true
	}
	if !b.Element.IsFloat() || b.ULP == 0 && b.Absolute == 0 {
		return false
	}
	e, g := scalar.ToFloat64(b.Element, expected), scalar.ToFloat64(b.Element, got)
	if math.IsNaN(e) || math.IsNaN(g) {
		return math.IsNaN(e) && math.IsNaN(g)
	}
	return scalar.Distance(b.Element, expected, got) <= uint64(b.ULP) || math.Abs(e-g) <= b.Absolute
}

func show(kind scalar.Kind, bits uint64) string {
	switch {
	case kind.IsFloat():
		return fmt.Sprintf("%v (0x%0*x)", scalar.ToFloat64(kind, bits), 2*kind.Bytes(), bits)
	case kind.IsSigned():
		return fmt.Sprint(scalar.ToInt64(kind, bits))
	}
	return fmt.Sprintf("%d (%#x)", bits, bits)
}

// deviation describes the error of a float result beside its bounds.
func deviation(b *Buffer, expected, got uint64) string {
	if !b.Element.IsFloat() {
		return ""
	}
	difference := math.Abs(scalar.ToFloat64(b.Element, expected) - scalar.ToFloat64(b.Element, got))
	return fmt.Sprintf(", off by %d ULP and %.3g (allowed: %d ULP or %.3g)",
		scalar.Distance(b.Element, expected, got), difference, b.ULP, b.Absolute)
}

package exectest

// Comparing what a device made with what the reference made, and saying
// precisely where they part: the first wrong element is shown with both values
// and its error, and the number of the others.

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/gpuc/gpuc/ir/scalar"
)

// Compare returns an error that describes the first element of the first buffer
// beyond the case's bounds, or nil. Both slices hold one content per buffer of
// the case.
func Compare(c *Case, expected, got [][]byte) error {
	if len(expected) != len(c.Buffers) || len(got) != len(c.Buffers) {
		return fmt.Errorf("%s: expected %d buffers, found %d references and %d results",
			c.Name, len(c.Buffers), len(expected), len(got))
	}
	for i := range c.Buffers {
		if err := compareBuffer(&c.Buffers[i], expected[i], got[i]); err != nil {
			return fmt.Errorf("%s: %w", c.Name, err)
		}
	}
	return nil
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
	return Distance(b.Element, expected, got) <= uint64(b.ULP) || math.Abs(e-g) <= b.Absolute
}

// Distance counts the representable values between two float patterns: 0 for
// equal numbers (+0 and -0 too), 1 for neighbours.
func Distance(kind scalar.Kind, a, b uint64) uint64 {
	d := ordered(kind, a) - ordered(kind, b)
	if d < 0 {
		d = -d
	}
	return uint64(d)
}

// ordered maps float patterns to integers that grow with the number.
func ordered(kind scalar.Kind, bits uint64) int64 {
	sign := uint64(1) << (kind.Bits() - 1)
	if bits&sign != 0 {
		return -int64(bits &^ sign)
	}
	return int64(bits)
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
		Distance(b.Element, expected, got), difference, b.ULP, b.Absolute)
}

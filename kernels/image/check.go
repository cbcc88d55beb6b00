package image

import (
	"fmt"

	"github.com/gpuc/gpuc/runtime/gpu"
)

// operation names a function in its errors.
type operation string

// wrong returns the error for a parameter.
func (o operation) wrong(parameter, wanted, given string) error {
	return &gpu.ShapeError{Operation: "image." + string(o), Parameter: parameter, Wanted: wanted, Given: given}
}

// count returns an error unless there are as many elements as wanted.
func (o operation) count(parameter string, given, wanted int) error {
	if given == wanted {
		return nil
	}
	return o.wrong(parameter, fmt.Sprintf("%d elements", wanted), fmt.Sprint(given))
}

// between returns an error unless a number is in a range.
func (o operation) between(parameter string, given, least, most int) error {
	if given >= least && given <= most {
		return nil
	}
	return o.wrong(parameter, fmt.Sprintf("%d to %d", least, most), fmt.Sprint(given))
}

// sizes returns an error unless an image may have these sizes.
func (o operation) sizes(parameter string, width, height, channels int) error {
	if width < 0 || width > maxSide || height < 0 || height > maxSide {
		return o.wrong(parameter, fmt.Sprintf("0 to %d columns and rows", maxSide), fmt.Sprintf("%d × %d", width, height))
	}
	if channels < 1 || channels > 4 {
		return o.wrong(parameter, "1 to 4 channels", fmt.Sprint(channels))
	}
	return nil
}

// check returns an error unless the image is in its buffer.
func check[T Sample](o operation, parameter string, m Image[T]) error {
	if err := o.sizes(parameter, m.Width, m.Height, m.Channels); err != nil || m.empty() {
		return err
	}
	if m.Buffer == nil {
		return o.wrong(parameter, "a buffer", "nil")
	}
	if per := perWord[T](); m.Buffer.Len()%per != 0 {
		return o.wrong(parameter, fmt.Sprintf("a buffer with a multiple of %d elements", per), fmt.Sprint(m.Buffer.Len()))
	}
	if m.Stride < m.Width*m.Channels && m.Height > 1 || m.Stride < 0 || m.Stride > maxSamples {
		return o.wrong(parameter, fmt.Sprintf("a stride of %d or more, as a row has that many samples", m.Width*m.Channels), fmt.Sprint(m.Stride))
	}
	last := int64(m.Offset) + int64(m.Height-1)*int64(m.Stride) + int64(m.Width*m.Channels)
	if limit := min(m.Buffer.Len(), maxSamples); m.Offset < 0 || last > int64(limit) {
		return o.wrong(parameter, fmt.Sprintf("positions in a buffer of %d elements", limit), fmt.Sprintf("%d to %d", m.Offset, last))
	}
	return nil
}

// checkBoth returns an error unless two images are in their buffers, which differ.
func checkBoth[T, U Sample](o operation, dst Image[T], src Image[U]) error {
	if err := check(o, "dst", dst); err != nil {
		return err
	}
	if err := check(o, "src", src); err != nil {
		return err
	}
	return apart(o, "dst", dst, "src", src)
}

// apart returns an error unless two images are in different buffers, which share no memory.
func apart[T, U Sample](o operation, parameter string, m Image[T], other string, n Image[U]) error {
	if !m.empty() && !n.empty() && gpu.Overlap(m.Buffer, n.Buffer) {
		return o.wrong(parameter, "another buffer than "+other+" has", "the same")
	}
	return nil
}

// checkEqual returns an error unless two images are in different buffers and have the same sizes.
func checkEqual[T, U Sample](o operation, dst Image[T], src Image[U]) error {
	if err := checkBoth(o, dst, src); err != nil {
		return err
	}
	return equal(o, "dst", dst, "src", src)
}

// equal returns an error unless two images have the same sizes.
func equal[T, U Sample](o operation, parameter string, m Image[T], other string, n Image[U]) error {
	if m.Width == n.Width && m.Height == n.Height && m.Channels == n.Channels {
		return nil
	}
	return o.wrong(parameter, fmt.Sprintf("%s, as %s has", sizesOf(n), other), sizesOf(m))
}

func sizesOf[T Sample](m Image[T]) string {
	return fmt.Sprintf("%d × %d × %d", m.Width, m.Height, m.Channels)
}

func formatted(x float64) string { return fmt.Sprint(x) }

package image

import (
	"context"
	"fmt"

	"github.com/gpuc/gpuc/runtime/gpu"
)

// Sample is the type of a channel of a pixel.
type Sample interface{ uint8 | uint16 | float32 }

// Image is rows of pixels in a buffer, whose length is a multiple of 4 bytes. Sample c of pixel
// (x, y) is element Offset + y·Stride + x·Channels + c. Copies of an Image are the same pixels.
type Image[T Sample] struct {
	Buffer        *gpu.Buffer[T]
	Offset        int
	Width, Height int
	Channels      int // 1 to 4
	Stride        int // elements from one row to the next
}

// maxSide is how many rows and columns an image has at most, and maxSamples how many samples its
// buffer has before its end.
const (
	maxSide    = 65535
	maxSamples = 1 << 30
)

// New makes an image of zeros in memory of a device, a stream or an arena. Rows begin at multiples
// of four samples.
func New[T Sample](from gpu.Allocator, width, height, channels int) (Image[T], error) {
	return newImage(gpu.Alloc[T], from, width, height, channels)
}

// NewUninitialized is New without the zeros, for an image that is written whole.
func NewUninitialized[T Sample](from gpu.Allocator, width, height, channels int) (Image[T], error) {
	return newImage(gpu.AllocUninitialized[T], from, width, height, channels)
}

func newImage[T Sample](alloc func(gpu.Allocator, int) (*gpu.Buffer[T], error), from gpu.Allocator, width, height, channels int) (m Image[T], err error) {
	m = Image[T]{Width: width, Height: height, Channels: channels, Stride: (width*channels + 3) &^ 3}
	if err := operation("New").sizes("image", width, height, channels); err != nil {
		return Image[T]{}, err
	}
	if m.Stride*height > maxSamples {
		return Image[T]{}, operation("New").wrong("image", fmt.Sprintf("at most %d samples", maxSamples), fmt.Sprint(m.Stride*height))
	}
	if m.Buffer, err = alloc(from, m.Stride*height); err != nil {
		return Image[T]{}, fmt.Errorf("image.New: %w", err)
	}
	return m, nil
}

// Of returns a buffer as an image whose rows are consecutive. Functions that get the image say
// whether the buffer is too short, or no multiple of 4 bytes long.
func Of[T Sample](b *gpu.Buffer[T], width, height, channels int) Image[T] {
	return Image[T]{Buffer: b, Width: width, Height: height, Channels: channels, Stride: width * channels}
}

// Sub returns the pixels of m from (x, y) on, so many columns and rows of them. What is outside of
// m is left out.
func (m Image[T]) Sub(x, y, width, height int) Image[T] {
	x1, y1 := min(max(x+max(width, 0), 0), m.Width), min(max(y+max(height, 0), 0), m.Height)
	x, y = min(max(x, 0), x1), min(max(y, 0), y1)
	m.Offset += y*m.Stride + x*m.Channels
	m.Width, m.Height = max(x1-x, 0), max(y1-y, 0)
	return m
}

// Close closes the buffer, and with it all images in it.
func (m Image[T]) Close() error {
	if m.Buffer == nil {
		return nil
	}
	return m.Buffer.Close()
}

// Upload makes an image of samples on the host, rows of pixels without gaps.
func Upload[T Sample](ctx context.Context, s *gpu.Stream, width, height, channels int, samples []T) (Image[T], error) {
	m, err := NewUninitialized[T](s, width, height, channels)
	if err != nil {
		return Image[T]{}, err
	}
	if err := m.Write(s, samples); err != nil {
		return Image[T]{}, closing(m, err)
	}
	return m, nil
}

// Write copies samples to the image, rows of pixels without gaps, after the stream's work so far.
func (m Image[T]) Write(s *gpu.Stream, samples []T) error {
	const o operation = "Write"
	if err := check(o, "image", m); err != nil {
		return err
	}
	if err := o.count("samples", len(samples), m.Width*m.Height*m.Channels); err != nil || len(samples) == 0 {
		return err
	}
	if part, ok := m.whole(); ok {
		return part.Write(s, samples)
	}
	b, part, err := staging[T](s, len(samples))
	if err != nil {
		return err
	}
	defer b.Close()
	if err := part.Write(s, samples); err != nil {
		return err
	}
	return Convert(s, m, Of(b, m.Width, m.Height, m.Channels), 1)
}

// Read copies the image to samples, rows of pixels without gaps, after the stream's work so far,
// and waits for that. ctx bounds the wait.
func (m Image[T]) Read(ctx context.Context, s *gpu.Stream, samples []T) error {
	const o operation = "Read"
	if err := check(o, "image", m); err != nil {
		return err
	}
	if err := o.count("samples", len(samples), m.Width*m.Height*m.Channels); err != nil || len(samples) == 0 {
		return err
	}
	if part, ok := m.whole(); ok {
		return part.Read(ctx, s, samples)
	}
	b, part, err := staging[T](s, len(samples))
	if err != nil {
		return err
	}
	defer b.Close()
	if err := Convert(s, Of(b, m.Width, m.Height, m.Channels), m, 1); err != nil {
		return err
	}
	return part.Read(ctx, s, samples)
}

// staging makes a buffer of whole words with room for n samples, and returns these as a part.
func staging[T Sample](s *gpu.Stream, n int) (whole, part *gpu.Buffer[T], err error) {
	per := perWord[T]()
	if whole, err = gpu.AllocUninitialized[T](s, (n+per-1)/per*per); err != nil {
		return nil, nil, err
	}
	if part, err = whole.Slice(0, n); err != nil {
		_ = whole.Close() // the first error is what the caller has to know
		return nil, nil, err
	}
	return whole, part, nil
}

// whole returns the samples as a part of the buffer, if they have no gaps and the part is one that
// buffers can have.
func (m Image[T]) whole() (*gpu.Buffer[T], bool) {
	if m.Height > 1 && m.Stride != m.Width*m.Channels {
		return nil, false
	}
	n := m.Width * m.Height * m.Channels
	if m.Offset == 0 && n == m.Buffer.Len() {
		return m.Buffer, true
	}
	part, err := m.Buffer.Slice(m.Offset, m.Offset+n)
	return part, err == nil
}

// empty reports whether the image has no pixels.
func (m Image[T]) empty() bool { return m.Width == 0 || m.Height == 0 }

// view returns where the image is.
func (m Image[T]) view() view {
	return view{int32(m.Offset), int32(m.Stride), int32(m.Width), int32(m.Height), int32(m.Channels)}
}

// closing closes an image because of an error, which it returns.
func closing[T Sample](m Image[T], err error) error {
	_ = m.Close() // the error is what the caller has to know
	return err
}

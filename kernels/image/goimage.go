package image

import (
	"context"
	"fmt"
	"image"
	"image/draw"

	"github.com/gpuc/gpuc/runtime/gpu"
)

// layout says how Go's images have their samples: bytes of each, channels, and whether colours are
// premultiplied by alpha. Samples of 16 bits are big-endian.
type layout struct {
	pix             []byte
	stride          int
	rect            image.Rectangle
	bytes, channels int
}

// layoutOf returns the layout of an image, and false if it is of another type or has too few bytes.
func layoutOf(img image.Image) (layout, bool) {
	switch m := img.(type) {
	case *image.Gray:
		if m != nil {
			return layout{m.Pix, m.Stride, m.Rect, 1, 1}.checked()
		}
	case *image.RGBA:
		if m != nil {
			return layout{m.Pix, m.Stride, m.Rect, 1, 4}.checked()
		}
	case *image.NRGBA:
		if m != nil {
			return layout{m.Pix, m.Stride, m.Rect, 1, 4}.checked()
		}
	case *image.Gray16:
		if m != nil {
			return layout{m.Pix, m.Stride, m.Rect, 2, 1}.checked()
		}
	case *image.RGBA64:
		if m != nil {
			return layout{m.Pix, m.Stride, m.Rect, 2, 4}.checked()
		}
	case *image.NRGBA64:
		if m != nil {
			return layout{m.Pix, m.Stride, m.Rect, 2, 4}.checked()
		}
	}
	return layout{}, false
}

// isOfGo reports whether an image is of one of the types of layoutOf.
func isOfGo(img image.Image) bool {
	switch img.(type) {
	case *image.Gray, *image.RGBA, *image.NRGBA, *image.Gray16, *image.RGBA64, *image.NRGBA64:
		return true
	}
	return false
}

// checked returns the layout, and false if it has fewer bytes than its rectangle needs.
func (l layout) checked() (layout, bool) {
	width, height := l.rect.Dx(), l.rect.Dy()
	row := width * l.channels * l.bytes
	if width > 0 && height > 0 && (width > maxSide || height > maxSide || l.stride < row || l.stride > len(l.pix) || (height-1)*l.stride+row > len(l.pix)) {
		return layout{}, false
	}
	return l, true
}

// UploadGo makes an image of one of Go's. Those of types Gray, Gray16, RGBA, RGBA64, NRGBA and
// NRGBA64 keep their samples as they are, so those of RGBA are premultiplied by alpha and those of
// NRGBA are not. All others are converted to NRGBA or NRGBA64 first. Samples of another size are
// multiplied or divided by the ratio of their full intensities, and rounded.
func UploadGo[T Sample](ctx context.Context, s *gpu.Stream, img image.Image) (Image[T], error) {
	const o operation = "UploadGo"
	if img == nil {
		return Image[T]{}, o.wrong("image", "an image", "nil")
	}
	l, known := layoutOf(img)
	if !known {
		if isOfGo(img) {
			return Image[T]{}, o.wrong("image", "as many bytes as its rectangle and stride need", fmt.Sprintf("%T", img))
		}
		if size := img.Bounds(); size.Dx() > maxSide || size.Dy() > maxSide {
			return Image[T]{}, o.sizes("image", size.Dx(), size.Dy(), 1)
		}
		l, _ = layoutOf(converted8or16(img, kindOf[T]() != 0))
	}
	width, height := l.rect.Dx(), l.rect.Dy()
	samples := make([]T, width*height*l.channels)
	scale := fullOf[T]() / [...]float32{1: 255, 2: 65535}[l.bytes]
	for y := range height {
		to := samples[y*width*l.channels:][:width*l.channels]
		from := l.pix[y*l.stride:][:len(to)*l.bytes]
		copyIn(to, from, l.bytes, scale)
	}
	return Upload(ctx, s, width, height, l.channels, samples)
}

// converted8or16 draws an image as NRGBA, or NRGBA64.
func converted8or16(img image.Image, of16 bool) image.Image {
	size := img.Bounds()
	var m draw.Image = image.NewNRGBA(size)
	if of16 {
		m = image.NewNRGBA64(size)
	}
	draw.Draw(m, size, img, size.Min, draw.Src)
	return m
}

// copyIn copies samples of one byte or two.
func copyIn[T Sample](to []T, from []byte, bytes int, scale float32) {
	if same, ok := any(to).([]byte); ok && bytes == 1 {
		copy(same, from)
		return
	}
	for i := range to {
		v := float32(from[i*bytes])
		if bytes == 2 {
			v = float32(uint16(from[2*i])<<8 | uint16(from[2*i+1]))
		}
		if scale == 257 || scale == 1 {
			to[i] = T(v * scale) // whole numbers
		} else if kindOf[T]() == 2 {
			to[i] = T(v * scale)
		} else {
			to[i] = T(v*scale + 0.5)
		}
	}
}

// ReadGo copies the image to one of Go's with the same width and height, after the stream's work
// so far, and waits for that. Dst is of type Gray, Gray16, RGBA, RGBA64, NRGBA or NRGBA64. It has
// the channels of m, and samples are as they are; or m has three channels and dst four, and dst is
// opaque. Samples of another size are multiplied or divided, rounded and clamped.
func ReadGo[T Sample](ctx context.Context, s *gpu.Stream, dst draw.Image, m Image[T]) error {
	const o operation = "ReadGo"
	l, known := layoutOf(dst)
	if !known {
		return o.wrong("dst", "an image of Gray, RGBA or NRGBA, of 8 or 16 bits", fmt.Sprintf("%T", dst))
	}
	if err := check(o, "image", m); err != nil {
		return err
	}
	width, height := l.rect.Dx(), l.rect.Dy()
	if width != m.Width || height != m.Height {
		return o.wrong("dst", fmt.Sprintf("%d × %d, as the image has", m.Width, m.Height), fmt.Sprintf("%d × %d", width, height))
	}
	if l.channels != m.Channels && !(l.channels == 4 && m.Channels == 3) {
		return o.wrong("dst", fmt.Sprintf("%d channels", m.Channels), fmt.Sprintf("%d", l.channels))
	}
	samples := make([]T, width*height*m.Channels)
	if err := m.Read(ctx, s, samples); err != nil {
		return err
	}
	scale := [...]float32{1: 255, 2: 65535}[l.bytes] / fullOf[T]()
	for i := range width * height {
		x, y := i%width, i/width
		to := l.pix[y*l.stride+x*l.channels*l.bytes:]
		for c := range l.channels {
			v := float32(255 + 65280*(l.bytes-1)) // opaque
			if c < m.Channels {
				v = float32(samples[i*m.Channels+c]) * scale
			}
			w := rounded(v, float32(255+65280*(l.bytes-1)))
			if l.bytes == 2 {
				to[2*c], to[2*c+1] = byte(w>>8), byte(w)
			} else {
				to[c] = byte(w)
			}
		}
	}
	return nil
}

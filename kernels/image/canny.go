package image

import (
	"fmt"
	"math"

	"github.com/gpuc/gpuc/runtime/gpu"
)

// Canny makes the pixels of dst 255 that are edges of src, and all others 0 (Canny, "A
// computational approach to edge detection", 1986). Both have one channel and the same sizes. It
// does not blur: call GaussianBlur before.
//
// Gradients are those of Sobel with Clamp, and their strength is |dx| + |dy|, or √(dx² + dy²) with
// euclidean. A pixel is a candidate if its strength is above low and the largest along the
// gradient, of four directions. It is an edge if a chain of candidates that touch, also
// diagonally, joins it to one above high. Of uint8 the result is that of OpenCV.
//
// It takes 16 bytes of the stream's memory for each pixel.
func Canny[T Sample](s *gpu.Stream, dst Image[uint8], src Image[T], low, high float32, euclidean bool) error {
	const o operation = "Canny"
	if err := checkEqual(o, dst, src); err != nil {
		return err
	}
	if src.Channels != 1 {
		return o.wrong("src", "1 channel", fmt.Sprint(src.Channels))
	}
	if !(low >= 0 && high >= low) || math.IsInf(float64(low), 1) {
		return o.wrong("high", "at least low, which is 0 or more", fmt.Sprintf("%v to %v", low, high))
	}
	if dst.empty() {
		return nil
	}
	dx, err := NewUninitialized[float32](s, src.Width, src.Height, 1)
	if err != nil {
		return err
	}
	defer dx.Close()
	dy, err := NewUninitialized[float32](s, src.Width, src.Height, 1)
	if err != nil {
		return err
	}
	defer dy.Close()
	parents, err := gpu.AllocUninitialized[uint32](s, src.Width*src.Height)
	if err != nil {
		return err
	}
	defer parents.Close()
	strong, err := gpu.AllocUninitialized[uint32](s, src.Width*src.Height)
	if err != nil {
		return err
	}
	defer strong.Close()
	if err := gradientsOf(s, o, dx, dy, src, 1, 2, Clamp); err != nil {
		return err
	}
	g := grid(src.Width, src.Height)
	var w, width, out words
	w.flag(!euclidean)
	w.floats(low, high)
	w.views(dx.view(), dy.view())
	if err := ofSuppress.launch(s, 0, g, &w, dx.Buffer, dy.Buffer, parents, strong); err != nil {
		return err
	}
	width.ints(src.Width)
	if err := ofLink.launch(s, 0, g, &width, parents); err != nil {
		return err
	}
	if err := ofMark.launch(s, 0, g, &width, parents, strong); err != nil {
		return err
	}
	out.views(dst.view())
	return ofOutline.launch(s, 0, byRuns(dst), &out, dst.Buffer, parents, strong)
}

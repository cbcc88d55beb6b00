package image

import (
	"fmt"

	"github.com/gpuc/gpuc/runtime/gpu"
)

// Element is a flat structuring element: which pixels around one an operation looks at. Rectangle,
// Ellipse, Cross and ElementOf make it.
type Element struct {
	element   element
	rectangle bool
}

// Rectangle is an element of so many columns and rows, 1 to 32. The pixel itself is in column
// width/2 of row height/2.
func Rectangle(width, height int) Element {
	return elementOf(width, height, true, func(int, int) bool { return true })
}

// Cross is the middle row and column of a rectangle.
func Cross(width, height int) Element {
	return elementOf(width, height, false, func(x, y int) bool { return x == width/2 || y == height/2 })
}

// Ellipse is the pixels whose middles are in the ellipse that touches the sides of a rectangle.
func Ellipse(width, height int) Element {
	return elementOf(width, height, false, func(x, y int) bool {
		u, v := float64(2*x+1-width)/float64(width), float64(2*y+1-height)/float64(height)
		return u*u+v*v <= 1
	})
}

// ElementOf is the true ones of rows with so many columns.
func ElementOf(rows []bool, width int) Element {
	if width < 1 || len(rows)%width != 0 {
		return Element{}
	}
	return elementOf(width, len(rows)/width, false, func(x, y int) bool { return rows[y*width+x] })
}

func elementOf(width, height int, rectangle bool, in func(x, y int) bool) Element {
	if width < 1 || width > maxElement || height < 1 || height > maxElement {
		return Element{}
	}
	e := Element{element{Width: width, Height: height}, rectangle}
	for y := range height {
		for x := range width {
			if in(x, y) {
				e.element.Rows[y] |= 1 << x
			}
		}
	}
	return e
}

// check returns an error unless the element has any pixel.
func (e Element) check(o operation) error {
	for _, row := range e.element.Rows {
		if row != 0 {
			return nil
		}
	}
	return o.wrong("element", fmt.Sprintf("1 to %d columns and rows with a pixel", maxElement), "none")
}

// mirrored returns the element turned by half a circle about the pixel itself, if its sides are
// odd.
func (e Element) mirrored() Element {
	m := e
	m.element.Rows = [maxElement]uint32{}
	for y := range e.element.Height {
		for x := range e.element.Width {
			if e.element.Rows[y]>>x&1 != 0 {
				m.element.Rows[e.element.Height-1-y] |= 1 << (e.element.Width - 1 - x)
			}
		}
	}
	return m
}

// Erode makes each sample of dst the smallest of those of src where the element is. They have the
// same sizes. A rectangle with Clamp looks at no more than what is in the image.
//
// A rectangle of more than 9 pixels takes two passes and memory of the stream for an image.
func Erode[T Sample](s *gpu.Stream, dst, src Image[T], e Element, b Border) error {
	return minMaxOf(s, "Erode", dst, src, false, e, b)
}

// Dilate makes each sample of dst the largest of those of src where the element is, as Erode does.
func Dilate[T Sample](s *gpu.Stream, dst, src Image[T], e Element, b Border) error {
	return minMaxOf(s, "Dilate", dst, src, true, e, b)
}

// Open is Erode and then Dilate with the mirrored element, which removes what is smaller than the
// element and bright. It takes memory of the stream for an image.
func Open[T Sample](s *gpu.Stream, dst, src Image[T], e Element, b Border) error {
	return both(s, "Open", dst, src, false, e, b)
}

// CloseGaps is Dilate and then Erode with the mirrored element, which removes what is smaller than
// the element and dark: the morphological closing. It takes memory of the stream for an image.
func CloseGaps[T Sample](s *gpu.Stream, dst, src Image[T], e Element, b Border) error {
	return both(s, "CloseGaps", dst, src, true, e, b)
}

func both[T Sample](s *gpu.Stream, o operation, dst, src Image[T], largest bool, e Element, b Border) error {
	if err := checkEqual(o, dst, src); err != nil {
		return err
	}
	if err := e.check(o); err != nil || dst.empty() {
		return err
	}
	between, err := NewUninitialized[T](s, src.Width, src.Height, src.Channels)
	if err != nil {
		return err
	}
	defer between.Close()
	if err := minMaxOf(s, o, between, src, largest, e, b); err != nil {
		return err
	}
	return minMaxOf(s, o, dst, between, !largest, e.mirrored(), b)
}

func minMaxOf[T Sample](s *gpu.Stream, o operation, dst, src Image[T], largest bool, e Element, b Border) error {
	if err := checkEqual(o, dst, src); err != nil {
		return err
	}
	if err := e.check(o); err != nil || dst.empty() {
		return err
	}
	if !e.rectangle || e.element.Width*e.element.Height <= 9 || e.element.Width == 1 || e.element.Height == 1 {
		return oneMinMax(s, dst, src, largest, e.element, b)
	}
	between, err := NewUninitialized[T](s, src.Width, src.Height, src.Channels)
	if err != nil {
		return err
	}
	defer between.Close()
	if err := oneMinMax(s, between, src, largest, Rectangle(1, e.element.Height).element, b); err != nil {
		return err
	}
	return oneMinMax(s, dst, between, largest, Rectangle(e.element.Width, 1).element, b)
}

func oneMinMax[T Sample](s *gpu.Stream, dst, src Image[T], largest bool, e element, b Border) error {
	var w words
	w.flag(largest)
	w.element(e)
	w.border(b.border)
	w.views(dst.view(), src.view())
	return ofMinMax.launch(s, kindOf[T](), byRuns(dst), &w, dst.Buffer, src.Buffer)
}

func (w *words) element(e element) {
	w.ints(e.Width, e.Height)
	w.n += copy(w.data[w.n:], e.Rows[:])
}

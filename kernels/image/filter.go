package image

import (
	"fmt"

	"github.com/gpuc/gpuc/runtime/gpu"
)

// Filter2D makes each sample of dst the weighted sum of the samples of src around it. The weights
// are rows of the given width, and the one of the pixel itself is number height/2 of rows and
// width/2 of columns. It is a correlation, and sums are row by row. There are at most 121 weights.
//
// Dst has the sizes of src. Its samples are of the same type, or float32 for sums that may be
// negative.
func Filter2D[T, U Sample](s *gpu.Stream, dst Image[T], src Image[U], weightsOf []float32, width int, b Border) error {
	const o operation = "Filter2D"
	if err := checkEqual(o, dst, src); err != nil {
		return err
	}
	if width < 1 || len(weightsOf) == 0 || len(weightsOf)%width != 0 || len(weightsOf) > maxWeights {
		return o.wrong("weights", fmt.Sprintf("rows of %d, at most %d in all", width, maxWeights), fmt.Sprint(len(weightsOf)))
	}
	k := &ofFilter
	if kindOf[T]() != kindOf[U]() {
		if kindOf[T]() != 2 {
			return o.wrong("dst", "float32, or the type of src", fmt.Sprintf("%T", *new(T)))
		}
		k = &ofFilterToFloat
	}
	if dst.empty() {
		return nil
	}
	table := weights{Width: width, Height: len(weightsOf) / width}
	copy(table.Values[:], weightsOf)
	var w words
	w.ints(table.Width, table.Height)
	w.floats(table.Values[:]...)
	w.border(b.border)
	w.views(dst.view(), src.view())
	return k.launch(s, kindOf[U](), byRuns(src), &w, dst.Buffer, src.Buffer)
}

// Laplacian makes dst the sums of the four neighbours of each pixel of src, less four times the
// pixel. Dst has the sizes of src.
func Laplacian[T Sample](s *gpu.Stream, dst Image[float32], src Image[T], b Border) error {
	if err := checkEqual("Laplacian", dst, src); err != nil {
		return err
	}
	return Filter2D(s, dst, src, laplacian[:], 3, b)
}

var laplacian = [9]float32{0, 1, 0, 1, -4, 1, 0, 1, 0}

// Sobel makes dx and dy the differences of the pixels of src right and left of each pixel, and
// below and above it. They are sums over three rows or columns with the weights 1, 2, 1. All have
// the same sizes.
func Sobel[T Sample](s *gpu.Stream, dx, dy Image[float32], src Image[T], b Border) error {
	return gradientsOf(s, "Sobel", dx, dy, src, 1, 2, b)
}

// Scharr is Sobel with the weights 3, 10, 3, whose direction is more exact.
func Scharr[T Sample](s *gpu.Stream, dx, dy Image[float32], src Image[T], b Border) error {
	return gradientsOf(s, "Scharr", dx, dy, src, 3, 10, b)
}

func gradientsOf[T Sample](s *gpu.Stream, o operation, dx, dy Image[float32], src Image[T], corner, middle float32, b Border) error {
	if err := checkGradients(o, dx, dy); err != nil {
		return err
	}
	if err := check(o, "src", src); err != nil {
		return err
	}
	if err := apart(o, "dx", dx, "src", src); err != nil {
		return err
	}
	if err := apart(o, "dy", dy, "src", src); err != nil {
		return err
	}
	if err := equal(o, "dx", dx, "src", src); err != nil || src.empty() {
		return err
	}
	var w words
	per := perWord[T]()
	rows := (dx.Offset|dx.Stride|dy.Offset|dy.Stride|src.Width*src.Channels)%per == 0
	g := byRuns(src)
	if rows && per == 4 && (src.Offset|src.Stride)%4 == 0 && src.Width*src.Channels >= 8 && b.border.Mode != constant {
		w.ints(int(corner), int(middle))
		w.border(b.border)
		w.views(dx.view(), dy.view(), src.view())
		g.Y = (g.Y + wordRows - 1) / wordRows
		return ofGradientWords.launch(s, 0, g, &w, dx.Buffer, dy.Buffer, src.Buffer)
	}
	w.floats(corner, middle)
	w.border(b.border)
	w.views(dx.view(), dy.view(), src.view())
	if s.Device().Info().Driver != gpu.CPU && per != 2 && rows {
		g.Y = (g.Y + tileRows - 1) / tileRows
		return ofGradientRows.launch(s, kindOf[T](), g, &w, dx.Buffer, dy.Buffer, src.Buffer)
	}
	return ofGradients.launch(s, kindOf[T](), byRuns(src), &w, dx.Buffer, dy.Buffer, src.Buffer)
}

// checkGradients returns an error unless two images of derivatives fit each other.
func checkGradients(o operation, dx, dy Image[float32]) error {
	if err := check(o, "dx", dx); err != nil {
		return err
	}
	if err := check(o, "dy", dy); err != nil {
		return err
	}
	if err := apart(o, "dy", dy, "dx", dx); err != nil {
		return err
	}
	return equal(o, "dy", dy, "dx", dx)
}

// Magnitude makes dst the lengths of the gradients (dx, dy): √(dx² + dy²), or |dx| + |dy| if sums
// is true. All have the same sizes and different buffers.
func Magnitude(s *gpu.Stream, dst, dx, dy Image[float32], sums bool) error {
	const o operation = "Magnitude"
	if err := checkGradients(o, dx, dy); err != nil {
		return err
	}
	if err := checkEqual(o, dst, dx); err != nil {
		return err
	}
	if err := apart(o, "dst", dst, "dy", dy); err != nil || dst.empty() {
		return err
	}
	var w words
	w.flag(sums)
	w.views(dst.view(), dx.view(), dy.view())
	return ofMagnitude.launch(s, 0, byRuns(dst), &w, dst.Buffer, dx.Buffer, dy.Buffer)
}

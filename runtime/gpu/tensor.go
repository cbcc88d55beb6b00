package gpu

// Tensors: slices as images of pixels with channels, and the matrices that convolutions multiply.
// The compiler reads this file, like vector.go: what runs on devices is the code below.

// Tensor is a view of a slice as n images of h rows with w pixels, which have c channels. NewTensor
// and NewTensorNCHW make one, and Channels makes others of the same elements. The zero value has no
// images.
type Tensor[T any] struct {
	data                               []T
	offset, n, h, w, c                 int
	strideN, strideH, strideW, strideC int
}

// N returns how many images there are.
func (t Tensor[T]) N() int { return t.n }

// H returns how many rows of pixels an image has.
func (t Tensor[T]) H() int { return t.h }

// W returns how many pixels a row has.
func (t Tensor[T]) W() int { return t.w }

// C returns how many channels a pixel has.
func (t Tensor[T]) C() int { return t.c }

// Channels returns the tensor with so many of the channels, from one on. Channels that t does not
// have are left out.
func (t Tensor[T]) Channels(first, count int) Tensor[T] {
	if first < 0 || first >= t.c {
		t.c = 0
		return t
	}
	t.offset += first * t.strideC
	t.c = max(min(count, t.c-first), 0)
	return t
}

// At returns an element. It must be inside of the tensor: At does not compare indices with sizes.
func (t Tensor[T]) At(n, h, w, c int) T {
	return t.data[t.offset+n*t.strideN+h*t.strideH+w*t.strideW+c*t.strideC]
}

// Set sets an element, which must be inside of the tensor, as for At.
func (t Tensor[T]) Set(n, h, w, c int, v T) {
	t.data[t.offset+n*t.strideN+h*t.strideH+w*t.strideW+c*t.strideC] = v
}

// Window is what a convolution sees of an image for one pixel of its result: H × W pixels, which
// are DilationH rows and DilationW pixels apart. The first window begins PadH rows and PadW pixels
// before the image. The next ones begin StrideW pixels or StrideH rows further, as long as they end
// within PadH rows and PadW pixels behind the image. Strides and dilations below one count as one.
type Window struct {
	H, W                 int
	StrideH, StrideW     int
	PadH, PadW           int
	DilationH, DilationW int
}

// Windows is the matrix whose rows are the windows of a tensor, in the order of images, rows and
// pixels. Row (n·OutH + y)·OutW + x is window (y, x) of image n. Column (ky·W + kx)·C + c is
// channel c of the window's pixel (ky, kx), and zero where this is outside of the image. So the
// product with weights of (H·W·C) × K is a convolution with K channels. LoadWindows loads tiles of
// the matrix, which is nowhere in memory. The zero value has no rows and no columns.
type Windows[T any] struct {
	of         Tensor[T]
	window     Window
	outH, outW int
}

// Windows returns the matrix of the tensor's windows.
func (t Tensor[T]) Windows(w Window) Windows[T] {
	w.StrideH, w.StrideW = max(w.StrideH, 1), max(w.StrideW, 1)
	w.DilationH, w.DilationW = max(w.DilationH, 1), max(w.DilationW, 1)
	return Windows[T]{t, w, positions(t.h, w.H, w.StrideH, w.PadH, w.DilationH), positions(t.w, w.W, w.StrideW, w.PadW, w.DilationW)}
}

// positions returns how many windows an image has along one side.
func positions(size, window, stride, pad, dilation int) int {
	last := size + 2*pad - dilation*(window-1) - 1 // where a window can begin
	if window < 1 || last < 0 {
		return 0
	}
	return last/stride + 1
}

// OutH returns how many rows of windows an image has: the rows of the convolution's result.
func (w Windows[T]) OutH() int { return w.outH }

// OutW returns how many windows such a row has.
func (w Windows[T]) OutW() int { return w.outW }

// Rows returns how many windows all images have.
func (w Windows[T]) Rows() int { return w.of.n * w.outH * w.outW }

// Cols returns how many elements a window has.
func (w Windows[T]) Cols() int { return max(w.window.H, 0) * max(w.window.W, 0) * w.of.c }

// At returns an element. It must be inside of the matrix: At does not compare row and col with its
// size.
func (w Windows[T]) At(row, col int) (v T) {
	k, c := col/w.of.c, col%w.of.c
	y := row/w.outW%w.outH*w.window.StrideH - w.window.PadH + k/w.window.W*w.window.DilationH
	x := row%w.outW*w.window.StrideW - w.window.PadW + k%w.window.W*w.window.DilationW
	if y < 0 || y >= w.of.h || x < 0 || x >= w.of.w {
		return v
	}
	return w.of.At(row/w.outW/w.outH, y, x, c)
}

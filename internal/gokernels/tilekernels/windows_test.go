package tilekernels

import (
	"fmt"
	"math"
	"testing"

	"github.com/gpuc/gpuc/runtime/gpu"
)

// images is the shape of a tensor. Its memory has channels first or last.
type images struct {
	n, h, w, c    int
	channelsFirst bool
}

// index returns the index of an element.
func (s images) index(n, y, x, c int) int {
	if s.channelsFirst {
		return ((n*s.c+c)*s.h+y)*s.w + x
	}
	return ((n*s.h+y)*s.w+x)*s.c + c
}

// tensor makes a tensor of random numbers a parameter.
func tensor[T any](a *arguments, s images, convert func(x float32) T) gpu.Tensor[T] {
	data := make([]T, s.n*s.h*s.w*s.c+1)
	for n := range data {
		data[n] = convert(float32(a.random.IntN(1<<13)-1<<12) * 0x1p-10)
	}
	add(a, data)
	t := gpu.NewTensor(data, s.n, s.h, s.w, s.c)
	if s.channelsFirst {
		t = gpu.NewTensorNCHW(data, s.n, s.c, s.h, s.w)
	}
	l := t.Layout()
	for _, x := range []int{l.Offset, l.N, l.H, l.W, l.C, l.StrideN, l.StrideH, l.StrideW, l.StrideC} {
		a.value(int32(x))
	}
	return t
}

// window makes a window a parameter.
func (a *arguments) window(w gpu.Window) {
	for _, x := range []int{w.H, w.W, w.StrideH, w.StrideW, w.PadH, w.PadW, w.DilationH, w.DilationW} {
		a.value(int32(x))
	}
}

// origins returns where the windows of an image begin along one side. Zero is one for steps and
// dilations.
func origins(size, taps, step, pad, dilation int) (list []int) {
	for at := -pad; at+(taps-1)*max(dilation, 1) < size+pad; at += max(step, 1) {
		list = append(list, at)
	}
	return list
}

// rowsOf and colsOf are where windows begin in images.
func (s images) rowsOf(w gpu.Window) []int { return origins(s.h, w.H, w.StrideH, w.PadH, w.DilationH) }
func (s images) colsOf(w gpu.Window) []int { return origins(s.w, w.W, w.StrideW, w.PadW, w.DilationW) }

// eachTap calls a function for the elements that a window has inside of the image, with their
// indices among those of the window.
func (s images) eachTap(w gpu.Window, y, x int, f func(tap, y, x, c int)) {
	for ky := range w.H {
		for kx := range w.W {
			for c := range s.c {
				if y, x := y+ky*max(w.DilationH, 1), x+kx*max(w.DilationW, 1); y >= 0 && y < s.h && x >= 0 && x < s.w {
					f((ky*w.W+kx)*s.c+c, y, x, c)
				}
			}
		}
	}
}

// number returns an element as a number that has its value.
func number[T any](x T) float64 {
	switch x := any(x).(type) {
	case float32:
		return float64(x)
	case gpu.Float16:
		return float64(x.Float32())
	case gpu.BFloat16:
		return float64(x.Float32())
	case int8:
		return float64(x)
	case uint8:
		return float64(x)
	case int32:
		return float64(x)
	case float64:
		return x
	}
	panic(fmt.Sprintf("no number is %T", x))
}

// near reports what differs between a sum and what it should be. Size is the sum of magnitudes.
func near[T any](t *testing.T, got T, want, size float64, at ...int) {
	t.Helper()
	bound := size * 0x1p-20
	switch any(got).(type) {
	case int32:
		bound = 0
	case float64:
		bound = size * 0x1p-48
	}
	if math.Abs(number(got)-want) > bound {
		t.Fatalf("element %v is %v, want %v", at, got, want)
	}
}

// convolution is a launch of a kernel that convolves images with some channels of weights. It is
// compared with the loops of a convolution.
func convolution[T, U, V any](kernel, variant string, s images, w gpu.Window, channels int, tile [2]int, x func(float32) T, y func(float32) U, isConstant bool,
	plain func(it gpu.Item, x gpu.Tensor[T], window gpu.Window, weights gpu.Matrix[U], z gpu.Matrix[V])) test {
	rows, cols := s.rowsOf(w), s.colsOf(w)
	pixels := s.n * len(rows) * len(cols)
	groups := (pixels + tile[0] - 1) / tile[0] * ((channels + tile[1] - 1) / tile[1])
	return test{kernel, variant, groups, func(a *arguments) func(it gpu.Item) {
		input := tensor(a, s, x)
		if !isConstant {
			a.window(w)
		}
		weights, output := matrix(a, w.H*w.W*s.c, channels, y), matrix(a, pixels, channels, none[V])
		a.check = func(t *testing.T) {
			for n := range s.n {
				for oy, first := range rows {
					for ox, at := range cols {
						for k := range channels {
							var sum, size float64
							s.eachTap(w, first, at, func(tap, y, x, c int) {
								p := number(input.Data()[s.index(n, y, x, c)]) * number(weights.Data()[tap*channels+k])
								sum, size = sum+p, size+math.Abs(p)
							})
							near(t, output.Data()[((n*len(rows)+oy)*len(cols)+ox)*channels+k], sum, size, n, oy, ox, k)
						}
					}
				}
			}
		}
		return func(it gpu.Item) { plain(it, input, w, weights, output) }
	}}
}

// constant is a kernel whose window is constant.
func constant(it gpu.Item, x gpu.Tensor[float32], _ gpu.Window, weights, z gpu.Matrix[float32]) {
	Convolution(it, x, weights, z)
}

var (
	padded    = gpu.Window{H: 3, W: 3, PadH: 1, PadW: 1}
	strided   = gpu.Window{H: 3, W: 2, StrideH: 2, StrideW: 3, PadH: 1}
	dilated   = gpu.Window{H: 3, W: 3, PadH: 2, PadW: 1, DilationH: 2, DilationW: 3}
	pointwise = gpu.Window{H: 1, W: 1}
)

var windowTests = []test{
	convolution("Convolution", "", images{2, 7, 5, 3, false}, padded, 19, [2]int{16, 16}, single, single, true, constant),
	convolution("Convolution", "NCHW", images{1, 5, 6, 4, true}, padded, 5, [2]int{16, 16}, single, single, true, constant),
	convolution("ConvolutionF16", "Strided", images{2, 9, 10, 5, false}, strided, 9, [2]int{16, 8}, gpu.ToFloat16, gpu.ToFloat16, false, ConvolutionF16),
	convolution("ConvolutionF16", "NCHW", images{2, 8, 9, 16, true}, dilated, 8, [2]int{16, 8}, gpu.ToFloat16, gpu.ToFloat16, false, ConvolutionF16),
	convolution("ConvolutionF16", "1x1", images{3, 3, 3, 17, false}, pointwise, 10, [2]int{16, 8}, gpu.ToFloat16, gpu.ToFloat16, false, ConvolutionF16),
	convolution("ConvolutionI8", "Dilated", images{1, 8, 9, 6, false}, dilated, 11, [2]int{16, 8}, character, octet, false, ConvolutionI8),
	convolution("ConvolutionI8", "Strided", images{2, 7, 8, 8, true}, strided, 8, [2]int{16, 8}, character, octet, false, ConvolutionI8),
	convolution("ConvolutionF64", "", images{2, 4, 5, 3, false}, dilated, 6, [2]int{9, 5}, double, double, false, ConvolutionF64),
	{"Gradient", "", 4, func(a *arguments) func(it gpu.Item) {
		const first, channels, outputs = 2, 3, 11
		a.value([]int32{first, channels})
		s := images{2, 11, 9, 6, false}
		x := tensor(a, s, single)
		w := gpu.Window{H: 2, W: 2, PadH: 1, DilationW: 2}
		a.window(w)
		rows, cols := s.rowsOf(w), s.colsOf(w)
		y, z := matrix(a, s.n*len(rows)*len(cols), outputs, single), matrix(a, outputs, w.H*w.W*channels, none[float32])
		a.check = func(t *testing.T) {
			sums, sizes := make([]float64, outputs*w.H*w.W*channels), make([]float64, outputs*w.H*w.W*channels)
			for n := range s.n {
				for oy, first1 := range rows {
					for ox, at := range cols {
						s.eachTap(w, first1, at, func(tap, row, col, c int) {
							if c < first || c >= first+channels {
								return
							}
							for k := range outputs {
								p := number(x.Data()[s.index(n, row, col, c)]) * number(y.Data()[((n*len(rows)+oy)*len(cols)+ox)*outputs+k])
								i := (k*w.H*w.W+tap/s.c)*channels + c - first
								sums[i], sizes[i] = sums[i]+p, sizes[i]+math.Abs(p)
							}
						})
					}
				}
			}
			for i := range sums {
				near(t, z.Data()[i], sums[i], sizes[i], i)
			}
		}
		return func(it gpu.Item) { Gradient(it, first, channels, x, w, y, z) }
	}},
	unfold("", images{2, 4, 3, 2, false}, gpu.Window{H: 2, W: 3, StrideW: 2, PadH: 1, PadW: 2}, -3, -2),
	unfold("Cropped", images{1, 6, 7, 3, true}, gpu.Window{H: 2, W: 2, PadH: -1, PadW: -2, DilationH: -1}, 1, 1),
	unfold("Empty", images{1, 2, 7, 3, true}, gpu.Window{H: 5, W: 3, PadH: 1}, 0, 0),
}

// unfold is a launch of Unfold.
func unfold(variant string, s images, w gpu.Window, row, col int) test {
	rows, cols := s.rowsOf(w), s.colsOf(w)
	all, width := s.n*len(rows)*len(cols), w.H*w.W*s.c
	return test{"Unfold", variant, 3, func(a *arguments) func(it gpu.Item) {
		a.value([]int32{int32(row), int32(col)})
		x := tensor(a, s, gpu.ToBFloat16)
		a.window(w)
		z := matrix(a, 3*16, 24, gpu.ToBFloat16)
		elements := add(a, make([]float32, max(min(3*32, all*width), 1)))
		a.check = func(t *testing.T) {
			want := make([]float64, all*width)
			for n := range s.n {
				for oy, first := range rows {
					for ox, at := range cols {
						s.eachTap(w, first, at, func(tap, y, x1, c int) {
							want[((n*len(rows)+oy)*len(cols)+ox)*width+tap] = number(x.Data()[s.index(n, y, x1, c)])
						})
					}
				}
			}
			for n := range min(len(elements), len(want)) {
				near(t, elements[n], want[n], 0, n)
			}
			for r := range z.Rows() {
				for c := range z.Cols() {
					v := 0.0
					if at, tap := r+row, c+col; at >= 0 && at < all && tap >= 0 && tap < width {
						v = want[at*width+tap]
					}
					near(t, z.At(r, c), v, 0, r, c)
				}
			}
		}
		return func(it gpu.Item) { Unfold(it, row, col, x, w, z, elements) }
	}}
}

package exectest_test

import (
	"math/rand/v2"
	"testing"

	"github.com/gpuc/gpuc/internal/testmode"
)

// tensorWindows are images and the windows of a convolution of them. Their memory has channels
// first if that is said, and some elements behind those of a pixel.
type tensorWindows struct {
	n, h, w, c    int
	channelsFirst bool
	spare         int
	window        [8]int // as in gpu.Window
	channels      int    // of the result
	// There is no tensor map for them, or only one for float32.
	plain, single bool
}

// windowKernels are those of TestTensorWindows.
var windowKernels = []string{"Convolution", "Convolution3", "ConvolutionF32", "Gradient"}

// Windows that overlap, that are apart, with holes, as large as the image with its padding, of one
// pixel, and such that begin behind the image's edge. Tiles end within an image and a row.
var (
	windowsOf3     = [8]int{3, 3, 1, 1, 1, 1, 1, 1}
	windowLaunches = []tensorWindows{
		{2, 7, 9, 64, false, 0, windowsOf3, 64, false, false},
		{1, 5, 4, 128, false, 8, [8]int{2, 3, 1, 2, 0, 1, 1, 1}, 72, false, false},
		{3, 6, 11, 64, false, 0, [8]int{3, 2, 2, 3, 2, 0, 2, 3}, 8, false, false},
		{1, 4, 6, 64, false, 0, [8]int{5, 8, 0, 0, 1, 1, 0, 0}, 8, false, false},
		{5, 5, 5, 192, false, 0, [8]int{1, 1, 1, 1, 0, 0, 1, 1}, 16, false, false},
		{1, 9, 3, 64, false, 0, [8]int{2, 1, 8, 1, 3, 4, 1, 1}, 8, false, false},
		{2, 5, 6, 64, false, 0, [8]int{2, 2, 1, 1, -1, -1, 1, 1}, 8, false, false},
		{1, 6, 6, 32, false, 0, windowsOf3, 8, true, true}, // two pixels in a box
		{1, 6, 6, 64, true, 0, windowsOf3, 8, true, false},
		{1, 6, 6, 64, false, 4, windowsOf3, 8, true, true}, // of 136 bytes
		{1, 20, 20, 64, false, 0, [8]int{1, 1, 9, 1, 0, 0, 1, 1}, 8, true, false},
		{1, 4, 4, 64, false, 0, [8]int{5, 1, 1, 1, 0, 0, 1, 1}, 8, true, false}, // no windows
	}
)

// positions returns where windows begin along a side.
func (x *tensorWindows) positions(size, side int) (list []int) {
	taps, step, padding, dilation := x.window[side], max(x.window[2+side], 1), x.window[4+side], max(x.window[6+side], 1)
	for at := -padding; at+dilation*(taps-1) < size+padding; at += step {
		list = append(list, at)
	}
	return list
}

// encoded is the memory of an argument, and its layout.
type encoded struct {
	data   []byte
	layout []int32
}

// tensor returns random small integers as the tensor's memory, and its layout.
func (x *tensorWindows) tensor(random *rand.Rand) (values []float32, layout []int32, at func(n, y, x, c int) float32) {
	pixel := x.c + x.spare
	strides := []int{x.h * x.w * pixel, x.w * pixel, pixel, 1}
	if x.channelsFirst {
		strides = []int{x.c * x.h * x.w, x.w, 1, x.h * x.w}
	}
	values = make([]float32, x.n*x.h*x.w*pixel)
	for n := range values {
		values[n] = float32(random.IntN(7) - 3)
	}
	for _, size := range []int{0, x.n, x.h, x.w, x.c, strides[0], strides[1], strides[2], strides[3]} {
		layout = append(layout, int32(size))
	}
	return values, layout, func(n, row, column, c int) float32 {
		if row < 0 || row >= x.h || column < 0 || column >= x.w {
			return 0
		}
		return values[n*strides[0]+row*strides[1]+column*strides[2]+c*strides[3]]
	}
}

// matrix returns the elements of the matrix of windows, by the loops of a convolution.
func (x *tensorWindows) matrix(at func(n, y, x, c int) float32) (rows [][]float32) {
	for n := range x.n {
		for _, top := range x.positions(x.h, 0) {
			for _, left := range x.positions(x.w, 1) {
				var row []float32
				for ky := range x.window[0] {
					for kx := range x.window[1] {
						for c := range x.c {
							row = append(row, at(n, top+ky*max(x.window[6], 1), left+kx*max(x.window[7], 1), c))
						}
					}
				}
				rows = append(rows, row)
			}
		}
	}
	return rows
}

// TestTensorWindows: convolutions, and the gradient of their weights, are right by tensor maps of
// windows, and without them where there is no such map.
func TestTensorWindows(t *testing.T) {
	testmode.Quick(t, "it loads a Go package")
	m := tensorModule(t)
	random := rand.New(rand.NewPCG(42, 1))
	small := func(int, int) float32 { return float32(random.IntN(5) - 2) }
	nothing := func(int, int) float32 { return before }
	for _, kernel := range windowKernels {
		a := compileTensor(t, m, kernel)
		for n := range windowLaunches {
			x := &windowLaunches[n]
			if kernel == "Convolution3" && x.window != windowsOf3 || !testmode.Sampled(n, 2) {
				continue
			}
			values, layout, at := x.tensor(random)
			windows := x.matrix(at)
			rows, columns := len(windows), x.window[0]*x.window[1]*x.c
			element := "f16"
			if kernel == "ConvolutionF32" {
				element = "f32"
			}
			size := coders[element].bytes
			tensor := &encoded{make([]byte, size*len(values)), layout}
			for n, v := range values {
				coders[element].encode(tensor.data[size*n:], v)
			}
			var window []int32
			for _, v := range x.window {
				window = append(window, int32(v))
			}
			var arguments []any
			var z *matrix
			var want func(i, j int) float32
			groups := uint32(2)
			if kernel == "Gradient" {
				y := newMatrix("f16", rows, x.channels, 0, small)
				z = newMatrix("f32", x.channels, columns, 0, nothing)
				arguments = []any{int32(-70), tensor, window, y, z}
				groups = uint32((x.channels + 63) / 64 * ((columns + 63) / 64))
				want = func(i, j int) (sum float32) {
					for k := range rows {
						sum += y.at(k, i) * windows[k][j]
					}
					return sum
				}
			} else {
				weights := newMatrix(element, columns, x.channels, 0, small)
				z = newMatrix("f32", rows, x.channels, 0, nothing)
				arguments = []any{tensor, window, weights, z}
				if kernel == "Convolution3" {
					arguments = []any{tensor, weights, z}
				}
				want = func(i, j int) (sum float32) {
					for k, v := range windows[i] {
						sum += v * weights.at(k, j)
					}
					return sum
				}
			}
			isTensor, err := runVariant(a, n%2 == 0, groups, arguments...)
			if err != nil {
				t.Fatalf("%s, %+v: %v", kernel, x, err)
			}
			plain := x.plain && !(x.single && element == "f32")
			if isTensor == plain {
				t.Errorf("%s, %+v: the variant with tensor maps ran: %v", kernel, x, isTensor)
			}
			for i := range z.rows {
				for j := range z.columns {
					if got, want := z.at(i, j), want(i, j); got != want {
						t.Fatalf("%s, %+v: element %d, %d is %v, want %v", kernel, x, i, j, got, want)
					}
				}
			}
		}
	}
}

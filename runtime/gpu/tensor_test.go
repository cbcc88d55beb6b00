package gpu

import (
	"math"
	"reflect"
	"strings"
	"testing"
)

// TestTensorViews: tensors have the elements that they should, and so do their channels.
func TestTensorViews(t *testing.T) {
	const n, h, w, c = 2, 3, 4, 5
	data := make([]int32, n*h*w*c)
	for i := range data {
		data[i] = int32(i)
	}
	last, first := NewTensor(data, n, h, w, c), NewTensorNCHW(data, n, c, h, w)
	for _, test := range []struct {
		name     string
		view     Tensor[int32]
		from     int // channel
		channels int
		isFirst  bool
	}{
		{"channels last", last, 0, c, false},
		{"channels first", first, 0, c, true},
		{"some channels", last.Channels(1, 3), 1, 3, false},
		{"some of those", first.Channels(1, 3).Channels(1, 1), 2, 1, true},
		{"more than there are", last.Channels(3, 9), 3, 2, false},
		{"from behind the last on", last.Channels(5, 1), 0, 0, false},
		{"from before the first on", last.Channels(-1, 2), 0, 0, false},
		{"fewer than none", last.Channels(1, -2), 0, 0, false},
	} {
		v := test.view
		if got := [4]int{v.N(), v.H(), v.W(), v.C()}; got != [4]int{n, h, w, test.channels} {
			t.Errorf("%s: %v", test.name, got)
			continue
		}
		for i := range n {
			for y := range h {
				for x := range w {
					for k := range test.channels {
						want := ((i*h+y)*w+x)*c + test.from + k
						if test.isFirst {
							want = ((i*c+test.from+k)*h+y)*w + x
						}
						if got := v.At(i, y, x, k); int(got) != want {
							t.Errorf("%s: element %v is %d, want %d", test.name, [4]int{i, y, x, k}, got, want)
						}
					}
				}
			}
		}
	}
	first.Channels(1, 2).Set(1, 2, 3, 1, -1)
	if got := data[((1*c+2)*h+2)*w+3]; got != -1 {
		t.Errorf("what a view sets is %d in the slice", got)
	}
	if zero := (Tensor[int32]{}); zero.N() != 0 || zero.Channels(0, 1).C() != 0 || zero.Windows(Window{H: 1, W: 1}).Rows() != 0 {
		t.Error("the zero value has elements")
	}
}

// TestTensorSizes: memory may be longer than the tensor, and not shorter. Buffers have the layouts
// of slices.
func TestTensorSizes(t *testing.T) {
	data, buffer := make([]float32, 125), &Buffer[float32]{length: 125}
	for _, size := range [][4]int{{1, 5, 5, 5}, {5, 4, 3, 2}, {124, 1, 1, 1}, {0, math.MaxInt, 1, 1}, {9, 9, 0, 9}, {0, 0, 0, 0}} {
		n, h, w, c := size[0], size[1], size[2], size[3]
		x, y := NewTensor(data, n, h, w, c), TensorOf(buffer, n, h, w, c)
		if got := y.Layout(); got != x.Layout() || got.N != n || got.H != h || got.W != w || got.C != c || y.Buffer != buffer || len(x.Data()) != len(data) {
			t.Errorf("%v: %+v and %+v", size, x.Layout(), got)
		}
		if x, y := NewTensorNCHW(data, n, c, h, w), TensorOfNCHW(buffer, n, c, h, w); y.Layout() != x.Layout() {
			t.Errorf("%v: %+v and %+v", size, x.Layout(), y.Layout())
		}
		if x, y := x.Channels(1, 2), y.Channels(1, 2); y.Layout() != x.Layout() || y.Buffer != buffer {
			t.Errorf("%v: the channels are %+v and %+v", size, x.Layout(), y.Layout())
		}
	}
	const short = "is too short for 2 images of 4 × 4 pixels with 4 channels"
	for want, make := range map[string]func(){
		"gpu: NewTensor: a slice of 125 elements " + short:     func() { NewTensor(data, 2, 4, 4, 4) },
		"gpu: NewTensorNCHW: a slice of 125 elements " + short: func() { NewTensorNCHW(data, 2, 4, 4, 4) },
		"gpu: TensorOf: a buffer of 125 elements " + short:     func() { TensorOf(buffer, 2, 4, 4, 4) },
		"gpu: TensorOfNCHW: a buffer of 125 elements " + short: func() { TensorOfNCHW(buffer, 2, 4, 4, 4) },
		"a buffer of 0 elements is too short":                  func() { TensorOf[float32](nil, 1, 1, 1, 1) },
		"for 9223372036854775807 images":                       func() { NewTensor(data, math.MaxInt, math.MaxInt, 2, 2) },
		"; none is negative":                                   func() { NewTensor(data, -1, 0, 1, 1) },
		"1 images of 1 × 1 pixels with -3 channels; none":      func() { TensorOfNCHW(buffer, 1, -3, 1, 1) },
	} {
		if problem := panics(make); !strings.Contains(problem, want) {
			t.Errorf("%q lacks %q", problem, want)
		}
	}
}

// TestWindows: along a side of an image windows begin at each step, from the padding on, as long as
// they end in the padding.
func TestWindows(t *testing.T) {
	places := func(size, window, stride, pad, dilation int) (list []int) {
		for at := -pad; window > 0 && at+(window-1)*max(dilation, 1) < size+pad; at += max(stride, 1) {
			list = append(list, at)
		}
		return list
	}
	for size := range 8 {
		for window := -1; window < 4; window++ {
			for stride := -1; stride < 4; stride++ {
				for pad := -2; pad < 4; pad++ {
					for dilation := -1; dilation < 3; dilation++ {
						want := len(places(size, window, stride, pad, dilation))
						x := NewTensor(make([]int32, 3*size*2), 3, size, 2, 1)
						m := x.Windows(Window{H: window, W: 1, StrideH: stride, PadH: pad, DilationH: dilation})
						y := NewTensor(make([]int32, 3*size*2), 3, 2, size, 1)
						n := y.Windows(Window{H: 1, W: window, StrideW: stride, PadW: pad, DilationW: dilation})
						if m.OutH() != want || m.OutW() != 2 || m.Rows() != 6*want || m.Cols() != max(window, 0) ||
							n.OutH() != 2 || n.OutW() != want || n.Rows() != 6*want || n.Cols() != max(window, 0) {
							t.Fatalf("size %d, window %d, stride %d, padding %d, dilation %d: %d and %d windows, want %d", size, window, stride, pad, dilation, m.OutH(), n.OutW(), want)
						}
					}
				}
			}
		}
	}
	data := make([]int32, 4*5*2)
	for i := range data {
		data[i] = int32(i + 1)
	}
	x := NewTensor(data, 1, 4, 5, 2)
	m := x.Windows(Window{H: 2, W: 3, StrideW: 2, PadH: 1, PadW: 1, DilationH: 3})
	var got [][]int32
	for row := range m.Rows() {
		var list []int32
		for col := range m.Cols() {
			list = append(list, m.At(row, col))
		}
		got = append(got, list)
	}
	at := func(y, x int) []int32 { // a pixel
		if y < 0 || y > 3 || x < 0 || x > 4 {
			return []int32{0, 0}
		}
		return []int32{int32(y*10 + x*2 + 1), int32(y*10 + x*2 + 2)}
	}
	var want [][]int32
	for _, y := range []int{-1, 0, 1} {
		for _, x := range []int{-1, 1, 3} {
			var list []int32
			for _, tap := range [][2]int{{0, 0}, {0, 1}, {0, 2}, {3, 0}, {3, 1}, {3, 2}} {
				list = append(list, at(y+tap[0], x+tap[1])...)
			}
			want = append(want, list)
		}
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("the windows are\n%v, want\n%v", got, want)
	}
	if zero := (Windows[int32]{}); zero.Rows() != 0 || zero.Cols() != 0 {
		t.Error("the zero value has windows")
	}
}

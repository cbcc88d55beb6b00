package gpu

import "fmt"

// This file has tensors as hosts make them and give them to kernels: the functions that gpuc gen
// writes pass a kernel the elements and a TensorLayout.

// TensorLayout says where the elements of a tensor are: element (n, h, w, c) is element Offset +
// n·StrideN + h·StrideH + w·StrideW + c·StrideC of its memory.
type TensorLayout struct {
	Offset, N, H, W, C                 int
	StrideN, StrideH, StrideW, StrideC int
}

// nhwc is the layout with consecutive channels, nchw that with consecutive pixels.
func nhwc(n, h, w, c int) TensorLayout { return TensorLayout{0, n, h, w, c, h * w * c, w * c, c, 1} }

func nchw(n, h, w, c int) TensorLayout { return TensorLayout{0, n, h, w, c, h * w * c, w, 1, h * w} }

// checkTensor panics if a size is negative, or if there are too few elements.
func checkTensor(function, memory string, elements, n, h, w, c int) {
	if min(n, h, w, c) < 0 {
		panic(fmt.Sprintf("gpu: %s: %d images of %d × %d pixels with %d channels; none is negative", function, n, h, w, c))
	}
	each := elements // at most
	for _, size := range [...]int{n, h, w, c} {
		if size == 0 {
			return
		}
		each /= size
	}
	if each == 0 {
		panic(fmt.Sprintf("gpu: %s: a %s of %d elements is too short for %d images of %d × %d pixels with %d channels", function, memory, elements, n, h, w, c))
	}
}

// NewTensor returns a slice as a tensor whose channels are consecutive, and then pixels, rows and
// images. It panics if a size is negative or the slice is too short. Elements behind the last image
// are not part of the tensor.
func NewTensor[T any](data []T, n, h, w, c int) Tensor[T] {
	checkTensor("NewTensor", "slice", len(data), n, h, w, c)
	return viewTensor(data, nhwc(n, h, w, c))
}

// NewTensorNCHW is NewTensor for pixels that are consecutive, and then rows, channels and images.
func NewTensorNCHW[T any](data []T, n, c, h, w int) Tensor[T] {
	checkTensor("NewTensorNCHW", "slice", len(data), n, h, w, c)
	return viewTensor(data, nchw(n, h, w, c))
}

func viewTensor[T any](data []T, l TensorLayout) Tensor[T] {
	return Tensor[T]{data, l.Offset, l.N, l.H, l.W, l.C, l.StrideN, l.StrideH, l.StrideW, l.StrideC}
}

// Layout returns where the tensor's elements are in Data.
func (t Tensor[T]) Layout() TensorLayout {
	return TensorLayout{t.offset, t.n, t.h, t.w, t.c, t.strideN, t.strideH, t.strideW, t.strideC}
}

// Data returns the slice with the tensor's elements.
func (t Tensor[T]) Data() []T { return t.data }

// TensorBuffer is a tensor in the memory of a device: what the launcher of a kernel takes for a
// parameter of type Tensor. TensorOf and TensorOfNCHW make one, and Channels makes others of the
// same elements.
type TensorBuffer[T any] struct {
	Buffer *Buffer[T]
	TensorLayout
}

// TensorOf returns a buffer as a tensor whose channels are consecutive, and then pixels, rows and
// images. It panics if a size is negative, the buffer is nil or too short. Elements behind the last
// image are not part of the tensor.
func TensorOf[T any](b *Buffer[T], n, h, w, c int) TensorBuffer[T] {
	checkTensor("TensorOf", "buffer", b.Len(), n, h, w, c)
	return TensorBuffer[T]{b, nhwc(n, h, w, c)}
}

// TensorOfNCHW is TensorOf for pixels that are consecutive, and then rows, channels and images.
func TensorOfNCHW[T any](b *Buffer[T], n, c, h, w int) TensorBuffer[T] {
	checkTensor("TensorOfNCHW", "buffer", b.Len(), n, h, w, c)
	return TensorBuffer[T]{b, nchw(n, h, w, c)}
}

// Layout returns where the tensor's elements are in the buffer.
func (t TensorBuffer[T]) Layout() TensorLayout { return t.TensorLayout }

// Channels returns the tensor with so many of the channels, from one on. Channels that t does not
// have are left out.
func (t TensorBuffer[T]) Channels(first, count int) TensorBuffer[T] {
	return TensorBuffer[T]{t.Buffer, viewTensor[T](nil, t.TensorLayout).Channels(first, count).Layout()}
}

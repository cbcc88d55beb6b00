package linalg

// This file copies the operands of large products to where devices with tensor maps read them fast.
// Rows are contiguous there, and begin at multiples of 16 bytes (NVIDIA's CUDA Driver API,
// cuTensorMapEncodeTiled). A product takes as many times longer than a copy as its result has rows
// or columns.

import (
	"unsafe"

	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/gpu"
)

const (
	// tensorMaps is the profile of devices with tensor maps: compute capability 9.0.
	tensorMaps = 90
	// copied is how many rows and columns the result of a product has whose operands are copied.
	copied = 512
	// alignment is that of rows, in bytes.
	alignment = 16
)

// copies reports whether operands are copied for a result.
func copies(info gpu.Info, c gpu.MatrixLayout) bool {
	return info.Target == abi.PTX && info.Profile >= tensorMaps && c.Rows >= copied && c.Cols >= copied
}

// regular returns the matrix, or a copy of it, whose rows are as above.
func regular[T Element](s *gpu.Stream, m gpu.MatrixBuffer[T]) (gpu.MatrixBuffer[T], error) {
	each := alignment / int(unsafe.Sizeof(*new(T)))
	if m.ColStride == 1 && m.RowStride%each == 0 && m.Offset%each == 0 || m.Rows == 0 || m.Cols == 0 {
		return m, nil
	}
	stride := (m.Cols + each - 1) / each * each
	b, err := gpu.AllocUninitialized[T](s, m.Rows*stride)
	if err != nil {
		return m, err
	}
	c := gpu.MatrixOf(b, m.Rows, stride).Sub(0, 0, m.Rows, m.Cols)
	return c, move(s, m, c)
}

// dropped closes the copy of a matrix, if it is one.
func dropped[T any](c, m gpu.MatrixBuffer[T]) error {
	if c.Buffer == m.Buffer {
		return nil
	}
	return c.Buffer.Close()
}

package linalg

import (
	"errors"
	"slices"

	"github.com/gpuc/gpuc/kernels/linalg/internal/fast"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// multipliesSplit reports whether a device has units for products of BFloat16.
func multipliesSplit(info gpu.Info) bool { return slices.Contains(info.Hardware.Matrices, "bf16") }

// isSplit reports whether products of float32 are those of parts: six of them, or three if the
// option TF32 allows it.
func (o Option) isSplit(info gpu.Info) bool {
	return !o.strict && (o.split || o.tf32 && multipliesSplit(info))
}

// launchSplit makes a part of c = alpha·a·b + beta·c by products of BFloat16: six, or three if
// errors may be those of TensorFloat-32.
func launchSplit(s *gpu.Stream, alpha float32, a, b gpu.MatrixBuffer[float32], beta float32, c gpu.MatrixBuffer[float32], part int, three bool) error {
	const each = alignment / 2 // BFloat16 in 16 bytes
	across, beside := (a.Cols+each-1)/each*each, (b.Cols+each-1)/each*each
	left, err1 := gpu.AllocUninitialized[gpu.BFloat16](s, max(3*a.Rows*across, 1))
	right, err2 := gpu.AllocUninitialized[gpu.BFloat16](s, max(3*b.Rows*beside, 1))
	err := errors.Join(err1, err2)
	if err == nil {
		// Columns behind those of a are no part of the matrix, so that they are zero.
		x := gpu.MatrixOf(left, 3*a.Rows, across).Sub(0, 0, 3*a.Rows, a.Cols)
		y := gpu.MatrixOf(right, b.Rows, 3*beside)
		x.Rows, x.Cols, y.Rows, y.Cols = 3*a.Rows, a.Cols, b.Rows, 3*beside
		if a.Cols > 0 {
			err = errors.Join(fast.LaunchSplit(s, rowGrid(a.MatrixLayout), a, x, a.Rows, 0), fast.LaunchSplit(s, rowGrid(b.MatrixLayout), b, y, 0, beside))
		}
		if err == nil {
			launch := fast.LaunchGemmSplit
			if three {
				launch = fast.LaunchGemmTwoParts
			}
			err = launch(s, tile{128, 128}.grid(c.MatrixLayout), alpha, x, a.Rows, y, beside, beta, c, part)
		}
	}
	return errors.Join(err, closed(left), closed(right))
}

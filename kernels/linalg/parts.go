package linalg

import (
	"errors"

	"github.com/gpuc/gpuc/kernels/linalg/internal/fast"
	"github.com/gpuc/gpuc/kernels/linalg/internal/product"
	"github.com/gpuc/gpuc/kernels/linalg/internal/skinny"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// This file has products whose results have too few tiles for all multiprocessors. Parts of their
// sums are computed at the same time, and added then.

// partTile is the tile of the kernels for parts.
var partTile = tile{64, 64}

// partsOf returns how many products of each sum are those of a part, for matrices with so many
// columns and rows. It is all of them if parts do not pay.
func partsOf(info gpu.Info, c gpu.MatrixLayout, depth int) (width int) {
	const least, unit = 128, 32 // of a part; a part ends where a tile does
	units, count := int(info.Hardware.Units), partTile.count(c)
	if info.Driver == gpu.CPU || 2*count > units || 4*c.Rows < 3*partTile.rows || 4*c.Cols < 3*partTile.cols || c.Rows*c.Cols > maxLength/units {
		return depth
	}
	parts := max(min(2*units/count, depth/least), 1)
	width = (depth + parts - 1) / parts
	return (width + unit - 1) / unit * unit
}

// multiplyParts makes c = alpha·a·b + beta·c by parts of sums. It reports whether it does.
func multiplyParts[T Element](s *gpu.Stream, alpha float64, a, b gpu.MatrixBuffer[T], beta float64, c gpu.MatrixBuffer[T], o Option) (does bool, err error) {
	info := s.Device().Info()
	width := partsOf(info, c.MatrixLayout, a.Cols)
	if width >= a.Cols {
		return false, nil
	}
	switch any(c.Buffer).(type) {
	case *gpu.Buffer[float32]:
		if o.isSplit(info) {
			return false, nil
		}
		return true, launchParts[float32, product.F32](s, fast.LaunchGemmParts64, float32(alpha), as[float32](a), as[float32](b), width, float32(beta), as[float32](c))
	case *gpu.Buffer[float64]:
		return true, launchParts[float64, product.F64](s, fast.LaunchGemmPartsDouble64, alpha, as[float64](a), as[float64](b), width, beta, as[float64](c))
	}
	return false, nil
}

func launchParts[T Real, V interface {
	product.Arithmetic[T, T]
	product.F32 | product.F64
}](s *gpu.Stream, launch func(s *gpu.Stream, g gpu.Grid, a, b gpu.MatrixBuffer[T], width int, sums gpu.MatrixBuffer[T]) error, alpha T, a, b gpu.MatrixBuffer[T], width int, beta T, c gpu.MatrixBuffer[T]) error {
	parts := (a.Cols + width - 1) / width
	sums, err := gpu.AllocUninitialized[T](s, parts*c.Rows*c.Cols)
	if err != nil {
		return err
	}
	if err = launch(s, gpu.D1(uint32(parts*partTile.count(c.MatrixLayout))), a, b, width, gpu.MatrixOf(sums, c.Rows, c.Cols)); err == nil {
		err = skinny.LaunchJoin[T, T, V](s, groups(c.Rows*c.Cols, items), parts, alpha, sums, beta, c)
	}
	return errors.Join(err, sums.Close())
}

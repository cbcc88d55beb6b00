package linalg

import (
	"errors"

	"github.com/gpuc/gpuc/kernels/linalg/internal/product"
	"github.com/gpuc/gpuc/kernels/linalg/internal/skinny"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// This file has products by matrices of few columns or rows, which memory limits.

// fewColumns is how many columns of elements of 32 and 64 bits, and of 16 bits, are few. Units for
// matrices are faster for more of the latter.
const (
	fewColumns     = 16
	fewColumnsHalf = 8
)

// isSkinny reports whether a product of a matrix of so many rows and columns has few columns.
func isSkinny[T Element](info gpu.Info, rows, k, cols int) bool {
	const least = 128 // below, launches take longer than products
	most := fewColumns
	switch any(*new(T)).(type) {
	case gpu.Float16, gpu.BFloat16:
		most = fewColumnsHalf
	}
	return info.Driver != gpu.CPU && cols <= most && rows >= least && k >= least && rows <= maxLength/(2*fewColumns*skinnyParts)
}

// skinnyParts is how many parts the sums of a product have at most.
const skinnyParts = 64

// multiplySkinny makes c = alpha·a·b + beta·c for a matrix b of few columns, or a of few rows. It
// reports whether it does.
func multiplySkinny[T Element](s *gpu.Stream, alpha float64, a, b gpu.MatrixBuffer[T], beta float64, c gpu.MatrixBuffer[T]) (does bool, err error) {
	switch info := s.Device().Info(); {
	case isSkinny[T](info, c.Rows, a.Cols, c.Cols):
	case isSkinny[T](info, c.Cols, a.Cols, c.Rows): // cᵀ = bᵀ·aᵀ
		a, b, c = b.T(), a.T(), c.T()
	default:
		return false, nil
	}
	switch any(c.Buffer).(type) {
	case *gpu.Buffer[float32]:
		return true, skinnyReal[float32, product.F32](s, float32(alpha), as[float32](a), as[float32](b), float32(beta), as[float32](c))
	case *gpu.Buffer[float64]:
		return true, skinnyReal[float64, product.F64](s, alpha, as[float64](a), as[float64](b), beta, as[float64](c))
	case *gpu.Buffer[gpu.Float16]:
		return true, skinnyHalf[gpu.Float16, product.F16](s, float32(alpha), as[gpu.Float16](a), as[gpu.Float16](b), float32(beta), as[gpu.Float16](c))
	}
	return true, skinnyHalf[gpu.BFloat16, product.BF16](s, float32(alpha), as[gpu.BFloat16](a), as[gpu.BFloat16](b), float32(beta), as[gpu.BFloat16](c))
}

// skinnyLaunch launches a kernel for parts of sums.
type skinnyLaunch[T, S any] func(s *gpu.Stream, g gpu.Grid, a, b gpu.MatrixBuffer[T], width int, sums *gpu.Buffer[S]) error

func skinnyReal[T Real, V interface {
	product.Arithmetic[T, T]
	product.F32 | product.F64
}](s *gpu.Stream, alpha T, a, b gpu.MatrixBuffer[T], beta T, c gpu.MatrixBuffer[T]) error {
	byRows, byColumns := skinny.LaunchRows8[T, T, V], skinny.LaunchColumns8[T, T, V]
	if b.Cols > 8 {
		byRows, byColumns = skinny.LaunchRows16[T, T, V], skinny.LaunchColumns16[T, T, V]
	}
	return launchSkinny[T, T, V](s, byRows, byColumns, alpha, a, b, beta, c)
}

func skinnyHalf[T gpu.Float16 | gpu.BFloat16, V interface {
	product.Arithmetic[T, float32]
	product.F16 | product.BF16
}](s *gpu.Stream, alpha float32, a, b gpu.MatrixBuffer[T], beta float32, c gpu.MatrixBuffer[T]) error {
	return launchSkinny[T, float32, V](s, skinny.LaunchRows8[T, float32, V], skinny.LaunchColumns8[T, float32, V], alpha, a, b, beta, c)
}

// launchSkinny launches the kernels of a product.
func launchSkinny[T Element, S Real, V arithmetic[T, S]](s *gpu.Stream, byRows, byColumns skinnyLaunch[T, S], alpha S, a, b gpu.MatrixBuffer[T], beta S, c gpu.MatrixBuffer[T]) error {
	const enough = 512 // workgroups
	launch, rows := byRows, skinny.RowsOfGroup
	if magnitude(a.RowStride) < magnitude(a.ColStride) {
		launch, rows = byColumns, skinny.Items
	}
	g := groups(a.Rows, rows)
	parts := max(min(enough/int(g.X), a.Cols/skinny.Items, skinnyParts), 1)
	width := (a.Cols + parts - 1) / parts
	width = (width + skinny.Items - 1) / skinny.Items * skinny.Items
	parts = (a.Cols + width - 1) / width
	sums, err := gpu.AllocUninitialized[S](s, parts*c.Rows*c.Cols)
	if err != nil {
		return err
	}
	if err = launch(s, gpu.D2(g.X, uint32(parts)), a, b, width, sums); err == nil {
		err = skinny.LaunchJoin[T, S, V](s, groups(c.Rows*c.Cols, items), parts, alpha, sums, beta, c)
	}
	return errors.Join(err, sums.Close())
}

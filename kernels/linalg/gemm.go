package linalg

import (
	"errors"

	"github.com/gpuc/gpuc/kernels/linalg/internal/fast"
	"github.com/gpuc/gpuc/kernels/linalg/internal/product"
	"github.com/gpuc/gpuc/kernels/linalg/internal/strict"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// Gemm makes c = alpha·a·b + beta·c, for a of M × K, b of K × N and c of M × N elements. If beta is
// zero, c is not read. If alpha is zero, neither a nor b is.
//
// Products of float64 are added in float64, others in float32, to which alpha and beta are rounded,
// and the result is rounded once. Sums have any order, but the same each time on one device; with
// the option Strict they begin with zero, and products follow in ascending order by fused
// multiply-adds.
func Gemm[T Element](s *gpu.Stream, alpha float64, a, b gpu.MatrixBuffer[T], beta float64, c gpu.MatrixBuffer[T], o ...Option) error {
	const op = operation("Gemm")
	if err := first(checkMatrix(op, "a", a, false), checkMatrix(op, "b", b, false), checkMatrix(op, "c", c, true),
		op.length("b", "rows, as a has columns", b.Rows, a.Cols), op.length("c", "rows, as a has", c.Rows, a.Rows), op.length("c", "columns, as b has", c.Cols, b.Cols),
		apart(op, c.Buffer, a.Buffer, b.Buffer)); err != nil {
		return err
	}
	option := joined(o)
	if err := first(checkEpilogue(op, option, c), usableBias(s, option)); err != nil {
		return err
	}
	if err := multiply(s, alpha, a, b, beta, c, product.All, option); err != nil {
		return err
	}
	return epilogue(s, c, option)
}

// multiply makes a part of c = alpha·a·b + beta·c. The operands have been checked.
func multiply[T Element](s *gpu.Stream, alpha float64, a, b gpu.MatrixBuffer[T], beta float64, c gpu.MatrixBuffer[T], part int, o Option) error {
	if c.Rows == 0 || c.Cols == 0 {
		return nil
	}
	if alpha == 0 || a.Cols == 0 {
		a.Cols, b.Rows = 0, 0
	}
	if a.Buffer.Len() == 0 || b.Buffer.Len() == 0 { // nothing is read, but launches want a buffer
		none, err := gpu.AllocUninitialized[T](s, 1)
		if err != nil {
			return err
		}
		a.Buffer, b.Buffer, a.Offset, b.Offset = none, none, 0, 0
		return errors.Join(launchProduct(s, alpha, a, b, beta, c, part, o), none.Close())
	}
	info := s.Device().Info()
	if part == product.All && !o.strict && a.Cols > 0 {
		if does, err := multiplySkinny(s, alpha, a, b, beta, c); does {
			return err
		}
		if does, err := multiplyParts(s, alpha, a, b, beta, c, o); does {
			return err
		}
	}
	t, timed := tile{}, false
	if beta == 0 && part == product.All {
		t, timed = chooseNewTile[T](info, a.MatrixLayout, c.MatrixLayout, o)
	}
	launch := func(a, b gpu.MatrixBuffer[T]) error {
		if timed {
			return launchNew(s, t, alpha, a, b, c)
		}
		return launchProduct(s, alpha, a, b, beta, c, part, o)
	}
	if !copies(info, c.MatrixLayout) {
		return launch(a, b)
	}
	if t == ofTranspose.tile {
		a = a.T()
	}
	left, err1 := regular(s, a)
	right, err2 := regular(s, b)
	err := errors.Join(err1, err2)
	if err == nil {
		err = launch(left, right)
	}
	return errors.Join(err, dropped(left, a), dropped(right, b))
}

// launchNew launches a kernel of those for new results, by the tile that was chosen for it. The
// tile ofTranspose takes the transpose of a.
func launchNew[T Element](s *gpu.Stream, t tile, alpha float64, a, b, c gpu.MatrixBuffer[T]) error {
	switch any(c.Buffer).(type) {
	case *gpu.Buffer[float32]:
		launch := strict.LaunchNewGemm64x64
		switch t {
		case ofTranspose.tile:
			launch = strict.LaunchNewGemmOfTranspose
		case tile{256, 64}:
			launch = strict.LaunchNewGemm256x64
		case tile{128, 64}:
			launch = strict.LaunchNewGemm128x64
		}
		return launch(s, t.grid(c.MatrixLayout), float32(alpha), as[float32](a), as[float32](b), as[float32](c))
	case *gpu.Buffer[gpu.Float16]:
		return launchNewHalf(s, t, float32(alpha), as[gpu.Float16](a), as[gpu.Float16](b), as[gpu.Float16](c))
	}
	return launchNewHalf(s, t, float32(alpha), as[gpu.BFloat16](a), as[gpu.BFloat16](b), as[gpu.BFloat16](c))
}

// launchNewHalf is launchNew for elements of 16 bits.
func launchNewHalf[T gpu.Float16 | gpu.BFloat16](s *gpu.Stream, t tile, alpha float32, a, b, c gpu.MatrixBuffer[T]) error {
	launch := fast.LaunchNewGemmHalf64x64[T]
	switch t {
	case tile{128, 256}:
		launch = fast.LaunchNewGemmHalf128x256[T]
	case tile{128, 128}:
		launch = fast.LaunchNewGemmHalf128x128[T]
	case tile{64, 128}:
		launch = fast.LaunchNewGemmHalf64x128[T]
	}
	return launch(s, t.grid(c.MatrixLayout), alpha, a, b, c)
}

// productGroups is how many workgroups a product has at most. Each takes tiles until there are no
// more.
const productGroups = 1024

// launchProduct launches the kernel for a product.
func launchProduct[T Element](s *gpu.Stream, alpha float64, a, b gpu.MatrixBuffer[T], beta float64, c gpu.MatrixBuffer[T], part int, o Option) error {
	switch any(c.Buffer).(type) {
	case *gpu.Buffer[float32]:
		return launchSingle(s, float32(alpha), as[float32](a), as[float32](b), float32(beta), as[float32](c), part, o)
	case *gpu.Buffer[float64]:
		if info := s.Device().Info(); !o.strict && hasDoubleUnits(info) {
			return launchDouble(s, chooseDoubleTile(info, c.MatrixLayout, a.Cols), alpha, as[float64](a), as[float64](b), beta, as[float64](c), part, o)
		}
		t := chooseTile(s.Device().Info(), c.MatrixLayout, squareTiles, o, true)
		return launchReal[float64, product.F64](s, t, alpha, as[float64](a), as[float64](b), beta, as[float64](c), part, o)
	case *gpu.Buffer[gpu.Float16]:
		return launchHalf[gpu.Float16, product.F16](s, float32(alpha), as[gpu.Float16](a), as[gpu.Float16](b), float32(beta), as[gpu.Float16](c), part, o)
	}
	return launchHalf[gpu.BFloat16, product.BF16](s, float32(alpha), as[gpu.BFloat16](a), as[gpu.BFloat16](b), float32(beta), as[gpu.BFloat16](c), part, o)
}

// as returns a matrix of elements of type T, which are U, as one of U.
func as[U, T any](m gpu.MatrixBuffer[T]) gpu.MatrixBuffer[U] {
	return gpu.MatrixBuffer[U]{Buffer: any(m.Buffer).(*gpu.Buffer[U]), MatrixLayout: m.MatrixLayout}
}

// launchSingle launches a kernel for float32.
func launchSingle(s *gpu.Stream, alpha float32, a, b gpu.MatrixBuffer[float32], beta float32, c gpu.MatrixBuffer[float32], part int, o Option) error {
	info := s.Device().Info()
	if o.isSplit(info) {
		return launchSplit(s, alpha, a, b, beta, c, part, !o.split)
	}
	isNew := beta == 0 && part == product.All
	t := chooseTile(info, c.MatrixLayout, singleTiles, o, isNew)
	switch g := t.grid(c.MatrixLayout); {
	case t == tile{128, 128}:
		return fast.LaunchGemm128(s, g, alpha, a, b, beta, c, part)
	case t == tile{256, 64} && o.strict:
		return strict.LaunchNewGemm256x64(s, g, alpha, a, b, c)
	case t == tile{256, 64} && isNew:
		return fast.LaunchNewGemm256x64(s, g, alpha, a, b, c)
	case t == tile{256, 64}:
		return fast.LaunchGemm256(s, g, alpha, a, b, beta, c, part)
	}
	return launchReal[float32, product.F32](s, t, alpha, a, b, beta, c, part, o)
}

// launchDouble launches a kernel for units that multiply matrices of float64.
func launchDouble(s *gpu.Stream, t tile, alpha float64, a, b gpu.MatrixBuffer[float64], beta float64, c gpu.MatrixBuffer[float64], part int, o Option) error {
	isNew := beta == 0 && part == product.All
	switch g := t.grid(c.MatrixLayout); {
	case t == tile{128, 128} && isNew:
		return fast.LaunchNewGemmDouble128x128(s, g, alpha, a, b, c)
	case t == tile{128, 128}:
		return fast.LaunchGemmDouble128x128(s, g, alpha, a, b, beta, c, part)
	case t == tile{64, 64} && isNew:
		return fast.LaunchNewGemmDouble64x64(s, g, alpha, a, b, c)
	case t == tile{64, 64}:
		return fast.LaunchGemmDouble64x64(s, g, alpha, a, b, beta, c, part)
	}
	return launchReal[float64, product.F64](s, t, alpha, a, b, beta, c, part, o)
}

// launchReal launches a kernel with square tiles.
func launchReal[T Real, V interface {
	product.Arithmetic[T, T]
	product.F32 | product.F64
}](s *gpu.Stream, t tile, alpha T, a, b gpu.MatrixBuffer[T], beta T, c gpu.MatrixBuffer[T], part int, o Option) error {
	g := t.grid(c.MatrixLayout)
	switch {
	case o.strict && t == tile{64, 64}:
		return strict.LaunchGemm64[T, T, V](s, g, alpha, a, b, beta, c, part)
	case o.strict:
		return strict.LaunchGemm32[T, T, V](s, g, alpha, a, b, beta, c, part)
	case t == tile{64, 64}:
		return fast.LaunchGemm64[T, V](s, g, alpha, a, b, beta, c, part)
	}
	return fast.LaunchGemm32[T, T, V](s, g, alpha, a, b, beta, c, part)
}

// launchHalf launches a kernel for elements of 16 bits.
func launchHalf[T gpu.Float16 | gpu.BFloat16, V interface {
	product.Arithmetic[T, float32]
	product.F16 | product.BF16
}](s *gpu.Stream, alpha float32, a, b gpu.MatrixBuffer[T], beta float32, c gpu.MatrixBuffer[T], part int, o Option) error {
	t := chooseTile(s.Device().Info(), c.MatrixLayout, halfTiles, o, false)
	switch g := t.grid(c.MatrixLayout); {
	case o.strict:
		return strict.LaunchGemm32[T, float32, V](s, tile{32, 32}.grid(c.MatrixLayout), alpha, a, b, beta, c, part)
	case t == tile{128, 256} && beta == 0 && part == product.All:
		return fast.LaunchNewGemmHalf128x256[T](s, g, alpha, a, b, c)
	case t == tile{128, 256}:
		return fast.LaunchGemmWide[T, V](s, g, alpha, a, b, beta, c, part)
	case t == tile{64, 64}:
		return fast.LaunchGemmHalf64[T, V](s, g, alpha, a, b, beta, c, part)
	default:
		return fast.LaunchGemm32[T, float32, V](s, g, alpha, a, b, beta, c, part)
	}
}

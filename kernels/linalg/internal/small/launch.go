package small

import (
	_ "embed"
	"math"

	"github.com/gpuc/gpuc/runtime/gpu"
)

// Largest is how many rows and columns of results the kernels are made for. Larger ones take
// several blocks.
const Largest = 64

// Batch is matrices of a buffer at equal distances: as linalg.Batch, which may not be imported.
type Batch[T f32 | f64] struct {
	gpu.MatrixBuffer[T]
	Step int
}

// sides are the sides of the blocks that kernels compute.
var sides = [...]int{16, 32, Largest}

// fit returns the number of the smallest side that a result of so many rows and columns fits in,
// and otherwise that of the largest.
func fit(rows, cols int) int {
	which := 0
	for which < len(sides)-1 && max(rows, cols) > sides[which] {
		which++
	}
	return which
}

// whole reports whether all matrices are side × side elements that follow each other, so that a
// buffer consists of such matrices.
func (b Batch[T]) whole(side int) bool {
	each := side * side
	return b.Rows == side && b.Cols == side && b.RowStride == side && b.ColStride == 1 &&
		b.Offset >= 0 && b.Offset%each == 0 && b.Step%each == 0 && b.Buffer.Len()%each == 0
}

// grid returns the grid for so many blocks: some workgroups for each of the device's units, so that
// some copy while others compute. Each takes blocks until there are no more.
func grid(s *gpu.Stream, blocks, products int) gpu.Grid {
	const each, most = 16, 1 << 15
	n := (blocks + products - 1) / products
	if units := int(s.Device().Info().Hardware.Units); units > 0 {
		n = min(n, units*each)
	}
	return gpu.D1(uint32(min(n, most)))
}

// Blocks returns how many blocks the kernels make of count results. They make 2³⁰ at most.
func Blocks(count, rows, cols int) int { return blocks(sides[fit(rows, cols)], count, rows, cols) }

func blocks(side, count, rows, cols int) int {
	return count * ((rows + side - 1) / side) * ((cols + side - 1) / side)
}

// along says of which factors rows are closer in memory than columns: bit 0 of a, and bit 1 of b.
func along[T f32 | f64](a, b Batch[T]) (bits int) {
	for n, l := range [...]gpu.MatrixLayout{a.MatrixLayout, b.MatrixLayout} {
		if max(l.ColStride, -l.ColStride) <= max(l.RowStride, -l.RowStride) {
			bits |= 1 << n
		}
	}
	return bits
}

// as returns a batch of elements of type T, which are U, as one of U.
func as[U, T f32 | f64](b Batch[T]) Batch[U] {
	return Batch[U]{gpu.MatrixBuffer[U]{Buffer: any(b.Buffer).(*gpu.Buffer[U]), MatrixLayout: b.MatrixLayout}, b.Step}
}

// kernel is a kernel for blocks of one side.
type kernel[F any] struct {
	launch   F
	products int // of a workgroup
}

// anyMatrices launches a kernel for matrices of any size and strides, and listed one for those of a
// list.
type (
	anyMatrices[T f32 | f64] func(s *gpu.Stream, g gpu.Grid, count int, alpha T, a gpu.MatrixBuffer[T], stepA int, b gpu.MatrixBuffer[T], stepB int, beta T, c gpu.MatrixBuffer[T], stepC, along int) error
	listed[T f32 | f64]      func(s *gpu.Stream, g gpu.Grid, count int, alpha T, a gpu.MatrixBuffer[T], stepA int, b gpu.MatrixBuffer[T], stepB int, beta T, c gpu.MatrixBuffer[T], stepC, along int, list *gpu.Buffer[[3]int32], limit [3]int32) error
)

// archive is the archive of the package's kernels.
//
//go:embed gpuc_gen.zip
var archive string

// The kernels by the numbers of sides. Functions that gpuc gen writes for whole matrices take
// buffers of their arrays, but buffers of the elements fit, too. Lists have no kernels for a side
// of 32.
var (
	singleWhole  = [...]kernel[gpu.Embedded]{{gpu.Embedded{Archive: archive, Name: "single16Of"}, 8}, {gpu.Embedded{Archive: archive, Name: "single32Of"}, 2}, {gpu.Embedded{Archive: archive, Name: "single64Of"}, 1}}
	doubleWhole  = [...]kernel[gpu.Embedded]{{gpu.Embedded{Archive: archive, Name: "double16Of"}, 4}, {gpu.Embedded{Archive: archive, Name: "double32Of"}, 1}, {gpu.Embedded{Archive: archive, Name: "double64Of"}, 1}}
	singleAny    = [...]kernel[anyMatrices[f32]]{{launchSingle16Any, 8}, {launchSingle32Any, 2}, {launchSingle64Any, 1}}
	doubleAny    = [...]kernel[anyMatrices[f64]]{{launchDouble16Any, 4}, {launchDouble32Any, 1}, {launchDouble64Any, 1}}
	singleListed = [...]kernel[listed[f32]]{{launchSingle16Listed, 8}, {launchSingle64Listed, 1}, {launchSingle64Listed, 1}}
	doubleListed = [...]kernel[listed[f64]]{{launchDouble16Listed, 4}, {launchDouble64Listed, 1}, {launchDouble64Listed, 1}}
)

// Multiply enqueues c = alpha·a·b + beta·c for count products. The matrices are in their buffers.
func Multiply[T f32 | f64](s *gpu.Stream, count int, alpha T, a, b Batch[T], beta T, c Batch[T]) error {
	which := fit(c.Rows, c.Cols)
	if side := sides[which]; a.whole(side) && b.whole(side) && c.whole(side) {
		each := side * side
		at := Steps{int32(a.Offset / each), int32(a.Step / each), int32(b.Offset / each), int32(b.Step / each), int32(c.Offset / each), int32(c.Step / each)}
		return multiplyWhole(s, which, count, alpha, a.Buffer, b.Buffer, beta, c.Buffer, at)
	}
	n := Blocks(count, c.Rows, c.Cols)
	switch alpha := any(alpha).(type) {
	case f32:
		k, a, b, c, beta := singleAny[which], as[f32](a), as[f32](b), as[f32](c), any(beta).(f32)
		return k.launch(s, grid(s, n, k.products), count, alpha, a.MatrixBuffer, a.Step, b.MatrixBuffer, b.Step, beta, c.MatrixBuffer, c.Step, along(a, b))
	case f64:
		k, a, b, c, beta := doubleAny[which], as[f64](a), as[f64](b), as[f64](c), any(beta).(f64)
		return k.launch(s, grid(s, n, k.products), count, alpha, a.MatrixBuffer, a.Step, b.MatrixBuffer, b.Step, beta, c.MatrixBuffer, c.Step, along(a, b))
	}
	return nil
}

// multiplyWhole is Multiply for buffers that consist of whole matrices.
func multiplyWhole[T f32 | f64](s *gpu.Stream, which, count int, alpha T, a, b *gpu.Buffer[T], beta T, c *gpu.Buffer[T], at Steps) error {
	switch alpha := any(alpha).(type) {
	case f32:
		values := [...]uint32{uint32(count), math.Float32bits(alpha), math.Float32bits(any(beta).(f32)),
			uint32(at.FirstA), uint32(at.StepA), uint32(at.FirstB), uint32(at.StepB), uint32(at.FirstC), uint32(at.StepC)}
		k := &singleWhole[which]
		return k.launch.Launch(s, grid(s, count, k.products), values[:], a, b, c)
	case f64:
		u, v := math.Float64bits(alpha), math.Float64bits(any(beta).(f64))
		values := [...]uint32{uint32(count), 0, uint32(u), uint32(u >> 32), uint32(v), uint32(v >> 32),
			uint32(at.FirstA), uint32(at.StepA), uint32(at.FirstB), uint32(at.StepB), uint32(at.FirstC), uint32(at.StepC)}
		k := &doubleWhole[which]
		return k.launch.Launch(s, grid(s, count, k.products), values[:], a, b, c)
	}
	return nil
}

// MultiplyListed is Multiply for the matrices that the entries of a list name: of product p,
// matrices list[p][0] of a, list[p][1] of b and list[p][2] of c. A product with a number that is
// not below that of limit is left out.
func MultiplyListed[T f32 | f64](s *gpu.Stream, count int, alpha T, a, b Batch[T], beta T, c Batch[T], list *gpu.Buffer[[3]int32], limit [3]int32) error {
	which := fit(c.Rows, c.Cols)
	side := Largest
	if which == 0 {
		side = sides[0]
	}
	n := blocks(side, count, c.Rows, c.Cols)
	switch alpha := any(alpha).(type) {
	case f32:
		k, a, b, c, beta := singleListed[which], as[f32](a), as[f32](b), as[f32](c), any(beta).(f32)
		return k.launch(s, grid(s, n, k.products), count, alpha, a.MatrixBuffer, a.Step, b.MatrixBuffer, b.Step, beta, c.MatrixBuffer, c.Step, along(a, b), list, limit)
	case f64:
		k, a, b, c, beta := doubleListed[which], as[f64](a), as[f64](b), as[f64](c), any(beta).(f64)
		return k.launch(s, grid(s, n, k.products), count, alpha, a.MatrixBuffer, a.Step, b.MatrixBuffer, b.Step, beta, c.MatrixBuffer, c.Step, along(a, b), list, limit)
	}
	return nil
}

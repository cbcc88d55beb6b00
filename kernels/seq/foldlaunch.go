package seq

import (
	"math/bits"

	"github.com/gpuc/gpuc/runtime/gpu"
)

// foldKernels are the kernels of a reduction: of tiles, which may be missing, along an axis, of
// partial results, and of tiles in one launch, which may be missing, too.
type foldKernels struct {
	kernels    [4]string
	stateBytes int // the size of a state
}

const (
	foldsTiles = iota
	foldsAxis
	foldsPartial
	foldsOnce
)

var totals = [kinds]foldKernels{
	isInt32:   {[4]string{"foldTiles_total_int32_int32_int32", "foldAxis_total_int32_int32_int32", "foldPartial_total_int32_int32_int32", "foldOnce_total_uint32_packUint32_uint32_uint32"}, 4},
	isUint32:  {[4]string{"foldTiles_total_uint32_uint32_uint32", "foldAxis_total_uint32_uint32_uint32", "foldPartial_total_uint32_uint32_uint32", "foldOnce_total_uint32_packUint32_uint32_uint32"}, 4},
	isInt64:   {[4]string{"foldTiles_total_int64_int64_int64", "foldAxis_total_int64_int64_int64", "foldPartial_total_int64_int64_int64", "foldOnce_total_uint64_packUint64_uint64_uint64"}, 8},
	isUint64:  {[4]string{"foldTiles_total_uint64_uint64_uint64", "foldAxis_total_uint64_uint64_uint64", "foldPartial_total_uint64_uint64_uint64", "foldOnce_total_uint64_packUint64_uint64_uint64"}, 8},
	isFloat32: {[4]string{"foldTiles_total_float32_float32_float32", "foldAxis_total_float32_float32_float32", "foldPartial_total_float32_float32_float32", "foldOnce_total_float32_packFloat32_float32_float32"}, 4},
	isFloat64: {[4]string{"foldTiles_total_float64_float64_float64", "foldAxis_total_float64_float64_float64", "foldPartial_total_float64_float64_float64", "foldOnce_total_float64_packFloat64_float64_float64"}, 8},
}

var finders = [kinds]foldKernels{
	isInt32:   {[4]string{"foldTiles_finder_int32_int32_best_int32", "foldAxis_finder_int32_int32_best_int32", "foldPartial_finder_int32_int32_best_int32", "foldOnce_finder_int32_packInt32_int32_best_int32"}, 8},
	isUint32:  {[4]string{"foldTiles_finder_uint32_uint32_best_uint32", "foldAxis_finder_uint32_uint32_best_uint32", "foldPartial_finder_uint32_uint32_best_uint32", "foldOnce_finder_uint32_packUint32_uint32_best_uint32"}, 8},
	isInt64:   {[4]string{"foldTiles_finder_int64_int64_best_int64", "foldAxis_finder_int64_int64_best_int64", "foldPartial_finder_int64_int64_best_int64"}, 16},
	isUint64:  {[4]string{"foldTiles_finder_uint64_uint64_best_uint64", "foldAxis_finder_uint64_uint64_best_uint64", "foldPartial_finder_uint64_uint64_best_uint64"}, 16},
	isFloat32: {[4]string{"foldTiles_finder_float32_float32_best_float32", "foldAxis_finder_float32_float32_best_float32", "foldPartial_finder_float32_float32_best_float32", "foldOnce_finder_float32_packFloat32_float32_best_float32"}, 8},
	isFloat64: {[4]string{"foldTiles_finder_float64_float64_best_float64", "foldAxis_finder_float64_float64_best_float64", "foldPartial_finder_float64_float64_best_float64", "foldOnce_finder_float64_packFloat64_float64_best_float64"}, 16},
}

// spreads are of the floats, from isFloat32 on.
var spreads = [kinds - isFloat32]foldKernels{
	{[4]string{"", "foldAxis_spread_float32_float32_moments_float32", "foldPartial_spread_float32_float32_moments_float32"}, 12},
	{[4]string{"", "foldAxis_spread_float64_float64_moments_float64", "foldPartial_spread_float64_float64_moments_float64"}, 24},
}

// fold enqueues a reduction of what has elements. One of values and indices may be nil. If
// workgroups wait for others, that of a vector is one launch.
func fold[T Number](c *call, k *foldKernels, x *gpu.Buffer[T], a Axis, outputs int, options uint32, divisor T,
	values *gpu.Buffer[T], indices *gpu.Buffer[int32], waits bool) error {
	toValue, err := boundOr(c, slotNothing, values)
	if err != nil {
		return err
	}
	toIndex, err := boundOr(c, slotNothing2, indices)
	if err != nil {
		return err
	}
	whole, each := a.N/foldTile, tilesEach(a.N)
	shape, columns := shapeOf(a, outputs)
	byTiles, chunks := outputs == 1 && whole > 0 && k.kernels[foldsTiles] != "", ceil(a.N, int(shape.Chunk))
	if byTiles {
		chunks = ceil(whole, each)
	}
	if byTiles && chunks > 1 && waits && k.kernels[foldsOnce] != "" {
		status, epoch, base, err := c.chain(chunks, ceil(chunks*stateWords, 2))
		if err != nil {
			return err
		}
		put(c.values.with(uint32(a.N), uint32(whole), uint32(each), options, epoch, base), givenOnce(k, options, divisor))
		if values != nil { // as bytes, since sums of signed integers are those of unsigned ones
			toValue = bytesOf(c, 1, values)
		}
		all := bytesOf(c, 0, x)
		return c.launch(k.kernels[foldsOnce], gpu.D1(uint32(chunks)), all, all, status, toValue, toIndex)
	}
	partial, err := c.scratch(slotStates, chunks*outputs*k.stateBytes)
	if err != nil {
		return err
	}
	final := options
	if chunks > 1 {
		options = options&^(toValues|toIndices) | toPartial
	}
	if byTiles {
		put(c.values.with(uint32(a.N), uint32(whole), uint32(each), options), divisor)
		err = c.launch(k.kernels[foldsTiles], gpu.D1(uint32(chunks)), bytesOf(c, 0, x), x, partial, toValue, toIndex)
	} else {
		put(shape.values(&c.values, options, a.Inner < columns), divisor)
		err = c.launch(k.kernels[foldsAxis], gpu.D2(uint32(ceil(outputs, columns)), uint32(chunks)), x, partial, toValue, toIndex)
	}
	if err != nil || chunks == 1 {
		return err
	}
	shape, columns = shapeOf(Axis{1, chunks, outputs}, outputs)
	put(shape.values(&c.values, final, outputs < columns), divisor)
	return c.launch(k.kernels[foldsPartial], gpu.D1(uint32(ceil(outputs, columns))), partial, toValue, toIndex)
}

// givenOnce returns what foldOnce has to know: the divisor of sums, and the worst of elements.
func givenOnce[T Number](k *foldKernels, options uint32, divisor T) T {
	lowest, highest := limitsOf[T]()
	switch {
	case k == &totals[kindOf[T]()]:
		return divisor
	case options&wantLargest != 0:
		return lowest
	}
	return highest
}

// values begins the values of a launch.
func (a axis) values(w *words, options uint32, lanes bool) *words {
	if lanes {
		options |= lanesFirst
	}
	return w.with(uint32(a.N), uint32(a.Inner), uint32(a.Outputs), uint32(a.Columns), uint32(a.Chunk), options)
}

// tilesEach returns how many tiles a workgroup folds: enough workgroups for a large device, and
// not many more.
func tilesEach(n int) int {
	each := 1
	for each < 16 && n/foldTile > each*1024 {
		each *= 2
	}
	return each
}

// shapeOf divides the items of workgroups among outputs and their elements. It depends on sizes
// alone, as the order of additions does.
func shapeOf(a Axis, outputs int) (shape axis, columns int) {
	// An item has eight elements of an output if there are as many, and a workgroup up to 64
	// outputs where neighbouring ones are consecutive in memory.
	lanes := min(powerOf2(ceil(a.N, 8)), foldItems)
	if a.Inner >= 32 {
		lanes = min(lanes, foldItems/32)
	}
	columns = foldItems / lanes
	for columns > 1 && columns/2 >= outputs {
		columns /= 2
	}
	lanes = foldItems / columns
	// Few outputs with many elements are divided into chunks.
	chunk := powerOf2(a.N)
	for groups := ceil(outputs, columns); chunk > 16*lanes && groups < 1024; groups *= 2 {
		chunk /= 2
	}
	return axis{int32(a.N), int32(a.Inner), int32(outputs), int32(columns), int32(min(chunk, a.N))}, columns
}

// powerOf2 returns the smallest power of two that is not less than n.
func powerOf2(n int) int { return 1 << bits.Len(uint(max(n, 1)-1)) }

// boundOr returns a buffer, or memory for a binding that is not used if it is nil.
func boundOr[T any](c *call, id slot, b *gpu.Buffer[T]) (gpu.Bound, error) {
	if b != nil {
		return b, nil
	}
	return c.scratch(id, 64)
}

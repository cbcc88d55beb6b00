package seq

import (
	"fmt"
	"math"

	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// Operation is what a scan combines elements with.
type Operation uint8

// The operations. The smallest and the largest of floats are NaN from the first NaN on, and -0 is
// less than +0.
const (
	Add Operation = iota
	Minimum
	Maximum
)

// Scan writes to element i of result what the operation makes of elements 0 to i of x: prefix sums,
// for Add. x and result have the same length, and do not overlap.
//
// Sums of integers wrap around. Those of floats are added in an order that depends on the length
// alone, so that they have the same bits on every device. Element i is not exactly element i-1 plus
// x[i].
//
// On CUDA, where workgroups that wait keep no others from running, it is one pass over memory
// (Merrill and Garland 2016). Elsewhere it is two reads and a write.
func Scan[T Number](s *gpu.Stream, op Operation, x, result *gpu.Buffer[T]) error {
	return scanChecked("seq.Scan", s, op, 0, x, result)
}

// ScanExclusive is Scan without element i itself. Element 0 is 0 for Add, the largest value of the
// type for Minimum, +Inf for floats, and the smallest for Maximum.
func ScanExclusive[T Number](s *gpu.Stream, op Operation, x, result *gpu.Buffer[T]) error {
	return scanChecked("seq.ScanExclusive", s, op, exclusive, x, result)
}

func scanChecked[T Number](operation string, s *gpu.Stream, op Operation, options uint32, x, result *gpu.Buffer[T]) error {
	if err := checkBuffers(operation, s, 1, named{"result", result}, named{"x", x}); err != nil {
		return err
	}
	if err := wrongLength(operation, "result", x.Len(), result.Len()); err != nil {
		return err
	}
	bits, identity, err := operationOf[T](operation, op)
	if err != nil || x.Len() == 0 {
		return err
	}
	options |= bits
	c := begin(operation, s)
	defer c.end()
	return scan(c, kindOf[T](), identity, x.Len(), options, bytesOf(c, 0, x), bytesOf(c, 1, result), c.waits())
}

// operationOf returns what kernels have to know of an operation, and what it makes of no elements.
func operationOf[T Number](operation string, op Operation) (options uint32, identity T, err error) {
	lowest, highest := limitsOf[T]()
	switch op {
	case Add:
		return wantSum, 0, nil
	case Minimum:
		return 0, highest, nil
	case Maximum:
		return wantLargest, lowest, nil
	}
	return 0, 0, wrongShape(operation, "op", "Add, Minimum or Maximum", fmt.Sprint(uint8(op)))
}

// scanKernels are those of each type.
var scanKernels = [kinds]struct {
	tiles, up  string
	quarters   string // of sums
	sum, limit string // chained
	bytes      int    // of an element
}{
	isInt32: {"scanTiles_int32_packInt32", "scanUp_int32", "scanQuarters_sum_uint32_packUint32_uint32",
		"scanChained_sum_int32_packInt32_int32", "scanChained_limit_int32_packInt32_int32", 4},
	isUint32: {"scanTiles_uint32_packUint32", "scanUp_uint32", "scanQuarters_sum_uint32_packUint32_uint32",
		"scanChained_sum_uint32_packUint32_uint32", "scanChained_limit_uint32_packUint32_uint32", 4},
	isInt64: {"scanTiles_int64_packInt64", "scanUp_int64", "scanQuarters_sum_uint64_packUint64_uint64",
		"scanChained_sum_int64_packInt64_int64", "scanChained_limit_int64_packInt64_int64", 8},
	isUint64: {"scanTiles_uint64_packUint64", "scanUp_uint64", "scanQuarters_sum_uint64_packUint64_uint64",
		"scanChained_sum_uint64_packUint64_uint64", "scanChained_limit_uint64_packUint64_uint64", 8},
	isFloat32: {"scanTiles_float32_packFloat32", "scanUp_float32", "scanQuarters_sum_float32_packFloat32_float32",
		"scanChained_sum_float32_packFloat32_float32", "scanChained_limit_float32_packFloat32_float32", 4},
	isFloat64: {"scanTiles_float64_packFloat64", "scanUp_float64", "scanQuarters_sum_float64_packFloat64_float64",
		"scanChained_sum_float64_packFloat64_float64", "scanChained_limit_float64_packFloat64_float64", 8},
}

// scanTileBytes is the size of a tile.
const scanTileBytes = scanRows * warp * 4 * 4

// waits reports whether workgroups should wait for others that have begun. CUDA lets these go on.
// So does the CPU device, but there a processor that waits is missing elsewhere.
func (c *call) waits() bool { return c.stream.Device().Info().Target == abi.PTX }

// epochStep leaves the lowest bits of an epoch to the states of a word.
const epochStep = 4

// chain prepares the launch of a chained kernel with a number of workgroups and totals. It returns
// the status words, the epoch and the number of tickets that were taken before.
func (c *call) chain(workgroups, totals int) (status gpu.Bound, epoch, base uint32, err error) {
	if c.epoch > math.MaxUint32-2*epochStep {
		c.drop(slotStatus) // epochs begin again with words of zero
	}
	if status, err = c.zeroed(slotStatus, 8*(statusTotals+2*totals)); err != nil {
		return nil, 0, 0, err
	}
	c.epoch += epochStep
	base = c.tickets
	c.tickets += uint32(workgroups)
	return status, c.epoch, base, nil
}

// scan enqueues a scan of at least one element.
func scan[T Number](c *call, kind kind, identity T, n int, options uint32, x, result *gpu.Buffer[byte], chained bool) error {
	k := &scanKernels[kind]
	tiles := ceil(n, scanTileBytes/k.bytes)
	grid := gpu.D1(uint32(tiles))
	blockBytes := scanBlock * k.bytes
	blocks := x
	if n < scanBlock { // of which there has to be one
		var err error
		if blocks, err = c.scratch(slotNothing, blockBytes); err != nil {
			return err
		}
	}
	out, rest, err := c.split(result, n/scanBlock*blockBytes, n*k.bytes, blockBytes)
	if err != nil {
		return err
	}
	if groups := ceil(n, scanTileBytes/k.bytes/quarters); chained && options&wantSum != 0 && groups > 1 && tiles <= quarterTiles {
		status, epoch, base, err := c.chain(groups, groups)
		if err != nil {
			return err
		}
		put(c.values.with(uint32(n), options, epoch, base), identity)
		return c.launch(k.quarters, gpu.D1(uint32(groups)), blocks, x, status, out, rest)
	}
	if chained && tiles > 1 {
		kernel := k.limit
		if options&wantSum != 0 {
			kernel = k.sum
		}
		status, epoch, base, err := c.chain(tiles, levelStart(tiles, levels))
		if err != nil {
			return err
		}
		put(c.values.with(uint32(n), uint32(tiles), options, epoch, base), identity)
		return c.launch(kernel, grid, blocks, x, status, out, rest)
	}
	totals, err := c.scratch(slotLevels, k.bytes*levelStart(tiles, levels))
	if err != nil {
		return err
	}
	if tiles > 1 {
		unused, err := c.scratch(slotNothing3, k.bytes)
		if err != nil {
			return err
		}
		put(c.values.with(uint32(n), uint32(tiles), options|totalsOnly), identity)
		if err := c.launch(k.tiles, grid, blocks, x, totals, out, unused); err != nil {
			return err
		}
		for level := 1; level < levels && tiles>>(5*level) > 0; level++ {
			count := tiles >> (5 * level)
			put(c.values.with(uint32(levelStart(tiles, level-1)), uint32(levelStart(tiles, level)), uint32(count), options), identity)
			if err := c.launch(k.up, gpu.D1(uint32(ceil(count*fanOut, scanItems))), totals); err != nil {
				return err
			}
		}
	}
	put(c.values.with(uint32(n), uint32(tiles), options), identity)
	return c.launch(k.tiles, grid, blocks, x, totals, out, rest)
}

package seq

import (
	"fmt"

	"github.com/gpuc/gpuc/runtime/gpu"
)

// Comparison compares an element with a value, as Go does.
type Comparison uint8

// The comparisons.
const (
	Less Comparison = iota
	LessEqual
	Greater
	GreaterEqual
	Equal
	NotEqual
	comparisons
)

// Select writes the elements of x whose flag is not 0 to result, in their order, and how many these
// are to count, which has one element. There are as many flags as elements, and result has as many
// elements; those behind the selected ones do not change. An element has four or eight bytes,
// otherwise it is a *gpu.ShapeError.
//
// It reads the flags twice, and what is selected once (Billeter, Olsson and Assarsson, "Efficient
// Stream Compaction on Wide SIMD Many-Core Architectures", 2009).
func Select[T any](s *gpu.Stream, x *gpu.Buffer[T], flags *gpu.Buffer[uint8], result *gpu.Buffer[T], count *gpu.Buffer[uint32]) error {
	return move("seq.Select", s, 0, x, flags, result, count)
}

// Partition is Select, and writes the other elements of x behind the selected ones, in their order.
func Partition[T any](s *gpu.Stream, x *gpu.Buffer[T], flags *gpu.Buffer[uint8], result *gpu.Buffer[T], count *gpu.Buffer[uint32]) error {
	return move("seq.Partition", s, moveRejected, x, flags, result, count)
}

// SelectIndices writes the indices of the flags that are not 0 to result, in their order, and how
// many these are to count. Result has as many elements as flags.
func SelectIndices(s *gpu.Stream, flags *gpu.Buffer[uint8], result *gpu.Buffer[int32], count *gpu.Buffer[uint32]) error {
	const operation = "seq.SelectIndices"
	if err := checkSelect(operation, s, named{"result", result}, count, named{"flags", flags}, flags.Len(), 4); err != nil {
		return err
	}
	c := begin(operation, s)
	defer c.end()
	unused, err := c.scratch(slotNothing, 4)
	if err != nil {
		return err
	}
	return c.moveFlagged(flags.Len(), 4, moveIndices, flags, unused, bytesOf(c, 0, result), count)
}

// SelectIf is Select of the elements for which the comparison with the value holds. No comparison
// but NotEqual holds for a NaN.
func SelectIf[T Number](s *gpu.Stream, x *gpu.Buffer[T], comparison Comparison, value T, result *gpu.Buffer[T], count *gpu.Buffer[uint32]) error {
	const operation = "seq.SelectIf"
	if comparison >= comparisons {
		return wrongShape(operation, "comparison", "one of the constants", fmt.Sprint(comparison))
	}
	size := bytesEach[T]()
	if err := checkSelect(operation, s, named{"result", result}, count, named{"x", x}, x.Len(), size); err != nil {
		return err
	}
	c := begin(operation, s)
	defer c.end()
	n := x.Len()
	flags, err := c.scratch(slotFlags, n)
	if err != nil {
		return err
	}
	if n > 0 {
		put(c.values.with(uint32(n), uint32(comparison)), value)
		if err := c.launch(markIfKernels[kindOf[T]()], gpu.Items1(n), x, flags); err != nil {
			return err
		}
	}
	return c.moveFlagged(n, size, 0, flags, bytesOf(c, 0, x), bytesOf(c, 1, result), count)
}

// RunLengths writes the value of each run of equal elements to values, its length to lengths, and
// the number of runs to count, which has one element. Of a sorted buffer these are its elements
// without repetitions, and how often each occurs. The other buffers have as many elements as x;
// those behind the last run do not change. A NaN is a run by itself, and -0 equals +0, as Go
// compares.
func RunLengths[T Number](s *gpu.Stream, x, values *gpu.Buffer[T], lengths, count *gpu.Buffer[uint32]) error {
	const operation = "seq.RunLengths"
	if err := checkBuffers(operation, s, 3, named{"values", values}, named{"lengths", lengths}, named{"count", count}, named{"x", x}); err != nil {
		return err
	}
	if err := wrongLength(operation, "lengths", x.Len(), lengths.Len()); err != nil {
		return err
	}
	size := bytesEach[T]()
	if err := checkSelect(operation, s, named{"values", values}, count, named{"x", x}, x.Len(), size); err != nil {
		return err
	}
	c := begin(operation, s)
	defer c.end()
	n := x.Len()
	flags, err := c.scratch(slotFlags, n)
	if err != nil {
		return err
	}
	starts, err := c.scratch(slotIndices, 4*n)
	if err != nil {
		return err
	}
	if n > 0 {
		c.values.with(uint32(n))
		if err := c.launch(markRunsKernels[kindOf[T]()], gpu.Items1(n), x, flags); err != nil {
			return err
		}
		if err := c.moveFlagged(n, 4, moveIndices, flags, bytesOf(c, 2, lengths), starts, count); err != nil {
			return err
		}
		c.values.with(uint32(n))
		if err := c.launch("runLengths", gpu.Items1(n), count, starts, lengths); err != nil {
			return err
		}
	}
	return c.moveFlagged(n, size, 0, flags, bytesOf(c, 0, x), bytesOf(c, 1, values), count)
}

var (
	markIfKernels   = [kinds]string{"markIf_int32", "markIf_uint32", "markIf_int64", "markIf_uint64", "markIf_float32", "markIf_float64"}
	markRunsKernels = [kinds]string{"markRuns_int32", "markRuns_uint32", "markRuns_int64", "markRuns_uint64", "markRuns_float32", "markRuns_float64"}
)

func move[T any](operation string, s *gpu.Stream, options uint32, x *gpu.Buffer[T], flags *gpu.Buffer[uint8], result *gpu.Buffer[T], count *gpu.Buffer[uint32]) error {
	size := bytesEach[T]()
	if err := checkSelect(operation, s, named{"result", result}, count, named{"x", x}, x.Len(), size, named{"flags", flags}); err != nil {
		return err
	}
	if err := wrongLength(operation, "flags", x.Len(), flags.Len()); err != nil {
		return err
	}
	c := begin(operation, s)
	defer c.end()
	return c.moveFlagged(x.Len(), size, options, flags, bytesOf(c, 0, x), bytesOf(c, 1, result), count)
}

// checkSelect checks what all selections have.
func checkSelect(operation string, s *gpu.Stream, result named, count *gpu.Buffer[uint32], x named, n, size int, more ...named) error {
	if err := checkBuffers(operation, s, 2, result, named{"count", count}, x); err != nil {
		return err
	}
	for _, m := range more {
		if err := checkBuffers(operation, s, 2, result, named{"count", count}, m); err != nil {
			return err
		}
	}
	if size != 4 && size != 8 {
		return wrongShape(operation, x.name, "elements of 4 or 8 bytes", fmt.Sprintf("elements of %d bytes", size))
	}
	if err := wrongLength(operation, "count", 1, count.Len()); err != nil {
		return err
	}
	return wrongLength(operation, result.name, n, result.buffer.Len())
}

// selectKernels are those for elements of four and of eight bytes.
var selectKernels = [2]struct {
	move, chained string
	rows          int // quads of an item
}{
	{"moveFlagged_uint32_4096_uint32", "moveChained_uint32_8192_uint32", selectRows},
	{"moveFlagged_uint64_2048_uint64", "moveChained_uint64_4096_uint64", selectRows / 2},
}

// moveFlagged enqueues a selection of elements that are words.
func (c *call) moveFlagged(n, size int, options uint32, flags, x *gpu.Buffer[byte], result, count gpu.Bound) error {
	if n == 0 {
		return fill(c, count, 1, uint32(0))
	}
	k := &selectKernels[size/4-1]
	flagBlocks, blocks := flags, x
	if n < selectBlock { // of which there has to be one
		unused, err := c.scratch(slotNothing, selectBlock*size)
		if err != nil {
			return err
		}
		flagBlocks, blocks = unused, unused
	}
	if c.waits() && options&moveRejected == 0 {
		tiles := ceil(n, k.rows*4*selectChain)
		if tiles <= selectChain {
			options |= waitForAll
		}
		status, epoch, base, err := c.chain(tiles, levelStart(tiles, levels))
		if err != nil {
			return err
		}
		c.values.with(uint32(n), uint32(tiles), options, epoch, base)
		return c.launch(k.chained, gpu.D1(uint32(tiles)), flagBlocks, flags, blocks, x, status, result, count)
	}
	tiles := ceil(n, k.rows*4*selectItems)
	grid := gpu.D1(uint32(tiles))
	counts, err := c.scratch(slotCounts, 4*(tiles+1))
	if err != nil {
		return err
	}
	offsets, err := c.scratch(slotStates, 4*(tiles+1))
	if err != nil {
		return err
	}
	c.values.with(uint32(n), uint32(k.rows), options)
	if err := c.launch("countFlags", grid, flagBlocks, flags, counts); err != nil {
		return err
	}
	if err := scan(c, isUint32, uint32(0), tiles+1, wantSum|exclusive, counts, offsets, c.waits()); err != nil {
		return err
	}
	c.values.with(uint32(n), options)
	return c.launch(k.move, grid, flagBlocks, flags, offsets, blocks, x, result, count)
}

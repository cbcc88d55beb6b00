package seq

import (
	"fmt"

	"github.com/gpuc/gpuc/runtime/gpu"
)

// HistogramEven counts the elements of x in bins of equal width. Bins has as many elements as there
// are bins, at least one. Bin ⌊(v - low)·(bins / (high - low))⌋ counts v, with the product
// rounded. What is less than low or not less than high is not counted, nor is a NaN. Low is less
// than high, and their difference finite, otherwise it is a *gpu.ShapeError.
//
// Up to 2048 bins are counted in the memory of workgroups, and more with atomic additions to bins.
func HistogramEven[T Float](s *gpu.Stream, x *gpu.Buffer[T], low, high T, bins *gpu.Buffer[uint32]) error {
	const operation = "seq.HistogramEven"
	if err := checkBins(operation, s, bins, named{"x", x}, named{"x", x}); err != nil {
		return err
	}
	scale := T(bins.Len()) / (high - low)
	if !(low < high) || (high-low)-(high-low) != 0 || scale-scale != 0 {
		return wrongShape(operation, "low and high", "low < high, with a finite difference", fmt.Sprintf("%v and %v", low, high))
	}
	return histogram(operation, s, x.Len(), bins, true, func(c *call, sums gpu.Bound) error {
		return binsOfEven(c, x, low, high, scale, bins, sums)
	})
}

// binsOfEven enqueues the counting in bins of equal width, with sums in one launch.
func binsOfEven[T Float](c *call, x *gpu.Buffer[T], low, high, scale T, bins *gpu.Buffer[uint32], sums gpu.Bound) error {
	n, count, kind := x.Len(), bins.Len(), kindOf[T]()-isFloat32
	w := c.values.with(uint32(n), uint32(n/4), uint32(count))
	if sums != nil {
		put(w, uint32(copiesOf(count)))
	}
	put(w, low)
	put(w, high)
	put(w, scale)
	quads := bytesOf(c, 0, x)
	if n < 4 {
		unused, err := c.scratch(slotNothing, 32)
		if err != nil {
			return err
		}
		quads = unused
	}
	switch {
	case sums != nil:
		return c.launch(countOnceKernels[kind], onceGrid(n), quads, x, sums, bins)
	case count > sharedBins:
		return c.launch(countManyKernels[kind], binGrid(n, 4*binLoads), quads, x, bins)
	}
	return c.launch(countEvenKernels[kind], binGrid(n, 4*binLoads), quads, x, bins)
}

// HistogramRanges counts the elements of x between edges, which ascend: bin i counts v if edge i is
// not greater than v, and edge i+1 is greater. There is one edge more than bins. What is outside of
// all is not counted, nor is a NaN. If the edges do not ascend, some elements are in wrong bins.
func HistogramRanges[T Number](s *gpu.Stream, x, edges *gpu.Buffer[T], bins *gpu.Buffer[uint32]) error {
	const operation = "seq.HistogramRanges"
	if err := checkBins(operation, s, bins, named{"x", x}, named{"edges", edges}); err != nil {
		return err
	}
	if err := wrongLength(operation, "edges", bins.Len()+1, edges.Len()); err != nil {
		return err
	}
	return histogram(operation, s, x.Len(), bins, false, func(c *call, _ gpu.Bound) error {
		c.values.with(uint32(x.Len()), uint32(bins.Len()))
		return c.launch(countRangesKernels[kindOf[T]()], binGrid(x.Len(), 16), x, edges, bins)
	})
}

// HistogramBytes counts how often each byte occurs in x: bins has 256 elements.
func HistogramBytes(s *gpu.Stream, x *gpu.Buffer[uint8], bins *gpu.Buffer[uint32]) error {
	const operation = "seq.HistogramBytes"
	if err := checkBins(operation, s, bins, named{"x", x}, named{"x", x}); err != nil {
		return err
	}
	if err := wrongLength(operation, "bins", 256, bins.Len()); err != nil {
		return err
	}
	return histogram(operation, s, x.Len(), bins, true, func(c *call, sums gpu.Bound) error {
		return binsOfBytes(c, x, bins, sums)
	})
}

// binsOfBytes enqueues the counting of bytes, with sums in one launch.
func binsOfBytes(c *call, x *gpu.Buffer[uint8], bins *gpu.Buffer[uint32], sums gpu.Bound) error {
	n, quads := x.Len(), bytesOf(c, 0, x)
	if n < 16 {
		unused, err := c.scratch(slotNothing, 16)
		if err != nil {
			return err
		}
		quads = unused
	}
	c.values.with(uint32(n), uint32(n/16))
	if sums != nil {
		return c.launch("countBytesOnce", onceGrid(n), quads, x, sums, bins)
	}
	return c.launch("countBytes", binGrid(n, 16*binLoads), quads, x, bins)
}

var (
	countEvenKernels   = [...]string{"countEven_float32_fewBins", "countEven_float64_fewBins"}
	countManyKernels   = [...]string{"countEven_float32_manyBins", "countEven_float64_manyBins"}
	countOnceKernels   = [...]string{"countEvenOnce_float32", "countEvenOnce_float64"}
	countRangesKernels = [kinds]string{"countRanges_int32", "countRanges_uint32", "countRanges_int64", "countRanges_uint64", "countRanges_float32", "countRanges_float64"}
)

// binGrid returns the workgroups for n elements, of which an item has each or more.
func binGrid(n, each int) gpu.Grid { return gpu.D1(uint32(min(ceil(n, each*binItems), 1024))) }

// checkBins checks what histograms have. Edges may be x again.
func checkBins(operation string, s *gpu.Stream, bins *gpu.Buffer[uint32], x, edges named) error {
	if err := checkBuffers(operation, s, 1, named{"bins", bins}, x, edges); err != nil {
		return err
	}
	if bins.Len() == 0 {
		return wrongShape(operation, "bins", "at least one", "none")
	}
	return nil
}

// onceGrid returns the workgroups of a histogram in one launch: as many as run at once on a large
// device, if an item has 16 elements.
func onceGrid(n int) gpu.Grid { return gpu.D1(uint32(min(ceil(n, 16*onceItems), mostOnce))) }

const (
	// mostOnce is how many workgroups count in one launch at most: three for each of 132
	// multiprocessors.
	mostOnce = 3 * 132
	// mostOnceBins is how many bins are counted so. With more, many lanes would share a counter.
	mostOnceBins = onceBins / 8
	// mostAdded is how many counters workgroups may add to those of all: more take longer than a
	// launch that clears the result.
	mostAdded = 1 << 18
)

// histogram has elements counted if there are any, after a launch that makes the bins zero. Where
// one launch is faster, count gets a counter of 64 bits for each bin.
func histogram(operation string, s *gpu.Stream, n int, bins *gpu.Buffer[uint32], hasOnce bool, count func(c *call, sums gpu.Bound) error) error {
	c := begin(operation, s)
	defer c.end()
	if n > 0 && hasOnce && c.waits() && bins.Len() <= mostOnceBins && bins.Len()*int(onceGrid(n).X) <= mostAdded {
		return c.countOnce(bins.Len(), count)
	}
	if err := fill(c, bins, bins.Len(), uint32(0)); err != nil || n == 0 {
		return err
	}
	return count(c, nil)
}

// countOnce has elements counted in one launch, with counters that are zero between launches. One
// that fails may leave others.
func (c *call) countOnce(bins int, count func(c *call, sums gpu.Bound) error) error {
	sums, err := c.zeroed(slotSums, 8*bins)
	if err != nil {
		return err
	}
	if err = count(c, sums); err != nil {
		c.drop(slotSums)
	}
	return err
}

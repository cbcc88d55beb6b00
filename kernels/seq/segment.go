package seq

import "github.com/gpuc/gpuc/runtime/gpu"

// Segments are consecutive parts of a buffer. They come in two forms. Flags have an element for
// each element of the buffer, and it is not 0 where a segment begins; the first element begins one
// in any case. Offsets have the index at which each segment begins, in order, and behind the last
// one where that ends: a segment whose offsets are equal is empty.

// SegmentReduce combines the elements of each segment of x, and writes element i of result for
// segment i. Offsets has an element more than result. Elements of x before the first offset, and
// from the last one on, belong to no segment. That of an empty segment is 0 for Add, the largest
// value of the type for Minimum, and the smallest for Maximum. NaNs are as in Scan.
//
// If the offsets do not ascend, or are larger than the length of x, some elements are wrong. A
// segment has as many items as its mean length suggests, and one much longer than others is slow.
// Their number, and so the order of additions, depends on the lengths of x and result alone.
func SegmentReduce[T Number](s *gpu.Stream, op Operation, x *gpu.Buffer[T], offsets *gpu.Buffer[uint32], result *gpu.Buffer[T]) error {
	const operation = "seq.SegmentReduce"
	if err := checkBuffers(operation, s, 1, named{"result", result}, named{"x", x}, named{"offsets", offsets}); err != nil {
		return err
	}
	if err := wrongLength(operation, "offsets", result.Len()+1, offsets.Len()); err != nil {
		return err
	}
	options, identity, err := operationOf[T](operation, op)
	if err != nil {
		return err
	}
	segments := result.Len()
	if segments == 0 {
		return nil
	}
	c := begin(operation, s)
	defer c.end()
	if x.Len() == 0 {
		return fill(c, bytesOf(c, 0, result), segments, identity)
	}
	unused, err := c.scratch(slotNothing, 4)
	if err != nil {
		return err
	}
	return foldSegmentsOf(c, x.Len(), segments, x.Len()/segments, options, identity, x, offsets, unused, result)
}

// SegmentReduceFlags is SegmentReduce of segments by flags. It writes the number of segments to
// count, which has one element. Result has as many elements as x, and those behind the last segment
// do not change.
func SegmentReduceFlags[T Number](s *gpu.Stream, op Operation, x *gpu.Buffer[T], flags *gpu.Buffer[uint8], result *gpu.Buffer[T], count *gpu.Buffer[uint32]) error {
	const operation = "seq.SegmentReduceFlags"
	options, identity, err := operationOf[T](operation, op)
	if err != nil {
		return err
	}
	if err := checkSelect(operation, s, named{"result", result}, count, named{"x", x}, x.Len(), bytesEach[T](), named{"flags", flags}); err != nil {
		return err
	}
	n := x.Len()
	if err := wrongLength(operation, "flags", n, flags.Len()); err != nil {
		return err
	}
	c := begin(operation, s)
	defer c.end()
	starts, err := c.scratch(slotIndices, 4*n)
	if err != nil {
		return err
	}
	unused, err := c.scratch(slotNothing, 4)
	if err != nil {
		return err
	}
	if err := c.moveFlagged(n, 4, moveIndices|flagFirst, flags, unused, starts, count); err != nil || n == 0 {
		return err
	}
	return foldSegmentsOf(c, n, n, 16, options|countOnDevice, identity, x, starts, count, result)
}

// foldSegmentsOf enqueues foldSegments for segments of a mean length.
func foldSegmentsOf[T Number](c *call, n, segments, mean int, options uint32, identity T, x, offsets, number, result gpu.Bound) error {
	lanes := min(powerOf2(ceil(mean+1, 4)), segmentItems)
	put(c.values.with(uint32(n), uint32(segments), uint32(lanes), options), identity)
	return c.launch(segmentKernels[kindOf[T]()].fold, gpu.D1(uint32(ceil(segments, segmentItems/lanes))), x, offsets, number, result)
}

// SegmentScan is Scan within each segment of x, by flags: it begins anew where a flag is not 0.
func SegmentScan[T Number](s *gpu.Stream, op Operation, x *gpu.Buffer[T], flags *gpu.Buffer[uint8], result *gpu.Buffer[T]) error {
	return segmentScan("seq.SegmentScan", s, op, 0, x, flags, nil, result)
}

// SegmentScanExclusive is ScanExclusive within each segment of x, by flags.
func SegmentScanExclusive[T Number](s *gpu.Stream, op Operation, x *gpu.Buffer[T], flags *gpu.Buffer[uint8], result *gpu.Buffer[T]) error {
	return segmentScan("seq.SegmentScanExclusive", s, op, exclusive, x, flags, nil, result)
}

// SegmentScanOffsets is SegmentScan of segments by offsets, of which the one behind the last
// segment may be missing. Elements before the first segment are one, too.
func SegmentScanOffsets[T Number](s *gpu.Stream, op Operation, x *gpu.Buffer[T], offsets *gpu.Buffer[uint32], result *gpu.Buffer[T]) error {
	return segmentScan("seq.SegmentScanOffsets", s, op, 0, x, nil, offsets, result)
}

var segmentKernels = [kinds]struct {
	scan, parts, fold string
	bytes             int // of a part
}{
	{"scanSegments_int32", "scanParts_int32", "foldSegments_int32", 8},
	{"scanSegments_uint32", "scanParts_uint32", "foldSegments_uint32", 8},
	{"scanSegments_int64", "scanParts_int64", "foldSegments_int64", 16},
	{"scanSegments_uint64", "scanParts_uint64", "foldSegments_uint64", 16},
	{"scanSegments_float32", "scanParts_float32", "foldSegments_float32", 8},
	{"scanSegments_float64", "scanParts_float64", "foldSegments_float64", 16},
}

// segmentScan has either flags or offsets.
func segmentScan[T Number](operation string, s *gpu.Stream, op Operation, options uint32, x *gpu.Buffer[T], flags *gpu.Buffer[uint8], offsets *gpu.Buffer[uint32], result *gpu.Buffer[T]) error {
	segments := named{"flags", flags}
	byOffsets := operation == "seq.SegmentScanOffsets"
	if byOffsets {
		segments = named{"offsets", offsets}
	}
	if err := checkBuffers(operation, s, 1, named{"result", result}, named{"x", x}, segments); err != nil {
		return err
	}
	n := x.Len()
	if !byOffsets {
		if err := wrongLength(operation, "flags", n, flags.Len()); err != nil {
			return err
		}
	}
	if err := wrongLength(operation, "result", n, result.Len()); err != nil {
		return err
	}
	bits, identity, err := operationOf[T](operation, op)
	if err != nil || n == 0 {
		return err
	}
	options |= bits
	c := begin(operation, s)
	defer c.end()
	marks := segments.buffer
	if byOffsets {
		if marks, err = c.markSegments(n, offsets); err != nil {
			return err
		}
	}
	k, tiles := &segmentKernels[kindOf[T]()], ceil(n, segmentTile)
	parts, err := c.scratch(slotStates, tiles*k.bytes)
	if err != nil {
		return err
	}
	unused, err := c.scratch(slotNothing, 8)
	if err != nil {
		return err
	}
	grid := gpu.D1(uint32(tiles))
	put(c.values.with(uint32(n), options|totalsOnly), identity)
	if err := c.launch(k.scan, grid, marks, x, parts, unused); err != nil {
		return err
	}
	put(c.values.with(uint32(tiles), options), identity)
	if err := c.launch(k.parts, gpu.D1(1), parts); err != nil {
		return err
	}
	put(c.values.with(uint32(n), options), identity)
	return c.launch(k.scan, grid, marks, x, parts, result)
}

// markSegments makes flags of offsets.
func (c *call) markSegments(n int, offsets *gpu.Buffer[uint32]) (gpu.Bound, error) {
	flags, err := c.scratch(slotFlags, n)
	if err != nil {
		return nil, err
	}
	if err := fill(c, flags, ceil(n, 4), uint32(0)); err != nil || offsets.Len() == 0 {
		return flags, err
	}
	c.values.with(uint32(offsets.Len()))
	return flags, c.launch("markOffsets", gpu.Items1(offsets.Len()), offsets, flags)
}

// Package seq has what programs do with long sequences of numbers on a device: reductions, scans,
// sorts, selections, histograms and random numbers.
//
//	err := seq.Sort(stream, keys)                    // buffers of the device
//	err = seq.SortPairs(stream, keys, values, seq.Descending())
//	err = seq.Scan(stream, seq.Add, keys, sums)
//	err = seq.Sum(stream, keys, result)              // of one element
//
// Functions enqueue kernels on a stream, and return before these have run. They check all arguments
// first: what does not fit is a *gpu.ShapeError, buffers that overlap are gpu.ErrAlias, and what is
// nil or closed is gpu.ErrClosed. In such cases nothing is written. Buffers may be empty. A buffer
// has at most 2³¹ - 2²⁰ elements, and its slices begin where a kernel's may (Buffer.Slice).
//
// The kernels are compiled with strict arithmetic, and the order of their additions depends on
// sizes alone. So results have the same bits on every device.
//
// A stream keeps scratch memory for calls, up to 64 MiB for each purpose, until it is collected.
// More comes from the stream's pool in each call. A second call of the same sizes allocates
// nothing, unless it needs more than that.
package seq

//go:generate go tool gpuc gen -target spirv,ptx,cpu -math=strict .

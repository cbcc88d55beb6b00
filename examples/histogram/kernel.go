package main

import (
	"sync/atomic"

	"github.com/gpuc/gpuc/runtime/gpu"
)

//go:generate go tool gpuc gen .

// Levels is how many brightnesses there are, from black to white. A workgroup has as many items, so
// that each has one count to hand over at the end.
const Levels = 256

// Count adds to counts how often each brightness occurs. What is brighter than white counts as
// white.
//
// Items count at the same time, so they have to count with atomics: two that simply add one may
// both read the old count, and one of them is lost. Atomics on one element wait for each other, and
// the whole device has thousands of items. Were counts all there is, they would stand in a queue
// for the brightness that occurs most. So a workgroup counts by itself, in memory of its own, where
// few wait and the way is short. Only what it has counted in the end goes to counts: 256 additions,
// however much data there is.
//
// The grid need not cover the data. An item begins at its own index and goes on by the number of
// all items. That way neighbours always read neighbours, which memory does fastest, and each
// workgroup has much to count before it hands over.
//
//gpuc:kernel workgroup=Levels
func Count(it gpu.Item, own *[Levels]uint32, brightness, counts []uint32) {
	items := it.Groups().X * it.Size().X
	for i := it.Index(); i < len(brightness); i += items {
		atomic.AddUint32(&own[min(brightness[i], Levels-1)], 1)
	}
	it.Barrier() // all have counted
	local := it.LocalIndex()
	atomic.AddUint32(&counts[local], own[local])
}

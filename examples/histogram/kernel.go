package main

import (
	"sync/atomic"

	"github.com/gpuc/gpuc/runtime/gpu"
)

//go:generate go tool gpuc gen .

// Levels is the number of brightness values, from black to white. A workgroup has as many items, so
// that at the end each item adds one count.
const Levels = 256

// Count adds to counts how often each brightness occurs. Larger values count as white.
//
// Items run in parallel, so they count with atomics: if two items simply add one, both may read the
// old count, and one addition is lost. Atomics on the same element wait for each other, and a
// device runs thousands of items. If all of them used counts, they would wait for the most frequent
// brightness. So each workgroup first counts in its own workgroup memory, which is faster and has
// fewer items. At the end it adds its 256 counts to counts.
//
// The grid is independent of the amount of data. An item starts at its index and advances by the
// number of all items (a grid-stride loop). So adjacent items read adjacent elements, which is the
// fastest access, and a workgroup counts many elements before it adds to counts.
//
//gpuc:kernel workgroup=Levels
func Count(it gpu.Item, own *[Levels]uint32, brightness, counts []uint32) {
	items := it.Groups().X * it.Size().X
	for i := it.Index(); i < len(brightness); i += items {
		atomic.AddUint32(&own[min(brightness[i], Levels-1)], 1)
	}
	it.Barrier() // wait until all items have counted
	local := it.LocalIndex()
	atomic.AddUint32(&counts[local], own[local])
}

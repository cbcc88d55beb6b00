package seq

import "github.com/gpuc/gpuc/runtime/gpu"

// rowItems is the size of workgroups that sort a row.
const rowItems = 256

// sortRowMost is how many elements a row may have that one workgroup sorts in its memory.
const sortRowMost = 2048

// rowMemory is a row with the indices of its keys.
type rowMemory[K any] struct {
	Keys    [sortRowMost]K
	Indices [sortRowMost]uint32
}

// sortRows sorts rows of n keys, of which a workgroup has one: a bitonic sort (Batcher 1968), of
// keys that differ by their indices, and so a stable one. Size is the power of two from n on.
//
//gpuc:kernel workgroup=rowItems types=uint32,uint64
func sortRowsOf[K uint32 | uint64](it gpu.Item, row *rowMemory[K], n, size int, options uint32, keys []K, values []uint32) {
	l, base := it.LocalIndex(), it.Group().X*n
	for i := l; i < size; i += rowItems {
		row.Keys[i%sortRowMost], row.Indices[i%sortRowMost] = ^K(0), uint32(i)
		if i < n {
			row.Keys[i%sortRowMost] = encode(keys[base+i], options)
		}
	}
	bitonic(it, row, size)
	var moved [sortRowMost / rowItems]uint32
	if options&withValues != 0 {
		for k := range moved {
			if i := k*rowItems + l; i < n {
				moved[k] = values[base+int(row.Indices[i])]
			}
		}
		it.Barrier()
	}
	for k := range moved {
		i := k*rowItems + l
		if i >= n {
			break
		}
		keys[base+i] = decode(row.Keys[i], options)
		if options&withValues != 0 {
			values[base+i] = moved[k]
		}
		if options&withIndices != 0 {
			values[base+i] = row.Indices[i]
		}
	}
}

// bitonic sorts the first size keys of a row, a power of two, by key and index.
func bitonic[K uint32 | uint64](it gpu.Item, row *rowMemory[K], size int) {
	for run := 2; run <= size; run *= 2 {
		for gap := run / 2; gap > 0; gap /= 2 {
			it.Barrier()
			for pair := it.LocalIndex(); pair < size/2; pair += rowItems {
				low := (2*pair - pair&(gap-1)) % sortRowMost
				high := (low + gap) % sortRowMost
				a, b := row.Keys[low], row.Keys[high]
				i, j := row.Indices[low], row.Indices[high]
				if (a > b || a == b && i > j) == (low&run == 0) {
					row.Keys[low], row.Keys[high] = b, a
					row.Indices[low], row.Indices[high] = j, i
				}
			}
		}
	}
	it.Barrier()
}

// gatherWords moves elements of each words of 32 bits to where their indices are.
//
//gpuc:kernel workgroup=256
func gatherWords(it gpu.Item, n, each int, from, indices, to []uint32) {
	if i := it.Index(); i < n*each && i < len(to) {
		to[i] = from[int(indices[i/each])*each+i%each]
	}
}

// copyWords copies words.
//
//gpuc:kernel workgroup=256
func copyWords(it gpu.Item, n int, from, to []uint32) {
	if i := it.Index(); i < n && i < len(to) && i < len(from) {
		to[i] = from[i]
	}
}

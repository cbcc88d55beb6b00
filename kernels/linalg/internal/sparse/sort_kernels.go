package sparse

// The kernels that check a sparse matrix, and that make its transpose: elements are sorted by
// columns (Batcher, "Sorting networks and their applications", 1968).

import "github.com/gpuc/gpuc/runtime/gpu"

// Key is an element's column and its number. No two elements have the same.
type Key struct{ Column, Number uint32 }

// noColumn is behind all columns.
const noColumn = 1<<32 - 1

// less reports whether p is before q.
func (p Key) less(q Key) bool {
	return p.Column < q.Column || p.Column == q.Column && p.Number < q.Number
}

// Keys writes the key of each element, and its row. Elements of columns that there are not, and
// room for more, keep keys of noColumn.
//
//gpuc:kernel workgroup=lanes,rowsAtOnce
func Keys(it gpu.Item, m Shape, starts, columns []int32, keys []Key, rows []int32) {
	for i := it.Global().Y; i < int(m.Rows); i += it.Groups().Y * rowsAtOnce {
		first, last := m.elements(starts, i)
		for k := first + it.Local().X; k < last; k += lanes {
			rows[k] = int32(i)
			if column := columns[k]; uint32(column) < uint32(m.Cols) {
				keys[k] = Key{uint32(column), uint32(k)}
			}
		}
	}
}

// FillKeys makes n keys that are behind all others.
//
//gpuc:kernel workgroup=items
func FillKeys(it gpu.Item, n int, keys []Key) {
	for i := it.Global().X; i < n; i += it.Groups().X * items {
		keys[i] = Key{noColumn, noColumn}
	}
}

// SortBlocks sorts n keys, which are whole blocks, for sizes up to a block. From is 2, or the size
// of what is merged if that is larger than a block.
//
//gpuc:kernel workgroup=items
func SortBlocks(it gpu.Item, shared *[block]Key, n, from int, keys []Key) {
	l := it.LocalIndex()
	for first := it.Group().X * block; first < n; first += it.Groups().X * block {
		for e := range each {
			shared[e*items+l] = keys[first+e*items+l]
		}
		for size := from; size <= max(from, block); size *= 2 {
			for step := min(size, block) / 2; step > 0; step /= 2 {
				it.Barrier()
				for e := range each / 2 {
					k := e*items + l
					i := k/step*2*step + k%step
					p, q := shared[i], shared[i+step]
					if q.less(p) == ((first+i)&size == 0) {
						shared[i], shared[i+step] = q, p
					}
				}
			}
		}
		it.Barrier()
		for e := range each {
			keys[first+e*items+l] = shared[e*items+l]
		}
		it.Barrier()
	}
}

// ExchangeKeys is a step of sorting n keys, between blocks.
//
//gpuc:kernel workgroup=items
func ExchangeKeys(it gpu.Item, n, size, step int, keys []Key) {
	for k := it.Global().X; k < n/2; k += it.Groups().X * items {
		i := k/step*2*step + k%step
		p, q := keys[i], keys[i+step]
		if q.less(p) == (i&size == 0) {
			keys[i], keys[i+step] = q, p
		}
	}
}

// TakeKeys makes the transpose's elements of the matrix's, in the order of sorted keys.
//
//gpuc:kernel workgroup=items types=float32,float64
func TakeKeys[T float](it gpu.Item, room int, keys []Key, rows []int32, values []T, toRows []int32, toValues []T) {
	for k := it.Global().X; k < room; k += it.Groups().X * items {
		if p := keys[k]; p.Column != noColumn {
			toRows[k], toValues[k] = rows[p.Number], values[p.Number]
		}
	}
}

// KeyStarts writes where the elements of each column begin in n sorted keys, and how many there
// are.
//
//gpuc:kernel workgroup=items
func KeyStarts(it gpu.Item, cols, n int, keys []Key, starts []int32) {
	for j := it.Global().X; j <= cols; j += it.Groups().X * items {
		low, high := 0, n
		for low < high {
			if middle := (low + high) / 2; keys[middle].less(Key{uint32(j), 0}) {
				low = middle + 1
			} else {
				high = middle
			}
		}
		starts[j] = int32(low)
	}
}

// Faults writes, for each workgroup, the first of its rows that is not well formed, or rows.
//
//gpuc:kernel workgroup=items
func Faults(it gpu.Item, shared *[items]int32, m Shape, starts, columns []int32, faults []int32) {
	l := it.LocalIndex()
	first := m.Rows
	for i := it.Global().X; i < int(m.Rows); i += it.Groups().X * items {
		from, to := starts[i], starts[i+1]
		wrong := from < 0 || to < from || to > m.Room || i == 0 && from != 0
		if !wrong {
			before := int32(-1)
			for k := from; k < to; k++ {
				column := columns[k]
				wrong = wrong || column <= before || column >= m.Cols
				before = column
			}
		}
		if wrong {
			first = min(first, int32(i))
		}
	}
	first = least(it, shared, first)
	if l == 0 {
		faults[it.Group().X] = first
	}
}

// FirstFault writes the least of n numbers of rows plus one, and zero if that is no row.
//
//gpuc:kernel workgroup=items
func FirstFault(it gpu.Item, shared *[items]int32, rows int32, n int, faults, info []int32) {
	first := rows
	for k := it.LocalIndex(); k < n; k += items {
		first = min(first, faults[k])
	}
	first = least(it, shared, first)
	if it.LocalIndex() == 0 {
		info[0] = (first + 1) % (rows + 1)
	}
}

// least returns the least number of the items. Item 0 has it.
func least(it gpu.Item, shared *[items]int32, v int32) int32 {
	l := it.LocalIndex()
	shared[l] = v
	for step := items / 2; step > 0; step /= 2 {
		it.Barrier()
		if l < step {
			v = min(v, shared[l+step])
			shared[l] = v
		}
	}
	return v
}

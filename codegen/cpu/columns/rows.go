package columns

import "unsafe"

// This file stores four words that follow each other at once, as those of a vec4 do: lanes have one place for all, and what lies side by side in columns is written side by side.

// rowWords is how many words a row has.
const rowWords = 4

// joinRow makes one instruction of the last ones if they store a row.
func (c *compiler) joinRow() {
	first := len(c.out.code) - rowWords
	if first < int(c.out.starts[len(c.out.starts)-1]) {
		return
	}
	code := c.out.code[first:]
	if code[0].op != opStore {
		return
	}
	a := c.out.accesses[code[0].x]
	if a.bytes != 4 || a.own || a.index == noIndex || a.scale < 4*rowWords {
		return
	}
	for n, i := range code {
		if i.op != opStore || i.x != code[0].x+uint32(n) || c.out.accesses[i.x].data[0].step != 4 {
			return
		}
		other := c.out.accesses[i.x]
		if other.offset != a.offset+int64(4*n) {
			return
		}
		if other.offset, other.data = a.offset, a.data; other != a {
			return
		}
	}
	c.out.code = append(c.out.code[:first], inst{op: opStoreRow, x: code[0].x})
}

// storeRow executes four stores.
func (w *worker) storeRow(row []access) {
	a := &row[0]
	start := w.start(a)
	if size := w.roots[a.root].size; w.live > w.extent/8 && w.windowOf(a, start) && size-start >= 4*rowWords {
		w.window.last = uint32(size-start-4*rowWords) / a.scale // so that all words are inside
		var from [rowWords]unsafe.Pointer
		for n := range row {
			from[n] = w.at(row[n].data[0].at)
		}
		if w.program.processor.scatterRow(w.extent, &from, w.at(a.column), w.column(), &w.window) {
			return
		}
	}
	for n := range row {
		w.store(&row[n])
	}
}

func scatterRow(lanes int, from *[rowWords]unsafe.Pointer, column, mask unsafe.Pointer, w *window) bool {
	masks := unsafe.Slice((*uint32)(mask), lanes)
	for n, at := range unsafe.Slice((*uint32)(column), lanes)[:len(masks)] {
		if masks[n] == 0 {
			continue
		}
		if at = min(at, w.bound) + w.add; at > w.last {
			return false
		}
		to := (*[rowWords]uint32)(unsafe.Add(w.base, uint64(at)*uint64(w.scale)))
		for k := range to {
			to[k] = *(*uint32)(unsafe.Add(from[k], 4*n))
		}
	}
	return true
}

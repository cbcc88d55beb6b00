package vector

import "unsafe"

// This file loads and stores up to four words that follow each other at once, as those of a vec4
// do. Lanes compute one address for all of them.

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

// joinLoads makes one instruction of the last load and those in front of it if they are of one row.
// A load of one word alone may be where an instruction reads it, which a row cannot.
func (c *compiler) joinLoads() {
	last := len(c.out.code) - 1
	if last <= int(c.out.starts[len(c.out.starts)-1]) {
		return
	}
	before := &c.out.code[last-1]
	first, count := before.x, uint32(1)
	switch before.op {
	case opLoadRow:
		count = before.a
	case opLoad:
	default:
		return
	}
	a, b := c.out.accesses[first], c.out.accesses[c.out.code[last].x]
	if first+count != c.out.code[last].x || a.bytes != 4 || a.own || a.narrow || a.index != unsignedIndex || a.scale != 4*rowWords || a.result.step != 4 || b.result.step != 4 {
		return
	}
	// each word once
	if by := b.offset - a.offset; b.offset <= c.out.accesses[first+count-1].offset || by >= 4*rowWords || by%4 != 0 {
		return
	}
	if b.offset, b.result = a.offset, a.result; a != b {
		return
	}
	*before = inst{op: opLoadRow, a: count + 1, x: first}
	c.out.code = c.out.code[:last]
}

// loadRow executes loads of words of a row.
func (w *worker) loadRow(row []access) {
	a := &row[0]
	start := w.start(a)
	if size := w.roots[a.root].size; w.live > w.extent/8 && w.windowOf(a, start) && size-start >= 4*rowWords {
		w.window.last = uint32(size-start-4*rowWords) / a.scale // so that all words are inside
		var to [rowWords]unsafe.Pointer
		for n := range row {
			to[(row[n].offset-a.offset)/4] = w.at(row[n].result.at)
		}
		if gatherRow(w.extent, &to, w.at(a.column), &w.window) {
			return
		}
	}
	for n := range row {
		w.load(&row[n])
	}
}

func gatherRow(lanes int, to *[rowWords]unsafe.Pointer, column unsafe.Pointer, w *window) bool {
	for n, at := range unsafe.Slice((*uint32)(column), lanes) {
		if at = min(at, w.bound) + w.add; at > w.last {
			return false
		}
		from := (*[rowWords]uint32)(unsafe.Add(w.base, uint64(at)*uint64(w.scale)))
		for k, column := range to {
			if column != nil {
				*(*uint32)(unsafe.Add(column, 4*n)) = from[k]
			}
		}
	}
	return true
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
		if scatterRow(w.extent, &from, w.at(a.column), w.column(), &w.window) {
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

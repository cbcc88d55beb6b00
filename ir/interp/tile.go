package interp

import (
	"encoding/binary"
	"unsafe"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
)

// This file executes operations on tiles.
//
// The elements of a tile are dealt out in the order of rows: invocation t of n holds the elements
// t, t+n, … . An invocation's part of a tile is never changed, so a tile is a value. A slot holds
// the handle of the part; that of zeros is 0. Handles have a tag that other numbers rarely have. So
// parts that no handle in any slot or variable names can go when there are too many.

// tileStore has the parts of the tiles of the running workgroup.
type tileStore struct {
	parts [][]uint64
	free  []uint32 // of parts
	marks []bool
	// held is the size of the parts, and limit what leads to a search for unused ones.
	held, limit int
	scratch     [4][]uint64 // of an operation that all execute: the result and three operands
}

const (
	tileTag     uint64 = 0x7C5A << 48
	tileTagMask uint64 = 0xFFFF << 48
)

// minTileLimit is the least limit of a store, in elements.
const minTileLimit = 1 << 22

// partOverhead is what a part costs beside its elements, in elements.
const partOverhead = 4

// reset frees all parts.
func (s *tileStore) reset() {
	if len(s.parts) == 0 {
		return
	}
	clear(s.parts)
	s.parts, s.free = s.parts[:0], s.free[:0]
	s.held, s.limit = 0, 0
}

// part returns the elements behind a handle; all that are absent are zero.
func (s *tileStore) part(handle uint64) []uint64 {
	if n := handle &^ tileTagMask; handle != 0 && n < uint64(len(s.parts)) {
		return s.parts[n]
	}
	return nil
}

// keepPart returns a handle for an invocation's part of a tile.
func (w *worker) keepPart(part []uint64) uint64 {
	s := &w.tiles
	if len(part) == 0 {
		return 0
	}
	if s.held += len(part) + partOverhead; s.held > max(s.limit, minTileLimit) {
		w.freeParts()
		s.held += len(part) + partOverhead
	}
	if last := len(s.free) - 1; last >= 0 {
		n := s.free[last]
		s.free = s.free[:last]
		s.parts[n] = part
		return tileTag | uint64(n)
	}
	s.parts = append(s.parts, part)
	return tileTag | uint64(len(s.parts)-1)
}

// freeParts frees the parts whose handles are in no slot and no variable of the invocations.
func (w *worker) freeParts() {
	s := &w.tiles
	s.marks = grown(s.marks, len(s.parts))
	clear(s.marks)
	mark := func(bits uint64) {
		if n := bits &^ tileTagMask; bits&tileTagMask == tileTag && n < uint64(len(s.marks)) {
			s.marks[n] = true
		}
	}
	for n := range w.invocations {
		v := &w.invocations[n]
		for _, bits := range v.slots {
			mark(bits)
		}
		for at := 0; at+8 <= len(v.arena); at += 8 {
			mark(binary.NativeEndian.Uint64(v.arena[at:]))
		}
	}
	s.held = 0
	for n, part := range s.parts {
		switch {
		case part == nil:
		case s.marks[n]:
			s.held += len(part) + partOverhead
		default:
			s.parts[n] = nil
			s.free = append(s.free, uint32(n))
		}
	}
	s.limit = 2 * s.held
}

// holds returns how many elements of a shape an invocation holds.
func (w *worker) holds(s *tileShape, v *invocation) int {
	items := w.launch.groupSize
	return (s.size() - int(v.local) + items - 1) / items
}

func (w *worker) splatTile(v *invocation, c *code) uint64 {
	t := &w.image.tiles[c.aux]
	bits := v.slots[c.a]
	if bits == 0 {
		return 0
	}
	part := make([]uint64, w.holds(&t.result, v))
	for n := range part {
		part[n] = bits
	}
	return w.keepPart(part)
}

func (w *worker) convertTile(v *invocation, c *code) uint64 {
	t := &w.image.tiles[c.aux]
	from := w.tiles.part(v.slots[c.a])
	part := make([]uint64, len(from)) // zero is zero in all kinds
	for n, bits := range from {
		part[n] = t.widen[0](bits)
	}
	return w.keepPart(part)
}

// tilePosition returns the row or column of an invocation's element.
func (w *worker) tilePosition(v *invocation, c *code) uint64 {
	n := uint32(v.slots[c.a])*uint32(w.launch.groupSize) + v.local
	columns := uint32(w.image.tiles[c.aux].result.columns)
	if c.n == 1 {
		return uint64(n % columns)
	}
	return uint64(n / columns)
}

// tileElement returns an element of the invocation. One outside is that of the last index, as in
// an array.
func (w *worker) tileElement(v *invocation, pc uint32, c *code) uint64 {
	n, each := v.slots[c.b], uint64(w.image.tiles[c.aux].result.each)
	if n >= each {
		if w.checks != nil {
			w.checks.tileIndex(w, v, pc, n, each)
		}
		n = each - 1
	}
	if part := w.tiles.part(v.slots[c.a]); n < uint64(len(part)) {
		return part[n]
	}
	return 0
}

// withElement returns a tile with an element of the invocation replaced.
func (w *worker) withElement(v *invocation, pc uint32, c *code) uint64 {
	n, shape := v.slots[c.b], &w.image.tiles[c.aux].result
	if n >= uint64(shape.each) && w.checks != nil {
		w.checks.tileIndex(w, v, pc, n, uint64(shape.each))
	}
	held := w.holds(shape, v)
	if n >= uint64(held) {
		return v.slots[c.a]
	}
	part := make([]uint64, held)
	copy(part, w.tiles.part(v.slots[c.a]))
	part[n] = v.slots[c.c]
	return w.keepPart(part)
}

// collective is an operation on whole tiles: it computes the elements of the result.
type collective func(t *tileOperation, operands *[3][]uint64, result []uint64)

var collectives = [op.Count]collective{
	op.TileMulAdd: multiplyTiles, op.TileReduce: reduceTile, op.TileBroadcast: broadcastTile, op.TileTranspose: transposeTile,
}

// meetTile executes an operation for all invocations that wait at it. What others hold is zero.
func (w *worker) meetTile(pc uint32) {
	c := &w.image.code[pc]
	t, operands := &w.image.tiles[c.aux], w.image.lists[c.x&(1<<32-1):]
	s := &w.tiles
	result := grown(s.scratch[3], t.result.size())
	s.scratch[3] = result
	clear(result)
	switch t.op {
	case op.TileLoad, op.TileLoadWindows:
		w.eachElement(pc, t, operands, func(i int, from unsafe.Pointer, _ bool) {
			result[i] = bitsAt(from, t.result.kind.Bytes())
		})
	case op.TileStore:
		w.gather(pc, &t.result, operands[ir.TileValue], result)
		w.eachElement(pc, t, operands, func(i int, to unsafe.Pointer, marked bool) {
			if !marked {
				putBits(to, t.result.kind.Bytes(), result[i])
			}
		})
	default:
		var all [3][]uint64
		for n := range all {
			if shape := &t.operands[n]; shape.rows > 0 {
				s.scratch[n] = grown(s.scratch[n], shape.size())
				all[n] = s.scratch[n]
				clear(all[n])
				w.gather(pc, shape, operands[n], all[n])
			}
		}
		collectives[t.op](t, &all, result)
	}
	w.scatter(pc, c, t, result)
	if t.op == op.TileStore && w.checks != nil {
		w.checks.epoch++
		w.checks.order(t.memory)
	}
}

// waiting calls a function for the invocations that wait at an instruction.
func (w *worker) waiting(pc uint32, visit func(v *invocation)) {
	for n := range w.invocations {
		if v := &w.invocations[n]; v.state == atBarrier && v.pc == pc {
			visit(v)
		}
	}
}

// gather joins the parts of a tile.
func (w *worker) gather(pc uint32, shape *tileShape, slot uint32, to []uint64) {
	w.waiting(pc, func(v *invocation) {
		i := int(v.local)
		for _, bits := range w.tiles.part(v.slots[slot]) {
			to[i] = bits
			i += w.launch.groupSize
		}
	})
}

// scatter gives the invocations their parts of a result, and lets them go on.
func (w *worker) scatter(pc uint32, c *code, t *tileOperation, all []uint64) {
	parts := make([]uint64, len(all))
	w.waiting(pc, func(v *invocation) {
		v.pc++
		v.state = runnable
		if t.op == op.TileStore {
			return
		}
		held := w.holds(&t.result, v)
		part := parts[:held:held]
		parts = parts[held:]
		for n := range part {
			part[n] = all[int(v.local)+n*w.launch.groupSize]
		}
		v.slots[c.d] = w.keepPart(part)
	})
}

// eachElement calls a function for each element of a tile that is in the matrix and its array, with
// its address. marked says that the array's pointer was made with an index outside. In the checked
// mode each is an access of the invocation that holds it.
func (w *worker) eachElement(pc uint32, t *tileOperation, operands []uint32, visit func(i int, address unsafe.Pointer, marked bool)) {
	kind := checkRead
	if t.op == op.TileStore {
		kind = checkWrite
	}
	bytes := uint64(t.result.kind.Bytes())
	w.waiting(pc, func(v *invocation) {
		arg := func(n int) uint32 { return uint32(v.slots[operands[n]]) }
		place := matrixPlace
		if t.op == op.TileLoadWindows {
			place = windowsPlace
		}
		pointer := v.slots[operands[ir.TileArray]]
		root := rootOf(pointer)
		m := &v.roots[root]
		count := t.count
		if count == 0 {
			count = elements(v.roots, pointer, t.stride)
		}
		marked := pointer&outside != 0
		if marked && w.checks != nil {
			w.checks.outside(w, v, pc, operands[ir.TileArray], &w.image.roots[root])
			return
		}
		for i := int(v.local); i < t.result.size(); i += w.launch.groupSize {
			index, inside := place(arg, uint32(i/t.result.columns), uint32(i%t.result.columns))
			offset := pointer&offsetMask + uint64(index)*t.stride + t.offset
			if !inside || uint64(index) >= count || offset+bytes > m.size {
				continue
			}
			if w.checks != nil && isShared(w.image.roots[root].space) {
				w.checks.touch(w, v, pc, int(root), offset, bytes, kind)
			}
			visit(i, unsafe.Add(m.base, offset), marked)
		}
	})
}

// matrixPlace returns the index in the array of an element of a matrix, at a row and column of its
// tile, and whether it is inside of the matrix.
func matrixPlace(arg func(n int) uint32, row, column uint32) (index uint32, inside bool) {
	row, column = arg(ir.TileFirstRow)+row, arg(ir.TileFirstColumn)+column
	index = arg(ir.TileOffset) + row*arg(ir.TileRowStride) + column*arg(ir.TileColumnStride)
	return index, row < arg(ir.TileRows) && column < arg(ir.TileColumns)
}

// windowsPlace is matrixPlace for the matrix of a tensor's windows.
func windowsPlace(arg func(n int) uint32, row, column uint32) (index uint32, inside bool) {
	const height, width = 0, 1
	channels := arg(ir.WindowsSizes + 3)
	down, across := arg(ir.WindowsPositions+height), arg(ir.WindowsPositions+width)
	taps := arg(ir.WindowsTaps + width)
	row, column = arg(ir.WindowsFirstRow)+row, arg(ir.WindowsFirstColumn)+column
	if row >= arg(ir.WindowsSizes)*down*across || column >= arg(ir.WindowsTaps+height)*taps*channels {
		return 0, false
	}
	at := func(side int, position, tap uint32) uint32 {
		place := position*arg(ir.WindowsSteps+side) - arg(ir.WindowsPadding+side) + tap*arg(ir.WindowsDilations+side)
		inside = inside && place < arg(ir.WindowsSizes+1+side)
		return place * arg(ir.WindowsStrides+1+side)
	}
	inside = true
	index = arg(ir.TileOffset) + row/(down*across)*arg(ir.WindowsStrides) + column%channels*arg(ir.WindowsStrides+3)
	index += at(height, row/across%down, column/channels/taps)
	index += at(width, row%across, column/channels%taps)
	return index, inside
}

func multiplyTiles(t *tileOperation, operands *[3][]uint64, result []uint64) {
	for n, widen := range t.widen {
		for i, bits := range operands[n] {
			operands[n][i] = widen(bits)
		}
	}
	columns, depth := t.result.columns, t.operands[0].columns
	for i := range result {
		sum := operands[2][i]
		for k := range depth {
			sum = t.fold(operands[0][i/columns*depth+k], operands[1][k*columns+i%columns], sum, 0)
		}
		result[i] = sum
	}
}

// reduceTile reduces rows if the result has one column and as many rows, or else columns.
func reduceTile(t *tileOperation, operands *[3][]uint64, result []uint64) {
	from := &t.operands[0]
	count, step, next := from.rows, from.columns, 1
	if t.result.columns == 1 && t.result.rows == from.rows {
		count, step, next = from.columns, 1, from.columns
	}
	for i := range result {
		at := i * next
		result[i] = operands[0][at]
		for n := 1; n < count; n++ {
			result[i] = t.fold(result[i], operands[0][at+n*step], 0, 0)
		}
	}
}

func broadcastTile(t *tileOperation, operands *[3][]uint64, result []uint64) {
	for i := range result {
		row, column := i/t.result.columns, i%t.result.columns
		result[i] = operands[0][min(row, t.operands[0].rows-1)*t.operands[0].columns+min(column, t.operands[0].columns-1)]
	}
}

func transposeTile(t *tileOperation, operands *[3][]uint64, result []uint64) {
	for i := range result {
		result[i] = operands[0][i%t.result.columns*t.operands[0].columns+i/t.result.columns]
	}
}

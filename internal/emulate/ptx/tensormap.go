package ptx

import (
	"encoding/binary"
	"fmt"

	"github.com/gpuc/gpuc/internal/emulate"
	"github.com/gpuc/gpuc/runtime/abi"
)

// Copies of boxes of matrices between global and workgroup memory by tensor maps (PTX ISA,
// cp.async.bulk.tensor).

const (
	mapBytes     = 128
	mapAlignment = 64
	// boxAlignment is that of boxes in workgroup memory.
	boxAlignment = 128
	// genericParameter marks generic addresses of parameters, see cvta.param.
	genericParameter = 2 << 60
	// mapMark is in the encoding of tensor maps here, with the map's index.
	mapMark = 0x7E45_0A0B_0000_0000
)

// tensorMap is a matrix in a buffer, and the box that a copy has of it.
type tensorMap struct {
	buffer  int
	at      uint64 // of the first element in the buffer, in bytes
	size    uint64 // of an element
	extent  [2]uint64
	stride  uint64 // of rows, in bytes
	box     [2]uint64
	swizzle bool
}

// elementSizes are those of the elements of tensor maps.
var elementSizes = map[string]uint64{"f16": 2, "bf16": 2, "f32": 4, "f64": 8, "i8": 1, "u8": 1, "e4m3": 1, "e5m2": 1, "i32": 4, "u32": 4}

// RunTensor executes the variant of a kernel with tensor maps. It returns false if a matrix of the
// launch has no tensor map: then the kernel itself is to be executed.
func (m *Module) RunTensor(t *abi.Tensor, launch *emulate.Launch) (bool, error) {
	k := &t.Artefact.Kernel
	if !t.Covers(launch.Grid) {
		return false, nil
	}
	var maps []tensorMap
	for n := range t.Maps {
		made := &t.Maps[n]
		b := k.Bindings[made.Binding]
		data, err := launch.Buffer(b.Group, b.Binding)
		if err != nil {
			return false, err
		}
		values := launch.Immediates
		if made.Layout.Binding >= 0 {
			u := k.Bindings[made.Layout.Binding]
			if values, err = launch.Buffer(u.Group, u.Binding); err != nil {
				return false, err
			}
		}
		if uint64(len(values)) < uint64(made.Layout.Offset)+abi.MatrixLayoutBytes {
			return false, fmt.Errorf("map %d: the layout of its matrix lies beyond the launch's values", n)
		}
		address := globalAddress(made.Binding, false)
		x, ok := made.Matrix(values[made.Layout.Offset:], address, uint64(len(data)))
		if !ok {
			return false, nil
		}
		maps = append(maps, tensorMap{buffer: made.Binding, at: x.Address - address, size: elementSizes[made.Element], extent: [2]uint64{x.Rows, x.Columns},
			stride: x.RowBytes, box: [2]uint64{uint64(made.Box[0]), uint64(made.Box[1])}, swizzle: made.Swizzle != 0})
		if last := &maps[n]; made.Swizzle != 0 && (made.Swizzle != swizzleRow || last.box[1]*last.size != swizzleRow) {
			return false, fmt.Errorf("map %d: rows of a box have %d bytes and a swizzle of %d, which is not emulated", n, last.box[1]*last.size, made.Swizzle)
		}
	}
	return true, m.run(k, launch, nil, nil, maps)
}

// encodeMap encodes a tensor map, whose contents are the emulator's own.
func encodeMap(n int) []byte {
	b := make([]byte, mapBytes)
	binary.LittleEndian.PutUint64(b, mapMark+uint64(n))
	return b
}

// fromParameter is cvta.param.
func fromParameter(_ *instruction, a, _, _ uint64) uint64 {
	if at := a - windows[parameter]; at >= windowBytes {
		fail(fmt.Sprintf("address %#x is none of a parameter", a))
	}
	return a | genericParameter
}

// mapAt returns the tensor map at a generic address.
func (t *thread) mapAt(slot int32) *tensorMap {
	t.need(slot)
	g := t.group
	address, r := t.frame.values[slot], &g.arguments
	at := address&^genericParameter - windows[parameter]
	if address&genericParameter == 0 || at >= uint64(len(r.bytes)) || at%mapAlignment != 0 || uint64(len(r.bytes))-at < mapBytes {
		fail(fmt.Sprintf("address %#x is none of a tensor map", address))
	}
	word := binary.LittleEndian.Uint64(r.bytes[at:])
	if n := word - mapMark; n < uint64(len(g.maps)) {
		return &g.maps[n]
	}
	fail(fmt.Sprintf("address %#x is none of a tensor map", address))
	return nil
}

// readMapped parses [map, {column, row}].
func readMapped(p *parser, x *instruction) {
	p.expect('[')
	x.a = p.source(kinds["b64"], true)
	p.expect(',')
	p.expect('{')
	column := p.source(kinds["s32"], false)
	p.expect(',')
	x.more = []int32{column, p.source(kinds["s32"], false)}
	p.expect('}')
	p.expect(']')
}

// readTensorLoad parses [workgroup memory], [map, {column, row}], [barrier object].
func readTensorLoad(p *parser, x *instruction, _ *form) {
	x.space = shared
	p.address(x)
	p.expect(',')
	readMapped(p, x)
	p.expect(',')
	p.expect('[')
	x.b = p.source(kinds["b32"], true)
	p.expect(']')
}

// readTensorStore parses [map, {column, row}], [workgroup memory].
func readTensorStore(p *parser, x *instruction, _ *form) {
	readMapped(p, x)
	p.expect(',')
	x.space = shared
	p.address(x)
}

// readGroups parses how many groups may be under way.
func readGroups(p *parser, x *instruction, _ *form) { x.a = p.constantSlot(p.integer(7)) }

// boxLoad is a copy to workgroup memory.
type boxLoad struct {
	line   int
	at     uint64
	bytes  int
	data   []byte
	object *barrierObject
	done   bool
	phase  uint32 // in which it ended
}

// boxStore is a copy from workgroup memory.
type boxStore struct {
	line   int
	thread uint16
	warp   int
	done   bool   // whether it has read
	time   uint32 // when its invocation has waited for that
}

// swizzleRow is the width of a box with a swizzle.
const swizzleRow = 128

// swizzled exchanges the chunks of a row: bits 4 to 6 of an address are combined with bits 7 to 9.
func swizzled(at uint64) uint64 { return at ^ at>>7&7<<4 }

// part is what a chunk of a box has of the matrix: bytes at skip in the chunk, and at from in the
// buffer. It has none behind the edges of the matrix.
type part struct{ at, skip, from, bytes uint64 }

// parts returns the chunks of a box that is at an offset in workgroup memory.
func (m *tensorMap) parts(t *thread, x *instruction, at uint64) (list []part) {
	t.need(x.more...)
	column, row := int64(int32(t.frame.values[x.more[0]])), int64(int32(t.frame.values[x.more[1]]))
	rowBytes := m.box[1] * m.size
	for r := range m.box[0] {
		for c := uint64(0); c < rowBytes; c += chunkBytes {
			p := part{at: at + r*rowBytes + c}
			if m.swizzle {
				p.at = swizzled(p.at)
			}
			y, first := row+int64(r), column+int64(c/m.size)
			low, high := max(first, 0), min(first+int64(chunkBytes/m.size), int64(m.extent[1]))
			if y >= 0 && y < int64(m.extent[0]) && low < high {
				p.skip, p.bytes = uint64(low-first)*m.size, uint64(high-low)*m.size
				p.from = m.at + uint64(y)*m.stride + uint64(low)*m.size
			}
			list = append(list, p)
		}
	}
	return list
}

// loadBox executes the copy of a box to workgroup memory, which ends later (deliver).
func loadBox(t *thread, x *instruction) {
	g := t.group
	a, m := g.asynchronous, t.mapAt(x.a)
	bytes := m.box[0] * m.box[1] * m.size
	at := t.tileAt(x, bytes, boxAlignment)
	object := *x
	object.base, object.offset = x.b, 0
	l := boxLoad{line: x.line, at: at, bytes: int(bytes), data: make([]byte, bytes), object: t.objectAt(&object)}
	if !l.object.fenced {
		fail(fmt.Sprintf("the initialisation of the barrier object at %d is not fenced", l.object.at))
	}
	r := &g.buffers[m.buffer]
	if r.written {
		fail("a copy from " + r.name + ", to which the launch has written")
	}
	for _, p := range m.parts(t, x, at) {
		copy(l.data[p.at-at+p.skip:][:p.bytes], r.bytes[p.from:])
		c := &a.chunks[p.at/chunkBytes]
		if c.load != 0 && !a.loads[c.load-1].done {
			fail(fmt.Sprintf("byte %d of %s is overwritten while the copy of line %d may write it", p.at, g.tiles.name, a.loads[c.load-1].line))
		}
		t.checkFree(p.at / chunkBytes)
		t.checkGeneric(p.at/chunkBytes, true)
		c.load, c.store = int32(len(a.loads)+1), 0
	}
	for n := range l.data {
		g.tiles.shadow[at+uint64(n)] = undefined
	}
	a.loads = append(a.loads, l)
}

// storeBox executes the copy of a box from workgroup memory, which may read until its group has
// ended.
func storeBox(t *thread, x *instruction) {
	g := t.group
	a, m := g.asynchronous, t.mapAt(x.a)
	r := &g.buffers[m.buffer]
	if r.readOnly {
		fail("a copy to " + r.name + ", which is only read")
	}
	at := t.tileAt(x, m.box[0]*m.box[1]*m.size, boxAlignment)
	access := instruction{access: access{width: uint8(m.size), count: 1}}
	for _, p := range m.parts(t, x, at) {
		t.checkProxy(p.at / chunkBytes)
		a.chunks[p.at/chunkBytes].store = int32(len(a.stores) + 1)
		for n := uint64(0); n < p.bytes; n += m.size {
			t.checkRace(r, p.from+n, &access, true)
		}
		copy(r.bytes[p.from:], g.tiles.bytes[p.at+p.skip:][:p.bytes])
	}
	t.open = append(t.open, len(a.stores))
	a.stores = append(a.stores, boxStore{line: x.line, thread: t.index, warp: t.warp})
}

// commitStores executes cp.async.bulk.commit_group.
func commitStores(t *thread, _ *instruction) {
	t.groups = append(t.groups, t.open)
	t.open = nil
}

// waitStores executes cp.async.bulk.wait_group.read.
func waitStores(t *thread, x *instruction) {
	g := t.group
	left := min(int(t.frame.values[x.a]), len(t.groups))
	for _, group := range t.groups[:len(t.groups)-left] {
		for _, n := range group {
			g.asynchronous.stores[n].done, g.asynchronous.stores[n].time = true, g.clock
		}
	}
	t.groups = t.groups[len(t.groups)-left:]
}

// checkStores fails if the invocation ends while its copies may read workgroup memory.
func (t *thread) checkStores() {
	if len(t.open)+len(t.groups) > 0 {
		fail("the invocation ends while its copies may read workgroup memory")
	}
}

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
	windows *abi.TensorMatrix // the tensor of windows, or nil
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
		values := func(at abi.ValueAt, bytes int) ([]byte, error) {
			values := launch.Immediates
			if at.Binding >= 0 {
				u := k.Bindings[at.Binding]
				if values, err = launch.Buffer(u.Group, u.Binding); err != nil {
					return nil, err
				}
			}
			if uint64(len(values)) < uint64(at.Offset)+uint64(bytes) {
				return nil, fmt.Errorf("map %d: its layout lies beyond the launch's values", n)
			}
			return values[at.Offset:], nil
		}
		layout, err := values(made.Layout, made.LayoutBytes())
		if err != nil {
			return false, err
		}
		var window []byte
		if made.Windows != nil && made.Windows.At != nil {
			if window, err = values(*made.Windows.At, abi.WindowBytes); err != nil {
				return false, err
			}
		}
		address := globalAddress(made.Binding, false)
		x, ok := made.Matrix(layout, window, address, uint64(len(data)))
		if !ok {
			return false, nil
		}
		maps = append(maps, tensorMap{buffer: made.Binding, at: x.Address - address, size: elementSizes[made.Element], extent: [2]uint64{x.Sizes[1], x.Sizes[0]},
			stride: x.Strides[0], box: [2]uint64{uint64(made.Box[0]), uint64(made.Box[1])}, swizzle: made.Swizzle != 0})
		if x.Rank > 2 {
			maps[n].windows = &x
		}
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

// readWindowsLoad parses [workgroup memory], [map, {channel, pixel, row, image}], [barrier object],
// {pixels, rows}.
func readWindowsLoad(p *parser, x *instruction, _ *form) {
	x.space = shared
	p.address(x)
	p.expect(',')
	p.expect('[')
	x.a = p.source(kinds["b64"], true)
	coordinates := func(count int, kind string) {
		p.expect(',')
		p.expect('{')
		for n := range count {
			if n > 0 {
				p.expect(',')
			}
			x.more = append(x.more, p.source(kinds[kind], false))
		}
		p.expect('}')
	}
	coordinates(4, "s32")
	p.expect(']')
	p.expect(',')
	p.expect('[')
	x.b = p.source(kinds["b32"], true)
	p.expect(']')
	coordinates(2, "b16")
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
	line    int
	thread  uint16
	warp    int
	done    bool   // whether it has read
	arrived bool   // whether it has written
	time    uint32 // when its invocation has waited for that
}

// swizzleRow is the width of a box with a swizzle.
const swizzleRow = 128

// swizzled exchanges the chunks of a row: bits 4 to 6 of an address are combined with bits 7 to 9.
func swizzled(at uint64) uint64 { return at ^ at>>7&7<<4 }

// part is what a chunk of a box has of the matrix: bytes at skip in the chunk, and at from in the
// buffer. It has none behind the edges of the matrix.
type part struct{ at, skip, from, bytes uint64 }

// windowParts returns the chunks of a box of windows that is at an offset in workgroup memory (PTX
// ISA, "im2col mode").
func (m *tensorMap) windowParts(t *thread, x *instruction, at uint64) (list []part) {
	w := m.windows
	coordinate := func(n int) int64 { return int64(int32(t.frame.values[x.more[n]])) }
	channel, image := coordinate(0), coordinate(3)
	position := [2]int64{coordinate(1), coordinate(2)}
	var first, last, offset [2]int64
	for n := range 2 {
		first[n], last[n] = int64(w.Lower[n]), int64(w.Sizes[1+n])-1+int64(w.Upper[n])
		offset[n] = int64(uint16(t.frame.values[x.more[4+n]]))
		if position[n] < first[n] || position[n] > last[n] || (position[n]-first[n])%int64(w.Steps[n]) != 0 || offset[n] > 255 {
			fail(fmt.Sprintf("windows that begin at %d and %d on are copied from %d on, at their pixel %d", first[n], int64(w.Steps[n]), position[n], offset[n]))
		}
	}
	rowBytes := m.box[1] * m.size
	for r := range m.box[0] {
		inside := image >= 0 && image < int64(w.Sizes[3])
		from := m.at + uint64(image)*w.Strides[2]
		for n := range 2 {
			at := position[n] + offset[n]
			inside = inside && at >= 0 && at < int64(w.Sizes[1+n])
			from += uint64(at) * w.Strides[n]
		}
		for c := uint64(0); c < rowBytes; c += chunkBytes {
			p := part{at: at + r*rowBytes + c}
			if m.swizzle {
				p.at = swizzled(p.at)
			}
			low := channel + int64(c/m.size)
			high := min(low+int64(chunkBytes/m.size), int64(w.Sizes[0]))
			if inside && low >= 0 && low < high {
				p.bytes, p.from = uint64(high-low)*m.size, from+uint64(low)*m.size
			}
			list = append(list, p)
		}
		for n := range 2 {
			if position[n] += int64(w.Steps[n]); position[n] <= last[n] {
				break
			}
			if position[n] = first[n]; n == 1 {
				image++
			}
		}
	}
	return list
}

// parts returns the chunks of a box that is at an offset in workgroup memory.
func (m *tensorMap) parts(t *thread, x *instruction, at uint64) (list []part) {
	t.need(x.more...)
	if (m.windows != nil) != (len(x.more) > 2) {
		fail("the instruction is none for the mode of the tensor map")
	}
	if m.windows != nil {
		return m.windowParts(t, x, at)
	}
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
		for n := p.from / chunkBytes; n*chunkBytes < p.from+p.bytes; n++ {
			to := target{m.buffer, n}
			if before := a.targets[to]; before > 0 && !a.stores[before-1].arrived {
				fail(fmt.Sprintf("a copy to %s that the copy of line %d may write later", r.name, a.stores[before-1].line))
			}
			a.targets[to] = int32(len(a.stores) + 1)
		}
	}
	t.open = append(t.open, len(a.stores))
	a.stores = append(a.stores, boxStore{line: x.line, thread: t.index, warp: t.warp})
}

// commitStores executes cp.async.bulk.commit_group.
func commitStores(t *thread, _ *instruction) {
	t.groups = append(t.groups, t.open)
	t.writing = append(t.writing, t.open...)
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

// finishStores executes cp.async.bulk.wait_group for all groups.
func finishStores(t *thread, x *instruction) {
	if t.frame.values[x.a] != 0 {
		fail("a wait for stores that leaves some under way is not emulated")
	}
	waitStores(t, x)
	for _, n := range t.writing {
		t.group.asynchronous.stores[n].arrived = true
	}
	t.writing = nil
}

// checkStores fails if the invocation ends while its copies may read workgroup memory.
func (t *thread) checkStores() {
	if len(t.open)+len(t.groups) > 0 {
		fail("the invocation ends while its copies may read workgroup memory")
	}
}

package sampling

import (
	"encoding/binary"
	"slices"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/interp"
	"github.com/gpuc/gpuc/ir/texture"
)

// The tables of a launch: an entry for each handle, which is empty for samplers, and after them
// the table of sRGB. An entry is words: some of the texture, and then some of each level.
const (
	tableLastLevel = 0
	tableLastLayer = 1 // a cube counts as one
	tableSamples   = 2
	tableLevels    = 4

	levelOffset = 0 // in texels
	levelWidth  = 1
	levelHeight = 2
	levelDepth  = 3
	levelWords  = 4

	mostLevels = 14 // of 8192 texels
	entryWords = tableLevels + mostLevels*levelWords
)

// Bound is a launch as a lowered kernel takes it. Its memory serves again.
type Bound struct {
	Launch interp.Launch
	tables []byte
}

// Bind makes of a launch of the original kernel one of the lowered kernel.
func (k *Kernel) Bind(launch *interp.Launch, to *Bound) *interp.Launch {
	buffers, bound := to.Launch.Buffers[:0], to.Launch.Handles[:0]
	for _, o := range k.buffers {
		switch o.kind {
		case fromBuffer:
			buffers = append(buffers, launch.Buffers[o.index])
		case fromTexels:
			buffers = append(buffers, launch.Handles[o.index].Image.Memory())
		case fromTables:
			to.tables = appendTables(to.tables[:0], launch.Handles, k.shapes)
			buffers = append(buffers, to.tables)
		}
	}
	for _, n := range k.handles {
		bound = append(bound, launch.Handles[n])
	}
	to.Launch = *launch
	to.Launch.Buffers, to.Launch.Handles = buffers, bound
	return &to.Launch
}

// Release lets go of what was bound, but for the memory.
func (b *Bound) Release() {
	clear(b.Launch.Buffers)
	clear(b.Launch.Handles)
	b.Launch = interp.Launch{Buffers: b.Launch.Buffers[:0], Handles: b.Launch.Handles[:0]}
}

// appendTables appends the tables of the handles of a launch.
func appendTables(tables []byte, handles []texture.Handle, shapes []texture.Shape) []byte {
	tables = slices.Grow(tables, 4*(len(handles)*entryWords+256))
	word := func(x uint32) { tables = binary.LittleEndian.AppendUint32(tables, x) }
	for n := range handles {
		h := &handles[n]
		end := len(tables) + 4*entryWords
		if h.Image != nil {
			bytes := uint64(h.Image.Format.Bytes())
			count := h.LevelCount(shapes[n])
			word(count - 1)
			word(h.LayerCount(shapes[n]) - 1)
			word(h.Image.Samples)
			word(0)
			for level := range count {
				p := h.Plane(shapes[n], level)
				word(uint32(p.Offset / bytes))
				word(p.Width)
				word(p.Height)
				word(p.Depth)
			}
		}
		clear(tables[len(tables):end])
		tables = tables[:end]
	}
	for _, x := range texture.Octets(texture.SRGB) {
		word(x)
	}
	return tables
}

// tex is a texture that an operation is on.
type tex struct {
	l      *lowering
	n      int // the index of its handle
	shape  texture.Shape
	state  *State
	format *texture.FormatInfo
}

// table loads a word of the tables, at a constant after an index.
func (l *lowering) table(index ir.Value, stride uint32, word int) ir.Value {
	return l.Load(l.address(l.tables, index, stride, 4*word, ir.U32))
}

// entry loads a word of the texture's entry.
func (t *tex) entry(word int) ir.Value { return t.l.table(t.l.u(0), 4, t.n*entryWords+word) }

// level is a level of a texture: its size and where it begins, as words.
type level struct{ offset, width, height, depth ir.Value }

// sizes returns as many sizes as texels of a shape have coordinates.
func (v *level) sizes(s texture.Shape) []ir.Value {
	return []ir.Value{v.width, v.height, v.depth}[:s.SizeComponents()]
}

// level loads what is known of a level, which exists.
func (t *tex) level(n ir.Value) (v level) {
	for k, to := range [...]*ir.Value{levelOffset: &v.offset, levelWidth: &v.width, levelHeight: &v.height, levelDepth: &v.depth} {
		*to = t.l.table(n, 4*levelWords, t.n*entryWords+tableLevels+k)
	}
	return v
}

// lastLevel returns the number of the last level.
func (t *tex) lastLevel() ir.Value {
	if !t.state.Levels || !t.shape.HasLevels() {
		return t.l.u(0)
	}
	return t.entry(tableLastLevel)
}

// layer returns a layer, or the last one if there are fewer.
func (t *tex) layer(v ir.Value) ir.Value {
	if v == ir.NoValue {
		return t.l.u(0)
	}
	return t.l.min(t.l.asU(v), t.entry(tableLastLayer))
}

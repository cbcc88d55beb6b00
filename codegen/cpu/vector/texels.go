package vector

import (
	"encoding/binary"
	"math/bits"
	"unsafe"

	"github.com/gpuc/gpuc/codegen/mir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/texture"
)

// This file executes operations on textures for a block of lanes at once: loads here, stores in
// stores.go and lookups with samplers in samples.go. What they do not take is left to package
// texture, lane by lane.

// texels is the working memory. What is in it does not outlive an operation, but for what is known.
// Blocks come first, so that vectors of eight lanes lie in one line of the processor's cache each.
type texels struct {
	// those that are read: the one of a load, and the two that a sample lies between
	levels    [2]level
	fill      [12]block // operands that are the same in all lanes
	zero      block
	channels  [4]block // the results, where they are not written at once
	second    block    // those of the higher level
	other     block    // of the higher slice
	axes      [3]struct{ low, high, weight block }
	raw       [2]corners // words of texels, by slice
	numbers   corners
	turned    [2]block            // coordinates on the face of a cube
	face      block               // its number
	low, high block               // levels
	fraction  block               // between levels, or the level of detail
	squares   [blockLanes]float64 // of how far derivatives go

	processor *processor
	held      [2]int     // which words of texels are in raw, plus one
	known     [2]entered // which levels are there in all lanes
	tables    struct {   // of levels
		known entered
		sizes [4][mostLevels]uint32 // width, height, depth and offset
	}

	// What steps are called with.
	axis       axis
	fetch      fetch
	turn       turn
	blending   blending
	nearest    nearest
	comparison comparison
	around     around
	finest     finest
	slope      slope
	levelling  levelling
	window     window
	four       [4]unsafe.Pointer
	word       uint32
}

// level is the size of a level by lane, and where it begins.
type level struct{ width, height, depth, offset block }

// entered says of which texture a level is there in all lanes.
type entered struct {
	image         *texture.Image
	shape         texture.Shape
	level, number uint32 // of the view and within it
	count         uint32
}

// nativeLittle reports whether words of memory are in the order of texels.
var nativeLittle = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// takes reports whether blocks are for a texture: its bytes have numbers of 31 bits, and nobody
// counts them.
func takes(h *texture.Handle) bool {
	return nativeLittle && h.Traffic == nil && uint64(len(h.Image.Memory())) < 1<<31
}

// enter makes a level the one of all lanes.
func (x *texels) enter(l *level, h *texture.Handle, s texture.Shape, number uint32) {
	known := entered{h.Image, s, h.Level, number, h.Levels}
	if x.isKnown(l, known) {
		return
	}
	p := h.Plane(s, number)
	depth := p.Depth
	if s.Info().Dimension != texture.D3 {
		depth = p.Layers
	}
	x.spread(&l.width, p.Width)
	x.spread(&l.height, p.Height)
	x.spread(&l.depth, depth)
	x.spread(&l.offset, uint32(p.Offset))
}

// isKnown reports whether a level is what it is to be from here on.
func (x *texels) isKnown(l *level, as entered) bool {
	known := &x.known[0]
	if l == &x.levels[1] {
		known = &x.known[1]
	}
	was := *known
	*known = as
	return was == as
}

// spread makes a word that of all lanes.
func (x *texels) spread(to *block, word uint32) {
	x.word = word
	x.processor.columns[fillWord](blockLanes, unsafe.Pointer(to), unsafe.Pointer(&x.word), nil, nil)
}

// enterEach makes levels those of the lanes.
func (x *texels) enterEach(l *level, h *texture.Handle, s texture.Shape, numbers unsafe.Pointer, lanes int) {
	x.isKnown(l, entered{})
	if known := (entered{h.Image, s, h.Level, 0, h.Levels}); x.tables.known != known {
		x.tables.known = known
		for n := range h.LevelCount(s) {
			p := h.Plane(s, n)
			if s.Info().Dimension != texture.D3 {
				p.Depth = p.Layers
			}
			x.tables.sizes[0][n], x.tables.sizes[1][n], x.tables.sizes[2][n], x.tables.sizes[3][n] = p.Width, p.Height, p.Depth, uint32(p.Offset)
		}
	}
	x.levelling = levelling{numbers: numbers, tables: unsafe.Pointer(&x.tables.sizes), to: unsafe.Pointer(l), last: h.LevelCount(s) - 1}
	x.processor.levels(lanes, &x.levelling)
}

// levelling looks up the levels of lanes. Assembly knows its layout.
type levelling struct {
	numbers unsafe.Pointer
	// four of the sizes and offsets of levels, and the level whose blocks they are for
	tables, to unsafe.Pointer
	last       uint32 // number
}

func (v *levelling) find(lanes int) {
	tables, to := (*[4][mostLevels]uint32)(v.tables), (*level)(v.to)
	for n, number := range unsafe.Slice((*uint32)(v.numbers), lanes) {
		number = min(number, v.last)
		k := n & (blockLanes - 1)
		to.width[k], to.height[k], to.depth[k], to.offset[k] = tables[0][number], tables[1][number], tables[2][number], tables[3][number]
	}
}

// mostLevels is how many levels there are at most.
const mostLevels = 32

// forget lets go of textures.
func (x *texels) forget() {
	x.known, x.tables.known, x.fetch, x.window = [2]entered{}, entered{}, fetch{}, window{}
	x.nearest.base = nil
	x.around.base = nil
}

// look prepares reading words of texels at some places of a level. What is handed to a processor's
// steps is in the working memory, so that nothing is allocated.
func (x *texels) look(h *texture.Handle, l *level, column, row, slice unsafe.Pointer, word uint8) *fetch {
	x.fetch = fetch{base: unsafe.Add(unsafe.Pointer(unsafe.SliceData(h.Image.Memory())), 4*int(word)), x: column, y: row, z: slice,
		width: unsafe.Pointer(&l.width), height: unsafe.Pointer(&l.height), depth: unsafe.Pointer(&l.depth), offset: unsafe.Pointer(&l.offset),
		shift: uint64(bits.TrailingZeros(uint(h.Image.Format.Bytes()))), last: uint32(max(len(h.Image.Memory())-8-4*int(word), 0))}
	return &x.fetch
}

// load loads channels of the texels at some places of a level; results that nobody needs are nil.
func (x *texels) load(h *texture.Handle, l *level, lanes int, place [3]unsafe.Pointer, to *[4]unsafe.Pointer) {
	if i := h.Image.Format.Info(); i.Encoding == texture.Unorm && i.Bits == 8 && i.Channels == 4 {
		f := x.look(h, l, place[0], place[1], place[2], 0)
		f.to = unsafe.Pointer(&x.raw[0][0])
		x.processor.read(lanes, f)
		for c, to := range to {
			if to == nil {
				to = unsafe.Pointer(&x.other)
			}
			if i.Reversed && c != 1 && c != 3 {
				c = 2 - c
			}
			x.four[c] = to
		}
		x.processor.unorms(lanes, &x.four, f.to, &channelFor(h.Image.Format, 0).field)
		return
	}
	word := -1
	for c, to := range to {
		if to == nil {
			continue
		}
		about := channelFor(h.Image.Format, c)
		if about.decode != decodeNothing && int(about.word) != word {
			word = int(about.word)
			f := x.look(h, l, place[0], place[1], place[2], about.word)
			f.to = unsafe.Pointer(&x.raw[0][0])
			if about.decode == decodeWord { // which needs no other step
				f.to, word = to, -1
				x.processor.read(lanes, f)
				continue
			}
			x.processor.read(lanes, f)
		}
		x.processor.decode(about, lanes, to, unsafe.Pointer(&x.raw[0][0]))
	}
}

// operandsOf returns where the lanes of a block, from one on, have operands. What is the same in
// all is copied.
func (w *worker) operandsOf(in []operand, first int, to []unsafe.Pointer) {
	for n, o := range in {
		if o.step != 0 {
			to[n] = unsafe.Add(w.arena, int(o.at)+4*first)
			continue
		}
		w.program.processor.columns[fillWord](blockLanes, unsafe.Pointer(&w.texels.fill[n]), w.at(o.at), nil, nil)
		to[n] = unsafe.Pointer(&w.texels.fill[n])
	}
}

// resultsOf returns where the lanes of a block have results, or are to have them first if not all
// lanes may be written.
func (w *worker) resultsOf(t *textureOperation, results []operand, first int) (to [4]unsafe.Pointer) {
	for c, o := range results {
		switch {
		case t.needed>>c&1 == 0:
		case t.whole:
			to[c] = unsafe.Add(w.arena, int(o.at)+4*first)
		default:
			to[c] = unsafe.Pointer(&w.texels.channels[c])
		}
	}
	return to
}

// give writes the results of the lanes that run, if they are not where they belong.
func (w *worker) give(t *textureOperation, results []operand, first, lanes int) {
	if t.whole {
		return
	}
	mask := unsafe.Add(w.column(), 4*first)
	for c, o := range results {
		if t.needed>>c&1 == 1 {
			w.program.processor.columns[blendWord](lanes, unsafe.Add(w.arena, int(o.at)+4*first), unsafe.Pointer(&w.texels.channels[c]), mask, nil)
		}
	}
}

// textureBlocks executes an operation on a texture in blocks of lanes, and reports whether it was
// one that can be.
func (w *worker) textureBlocks(t *textureOperation) bool {
	h := &w.launch.handles[t.texture]
	list := w.program.lists[t.list:]
	results, in := list[:t.results], list[t.results:t.results+t.operands]
	if !t.words || !takes(h) {
		return false
	}
	if w.texels == nil {
		w.texels = new(texels)
	}
	w.texels.processor = w.program.processor
	switch t.op {
	case op.TextureSize:
		return w.sizes(t, h, results, in)
	case op.TextureLoad, op.TextureRead:
		return w.loads(t, h, results, in)
	case op.TextureStore:
		return w.stores(t, h, in)
	case op.TextureSample, op.TextureSampleGradient, op.TextureSampleCompare, op.TextureGather, op.TextureGatherCompare:
		return w.samples(t, h, results, in)
	}
	return false
}

// ofWords reports whether all operands and results are words.
func ofWords(list []operand) bool {
	for _, o := range list {
		if o.class != mir.Word {
			return false
		}
	}
	return true
}

// runs reports whether a lane of a block runs.
func (w *worker) runs(first int) bool {
	for _, mask := range w.run[first/64 : min((first+blockLanes)/64, len(w.run))] {
		if mask != 0 {
			return true
		}
	}
	return false
}

// laneCount is how many lanes a block has, from one on: whole vectors.
func (w *worker) laneCount(first int) int { return min(blockLanes, w.extent-first) }

// placeOf puts the coordinates of texels in their order: column, row, and slice or layer.
func (x *texels) placeOf(s texture.Shape, at []unsafe.Pointer) (place [3]unsafe.Pointer) {
	count := s.SizeComponents()
	copy(place[:], at[:count])
	if s.Info().Arrayed {
		place[2] = at[count]
	}
	for n := range place {
		if place[n] == nil {
			place[n] = unsafe.Pointer(&x.zero)
		}
	}
	return place
}

// loads loads texels.
func (w *worker) loads(t *textureOperation, h *texture.Handle, results, in []operand) bool {
	if t.shape.Info().Multisampled || len(in) > len(w.texels.fill) {
		return false
	}
	if t.whole && w.readWhole(t, h, results, in) {
		return true
	}
	x := w.texels
	l := &x.levels[0]
	count := t.places()
	for first := 0; first < w.extent; first += blockLanes {
		if !w.runs(first) {
			continue
		}
		lanes := w.laneCount(first)
		var at [len(x.fill)]unsafe.Pointer
		w.operandsOf(in[:count], first, at[:])
		place := x.placeOf(t.shape, at[:])
		switch {
		case count == len(in):
			x.enter(l, h, t.shape, 0)
		case in[count].step == 0:
			x.enter(l, h, t.shape, *(*uint32)(w.at(in[count].at)))
		default:
			x.enterEach(l, h, t.shape, unsafe.Add(w.arena, int(in[count].at)+4*first), lanes)
		}
		to := w.resultsOf(t, results, first)
		x.load(h, l, lanes, place, &to)
		w.give(t, results, first, lanes)
	}
	return true
}

// sizes answers queries of levels' sizes.
func (w *worker) sizes(t *textureOperation, h *texture.Handle, results, in []operand) bool {
	x := w.texels
	l := &x.levels[0]
	for first := 0; first < w.extent; first += blockLanes {
		if !w.runs(first) {
			continue
		}
		lanes := w.laneCount(first)
		switch {
		case len(in) == 0:
			x.enter(l, h, t.shape, 0)
		case in[0].step == 0:
			x.enter(l, h, t.shape, *(*uint32)(w.at(in[0].at)))
		default:
			x.enterEach(l, h, t.shape, unsafe.Add(w.arena, int(in[0].at)+4*first), lanes)
		}
		to := w.resultsOf(t, results, first)
		for c, from := range [...]*block{&l.width, &l.height, &l.depth} {
			if to[c] != nil {
				w.program.processor.columns[copyWord](lanes, to[c], unsafe.Pointer(from), nil, nil)
			}
		}
		w.give(t, results, first, lanes)
	}
	return true
}

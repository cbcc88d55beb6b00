package vector

import (
	"math"
	"math/bits"
	"unsafe"

	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/ir/texture"
)

// This file executes lookups with samplers for blocks of lanes. The lanes of a block may look at
// different levels, and all have the same filter.

// lookup is what a block looks up.
type lookup struct {
	handle    *texture.Handle
	sampler   *texture.Sampler
	shape     texture.Shape
	lanes     int
	at        [3]unsafe.Pointer // coordinates, of a cube those on the face
	layer     unsafe.Pointer    // what is added to the slice
	offset    [3]int32
	filter    texture.Filter
	compares  bool
	reference unsafe.Pointer
}

// samples executes an operation with a sampler.
func (w *worker) samples(t *textureOperation, h *texture.Handle, results, in []operand) bool {
	x := w.texels
	s := w.launch.handles[t.sampler].Sampler
	shape := t.shape.Info()
	coordinates := t.shape.Coordinates()
	count := t.coordinates()
	gradient, own := count, count // where gradients and what is the operation's own stand
	if t.op == op.TextureSampleGradient {
		count += 2 * coordinates
	} else {
		count++
	}
	l := lookup{handle: h, sampler: s, shape: t.shape}
	for n, o := range in[count:] {
		if o.step != 0 {
			return false
		}
		if shape.Dimension != texture.Cube {
			l.offset[n] = *(*int32)(w.at(o.at))
		}
	}
	l.compares = t.op == op.TextureSampleCompare || t.op == op.TextureGatherCompare
	gathers := t.op == op.TextureGather || t.op == op.TextureGatherCompare
	component := 0
	if t.op == op.TextureGather {
		if in[own].step != 0 {
			return false
		}
		component = int(*(*uint32)(w.at(in[own].at)) & 3)
	}
	if count > len(x.fill) || t.op == op.TextureSample && s.Magnify != s.Minify && in[own].step != 0 || t.op == op.TextureSampleGradient && s.Magnify != s.Minify {
		return false
	}
	same := t.op == op.TextureSample && in[own].step == 0 // level of detail
	columns := in[:count]
	if same {
		columns = in[:own]
	}
	for first := 0; first < w.extent; first += blockLanes {
		if !w.runs(first) {
			continue
		}
		l.lanes, x.around.beside = w.laneCount(first), [len(x.around.beside)]uint64{}
		var at [len(x.fill)]unsafe.Pointer
		w.operandsOf(columns, first, at[:])
		if same {
			at[own] = w.at(in[own].at)
		}
		copy(l.at[:], at[:coordinates])
		l.layer = unsafe.Pointer(&x.zero)
		if shape.Arrayed {
			l.layer = at[coordinates]
		}
		if shape.Dimension == texture.Cube {
			x.turnTo(&l)
		}
		to := w.resultsOf(t, results, first)
		if l.compares {
			l.reference = at[own]
			x.comparison = comparisonOf(&l)
		}
		switch {
		case gathers:
			x.gather(&l, component, &to)
		case t.op == op.TextureSampleGradient:
			x.slopes(&l, (*[6]unsafe.Pointer)(at[gradient:]), at[:coordinates])
			x.sample(&l, unsafe.Pointer(&x.fraction), false, &to)
		case t.op == op.TextureSampleCompare:
			x.sample(&l, unsafe.Pointer(&x.zero), true, &to)
		default:
			x.sample(&l, at[own], same, &to)
		}
		w.give(t, results, first, l.lanes)
		for k, beside := range x.around.beside {
			if beside != 0 {
				for beside &= w.run[first/64+k]; beside != 0; {
					w.textureLane(t, w.lane(first/64+k, &beside))
				}
			}
		}
	}
	return true
}

// turnTo finds the faces of a cube that lanes look at, and where.
func (x *texels) turnTo(l *lookup) {
	x.turn = turn{x: l.at[0], y: l.at[1], z: l.at[2], layers: l.layer, across: unsafe.Pointer(&x.turned[0]), down: unsafe.Pointer(&x.turned[1]),
		face: unsafe.Pointer(&x.face), most: l.handle.LayerCount(l.shape) - 1}
	x.processor.turn(l.lanes, &x.turn)
	l.at, l.layer = [3]unsafe.Pointer{x.turn.across, x.turn.down}, x.turn.face
}

// slopes computes the level of detail of each lane from the gradients.
func (x *texels) slopes(l *lookup, gradients *[6]unsafe.Pointer, coordinates []unsafe.Pointer) {
	count := len(coordinates)
	if l.shape.Info().Dimension == texture.Cube {
		for k := range l.lanes {
			var one texture.Lookup
			for n := range count {
				one.Coordinates[n] = *(*float32)(unsafe.Add(coordinates[n], 4*k))
				one.GradientX[n] = *(*float32)(unsafe.Add(gradients[n], 4*k))
				one.GradientY[n] = *(*float32)(unsafe.Add(gradients[count+n], 4*k))
			}
			x.fraction[k] = math.Float32bits(l.handle.Detail(l.shape, &one))
		}
		return
	}
	width, height, depth := l.handle.SizeOf(l.shape, 0)
	x.slope.sizes = [...]float64{float64(width), float64(height), float64(depth)}
	x.slope.count, x.slope.squares, x.slope.details = uint64(count), unsafe.Pointer(&x.squares), unsafe.Pointer(&x.fraction)
	copy(x.slope.across[:], gradients[:count])
	copy(x.slope.down[:], gradients[count:2*count])
	x.processor.slope(l.lanes, &x.slope)
	cheap := l.sampler.Mipmap == texture.Nearest
	for n, rough := range x.slope.rough[:l.lanes/8] {
		if !cheap {
			rough = 255
		}
		for ; rough != 0; rough &= rough - 1 {
			k := 8*n + bits.TrailingZeros8(rough)
			x.fraction[k] = math.Float32bits(texture.DetailOf(x.squares[k]))
		}
	}
}

// sample samples at a level of detail, which is that of all lanes or of each.
func (x *texels) sample(l *lookup, detail unsafe.Pointer, same bool, to *[4]unsafe.Pointer) {
	h := l.handle
	count := h.LevelCount(l.shape)
	between, found := false, false
	if same || count == 1 && l.sampler.Magnify == l.sampler.Minify {
		low, high, weight, filter := l.sampler.Levels(*(*float32)(detail), count)
		l.filter = filter
		if found = weight == 0 && x.findNearest(l, low); !found {
			x.enter(&x.levels[0], h, l.shape, low)
		}
		if between = weight > 0; between {
			x.enter(&x.levels[1], h, l.shape, high)
			x.spread(&x.fraction, math.Float32bits(weight))
		}
	} else {
		l.filter = l.sampler.Magnify
		x.finest = finest{details: detail, low: unsafe.Pointer(&x.low), high: unsafe.Pointer(&x.high), weight: unsafe.Pointer(&x.fraction),
			lowest: l.sampler.LowestLevel, highest: l.sampler.HighestLevel, last: count - 1, mipmap: uint32(l.sampler.Mipmap)}
		between = x.processor.finest(l.lanes, &x.finest)
		x.enterEach(&x.levels[0], h, l.shape, x.finest.low, l.lanes)
		if between {
			x.enterEach(&x.levels[1], h, l.shape, x.finest.high, l.lanes)
		}
	}
	if h.Image.Format.Info().Channel != scalar.F32 {
		l.filter, between = texture.Nearest, false
	}
	if x.blends(l, between, to) {
		return
	}
	if !found {
		x.find(l, &x.levels[0])
	}
	for c, to := range to {
		if to != nil {
			x.channel(l, &x.levels[0], c, to)
		}
	}
	if !between {
		return
	}
	x.find(l, &x.levels[1])
	for c, to := range to {
		if to == nil {
			continue
		}
		x.channel(l, &x.levels[1], c, unsafe.Pointer(&x.second))
		x.processor.mixSome(l.lanes, to, unsafe.Pointer(&x.second), unsafe.Pointer(&x.fraction))
	}
}

// findNearest reads the words of the nearest texels in two dimensions, of a level that all lanes
// share, if a texel is no more than a word, and reports whether it has.
func (x *texels) findNearest(l *lookup, level uint32) bool {
	format := l.handle.Image.Format
	shape := l.shape.Info()
	if l.filter != texture.Nearest || shape.Dimension != texture.D2 || format.Bytes() > 4 {
		return false
	}
	plane := l.handle.Plane(l.shape, level)
	memory, offset := l.handle.Image.Memory(), int(plane.Offset)
	n := &x.nearest
	n.base, n.x, n.y, n.to = unsafe.Add(unsafe.Pointer(unsafe.SliceData(memory)), offset), l.at[0], l.at[1], unsafe.Pointer(&x.raw[0][0])
	if n.layers = nil; shape.Arrayed {
		n.layers = l.layer
	}
	if n.limit = -1; format.Bytes() == 4 {
		n.limit = int64(len(memory) - offset - 32)
	}
	n.width, n.height, n.last = int32(plane.Width), int32(plane.Height), plane.Layers-1
	n.offset = [2]int32(l.offset[:2])
	n.mode = [2]axisMode{axisMode(l.sampler.Address[0]), axisMode(l.sampler.Address[1])}
	n.shift = uint64(bits.TrailingZeros(uint(format.Bytes())))
	if !x.processor.nearest(l.lanes, n) {
		return false
	}
	x.held = [2]int{1, 0}
	return true
}

// blends samples all channels at once where texels are four bytes that are numbers from 0 to 1, and
// two words are mixed at most, and reports whether it does.
func (x *texels) blends(l *lookup, between bool, to *[4]unsafe.Pointer) bool {
	i := l.handle.Image.Format.Info()
	deep := l.shape.Info().Dimension == texture.D3
	if i.Encoding != texture.Unorm || i.Bits != 8 || i.Channels != 4 || l.corners() != 4 || deep && between {
		return false
	}
	b := &x.blending
	if b.to = *to; i.Reversed {
		b.to[0], b.to[2] = to[2], to[0]
	}
	b.field = channelFor(l.handle.Image.Format, 0).field
	b.across, b.down, b.weight = unsafe.Pointer(&x.axes[0].weight), unsafe.Pointer(&x.axes[1].weight), nil
	x.find(l, &x.levels[0])
	b.four = unsafe.Pointer(x.rawOf(l, &x.levels[0], 0, 0))
	x.processor.blend(l.lanes, b)
	switch {
	case deep:
		b.weight = unsafe.Pointer(&x.axes[2].weight)
		b.four = unsafe.Pointer(x.rawOf(l, &x.levels[0], 0, 1))
	case between: // a weight of zero changes nothing, since numbers are finite
		b.weight = unsafe.Pointer(&x.fraction)
		x.find(l, &x.levels[1])
		b.four = unsafe.Pointer(x.rawOf(l, &x.levels[1], 0, 0))
	default:
		return true
	}
	x.processor.blend(l.lanes, b)
	return true
}

// find finds the texels that samples of a level lie between.
func (x *texels) find(l *lookup, in *level) {
	dimension := l.shape.Info().Dimension
	axes, sizes := int(dimension), [...]*block{&in.width, &in.height, &in.depth}
	if dimension == texture.Cube {
		axes = 2
	}
	x.held = [2]int{}
	for n := range axes {
		of := &x.axes[n]
		x.axis = axis{at: l.at[n], size: unsafe.Pointer(sizes[n]), low: unsafe.Pointer(&of.low), offset: l.offset[n], mode: axisMode(l.sampler.Address[n])}
		linear := l.filter == texture.Linear
		if linear {
			x.axis.high, x.axis.weight = unsafe.Pointer(&of.high), unsafe.Pointer(&of.weight)
		}
		if dimension == texture.Cube {
			if x.axis.mode = axisClamp; linear {
				x.axis.mode = axisCube
			}
		}
		x.processor.find(l.lanes, &x.axis)
	}
}

// rawOf returns words of the texels that were found: those of corners, in the lower slice or the
// higher, or the nearest one's.
func (x *texels) rawOf(l *lookup, in *level, word uint8, slice int) *corners {
	raw := &x.raw[slice]
	if x.held[slice] == int(word)+1 {
		return raw
	}
	x.held[slice] = int(word) + 1
	across, down, z := &x.axes[0], &x.axes[1], l.layer
	f := x.look(l.handle, in, unsafe.Pointer(&across.low), unsafe.Pointer(&down.low), z, word)
	dimension := l.shape.Info().Dimension
	switch {
	case dimension == texture.D1:
		f.y = unsafe.Pointer(&x.zero)
	case dimension == texture.D3 && slice == 0:
		f.z = unsafe.Pointer(&x.axes[2].low)
	case dimension == texture.D3:
		f.z = unsafe.Pointer(&x.axes[2].high)
	}
	switch {
	case l.corners() == 1:
		f.to = unsafe.Pointer(raw)
		x.processor.read(l.lanes, f)
	case dimension == texture.D1:
		for k, column := range [...]*block{&across.low, &across.high} {
			f.x, f.to = unsafe.Pointer(column), unsafe.Pointer(&raw[k])
			x.processor.read(l.lanes, f)
		}
	case dimension == texture.Cube:
		x.lookAround(l, in, word, raw)
	default:
		f.right, f.below, f.to = unsafe.Pointer(&across.high), unsafe.Pointer(&down.high), unsafe.Pointer(raw)
		x.processor.corners(l.lanes, f)
	}
	return raw
}

// corners is how many texels a sample has in a slice.
func (l *lookup) corners() int {
	switch {
	case l.filter == texture.Nearest:
		return 1
	case l.shape.Info().Dimension == texture.D1:
		return 2
	}
	return 4
}

// channel filters a channel of the texels found.
func (x *texels) channel(l *lookup, in *level, c int, to unsafe.Pointer) {
	about := channelFor(l.handle.Image.Format, c)
	if about.decode == decodeNothing || l.compares && c > 0 {
		bits := about.bits
		if l.compares {
			bits = 0
		}
		fillWords(unsafe.Slice((*uint32)(to), l.lanes), bits)
		return
	}
	x.slice(l, in, about, 0, to)
	if l.filter == texture.Linear && l.shape.Info().Dimension == texture.D3 {
		x.slice(l, in, about, 1, unsafe.Pointer(&x.other))
		x.processor.mix(l.lanes, to, unsafe.Pointer(&x.other), unsafe.Pointer(&x.axes[2].weight))
	}
}

// slice filters within a slice.
func (x *texels) slice(l *lookup, in *level, about *channel, slice int, to unsafe.Pointer) {
	if about.decode == decodeUnorm && l.corners() == 4 && !l.compares {
		raw := x.rawOf(l, in, about.word, slice)
		x.processor.betweenUnorms(l.lanes, to, unsafe.Pointer(raw), unsafe.Pointer(&x.axes[0].weight), unsafe.Pointer(&x.axes[1].weight), &about.field)
		return
	}
	numbers := x.numbersOf(l, in, about, slice, to)
	switch l.corners() {
	case 2:
		x.processor.columns[copyWord](l.lanes, to, unsafe.Pointer(&numbers[0]), nil, nil)
		x.processor.mix(l.lanes, to, unsafe.Pointer(&numbers[1]), unsafe.Pointer(&x.axes[0].weight))
	case 4:
		x.processor.between(l.lanes, to, unsafe.Pointer(numbers), unsafe.Pointer(&x.axes[0].weight), unsafe.Pointer(&x.axes[1].weight))
	}
}

// numbersOf returns what the corners hold, or 0 or 1 for how they compare. The nearest texel's is
// written where it belongs.
func (x *texels) numbersOf(l *lookup, in *level, about *channel, slice int, nearest unsafe.Pointer) *corners {
	raw := x.rawOf(l, in, about.word, slice)
	count := l.corners()
	if count > 1 && about.decode == decodeWord && !l.compares {
		return raw
	}
	for k := range count {
		to := unsafe.Pointer(&x.numbers[k])
		if count == 1 {
			to = nearest
		}
		x.number(l, about, unsafe.Pointer(&raw[k]), to)
	}
	return &x.numbers
}

// number makes numbers of words, or 0 or 1 for how they compare.
func (x *texels) number(l *lookup, about *channel, from, to unsafe.Pointer) {
	if !l.compares || about.decode != decodeWord {
		x.processor.decode(about, l.lanes, to, from)
		from = to
	}
	if l.compares {
		x.comparison.numbers, x.comparison.from = to, from
		x.processor.compare(l.lanes, &x.comparison)
	}
}

// comparisonOf returns how an operation compares.
func comparisonOf(l *lookup) comparison {
	relations := l.sampler.Compare.Relations()
	mask := func(bit int) uint32 { return -uint32(relations >> bit & 1) }
	format := l.handle.Image.Format
	infinite := float32(math.Inf(1))
	return comparison{references: l.reference, less: mask(0), equal: mask(1), greater: mask(2), unordered: mask(3),
		low: format.Reference(-infinite), high: format.Reference(infinite)}
}

// gather gives a channel of the four texels of the first level around a sample.
func (x *texels) gather(l *lookup, component int, to *[4]unsafe.Pointer) {
	x.enter(&x.levels[0], l.handle, l.shape, 0)
	l.filter = texture.Linear
	x.find(l, &x.levels[0])
	about := channelFor(l.handle.Image.Format, component)
	var raw *corners
	if about.decode != decodeNothing {
		raw = x.rawOf(l, &x.levels[0], about.word, 0)
	}
	for n, from := range texture.GatherOrder {
		switch {
		case to[n] == nil:
		case raw == nil:
			fillWords(unsafe.Slice((*uint32)(to[n]), l.lanes), about.bits)
		default:
			x.number(l, about, unsafe.Pointer(&raw[from[0]+2*from[1]]), to[n])
		}
	}
}

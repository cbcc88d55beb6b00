package texture

import (
	"math"

	"github.com/gpuc/gpuc/ir/scalar"
)

// This file says what the texture operations of the IR yield (Vulkan chapter
// "Image Operations"), in f32 arithmetic that is rounded at every step:
//
//   - A coordinate times the size of the level, less one half for linear filters,
//     is a position among the texels. Its floor selects the lower texel, and its
//     fraction is the weight of the upper one, without rounding to the few bits that
//     hardware has.
//   - a + (b-a)·weight interpolates, along x, then y, then z, then the levels.
//     Equal texels therefore yield exactly their value.
//   - Gradients give the level of detail log₂ max(|ddx·size|, |ddy·size|).
//   - The faces of a cube join: a texel beyond an edge is the one of the neighbour,
//     one beyond a corner the mean of the three around it.
//
// Devices differ from this by the weights' precision, and by the approximation of
// the level of detail. A NaN coordinate counts as 0.

// TexelAddress addresses a texel of a handle's image.
type TexelAddress struct {
	X, Y, Z, Layer, Level, Sample uint32
}

// Lookup is where and how to sample. What an operation does not need is ignored.
type Lookup struct {
	Coordinates          [3]float32
	Offset               [3]int32 // in texels
	Layer                uint32   // beyond the last one: the last
	Detail               float32  // the level of detail
	GradientX, GradientY [3]float32
	Reference            float32
	Component            uint32
}

// SizeOf returns the size of a level, clamped to the last one.
func (h *Handle) SizeOf(s Shape, level uint32) (width, height, depth uint32) {
	return h.Image.LevelSize(h.Level + min(level, h.LevelCount(s)-1))
}

// LayerCount is the number of layers, or cubes, that a shape sees.
func (h *Handle) LayerCount(s Shape) uint32 {
	switch i := &shapes[s]; {
	case !i.Arrayed:
		return 1
	case i.Dimension == Cube:
		return h.Image.Layers / 6
	}
	return h.Image.Layers
}

// LevelCount is the number of levels that a shape sees.
func (h *Handle) LevelCount(s Shape) uint32 {
	switch {
	case !s.HasLevels():
		return 1
	case h.Levels != 0:
		return h.Levels
	}
	return h.Image.Levels - h.Level
}

// Clamp moves an address into the image; it reports whether it was inside.
func (h *Handle) Clamp(s Shape, p *TexelAddress) (inside bool) {
	_, _, inside = h.clamp(s, p)
	return inside
}

// clamp is Clamp that also returns the width and height of the level.
func (h *Handle) clamp(s Shape, p *TexelAddress) (width, height uint32, inside bool) {
	was := *p
	if p.Level != 0 {
		p.Level = min(p.Level, h.LevelCount(s)-1)
	}
	if p.Layer != 0 {
		p.Layer = min(p.Layer, h.LayerCount(s)-1)
	}
	width, height, depth := h.Image.LevelSize(h.Level + p.Level)
	p.X, p.Y, p.Z, p.Sample = min(p.X, width-1), min(p.Y, height-1), min(p.Z, depth-1), min(p.Sample, h.Image.Samples-1)
	return width, height, *p == was
}

// Index numbers the texels of an address's level: layer by layer, slice by slice, row by row, and
// of a multisampled image sample by sample within a texel. The address must be inside.
func (h *Handle) Index(p *TexelAddress) uint64 {
	width, height, _ := h.Image.LevelSize(h.Level + p.Level)
	return h.index(p, width, height)
}

func (h *Handle) index(p *TexelAddress, width, height uint32) uint64 {
	// Only one of layer and slice is not zero.
	index := (uint64(p.Layer+p.Z)*uint64(height)+uint64(p.Y))*uint64(width) + uint64(p.X)
	return index*uint64(h.Image.Samples) + uint64(p.Sample)
}

// memory returns the bytes from a texel on.
func (h *Handle) memory(p *TexelAddress, width, height uint32) []byte {
	return h.Image.levels[h.Level+p.Level][h.index(p, width, height)*uint64(h.Image.Format.Bytes()):]
}

// Load returns the texel at an address, or at the nearest inside.
func (h *Handle) Load(s Shape, p *TexelAddress) Texel {
	at := *p
	width, height, _ := h.clamp(s, &at)
	h.Traffic.reads(h.Image.Format)
	return h.Image.Format.Decode(h.memory(&at, width, height))
}

// Store writes a texel; nothing if the address is outside.
func (h *Handle) Store(s Shape, p *TexelAddress, t Texel) {
	at := *p
	if width, height, inside := h.clamp(s, &at); inside {
		h.Image.Format.Encode(h.memory(&at, width, height), t)
		if h.Traffic != nil {
			h.Traffic.Written.Add(uint64(h.Image.Format.Bytes()))
		}
	}
}

// Sample returns what a sampler makes of the texels around the coordinates at
// the level of detail. Integers are not filtered.
func (h *Handle) Sample(s Shape, with *Sampler, l *Lookup) Texel {
	var f finder
	f.start(h, s, l)
	if h.Image.Format.Info().Channel != scalar.F32 {
		level, _, _, _ := with.Levels(l.Detail, f.last-f.first+1)
		f.enter(level)
		x, y, z := f.nearest(with)
		return f.raw(x, y, z)
	}
	return f.sample(with, l.Detail).texel()
}

// SampleGradient is Sample at the level of detail that follows from the
// derivatives of the coordinates.
func (h *Handle) SampleGradient(s Shape, with *Sampler, l *Lookup) Texel {
	at := *l
	at.Detail = h.Detail(s, l)
	return h.Sample(s, with, &at)
}

// SampleCompare returns the part of the texels around the coordinates, at level
// of detail 0, for which the sampler's comparison holds.
func (h *Handle) SampleCompare(s Shape, with *Sampler, l *Lookup) float32 {
	var f finder
	f.start(h, s, l)
	f.compareWith(with, l.Reference)
	return f.sample(with, 0)[0]
}

// Gather returns a component of the four texels of level 0 that linear filtering
// would use.
func (h *Handle) Gather(s Shape, with *Sampler, l *Lookup) (t Texel) {
	var f finder
	f.start(h, s, l)
	f.enter(0)
	floats := h.Image.Format.Info().Channel == scalar.F32
	x, y := f.gathered(with)
	for n, at := range GatherOrder {
		if floats {
			var c channels
			f.value(&c, x[at[0]], y[at[1]], 0)
			t[n] = uint64(math.Float32bits(c[l.Component&3]))
		} else {
			t[n] = f.raw(x[at[0]], y[at[1]], 0)[l.Component&3]
		}
	}
	return t
}

// GatherCompare returns the comparisons with the four texels of Gather.
func (h *Handle) GatherCompare(s Shape, with *Sampler, l *Lookup) (t Texel) {
	var f finder
	f.start(h, s, l)
	f.compareWith(with, l.Reference)
	f.enter(0)
	x, y := f.gathered(with)
	for n, at := range GatherOrder {
		var c channels
		f.value(&c, x[at[0]], y[at[1]], 0)
		t[n] = uint64(math.Float32bits(c[0]))
	}
	return t
}

// GatherOrder says which of the two columns and rows each result of a gather is from.
var GatherOrder = [4][2]uint8{{0, 1}, {1, 1}, {1, 0}, {0, 0}}

// Detail returns the level of detail for derivatives.
func (h *Handle) Detail(s Shape, l *Lookup) float32 {
	x, y := l.GradientX, l.GradientY
	if shapes[s].Dimension == Cube {
		a := axesOf(&l.Coordinates)
		x, y = a.gradient(&l.Coordinates, &x), a.gradient(&l.Coordinates, &y)
	}
	width, height, depth := h.SizeOf(s, 0)
	size := [3]float64{float64(width), float64(height), float64(depth)}
	var xx, yy float64
	for n := range s.Coordinates() {
		dx, dy := float64(x[n])*size[n], float64(y[n])*size[n]
		xx, yy = xx+float64(dx*dx), yy+float64(dy*dy)
	}
	return DetailOf(max(xx, yy))
}

// DetailOf returns the level of detail for the square of how many texels of level 0 a derivative
// goes over: half its logarithm, in operations that every processor rounds alike. The logarithm of
// m in [√½, √2) is that of (1+s)/(1-s), s = (m-1)/(m+1), a series in the odd powers of s.
func DetailOf(square float64) float32 {
	switch {
	case square == 0:
		return float32(math.Inf(-1))
	case !(square < math.Inf(1)):
		return float32(square)
	}
	bits := math.Float64bits(square)
	exponent := bits >> 52
	m := math.Float64frombits(bits&(1<<52-1) | 1023<<52)
	if m > math.Sqrt2 {
		m, exponent = 0.5*m, exponent+1
	}
	s := (m - 1) / (m + 1)
	z := s * s
	sum := 0.0
	for _, c := range DetailTerms {
		sum = float64(sum*z) + c
	}
	return float32(float64(int64(exponent)-1023)*0.5 + float64(s*sum))
}

// DetailTerms are the coefficients of DetailOf's series, those of the highest powers first:
// 1/(k·ln 2) for odd k down from 19.
var DetailTerms = [10]float64{1 / (19 * math.Ln2), 1 / (17 * math.Ln2), 1 / (15 * math.Ln2), 1 / (13 * math.Ln2), 1 / (11 * math.Ln2),
	1 / (9 * math.Ln2), 1 / (7 * math.Ln2), 1 / (5 * math.Ln2), 1 / (3 * math.Ln2), 1 / (1 * math.Ln2)}

// channels is a texel of a format of floats.
type channels [4]float32

func (c channels) texel() Texel {
	return Texel{uint64(math.Float32bits(c[0])), uint64(math.Float32bits(c[1])), uint64(math.Float32bits(c[2])), uint64(math.Float32bits(c[3]))}
}

// mix interpolates towards a second value.
func (c *channels) mix(to *channels, weight float32) {
	for n := range c {
		c[n] += float32((to[n] - c[n]) * weight)
	}
}

// finder finds the texels of one lookup.
type finder struct {
	image       *Image
	first, last uint32 // levels
	dimension   Dimension
	at          [3]float32 // coordinates, of a cube those on the face
	offset      [3]int32
	layer       uint32 // of a cube: its first
	face        uint8

	// of the level entered
	texels []byte
	bytes  int
	size   [3]int32

	traffic *Traffic

	compares  bool
	function  Compare
	reference float32
}

// start begins a lookup; f is zero.
func (f *finder) start(h *Handle, s Shape, l *Lookup) {
	f.traffic = h.Traffic
	f.image, f.first, f.last, f.bytes = h.Image, h.Level, h.Level+h.LevelCount(s)-1, h.Image.Format.Bytes()
	f.dimension, f.at, f.offset = shapes[s].Dimension, l.Coordinates, l.Offset
	if l.Layer != 0 {
		f.layer = min(l.Layer, h.LayerCount(s)-1)
	}
	if f.dimension == Cube {
		a := axesOf(&l.Coordinates)
		f.face, f.offset, f.layer = a.face, [3]int32{}, 6*f.layer
		f.at = a.faceCoordinates(&l.Coordinates)
	}
}

// compareWith has texels be replaced by comparisons with them. Formats of
// numbers from 0 to 1 are compared with such a number.
func (f *finder) compareWith(with *Sampler, reference float32) {
	f.compares, f.function, f.reference = true, with.Compare, f.image.Format.Reference(reference)
}

// Reference returns the number that texels of the format are compared with for a given one.
func (f Format) Reference(given float32) float32 {
	if formats[f].Encoding == Unorm {
		return min(max(given, 0), 1)
	}
	return given
}

// enter selects a level.
func (f *finder) enter(level uint32) {
	width, height, depth := f.image.LevelSize(f.first + level)
	f.size = [3]int32{int32(width), int32(height), int32(depth)}
	f.texels = f.image.levels[f.first+level]
}

// Levels returns the one or two of a view's levels that a sampler reads for a level of detail, the
// weight of the second, and how each is filtered.
func (s *Sampler) Levels(detail float32, count uint32) (low, high uint32, weight float32, filter Filter) {
	detail = s.clampDetail(detail)
	filter = s.Magnify
	if detail > 0 {
		filter = s.Minify
	}
	last := count - 1
	if !(detail > 0) || last == 0 {
		return 0, 0, 0, filter
	}
	if detail > float32(last) {
		detail = float32(last)
	}
	if s.Mipmap == Nearest {
		low = min(uint32(detail+0.5), last)
		return low, low, 0, filter
	}
	low = uint32(detail)
	return low, min(low+1, last), detail - float32(low), filter
}

// clampDetail applies the sampler's limits; a NaN becomes the lower one.
func (s *Sampler) clampDetail(detail float32) float32 {
	if !(detail >= s.LowestLevel) {
		detail = s.LowestLevel
	}
	if detail > s.HighestLevel {
		detail = s.HighestLevel
	}
	return detail
}

// sample filters at a level of detail.
func (f *finder) sample(with *Sampler, detail float32) (c channels) {
	low, high, weight, filter := with.Levels(detail, f.last-f.first+1)
	f.enter(low)
	f.filter(&c, with, filter)
	if weight > 0 {
		var second channels
		f.enter(high)
		f.filter(&second, with, filter)
		c.mix(&second, weight)
	}
	return c
}

// filter samples the level entered.
func (f *finder) filter(c *channels, with *Sampler, filter Filter) {
	if filter == Nearest {
		x, y, z := f.nearest(with)
		f.value(c, x, y, z)
		return
	}
	x, wx := f.pair(with, 0)
	if f.dimension == D1 {
		f.row(c, x, 0, 0, wx)
		return
	}
	y, wy := f.pair(with, 1)
	if f.dimension != D3 {
		f.slice(c, x, y, 0, wx, wy)
		return
	}
	z, wz := f.pair(with, 2)
	var second channels
	f.slice(c, x, y, z[0], wx, wy)
	f.slice(&second, x, y, z[1], wx, wy)
	c.mix(&second, wz)
}

func (f *finder) row(c *channels, x [2]int32, y, z int32, wx float32) {
	var second channels
	f.value(c, x[0], y, z)
	f.value(&second, x[1], y, z)
	c.mix(&second, wx)
}

func (f *finder) slice(c *channels, x, y [2]int32, z int32, wx, wy float32) {
	var second channels
	f.row(c, x, y[0], z, wx)
	f.row(&second, x, y[1], z, wx)
	c.mix(&second, wy)
}

// gathered returns the columns and rows of Gather.
func (f *finder) gathered(with *Sampler) (x, y [2]int32) {
	x, _ = f.pair(with, 0)
	y, _ = f.pair(with, 1)
	return x, y
}

// pair returns the two texels along an axis between which the sample lies, and
// the weight of the second. Those of a cube may lie beside the face.
func (f *finder) pair(with *Sampler, axis int) (i [2]int32, weight float32) {
	low, weight := SplitFloor(float32(f.at[axis]*float32(f.size[axis])) - 0.5)
	if f.dimension == Cube {
		low = min(max(low, -1), f.size[axis]-1)
		return [2]int32{low, low + 1}, weight
	}
	low += f.offset[axis]
	return [2]int32{with.Address[axis].Wrap(low, f.size[axis]), with.Address[axis].Wrap(low+1, f.size[axis])}, weight
}

// nearest returns the texel that the sample lies in.
func (f *finder) nearest(with *Sampler) (x, y, z int32) {
	var i [3]int32
	for axis := range min(int(f.dimension), 3) {
		if f.dimension == Cube && axis == 2 {
			break
		}
		n, _ := SplitFloor(f.at[axis] * float32(f.size[axis]))
		mode := with.Address[axis]
		if f.dimension == Cube {
			mode = ClampToEdge
		}
		i[axis] = mode.Wrap(n+f.offset[axis], f.size[axis])
	}
	return i[0], i[1], i[2]
}

// farthest bounds coordinates, in texels, so that they fit integers. Numbers as
// large have no fraction.
const farthest = 1 << 30

// SplitFloor splits a value into its floor and its fraction.
func SplitFloor(x float32) (floor int32, rest float32) {
	if x != x {
		return 0, 0
	}
	if x > farthest {
		x = farthest
	} else if x < -farthest {
		x = -farthest
	}
	floor = int32(x)
	if float32(floor) > x {
		floor--
	}
	return floor, x - float32(floor)
}

// Wrap applies the mode to a texel's number along an axis of n texels.
func (a AddressMode) Wrap(i, n int32) int32 {
	if uint32(i) < uint32(n) {
		return i
	}
	switch a {
	case Repeat:
		if i %= n; i < 0 {
			i += n
		}
	case MirrorRepeat:
		if i %= 2 * n; i < 0 {
			i += 2 * n
		}
		if i >= n {
			i = 2*n - 1 - i
		}
	default:
		i = min(max(i, 0), n-1)
	}
	return i
}

// value yields a texel, or its comparison. Of a cube it may lie beside the face.
func (f *finder) value(c *channels, x, y, z int32) {
	layer := int32(f.layer)
	if f.dimension == Cube {
		n := f.size[0]
		besideX, besideY := uint32(x) >= uint32(n), uint32(y) >= uint32(n)
		switch {
		case besideX && besideY:
			f.corner(c, x, y)
			return
		case besideX || besideY:
			face, i, j := AcrossEdge(f.face, x, y, n)
			f.fetch(c, i, j, layer+int32(face))
			return
		}
		layer += int32(f.face)
	}
	f.fetch(c, x, y, z+layer)
}

// corner yields the mean of the three texels around a corner of a cube.
func (f *finder) corner(c *channels, x, y int32) {
	insideX, insideY := min(max(x, 0), f.size[0]-1), min(max(y, 0), f.size[0]-1)
	var parts [3]channels
	f.value(&parts[0], insideX, insideY, 0)
	f.value(&parts[1], x, insideY, 0)
	f.value(&parts[2], insideX, y, 0)
	for n := range c {
		c[n] = (parts[0][n] + parts[1][n] + parts[2][n]) / 3
	}
}

// raw returns a texel that is not to be filtered. Beyond the corner of a cube it
// is the one in the corner.
func (f *finder) raw(x, y, z int32) Texel {
	layer := int32(f.layer)
	if f.dimension == Cube {
		n, face := f.size[0], f.face
		besideX, besideY := uint32(x) >= uint32(n), uint32(y) >= uint32(n)
		switch {
		case besideX && besideY:
			x, y = min(max(x, 0), n-1), min(max(y, 0), n-1)
		case besideX || besideY:
			face, x, y = AcrossEdge(face, x, y, n)
		}
		layer += int32(face)
	}
	f.traffic.reads(f.image.Format)
	return f.image.Format.Decode(f.memory(x, y, z+layer))
}

// memory returns the bytes of a texel by its column, row, and slice or layer.
func (f *finder) memory(x, y, z int32) []byte {
	index := (int(z)*int(f.size[1])+int(y))*int(f.size[0]) + int(x)
	return f.texels[index*f.bytes:][:f.bytes]
}

func (f *finder) fetch(c *channels, x, y, z int32) {
	f.traffic.reads(f.image.Format)
	t := f.image.Format.Decode(f.memory(x, y, z))
	if f.compares {
		c[0] = 0
		if f.function.Holds(f.reference, math.Float32frombits(uint32(t[0]))) {
			c[0] = 1
		}
		return
	}
	for n := range c {
		c[n] = math.Float32frombits(uint32(t[n]))
	}
}

// How two numbers relate, and for which relations each function holds.
const (
	isLess = 1 << iota
	isEqual
	isGreater
	isUnordered
)

var holds = [Compares]uint8{
	Less: isLess, Equal: isEqual, LessEqual: isLess | isEqual, Greater: isGreater,
	NotEqual: isLess | isGreater | isUnordered, GreaterEqual: isGreater | isEqual,
	Always: isLess | isEqual | isGreater | isUnordered,
}

// Holds reports whether the function holds for a reference and a texel.
func (c Compare) Holds(reference, texel float32) bool {
	relation := uint8(isUnordered)
	switch {
	case reference < texel:
		relation = isLess
	case reference == texel:
		relation = isEqual
	case reference > texel:
		relation = isGreater
	}
	return holds[c]&relation != 0
}

package vector

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/gpuc/gpuc/codegen/mir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/ir/texture"
)

// textureCase is an operation with what its operands may be.
type textureCase struct {
	op       op.Op
	operands []operandKind
	results  int
}

// operandKind says what random operands look like.
type operandKind uint8

const (
	anyPlace operandKind = iota // near the image's size, rarely far away
	anyCoordinate
	anyDetail
	anyBits
	anySlope
	anyReference
	fixedOffset // which is the same in all lanes, as components are
	fixedComponent
)

// cases returns the operations of a shape.
func textureCases(s texture.Shape) (list []textureCase) {
	about := s.Info()
	places, coordinates, slopes := []operandKind{}, []operandKind{}, []operandKind{}
	for range s.SizeComponents() {
		places = append(places, anyPlace)
	}
	for range s.Coordinates() {
		coordinates, slopes = append(coordinates, anyCoordinate), append(slopes, anySlope, anySlope)
	}
	if about.Arrayed {
		places, coordinates = append(places, anyPlace), append(coordinates, anyPlace)
	}
	with := func(to []operandKind, more ...operandKind) []operandKind {
		return append(to[:len(to):len(to)], more...)
	}
	if about.Class == texture.Storage {
		return []textureCase{{op.TextureRead, places, 4}, {op.TextureStore, with(places, anyBits, anyBits, anyBits, anyBits), 0}}
	}
	channels := 4
	if s.IsDepth() {
		channels = 1
	}
	cube := about.Dimension == texture.Cube
	if !cube && s.HasLevels() {
		list = append(list, textureCase{op.TextureLoad, with(places, anyPlace), channels})
	}
	if s.HasLevels() {
		list = append(list, textureCase{op.TextureSize, []operandKind{anyPlace}, s.SizeComponents()})
	}
	var offset []operandKind
	if !cube {
		for range s.SizeComponents() {
			offset = append(offset, fixedOffset)
		}
	}
	for _, offset := range [][]operandKind{nil, offset} {
		list = append(list, textureCase{op.TextureSample, with(with(coordinates, anyDetail), offset...), channels},
			textureCase{op.TextureSampleGradient, with(with(coordinates, slopes...), offset...), channels})
		if about.Dimension == texture.D2 || cube {
			list = append(list, textureCase{op.TextureGather, with(with(coordinates, fixedComponent), offset...), 4})
		}
		if s.IsDepth() {
			list = append(list, textureCase{op.TextureSampleCompare, with(with(coordinates, anyReference), offset...), 1},
				textureCase{op.TextureGatherCompare, with(with(coordinates, anyReference), offset...), 4})
		}
	}
	return list
}

// extremes are coordinates and levels that are no ordinary ones.
var extremes = []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), math.MaxFloat32, -math.MaxFloat32, 0, 1e-45, 1, -1, 1e10, -3e7, 0.5}

func (k operandKind) random(r *rand.Rand) uint32 {
	switch {
	case k == fixedOffset:
		return uint32(r.IntN(16) - 8)
	case k == fixedComponent:
		return r.Uint32N(4)
	case k == anyPlace && r.IntN(10) == 0:
		return r.Uint32()
	case k == anyPlace:
		return r.Uint32N(9)
	case k != anyBits && r.IntN(12) == 0:
		return math.Float32bits(extremes[r.IntN(len(extremes))])
	case k == anyCoordinate:
		return math.Float32bits(float32(r.IntN(4096)-1024) / 1024)
	case k == anyDetail:
		return math.Float32bits(float32(r.IntN(64)-8) / 8)
	case k == anyReference && r.IntN(4) != 0:
		return math.Float32bits(float32(r.IntN(5)) / 4)
	case k == anySlope:
		return math.Float32bits(float32(r.IntN(256)-128) / 128)
	case r.IntN(2) == 0:
		return math.Float32bits(float32(r.NormFloat64()))
	}
	return r.Uint32() >> (r.Uint32N(4) * 8)
}

// bench is a worker for one operation, with the lanes of a block and of a part of a second one.
type bench struct {
	worker
	columns []uint32
}

const benchLanes = blockLanes + 12

// newBench makes one for so many operands and results.
func newBench(p *processor, t *textureOperation, operands []operandKind, single []bool) *bench {
	const room = (benchLanes + 7) &^ 7
	b := &bench{columns: make([]uint32, (len(operands)+int(t.results))*room)}
	b.arena = unsafe.Pointer(&b.columns[0])
	b.program = &Program{processor: p, group: benchLanes, lanes: benchLanes, room: room}
	for n := range int(t.results) + len(operands) {
		o := operand{at: uint32(4 * n * room), step: 4, class: mir.Word}
		if k := n - int(t.results); k >= 0 && single[k] {
			o.step = 0
		}
		b.program.lists = append(b.program.lists, o)
	}
	b.launch, b.plans = &execution{}, make([]plan, 1)
	b.run, b.mask, b.full = make([]uint64, benchLanes/64+1), make([]uint32, room), make([]uint32, room)
	for n := range b.full {
		b.full[n] = truth(n < benchLanes)
	}
	return b
}

// TestTextureBlocks: operations on textures in blocks leave what they leave lane by lane, where
// package texture does them, in every shape and format, with all samplers: with the steps of this
// processor and with those in Go.
func TestTextureBlocks(t *testing.T) {
	thisProcessor()
	rng := rand.New(rand.NewPCG(21, 22))
	tried, taken := 0, 0
	for format := texture.NoFormat + 1; format < texture.Formats; format++ {
		for shape := range texture.Shapes {
			d := shape.Describe(format, 7, 5, 3, 2, 3)
			if shape.Info().Multisampled || d.Check() != nil || d.Fits(shape, format) != nil {
				continue
			}
			for _, c := range textureCases(shape) {
				for range 3 {
					tried++
					if tryBlocks(t, rng, &d, shape, &c) {
						taken++
					}
					if t.Failed() {
						return
					}
				}
			}
		}
	}
	t.Logf("%d operations, of which blocks take %d", tried, taken)
	if taken < 4*tried/5 || tried < 5000 {
		t.Errorf("only %d of %d operations were done in blocks", taken, tried)
	}
}

// tryBlocks compares one operation, and reports whether there was something to compare.
func tryBlocks(t *testing.T, rng *rand.Rand, d *texture.Description, shape texture.Shape, c *textureCase) bool {
	first := texture.NewImage(d)
	for level := range d.Levels {
		for n := range first.Level(level) {
			first.Level(level)[n] = byte(rng.Uint32())
		}
	}
	// which references are equal to
	if few := []byte{0, 0, 0x3F, 0x80, 0xFF}; shape.IsDepth() && rng.IntN(2) == 0 {
		for level := range d.Levels {
			for n := range first.Level(level) {
				first.Level(level)[n] = few[rng.IntN(len(few))]
			}
		}
	}
	filter := texture.Filter(rng.IntN(2))
	s := texture.Sampler{Address: [3]texture.AddressMode{texture.AddressMode(rng.IntN(3)), texture.AddressMode(rng.IntN(3)), texture.AddressMode(rng.IntN(3))},
		Magnify: filter, Minify: filter, Mipmap: texture.Filter(rng.IntN(2)), HighestLevel: 10, Compare: texture.Never + texture.Compare(rng.IntN(8))}
	switch rng.IntN(6) {
	case 0:
		s.LowestLevel, s.HighestLevel = rng.Float32(), 1+rng.Float32()
	case 1:
		s.Minify = texture.Filter(rng.IntN(2))
	}
	x := textureOperation{op: c.op, shape: shape, sampler: 1, results: uint8(c.results), operands: uint8(len(c.operands)), words: true,
		whole: rng.IntN(2) == 0, needed: uint8(rng.UintN(16)) | 1}
	single := make([]bool, len(c.operands))
	for n, k := range c.operands {
		single[n] = k >= fixedOffset || rng.IntN(4) == 0
	}
	level := uint32(0)
	if shape.HasLevels() {
		level = rng.Uint32N(d.Levels)
	}
	var masks [benchLanes/64 + 1]uint64
	for n := range masks {
		switch masks[n] = rng.Uint64(); n & 3 {
		case 0:
			masks[n] |= rng.Uint64()
		case 1:
			masks[n] &= rng.Uint64()
		}
	}
	every := rng.IntN(2) == 0
	if every {
		fillMask(masks[:], benchLanes)
	}
	masks[len(masks)-1] &= 1<<12 - 1
	seed := rng.Uint64()
	place := func(m *texture.Image, p *processor) *bench {
		b := newBench(p, &x, c.operands, single)
		b.launch.handles = []texture.Handle{{Image: m, Level: level}, {Sampler: &s}}
		values := rand.New(rand.NewPCG(seed, 1))
		for n := range b.columns {
			k := n/b.program.room - c.results
			if b.columns[n] = 0x1234567; k >= 0 {
				b.columns[n] = c.operands[k].random(values)
			}
		}
		copy(b.run, masks[:])
		b.live = benchLanes
		if !every {
			b.live--
		}
		b.changed()
		return b
	}
	clone := func() *texture.Image {
		m := texture.NewImage(d)
		for level := range d.Levels {
			copy(m.Level(level), first.Level(level))
		}
		return m
	}
	wantImage := clone()
	want := place(wantImage, &processors.inGo)
	for n, mask := range want.run {
		for mask != 0 {
			want.textureLane(&x, want.lane(n, &mask))
		}
	}
	filtered := d.Format.Info().Channel == scalar.F32 && s.Magnify|s.Minify == texture.Linear
	for _, p := range []*processor{&processors.inGo, &processors.assembly} {
		m := clone()
		got := place(m, p)
		if !got.textureBlocks(&x) {
			return false
		}
		for level := range d.Levels {
			if !bytes.Equal(m.Level(level), wantImage.Level(level)) {
				t.Errorf("%s of %s %s: level %d has other texels", c.op, shape, d.Format, level)
			}
		}
		for n := range c.results * got.program.room {
			k, lane := n/got.program.room, n%got.program.room
			g, w := got.columns[n], want.columns[n]
			if g == w || x.needed>>k&1 == 0 || x.whole && masks[lane/64]>>(lane%64)&1 == 0 || filtered && isNaN(g) && isNaN(w) {
				continue
			}
			t.Errorf("%s of %s %s with %+v: result %d of lane %d is %#x, expected %#x; assembly: %v, whole %v, operands %v", c.op, shape, d.Format, s, k, lane, g, w, p == &processors.assembly, x.whole, got.operandsAt(&x, lane))
			return true
		}
	}
	return true
}

func isNaN(bits uint32) bool { return bits&0x7FFFFFFF > 0x7F800000 }

// operandsAt returns what a lane has.
func (b *bench) operandsAt(t *textureOperation, lane int) (list []float32) {
	for _, o := range b.program.lists[t.results:] {
		list = append(list, math.Float32frombits(uint32(b.get(o, lane))))
	}
	return list
}

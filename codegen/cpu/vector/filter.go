package vector

import (
	"math"
	"math/bits"
	"sync/atomic"
	"unsafe"

	"github.com/gpuc/gpuc/ir/texture"
)

// This file has what operations on textures are made of, for the lanes of a block: where a sample
// lies along an axis, the words of texels at some places, the numbers in them, and what lies
// between numbers. In Go they are what package texture does, a step for many lanes instead of many
// steps for a lane, so that results have the same bits; vector_amd64.go has them in assembly.

// blockLanes is how many lanes are done at once: so many that what is done once for all of them
// hardly counts, and so few that what they have stays in the processor's first cache.
const blockLanes = 256

// block is what the lanes of a block have. Assembly takes eight of them at a time.
type block [blockLanes]uint32

// axis is where samples lie along an axis. Assembly knows its layout.
type axis struct {
	at, size unsafe.Pointer // coordinates, and how many texels the axis has
	// the texels on both sides and the weight of the higher one; high is nil for the nearest one
	// alone
	low, high, weight unsafe.Pointer
	offset            int32
	mode              axisMode
}

// axisMode says what stands for texels outside.
type axisMode uint32

const (
	axisClamp  = axisMode(texture.ClampToEdge)
	axisRepeat = axisMode(texture.Repeat)
	axisMirror = axisMode(texture.MirrorRepeat)
	axisCube   = axisMode(texture.AddressModes) // nothing: one may lie beside the face of a cube
)

func (a *axis) find(lanes int) {
	at, size := unsafe.Slice((*float32)(a.at), lanes), unsafe.Slice((*int32)(a.size), lanes)
	low := unsafe.Slice((*int32)(a.low), lanes)
	if a.high == nil {
		for n, x := range at {
			i, _ := texture.Whole(float32(x * float32(size[n])))
			low[n] = a.wrap(i+a.offset, size[n])
		}
		return
	}
	high, weight := unsafe.Slice((*int32)(a.high), lanes), unsafe.Slice((*float32)(a.weight), lanes)
	for n, x := range at {
		i, rest := texture.Whole(float32(x*float32(size[n])) - 0.5)
		weight[n] = rest
		if a.mode == axisCube {
			i = min(max(i, -1), size[n]-1)
			low[n], high[n] = i, i+1
			continue
		}
		i += a.offset
		low[n], high[n] = a.wrap(i, size[n]), a.wrap(i+1, size[n])
	}
}

func (a *axis) wrap(i, size int32) int32 { return texture.AddressMode(a.mode).Wrap(i, size) }

// fetch reads a word at each of some places, those outside of the level being the nearest inside.
// Assembly knows its layout.
type fetch struct {
	base    unsafe.Pointer
	x, y, z unsafe.Pointer
	// of each place's level: its size, layers counting as depth, and where it begins in bytes
	width, height, depth, offset unsafe.Pointer
	to                           unsafe.Pointer
	shift                        uint64 // 1<<shift bytes are a texel
	// Of four texels, what the others have for x and y, and how far from base eight bytes may begin
	// at most.
	right, below unsafe.Pointer
	last         uint32
}

func (f *fetch) read(lanes int) {
	xs, ys, zs := unsafe.Slice((*uint32)(f.x), lanes), unsafe.Slice((*uint32)(f.y), lanes), unsafe.Slice((*uint32)(f.z), lanes)
	widths, heights := unsafe.Slice((*uint32)(f.width), lanes), unsafe.Slice((*uint32)(f.height), lanes)
	depths, offsets := unsafe.Slice((*uint32)(f.depth), lanes), unsafe.Slice((*uint32)(f.offset), lanes)
	for n := range unsafe.Slice((*uint32)(f.to), lanes) {
		width, height := widths[n], heights[n]
		at := (min(zs[n], depths[n]-1)*height+min(ys[n], height-1))*width + min(xs[n], width-1)
		*(*uint32)(unsafe.Add(f.to, 4*n)) = *(*uint32)(unsafe.Add(f.base, at<<f.shift+offsets[n]))
	}
}

// readCorners reads the words of four texels around each place, to corners.
func (f *fetch) readCorners(lanes int) {
	to, one := (*corners)(f.to), *f
	for k := range to {
		one.to = unsafe.Pointer(&to[k])
		one.x = [...]unsafe.Pointer{f.x, f.right}[k&1]
		one.y = [...]unsafe.Pointer{f.y, f.below}[k>>1]
		one.read(lanes)
	}
}

// nearest reads a word of the nearest texel of samples of one level in two dimensions. Assembly
// knows its layout.
type nearest struct {
	base   unsafe.Pointer // of the level
	x, y   unsafe.Pointer // coordinates
	layers unsafe.Pointer // or nil
	to     unsafe.Pointer
	// how far from base eight words may begin at most, or less than 0 where words are not side by
	// side
	limit         int64
	width, height int32
	offset        [2]int32
	mode          [2]axisMode
	last          uint32 // layer
	shift         uint64 // 1<<shift bytes are a texel
}

// field is a part of a word that stands for a number. Assembly knows its layout.
type field struct {
	shift, mask uint32
	// A number from 0 to 1 is the part times high plus the part times low, whose sum is 1/mask,
	// rounded once behind the sum: the quotient by the mask, rounded to the nearest.
	high, low float32
	left      uint32 // by how many bits the part is moved to be a half
}

// unorm makes numbers from 0 to 1 of parts.
func unorm(lanes int, to, from unsafe.Pointer, f *field) {
	numbers, words := unsafe.Slice((*float32)(to), lanes), unsafe.Slice((*uint32)(from), lanes)
	most := float64(f.mask)
	for n, word := range words[:len(numbers)] {
		numbers[n] = float32(float64(word>>(f.shift&31)&f.mask) / most)
	}
}

// unorms is unorm for all four bytes of words, from the lowest on.
func unorms(lanes int, to *[4]unsafe.Pointer, from unsafe.Pointer, f *field) {
	of := *f
	for n, to := range to {
		of.shift = uint32(8 * n)
		unorm(lanes, to, from, &of)
	}
}

// halves makes floats of halves.
func halves(lanes int, to, from unsafe.Pointer, f *field) {
	numbers, words := unsafe.Slice((*float32)(to), lanes), unsafe.Slice((*uint32)(from), lanes)
	for n, word := range words[:len(numbers)] {
		numbers[n] = texture.Half(uint16(word >> (f.shift & 31) & f.mask << (f.left & 31)))
	}
}

// corners is what the four texels around a sample hold: at the lower column and row, at the higher
// column, at the higher row, and at both.
type corners [4]block

// between interpolates between four numbers, along the rows and then along the columns.
func between(lanes int, to, four, across, down unsafe.Pointer) {
	c := (*[4][blockLanes]float32)(four)
	numbers, xs, ys := unsafe.Slice((*float32)(to), lanes), unsafe.Slice((*float32)(across), lanes), unsafe.Slice((*float32)(down), lanes)
	for n := range numbers {
		k := n & (blockLanes - 1)
		x := xs[n]
		a, b := c[0][k], c[2][k]
		a += float32((c[1][k] - a) * x)
		b += float32((c[3][k] - b) * x)
		numbers[n] = a + float32((b-a)*ys[n])
	}
}

// betweenUnorms is unorm and between in one.
func betweenUnorms(lanes int, to, four, across, down unsafe.Pointer, f *field) {
	var numbers corners
	for k := range numbers {
		unorm(lanes, unsafe.Pointer(&numbers[k]), unsafe.Pointer(&(*corners)(four)[k]), f)
	}
	between(lanes, to, unsafe.Pointer(&numbers), across, down)
}

// blending makes what lies between four texels of which each byte is a number from 0 to 1, in all
// channels. Assembly knows its layout.
type blending struct {
	to           [4]unsafe.Pointer // by byte, nil where nobody asks
	four         unsafe.Pointer    // corners of words
	across, down unsafe.Pointer
	// with which what is there is mixed with it, or nil where nothing is there
	weight unsafe.Pointer
	field  field
}

func (b *blending) make(lanes int) {
	var numbers block
	for n, to := range b.to {
		if to == nil {
			continue
		}
		of := b.field
		of.shift = uint32(8 * n)
		if b.weight == nil {
			betweenUnorms(lanes, to, b.four, b.across, b.down, &of)
			continue
		}
		betweenUnorms(lanes, unsafe.Pointer(&numbers), b.four, b.across, b.down, &of)
		mix(lanes, to, unsafe.Pointer(&numbers), b.weight)
	}
}

// mix interpolates towards other numbers.
func mix(lanes int, to, other, weight unsafe.Pointer) {
	numbers, others, weights := unsafe.Slice((*float32)(to), lanes), unsafe.Slice((*float32)(other), lanes), unsafe.Slice((*float32)(weight), lanes)
	for n, x := range numbers {
		numbers[n] = x + float32((others[n]-x)*weights[n])
	}
}

// mixSome is mix where there is a weight, and leaves the other numbers as they are.
func mixSome(lanes int, to, other, weight unsafe.Pointer) {
	numbers, others, weights := unsafe.Slice((*float32)(to), lanes), unsafe.Slice((*float32)(other), lanes), unsafe.Slice((*float32)(weight), lanes)
	for n, x := range numbers {
		if weights[n] > 0 {
			numbers[n] = x + float32((others[n]-x)*weights[n])
		}
	}
}

// turn finds the faces of cubes that directions point to, and where on them. Assembly knows its
// layout.
type turn struct {
	x, y, z      unsafe.Pointer // the directions
	layers       unsafe.Pointer // the numbers of cubes
	across, down unsafe.Pointer // coordinates on the face
	face         unsafe.Pointer // its number among those of all cubes
	most         uint32         // the last cube
}

func (t *turn) find(lanes int) {
	xs, ys, zs := unsafe.Slice((*float32)(t.x), lanes), unsafe.Slice((*float32)(t.y), lanes), unsafe.Slice((*float32)(t.z), lanes)
	across, down := unsafe.Slice((*float32)(t.across), lanes), unsafe.Slice((*float32)(t.down), lanes)
	layers, faces := unsafe.Slice((*uint32)(t.layers), lanes), unsafe.Slice((*uint32)(t.face), lanes)
	for n, x := range xs {
		face, at := texture.Face(&[3]float32{x, ys[n], zs[n]})
		across[n], down[n] = at[0], at[1]
		faces[n] = 6*min(layers[n], t.most) + face
	}
}

// comparison makes numbers of whether references compare with others, 0 or 1. Assembly knows its
// layout.
type comparison struct {
	numbers, references             unsafe.Pointer
	less, equal, greater, unordered uint32  // all ones if it holds then
	low, high                       float32 // between which a reference is moved
	// what the numbers are of that references are compared with
	from unsafe.Pointer
}

func (c *comparison) make(lanes int) {
	numbers, from := unsafe.Slice((*float32)(c.numbers), lanes), unsafe.Slice((*float32)(c.from), lanes)
	for n, reference := range unsafe.Slice((*float32)(c.references), lanes)[:len(numbers)] {
		reference = min(max(reference, c.low), c.high)
		holds := c.unordered
		switch number := from[n]; {
		case reference < number:
			holds = c.less
		case reference == number:
			holds = c.equal
		case reference > number:
			holds = c.greater
		}
		numbers[n] = math.Float32frombits(holds & 0x3F800000)
	}
}

// finest finds the levels that samples are of. Assembly knows its layout.
type finest struct {
	details           unsafe.Pointer // levels of detail
	low, high, weight unsafe.Pointer // the levels on both sides, and the weight of the second
	lowest, highest   float32        // of the sampler
	last              uint32
	mipmap            uint32
}

// find reports whether there is a weight.
func (f *finest) find(lanes int) (between bool) {
	low, high, weights := unsafe.Slice((*uint32)(f.low), lanes), unsafe.Slice((*uint32)(f.high), lanes), unsafe.Slice((*float32)(f.weight), lanes)
	s := texture.Sampler{Mipmap: texture.Filter(f.mipmap), LowestLevel: f.lowest, HighestLevel: f.highest}
	for n, detail := range unsafe.Slice((*float32)(f.details), lanes) {
		low[n], high[n], weights[n], _ = s.Levels(detail, f.last+1)
		between = between || weights[n] > 0
	}
	return between
}

// slope makes levels of detail of derivatives of coordinates. Assembly knows its layout.
type slope struct {
	across, down     [3]unsafe.Pointer
	sizes            [3]float64 // of the first level
	count            uint64     // of coordinates
	squares, details unsafe.Pointer
	rough            [blockLanes / 8]uint8 // by bit: lanes of which only the square is right
}

// find leaves squares of how many texels the longer of both derivatives goes over, and levels of
// detail of which the nearest level is that of the square. Half of the logarithm of the square is
// the detail, so what the nearest level is changes at odd powers of two: where a square is no power
// of two and not so close to one that the logarithm's rounding matters, its exponent decides. The
// logarithm of a power of two is exact.
func (s *slope) find(lanes int) {
	const fraction, close = 1<<52 - 1, 1 << 32
	s.rough = [len(s.rough)]uint8{}
	squares, details := unsafe.Slice((*float64)(s.squares), lanes), unsafe.Slice((*float32)(s.details), lanes)
	for n := range squares {
		across, down := 0.0, 0.0
		for c := range s.count {
			dx, dy := float64(*(*float32)(unsafe.Add(s.across[c], 4*n)))*s.sizes[c], float64(*(*float32)(unsafe.Add(s.down[c], 4*n)))*s.sizes[c]
			across, down = across+float64(dx*dx), down+float64(dy*dy)
		}
		squares[n] = max(across, down)
		bits := math.Float64bits(squares[n])
		exponent, rest := int(bits>>52), bits&fraction
		if exponent == 0 || exponent >= 2047 || rest != 0 && (rest <= close || rest >= fraction-close) {
			s.rough[n/8] |= 1 << (n % 8)
		}
		quarters := 2 * (exponent - 1023)
		if rest != 0 {
			quarters++
		}
		details[n] = float32(quarters) / 4
	}
}

// filters are the steps of a processor.
type filters struct {
	find    func(lanes int, a *axis)
	read    func(lanes int, f *fetch)
	corners func(lanes int, f *fetch)
	// false where some texels are too far outside, or always
	nearest func(lanes int, n *nearest) bool
	around  func(lanes int, a *around)
	texels  func(lanes int, r *reading)
	unorm   func(lanes int, to, from unsafe.Pointer, f *field)
	halves  func(lanes int, to, from unsafe.Pointer, f *field)
	between func(lanes int, to, four, across, down unsafe.Pointer)
	blend   func(lanes int, b *blending)
	mix     func(lanes int, to, other, weight unsafe.Pointer)
	mixSome func(lanes int, to, other, weight unsafe.Pointer)

	unorms        func(lanes int, to *[4]unsafe.Pointer, from unsafe.Pointer, f *field)
	betweenUnorms func(lanes int, to, four, across, down unsafe.Pointer, f *field)

	turn    func(lanes int, t *turn)
	compare func(lanes int, c *comparison)
	finest  func(lanes int, f *finest) bool
	slope   func(lanes int, s *slope)
	levels  func(lanes int, v *levelling)
}

var filtersInGo = filters{
	find: func(lanes int, a *axis) { a.find(lanes) }, read: func(lanes int, f *fetch) { f.read(lanes) }, corners: func(lanes int, f *fetch) { f.readCorners(lanes) },
	around: func(lanes int, a *around) { a.read(lanes) }, nearest: func(int, *nearest) bool { return false },
	texels: func(lanes int, r *reading) { r.read(lanes) },
	blend:  func(lanes int, b *blending) { b.make(lanes) },
	unorm:  unorm, halves: halves, between: between, mix: mix, mixSome: mixSome, unorms: unorms, betweenUnorms: betweenUnorms,
	turn: func(lanes int, t *turn) { t.find(lanes) }, compare: func(lanes int, c *comparison) { c.make(lanes) },
	finest: func(lanes int, f *finest) bool { return f.find(lanes) },
	slope:  func(lanes int, s *slope) { s.find(lanes) }, levels: func(lanes int, v *levelling) { v.find(lanes) },
}

// channel is how a channel of texels lies in memory.
type channel struct {
	field
	decode decoder
	word   uint8        // in which of a texel's words
	bits   uint32       // what it is if it is not there
	octets *[256]uint32 // of decodeOctet
}

// decoder says how.
type decoder uint8

const (
	decodeNothing decoder = iota // it is not there
	decodeWord
	decodeUnorm
	decodeHalf
	decodeUnsigned
	decodeSigned
	decodeOctet  // by a table
	decodeShared // a fraction whose exponent others share
	decodeSnorm
)

// channelOf finds out how a channel lies.
func channelOf(f texture.Format, c int) (x channel) {
	i := f.Info()
	if c >= i.Channels {
		x.bits = f.Missing(c)
		return x
	}
	width, at := uint32(i.Bits), uint32(c*i.Bits)
	if i.Reversed && c != 1 && c != 3 {
		at = 2*width - at
	}
	x.decode = [...]decoder{texture.Unorm: decodeUnorm, texture.Snorm: decodeSnorm, texture.Uint: decodeUnsigned, texture.Sint: decodeSigned,
		texture.Float: decodeHalf, texture.SRGB: decodeOctet, texture.Packed1010102Unorm: decodeUnorm, texture.Packed1010102Uint: decodeUnsigned,
		texture.Packed111110Ufloat: decodeHalf, texture.Packed9995Ufloat: decodeShared}[i.Encoding]
	switch i.Encoding {
	case texture.Packed1010102Unorm, texture.Packed1010102Uint:
		at = uint32(10 * c)
		if width = 10; c == 3 {
			width = 2
		}
	case texture.Packed111110Ufloat:
		at, width, x.left = uint32(11*c), 11, 4
		if c == 2 {
			width, x.left = 10, 5
		}
	case texture.Packed9995Ufloat:
		at, width = uint32(9*c), 9
	case texture.SRGB:
		if x.octets = texture.Octets(i.Encoding); c == 3 {
			x.decode = decodeUnorm
		}
	}
	if width == 32 {
		x.decode = decodeWord
	}
	x.word, x.shift, x.mask = uint8(at/32), at%32, uint32(1)<<width-1
	whole := 1 / float64(x.mask)
	x.high = float32(whole)
	x.low = float32(whole - float64(x.high))
	return x
}

// channels are those of all formats, found out when they are first asked for.
var channels [texture.Formats][4]atomic.Pointer[channel]

func channelFor(f texture.Format, c int) *channel {
	at := &channels[f][c]
	if x := at.Load(); x != nil {
		return x
	}
	x := channelOf(f, c)
	at.Store(&x)
	return &x
}

// decode makes numbers of the words of texels.
func (p *processor) decode(x *channel, lanes int, to, from unsafe.Pointer) {
	switch x.decode {
	case decodeNothing:
		p.columns[fillWord](lanes, to, unsafe.Pointer(&x.bits), nil, nil)
		return
	case decodeWord:
		if to != from {
			p.columns[copyWord](lanes, to, from, nil, nil)
		}
		return
	case decodeUnorm:
		p.unorm(lanes, to, from, &x.field)
		return
	case decodeHalf:
		p.halves(lanes, to, from, &x.field)
		return
	}
	numbers, words := unsafe.Slice((*uint32)(to), lanes), unsafe.Slice((*uint32)(from), lanes)
	width := uint32(bits.Len32(x.mask))
	shift, up, down := x.shift&31, (32-x.shift-width)&31, (32-width)&31
	switch x.decode {
	case decodeUnsigned:
		for n, word := range words[:len(numbers)] {
			numbers[n] = word >> shift & x.mask
		}
	case decodeSigned:
		for n, word := range words[:len(numbers)] {
			numbers[n] = uint32(int32(word<<up) >> down)
		}
	case decodeSnorm:
		most := float64(x.mask >> 1)
		for n, word := range words[:len(numbers)] {
			numbers[n] = math.Float32bits(float32(max(float64(int32(word<<up)>>down)/most, -1)))
		}
	case decodeOctet:
		for n, word := range words[:len(numbers)] {
			numbers[n] = x.octets[word>>shift&255]
		}
	case decodeShared: // both factors are exact, and so is the product
		for n, word := range words[:len(numbers)] {
			numbers[n] = math.Float32bits(float32(float32(word>>shift&x.mask) * math.Float32frombits((word>>27+127-24)<<23)))
		}
	}
}

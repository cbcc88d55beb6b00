package vector

import (
	"math"
	"unsafe"

	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/ir/texture"
)

// This file stores texels, for all lanes at once: first the channels of all of them become words,
// and then the words are written, in the order of lanes.

// encoding is how some channels become a word, the first one its low bits. Assembly knows its
// layout.
type encoding struct {
	from  [4]unsafe.Pointer // columns of the channels
	count uint64            // of them
	// what a float is multiplied by, after it is moved between low and high
	most        float32
	low, high   float32
	least, last uint32 // what integers are moved between
	mask, width uint32 // of a channel
}

// encoder says which of the steps below it takes.
type encoder uint8

const (
	encodeWord encoder = iota // a channel is a word
	encodeNumbers
	encodeHalves
	encodeUnsigned
	encodeSigned
)

// magic is added to a number so that its nearest integer, of two that are as near the even one,
// stands in the low bits. The sum is rounded once, as what has 24 bits times what has 16 is exact
// in a double.
const magic = 0x1.8p52

// pack makes words of channels by what makes a part of one.
func (e *encoding) pack(lanes int, words unsafe.Pointer, part func(bits uint32) uint32) {
	for n, to := range unsafe.Slice((*uint32)(words), lanes) {
		to = 0
		for c := int(e.count) - 1; c >= 0; c-- {
			to = to<<(e.width&31) | part(*(*uint32)(unsafe.Add(e.from[c], 4*n)))
		}
		*(*uint32)(unsafe.Add(words, 4*n)) = to
	}
}

// packNumbers makes parts of floats: a NaN becomes zero.
func packNumbers(lanes int, words unsafe.Pointer, e *encoding) {
	e.pack(lanes, words, func(bits uint32) uint32 {
		x := math.Float32frombits(bits)
		if x != x {
			x = 0
		}
		return uint32(math.Float64bits(float64(float64(min(max(x, e.low), e.high))*float64(e.most))+magic)) & e.mask
	})
}

func packHalves(lanes int, words unsafe.Pointer, e *encoding) {
	e.pack(lanes, words, func(bits uint32) uint32 {
		return uint32(scalar.HalfFromFloat64(float64(math.Float32frombits(bits))))
	})
}

func packUnsigned(lanes int, words unsafe.Pointer, e *encoding) {
	e.pack(lanes, words, func(bits uint32) uint32 { return min(bits, e.last) })
}

func packSigned(lanes int, words unsafe.Pointer, e *encoding) {
	e.pack(lanes, words, func(bits uint32) uint32 { return uint32(min(max(int32(bits), int32(e.least)), int32(e.last))) & e.mask })
}

// encodingOf returns how channels of a width are encoded.
func encodingOf(as texture.Encoding, width uint32) (step encoder, e encoding) {
	e.mask, e.width = uint32(1)<<width-1, width
	switch {
	case width == 32:
		return encodeWord, e
	case as == texture.Unorm:
		e.most, e.high = float32(e.mask), 1
		return encodeNumbers, e
	case as == texture.Snorm:
		e.most, e.low, e.high = float32(e.mask>>1), -1, 1
		return encodeNumbers, e
	case as == texture.Uint:
		e.last = e.mask
		return encodeUnsigned, e
	case as == texture.Sint:
		e.least, e.last = -(e.mask>>1 + 1), e.mask>>1
		return encodeSigned, e
	}
	return encodeHalves, e
}

// spot finds where texels are to be stored. Assembly knows its layout.
type spot struct {
	x, y, z unsafe.Pointer // columns; y and z are nil where there is one row or slice
	to      unsafe.Pointer // places in bytes
	// columns: of the lanes that run, and of those that look inside of the level besides
	mask, inside         unsafe.Pointer
	width, height, depth uint32
	bytes                uint32
}

// find reports whether a lane is inside.
func (s *spot) find(lanes int) bool {
	any := uint32(0)
	for n := range lanes {
		x, y, z := *(*uint32)(unsafe.Add(s.x, 4*n)), uint32(0), uint32(0)
		if s.y != nil {
			y = *(*uint32)(unsafe.Add(s.y, 4*n))
		}
		if s.z != nil {
			z = *(*uint32)(unsafe.Add(s.z, 4*n))
		}
		inside := truth(x < s.width && y < s.height && z < s.depth) & *(*uint32)(unsafe.Add(s.mask, 4*n))
		any |= inside
		*(*uint32)(unsafe.Add(s.inside, 4*n)) = inside
		*(*uint32)(unsafe.Add(s.to, 4*n)) = ((z*s.height+y)*s.width + x) * s.bytes
	}
	return any != 0
}

// writers are the steps of stores of a processor.
type writers struct {
	spot  func(lanes int, s *spot) bool
	packs [encodeSigned + 1]func(lanes int, words unsafe.Pointer, e *encoding)
	// pairs writes two words that follow each other, of two columns, at the places in bytes that a
	// column has, in the lanes of a mask that is one.
	pairs func(lanes int, base unsafe.Pointer, from *[2]unsafe.Pointer, places, mask unsafe.Pointer)
}

var writersInGo = writers{
	spot:  func(lanes int, s *spot) bool { return s.find(lanes) },
	packs: [...]func(int, unsafe.Pointer, *encoding){encodeNumbers: packNumbers, encodeHalves: packHalves, encodeUnsigned: packUnsigned, encodeSigned: packSigned},
	pairs: pairs,
}

func pairs(lanes int, base unsafe.Pointer, from *[2]unsafe.Pointer, places, mask unsafe.Pointer) {
	for n, at := range unsafe.Slice((*uint32)(places), lanes) {
		if *(*uint32)(unsafe.Add(mask, 4*n)) != 0 {
			*(*[2]uint32)(unsafe.Add(base, at)) = [2]uint32{*(*uint32)(unsafe.Add(from[0], 4*n)), *(*uint32)(unsafe.Add(from[1], 4*n))}
		}
	}
}

// storing is what is known of a store in a launch.
type storing struct {
	spot   spot
	base   unsafe.Pointer
	size   uint64 // of what is behind it
	bytes  int    // of a texel
	step   encoder
	words  [4]unsafe.Pointer // columns of the words of texels
	of     [4]encoding       // what they are made of
	filled [8]filled
	fills  int // how many of them there are
}

// filled is an operand that is the same in all lanes, and the column that is filled with it.
type filled struct{ to, from unsafe.Pointer }

// Columns of a worker that a store has aside: places, which lanes are inside, words, and operands
// that are the same in all lanes.
const (
	asidePlaces = iota
	asideInside
	asideWords
	asideOperands = asideWords + 4
	asideColumns  = asideOperands + 8
)

// asideAt returns one.
func (w *worker) asideAt(n int) unsafe.Pointer { return unsafe.Pointer(&w.aside[n*w.program.room]) }

// planStore finds out what there is to know of a store, if it is one that can be done at once.
func (w *worker) planStore(t *textureOperation, h *texture.Handle, in []operand) *plan {
	p := &w.plans[t.number]
	if p.made {
		return p
	}
	*p = plan{made: true}
	i, count := h.Image.Format.Info(), t.places()
	if i.Bits == 0 || i.Encoding == texture.SRGB || len(in) != count+4 {
		return p
	}
	p.whole = true
	if need := asideColumns * w.program.room; len(w.aside) < need {
		w.aside = make([]uint32, need)
	}
	var at [8]unsafe.Pointer
	s := &p.storing
	for n, o := range in {
		if at[n] = w.at(o.at); o.step == 0 {
			s.filled[s.fills] = filled{w.asideAt(asideOperands + n), at[n]}
			at[n] = s.filled[s.fills].to
			s.fills++
		}
	}
	plane := h.Plane(t.shape, 0)
	if t.shape.Info().Dimension != texture.D3 {
		plane.Depth = plane.Layers
	}
	s.bytes = h.Image.Format.Bytes()
	s.base = unsafe.Add(unsafe.Pointer(unsafe.SliceData(h.Image.Memory())), plane.Offset)
	s.size = uint64(plane.Width) * uint64(plane.Height) * uint64(plane.Depth) * uint64(s.bytes)
	s.spot = spot{to: w.asideAt(asidePlaces), inside: w.asideAt(asideInside), width: plane.Width, height: plane.Height, depth: plane.Depth, bytes: uint32(s.bytes)}
	for n, to := range [...]*unsafe.Pointer{&s.spot.x, &s.spot.y, &s.spot.z} {
		switch {
		case n < t.shape.SizeComponents():
			*to = at[n]
		case n == 2 && t.shape.Info().Arrayed:
			*to = at[count-1]
		}
	}
	var e encoding
	s.step, e = encodingOf(i.Encoding, uint32(i.Bits))
	for c := range i.Channels {
		from := at[count+c]
		if i.Reversed && c != 1 && c != 3 {
			from = at[count+2-c]
		}
		n := c * i.Bits / 32
		if s.words[n] = w.asideAt(asideWords + n); s.step == encodeWord {
			s.words[n] = from
			continue
		}
		to := &s.of[n]
		if to.count == 0 {
			*to = e
		}
		to.from[to.count] = from
		to.count++
	}
	return p
}

// stores stores texels, and reports whether it can. Nothing is written outside.
func (w *worker) stores(t *textureOperation, h *texture.Handle, in []operand) bool {
	p := w.planStore(t, h, in)
	if !p.whole {
		return false
	}
	s, processor, lanes := &p.storing, w.program.processor, w.extent
	for _, x := range s.filled[:s.fills] {
		processor.columns[fillWord](lanes, x.to, x.from, nil, nil)
	}
	if s.spot.mask = w.column(); !processor.spot(lanes, &s.spot) {
		return true
	}
	if s.step != encodeWord {
		for n := range (s.bytes + 3) / 4 {
			processor.packs[s.step](lanes, s.words[n], &s.of[n])
		}
	}
	switch s.bytes {
	case 1, 2:
		s.writeParts(lanes)
	case 4:
		w.window = window{base: s.base, last: uint32(s.size) - 4, scale: 1, step: 4, bound: math.MaxUint32}
		processor.scatter(lanes, s.words[0], s.spot.to, s.spot.inside, &w.window)
	case 8:
		processor.pairs(lanes, s.base, (*[2]unsafe.Pointer)(s.words[:]), s.spot.to, s.spot.inside)
	default:
		w.window = window{base: s.base, last: uint32(s.size) - 16, scale: 1, bound: math.MaxUint32}
		processor.scatterRow(lanes, &s.words, s.spot.to, s.spot.inside, &w.window)
	}
	return true
}

// writeParts writes texels of less than a word.
func (s *storing) writeParts(lanes int) {
	words := unsafe.Slice((*uint32)(s.words[0]), lanes)
	for n, at := range unsafe.Slice((*uint32)(s.spot.to), lanes) {
		switch {
		case *(*uint32)(unsafe.Add(s.spot.inside, 4*n)) == 0:
		case s.bytes == 1:
			*(*uint8)(unsafe.Add(s.base, at)) = uint8(words[n])
		default:
			*(*uint16)(unsafe.Add(s.base, at)) = uint16(words[n])
		}
	}
}

package columns

import (
	"math"
	"unsafe"

	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/ir/texture"
)

// This file stores texels for a block of lanes: first the channels of all of them become parts of words, and then the words are written, in the order of lanes.

// encoding is how a channel becomes a part of a word. Assembly knows its layout.
type encoding struct {
	most        float64 // what a float is multiplied by, after it is moved between low and high
	low, high   float32
	least, last uint32 // what integers are moved between
	mask, shift uint32
}

// encoder says which of the steps below it takes.
type encoder uint8

const (
	encodeWord encoder = iota
	encodeNumber
	encodeHalf
	encodeUnsigned
	encodeSigned
)

// magic is added to a number so that its nearest integer, of two that are as near the even one, stands in the low bits.
const magic = 0x1.8p52

// numberParts makes parts of floats: a NaN becomes zero.
func numberParts(lanes int, words, from unsafe.Pointer, e *encoding) {
	to, numbers := unsafe.Slice((*uint32)(words), lanes), unsafe.Slice((*float32)(from), lanes)
	for n, x := range numbers[:len(to)] {
		if x != x {
			x = 0
		}
		to[n] |= uint32(math.Float64bits(float64(float64(min(max(x, e.low), e.high))*e.most)+magic)) & e.mask << (e.shift & 31)
	}
}

// halfParts makes halves of floats.
func halfParts(lanes int, words, from unsafe.Pointer, e *encoding) {
	to, numbers := unsafe.Slice((*uint32)(words), lanes), unsafe.Slice((*float32)(from), lanes)
	for n, x := range numbers[:len(to)] {
		to[n] |= uint32(scalar.HalfFromFloat64(float64(x))) << (e.shift & 31)
	}
}

func unsignedParts(lanes int, words, from unsafe.Pointer, e *encoding) {
	to, numbers := unsafe.Slice((*uint32)(words), lanes), unsafe.Slice((*uint32)(from), lanes)
	for n, x := range numbers[:len(to)] {
		to[n] |= min(x, e.last) << (e.shift & 31)
	}
}

func signedParts(lanes int, words, from unsafe.Pointer, e *encoding) {
	to, numbers := unsafe.Slice((*uint32)(words), lanes), unsafe.Slice((*int32)(from), lanes)
	for n, x := range numbers[:len(to)] {
		to[n] |= uint32(min(max(x, int32(e.least)), int32(e.last))) & e.mask << (e.shift & 31)
	}
}

// encodingOf returns how a channel in some bits of a word is encoded.
func encodingOf(as texture.Encoding, width, shift uint32) (step encoder, e encoding) {
	e.mask, e.shift = uint32(1)<<width-1, shift
	switch {
	case width == 32:
		return encodeWord, e
	case as == texture.Unorm:
		e.most, e.high = float64(e.mask), 1
		return encodeNumber, e
	case as == texture.Snorm:
		e.most, e.low, e.high = float64(e.mask>>1), -1, 1
		return encodeNumber, e
	case as == texture.Uint:
		e.last = e.mask
		return encodeUnsigned, e
	case as == texture.Sint:
		e.least, e.last = -(e.mask>>1 + 1), e.mask>>1
		return encodeSigned, e
	}
	return encodeHalf, e
}

// spot finds where texels are to be stored. Assembly knows its layout.
type spot struct {
	x, y, z              unsafe.Pointer
	to                   unsafe.Pointer // places in bytes
	mask, inside         unsafe.Pointer // columns: of the lanes that run, and of those that look inside of the level besides
	width, height, depth uint32
	bytes                uint32
}

// find reports whether a lane is inside.
func (s *spot) find(lanes int) bool {
	any := uint32(0)
	for n := range lanes {
		x, y, z := *(*uint32)(unsafe.Add(s.x, 4*n)), *(*uint32)(unsafe.Add(s.y, 4*n)), *(*uint32)(unsafe.Add(s.z, 4*n))
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
	parts [encodeSigned + 1]func(lanes int, words, from unsafe.Pointer, e *encoding)
}

var writersInGo = writers{
	spot:  func(lanes int, s *spot) bool { return s.find(lanes) },
	parts: [...]func(int, unsafe.Pointer, unsafe.Pointer, *encoding){encodeNumber: numberParts, encodeHalf: halfParts, encodeUnsigned: unsignedParts, encodeSigned: signedParts},
}

// stores stores texels. Nothing is written outside.
func (w *worker) stores(t *textureOperation, h *texture.Handle, in []operand) bool {
	x := w.texels
	i := h.Image.Format.Info()
	if i.Bits == 0 || i.Encoding == texture.SRGB || len(in) > len(x.fill) {
		return false
	}
	p, width := h.Plane(t.shape, 0), uint32(i.Bits)
	if t.shape.Info().Dimension != texture.D3 {
		p.Depth = p.Layers
	}
	bytes, count := h.Image.Format.Bytes(), len(in)-len(x.words)
	base := unsafe.Add(unsafe.Pointer(unsafe.SliceData(h.Image.Memory())), p.Offset)
	size := uint64(p.Width) * uint64(p.Height) * uint64(p.Depth) * uint64(bytes)
	for first := 0; first < w.extent; first += blockLanes {
		if !w.runs(first) {
			continue
		}
		lanes := w.laneCount(first)
		var at [len(x.fill)]unsafe.Pointer
		w.operandsOf(in, first, at[:])
		place := x.placeOf(t.shape, at[:])
		x.spot = spot{x: place[0], y: place[1], z: place[2], to: unsafe.Pointer(&x.low), mask: unsafe.Add(w.column(), 4*first), inside: unsafe.Pointer(&x.high),
			width: p.Width, height: p.Height, depth: p.Depth, bytes: uint32(bytes)}
		if !x.processor.spot(lanes, &x.spot) {
			continue
		}
		for n := range (bytes + 3) / 4 {
			x.spread(&x.words[n], 0)
		}
		for c := range i.Channels {
			from, place := at[count+c], uint32(c)*width
			if i.Reversed && c != 1 && c != 3 {
				from = at[count+2-c]
			}
			step, e := encodingOf(i.Encoding, width, place%32)
			x.encoding = e
			if to := unsafe.Pointer(&x.words[place/32]); step == encodeWord {
				x.processor.columns[copyWord](lanes, to, from, nil, nil)
			} else {
				x.processor.parts[step](lanes, to, from, &x.encoding)
			}
		}
		x.write(base, size, bytes, lanes)
	}
	return true
}

// write writes words at the places found, in the lanes that are inside.
func (x *texels) write(base unsafe.Pointer, size uint64, bytes, lanes int) {
	if bytes < 4 {
		for k := range lanes {
			if x.high[k] == 0 {
				continue
			}
			if to := unsafe.Add(base, x.low[k]); bytes == 1 {
				*(*uint8)(to) = uint8(x.words[0][k])
			} else {
				*(*uint16)(to) = uint16(x.words[0][k])
			}
		}
		return
	}
	x.window = window{base: base, last: uint32(size) - uint32(bytes), scale: 1, bound: math.MaxUint32}
	if bytes == 4 {
		x.window.step = 4
	}
	if bytes == 4*rowWords {
		for n := range x.row {
			x.row[n] = unsafe.Pointer(&x.words[n])
		}
		x.processor.scatterRow(lanes, &x.row, unsafe.Pointer(&x.low), unsafe.Pointer(&x.high), &x.window)
		return
	}
	for n := range bytes / 4 {
		x.processor.scatter(lanes, unsafe.Pointer(&x.words[n]), unsafe.Pointer(&x.low), unsafe.Pointer(&x.high), &x.window)
		x.window.base = unsafe.Add(x.window.base, 4)
	}
}

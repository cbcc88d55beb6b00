package columns

import (
	"math"
	"math/bits"
	"unsafe"

	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/ir/texture"
)

// This file stores texels for a block of lanes: first the channels of all of them become parts of words, and then the words are written, in the order of lanes.

// encoder says how a channel becomes a part of a word.
type encoder uint8

const (
	encodeWord encoder = iota
	encodeUnorm
	encodeSnorm
	encodeUnsigned
	encodeSigned
	encodeHalf
)

// encoders are those of the encodings whose channels are as wide as each other.
var encoders = [...]encoder{texture.Unorm: encodeUnorm, texture.Snorm: encodeSnorm, texture.Uint: encodeUnsigned, texture.Sint: encodeSigned, texture.Float: encodeHalf}

// magic is added to a number so that its nearest integer, of two that are as near the even one, stands in the low bits.
const magic = 0x1.8p52

// encode adds a channel to words, at a place in them. Integers become the nearest that the channel holds, as texture.Format.Encode makes them.
func encode(e encoder, width, shift uint32, words, from []uint32) {
	switch e {
	case encodeWord:
		copy(words, from)
	case encodeUnorm:
		most := float64(uint32(1)<<width - 1)
		for n, number := range from[:len(words)] {
			x := float64(math.Float32frombits(number))
			if !(x > 0) { // or no number
				x = 0
			} else if x > 1 {
				x = 1
			}
			words[n] |= uint32(math.Float64bits(float64(x*most)+magic)) << shift
		}
	case encodeSnorm:
		most, mask := float64(uint32(1)<<(width-1)-1), uint32(1)<<width-1
		for n, number := range from[:len(words)] {
			x := float64(math.Float32frombits(number))
			switch {
			case x != x:
				x = 0
			case x > 1:
				x = 1
			case x < -1:
				x = -1
			}
			words[n] |= uint32(math.Float64bits(float64(x*most)+magic)) & mask << shift
		}
	case encodeUnsigned:
		most := uint32(1)<<width - 1
		for n, number := range from[:len(words)] {
			words[n] |= min(number, most) << shift
		}
	case encodeSigned:
		limit, mask := int32(1)<<(width-1), uint32(1)<<width-1
		for n, number := range from[:len(words)] {
			words[n] |= uint32(min(max(int32(number), -limit), limit-1)) & mask << shift
		}
	case encodeHalf:
		for n, number := range from[:len(words)] {
			words[n] |= uint32(scalar.HalfFromFloat64(float64(math.Float32frombits(number)))) << shift
		}
	}
}

// stores stores texels. Nothing is written outside.
func (w *worker) stores(t *textureOperation, h *texture.Handle, in []operand) bool {
	x := w.texels
	i := h.Image.Format.Info()
	if i.Bits == 0 || i.Encoding == texture.SRGB || len(in) > len(x.fill) {
		return false
	}
	e, width := encoders[i.Encoding], uint32(i.Bits)
	if width == 32 {
		e = encodeWord
	}
	p := h.Plane(t.shape, 0)
	if t.shape.Info().Dimension != texture.D3 {
		p.Depth = p.Layers
	}
	bytes := h.Image.Format.Bytes()
	base := unsafe.Add(unsafe.Pointer(unsafe.SliceData(h.Image.Memory())), p.Offset)
	for n, mask := range w.run {
		if mask == 0 {
			continue
		}
		first := n * blockLanes
		lanes := w.laneCount(first)
		var at [len(x.fill)]unsafe.Pointer
		w.operandsOf(in, first, at[:])
		place, count := x.placeOf(t.shape, at[:])
		// Which lanes are inside, and where.
		inside := uint64(0)
		for m := mask; m != 0; m &= m - 1 {
			k := bits.TrailingZeros64(m)
			x0, y0, z0 := at32(place[0], k), at32(place[1], k), at32(place[2], k)
			if x0 < p.Width && y0 < p.Height && z0 < p.Depth {
				inside |= 1 << k
				x.low[k] = ((z0*p.Height+y0)*p.Width + x0) * uint32(bytes)
			}
		}
		if inside == 0 {
			continue
		}
		for n := range (bytes + 3) / 4 {
			clear(x.words[n][:lanes])
		}
		for c := range i.Channels {
			from := c
			if i.Reversed && c != 1 && c != 3 {
				from = 2 - c
			}
			place := uint32(c) * width
			encode(e, width, place%32, x.words[place/32][:lanes], unsafe.Slice((*uint32)(at[count+from]), lanes))
		}
		for m := inside; m != 0; m &= m - 1 {
			k := bits.TrailingZeros64(m)
			to := unsafe.Add(base, x.low[k])
			switch bytes {
			case 1:
				*(*uint8)(to) = uint8(x.words[0][k])
			case 2:
				*(*uint16)(to) = uint16(x.words[0][k])
			default:
				for n := range bytes / 4 {
					*(*uint32)(unsafe.Add(to, 4*n)) = x.words[n][k]
				}
			}
		}
	}
	return true
}

func at32(p unsafe.Pointer, n int) uint32 { return *(*uint32)(unsafe.Add(p, 4*n)) }

package texture

import (
	"encoding/binary"
	"math/bits"
)

// This file loads and stores many texels at once: what is the same for all of them, the size of the level, how the format is decoded, is found out once.

// RowLanes is how many places a row has.
const RowLanes = 64

// Row is places in one level, without samples.
type Row struct {
	X, Y, Z, Layer [RowLanes]uint32
	Level          uint32
	Lanes          uint64 // by bit, which places count; coordinates that the shape does not have are zero in all
}

// Column is a channel of the texels of a row, each as Texel has it.
type Column [RowLanes]uint32

// rowLevel is what is the same for the places of a row.
type rowLevel struct {
	texels                       []byte
	width, height, depth, layers uint32
	bytes                        int
}

func (h *Handle) rowLevel(s Shape, level uint32) (l rowLevel, inside bool) {
	last := h.LevelCount(s) - 1
	at := h.Level + min(level, last)
	l.width, l.height, l.depth = h.Image.LevelSize(at)
	l.texels, l.layers, l.bytes = h.Image.levels[at], h.LayerCount(s), h.Image.Format.Bytes()
	return l, level <= last
}

// LoadRow is Load for each place of a row.
func (h *Handle) LoadRow(s Shape, r *Row, to *[4]Column) {
	l, _ := h.rowLevel(s, r.Level)
	i := &formats[h.Image.Format]
	var table *[256]uint32
	if i.Bits == 8 && i.Encoding != SRGB {
		table = octetsOf(i.Encoding)
	}
	red, blue := 0, 2
	if i.Reversed {
		red, blue = 2, 0
	}
	for m := r.Lanes; m != 0; m &= m - 1 {
		k := bits.TrailingZeros64(m)
		x, y := min(r.X[k], l.width-1), min(r.Y[k], l.height-1)
		z := min(r.Z[k], l.depth-1) + min(r.Layer[k], l.layers-1)
		texel := l.texels[((int(z)*int(l.height)+int(y))*int(l.width)+int(x))*l.bytes:][:l.bytes]
		switch {
		case table != nil && len(texel) == 4:
			to[red][k], to[1][k], to[blue][k], to[3][k] = table[texel[0]], table[texel[1]], table[texel[2]], table[texel[3]]
		case i.Bits == 32:
			to[1][k], to[2][k], to[3][k] = 0, 0, uint32(one[i.Channel])
			for c := range len(texel) / 4 {
				to[c][k] = binary.LittleEndian.Uint32(texel[4*c:])
			}
		default:
			for c, x := range h.Image.Format.Decode(texel) {
				to[c][k] = uint32(x)
			}
		}
	}
	if h.Traffic != nil {
		h.Traffic.Read.Add(uint64(bits.OnesCount64(r.Lanes) * l.bytes))
	}
}

// StoreRow is Store for each place of a row, in their order.
func (h *Handle) StoreRow(s Shape, r *Row, from *[4]Column) {
	l, inside := h.rowLevel(s, r.Level)
	if !inside {
		return
	}
	written := 0
	for m := r.Lanes; m != 0; m &= m - 1 {
		k := bits.TrailingZeros64(m)
		if r.X[k] >= l.width || r.Y[k] >= l.height || r.Z[k] >= l.depth || r.Layer[k] >= l.layers {
			continue
		}
		at := ((int(r.Z[k]+r.Layer[k])*int(l.height)+int(r.Y[k]))*int(l.width) + int(r.X[k])) * l.bytes
		h.Image.Format.Encode(l.texels[at:], Texel{uint64(from[0][k]), uint64(from[1][k]), uint64(from[2][k]), uint64(from[3][k])})
		written += l.bytes
	}
	if h.Traffic != nil {
		h.Traffic.Written.Add(uint64(written))
	}
}

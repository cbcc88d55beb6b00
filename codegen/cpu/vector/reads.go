package vector

import (
	"math"
	"math/bits"
	"unsafe"

	"github.com/gpuc/gpuc/ir/texture"
)

// This file loads texels of a level that all lanes share, for all lanes at once: results are
// columns that may be written whole, so that nothing is put aside. What there is to know of a
// texture is found out once in a launch.

// reading reads a word of each lane's texel, the nearest inside of the level where a lane looks
// outside. Assembly knows its layout.
type reading struct {
	base unsafe.Pointer // of the level, and the word
	// columns of places; y and z are nil where there is one row or slice
	x, y, z unsafe.Pointer
	// the column of words, or where unorms holds those of numbers, nil where nobody asks
	to            [4]unsafe.Pointer
	shift         uint64    // 1<<shift bytes are a texel
	last          [3]uint32 // column, row, and slice
	width, height uint32
	unorms        uint32  // all ones where the bytes of a word are numbers from 0 to 1
	high, low     float32 // of field
	// how far from base eight words may begin at most, or less than 0 where words are not side by
	// side
	limit int64
}

func (r *reading) read(lanes int) {
	words := r.to[0]
	for n := range lanes {
		at := min(*(*uint32)(unsafe.Add(r.x, 4*n)), r.last[0])
		if r.y != nil {
			row := min(*(*uint32)(unsafe.Add(r.y, 4*n)), r.last[1])
			if r.z != nil {
				row += min(*(*uint32)(unsafe.Add(r.z, 4*n)), r.last[2]) * r.height
			}
			at += row * r.width
		}
		word := *(*uint32)(unsafe.Add(r.base, at<<r.shift))
		if r.unorms == 0 {
			*(*uint32)(unsafe.Add(words, 4*n)) = word
			continue
		}
		for c, to := range r.to {
			if to != nil {
				*(*float32)(unsafe.Add(to, 4*n)) = float32(float64(word>>(8*c)&255) / 255)
			}
		}
	}
}

// plan is what is known of an operation on a texture in a launch.
type plan struct {
	made     bool
	whole    bool           // reading is there
	level    uint32         // that it is of
	base     unsafe.Pointer // of the level's first word
	reading  reading
	to       [4]unsafe.Pointer
	channels [4]*channel
	storing  storing
	// by channel: where the word is that it is a part of, or is read to if this is the first one of
	// the word
	raw   [4]unsafe.Pointer
	first [4]bool
}

// planOf returns the plan of a load, of one level.
func (w *worker) planOf(t *textureOperation, h *texture.Handle, results, in []operand, level uint32) *plan {
	p := &w.plans[t.number]
	if p.made && (!p.whole || p.level == level) {
		return p
	}
	*p = plan{made: true, level: level}
	plane := h.Plane(t.shape, level)
	if t.shape.Info().Dimension != texture.D3 {
		plane.Depth = plane.Layers
	}
	var place [3]unsafe.Pointer
	count := t.shape.SizeComponents()
	for n, o := range in[:t.places()] {
		if o.step == 0 {
			return p
		}
		if n == count {
			n = 2 // the layer
		}
		place[n] = w.at(o.at)
	}
	if place[1] == nil && place[2] != nil { // layers of one row
		return p
	}
	memory := h.Image.Memory()
	format := h.Image.Format
	p.whole, p.base = true, unsafe.Add(unsafe.Pointer(unsafe.SliceData(memory)), plane.Offset)
	p.reading = reading{base: p.base, x: place[0], y: place[1], z: place[2], shift: uint64(bits.TrailingZeros(uint(format.Bytes()))),
		last: [3]uint32{plane.Width - 1, plane.Height - 1, plane.Depth - 1}, width: plane.Width, height: plane.Height, limit: -1}
	if format.Bytes() == 4 {
		p.reading.limit = int64(len(memory)) - int64(plane.Offset) - 32
	}
	for c, o := range results {
		if t.needed>>c&1 == 1 {
			p.to[c] = w.at(o.at)
		}
	}
	if i := format.Info(); i.Encoding == texture.Unorm && i.Bits == 8 && i.Channels == 4 {
		p.reading.unorms, p.reading.to = math.MaxUint32, p.to
		if i.Reversed {
			p.reading.to[0], p.reading.to[2] = p.to[2], p.to[0]
		}
		about := channelFor(format, 0)
		p.reading.high, p.reading.low = about.high, about.low
		return p
	}
	// words are read to where the last channel in them is wanted, which is made of them last
	for c := len(p.to) - 1; c >= 0; c-- {
		if p.to[c] == nil {
			continue
		}
		x := channelFor(format, c)
		p.channels[c], p.raw[c], p.first[c] = x, p.to[c], x.decode != decodeNothing
		for later := c + 1; later < len(p.to) && p.first[c]; later++ {
			if p.first[later] && p.channels[later].word == x.word {
				p.raw[c], p.first[later] = p.raw[later], false
			}
		}
	}
	return p
}

// places is how many operands say where a texel is.
func (t *textureOperation) places() int {
	count := t.shape.SizeComponents()
	if t.shape.Info().Arrayed {
		count++
	}
	return count
}

// coordinates is how many operands say where a sample is.
func (t *textureOperation) coordinates() int {
	count := t.shape.Coordinates()
	if t.shape.Info().Arrayed {
		count++
	}
	return count
}

// readWhole loads texels, and reports whether it can.
func (w *worker) readWhole(t *textureOperation, h *texture.Handle, results, in []operand) bool {
	level := uint32(0)
	if n := t.places(); n < len(in) {
		if in[n].step != 0 {
			return false
		}
		level = *(*uint32)(w.at(in[n].at))
	}
	p := w.planOf(t, h, results, in, level)
	if !p.whole {
		return false
	}
	processor := w.program.processor
	if p.reading.unorms != 0 {
		processor.texels(w.extent, &p.reading)
		return true
	}
	for c, to := range p.to {
		if to == nil {
			continue
		}
		x := p.channels[c]
		if p.first[c] {
			p.reading.base, p.reading.to[0] = unsafe.Add(p.base, 4*int(x.word)), p.raw[c]
			processor.texels(w.extent, &p.reading)
		}
		processor.decode(x, w.extent, to, p.raw[c])
	}
	return true
}

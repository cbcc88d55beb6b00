package columns

import (
	"math/bits"
	"unsafe"

	"github.com/gpuc/gpuc/codegen/flat"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/texture"
)

// This file loads and stores texels for 64 lanes at once (texture.Row): one by one most of the time goes into what is the same for all.

// texels is the working memory.
type texels struct {
	row      texture.Row
	channels [4]texture.Column
}

// texelRows executes the operation if it is a load or a store of one texel of one level, and reports whether it was.
func (w *worker) texelRows(t *textureOperation) bool {
	about := t.shape.Info()
	if t.one || about.Multisampled || t.op != op.TextureLoad && t.op != op.TextureRead && t.op != op.TextureStore {
		return false
	}
	list := w.program.lists[t.list:]
	results, in := list[:t.results], list[t.results:t.results+t.operands]
	for n, o := range list[:t.results+t.operands] {
		if o.class != flat.Word || o.step != 4 && (o.step != 0 || n < len(results)) {
			return false
		}
	}
	if w.texels == nil {
		w.texels = new(texels)
	}
	x := w.texels
	r := &x.row
	places := [...]*[texture.RowLanes]uint32{&r.X, &r.Y, &r.Z}
	count := t.shape.SizeComponents()
	given := count
	if about.Arrayed {
		given++
	}
	r.Level = 0
	if t.op != op.TextureStore && t.shape.HasLevels() {
		if in[given].step != 0 {
			return false
		}
		r.Level = uint32(w.get(in[given], 0))
	}
	for n := count; n < len(places); n++ {
		*places[n] = [texture.RowLanes]uint32{}
	}
	if !about.Arrayed {
		r.Layer = [texture.RowLanes]uint32{}
	}
	h := &w.launch.handles[t.texture]
	for n, mask := range w.run {
		if mask == 0 {
			continue
		}
		first := n * texture.RowLanes
		r.Lanes = mask
		for c := range count {
			w.takeRow(in[c], first, places[c])
		}
		if about.Arrayed {
			w.takeRow(in[count], first, &r.Layer)
		}
		if t.op == op.TextureStore {
			for c := range x.channels {
				w.takeRow(in[given+c], first, (*[texture.RowLanes]uint32)(&x.channels[c]))
			}
			h.StoreRow(t.shape, r, &x.channels)
			continue
		}
		h.LoadRow(t.shape, r, &x.channels)
		for c, o := range results {
			to := unsafe.Slice((*uint32)(unsafe.Add(w.arena, int(o.at)+4*first)), w.rowLanes(first))
			if mask == ^uint64(0) {
				copy(to, x.channels[c][:])
				continue
			}
			for m := mask; m != 0; m &= m - 1 {
				k := bits.TrailingZeros64(m)
				to[k] = x.channels[c][k]
			}
		}
	}
	return true
}

// rowLanes is how many lanes a column has from one on, at most those of a row.
func (w *worker) rowLanes(first int) int { return min(texture.RowLanes, w.program.room-first) }

// takeRow copies what an operand has in the lanes of a row.
func (w *worker) takeRow(o operand, first int, to *[texture.RowLanes]uint32) {
	if o.step == 0 {
		fillWords(to[:], *(*uint32)(w.at(o.at)))
		return
	}
	copy(to[:], unsafe.Slice((*uint32)(unsafe.Add(w.arena, int(o.at)+4*first)), w.rowLanes(first)))
}

package image

import (
	"sync/atomic"

	"github.com/gpuc/gpuc/runtime/gpu"
)

// regions are the parts of an image that have tables of their own.
type regions struct {
	Width, Height int32 // of a region
	Columns, Rows int32 // how many there are
	Limit         uint32
}

// regionCounts are the counts of a region, and as the last element what is above the limit.
type regionCounts [Bins + 1]uint32

// equalizeRegions makes the table of each region: the sums of its histogram, in which counts are
// limited. What is above the limit is added to all bins alike, and the rest of that to some. A
// region that reaches beyond the image has mirrored pixels there.
//
//gpuc:kernel workgroup=Bins
func equalizeRegions(it gpu.Item, counts *regionCounts, r regions, src view, from []uint32, tables []uint32) {
	l := it.LocalIndex()
	left, top := it.Group().X*int(r.Width), it.Group().Y*int(r.Height)
	edge := border{Mode: mirror}
	all := int(r.Width * r.Height)
	for i := l; i < all; i += Bins {
		y := i / int(r.Width)
		x := i - y*int(r.Width)
		x, y = edge.inside(left+x, src.width()), edge.inside(top+y, src.height())
		atomic.AddUint32(&counts[uint32(one[bytes](from, src.row(y)+x))], 1)
	}
	it.Barrier()
	count := counts[l]
	if count > r.Limit {
		atomic.AddUint32(&counts[Bins], count-r.Limit)
		count = r.Limit
	}
	it.Barrier()
	excess := counts[Bins]
	count += excess / Bins
	if rest := excess % Bins; rest > 0 {
		if step := max(Bins/rest, 1); uint32(l)%step == 0 && uint32(l)/step < rest {
			count++
		}
	}
	counts[l] = count
	for before := 1; before < Bins; before *= 2 {
		it.Barrier()
		if l >= before {
			count += counts[l-before]
		}
		it.Barrier()
		counts[l] = count
	}
	scale := float32(Bins-1) / float32(all)
	tables[(it.Group().Y*int(r.Columns)+it.Group().X)*Bins+l] = rounded(float32(count)*scale, Bins-1)
}

// blendRegions looks samples up in the tables of the four nearest regions, and interpolates.
//
//gpuc:kernel workgroup=items
func blendRegions(it gpu.Item, r regions, dst, src view, to, from []uint32, tables []uint32) {
	n, y := it.Global().X, it.Group().Y
	if 4*n >= dst.samples() {
		return
	}
	v := load[bytes](from, src.row(y), n)
	upper, lower, down := between(y, int(r.Height), int(r.Rows))
	upper, lower = upper*int(r.Columns), lower*int(r.Columns)
	for k := range 4 {
		left, right, across := between(4*n+k, int(r.Width), int(r.Columns))
		bin := int(v.get(k))
		a := float32(tables[(upper+left)*Bins+bin])*(1-across) + float32(tables[(upper+right)*Bins+bin])*across
		b := float32(tables[(lower+left)*Bins+bin])*(1-across) + float32(tables[(lower+right)*Bins+bin])*across
		v = v.with(k, a*(1-down)+b*down)
	}
	store[bytes](to, dst.row(y), n, v, dst.samples()-4*n)
}

// between returns the two of so many regions of a size whose middles are next to a pixel, and how
// far it is from the first to the second.
func between(x, size, count int) (first, second int, part float32) {
	at := float32(x)/float32(size) - 0.5
	floor := gpu.Floor(at)
	first = min(max(int(floor), 0), count-1)
	return first, min(max(int(floor)+1, 0), count-1), at - floor
}

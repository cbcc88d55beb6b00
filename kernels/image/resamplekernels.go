package image

import "github.com/gpuc/gpuc/runtime/gpu"

// resampling says of what a row or column of a result is the weighted sum. The weights are those of
// all rows, and the first of a row's sources is Before rows above it. Or there is a table with a
// record for each row: the first source, and the weights.
type resampling struct {
	Taps, Before int
	Skip         int // the elements before the weights, or before the table
	Table        bool
}

// record returns the first source of a row, where its weights begin, and how far apart they are.
func (r resampling) record(table []float32, row, rows int) (first, weights, step int) {
	if !r.Table {
		return row - r.Before, r.Skip, 1
	}
	return int(table[r.Skip+row]), r.Skip + rows + row, rows
}

// resampleColumns makes each row a weighted sum of rows.
//
//gpuc:kernel workgroup=items types=bytes/four/uint32/fromBytes,halves/two/uint32/fromHalves,floats/single/float32/floats
func resampleColumns[F format[W, V], V run[V], W word, G format[float32, V]](it gpu.Item, r resampling, b border, dst, src view, to []float32, from []W, table []float32) {
	var sum V
	n, y := it.Global().X, it.Group().Y
	s := n * sum.count()
	if s >= dst.samples() {
		return
	}
	sum = resampledColumn[F, V](from, src, r, b, table, true, y, dst.height(), n)
	first, _, _ := r.record(table, y, dst.height())
	if s+sum.count() > src.samples() || b.Mode == constant && (first < 0 || first+r.Taps > src.height()) {
		sum = resampledColumn[F, V](from, src, r, b, table, false, y, dst.height(), n)
	}
	store[G](to, dst.row(y), n, sum, dst.samples()-s)
}

func resampledColumn[F format[W, V], V run[V], W word](from []W, src view, r resampling, b border, table []float32, fast bool, y, rows, n int) V {
	sum := nothing[V]()
	first, at, step := r.record(table, y, rows)
	for j := range r.Taps {
		row := b.inside(first+j, src.height())
		sum = sum.add(tap[F, V](from, src, b, fast, row, n, 0).scale(table[at+j*step]))
	}
	return sum
}

// resampleRows makes each column a weighted sum of columns.
//
//gpuc:kernel workgroup=items types=bytes/four/uint32,halves/two/uint32,floats/single/float32
func resampleRows[G format[X, V], V run[V], X word](it gpu.Item, pad *scratchpad, r resampling, b border, dst, src view, to []X, from, table []float32) {
	s, y := it.Global().X, it.Group().Y
	if s < dst.samples() {
		sum := nothing[single]()
		if before := r.Before * src.channels(); !r.Table && s >= before && s+(r.Taps-r.Before)*src.channels() <= src.samples() {
			at := src.row(y) + s - before
			for j := range r.Taps {
				sum.A += from[at+j*src.channels()] * table[r.Skip+j]
			}
		} else {
			x := int(uint32(s) / uint32(dst.channels()))
			c := s - x*dst.channels()
			first, at, step := r.record(table, x, dst.width())
			base := src.row(y) + c
			if r.Table { // which names nothing outside of the image
				for j := range r.Taps {
					sum.A += from[base+(first+j)*src.channels()] * table[at+j*step]
				}
			} else {
				for j := range r.Taps {
					v := b.channel(c)
					if i := b.inside(first+j, src.width()); i >= 0 {
						v = from[base+i*src.channels()]
					}
					sum.A += v * table[at+j*step]
				}
			}
		}
		pad[it.LocalIndex()] = sum.A
	}
	// The samples are those of pixels with one channel.
	dst.Width *= dst.Channels
	dst.Channels = 1
	deposit[G](it, pad, to, dst, it.Group().X*items, y)
}

// resampleBoth does what resampleColumns and resampleRows do one behind the other, for few weights.
// Both have tables, and what these name is inside of the image.
//
//gpuc:kernel workgroup=items types=bytes/four/uint32,halves/two/uint32,floats/single/float32
func resampleBoth[F format[W, V], V run[V], W word](it gpu.Item, pad *scratchpad, columns, rows int, dst, src view, to, from []W, tableX, tableY []float32) {
	x, y := it.Global().X, it.Group().Y
	if x < dst.width() {
		left, top := int(tableX[x]), int(tableY[y])
		sum := nothing[four]()
		for i := range rows {
			part := nothing[four]()
			for j := range columns {
				part = part.add(pixel[F](from, src, left+i, top+j).scale(tableY[y+(j+1)*dst.height()]))
			}
			sum = sum.add(part.scale(tableX[x+(i+1)*dst.width()]))
		}
		pad.put(it, dst, sum)
	}
	deposit[F](it, pad, to, dst, it.Group().X*items, y)
}

// resamplePairs does what resampleBoth does for two weights in both directions, of float32. An item
// computes a sample of tileRows rows.
//
//gpuc:kernel workgroup=items
func resamplePairs(it gpu.Item, dst, src view, to, from, tableX, tableY []float32) {
	s, top := it.Global().X, it.Group().Y*tileRows
	if s >= dst.samples() {
		return
	}
	x := int(uint32(s) / uint32(dst.channels()))
	left, right := tableX[x+dst.width()], tableX[x+2*dst.width()]
	first := int(tableX[x])*src.channels() + s - x*dst.channels()
	var sums [tileRows]float32
	for o := range tileRows {
		y := min(top+o, dst.height()-1)
		above, below := tableY[y+dst.height()], tableY[y+2*dst.height()]
		at := src.row(int(tableY[y])) + first
		next, down := at+src.channels(), at+int(src.Stride)
		sums[o] = (from[at]*above+from[down]*below)*left + (from[next]*above+from[down+src.channels()]*below)*right
	}
	for o := range tileRows {
		if top+o < dst.height() {
			to[dst.row(top+o)+s] = sums[o]
		}
	}
}

package image

import "github.com/gpuc/gpuc/runtime/gpu"

// windowWidth is how many samples of a row of the source a workgroup of resampleTile needs at most.
const windowWidth = 512

// window is rows of samples in workgroup memory. The first ones of all runs are neighbours, then
// come the second ones, and so on. Each of these groups is rotated, so that items that read every
// second sample use different banks.
type window [tileRows * windowWidth]float32

// index returns where sample s of row o is, for runs of n samples.
func (*window) index(n, o, s int) int {
	group, groups := s&(n-1), windowWidth>>log2(n)
	return o*windowWidth + group*groups + (s>>log2(n)+group*(32>>log2(n)))&(groups-1)
}

// resampleTile does what resampleBoth does, for as many weights in both directions as A has. A
// workgroup computes tileRows rows and so many columns of dst: it weighs the columns of src first,
// each once, and then the rows of these sums. They have room in a window.
//
//gpuc:kernel workgroup=items types=bytes/four/uint32/[2]float32,halves/two/uint32/[2]float32,floats/single/float32/[2]float32,bytes/four/uint32/[4]float32,halves/two/uint32/[4]float32,floats/single/float32/[4]float32
func resampleTile[F format[W, V], V run[V], W word, A [2]float32 | [4]float32](it gpu.Item, shared *window, columns int, dst, src view, to, from []W, tableX, tableY []float32) {
	var none V
	var some A
	n, channels, taps := none.count(), src.channels(), len(some)
	left, top := it.Group().X*columns, it.Group().Y*tileRows
	right := min(left+columns, dst.width())
	base := int(tableX[left]) * channels &^ (n - 1)
	limit := (int(tableX[right-1])+taps)*channels - base
	for i := it.LocalIndex(); i < windowWidth>>log2(n); i += items {
		var sums [tileRows]V
		if i*n < limit {
			for o := range tileRows {
				y := min(top+o, dst.height()-1)
				at := src.row(int(tableY[y])) + base
				sum := nothing[V]()
				for j := range taps {
					sum = sum.add(load[F, V](from, at+j*int(src.Stride), i).scale(tableY[y+(j+1)*dst.height()]))
				}
				sums[o] = sum
			}
		}
		// All of the window is written, so that it need not be cleared.
		for o := range tileRows {
			for k := range n {
				shared[shared.index(n, o, i*n+k)] = sums[o].get(k)
			}
		}
	}
	it.Barrier()
	width := (right - left) * channels
	for i := it.LocalIndex(); i*n < width; i += items {
		var sums [tileRows]V
		x, c := i*n, 0
		if channels > 1 {
			x = int(uint32(i*n) / uint32(channels))
			c = i*n - x*channels
		}
		x += left
		for k := range n {
			if c == channels {
				x, c = x+1, 0
			}
			column := min(x, dst.width()-1)
			first := int(tableX[column])*channels + c - base
			c++
			var sample [tileRows]float32
			for o := range tileRows {
				sample[o] = minusZero()
			}
			for j := range taps {
				at := shared.index(n, 0, first+j*channels)
				weight := tableX[column+(j+1)*dst.width()]
				for o := range tileRows {
					sample[o] += shared[at+o*windowWidth] * weight
				}
			}
			for o := range tileRows {
				sums[o] = sums[o].with(k, sample[o])
			}
		}
		storeRows[F](to, dst, top, left*channels, i, width, rows[V]{sums[0], sums[1], sums[2], sums[3]})
	}
}

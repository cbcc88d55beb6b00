package image

import "github.com/gpuc/gpuc/runtime/gpu"

// tileWidth is how many samples of a row a workgroup of small computes.
const tileWidth = 4 * items

// tile is rows of samples in workgroup memory, with what is beside them.
type tile [tileRows][tileWidth + 2*tileHalo]float32

// small is separableRows for three weights in both directions.
//
//gpuc:kernel workgroup=items types=bytes/four/uint32,halves/two/uint32,floats/single/float32
func small[F format[W, V], V run[V], W word](it gpu.Item, shared *tile, across, down [3]float32, b border, dst, src view, to, from []W) {
	var none V
	n := none.count()
	radius := len(down) / 2
	runs := len(shared[0]) >> log2(n)
	halo := (radius*src.channels() + n - 1) >> log2(n)
	first := it.Group().X * (tileWidth >> log2(n))
	top := it.Group().Y * tileRows
	count := min(tileWidth>>log2(n), (src.samples()+n-1)>>log2(n)-first)
	for i := it.LocalIndex(); i < count+2*halo; i += items {
		s := (i + first - halo) * n
		if top >= radius && top+tileRows+radius <= src.height() && int(src.Offset|src.Stride)&(n-1) == 0 {
			at, step := src.row(top-radius)>>log2(n)-halo+first+i, int(src.Stride)>>log2(n)
			row0, row1 := columnAt[F, V](from, at, 0, step, down), columnAt[F, V](from, at, 1, step, down)
			row2, row3 := columnAt[F, V](from, at, 2, step, down), columnAt[F, V](from, at, 3, step, down)
			row0.save(shared, 0, i, runs)
			row1.save(shared, 1, i, runs)
			row2.save(shared, 2, i, runs)
			row3.save(shared, 3, i, runs)
		} else {
			for o := range tileRows {
				sum := nothing[V]()
				for j := range len(down) {
					row := b.inside(top+o+j-radius, src.height())
					sum = sum.add(load[F, V](from, src.row(row)-halo*n, i+first).scale(down[j]))
				}
				sum.save(shared, o, i, runs)
			}
		}
		if nearEdge(src, b, s, n, top, 0, radius) || nearEdge(src, b, s, n, top+tileRows-1, 0, radius) {
			for o := range tileRows {
				sum := nothing[V]()
				for j := range len(down) {
					row := b.inside(top+o+j-radius, src.height())
					sum = sum.add(outside[F, V](from, src, b, row, s).scale(down[j]))
				}
				sum.save(shared, o, i, runs)
			}
		}
	}
	it.Barrier()
	for i := it.LocalIndex(); i < count; i += items {
		for o := range tileRows {
			if top+o < dst.height() {
				sum := nothing[V]()
				for j := range len(across) {
					s := halo*n + (j-radius)*src.channels()
					sum = sum.add(sum.restore(shared, o, i, [4]int{
						s&(n-1)*runs + s>>log2(n), (s+1)&(n-1)*runs + (s+1)>>log2(n),
						(s+2)&(n-1)*runs + (s+2)>>log2(n), (s+3)&(n-1)*runs + (s+3)>>log2(n),
					}).scale(across[j]))
				}
				store[F](to, dst.row(top+o), first+i, sum, dst.samples()-(first+i)*n)
			}
		}
	}
}

// columnAt returns the weighted sum of runs that are step words apart, from row o of those from
// word at on.
func columnAt[F format[W, V], V run[V], W word](from []W, at, o, step int, weights [3]float32) V {
	var f F
	sum := nothing[V]()
	for j := range len(weights) {
		sum = sum.add(f.unpack(from[min(uint32(at+(o+j)*step), uint32(len(from)-1))]).scale(weights[j]))
	}
	return sum
}

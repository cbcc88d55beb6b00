package image

import "github.com/gpuc/gpuc/runtime/gpu"

const (
	items     = 128 // the items of a workgroup, which is a part of a row
	tileWidth = 4 * items
	tileRows  = 4
	tileHalo  = 128 // the samples of a tile on either side, at most
	tapLimit  = 65  // the weights of a filter that one kernel does, at most
)

// tile is rows of samples in workgroup memory, with what is beside them.
type tile [tileRows][tileWidth + 2*tileHalo]float32

// taps are the weights of a separable filter with these radii.
type taps struct {
	RX, RY int
	X, Y   [tapLimit]float32
}

// separable filters columns into workgroup memory, and from there rows. A workgroup computes
// tileRows by tileWidth samples. Sums are in the order of the weights.
//
//gpuc:kernel workgroup=items types=bytes/four/uint32,halves/two/uint32,floats/single/float32
func separable[F format[W, V], V run[V], W word](it gpu.Item, shared *tile, t taps, b border, dst view, src view, to, from []W) {
	var none V
	n := none.count()
	runs := len(shared[0]) >> log2(n)
	halo := (t.RX*src.channels() + n - 1) >> log2(n)
	first := it.Group().X * (tileWidth >> log2(n))
	top := it.Group().Y * tileRows
	count := min(tileWidth>>log2(n), (src.samples()+n-1)>>log2(n)-first)
	for i := it.LocalIndex(); i < count+2*halo; i += items {
		s := (i + first - halo) * n
		for o := range tileRows {
			sum := nothing[V]()
			for j := 0; j <= 2*t.RY; j++ {
				row := b.inside(top+o+j-t.RY, src.height())
				sum = sum.add(load[F, V](from, src.row(row)-halo*n, i+first).scale(t.Y[j]))
			}
			if nearEdge(src, b, s, n, top+o, 0, t.RY) {
				sum = nothing[V]()
				for j := 0; j <= 2*t.RY; j++ {
					row := b.inside(top+o+j-t.RY, src.height())
					sum = sum.add(outside[F, V](from, src, b, row, s).scale(t.Y[j]))
				}
			}
			sum.save(shared, o, i, runs)
		}
	}
	it.Barrier()
	for i := it.LocalIndex(); i < count; i += items {
		for o := range tileRows {
			if top+o < dst.height() {
				sum := nothing[V]()
				for j := 0; j <= 2*t.RX; j++ {
					s := halo*n + (j-t.RX)*src.channels()
					sum = sum.add(sum.restore(shared, o, i, [4]int{
						s&(n-1)*runs + s>>log2(n), (s+1)&(n-1)*runs + (s+1)>>log2(n),
						(s+2)&(n-1)*runs + (s+2)>>log2(n), (s+3)&(n-1)*runs + (s+3)>>log2(n),
					}).scale(t.X[j]))
				}
				store[F](to, dst.row(top+o), first+i, sum, dst.samples()-(first+i)*n)
			}
		}
	}
}

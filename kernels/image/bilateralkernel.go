package image

import "github.com/gpuc/gpuc/runtime/gpu"

// bilateral writes means of the pixels around each one, weighted by how far they are and by how
// much they differ. The factors are -1/(2σ²). (Tomasi and Manduchi, "Bilateral filtering for gray
// and color images", 1998)
//
//gpuc:kernel workgroup=items types=bytes/four/uint32,halves/two/uint32,floats/single/float32
func bilateral[F format[W, V], V run[V], W word](it gpu.Item, pad *scratchpad, radius int, ofSpace, ofRange float32, b border, dst, src view, to, from []W) {
	x, y := it.Global().X, it.Group().Y
	if x < dst.width() {
		middle := pixel[F](from, src, x, y)
		var sum four
		var total float32
		for j := -radius; j <= radius; j++ {
			row := b.inside(y+j, src.height())
			for i := -radius; i <= radius; i++ {
				v := pixelOr[F](from, src, b, b.inside(x+i, src.width()), row)
				d := v.add(middle.scale(-1))
				weight := exponential(float32(i*i+j*j)*ofSpace + (d.A*d.A+d.B*d.B+d.C*d.C+d.D*d.D)*ofRange)
				sum = sum.add(v.scale(weight))
				total += weight
			}
		}
		pad.put(it, dst, four{sum.A / total, sum.B / total, sum.C / total, sum.D / total})
	}
	deposit[F](it, pad, to, dst, it.Group().X*items, y)
}

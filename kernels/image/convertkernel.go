package image

import "github.com/gpuc/gpuc/runtime/gpu"

// convert writes scale·v + shift for each sample v.
//
//gpuc:kernel workgroup=items types=bytes/four/uint32/bytes/four/uint32,bytes/four/uint32/halves/two/uint32,bytes/four/uint32/floats/single/float32,halves/two/uint32/bytes/four/uint32,halves/two/uint32/halves/two/uint32,halves/two/uint32/floats/single/float32,floats/single/float32/bytes/four/uint32,floats/single/float32/halves/two/uint32,floats/single/float32/floats/single/float32
func convert[F format[W, V], V run[V], W word, G format[X, U], U run[U], X word](it gpu.Item, scale, shift float32, dst, src view, to []X, from []W) {
	var w V
	var v U
	n, y := it.Global().X, it.Group().Y
	s := n * v.count()
	if s >= dst.samples() {
		return
	}
	at := src.row(y)
	if w.count() == v.count() {
		w = load[F, V](from, at, n)
		v = v.of(w.get(0), w.get(1), w.get(2), w.get(3))
	} else {
		last := at + src.samples() - 1
		at += s
		v = v.of(one[F](from, at), one[F](from, min(at+1, last)), one[F](from, min(at+2, last)), one[F](from, min(at+3, last)))
	}
	store[G](to, dst.row(y), n, v.scale(scale).add(v.fill(shift)), dst.samples()-s)
}

// combine writes the sums of two images' samples with factors, and a number.
//
//gpuc:kernel workgroup=items types=bytes/four/uint32,halves/two/uint32,floats/single/float32
func combine[F format[W, V], V run[V], W word](it gpu.Item, ofA, ofB, shift float32, dst, a, b view, to, fromA, fromB []W) {
	var v V
	n, y := it.Global().X, it.Group().Y
	s := n * v.count()
	if s >= dst.samples() {
		return
	}
	v = load[F, V](fromA, a.row(y), n).scale(ofA).add(load[F, V](fromB, b.row(y), n).scale(ofB)).add(v.fill(shift))
	store[F](to, dst.row(y), n, v, dst.samples()-s)
}

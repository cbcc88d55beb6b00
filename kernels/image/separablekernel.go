package image

import "github.com/gpuc/gpuc/runtime/gpu"

const (
	items    = 128  // the items of a workgroup, which is a part of a row
	bandSpan = 1536 // the samples of a row of a band
	tileRows = 4
	tileHalo = 128 // the samples of a row on either side, at most
	tapLimit = 65  // the weights of a filter that one kernel does, at most
)

// band is rows of samples in workgroup memory, with what is beside them. In a row the first samples
// of all runs are neighbours, then come the second ones, and so on.
type band [tileRows][bandSpan]float32

// separableRows filters columns into workgroup memory, and from there rows. An item computes a run
// of all rows of a band at once, from rows that it loads once. A workgroup computes width samples
// of each row. Sums are in the order of the weights. If there are 5 weights in both directions,
// loops over them are unrolled. Otherwise 2·radius+1 count.
//
//gpuc:kernel workgroup=items types=bytes/four/uint32/[65]float32,halves/two/uint32/[65]float32,floats/single/float32/[65]float32,bytes/four/uint32/[5]float32,floats/single/float32/[5]float32
func separableRows[F format[W, V], V run[V], W word, A [5]float32 | [tapLimit]float32](it gpu.Item, shared *band, across, down A, radiusX, radiusY, width int, b border, dst, src view, to, from []W) {
	if len(down) < tapLimit {
		radiusX, radiusY = len(across)/2, len(down)/2
	}
	var none V
	n := none.count()
	runs := bandSpan >> log2(n)
	halo := (radiusX*src.channels() + n - 1) >> log2(n)
	start := it.Group().X * width
	top := it.Group().Y * tileRows
	samples := min(width, src.samples()-start)
	count := (samples + n - 1) >> log2(n)
	// Most workgroups need no rows beyond the edges.
	inner := radiusY > 0 && top >= radiusY && top+tileRows+radiusY <= src.height()
	row, stride := src.row(top-radiusY), int(src.Stride)
	at := row + start - halo*n
	// All items take as many steps, and write all of the band, which need not be cleared then.
	for step := range runs / items {
		i := step*items + it.LocalIndex()
		sums := rowsOf[V]()
		sample := start + (i-halo)*n
		edge, e := sample < 0 || sample+n > src.samples(), edgeWord{}
		if edge {
			e = edgeWordAt(src, b, sample)
		}
		if step*items < count+2*halo && inner {
			// Row r has weight r-o in the sum of row o. Each is loaded once for all sums.
			v0, v1, v2 := load[F, V](from, at, i), load[F, V](from, at+stride, i), load[F, V](from, at+2*stride, i)
			if edge {
				v0, v1, v2 = beside[F, V](from, row, e), beside[F, V](from, row+stride, e), beside[F, V](from, row+2*stride, e)
			}
			w0, w1, w2 := down[0], down[1], down[2]
			sums.A = sums.A.add(v0.scale(w0)).add(v1.scale(w1)).add(v2.scale(w2))
			sums.B = sums.B.add(v1.scale(w0)).add(v2.scale(w1))
			sums.C = sums.C.add(v2.scale(w0))
			for r := tileRows - 1; r <= 2*radiusY; r++ {
				v, w := load[F, V](from, at+r*stride, i), down[r]
				if edge {
					v = beside[F, V](from, row+r*stride, e)
				}
				sums = sums.add(v, w, v, w2, v, w1, v, w0)
				w0, w1, w2 = w1, w2, w
			}
			below := (2*radiusY + 1) * stride
			v0, v1, v2 = load[F, V](from, at+below, i), load[F, V](from, at+below+stride, i), load[F, V](from, at+below+2*stride, i)
			if edge {
				below += row
				v0, v1, v2 = beside[F, V](from, below, e), beside[F, V](from, below+stride, e), beside[F, V](from, below+2*stride, e)
			}
			sums.B = sums.B.add(v0.scale(w2))
			sums.C = sums.C.add(v0.scale(w1)).add(v1.scale(w2))
			sums.D = sums.D.add(v0.scale(w0)).add(v1.scale(w1)).add(v2.scale(w2))
		}
		if i < count+2*halo && (!inner || edge && b.Mode == constant) {
			for o := range tileRows {
				sum := nothing[V]()
				for j := range 2*radiusY + 1 {
					y := b.inside(top+o+j-radiusY, src.height())
					v := load[F, V](from, src.row(y)+start-halo*n, i)
					if edge || y < 0 {
						v = outside[F, V](from, src, b, y, sample)
					}
					sum = sum.add(v.scale(down[j]))
				}
				sums = sums.with(o, sum)
			}
		}
		sums.A.keep(shared, 0, i, runs)
		sums.B.keep(shared, 1, i, runs)
		sums.C.keep(shared, 2, i, runs)
		sums.D.keep(shared, 3, i, runs)
	}
	it.Barrier()
	for step := range runs / items {
		i := step*items + it.LocalIndex()
		if step*items < count {
			sums := rowsOf[V]()
			at := halo*n - radiusX*src.channels()
			if n > 1 && src.channels() == 1 {
				// Runs of neighbouring weights have all but one sample in common.
				v := rowsAt[V](shared, i, at)
				for j := 0; j <= 2*radiusX; j += n {
					next := rowsAt[V](shared, i, at+j+n)
					for k := range n {
						if w := across[min(j+k, len(across)-1)]; j+k <= 2*radiusX {
							sums = sums.add(v.A.join(next.A, k), w, v.B.join(next.B, k), w, v.C.join(next.C, k), w, v.D.join(next.D, k), w)
						}
					}
					v = next
				}
			} else {
				for j := range 2*radiusX + 1 {
					v, w := rowsAt[V](shared, i, at+j*src.channels()), across[j]
					sums = sums.add(v.A, w, v.B, w, v.C, w, v.D, w)
				}
			}
			storeRows[F](to, dst, top, start, i, samples, sums)
		}
	}
}

// beside returns the samples of a run at an edge, in the row that begins at an index.
func beside[F format[W, V], V run[V], W word](from []W, row int, e edgeWord) (v V) {
	return v.of(one[F](from, row+e[0]), one[F](from, row+e[1]), one[F](from, row+e[2]), one[F](from, row+e[3]))
}

// rows is a run of each row of a band.
type rows[V run[V]] struct{ A, B, C, D V }

// rowsOf returns sums without terms.
func rowsOf[V run[V]]() rows[V] {
	return rows[V]{nothing[V](), nothing[V](), nothing[V](), nothing[V]()}
}

// add adds to each row a run times a weight.
func (r rows[V]) add(a V, wa float32, b V, wb float32, c V, wc float32, d V, wd float32) rows[V] {
	return rows[V]{r.A.add(a.scale(wa)), r.B.add(b.scale(wb)), r.C.add(c.scale(wc)), r.D.add(d.scale(wd))}
}

// rowsAt returns runs of a band that begin s samples behind the first ones of run i.
func rowsAt[V run[V]](p *band, i, s int) rows[V] {
	var none V
	n := none.count()
	runs := bandSpan >> log2(n)
	from := [4]int{
		s&(n-1)*runs + s>>log2(n), (s+1)&(n-1)*runs + (s+1)>>log2(n),
		(s+2)&(n-1)*runs + (s+2)>>log2(n), (s+3)&(n-1)*runs + (s+3)>>log2(n),
	}
	return rows[V]{none.fetch(p, 0, i, from), none.fetch(p, 1, i, from), none.fetch(p, 2, i, from), none.fetch(p, 3, i, from)}
}

func (r rows[V]) row(o int) V {
	switch o {
	case 0:
		return r.A
	case 1:
		return r.B
	case 2:
		return r.C
	}
	return r.D
}

// storeRows writes run i of rows of an image from row top and sample start on, as far as there are
// rows and so many samples.
func storeRows[F format[W, V], V run[V], W word](to []W, dst view, top, start, i, samples int, r rows[V]) {
	var f F
	n := r.A.count()
	first, step := dst.row(top)+start, int(dst.Stride)
	if (i+1)*n <= samples && top+tileRows <= dst.height() && (first|step)&(n-1) == 0 {
		for o := range tileRows {
			f.put(to, (first+o*step)>>log2(n)+i, r.row(o))
		}
	} else if i*n < samples {
		for o := range min(tileRows, dst.height()-top) {
			storeEach[F](to, first+o*step, i, r.row(o), samples-i*n)
		}
	}
}

// with returns the runs with another one of row o.
func (r rows[V]) with(o int, v V) rows[V] {
	switch o {
	case 0:
		r.A = v
	case 1:
		r.B = v
	case 2:
		r.C = v
	case 3:
		r.D = v
	}
	return r
}

func (v four) join(next four, k int) four {
	switch k {
	case 1:
		return four{v.B, v.C, v.D, next.A}
	case 2:
		return four{v.C, v.D, next.A, next.B}
	case 3:
		return four{v.D, next.A, next.B, next.C}
	}
	return v
}

func (v two) join(next two, k int) two {
	if k == 1 {
		return two{v.B, next.A}
	}
	return v
}

func (v single) join(single, int) single { return v }

func (v four) keep(p *band, row, at, stride int) {
	p[row][at] = v.A
	p[row][at+stride] = v.B
	p[row][at+2*stride] = v.C
	p[row][at+3*stride] = v.D
}

func (v two) keep(p *band, row, at, stride int) {
	p[row][at] = v.A
	p[row][at+stride] = v.B
}

func (v single) keep(p *band, row, at, stride int) { p[row][at] = v.A }

func (four) fetch(p *band, row, at int, from [4]int) four {
	return four{p[row][at+from[0]], p[row][at+from[1]], p[row][at+from[2]], p[row][at+from[3]]}
}

func (two) fetch(p *band, row, at int, from [4]int) two {
	return two{p[row][at+from[0]], p[row][at+from[1]]}
}

func (single) fetch(p *band, row, at int, from [4]int) single { return single{p[row][at+from[0]]} }

// Package memory has the slices and pointers of kernels.
package memory

import "github.com/gpuc/gpuc/runtime/gpu"

type shared struct {
	tile [8][8]float32
	n    int32
	on   bool
}

func fill(x []float32, v float32) {
	for i := range x {
		x[i] = v
	}
}

func halves(x []float32) (low, high []float32) {
	n := len(x) / 2
	return x[:n], x[n:]
}

//gpuc:kernel workgroup=64
func Slices(it gpu.Item, x, y []float32) {
	fill(x[2:6], 1)
	fill(y, 2)
	low, high := halves(x)
	low[0], high[0] = high[0], low[0]
	z := x[4:]
	if it.Index() > 3 {
		z = x[8:]
	}
	z[0] = 1
	for len(z) > 3 {
		z = z[1:]
		z[0] = 2
	}
	w := x
	w[1] = y[len(y)-1]
	full := x[:]
	part := x[1:3:5]
	part[0] = full[0]
	p := &x[1]
	if it.Index() > 4 {
		p = &x[2]
	}
	*p += 1
}

//gpuc:kernel workgroup=8,8
func Shared(it gpu.Item, s *shared, count *int32, tile *[64]float32, x []float32) {
	l := it.Local()
	s.tile[l.Y][l.X] = x[it.LocalIndex()]
	tile[it.LocalIndex()] = 1
	row := &s.tile[l.Y]
	row[0] = 2
	fill(tile[:8], 3)
	fill(s.tile[l.Y][2:4], 3)
	if it.LocalIndex() == 0 {
		*count = 3
		s.n = 4
		s.on = true
	}
	it.Barrier()
	x[it.LocalIndex()] = s.tile[l.X][l.Y] + float32(*count)
	local := *tile
	x[0] = local[it.LocalIndex()]
}

//gpuc:kernel workgroup=64
func Local(it gpu.Item, x []float32) {
	var v float32
	p := &v
	*p = 3
	set(p, 4)
	var a [4]float32
	q := &a[it.Index()&3]
	*q = v
	for i := range a {
		set(&a[i], float32(i))
	}
	x[0] = a[1] + v
}

func set(p *float32, v float32) { *p = v }

//gpuc:kernel workgroup=64
func Values(it gpu.Item, on bool, n int, u uint, factors [4]float32, x []float32) {
	if on {
		x[it.Index()] = factors[n&3] + float32(u)
	}
}

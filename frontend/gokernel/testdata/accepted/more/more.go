// Package more has what real programs do, at the border of what kernels have.
package more

import (
	"sync/atomic"

	"github.com/gpuc/gpuc/frontend/gokernel/testdata/accepted/helpers"
	"github.com/gpuc/gpuc/runtime/gpu"
)

type row []float32

func (r row) sum() (s float32) {
	for _, v := range r {
		s += v
	}
	return
}

type changer interface{ do(a float32) float32 }

type base struct{}

func (base) do(a float32) float32 { return helpers.Mix(a, 1, 2) }

type derived struct{ base }

func call[C changer](a float32) float32 { var c C; return c.do(a) }

func index(it *gpu.Item) int { return it.Index() }

func first(a *[4]float32) float32 { a[1] = 2; return a[0] }

func two() (int32, float32) { return 1, 2 }

type grid [4][4]float32

func (g *grid) at(i, j int) *float32 { return &g[i][j] }

type bits = uint32

type list[T any] struct {
	items [4]T
	n     int
}

func (l *list[T]) push(v T) { l.items[l.n] = v; l.n++ }
func (l *list[T]) all() []T { return l.items[:l.n] }

func each(x []float32, n ...int32) {
	for i, v := range n {
		x[i] = float32(v)
	}
}

//gpuc:kernel workgroup=64
func Types(it gpu.Item, r row, x []float32, i []int32, s *grid, shared *list[float32]) {
	x[0] = r.sum() + row(x).sum() + row(x[1:3]).sum()
	x[1] = call[derived](x[2])
	x[2] = float32(index(&it))
	var a [4]float32
	x[3] = first(&a) + first((*[4]float32)(&a))
	var p, q = two()
	x[4] = q + float32(p)
	*s.at(1, 2) = 3
	x[5] = *s.at(it.LocalIndex()&3, 1)
	for k := range s {
		for l := range s[k] {
			s[k][l] = 1
		}
	}
	for _, line := range s {
		for _, v := range line {
			x[6] += v
		}
	}
	if len(s) == 4 && len(s[0]) == 4 && len(*s) > 1 {
		x[7] = 1
	}
	var l list[int32]
	l.push(3)
	l.push(4)
	for _, v := range l.all() {
		i[0] += v
	}
	shared.push(2)
	x[8] = shared.all()[0]
	k := &struct{ a [2]float32 }{}
	k.a[1] = 1
	x[9] = k.a[0] + (&[2]float32{1, 2})[1] + [2]float32{1, 2}[it.Index()&1]
}

//gpuc:kernel workgroup=64
func Statements(it gpu.Item, x []float32, i []int32) {
choice:
	switch {
	case x[0] > 1:
		if x[1] > 2 {
			break choice
		}
		x[2] = 1
	}
	switch more := x[0] > x[1]; more {
	case true:
		x[3] = 1
	case false:
	}
	i[0] = i[1] << 40
	i[1] = i[2] >> 40
	x[len(x)-1:][0] = 3
	for range 0 {
	}
	n := bits(i[4])
	n |= 1 << 31
	i[5] = int32(n)
	p := &i[6]
	atomic.AddInt32(p, 1)
	y := x
	y[14], y = 3, y[2:]
	y[0] = 2
	each(x, i...)
	each(x, 1, 2, i[3])
	list := [3]int{2: 1, 0: 5}
	for k, v := range list {
		i[k] = int32(v)
	}
	if !(x[0] > 1) == (x[1] > 2) {
		return
	}
	i[8] = -7 / 2 % 3
	var s struct{ a, b [3]struct{ v, w float32 } }
	s.a, s.b = s.b, s.a
	s.a[1], s.b[2] = s.b[it.Index()], s.a[0]
	if s.a == s.b {
		x[0] = 1
	}
	t := s
	t.a[0].v++
	x[2] = t.a[0].v - s.a[0].v
}

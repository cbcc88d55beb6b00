// Package run has the smallest kernels that were once compiled wrongly, or not at all.
package run

import "github.com/gpuc/gpuc/runtime/gpu"

// view is a part of a slice.
type view struct {
	it     gpu.Item
	values []uint32
	scale  uint32
}

// rest leaves out the first element.
func (v view) rest() view {
	v.values = v.values[1:]
	return v
}

// sum adds up what is in a view, of which it changes its own copy.
func (v *view) sum() (s uint32) {
	own := *v
	own.scale++
	for _, x := range own.values {
		s += x * own.scale
	}
	return s + uint32(own.it.LocalIndex())
}

// Views hands slices around in structures.
//
//gpuc:kernel workgroup=1
func Views(it gpu.Item, x, y []uint32) {
	v := view{it, x, 1}
	y[0] = v.sum()
	w := v.rest().rest()
	y[1] = w.sum()
	y[2] = v.sum()
}

// Emptied declares a structure with a slice in a loop, which is empty in each iteration.
//
//gpuc:kernel workgroup=1
func Emptied(it gpu.Item, x, y []uint32) {
	for i := range 4 {
		var v view
		p := &v
		if i%2 == 0 {
			p.values = x[i:]
		}
		y[i] = uint32(len(p.values))
	}
}

// Spilled changes a copy of a parameter in one helper, and reads it in another.
//
//gpuc:kernel workgroup=1
func Spilled(it gpu.Item, p [4]uint32, q [4]uint32, y []uint32) {
	i := len(y) - 2
	y[0] = q[i]
	change(&p, i)
	y[1] = p[i] + p[i-1]
}

func change(p *[4]uint32, i int) { p[i] += 100 }

// Ranges has a loop over numbers, whose last test go/ssa puts in front of its continue.
//
//gpuc:kernel workgroup=1
func Ranges(it gpu.Item, x, y []uint32) {
	var table [5]uint32
	for i := range len(table) {
		for j := range i {
			table[i] += table[j] + uint32(j)
		}
		table[i] += x[i]
	}
	for i, v := range table {
		y[i] = v
	}
}

func packed(v gpu.Vec3u) uint32 { return v.X*10000 + v.Y*100 + v.Z }

// Vectors has the methods of vectors of integers.
//
//gpuc:kernel workgroup=1
func Vectors(it gpu.Item, y []uint32) {
	a, b := gpu.V3[uint32](1, 2, 3), gpu.V3[uint32](5, 7, 2)
	y[0] = packed(a.Add(b))
	y[1] = packed(b.Sub(gpu.V3[uint32](1, 1, 1)))
	y[2] = packed(a.Mul(b))
	y[3] = packed(b.Div(a))
	y[4] = packed(a.Scale(4))
	y[5] = a.Dot(b)
	y[6] = packed(a.Min(b))
	y[7] = packed(a.Max(b))
	y[8] = packed(a.YZX())
	y[9] = packed(a.ZXY())
	y[10] = packed(a.ZYX())
	y[11] = packed(a.XZ().YX().With(9))
	r := a.With(4).WZYX()
	y[12] = r.X*1000 + r.Y*100 + r.Z*10 + r.W
	y[13] = a.With(4).ZW().Dot(b.XY())
	c := gpu.V3[int32](1, 2, 3).Cross(gpu.V3[int32](5, 7, 2))
	y[14] = uint32(c.X+20)*10000 + uint32(c.Y)*100 + uint32(c.Z+5)
}

func digits(v gpu.Vec4f) uint32 {
	return uint32(v.X)*1000 + uint32(v.Y)*100 + uint32(v.Z)*10 + uint32(v.W)
}

// Matrices has products of matrices, and functions of vectors.
//
//gpuc:kernel workgroup=1
func Matrices(it gpu.Item, y []uint32) {
	m := gpu.Mat3f{X: gpu.V3f(1, 2, 3), Y: gpu.V3f(4, 5, 6), Z: gpu.V3f(7, 8, 10)}
	v := gpu.V3f(1, 2, 3)
	p, q, r := m.MulVec(v), m.Transpose().MulVec(v), m.Mul(m.Transpose()).MulVec(v)
	y[0] = uint32(p.X)*10000 + uint32(p.Y)*100 + uint32(p.Z)
	y[1] = uint32(q.X)*10000 + uint32(q.Y)*100 + uint32(q.Z)
	y[2], y[3], y[4] = uint32(r.X), uint32(r.Y), uint32(r.Z)
	y[5] = digits(gpu.Mix(gpu.V2f(0, 8), gpu.V2f(4, 0), 0.25).With(gpu.Length(gpu.V2f(3, 4))).With(gpu.Distance(v, gpu.V3f(1, 2, 10))))
	y[6] = digits(gpu.Reflect(gpu.V2f(1, -1), gpu.V2f(0, 1)).With(0).With(gpu.Normalize(gpu.V4f(0, 0, 8, 0)).Z))
	turn := gpu.Mat4f{X: gpu.V4f(0, 1, 0, 0), Y: gpu.V4f(0, 0, 1, 0), Z: gpu.V4f(0, 0, 0, 1), W: gpu.V4f(1, 0, 0, 0)}
	y[7] = digits(turn.MulVec(gpu.V4f(1, 2, 3, 4)))
	y[8] = digits(turn.Transpose().MulVec(gpu.V4f(1, 2, 3, 4)))
	small := gpu.Mat2f{X: gpu.V2f(1, 2), Y: gpu.V2f(3, 4)}
	s, t := small.MulVec(gpu.V2f(5, 6)), small.Transpose().Mul(small).MulVec(gpu.V2f(1, 0))
	y[9] = uint32(s.X)*100 + uint32(s.Y)
	y[10] = uint32(t.X)*100 + uint32(t.Y)
}

// Subgroups has one subgroup of eight items.
//
//gpuc:kernel workgroup=8
func Subgroups(it gpu.Item, y []uint32) {
	l := it.SubgroupLane()
	v := uint32(l + 1)
	digits := gpu.SubgroupBroadcast(it, v, 3)*1000 + gpu.SubgroupShuffle(it, v, 7-l)*100 + gpu.SubgroupShuffleXor(it, v, 3)*10 + gpu.QuadBroadcast(it, v, 1)
	up, down := gpu.SubgroupShuffleUp(it, v, 1), gpu.SubgroupShuffleDown(it, v, 1)
	if l > 0 && l < 7 { // those that they ask are there
		digits += up*10000 + down*100000
	}
	y[l] = digits
	ballot := gpu.SubgroupBallot(it, l%3 == 0)
	sums := gpu.SubgroupAdd(it, v)*100 + gpu.SubgroupInclusiveAdd(it, v)
	if l == 4 {
		y[8], y[9] = ballot[0], ballot[1]+ballot[2]+ballot[3]
		y[10] = sums
		y[11] = uint32(it.Subgroup()*10 + it.Subgroups())
	}
}

// Horner's rule wraps, truncates and rounds as its type does.
//
//gpuc:kernel workgroup=1 types=float32,int32,uint32
func Horner[E gpu.Number](it gpu.Item, x []E, y []uint32) {
	var sum E
	for _, v := range x {
		sum = sum*4 + v
	}
	y[0] = uint32(sum)
	y[1] = uint32(sum / 8 * 8)
	if sum-E(300) < 0 {
		y[2] = 1
	}
}

type fold interface{ apply(a, b uint32) uint32 }

type sum struct{}

func (sum) apply(a, b uint32) uint32 { return a + b }

type product struct{}

func (product) apply(a, b uint32) uint32 { return a * b }

// Fold has sizes and functions that are types.
//
//gpuc:kernel workgroup=1 types=sum/[3]uint32,product/[5]uint32
func Fold[O fold, T interface{ ~[3]uint32 | ~[5]uint32 }](it gpu.Item, shared *T, x, y []uint32) {
	var o O
	for i := range len(*shared) {
		(*shared)[i] = x[i]
	}
	r := (*shared)[0]
	for i := 1; i < len(*shared); i++ {
		r = o.apply(r, (*shared)[i])
	}
	y[0] = r
}

var (
	none  = [0]uint32{}
	empty = [3]struct{}{}
	rows  = [3][0]uint32{}
)

func lengths(x []uint32, y []struct{}) uint32 {
	n := uint32(cap(x)<<4 | len(x))
	for range y {
		n += 100
	}
	for _, v := range x {
		n += v
	}
	return n
}

// Sizeless takes slices of tables without size.
//
//gpuc:kernel workgroup=1
func Sizeless(it gpu.Item, x, y []uint32) {
	for range none[:] {
		y[0] = 9
	}
	y[1] = uint32(len(empty[1:]))
	y[2] = lengths(none[:], empty[1:])
	p, q := &none, &empty
	y[3] = uint32(len(p[:])<<4 | cap(none[0:0:0])<<2 | cap(q[1:2:2]))
	for i := range rows[1:] {
		y[4] += uint32(i + 1 + len(rows[i]) + len(rows[i][:]))
	}
	for range empty[x[0]:] {
		y[5]++
	}
	if none[:] == nil {
		y[6] = 1
	}
	part := none[:]
	for i := range 2 {
		y[7] = y[7]*8 + lengths(part, nil)
		part = x[i:]
	}
	y[8] = uint32(len(rows[:]))
	r := rows
	y[9] = uint32(len(r[1:]))
	s := rows[1:]
	t := s[1:]
	y[10] = uint32(len(s)<<4 | len(t)<<2 | len(t[0]))
	if x[0] > 0 {
		part = none[:]
	}
	y[11] = uint32(len(part))
}

func four(p *int) [4]uint32 {
	*p++
	n := uint32(*p)
	return [4]uint32{n, n + 10, n + 20, n + 30}
}

func more(p *int) int {
	*p *= 2
	return *p & 3
}

type square struct{ rows [2][2]uint32 }

func squareOf(p *int) square {
	*p += 3
	n := uint32(*p)
	return square{[2][2]uint32{{n, n + 1}, {n + 2, n + 3}}}
}

func made[A [4]uint32 | [2]uint32](p *int) (a A) {
	*p += 4
	a[1] = uint32(*p)
	return a
}

func chosen[A [4]uint32 | [2]uint32](p *int) uint32 {
	return made[A](p)[more(p)&1|1] + made[A](p)[*p&1]
}

// InOrder calls functions with effects in indices and in what these are of.
//
//gpuc:kernel workgroup=1
func InOrder(it gpu.Item, x, y []uint32) {
	n := 0
	y[0] = four(&n)[more(&n)]
	y[1] = uint32(n)
	y[2] = four(&n)[n]
	y[3] = squareOf(&n).rows[more(&n)>>1][more(&n)&1]
	n &= 7
	y[4] = uint32(n)
	if a := four(&n); a[more(&n)] > 1 && four(&n)[more(&n)] > 2 {
		y[5] = uint32(n)
	}
	y[6] = four(&n)[it.SubgroupLane()]
	y[7] = chosen[[4]uint32](&n)
	y[8] = chosen[[2]uint32](&n)
}

// Package types has the types of kernels.
package types

import (
	"math"

	"github.com/gpuc/gpuc/runtime/gpu"
)

type vec struct{ x, y, z float32 }

func (v vec) add(w vec) vec         { return vec{v.x + w.x, v.y + w.y, v.z + w.z} }
func (v vec) scale(s float32) vec   { return vec{v.x * s, v.y * s, v.z * s} }
func (v *vec) move(w vec)           { v.x += w.x; v.y += w.y; v.z += w.z }
func (v vec) dot(w vec) (d float32) { d = v.x*w.x + v.y*w.y; d += v.z * w.z; return }
func (v vec) length() float32       { return gpu.Sqrt(v.dot(v)) }

type body struct {
	vec
	velocity vec
	mass     float32 `json:"mass"`
}

type matrix [3][3]float32

func (m *matrix) set(i, j int, v float32) { m[i][j] = v }
func (m matrix) row(i int) [3]float32     { return m[i] }

type meters float32
type index int
type number = float32
type empty struct{}

func (empty) one() float32 { return 1 }

type weekday uint32

const (
	monday weekday = iota
	tuesday
)

const (
	kilo = 1 << (10 * (iota + 1))
	mega
)

const third = 1.0 / 3

//gpuc:kernel workgroup=64
func Structs(it gpu.Item, step float32, gravity vec, bodies []body) {
	b := bodies[it.Index()]
	b.velocity = b.velocity.add(gravity.scale(step))
	b.move(b.velocity)
	b.x += 1
	b.vec.y = 2
	bodies[it.Index()] = b
	bodies[0].velocity.move(gravity)
	p := &bodies[1]
	p.mass = b.length()
	p.move(vec{x: 1})
	var zero body
	if b == zero || b.vec != (vec{1, 2, 3}) {
		bodies[2] = body{vec: vec{z: 1}, mass: 2}
	}
	anonymous := struct{ a, b float32 }{1, 2}
	bodies[3].mass = anonymous.a + empty{}.one() + vec.dot(gravity, b.vec)
}

//gpuc:kernel workgroup=64
func Arrays(it gpu.Item, x []float32, m matrix, y []matrix, z [][2]vec) {
	var a [4]float32
	b := a
	a[1] = 2
	x[0] = b[1] + a[it.Index()&3]
	c := [...]float32{1, 2, 5: 3}
	x[1] = c[len(c)-1]
	m.set(1, 2, 3)
	r := m.row(it.Index() % 3)
	x[2] = r[0]
	y[0] = m
	y[1][2][0] = 4
	z[0][1].x = 3
	grid := [2][3][4]int32{}
	grid[1][2][3] = 7
	x[3] = float32(grid[1][it.Index()%3][0])
	if a == b {
		x[4] = 1
	}
	s := a[1:3]
	s[0] = 5
	x[5] = float32(len(s)) + a[1] + float32(cap(a))
	x[6] = sum(a)
}

func sum(a [4]float32) (s float32) {
	a[0]++
	for _, v := range a {
		s += v
	}
	return
}

//gpuc:kernel workgroup=64
func Numbers(it gpu.Item, x []float32, i []int32, u []uint32) {
	i[0] = i[1] + i[2]*3 - i[3]/4%5
	u[0] = u[1]&u[2] | u[3] ^ u[4]&^u[5]
	i[1] = i[2] << u[0] >> i[3]
	i[2] = i[3] << it.Index()
	u[1] = 1 << u[2]
	u[2] = -u[3]
	i[3] = ^i[4]
	i[4] = -i[5]
	var n int = int(i[6])
	var m uint = uint(u[6])
	n += int(m)
	x[0] = float32(n) * third
	x[1] = float32(meters(3) + meters(x[2]))
	i[5] = int32(index(n) + 2)
	i[6] = int32(x[3])
	u[3] = uint32(x[4])
	x[5] = number(u[4])
	u[4] = uint32(tuesday)
	if weekday(u[5]) == monday {
		u[5] = kilo + mega
	}
	i[7] = 'a' + 1
	i[8] = int32(rune('b'))
	ok := x[6] > 1 && !(x[7] < 2) || n == 3
	if ok != (x[8] >= 1e-3) {
		x[9] = math.MaxFloat32
	}
	x[10] = float32(math.Pi) * math.E
	i[9] = math.MaxInt32 + math.MinInt32
	u[6] = math.MaxUint32
	x[11] = 0x1p-2
	x[12] = float32(1.5)
	var y float32 = 2.5
	z := float32(1) / 3
	x[13] = y*z + 2
	i[10] = int32(len("four"))
	x[14] = min(x[1], 2, y) + max(x[3], float32(n))
	i[11] = min(i[2], 4) + int32(max(n, 2))
	u[7] = u[8] >> 33
	const big = 1 << 40
	i[12] = big >> 35
}

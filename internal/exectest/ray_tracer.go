package exectest

// The reference of the ray tracer is a small program. It uses float64 for the colours and float32,
// operation by operation, for the decision whether a ray hits.

import "math"

type point [3]float64

func (a point) plus(b point, scale float64) point {
	return point{a[0] + b[0]*scale, a[1] + b[1]*scale, a[2] + b[2]*scale}
}
func (a point) dot(b point) float64 { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }
func (a point) unit() point         { return point{}.plus(a, 1/math.Sqrt(a.dot(a))) }

type ball struct {
	centre point
	radius float64
	colour point
	shine  float64
}

// All coordinates are multiples of 1/16 below 16.
var balls = []ball{
	{point{0, 0, -5}, 1, point{1, 0.25, 0.25}, 8},
	{point{1.5, 0.5, -4}, 0.5, point{0.25, 1, 0.25}, 32},
	{point{-2, -0.25, -6.5}, 1.25, point{0.25, 0.25, 1}, 4},
	{point{0, -21.5, -6}, 20, point{0.5, 0.5, 0.5}, 2},
}

// A rotation by 90° about the axis of view, and a shift: exact in f32.
var camera = []float32{
	0, 1, 0, 0,
	-1, 0, 0, 0,
	0, 0, 1, 0,
	0.25, -0.125, 0.5, 1,
}

var lamp = point{4, 6, 2}

func rayTracer() Case {
	const width, height = 40, 30
	floats := func(v ...float64) []byte {
		return pack(apply(v, func(x float64) float32 { return float32(x) })...)
	}
	scene := join(pack(camera...), floats(lamp[:]...), pack(uint32(len(balls))))
	for _, b := range balls {
		scene = join(scene, floats(b.centre[:]...), floats(b.radius), floats(b.colour[:]...), floats(b.shine))
	}
	return Case{
		Name:   "ray_tracer",
		Doc:    "nested structs by value, a camera matrix, nearest hits, shading",
		Strict: true,
		Buffers: []Buffer{
			mixed("scene", scene),
			content("colours", make([]float32, 4*width*height)).absolute(2e-3),
			content("hits", make([]uint32, width*height)),
		},
		Dispatches: once("main", groups(width, 8), groups(height, 8), 1),
		Reference: func(buffers [][]byte) {
			var colours []float32
			var hits []uint32
			for i := range width * height {
				across, up := (float64(i%width)-20)/16, float64(15-i/width)/16
				origin := point{0.25, -0.125, 0.5}
				direction := point{-up, across, -1}
				hit, distance := nearestBall(origin, direction)
				colour := shadeBall(origin, direction, hit, distance)
				for _, c := range colour {
					colours = append(colours, float32(c))
				}
				colours = append(colours, 1)
				hits = append(hits, uint32(hit+1))
			}
			store(buffers[1], colours)
			store(buffers[2], hits)
		},
	}
}

// nearestBall returns the index of the first ball hit, or -1, and the distance
// in lengths of the direction.
func nearestBall(origin, direction point) (int, float64) {
	product := func(a, b point) float32 {
		x := float32(float32(a[0]) * float32(b[0]))
		y := float32(float32(a[1]) * float32(b[1]))
		z := float32(float32(a[2]) * float32(b[2]))
		return float32(x+y) + z
	}
	hit, nearest := -1, math.Inf(1)
	for i, ball := range balls {
		to := ball.centre.plus(origin, -1) // exact
		a, b := product(direction, direction), product(to, direction)
		c := product(to, to) - float32(ball.radius*ball.radius)
		discriminant := float32(b*b) - float32(a*c)
		if discriminant <= 0 || b <= 0 {
			continue
		}
		t := (float64(b) - math.Sqrt(float64(discriminant))) / float64(a)
		if t < nearest {
			hit, nearest = i, t
		}
	}
	return hit, nearest
}

func shadeBall(origin, direction point, hit int, distance float64) point {
	if hit < 0 {
		share := min(max(direction.unit()[1]*0.5+0.5, 0), 1)
		return point{1 - 0.75*share, 1 - 0.5*share, 1}
	}
	ball := balls[hit]
	at := origin.plus(direction, distance)
	normal := point{}.plus(at.plus(ball.centre, -1), 1/ball.radius)
	light := lamp.plus(at, -1).unit()
	incoming := direction.unit()
	mirrored := incoming.plus(normal, -2*incoming.dot(normal))
	highlight := math.Pow(min(max(mirrored.dot(light), 0), 1), ball.shine)
	colour := point{}.plus(ball.colour, 0.125+max(normal.dot(light), 0))
	return colour.plus(point{1, 1, 1}, highlight*0.5)
}

package image

import (
	"fmt"
	"math"

	"github.com/gpuc/gpuc/runtime/gpu"
)

// Projection is a projective map of the plane, by rows: (x, y) becomes (u/w, v/w), where (u, v, w)
// is the product with (x, y, 1). Coordinates are in pixels, and the middle of the first pixel is
// (0, 0).
type Projection [9]float64

// Affine returns the map of (x, y) to (a·x + b·y + c, d·x + e·y + f).
func Affine(a, b, c, d, e, f float64) Projection { return Projection{a, b, c, d, e, f, 0, 0, 1} }

// Rotation returns the map that rotates by an angle in radians about a point and scales by a
// factor. With y down, as in images, positive angles are clockwise.
func Rotation(angle, scale, x, y float64) Projection {
	sin, cos := math.Sincos(angle)
	a, b := scale*cos, scale*sin
	return Affine(a, -b, x-a*x+b*y, b, a, y-b*x-a*y)
}

// Then returns the map that does p first, and then q.
func (p Projection) Then(q Projection) (r Projection) {
	for i := range 3 {
		for j := range 3 {
			for k := range 3 {
				r[3*i+j] += q[3*i+k] * p[3*k+j]
			}
		}
	}
	return r
}

// Inverse returns the inverse map, and false if there is none.
func (p Projection) Inverse() (Projection, bool) {
	var r Projection
	for i := range 3 {
		for j := range 3 {
			a, b := (j+1)%3, (j+2)%3
			c, d := (i+1)%3, (i+2)%3
			r[3*i+j] = p[3*a+c]*p[3*b+d] - p[3*a+d]*p[3*b+c]
		}
	}
	det := p[0]*r[0] + p[1]*r[3] + p[2]*r[6]
	if det == 0 || math.IsNaN(det) || math.IsInf(det, 0) {
		return Projection{}, false
	}
	for i := range r {
		r[i] /= det
	}
	return r, true
}

// Quadrilateral returns the map of one quadrilateral to another, by their corners (x, y) in the
// same order, and false if there is none.
func Quadrilateral(from, to [4][2]float64) (Projection, bool) {
	a, ok1 := square(from)
	b, ok2 := square(to)
	inverse, ok3 := a.Inverse()
	if !ok1 || !ok2 || !ok3 {
		return Projection{}, false
	}
	p := inverse.Then(b)
	for i := range p { // for an affine map the last row is 0, 0, 1
		p[i] /= p[8]
	}
	return p, !math.IsNaN(p[0]) && !math.IsInf(p[0], 0)
}

// square returns the map of the unit square to a quadrilateral. Its corners are (0, 0), (1, 0),
// (1, 1) and (0, 1). (Heckbert, "Fundamentals of texture mapping and image warping", 1989, §2.2.3)
func square(q [4][2]float64) (Projection, bool) {
	sx, sy := q[0][0]-q[1][0]+q[2][0]-q[3][0], q[0][1]-q[1][1]+q[2][1]-q[3][1]
	x1, y1 := q[1][0]-q[2][0], q[1][1]-q[2][1]
	x2, y2 := q[3][0]-q[2][0], q[3][1]-q[2][1]
	det := x1*y2 - x2*y1
	if det == 0 || math.IsNaN(det) {
		return Projection{}, false
	}
	g, h := (sx*y2-x2*sy)/det, (x1*sy-sx*y1)/det
	return Projection{
		q[1][0] - q[0][0] + g*q[1][0], q[3][0] - q[0][0] + h*q[3][0], q[0][0],
		q[1][1] - q[0][1] + g*q[1][1], q[3][1] - q[0][1] + h*q[3][1], q[0][1],
		g, h, 1,
	}, true
}

// Warp moves each point (x, y) of src to its projection in dst: pixels of dst are those of src
// where the inverse maps them. The sizes may differ, the channels may not. The interpolation is
// Nearest, Bilinear, Bicubic or BicubicSharp, and coordinates are computed in float32.
func Warp[T Sample](s *gpu.Stream, dst, src Image[T], p Projection, how Interpolation, b Border) error {
	const o operation = "Warp"
	if err := checkWarp(o, dst, src, how); err != nil {
		return err
	}
	inverse, ok := p.Inverse()
	if !ok {
		return o.wrong("projection", "one that has an inverse", fmt.Sprint(p))
	}
	if dst.empty() {
		return nil
	}
	var m projection
	for i := range m {
		m[i] = float32(inverse[i] / inverse[largest(inverse)])
	}
	var w words
	w.floats(m[:]...)
	w.ints(int(how))
	w.border(b.border)
	w.views(dst.view(), src.view())
	return ofWarp.launch(s, kindOf[T](), grid(dst.Width, dst.Height), &w, dst.Buffer, src.Buffer)
}

// largest returns 8 unless the last element is 0: a projection may be multiplied by any number, and
// affine ones need no division then.
func largest(p Projection) int {
	if p[8] != 0 {
		return 8
	}
	best := 0
	for i := range p {
		if math.Abs(p[i]) > math.Abs(p[best]) {
			best = i
		}
	}
	return best
}

// Remap makes each pixel of dst the one of src at the coordinates (x, y) that are the two channels
// of coordinates, which has the width and height of dst. The middle of the first pixel of src is
// (0, 0).
func Remap[T Sample](s *gpu.Stream, dst, src Image[T], coordinates Image[float32], how Interpolation, b Border) error {
	const o operation = "Remap"
	if err := checkWarp(o, dst, src, how); err != nil {
		return err
	}
	if err := check(o, "coordinates", coordinates); err != nil {
		return err
	}
	if coordinates.Width != dst.Width || coordinates.Height != dst.Height || coordinates.Channels != 2 {
		return o.wrong("coordinates", fmt.Sprintf("%d × %d × 2", dst.Width, dst.Height), sizesOf(coordinates))
	}
	if err := apart(o, "dst", dst, "coordinates", coordinates); err != nil || dst.empty() {
		return err
	}
	var w words
	w.ints(int(how))
	w.border(b.border)
	w.views(dst.view(), src.view(), coordinates.view())
	return ofRemap.launch(s, kindOf[T](), grid(dst.Width, dst.Height), &w, dst.Buffer, src.Buffer, coordinates.Buffer)
}

func checkWarp[T Sample](o operation, dst, src Image[T], how Interpolation) error {
	if err := checkBoth(o, dst, src); err != nil {
		return err
	}
	if err := o.count("channels of dst", dst.Channels, src.Channels); err != nil {
		return err
	}
	if how > BicubicSharp {
		return o.wrong("how", "Nearest, Bilinear, Bicubic or BicubicSharp", how.String())
	}
	if src.empty() && !dst.empty() {
		return o.wrong("src", "pixels", sizesOf(src))
	}
	return nil
}

package texture

import (
	"math"
)

// This file finds texels on the faces of cubes.

// axes are how a face of a cube shows the components of a direction. One points out of it, and two
// run along its columns and rows, with their signs. The faces are +x, -x, +y, -y, +z, -z (Vulkan,
// "Cube Map Face Selection").
type axes struct {
	face                 uint8
	out, across, down    uint8
	outSign              float32
	acrossSign, downSign float32
}

var faces = [6]axes{
	{0, 0, 2, 1, 1, -1, -1},
	{1, 0, 2, 1, -1, 1, -1},
	{2, 1, 0, 2, 1, 1, 1},
	{3, 1, 0, 2, -1, 1, -1},
	{4, 2, 0, 1, 1, 1, -1},
	{5, 2, 0, 1, -1, -1, -1},
}

// axesOf returns the face that a direction points to: that of its largest
// component, of equal ones the last.
func axesOf(direction *[3]float32) *axes {
	x, y, z := abs(direction[0]), abs(direction[1]), abs(direction[2])
	largest := 0
	switch {
	case z >= x && z >= y:
		largest = 2
	case y >= x:
		largest = 1
	}
	face := 2 * largest
	if math.Signbit(float64(direction[largest])) {
		face++
	}
	return &faces[face]
}

func abs(x float32) float32 { return math.Float32frombits(math.Float32bits(x) &^ (1 << 31)) }

// faceCoordinates computes the coordinates on the face, from 0 to 1.
func (a *axes) faceCoordinates(direction *[3]float32) [3]float32 {
	out := abs(direction[a.out])
	across, down := a.acrossSign*direction[a.across], a.downSign*direction[a.down]
	return [3]float32{float32(0.5*float32(across/out)) + 0.5, float32(0.5*float32(down/out)) + 0.5}
}

// gradient returns the derivatives of the coordinates on the face from those of
// the direction: the quotient rule.
func (a *axes) gradient(direction, derivative *[3]float32) [3]float32 {
	out, dOut := abs(direction[a.out]), a.outSign*derivative[a.out]
	part := func(value, change float32) float32 {
		return 0.5 * (float32(change*out) - float32(value*dOut)) / float32(out*out)
	}
	return [3]float32{
		part(a.acrossSign*direction[a.across], a.acrossSign*derivative[a.across]),
		part(a.downSign*direction[a.down], a.downSign*derivative[a.down]),
	}
}

// AcrossEdge returns the texel of the neighbouring face for one just outside an edge of a face of n
// columns. The line from the cube's middle through the centre of the latter, which lies in the
// plane of the face, goes through the former. In units of half a texel all of this is in integers.
// The plane is n from the middle and the neighbour's n+1, so the line meets it at n/(n+1) of a
// component. For the component along the edge that is the row or column of the same index, counted
// from either end. For that of the plane it is the outermost one.
func AcrossEdge(face uint8, i, j, n int32) (neighbour uint8, x, y int32) {
	from := &faces[face]
	var direction [3]int32
	direction[from.out] = int32(from.outSign) * n
	direction[from.across] = int32(from.acrossSign) * (2*i + 1 - n)
	direction[from.down] = int32(from.downSign) * (2*j + 1 - n)
	out := from.across
	if uint32(j) >= uint32(n) {
		out = from.down
	}
	neighbour = 2 * out
	if direction[out] < 0 {
		neighbour++
	}
	to := &faces[neighbour]
	along := func(component int32) int32 { return max((component+n-1)>>1, 0) }
	return neighbour, along(int32(to.acrossSign) * direction[to.across]), along(int32(to.downSign) * direction[to.down])
}

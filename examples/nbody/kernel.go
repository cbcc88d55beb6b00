package main

import "github.com/gpuc/gpuc/runtime/gpu"

//go:generate go tool gpuc gen -target spirv,ptx,cpu,checked .

// Tile is how many bodies a workgroup fetches at a time.
const Tile = 64

// softening keeps bodies that nearly meet from flinging each other away: it is added to the square
// of each distance.
const softening = 1e-4

// Body is a body with its place, in a unit in which the constant of gravitation is 1.
type Body struct {
	Position, Velocity gpu.Vec3f
	Mass               float32
}

// Step moves all bodies by the pull of all others: one item for each body. It reads them in before
// and writes them to after, since the others are still reading.
//
// Every item needs every body. The items of a workgroup fetch a tile of them together, one each,
// and all use what all have fetched. What has no mass pulls nothing, so the last tile need not be
// full.
//
//gpuc:kernel workgroup=Tile
func Step(it gpu.Item, tile *[Tile]gpu.Vec4f, step float32, before, after []Body) {
	i, local := it.Index(), it.LocalIndex()
	var me Body
	if i < len(before) {
		me = before[i]
	}
	var pull gpu.Vec3f
	for first := 0; first < len(before); first += Tile {
		tile[local] = gpu.Vec4f{}
		if k := first + local; k < len(before) {
			tile[local] = before[k].Position.With(before[k].Mass)
		}
		it.Barrier() // all are there
		for _, other := range tile {
			apart := other.XYZ().Sub(me.Position)
			inverse := gpu.InverseSqrt(apart.Dot(apart) + softening)
			pull = pull.Add(apart.Scale(other.W * inverse * inverse * inverse))
		}
		it.Barrier() // nobody needs them any more
	}
	if i < len(after) {
		// the new velocity moves the body: the energy stays near what it was, which it does not
		// with the old one
		me.Velocity = me.Velocity.Add(pull.Scale(step))
		me.Position = me.Position.Add(me.Velocity.Scale(step))
		after[i] = me
	}
}

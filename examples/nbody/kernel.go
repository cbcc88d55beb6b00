package main

import "github.com/gpuc/gpuc/runtime/gpu"

//go:generate go tool gpuc gen -target spirv,ptx,cpu,checked .

// Tile is the number of bodies that a workgroup loads at a time.
const Tile = 64

// softening limits the force between bodies that nearly collide. It is added to the square of each
// distance.
const softening = 1e-4

// Body is a body, in units in which the gravitational constant is 1.
type Body struct {
	Position, Velocity gpu.Vec3f
	Mass               float32
}

// Step moves all bodies by the gravity of all others: one item for each body. It reads them from
// before and writes them to after, since other items still read the old ones.
//
// Each item needs all bodies. The items of a workgroup together load a tile of them to workgroup
// memory, one body each, and then all use the whole tile. The rest of the last tile is bodies
// without mass, which have no effect.
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
		it.Barrier() // wait until the tile is loaded
		for _, other := range tile {
			apart := other.XYZ().Sub(me.Position)
			inverse := gpu.InverseSqrt(apart.Dot(apart) + softening)
			pull = pull.Add(apart.Scale(other.W * inverse * inverse * inverse))
		}
		it.Barrier() // wait until the tile is used
	}
	if i < len(after) {
		// semi-implicit Euler: moving by the new velocity instead of the old one keeps the energy
		// nearly constant
		me.Velocity = me.Velocity.Add(pull.Scale(step))
		me.Position = me.Position.Add(me.Velocity.Scale(step))
		after[i] = me
	}
}

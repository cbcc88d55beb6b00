package main

import "github.com/gpuc/gpuc/runtime/gpu"

//go:generate go tool gpuc gen .

const (
	// Side is how many cells a row of the unit square has.
	Side = 64
	// radius is how far particles push each other: a cell's width, so that those of a particle's
	// neighbours are in nine cells.
	radius = 1.0 / Side
	// push and step are the strength of that and the time from step to step, in units of the
	// square.
	push, step = 0.2, 0.01
)

// Particle has a position in the unit square, a velocity, and a number that it keeps.
type Particle struct {
	Position, Velocity gpu.Vec2f
	ID                 uint32
}

// cellOf returns the cell of a coordinate.
func cellOf(x float32) int { return min(max(int(x*Side), 0), Side-1) }

// Cells writes the cell of each particle, which is its key, and its index.
//
//gpuc:kernel workgroup=64
func Cells(it gpu.Item, particles []Particle, keys, order []uint32) {
	if i := it.Index(); i < len(particles) && i < len(keys) && i < len(order) {
		p := particles[i].Position
		keys[i], order[i] = uint32(cellOf(p.Y)*Side+cellOf(p.X)), uint32(i)
	}
}

// Reorder moves particles to the order of their cells, and writes where each cell begins; one index
// more is the end of the last one. Empty cells begin where the next one does.
//
//gpuc:kernel workgroup=64
func Reorder(it gpu.Item, particles []Particle, keys, order []uint32, sorted []Particle, starts []uint32) {
	i, n := it.Index(), len(particles)
	if i >= n || i >= len(sorted) {
		return
	}
	sorted[i] = particles[order[i]]
	first := 0
	if i > 0 {
		first = int(keys[i-1]) + 1
	}
	for cell := first; cell <= int(keys[i]); cell++ {
		starts[cell] = uint32(i)
	}
	if i == n-1 {
		for cell := int(keys[i]) + 1; cell <= Side*Side; cell++ {
			starts[cell] = uint32(n)
		}
	}
}

// Move lets particles push those that are closer than the radius, and moves them. Walls reflect.
//
//gpuc:kernel workgroup=64
func Move(it gpu.Item, sorted []Particle, starts []uint32, moved []Particle) {
	i := it.Index()
	if i >= len(sorted) || i >= len(moved) {
		return
	}
	p := sorted[i]
	x, y := cellOf(p.Position.X), cellOf(p.Position.Y)
	var force gpu.Vec2f
	for row := max(y-1, 0); row <= min(y+1, Side-1); row++ {
		// the cells of a row follow each other
		first, end := starts[row*Side+max(x-1, 0)], starts[row*Side+min(x+1, Side-1)+1]
		for j := first; j < end; j++ {
			force = force.Add(pushOf(p, sorted[j]))
		}
	}
	moved[i] = advance(p, force)
}

// pushOf returns the acceleration of a particle by another one: the closer, the stronger.
func pushOf(p, by Particle) gpu.Vec2f {
	away := p.Position.Sub(by.Position)
	distance := gpu.Length(away)
	if distance >= radius || distance == 0 {
		return gpu.Vec2f{}
	}
	return away.Scale(push * (radius - distance) / (radius * distance))
}

// advance returns a particle a step later.
func advance(p Particle, force gpu.Vec2f) Particle {
	p.Velocity = p.Velocity.Add(force.Scale(step)).Scale(0.99) // with a little friction
	p.Position = p.Position.Add(p.Velocity.Scale(step))
	if p.Position.X < 0 || p.Position.X > 1 {
		p.Position.X, p.Velocity.X = min(max(p.Position.X, 0), 1), -p.Velocity.X
	}
	if p.Position.Y < 0 || p.Position.Y > 1 {
		p.Position.Y, p.Velocity.Y = min(max(p.Position.Y, 0), 1), -p.Velocity.Y
	}
	return p
}

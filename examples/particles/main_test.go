package main

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/runtime/gpu"
	"github.com/gpuc/gpuc/runtime/gpu/gputest"
)

// TestSimulate compares with pushes among all pairs of particles. Sums are in another order, and so
// positions differ a little. Without pushes they would be far off.
func TestSimulate(t *testing.T) {
	device := gputest.Open(t, gpu.Named(gpu.CPU))
	const n, steps = 3000, 20
	want := drops(n)
	for range steps {
		next := slices.Clone(want)
		for i, p := range want {
			var force gpu.Vec2f
			for _, by := range want {
				force = force.Add(pushOf(p, by))
			}
			next[i] = advance(p, force)
		}
		want = next
	}
	got, err := simulate(t.Context(), device, drops(n), steps)
	if err != nil {
		t.Fatal(err)
	}
	seen, moved := make([]bool, n), 0.0
	for i, p := range got {
		if seen[p.ID] {
			t.Fatalf("particle %d is there twice", p.ID)
		}
		seen[p.ID] = true
		if d := gpu.Distance(p.Position, want[p.ID].Position); d > 1e-4 {
			t.Fatalf("particle %d is at %v, want %v", p.ID, p.Position, want[p.ID].Position)
		}
		moved = max(moved, float64(gpu.Distance(p.Position, drops(n)[p.ID].Position)))
		if i > 100 && moved == 0 {
			t.Fatal("nothing moves")
		}
	}
	if moved < 1e-3 {
		t.Errorf("the farthest particle has moved by %v only", moved)
	}
}

// TestOrder: after a step, the particles of a cell follow each other, and starts has where.
func TestOrder(t *testing.T) {
	device := gputest.Open(t, gpu.Named(gpu.CPU))
	s, err := device.NewStream()
	particles := drops(500)
	n := len(particles)
	keys, order := make([]uint32, n), make([]uint32, n)
	for i := range order {
		order[i] = uint32(i)
	}
	key := func(p Particle) uint32 { return uint32(cellOf(p.Position.Y)*Side + cellOf(p.Position.X)) }
	slices.SortStableFunc(order, func(i, j uint32) int { return int(key(particles[i])) - int(key(particles[j])) })
	for i, k := range order {
		keys[i] = key(particles[k])
	}
	sorted, starts := make([]Particle, n), make([]uint32, Side*Side+1)
	err = errors.Join(err, RunReorder(t.Context(), device, gpu.Items1(n), particles, keys, order, sorted, starts), s.Close())
	if err != nil {
		t.Fatal(err)
	}
	for cell := range Side * Side {
		for i := starts[cell]; i < starts[cell+1]; i++ {
			if key(sorted[i]) != uint32(cell) {
				t.Fatalf("particle %d is in cell %d, and not in %d", i, key(sorted[i]), cell)
			}
		}
	}
	if starts[0] != 0 || starts[Side*Side] != uint32(n) {
		t.Errorf("cells are from %d to %d, want 0 to %d", starts[0], starts[Side*Side], n)
	}
}

// TestPicture: a particle is drawn where it is.
func TestPicture(t *testing.T) {
	text := picture([]Particle{{Position: gpu.V2f(0, 0)}, {Position: gpu.V2f(1, 1)}, {Position: gpu.V2f(1, 1)}})
	lines := strings.Split(text, "\n")
	if lines[0][0] != '.' || lines[Side/2-1][Side-1] != ':' || strings.Count(text, " ") != Side*Side/2-2 {
		t.Errorf("it is\n%s", text)
	}
	if math.Abs(float64(radius*Side-1)) > 0 {
		t.Error("a cell is not as wide as the radius")
	}
}

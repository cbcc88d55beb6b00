package main

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/runtime/gpu"
	"github.com/gpuc/gpuc/runtime/gpu/gputest"
)

// TestSimulate checks that energy and momentum are preserved, with a last tile that is not full.
func TestSimulate(t *testing.T) {
	var text strings.Builder
	bodies := disc(Tile + 7)
	moved, err := simulate(&text, gputest.Open(t, gpu.Named(gpu.CPU)), bodies, 30, 0.01)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text.String(), "71 bodies 30 times") {
		t.Errorf("it says %q", text.String())
	}
	if was, is := energy(bodies), energy(moved); math.Abs(is-was) > 0.01*math.Abs(was) {
		t.Errorf("the energy was %v and is %v", was, is)
	}
	var change gpu.Vec3f
	for i, b := range moved {
		change = change.Add(b.Velocity.Sub(bodies[i].Velocity).Scale(b.Mass))
	}
	if gpu.Length(change) > 1e-5 {
		t.Errorf("the momentum changed by %v", change)
	}
	if moved[5].Position == bodies[5].Position {
		t.Error("nothing moved")
	}
}

// TestStep compares all devices with plain Go.
func TestStep(t *testing.T) {
	before := disc(Tile + 7)
	after := make([]Body, len(before))
	grid := gpu.D1(2)
	// each acceleration is a sum of 71 terms with an approximate square root, whose products
	// devices may fuse with the sum
	gputest.Compare(t, gputest.ULP(256),
		func() { GoStep(grid, 0.01, before, after) },
		func(ctx context.Context, d *gpu.Device) error { return RunStep(ctx, d, grid, 0.01, before, after) },
		after)
}

// TestOrbit checks that a light body returns to its start after 2π.
func TestOrbit(t *testing.T) {
	const steps = 400
	bodies := []Body{{Mass: 1}, {Position: gpu.V3f(1, 0, 0), Velocity: gpu.V3f(0, 1, 0)}}
	start := bodies[1]
	after := make([]Body, len(bodies))
	device := gputest.Open(t, gpu.Named(gpu.CPU))
	for n := range steps {
		// half of the steps on a device and half as plain Go
		if n%2 == 0 {
			if err := RunStep(context.Background(), device, gpu.D1(1), 2*math.Pi/steps, bodies, after); err != nil {
				t.Fatal(err)
			}
		} else {
			GoStep(gpu.D1(1), 2*math.Pi/steps, bodies, after)
		}
		bodies, after = after, bodies
		if n == steps/4-1 && gpu.Distance(bodies[1].Position, gpu.V3f(0, 1, 0)) > 0.02 {
			t.Errorf("after a quarter it is at %v", bodies[1].Position)
		}
	}
	if gpu.Distance(bodies[1].Position, start.Position) > 0.02 || gpu.Distance(bodies[1].Velocity, start.Velocity) > 0.02 {
		t.Errorf("it began with %v and ends with %v", start, bodies[1])
	}
}

// Nbody simulates bodies that orbit a heavy one on a GPU, or on the processor if there is none:
//
//	go run ./examples/nbody
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"math"
	"math/rand/v2"
	"os"
	"time"

	"github.com/gpuc/gpuc/runtime/gpu"
)

func main() {
	device, err := gpu.Open(gpu.AllowCPU())
	if err != nil {
		log.Fatal(err)
	}
	defer device.Close()
	if _, err := simulate(os.Stdout, device, disc(1000), 20, 0.01); err != nil {
		log.Fatal(err)
	}
}

// disc returns n bodies, of which the first is heavy and the others orbit it.
func disc(n int) []Body {
	r := rand.New(rand.NewPCG(1, 2))
	bodies := make([]Body, n)
	bodies[0].Mass = 1
	for i := 1; i < n; i++ {
		radius, angle := 0.3+r.Float64(), 2*math.Pi*r.Float64()
		sin, cos := math.Sincos(angle)
		speed := 1 / math.Sqrt(radius)
		bodies[i] = Body{
			Position: gpu.V3f(float32(radius*cos), float32(radius*sin), float32(0.02*r.NormFloat64())),
			Velocity: gpu.V3f(float32(-speed*sin), float32(speed*cos), 0),
			Mass:     0.1 / float32(n),
		}
	}
	return bodies
}

// simulate moves bodies by several steps on the device, prints the time and the change of their
// energy, and returns them.
func simulate(w io.Writer, device *gpu.Device, bodies []Body, steps int, step float32) ([]Body, error) {
	ctx := context.Background()
	before, err1 := gpu.Upload(ctx, device, bodies)
	after, err2 := gpu.Alloc[Body](device, len(bodies))
	stream, err3 := device.NewStream()
	if err := errors.Join(err1, err2, err3); err != nil {
		return nil, err // closing the device frees what was allocated
	}
	defer before.Close()
	defer after.Close()
	defer stream.Close()

	// The steps are queued and run one after the other. Each reads what the previous one wrote.
	start := time.Now()
	grid := gpu.D1(uint32((len(bodies) + Tile - 1) / Tile))
	for range steps {
		if err := LaunchStep(stream, grid, step, before, after); err != nil {
			return nil, err
		}
		before, after = after, before
	}
	if err := stream.Wait(ctx); err != nil {
		return nil, err
	}
	took := time.Since(start)
	moved := make([]Body, len(bodies))
	if err := before.Read(ctx, stream, moved); err != nil {
		return nil, err
	}
	info := device.Info()
	fmt.Fprintf(w, "%s (%s) moved %d bodies %d times in %v\ntheir energy was %.4f and is %.4f\n",
		info.Name, info.ID(), len(bodies), steps, took, energy(bodies), energy(moved))
	return moved, nil
}

// energy returns the kinetic and potential energy of the bodies, which steps should preserve.
func energy(bodies []Body) (e float64) {
	for i, b := range bodies {
		e += 0.5 * float64(b.Mass) * float64(b.Velocity.Dot(b.Velocity))
		for _, c := range bodies[:i] {
			apart := b.Position.Sub(c.Position)
			e -= float64(b.Mass) * float64(c.Mass) / math.Sqrt(float64(apart.Dot(apart))+softening)
		}
	}
	return e
}

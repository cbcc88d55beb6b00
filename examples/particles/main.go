// Particles moves particles that push each other apart, on a GPU, or on the processor if there is
// none:
//
//	go run ./examples/particles
//
// Each step sorts them by cells of a grid, with package kernels/seq. Then the neighbours of a
// particle are in three runs of consecutive ones, and not among all. It draws how dense they are at
// the end.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"strings"
	"time"

	"github.com/gpuc/gpuc/kernels/seq"
	"github.com/gpuc/gpuc/runtime/gpu"
)

func main() {
	device, err := gpu.Open(gpu.AllowCPU())
	if err != nil {
		log.Fatal(err)
	}
	defer device.Close()
	start, steps := time.Now(), 200
	particles, err := simulate(context.Background(), device, drops(4000), steps)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(picture(particles))
	fmt.Printf("%d particles, %d steps on %s: %v\n", len(particles), steps, device.Info().Name, time.Since(start).Round(time.Millisecond))
}

// drops returns particles in two dense squares.
func drops(n int) []Particle {
	list := make([]Particle, n)
	for i := range list {
		k := i / 2
		x, y := float32(k%40)/200, float32(k/40)/250
		list[i] = Particle{Position: gpu.V2f(0.2+x, 0.2+y), ID: uint32(i)}
		if i%2 == 1 {
			list[i].Position = gpu.V2f(0.6+y, 0.6+x)
		}
	}
	return list
}

// simulate returns the particles some steps later, in the order of their cells.
func simulate(ctx context.Context, d *gpu.Device, particles []Particle, steps int) ([]Particle, error) {
	n := len(particles)
	s, err := d.NewStream()
	if err != nil {
		return nil, err
	}
	defer s.Close()
	now, err1 := gpu.Upload(ctx, d, particles)
	sorted, err2 := gpu.Alloc[Particle](d, n)
	keys, err3 := gpu.Alloc[uint32](d, n)
	order, err4 := gpu.Alloc[uint32](d, n)
	starts, err5 := gpu.Alloc[uint32](d, Side*Side+1)
	if err := errors.Join(err1, err2, err3, err4, err5); err != nil {
		return nil, err // closing the device frees what was allocated
	}
	items := gpu.Items1(n)
	for range steps { // nothing waits in here
		if err := errors.Join(
			LaunchCells(s, items, now, keys, order),
			seq.SortPairs(s, keys, order),
			LaunchReorder(s, items, now, keys, order, sorted, starts),
			LaunchMove(s, items, sorted, starts, now),
		); err != nil {
			return nil, err
		}
	}
	result := make([]Particle, n)
	return result, now.Read(ctx, s, result)
}

// picture draws how many particles there are: a character for two by one cells.
func picture(particles []Particle) string {
	var counts [Side / 2][Side]int
	for _, p := range particles {
		counts[cellOf(p.Position.Y)/2][cellOf(p.Position.X)]++
	}
	const shades = " .:-=+*#%@"
	var b strings.Builder
	for _, row := range counts {
		for _, count := range row {
			b.WriteByte(shades[min(count, len(shades)-1)])
		}
		b.WriteByte('\n')
	}
	return b.String()
}

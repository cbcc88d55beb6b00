// Life plays Conway's game of life on a GPU, or on the processor if there is none:
//
//	go run ./examples/life
//
// On a terminal it shows all generations as an animation, otherwise it prints the last one.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/gpuc/gpuc/runtime/gpu"
)

func main() {
	device, err := gpu.Open(gpu.AllowCPU())
	if err != nil {
		log.Fatal(err)
	}
	defer device.Close()
	info, err := os.Stdout.Stat()
	if err != nil {
		log.Fatal(err)
	}
	terminal := info.Mode()&os.ModeCharDevice != 0
	// the picture and the line below it fit into a terminal of 80 columns and 24 rows
	if _, err := play(os.Stdout, device, random(72, 42), 72, 100, terminal); err != nil {
		log.Fatal(err)
	}
}

// random returns a field in which a third of the cells is alive.
func random(width, height int) []uint32 {
	r := rand.New(rand.NewPCG(1, 2))
	cells := make([]uint32, width*height)
	for i := range cells {
		if r.IntN(3) == 0 {
			cells[i] = 1
		}
	}
	return cells
}

// play computes generations of cells on the device and as plain Go, prints the times, and returns
// the last generation. It draws that one, or all of them as an animation.
func play(w io.Writer, device *gpu.Device, cells []uint32, width, generations int, animated bool) ([]uint32, error) {
	ctx := context.Background()
	before, err1 := gpu.Upload(ctx, device, cells)
	after, err2 := gpu.Alloc[uint32](device, len(cells))
	stream, err3 := device.NewStream()
	if err := errors.Join(err1, err2, err3); err != nil {
		return nil, err // closing the device frees what was allocated
	}
	defer before.Close()
	defer after.Close()
	defer stream.Close()

	// Enough workgroups of Tile by Tile cells for the field.
	height := len(cells) / width
	grid := gpu.D2(uint32(width+Tile-1)/Tile, uint32(height+Tile-1)/Tile)
	// The first launch also loads the kernel, so it is not measured. The next one writes the same.
	if err := errors.Join(LaunchGeneration(stream, grid, width, before, after), stream.Wait(ctx)); err != nil {
		return nil, err
	}

	// Launches are queued and run one after the other: each reads what the previous one wrote. The
	// generations between two pictures stay on the device.
	pictures, each, home := 1, generations, ""
	if animated {
		// each picture starts in the upper left corner of the terminal and replaces the previous
		// one
		pictures, each, home = generations, 1, "\x1b[H"
		fmt.Fprint(w, "\x1b[2J") // clears the terminal
	}
	var onDevice time.Duration
	last := make([]uint32, len(cells))
	for range pictures {
		start := time.Now()
		for range each {
			if err := LaunchGeneration(stream, grid, width, before, after); err != nil {
				return nil, err
			}
			before, after = after, before
		}
		if err := before.Read(ctx, stream, last); err != nil { // Read waits for the launches
			return nil, err
		}
		onDevice += time.Since(start)
		if _, err := io.WriteString(w, home+picture(last, width)); err != nil {
			return nil, err
		}
		if animated {
			time.Sleep(40 * time.Millisecond)
		}
	}

	// GoGeneration calls Generation for each cell.
	start := time.Now()
	plain, next := slices.Clone(cells), make([]uint32, len(cells))
	for range generations {
		GoGeneration(grid, width, plain, next)
		plain, next = next, plain
	}
	asGo := time.Since(start)
	if !slices.Equal(last, plain) {
		return nil, fmt.Errorf("the device and plain Go disagree")
	}
	info := device.Info()
	fmt.Fprintf(w, "%s (%s) made %d generations of %d by %d cells in %v, plain Go in %v\n",
		info.Name, info.ID(), generations, width, height, onDevice, asGo)
	return last, nil
}

// picture draws two rows of cells in each line, since half a character is about as high as wide.
func picture(cells []uint32, width int) string {
	var text strings.Builder
	for ; len(cells) > 0; cells = cells[min(2*width, len(cells)):] {
		for x := range width {
			upper, lower := cells[x], uint32(0)
			if x+width < len(cells) { // an odd last row has none below it
				lower = cells[x+width]
			}
			text.WriteRune([]rune(" ▀▄█")[upper+2*lower])
		}
		text.WriteByte('\n')
	}
	return text.String()
}

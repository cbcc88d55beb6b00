// Histogram counts how often each brightness occurs on a GPU, or on the processor if there is none:
//
//	go run ./examples/histogram
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
	counts, err := count(os.Stdout, device, bell(1<<21))
	if err != nil {
		log.Fatal(err)
	}
	if err := chart(os.Stdout, counts); err != nil {
		log.Fatal(err)
	}
}

// grid has enough workgroups to occupy a large GPU, independent of the amount of data.
var grid = gpu.D1(128)

// bell returns n brightness values with a bell-shaped distribution: each is the sum of several
// random numbers.
func bell(n int) []uint32 {
	r := rand.New(rand.NewPCG(1, 2))
	brightness := make([]uint32, n)
	for i := range brightness {
		for range 5 {
			brightness[i] += r.Uint32N(52) // five times 51 is white, 255
		}
	}
	return brightness
}

// count counts on the device and as plain Go, prints the times, and returns the counts.
func count(w io.Writer, device *gpu.Device, brightness []uint32) ([]uint32, error) {
	if len(brightness) == 0 {
		return make([]uint32, Levels), nil // a buffer cannot be empty
	}
	ctx := context.Background()
	data, err1 := gpu.Upload(ctx, device, brightness)
	result, err2 := gpu.Alloc[uint32](device, Levels) // zeros, to which the kernel adds
	stream, err3 := device.NewStream()
	if err := errors.Join(err1, err2, err3); err != nil {
		return nil, err // closing the device frees what was allocated
	}
	defer data.Close()
	defer result.Close()
	defer stream.Close()

	// The first launch also loads the kernel, so it is not measured. Its counts are reset to zero.
	counts := make([]uint32, Levels)
	if err := errors.Join(LaunchCount(stream, grid, data, result), result.Write(stream, counts), stream.Wait(ctx)); err != nil {
		return nil, err
	}
	start := time.Now()
	if err := errors.Join(LaunchCount(stream, grid, data, result), stream.Wait(ctx)); err != nil {
		return nil, err
	}
	onDevice := time.Since(start)
	if err := result.Read(ctx, stream, counts); err != nil {
		return nil, err
	}

	// GoCount runs the kernel as plain Go, item by item. The usual way in Go is a single loop.
	plain := make([]uint32, Levels)
	start = time.Now()
	GoCount(grid, brightness, plain)
	asGo := time.Since(start)
	start = time.Now()
	loop := oneLoop(brightness)
	asLoop := time.Since(start)

	if !slices.Equal(counts, plain) || !slices.Equal(counts, loop) {
		return nil, fmt.Errorf("the device and plain Go disagree")
	}
	info := device.Info()
	_, err := fmt.Fprintf(w, "%s (%s) counted %d brightnesses in %v\nthe kernel as plain Go did in %v, one loop in %v\n",
		info.Name, info.ID(), len(brightness), onDevice, asGo, asLoop)
	return counts, err
}

// oneLoop counts without kernels.
func oneLoop(brightness []uint32) []uint32 {
	counts := make([]uint32, Levels)
	for _, b := range brightness {
		counts[min(b, Levels-1)]++
	}
	return counts
}

// chart prints counts as bars. A row is the sum of several brightness values, so that all rows fit
// into a terminal. The longest bar has the full width.
func chart(w io.Writer, counts []uint32) error {
	const rows, width = 32, 50
	const perRow = Levels / rows
	var sums [rows]uint64
	for level, n := range counts {
		sums[level/perRow] += uint64(n)
	}
	longest := max(slices.Max(sums[:]), 1)
	for row, sum := range sums {
		// rounded up, so that no count is invisible
		bar := strings.Repeat("█", int((sum*width+longest-1)/longest))
		if _, err := fmt.Fprintf(w, "%3d to %3d %-*s %d\n", row*perRow, (row+1)*perRow-1, width, bar, sum); err != nil {
			return err
		}
	}
	return nil
}

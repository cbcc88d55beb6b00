// Vectoradd adds two vectors on a GPU, or on the processor if there is none:
//
//	go run ./examples/vectoradd
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"slices"
	"time"

	"github.com/gpuc/gpuc/runtime/gpu"
)

func main() {
	device, err := gpu.Open(gpu.AllowCPU())
	if err != nil {
		log.Fatal(err)
	}
	defer device.Close()
	if err := add(os.Stdout, device, 1<<20); err != nil {
		log.Fatal(err)
	}
}

// add adds vectors of n elements, on the device and as plain Go, and prints the times.
func add(w io.Writer, device *gpu.Device, n int) error {
	a, b := make([]float32, n), make([]float32, n)
	for i := range a {
		a[i], b[i] = float32(i), float32(2*i)
	}
	// The grid is the number of workgroups: enough groups of 256 items for all elements.
	grid := gpu.D1(uint32((n + 255) / 256))

	// RunAdd copies the slices to the device, runs the kernel, waits for it, and copies the results
	// back. Programs that keep data on the device use LaunchAdd, as examples/matmul does. The first
	// run also loads the kernel, so the second one is measured.
	sum := make([]float32, n)
	if err := RunAdd(context.Background(), device, grid, a, b, sum); err != nil {
		return err
	}
	start := time.Now()
	if err := RunAdd(context.Background(), device, grid, a, b, sum); err != nil {
		return err
	}
	onDevice := time.Since(start)

	// GoAdd calls Add for each item.
	plain := make([]float32, n)
	start = time.Now()
	GoAdd(grid, a, b, plain)
	asGo := time.Since(start)

	if !slices.Equal(sum, plain) {
		return fmt.Errorf("the device and plain Go disagree")
	}
	info := device.Info()
	fmt.Fprintf(w, "%s (%s) added %d elements in %v with all copies, plain Go in %v\n", info.Name, info.ID(), n, onDevice, asGo)
	fmt.Fprintf(w, "the last one: %g + %g = %g\n", a[n-1], b[n-1], sum[n-1])
	return nil
}

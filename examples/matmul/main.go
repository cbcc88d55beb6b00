// Matmul multiplies two matrices on a GPU, or on the processor if there is none:
//
//	go run ./examples/matmul         with the variant that -tune has found, or else the default
//	go run ./examples/matmul -tune   measures the variants first, and keeps which is the fastest
//	gpuc tune ./examples/matmul      does so for the package to ship, with the sizes of TestTune
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"slices"
	"time"

	"github.com/gpuc/gpuc/runtime/gpu"
)

func main() {
	tune := flag.Bool("tune", false, "measure the variants of the kernel, and keep which is the fastest")
	flag.Parse()
	device, err := gpu.Open(gpu.AllowCPU())
	if err != nil {
		log.Fatal(err)
	}
	defer device.Close()
	if _, err := multiply(os.Stdout, device, 16*Tile, *tune); err != nil {
		log.Fatal(err)
	}
}

// numbers returns a matrix of n rows of small integers, whose products are exact in float32.
func numbers(n, seed int) []float32 {
	m := make([]float32, n*n)
	for i := range m {
		m[i] = float32((i*seed+i/n)%7 - 3)
	}
	return m
}

// multiply multiplies matrices of n rows on the device and as plain Go, prints the times, and
// returns the product. n is a multiple of all values of Tile.
func multiply(w io.Writer, device *gpu.Device, n int, tune bool) ([]float32, error) {
	ctx := context.Background()
	hostA, hostB := numbers(n, 3), numbers(n, 5)

	// Buffers are memory of the device. They live until they are closed, for any number of
	// launches.
	a, err1 := gpu.Upload(ctx, device, hostA)
	b, err2 := gpu.Upload(ctx, device, hostB)
	c, err3 := gpu.Alloc[float32](device, n*n)
	stream, err4 := device.NewStream()
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		return nil, err // closing the device frees what was allocated
	}
	defer a.Close()
	defer b.Close()
	defer c.Close()
	defer stream.Close()

	// This grid is in items, n by n of them, so it is correct for all sizes of workgroups. Which
	// variant is the fastest depends on the device. Tuning measures it, only on request.
	grid := gpu.Items2(n, n)
	each := func(MatMulVariant) gpu.Grid { return grid }
	variant, why, err := TunedMatMul(stream, each, n, a, b, c)
	if tune && err == nil {
		variant, why, err = TuneMatMul(ctx, stream, each, n, a, b, c)
	}
	if err != nil {
		return nil, err
	}
	fmt.Fprintln(w, why)

	// A stream is a queue: launches return at once and run one after the other, and Wait waits for
	// all of them. The first launch also loads the kernel, so it is not measured.
	if err := errors.Join(LaunchMatMul(stream, grid, n, a, b, c, variant), stream.Wait(ctx)); err != nil {
		return nil, err
	}
	start := time.Now()
	if err := errors.Join(LaunchMatMul(stream, grid, n, a, b, c, variant), stream.Wait(ctx)); err != nil {
		return nil, err
	}
	onDevice := time.Since(start)
	product := make([]float32, n*n)
	if err := c.Read(ctx, stream, product); err != nil {
		return nil, err
	}

	// GoMatMul runs the kernel as plain Go, with the value of Tile in the source. The items of a
	// workgroup run one after another from barrier to barrier. This is for tests and debuggers; the
	// usual way in Go is three loops.
	plain := make([]float32, n*n)
	start = time.Now()
	GoMatMul(grid, n, hostA, hostB, plain)
	asGo := time.Since(start)
	start = time.Now()
	loops := threeLoops(n, hostA, hostB)
	asLoops := time.Since(start)

	if !slices.Equal(product, plain) || !slices.Equal(product, loops) {
		return nil, fmt.Errorf("the device and plain Go disagree")
	}
	info := device.Info()
	fmt.Fprintf(w, "%s (%s) multiplied matrices of %d rows in %v\nthe kernel as plain Go did in %v, three loops in %v\n",
		info.Name, info.ID(), n, onDevice, asGo, asLoops)
	return product, nil
}

// threeLoops is the product without kernels.
func threeLoops(n int, a, b []float32) []float32 {
	c := make([]float32, n*n)
	for i := range n {
		for k := range n {
			for j := range n {
				c[i*n+j] += a[i*n+k] * b[k*n+j]
			}
		}
	}
	return c
}

// Matmul multiplies two matrices on a GPU, or on the processor if there is none:
//
//	go run ./examples/matmul
package main

import (
	"context"
	"errors"
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
	if _, err := multiply(os.Stdout, device, 16*Tile); err != nil {
		log.Fatal(err)
	}
}

// numbers returns a matrix of n rows of small whole numbers, whose products float32 has exactly.
func numbers(n, seed int) []float32 {
	m := make([]float32, n*n)
	for i := range m {
		m[i] = float32((i*seed+i/n)%7 - 3)
	}
	return m
}

// multiply multiplies matrices of n rows on the device and as plain Go, prints how long that took, and
// returns the product.
func multiply(w io.Writer, device *gpu.Device, n int) ([]float32, error) {
	ctx := context.Background()
	hostA, hostB := numbers(n, 3), numbers(n, 5)

	// Buffers are memory of the device. They stay there until they are closed, for as many launches
	// as there are.
	a, err1 := gpu.Upload(ctx, device, hostA)
	b, err2 := gpu.Upload(ctx, device, hostB)
	c, err3 := gpu.Alloc[float32](device, n*n)
	stream, err4 := device.NewStream()
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		return nil, err // what there is ends with the device
	}
	defer a.Close()
	defer b.Close()
	defer c.Close()
	defer stream.Close()

	// A stream is a queue: launches return at once, run one after the other, and Wait waits
	// for all. The first launch loads the kernel, so it is not measured.
	grid := gpu.D2(uint32(n/Tile), uint32(n/Tile))
	if err := errors.Join(LaunchMatMul(stream, grid, n, a, b, c), stream.Wait(ctx)); err != nil {
		return nil, err
	}
	start := time.Now()
	if err := errors.Join(LaunchMatMul(stream, grid, n, a, b, c), stream.Wait(ctx)); err != nil {
		return nil, err
	}
	onDevice := time.Since(start)
	product := make([]float32, n*n)
	if err := c.Read(ctx, stream, product); err != nil {
		return nil, err
	}

	// GoMatMul runs the same function as plain Go: workgroup by workgroup, whose items take turns
	// from barrier to barrier. That is for tests and debuggers; Go's own way is three loops.
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

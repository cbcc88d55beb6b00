// Driver shows a driver that is not part of gpuc. Its device executes Go functions:
//
//	go run ./examples/driver
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/gpuc/gpuc/runtime/gpu"
)

func main() {
	if err := run(os.Stdout); err != nil {
		log.Fatal(err)
	}
}

// run opens a device of the driver and has it compute.
func run(w io.Writer) error {
	device, err := gpu.Open(gpu.Driver(&toyDriver{kernels: kernels}))
	if err != nil {
		return err
	}
	defer device.Close()
	x, y := []float32{1, 2, 3, 4}, []float32{10, 20, 30, 40}
	if err := RunSaxpy(context.Background(), device, gpu.D1(1), 2, x, y); err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s (%s): %v\n", device.Info().Name, device.Info().ID(), y)
	return err
}

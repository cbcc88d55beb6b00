package gpu_test

import (
	"context"
	"fmt"
	"log"

	"github.com/gpuc/gpuc/runtime/gpu"
)

// An arena has the buffers of a request. Reset ends them all; the next request gets their memory
// without asking the device.
func ExampleArena() {
	ctx := context.Background()
	device, err := gpu.Open(gpu.Named(gpu.CPU))
	if err != nil {
		log.Fatal(err)
	}
	defer device.Close()
	stream, err := device.NewStream()
	if err != nil {
		log.Fatal(err)
	}
	arena, err := stream.NewArena(64 << 10)
	if err != nil {
		log.Fatal(err)
	}
	for request := range 3 {
		input, err := gpu.Alloc[float32](arena, 100)
		if err != nil {
			log.Fatal(err)
		}
		output, err := gpu.Alloc[float32](arena, 100)
		if err != nil {
			log.Fatal(err)
		}
		data := make([]float32, 100)
		data[99] = float32(request)
		if err := input.Write(stream, data); err != nil {
			log.Fatal(err)
		}
		if err := gpu.Copy(stream, output, input); err != nil { // or launches
			log.Fatal(err)
		}
		if err := output.Read(ctx, stream, data); err != nil {
			log.Fatal(err)
		}
		if err := arena.Reset(); err != nil {
			log.Fatal(err)
		}
		fmt.Println(data[99], device.Memory().InUse)
	}
	// Output:
	// 0 65536
	// 1 65536
	// 2 65536
}

package gpu_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// Example runs a kernel that `gpuc build -target spirv -o scale.spv` wrote with
// its description beside it.
func Example() {
	ctx := context.Background()
	device, err := gpu.Open(gpu.Prefer(gpu.Vulkan))
	if err != nil {
		log.Fatal(err) // no GPU; gpu.AllowCPU would take the processor then
	}
	defer device.Close()

	code, err := os.ReadFile("scale.spv")
	if err != nil {
		log.Fatal(err)
	}
	text, err := os.ReadFile("scale.json")
	if err != nil {
		log.Fatal(err)
	}
	description, err := abi.Unmarshal(text)
	if err != nil {
		log.Fatal(err)
	}
	kernel, err := device.Load(&abi.Artefact{Target: abi.SPIRV, Code: code, Kernel: *description})
	if err != nil {
		log.Fatal(err)
	}
	defer kernel.Close()

	values := []float32{1, 2, 3, 4}
	x, err := gpu.Upload(ctx, device, values)
	if err != nil {
		log.Fatal(err)
	}
	defer x.Close()
	stream, err := device.NewStream()
	if err != nil {
		log.Fatal(err)
	}
	defer stream.Close()

	args := kernel.Args()
	if err := args.Set(kernel.Index("x"), x); err != nil {
		log.Fatal(err)
	}
	for range 3 {
		if err := stream.Launch(args, kernel.Cover(uint32(x.Len()), 1, 1)); err != nil {
			log.Fatal(err)
		}
	}
	if err := x.Read(ctx, stream, values); err != nil {
		log.Fatal(err)
	}
	fmt.Println(values)
}

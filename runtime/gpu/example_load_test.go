package gpu_test

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"log"
	"strings"
	"sync"

	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// What `gpuc build -target cpu,spirv,ptx -strip scale.wgsl` wrote, as a program embeds it.
//
//go:embed testdata/scale
var files embed.FS

// scaleNames are the kernel's, by what a device takes.
var scaleNames = map[abi.Target]string{
	abi.CPU:   "testdata/scale/scale",
	abi.SPIRV: "testdata/scale/scale.spv",
	abi.PTX:   "testdata/scale/scale.ptx",
}

// loadScale loads the kernel on a device.
func loadScale(device *gpu.Device) (*gpu.Kernel, error) {
	artefact, err := abi.Load(files, scaleNames[device.Info().Target])
	if err != nil {
		return nil, err
	}
	return device.Load(artefact)
}

// Example_embedding runs a kernel that the program brings along, on the device that there is. The
// program links no compiler.
func Example_embedding() {
	ctx := context.Background()
	device, err := gpu.Open(gpu.AllowCPU())
	if err != nil {
		log.Fatal(err)
	}
	defer device.Close()
	kernel, err := loadScale(device)
	if err != nil {
		log.Fatal(err)
	}
	x, err := gpu.Upload(ctx, device, []float32{1, 2, 3})
	if err != nil {
		log.Fatal(err)
	}
	args := kernel.Args()
	if err := args.Bind("x", x); err != nil { // the name that the source has
		log.Fatal(err)
	}
	stream, err := device.NewStream()
	if err != nil {
		log.Fatal(err)
	}
	if err := stream.Launch(args, kernel.Cover(3, 1, 1)); err != nil {
		log.Fatal(err)
	}
	values := make([]float32, 3)
	if err := x.Read(ctx, stream, values); err != nil {
		log.Fatal(err)
	}
	fmt.Println(values)
	// Output: [2 4 6]
}

// Example_timing measures on the device how long launches take: events are moments in the work of a
// stream.
func Example_timing() {
	ctx := context.Background()
	device, err := gpu.Open(gpu.Named(gpu.CPU))
	if err != nil {
		log.Fatal(err)
	}
	defer device.Close()
	kernel, err := loadScale(device)
	if err != nil {
		log.Fatal(err)
	}
	x, err := gpu.Alloc[float32](device, 1<<16)
	if err != nil {
		log.Fatal(err)
	}
	stream, err := device.NewStream()
	if err != nil {
		log.Fatal(err)
	}
	args := kernel.Args()
	if err := args.Bind("x", x); err != nil {
		log.Fatal(err)
	}
	grid := kernel.Cover(uint32(x.Len()), 1, 1)
	if err := stream.Launch(args, grid); err != nil { // the first one may take longer
		log.Fatal(err)
	}
	start, err := stream.Record()
	if err != nil {
		log.Fatal(err)
	}
	const launches = 10
	for range launches {
		if err := stream.Launch(args, grid); err != nil {
			log.Fatal(err)
		}
	}
	end, err := stream.Record()
	if err != nil {
		log.Fatal(err)
	}
	if err := end.Wait(ctx); err != nil {
		log.Fatal(err)
	}
	elapsed, err := end.Since(start)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("each launch took some time:", elapsed/launches > 0)
	// Output: each launch took some time: true
}

// Example_concurrency lets goroutines use one device and one kernel at once, each with a stream and
// buffers of its own.
func Example_concurrency() {
	ctx := context.Background()
	device, err := gpu.Open(gpu.Named(gpu.CPU))
	if err != nil {
		log.Fatal(err)
	}
	defer device.Close()
	kernel, err := loadScale(device)
	if err != nil {
		log.Fatal(err)
	}
	results := make([][]float32, 4)
	var group sync.WaitGroup
	for n := range results {
		group.Go(func() {
			values := []float32{float32(n), 10}
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
			if err := stream.Run(kernel, kernel.Cover(2, 1, 1), x); err != nil {
				log.Fatal(err)
			}
			if err := x.Read(ctx, stream, values); err != nil {
				log.Fatal(err)
			}
			results[n] = values
		})
	}
	group.Wait()
	fmt.Println(results)
	// Output: [[0 20] [2 20] [4 20] [6 20]]
}

// ExampleArgs_Bind shows what a wrong name and a wrong buffer look like.
func ExampleArgs_Bind() {
	device, err := gpu.Open(gpu.Named(gpu.CPU))
	if err != nil {
		log.Fatal(err)
	}
	defer device.Close()
	kernel, err := loadScale(device)
	if err != nil {
		log.Fatal(err)
	}
	integers, err := gpu.Alloc[int32](device, 3)
	if err != nil {
		log.Fatal(err)
	}
	args := kernel.Args()
	fmt.Println(errors.Is(args.Bind("y", integers), gpu.ErrShape))
	fmt.Println(strings.ReplaceAll(args.Bind("x", integers).Error(), ": ", ":\n"))
	// Output:
	// true
	// kernel main:
	// binding 0 (x):
	// wrong shape:
	// x[0] is f32 at offset 0, where the buffer of int32 has element 0; Buffer.Raw binds any bytes
}

//go:build ignore

// Command main runs saxpy with runtime/gpu alone: no compiler, cgo or SDK is linked.
//
//	$ go run main.go
package main

import (
	"context"
	"embed"
	"fmt"
	"log"

	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/gpu"
)

//go:embed saxpy.spv saxpy.json saxpy.ptx saxpy.ptx.json saxpy.ir saxpy.ir.json
var files embed.FS

// names are the files of the kernel, by the format that a device needs.
var names = map[abi.Target]string{abi.SPIRV: "saxpy", abi.PTX: "saxpy.ptx", abi.CPU: "saxpy.ir"}

type parameters struct {
	A     float32
	Count uint32
}

func main() {
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) error {
	device, err := gpu.Open(gpu.AllowCPU())
	if err != nil {
		return err
	}
	defer device.Close()
	artefact, err := abi.Load(files, names[device.Info().Target])
	if err != nil {
		return err
	}
	kernel, err := device.Load(artefact)
	if err != nil {
		return err
	}
	const count = 1000
	numbers, ones := make([]float32, count), make([]float32, count)
	for i := range numbers {
		numbers[i], ones[i] = float32(i), 1
	}
	p, err := gpu.Upload(ctx, device, []parameters{{A: 2, Count: count}})
	if err != nil {
		return err
	}
	x, err := gpu.Upload(ctx, device, numbers)
	if err != nil {
		return err
	}
	y, err := gpu.Upload(ctx, device, ones)
	if err != nil {
		return err
	}
	args := kernel.Args()
	for name, buffer := range map[string]gpu.Resource{"parameters": p, "x": x, "y": y} {
		if err := args.Bind(name, buffer); err != nil {
			return err
		}
	}
	stream, err := device.NewStream()
	if err != nil {
		return err
	}
	if err := stream.Launch(args, kernel.Cover(count, 1, 1)); err != nil {
		return err
	}
	result := make([]float32, count)
	if err := y.Read(ctx, stream, result); err != nil {
		return err
	}
	for i, v := range result {
		if v != float32(2*i+1) {
			return fmt.Errorf("y[%d] is %g", i, v)
		}
	}
	fmt.Printf("y[%d] = %g\n", count-1, result[count-1])
	return nil
}

// Container is what TestContainer runs where there is nothing but this program: it runs a kernel on
// the processor, and says why there is no other device.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/gpu"
)

const code = `
var @x : ptr<storage, array<f32>, read_write> [group 0, binding 0]

kernel @double(%id: vec3<u32> [global_invocation_id]) [workgroup 4u, 1u, 1u] {
  %i = extract %id, 0u : u32
  %place = access @x, %i : ptr<storage, f32, read_write>
  %old = load %place : f32
  %new = mul %old, 2f : f32
  store %place, %new
  return
}
`

func main() {
	if err := double(); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	for _, option := range [][]gpu.Option{{gpu.Named(gpu.Vulkan)}, {gpu.Named(gpu.CUDA)}, {}} {
		if device, err := gpu.Open(option...); err == nil {
			fmt.Println("opened", device.Info().Name)
		} else {
			fmt.Println(err)
		}
	}
}

// double runs the kernel.
func double() error {
	device, err := gpu.Open(gpu.Prefer(), gpu.AllowCPU())
	if err != nil {
		return err
	}
	defer device.Close()
	kernel, err := device.Load(&abi.Artefact{Target: abi.CPU, Code: []byte(code), Kernel: abi.Kernel{Name: "double", Workgroup: [3]uint32{4, 1, 1},
		Bindings: []abi.Binding{{Name: "x", Access: abi.ReadWrite, Stride: 4, Element: "f32"}}}})
	if err != nil {
		return err
	}
	ctx, values := context.Background(), []float32{1, 2, 3, 4}
	x, err := gpu.Upload(ctx, device, values)
	if err != nil {
		return err
	}
	stream, err := device.NewStream()
	if err != nil {
		return err
	}
	if err := stream.Run(kernel, kernel.Cover(4, 1, 1), x); err != nil {
		return err
	}
	if err := x.Read(ctx, stream, values); err != nil {
		return err
	}
	fmt.Println(device.Info().ID(), values)
	return nil
}

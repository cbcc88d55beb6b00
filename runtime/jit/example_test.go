package jit_test

import (
	"context"
	"fmt"
	"log"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/runtime/gpu"
	"github.com/gpuc/gpuc/runtime/jit"
)

const source = `
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if id.x < arrayLength(&y) {
    y[id.x] = 2 * x[id.x] + 1;
  }
}
`

// double computes 2x + 1 on a GPU, or on the processor if there is none.
func double(ctx context.Context, numbers []float32) ([]float32, error) {
	program, err := jit.Parse("double.wgsl", source, codegen.Options{})
	if err != nil {
		return nil, err // with the lines at fault
	}
	device, err := gpu.Open(gpu.AllowCPU())
	if err != nil {
		return nil, err
	}
	defer device.Close() // and with it all that it made
	kernel, err := program.Load(device, "main")
	if err != nil {
		return nil, err
	}
	x, err := gpu.Upload(ctx, device, numbers)
	if err != nil {
		return nil, err
	}
	y, err := gpu.Alloc[float32](device, len(numbers))
	if err != nil {
		return nil, err
	}
	stream, err := device.NewStream()
	if err != nil {
		return nil, err
	}
	if err := stream.Run(kernel, kernel.Cover(uint32(len(numbers)), 1, 1), x, y); err != nil {
		return nil, err
	}
	result := make([]float32, len(numbers))
	return result, y.Read(ctx, stream, result)
}

// Example compiles WGSL for the device that there is, and runs it there. It is what the README
// shows.
func Example() {
	result, err := double(context.Background(), []float32{1, 2, 3})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result)
	// Output: [3 5 7]
}

// Example_overrides compiles a kernel twice, with other values of an override, which becomes a
// constant in the code.
func Example_overrides() {
	program, err := jit.Parse("power.wgsl", `
override exponent: u32 = 2;
@group(0) @binding(0) var<storage, read_write> x: array<f32>;
@compute @workgroup_size(1)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let base = x[id.x];
  for (var n = 1u; n < exponent; n++) {
    x[id.x] *= base;
  }
}
`, codegen.Options{})
	if err != nil {
		log.Fatal(err)
	}
	device, err := gpu.Open(gpu.Named(gpu.CPU))
	if err != nil {
		log.Fatal(err)
	}
	defer device.Close()
	stream, err := device.NewStream()
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	for _, settings := range [][]codegen.Setting{nil, {{Key: "exponent", Value: 5}}} {
		kernel, err := program.Load(device, "main", settings...)
		if err != nil {
			log.Fatal(err)
		}
		x, err := gpu.Upload(ctx, device, []float32{1, 2, 3})
		if err != nil {
			log.Fatal(err)
		}
		if err := stream.Run(kernel, kernel.Cover(3, 1, 1), x); err != nil {
			log.Fatal(err)
		}
		powers := make([]float32, 3)
		if err := x.Read(ctx, stream, powers); err != nil {
			log.Fatal(err)
		}
		fmt.Println(powers)
	}
	// Output:
	// [1 4 9]
	// [1 32 243]
}

// Example_errors shows what a mistake in a source and one at run time look like: an access outside
// of an array, which -bounds=trap finds on every device.
func Example_errors() {
	_, err := jit.Parse("wrong.wgsl", "@compute @workgroup_size(1) fn main() { lett a = 1; }\n", codegen.Options{})
	fmt.Println(err)

	program, err := jit.Parse("outside.wgsl", `
@group(0) @binding(0) var<storage, read_write> x: array<u32>;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {
  x[i + 1] = i;
}
`, codegen.Options{Bounds: codegen.BoundsTrap})
	if err != nil {
		log.Fatal(err)
	}
	device, err := gpu.Open(gpu.Named(gpu.CPU))
	if err != nil {
		log.Fatal(err)
	}
	defer device.Close()
	kernel, err := program.Load(device, "main")
	if err != nil {
		log.Fatal(err)
	}
	x, err := gpu.Alloc[uint32](device, 4)
	if err != nil {
		log.Fatal(err)
	}
	stream, err := device.NewStream()
	if err != nil {
		log.Fatal(err)
	}
	if err := stream.Run(kernel, kernel.Cover(4, 1, 1), x); err != nil {
		log.Fatal(err) // the launch itself is right
	}
	for fault := range gpu.KernelErrors(stream.Wait(context.Background())) {
		fmt.Printf("line %d: index %d of %d in %s\n", fault.Line, fault.Index, fault.Elements, fault.Name)
	}
	// Output:
	// wrong.wgsl:1:46: error: expected an assignment, `++`, `--` or a call, found `a` [syntax]
	//     1 | @compute @workgroup_size(1) fn main() { lett a = 1; }
	//       |                                              ^
	//       = did you mean `let`?
	//       = fix: replace `lett` by `let`
	// line 4: index 4 of 4 in x
}

// ExampleProgram_Entries lists the kernels of a program.
func ExampleProgram_Entries() {
	program, err := jit.Parse("two.wgsl", "@compute @workgroup_size(1) fn clear() {}\n@compute @workgroup_size(1) fn draw() {}\n", codegen.Options{})
	if err != nil {
		log.Fatal(err)
	}
	for name := range program.Entries() {
		fmt.Println(name)
	}
	// Output:
	// clear
	// draw
}

package gpu_test

import (
	"context"
	"fmt"
	"log"

	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// What `gpuc build -target cpu scale.wgsl` writes, and its description; a program
// reads them from files or embeds them.
const (
	scaleCode = `
var @x : ptr<storage, array<f32>, read_write> [group 0, binding 0]

kernel @main(%id: vec3<u32> [global_invocation_id]) [workgroup 64u, 1u, 1u] {
  %i = extract %id, 0u : u32
  %length = array_length @x : u32
  %inside = lt %i, %length : bool
  if ^done %inside {
    %element = access @x, %i : ptr<storage, f32, read_write>
    %old = load %element : f32
    %new = mul %old, 2f : f32
    store %element, %new
    exit ^done()
  } else {
    exit ^done()
  }
  return
}
`
	scaleDescription = `{
  "name": "main",
  "workgroup": [64, 1, 1],
  "bindings": [{"name": "x", "group": 0, "binding": 0, "access": "read_write", "size": 0, "stride": 4, "element": "f32"}],
  "workgroupBytes": 0
}`
)

// Example runs a prebuilt kernel three times on one buffer. It names the CPU, so
// that it runs everywhere; gpu.Open() takes a GPU, and the artefact is then one
// for the target that the device's Info names.
func Example() {
	ctx := context.Background()
	device, err := gpu.Open(gpu.Named(gpu.CPU))
	if err != nil {
		log.Fatal(err)
	}
	defer device.Close()

	description, err := abi.Unmarshal([]byte(scaleDescription))
	if err != nil {
		log.Fatal(err)
	}
	kernel, err := device.Load(&abi.Artefact{Target: abi.CPU, Code: []byte(scaleCode), Kernel: *description})
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

	args := kernel.Args() // laid out once, used often
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
	// Output: [8 16 24 32]
}

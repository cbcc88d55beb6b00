package gpu_test

import (
	"fmt"
	"log"

	"github.com/gpuc/gpuc/ir/texture"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// What `gpuc build -target cpu invert.wgsl` writes for a kernel that stores one
// less each colour, and its description.
const (
	invertCode = `
var @source : ptr<handle, texture_2d<f32>> [group 0, binding 0]
var @result : ptr<handle, texture_storage_2d<rgba8unorm, write>> [group 0, binding 1]

kernel @invert(%id: vec3<u32> [global_invocation_id]) [workgroup 8u, 8u, 1u] {
  %source = load @source : texture_2d<f32>
  %result = load @result : texture_storage_2d<rgba8unorm, write>
  %at = shuffle %id [xy] : vec2<u32>
  %colour = texture_load %source, %at, 0i : vec4<f32>
  %rgb = shuffle %colour [xyz] : vec3<f32>
  %inverse = sub vec3<f32>(1f, 1f, 1f), %rgb : vec3<f32>
  %r = extract %inverse, 0u : f32
  %g = extract %inverse, 1u : f32
  %b = extract %inverse, 2u : f32
  %a = extract %colour, 3u : f32
  %texel = construct %r, %g, %b, %a : vec4<f32>
  texture_store %result, %at, %texel
  return
}
`
	invertDescription = `{
  "name": "invert",
  "workgroup": [8, 8, 1],
  "bindings": [],
  "handles": [
    {"name": "source", "group": 0, "binding": 0, "type": "texture_2d<f32>",
      "texture": {"shape": "texture_2d", "channel": "f32", "access": "read"}},
    {"name": "result", "group": 0, "binding": 1, "type": "texture_storage_2d<rgba8unorm, write>",
      "texture": {"shape": "texture_storage_2d", "channel": "f32", "format": "rgba8unorm", "access": "write"}}
  ],
  "workgroupBytes": 0
}`
)

// Example_texture inverts the colours of an image of two texels. Stores outside of
// a texture are dropped, so a grid may be larger than it.
func Example_texture() {
	device, err := gpu.Open(gpu.Named(gpu.CPU))
	if err != nil {
		log.Fatal(err)
	}
	defer device.Close()
	description, err := abi.Unmarshal([]byte(invertDescription))
	if err != nil {
		log.Fatal(err)
	}
	kernel, err := device.Load(&abi.Artefact{Target: abi.CPU, Code: []byte(invertCode), Kernel: *description})
	if err != nil {
		log.Fatal(err)
	}
	defer kernel.Close()

	size := gpu.TextureDescription{
		Dimension: texture.D2, Format: texture.RGBA8Unorm, Width: 2, Height: 1, Depth: 1, Layers: 1, Levels: 1, Samples: 1,
	}
	args := kernel.Args()
	var images []*gpu.Texture
	for _, name := range []string{"source", "result"} {
		image, err := device.NewTexture(size)
		if err != nil {
			log.Fatal(err)
		}
		defer image.Close()
		if err := args.SetTexture(kernel.HandleIndex(name), image, 0); err != nil {
			log.Fatal(err)
		}
		images = append(images, image)
	}
	stream, err := device.NewStream()
	if err != nil {
		log.Fatal(err)
	}
	defer stream.Close()

	texels := []byte{255, 128, 0, 255, 10, 20, 30, 40}
	if err := stream.WriteTexture(images[0], 0, texels); err != nil {
		log.Fatal(err)
	}
	if err := stream.Launch(args, kernel.Cover(size.Width, size.Height, 1)); err != nil {
		log.Fatal(err)
	}
	if err := stream.ReadTexture(texels, images[1], 0); err != nil {
		log.Fatal(err)
	}
	fmt.Println(texels)
	// Output: [0 127 255 255 245 235 225 40]
}

package gpu

import (
	"errors"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/ir/texture"
	"github.com/gpuc/gpuc/runtime/abi"
)

// TestBind gives a kernel its arguments by name, and refuses what does not fit one.
func TestBind(t *testing.T) {
	device, err := Open(Named(CPU))
	if err != nil {
		t.Fatal(err)
	}
	defer device.Close()
	kernel, err := device.Load(&abi.Artefact{Target: abi.CPU, Code: []byte(`
var @x : ptr<storage, array<f32>, read_write> [group 0, binding 0]
var @image : ptr<handle, texture_2d<f32>> [group 0, binding 1]
var @by : ptr<handle, sampler> [group 0, binding 2]

kernel @main() [workgroup 1u, 1u, 1u] {
  %image = load @image : texture_2d<f32>
  %colour = texture_load %image, vec2<u32>(0u, 0u), 0i : vec4<f32>
  %red = extract %colour, 0u : f32
  %element = access @x, 1u : ptr<storage, f32, read_write>
  store %element, %red
  return
}
`), Kernel: abi.Kernel{Name: "main", Workgroup: [3]uint32{1, 1, 1},
		Bindings: []abi.Binding{{Name: "x", Access: abi.ReadWrite, Stride: 4, Element: "f32"}},
		Handles: []abi.Handle{{Name: "image", Binding: 1, Type: "texture_2d<f32>", Texture: &abi.Texture{Shape: texture.Sampled2D, Channel: "f32", Access: abi.Read}},
			{Name: "by", Binding: 2, Type: "sampler"}}}})
	if err != nil {
		t.Fatal(err)
	}
	x, err := Alloc[float32](device, 2)
	if err != nil {
		t.Fatal(err)
	}
	image, err := device.NewTexture(TextureDescription{Dimension: texture.D2, Format: texture.R32Float, Width: 1, Height: 1, Depth: 1, Layers: 1, Levels: 1, Samples: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := image.Write(0, []byte{0, 0, 0x40, 0x40}); err != nil { // 3.0
		t.Fatal(err)
	}
	sampler, err := device.NewSampler(SamplerDescription{})
	if err != nil {
		t.Fatal(err)
	}
	args := kernel.Args()
	for _, test := range []struct {
		name     string
		resource Resource
		want     string
	}{
		{"y", x, `kernel main: wrong shape: it uses no variable "y"; it uses x, image and by`},
		{"x", image, "kernel main: x: wrong shape: it is a buffer, and is given a texture"},
		{"image", x, "kernel main: image: wrong shape: it is a texture_2d<f32>, and is given a buffer"},
		{"image", sampler, "a sampler for a texture_2d<f32>"},
		{"by", image, "a texture for a sampler"},
		{"x", nil, "kernel main: x: wrong shape: it is given nil; pass a buffer, a texture or a sampler"},
		{"x", (*Buffer[float32])(nil), "it is nil or none that Alloc made"},
	} {
		if err := args.Bind(test.name, test.resource); !errors.Is(err, ErrShape) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s is given %T: got %v, want %s", test.name, test.resource, err, test.want)
		}
	}
	for name, resource := range map[string]Resource{"x": x, "image": image, "by": sampler} {
		if err := args.Bind(name, resource); err != nil {
			t.Fatal(err)
		}
	}
	stream, err := device.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	if err := stream.Launch(args, Grid{X: 1, Y: 1, Z: 1}); err != nil {
		t.Fatal(err)
	}
	result := make([]float32, 2)
	if err := x.Read(t.Context(), stream, result); err != nil || result[1] != 3 {
		t.Errorf("got %v, %v", result, err)
	}
}

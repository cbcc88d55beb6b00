package jit_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/runtime/gpu"
	"github.com/gpuc/gpuc/runtime/jit"
)

type rightParams struct {
	N     uint32
	Scale float32
	_     [2]uint32
	Dir   [3]float32
	_     uint32
}

type swappedParams struct {
	Scale float32
	N     uint32
	_     [2]uint32
	Dir   [3]float32
	_     uint32
}

type unpaddedParams struct {
	N     uint32
	Scale float32
	Dir   [3]float32
	_     [3]uint32
}

// TestStructuresOfTheHost: what a program binds for a structure of WGSL is compared with it, as
// uniform, as storage and as immediates.
func TestStructuresOfTheHost(t *testing.T) {
	const types = "struct Params { n: u32, scale: f32, dir: vec3f }\n" +
		"@group(0) @binding(0) var<storage, read_write> out: array<f32>;\n"
	const kernel = "@compute @workgroup_size(1) fn main() { out[0] = f32(p.n) * p.scale + p.dir.x + p.dir.z; }"
	device, err := gpu.Open(gpu.Named("cpu"))
	if err != nil {
		t.Fatal(err)
	}
	defer device.Close()
	load := func(variable string) *gpu.Args {
		program, err := jit.Parse("params.wgsl", types+variable+kernel, codegen.Options{})
		if err != nil {
			t.Fatal(err)
		}
		k, err := program.Load(device, "main")
		if err != nil {
			t.Fatal(err)
		}
		args := k.Args()
		if err := args.Bind("out", uploaded(t, device, float32(0))); err != nil {
			t.Fatal(err)
		}
		return args
	}
	right := rightParams{N: 3, Scale: 2, Dir: [3]float32{10, 20, 30}}
	for name, variable := range map[string]string{
		"uniform":   "@group(0) @binding(1) var<uniform> p: Params;\n",
		"storage":   "@group(0) @binding(1) var<storage, read> p: Params;\n",
		"immediate": "var<immediate> p: Params;\n",
	} {
		args := load(variable)
		set := func(bound gpu.Bound, immediate func() error) error {
			if name == "immediate" {
				return immediate()
			}
			return args.Bind("p", bound.(gpu.Resource))
		}
		for _, c := range []struct {
			bound gpu.Bound
			value func() error
			want  string
		}{
			{uploaded(t, device, swappedParams{}), func() error { return gpu.SetImmediates(args, swappedParams{}) },
				"p.n is u32 at offset 0, where Go's jit_test.swappedParams has Scale, and N at 4"},
			{uploaded(t, device, unpaddedParams{}), func() error { return gpu.SetImmediates(args, unpaddedParams{}) },
				"p.dir is vec3<f32> at offset 16, where Go's jit_test.unpaddedParams has Dir at 8"},
			{uploaded(t, device, 1, 2, 3, 4, 5, 6, 7, float32(8)), func() error { return gpu.SetImmediates(args, [8]float32{}) }, "p.n is u32 at offset 0, where "},
			{uploaded(t, device, right), func() error { return gpu.SetImmediates(args, right) }, ""},
		} {
			err := set(c.bound, c.value)
			if c.want == "" && err != nil || c.want != "" && (!errors.Is(err, gpu.ErrShape) || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("%s: got %v, want %q", name, err, c.want)
			}
		}
		stream, err := device.NewStream()
		if err != nil {
			t.Fatal(err)
		}
		defer stream.Close()
		out := uploaded(t, device, float32(0))
		if err := errors.Join(args.Bind("out", out), stream.Launch(args, gpu.D1(1))); err != nil {
			t.Fatal(err)
		}
		var got [1]float32
		if err := out.Read(t.Context(), stream, got[:]); err != nil || got[0] != 46 {
			t.Errorf("%s: got %v, %v", name, got, err)
		}
	}
}

func uploaded[T any](t *testing.T, d *gpu.Device, values ...T) *gpu.Buffer[T] {
	b, err := gpu.Upload(t.Context(), d, values)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

package cpu

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/internal/drivertest"
	"github.com/gpuc/gpuc/ir/texture"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/driver"
)

const blurText = `
var @to : ptr<handle, texture_storage_2d<r32float, write>> [group 0, binding 0]
var @from : ptr<handle, texture_2d<f32>> [group 0, binding 1]
var @smooth : ptr<handle, sampler> [group 1, binding 0]
kernel @blur(%id: vec3<u32> [global_invocation_id]) [workgroup 1u, 1u, 1u] {
  %xy = shuffle %id [xy] : vec2<u32>
  %to = load @to : texture_storage_2d<r32float, write>
  %from = load @from : texture_2d<f32>
  %smooth = load @smooth : sampler
  %size = texture_size %to : vec2<u32>
  %f = convert %xy : vec2<f32>
  %n = convert %size : vec2<f32>
  %h = add %f, vec2<f32>(0.5f, 0.5f) : vec2<f32>
  %uv = div %h, %n : vec2<f32>
  %v = texture_sample %from, %smooth, %uv, 0f : vec4<f32>
  texture_store %to, %xy, %v
  return
}
`

func blur() *abi.Artefact {
	return &abi.Artefact{Target: abi.CPU, Code: []byte(blurText), Kernel: abi.Kernel{
		Name: "blur", Workgroup: [3]uint32{1, 1, 1},
		Handles: []abi.Handle{
			{Name: "to", Binding: 0, Texture: &abi.Texture{Shape: texture.Storage2D, Channel: "f32", Format: texture.R32Float, Access: abi.Write}},
			{Name: "from", Binding: 1, Texture: &abi.Texture{Shape: texture.Sampled2D, Channel: "f32", Access: abi.Read}},
			{Name: "smooth", Group: 1},
		},
	}}
}

// textures is what the tests launch: a kernel that halves an image's size.
type textures struct {
	t        *testing.T
	device   driver.Device
	kernel   driver.Kernel
	stream   driver.Stream
	to, from driver.Texture
	smooth   driver.Sampler
}

func newTextures(t *testing.T, index int) *textures {
	f := &textures{t: t}
	var err error
	f.device, err = new(Driver).Open(index)
	f.check(err)
	t.Cleanup(func() { f.device.Close() })
	a := blur()
	a.Target = f.device.Info().Target
	f.kernel, err = f.device.Load(a)
	f.check(err)
	f.stream, err = f.device.NewStream()
	f.check(err)
	d := texture.Description{Dimension: texture.D2, Format: texture.R32Float, Width: 4, Height: 2, Depth: 1, Layers: 1, Levels: 3, Samples: 1}
	f.from, err = f.device.NewTexture(&d)
	f.check(err)
	f.to, err = f.device.NewTexture(&d)
	f.check(err)
	f.smooth, err = f.device.NewSampler(&texture.Smooth)
	f.check(err)
	return f
}

func (f *textures) check(err error) {
	f.t.Helper()
	if err != nil {
		f.t.Fatal(err)
	}
}

// launch reads a level of a texture and writes the next one of another.
func (f *textures) launch(to, from driver.Texture, level uint32) error {
	return f.stream.Launch(&driver.Launch{Kernel: f.kernel, Grid: [3]uint32{2 >> level, 1, 1}, Handles: []driver.Handle{
		{Texture: to, Level: level + 1}, {Texture: from, Level: level, Levels: 1}, {Sampler: f.smooth},
	}})
}

func (f *textures) read(t driver.Texture, level uint32) []float32 {
	f.t.Helper()
	bytes := make([]byte, t.Description().LevelBytes(level))
	f.check(f.stream.ReadTexture(bytes, t, level))
	floats := make([]float32, len(bytes)/4)
	copy(drivertest.Bytes(floats), bytes)
	return floats
}

// TestTextures has launches make a texture's levels from one another, between
// transfers that are ordered with them.
func TestTextures(t *testing.T) {
	for _, index := range []int{Defined, Checked} {
		f := newTextures(t, index)
		f.check(f.stream.WriteTexture(f.from, 0, drivertest.Bytes([]float32{1, 2, 3, 4, 5, 6, 7, 8})))
		f.check(f.launch(f.from, f.from, 0))
		f.check(f.launch(f.from, f.from, 1))
		if got := f.read(f.from, 1); got[0] != 3.5 || got[1] != 5.5 {
			t.Errorf("level 1 is %v", got)
		}
		if got := f.read(f.from, 2); got[0] != 4.5 {
			t.Errorf("level 2 is %v", got)
		}
		f.check(f.stream.Wait(context.Background()))
		if got := f.read(f.to, 0); got[0] != 0 {
			t.Errorf("a new texture holds %v", got)
		}
		// Freed while a launch may still run: the launch is not disturbed.
		f.check(f.launch(f.to, f.from, 0))
		f.check(f.from.Free())
		f.check(f.smooth.Free())
		if got := f.read(f.to, 1); got[0] != 3.5 {
			t.Errorf("the launch before Free wrote %v", got)
		}
		f.check(f.stream.Wait(context.Background()))
	}
}

func TestTexturesThatCannotBeUsed(t *testing.T) {
	f := newTextures(t, Defined)
	other := newTextures(t, Defined)
	freed, err := f.device.NewTexture(f.to.Description())
	f.check(err)
	f.check(freed.Free())
	comparing, err := f.device.NewSampler(&texture.Sampler{Compare: texture.Less})
	f.check(err)
	to, from, smooth := driver.Handle{Texture: f.to}, driver.Handle{Texture: f.from}, driver.Handle{Sampler: f.smooth}
	for _, c := range []struct {
		handles []driver.Handle
		is      error
		want    string
	}{
		{nil, driver.ErrUnsupported, "0 textures and samplers given, 3 expected"},
		{[]driver.Handle{to, from, from}, driver.ErrUnsupported, "smooth: "},
		{[]driver.Handle{to, {}, smooth}, driver.ErrUnsupported, "from: "},
		{[]driver.Handle{to, {Texture: freed}, smooth}, driver.ErrClosed, "from: "},
		{[]driver.Handle{to, {Texture: other.from}, smooth}, driver.ErrUnsupported, "from: "},
		{[]driver.Handle{to, from, {Sampler: other.smooth}}, driver.ErrUnsupported, "smooth: "},
		{[]driver.Handle{to, from, {Sampler: comparing}}, driver.ErrUnsupported, "smooth: the sampler given compares"},
		{[]driver.Handle{{Texture: f.to, Level: 3}, from, smooth}, driver.ErrUnsupported, "to: "},
	} {
		err := f.stream.Launch(&driver.Launch{Kernel: f.kernel, Grid: [3]uint32{1, 1, 1}, Handles: c.handles})
		if !errors.Is(err, c.is) || !strings.Contains(strings.ReplaceAll(err.Error(), driver.ErrUnsupported.Error()+": ", ""), c.want) {
			t.Errorf("got %v, want %q", err, c.want)
		}
	}
	f.check(f.stream.Wait(context.Background()))
	for name, err := range map[string]error{
		"write of too few bytes": f.stream.WriteTexture(f.to, 0, make([]byte, 28)),
		"write of level 3":       f.stream.WriteTexture(f.to, 3, make([]byte, 4)),
		"read of another device": f.stream.ReadTexture(make([]byte, 32), other.to, 0),
	} {
		if !errors.Is(err, driver.ErrUnsupported) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := f.stream.ReadTexture(make([]byte, 32), freed, 0); !errors.Is(err, driver.ErrClosed) {
		t.Errorf("read of a freed texture: %v", err)
	}
	if _, err := f.device.NewTexture(&texture.Description{}); !errors.Is(err, driver.ErrUnsupported) {
		t.Errorf("an empty description: %v", err)
	}
	f.check(f.device.Close())
	if _, err := f.device.NewTexture(f.to.Description()); !errors.Is(err, driver.ErrClosed) {
		t.Errorf("a texture of a closed device: %v", err)
	}
}

func TestLoadComparesHandles(t *testing.T) {
	f := newTextures(t, Defined)
	for _, edit := range []func(k *abi.Kernel){
		func(k *abi.Kernel) { k.Handles = k.Handles[:2] },
		func(k *abi.Kernel) { k.Handles[2].Group = 0 },
		func(k *abi.Kernel) { k.Handles[1].Texture = nil },
	} {
		a := blur()
		edit(&a.Kernel)
		if _, err := f.device.Load(a); !errors.Is(err, driver.ErrUnsupported) {
			t.Errorf("got %v", err)
		}
	}
}

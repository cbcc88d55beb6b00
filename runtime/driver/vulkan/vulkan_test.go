package vulkan

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/gpuc/gpuc/internal/drivertest"
	"github.com/gpuc/gpuc/ir/texture"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/driver"
)

// testDriver is shared, because an instance is made once per process.
var testDriver Driver

func TestDriver(t *testing.T)      { drivertest.Run(t, &testDriver, drivertest.Axpy("spirv")) }
func BenchmarkDriver(b *testing.B) { drivertest.Bench(b, &testDriver, drivertest.Axpy("spirv")) }

// TestLoadRefusals are the limits that only Vulkan has.
func TestLoadRefusals(t *testing.T) {
	f := drivertest.New(t, &testDriver, drivertest.Axpy("spirv"))
	for name, change := range map[string]func(a *abi.Artefact){
		"a truncated module":     func(a *abi.Artefact) { a.Code = a.Code[:18] },
		"a group past the limit": func(a *abi.Artefact) { a.Kernel.Bindings[0].Group = 1 << 16 },
		"an unknown access":      func(a *abi.Artefact) { a.Kernel.Bindings[0].Access = "append" },
	} {
		a := drivertest.Axpy("spirv")
		change(a)
		if _, err := f.Device.Load(a); !errors.Is(err, driver.ErrUnsupported) {
			t.Errorf("%s: got %v, want ErrUnsupported", name, err)
		}
	}
}

// TestBarriers counts barriers: one at the start of a batch, and others only before commands that
// conflict with an earlier one. (Lavapipe runs commands in order, so results do not show a missing
// barrier.)
func TestBarriers(t *testing.T) {
	f := drivertest.New(t, &testDriver, drivertest.Axpy("spirv"))
	a, x, y, z := f.Alloc(4), f.Alloc(256), f.Alloc(256), f.Alloc(256)
	w := f.Alloc(256)
	for _, c := range []struct {
		name string
		want uint32
		run  func() error
	}{
		{"first", 1, func() error { return f.Stream.Launch(drivertest.Launch(f.Kernel, x, y, a)) }},
		{"other output, shared input", 1, func() error { return f.Stream.Launch(drivertest.Launch(f.Kernel, x, z, a)) }},
		{"read after write", 2, func() error { return f.Stream.Launch(drivertest.Launch(f.Kernel, y, w, a)) }},
		{"read after read", 2, func() error { return f.Stream.Copy(drivertest.Whole(x), drivertest.Whole(z)) }},
		{"write after read", 3, func() error { return f.Stream.Write(drivertest.Whole(z), make([]byte, 256)) }},
		{"write after write", 4, func() error { return f.Stream.Copy(drivertest.Whole(z), drivertest.Whole(y)) }},
		{"write of memory untouched since", 4, func() error { return f.Stream.Write(drivertest.Whole(a), make([]byte, 4)) }},
	} {
		f.Check(c.run())
		if got := f.Stream.(*stream).batch.epoch; got != c.want {
			t.Errorf("%s: %d barriers, want %d", c.name, got, c.want)
		}
	}
	f.Check(f.Stream.Wait(context.Background()))
}

// TestTextureBarriers is TestBarriers for textures, which launches and copies
// order in the same way.
func TestTextureBarriers(t *testing.T) {
	f := drivertest.New(t, &testDriver, drivertest.Axpy("spirv"))
	plus := f.Compile(drivertest.TextureKernels, "plus")
	step := []driver.Slice{drivertest.Whole(f.Alloc(4))}
	d := texture.Description{
		Dimension: texture.D2, Format: texture.R32Uint, Width: 8, Height: 8, Depth: 1, Layers: 1, Levels: 2, Samples: 1,
	}
	var textures [4]driver.Texture
	for i := range textures {
		var err error
		textures[i], err = f.Device.NewTexture(&d)
		f.Check(err)
	}
	a, b, c, unused := textures[0], textures[1], textures[2], textures[3]
	launch := func(from, to driver.Texture) func() error {
		return func() error {
			return f.Stream.Launch(&driver.Launch{
				Kernel: plus, Bindings: step, Handles: []driver.Handle{{Texture: from}, {Texture: to}}, Grid: [3]uint32{1, 1, 1},
			})
		}
	}
	texels := make([]byte, d.LevelBytes(0))
	write := func(m driver.Texture) func() error {
		return func() error { return f.Stream.WriteTexture(m, 0, texels) }
	}
	for _, c := range []struct {
		name string
		want uint32
		run  func() error
	}{
		{"first", 1, launch(a, b)},
		{"other output, shared input", 1, launch(a, c)},
		{"read after store", 2, launch(c, b)},
		{"read after read", 2, launch(c, a)},
		{"copy after store", 3, write(b)},
		{"read after copy", 4, launch(b, c)},
		{"copy of a texture untouched", 4, write(unused)},
	} {
		f.Check(c.run())
		if got := f.Stream.(*stream).batch.epoch; got != c.want {
			t.Errorf("%s: %d barriers, want %d", c.name, got, c.want)
		}
	}
	f.Check(f.Stream.Wait(context.Background()))
}

// TestLevelCopy cuts levels into pieces of little room: they cover each row of
// each slice once, in order.
func TestLevelCopy(t *testing.T) {
	for _, d := range []texture.Description{
		{Dimension: texture.D1, Format: texture.R8Uint, Width: 9, Height: 1, Depth: 1, Layers: 1},
		{Dimension: texture.D2, Format: texture.R8Uint, Width: 5, Height: 7, Depth: 1, Layers: 1},
		{Dimension: texture.D2, Format: texture.RG8Uint, Width: 5, Height: 7, Depth: 1, Layers: 9},
		{Dimension: texture.D3, Format: texture.R8Uint, Width: 3, Height: 4, Depth: 11, Layers: 1},
	} {
		row := uint64(d.Width) * uint64(d.Format.Bytes())
		for room := row; room < 40*row; room += 3 {
			pieces := newLevelCopy(&d, 0)
			next := uint64(0) // row, counted through all slices
			for next < uint64(d.Height)*uint64(d.Depth)*uint64(d.Layers) {
				p, bytes := pieces.next(room)
				slice := uint64(p.firstLayer) + uint64(p.offset[2])
				at, rows := slice*uint64(d.Height)+uint64(p.offset[1]), uint64(p.extent.height)*uint64(p.extent.depth)*uint64(p.layerCount)
				whole := p.extent.height == d.Height && p.offset[1] == 0
				if at != next || uint64(bytes) != rows*row || uint64(bytes) > room || p.extent.width != d.Width || rows > uint64(p.extent.height) && !whole {
					t.Fatalf("%+v with room for %d bytes: piece %+v of %d bytes at row %d, want row %d", d, room, p, bytes, at, next)
				}
				next += rows
			}
		}
	}
}

// TestTextureRefusals are those that only Vulkan has.
func TestTextureRefusals(t *testing.T) {
	f := drivertest.New(t, &testDriver, drivertest.Axpy("spirv"))
	for name, d := range map[string]texture.Description{
		"samples":                    {Dimension: texture.D2, Format: texture.RGBA8Unorm, Width: 8, Height: 8, Depth: 1, Layers: 1, Levels: 1, Samples: 4},
		"a width that no device has": {Dimension: texture.D2, Format: texture.RGBA8Unorm, Width: 1 << 20, Height: 1, Depth: 1, Layers: 1, Levels: 1, Samples: 1},
	} {
		if _, err := f.Device.NewTexture(&d); !errors.Is(err, driver.ErrUnsupported) {
			t.Errorf("%s: got %v, want ErrUnsupported", name, err)
		}
	}
	a := drivertest.Axpy("spirv")
	a.Kernel.Handles = []abi.Handle{{Name: "t", Group: 1, Texture: &abi.Texture{Shape: texture.Storage2D, Channel: "f32", Format: texture.RGB9E5Ufloat, Access: abi.Write}}}
	if _, err := f.Device.Load(a); !errors.Is(err, driver.ErrUnsupported) {
		t.Errorf("a storage texture of shared exponents: got %v, want ErrUnsupported", err)
	}
}

// TestBlock takes and gives spans at random: they never overlap, keep their
// alignment, and leave one free span in the end.
func TestBlock(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	b := &block{bytes: 1 << 16, free: []span{{0, 1 << 16}}}
	var taken []span
	for range 5000 {
		if len(taken) > 0 && random.IntN(2) == 0 {
			i := random.IntN(len(taken))
			b.give(taken[i])
			taken = append(taken[:i], taken[i+1:]...)
			continue
		}
		alignment := uint64(1) << random.IntN(9)
		s, ok := b.take(1+random.Uint64N(3000), alignment)
		if !ok {
			continue
		}
		if s.offset%alignment != 0 || s.offset+s.bytes > b.bytes {
			t.Fatalf("span %+v for alignment %d", s, alignment)
		}
		for _, o := range taken {
			if s.offset < o.offset+o.bytes && o.offset < s.offset+s.bytes {
				t.Fatalf("span %+v overlaps %+v", s, o)
			}
		}
		taken = append(taken, s)
	}
	for _, s := range taken {
		b.give(s)
	}
	if len(b.free) != 1 || b.free[0] != (span{0, 1 << 16}) {
		t.Errorf("free spans in the end: %+v", b.free)
	}
}

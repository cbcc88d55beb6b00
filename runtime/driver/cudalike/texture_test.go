//go:build !nodrivers && (amd64 || arm64) && (linux || darwin || windows)

package cudalike

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/ir/texture"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/dl"
	"github.com/gpuc/gpuc/runtime/driver"
)

// This file tests textures with the fake library: which calls are made with which structures.

// structure returns a copy of what an argument points to.
func structure[T any](address uintptr) *T {
	s := *(*T)(dl.Pointer(address))
	return &s
}

// note keeps what is made.
func (l *fakeLibrary) note(function string, arguments [4]uintptr) {
	switch function {
	case "MipmappedCreate":
		l.made = *structure[arrayDescription](arguments[1])
	case "SurfaceCreate":
		l.made = *structure[resourceDescription](arguments[1])
	case "TextureCreate":
		o := madeTexture{resource: *structure[resourceDescription](arguments[1]), sampler: *structure[samplerDescription](arguments[2])}
		if arguments[3] != 0 {
			o.view = structure[viewDescription](arguments[3])
		}
		l.made = o
	}
}

type madeTexture struct {
	resource resourceDescription
	sampler  samplerDescription
	view     *viewDescription
}

// copied describes a copy: its ends and its size.
func (l *fakeLibrary) copied(c *copy3D) string {
	show := func(e *end) string {
		switch e.kind {
		case memoryArray:
			return fmt.Sprintf(" %s at %d,%d", l.handles[e.array-1], e.y, e.z)
		case memoryDevice:
			return " " + l.handles[e.device-1]
		}
		return " host"
	}
	return show(&c.source) + show(&c.target) + fmt.Sprintf(" %dx%dx%d", c.widthBytes, c.height, c.depth)
}

// picture describes a texture of two dimensions.
func picture(f texture.Format, width, height, layers, levels uint32) *texture.Description {
	return &texture.Description{Dimension: texture.D2, Format: f, Width: width, Height: height, Depth: 1, Layers: layers, Levels: levels, Samples: 1}
}

func (f *textures) texture(d *texture.Description) *image {
	f.t.Helper()
	m, err := f.d.NewTexture(d)
	check(f.t, err)
	return m.(*image)
}

// textures is a device with what it makes.
type textures struct {
	t *testing.T
	l *fakeLibrary
	d *device
	s *stream
}

func openTextures(t *testing.T) *textures {
	l, d, s := openFake(t)
	return &textures{t, l, d, s}
}

// TestMakingTextures: arrays of two dimensions have layers, all can be surfaces, and every level is
// filled by allocStream before a stream uses it. What no function makes is refused.
func TestMakingTextures(t *testing.T) {
	f := openTextures(t)
	expect(t, "a texture", f.l.since(func() { f.texture(picture(texture.RGBA8Unorm, 5, 3, 1, 2)) }),
		"MipmappedCreate array1", "MipmappedLevel level1", "MipmappedLevel level2", "Alloc memory1", "Fill memory1",
		"Copy3D memory1 level1 at 0,0 20x3x1 stream1", "Copy3D memory1 level2 at 0,0 8x1x1 stream1", "EventRecord event1 stream1")
	for _, c := range []struct {
		d    texture.Description
		want arrayDescription
	}{
		{*picture(texture.RGBA8Snorm, 5, 3, 4, 1), arrayDescription{width: 5, height: 3, depth: 4, format: 8, channels: 4, flags: 3}},
		{*picture(texture.RGB9E5Ufloat, 5, 3, 1, 1), arrayDescription{width: 5, height: 3, depth: 1, format: 0x10, channels: 4, flags: 3}},
		{*picture(texture.Depth16Unorm, 5, 3, 1, 1), arrayDescription{width: 5, height: 3, depth: 1, format: 2, channels: 1, flags: 3}},
		{texture.Description{Dimension: texture.D1, Format: texture.RG32Sint, Width: 9, Height: 1, Depth: 1, Layers: 1, Levels: 1, Samples: 1},
			arrayDescription{width: 9, height: 1, depth: 1, format: 10, channels: 2, flags: 3}},
		{texture.Description{Dimension: texture.D3, Format: texture.R32Float, Width: 9, Height: 8, Depth: 7, Layers: 1, Levels: 1, Samples: 1},
			arrayDescription{width: 9, height: 8, depth: 7, format: 0x20, channels: 1, flags: 2}},
	} {
		calls := f.l.since(func() { f.texture(&c.d) })
		if f.l.made != c.want {
			t.Errorf("%v makes %+v, want %+v", c.d, f.l.made, c.want)
		}
		if slices.Contains(calls, "Alloc memory2") {
			t.Error("the zeros are made twice")
		}
	}
	many := picture(texture.RGBA8Unorm, 5, 3, 1, 1)
	many.Samples = 4
	if _, err := f.d.NewTexture(many); !errors.Is(err, driver.ErrUnsupported) || !strings.Contains(err.Error(), "multisampled") {
		t.Error(err)
	}
	f.l.answers["MipmappedCreate"] = 1
	if _, err := f.d.NewTexture(picture(texture.R8Unorm, 1, 1, 1, 1)); err == nil || !strings.Contains(err.Error(), "create an array") {
		t.Error(err)
	}
	check(t, f.d.Close())
}

// TestMemoryForTextures: where there is none, freed textures are given back before the second try.
func TestMemoryForTextures(t *testing.T) {
	f := openTextures(t)
	m := f.texture(picture(texture.R8Unorm, 4, 4, 1, 1))
	f.l.answers["EventQuery event4"] = codeNotReady
	check(t, m.Free())
	f.l.answers["MipmappedCreate"] = codeOutOfMemory
	f.l.hooks["MipmappedDestroy"] = func() { delete(f.l.answers, "MipmappedCreate") }
	expect(t, "a texture", f.l.since(func() { f.texture(picture(texture.R8Unorm, 4, 4, 1, 1)) })[:6],
		"EventQuery event4", "Synchronize", "MipmappedDestroy array1", "EventDestroy event4", "PoolTrim pool1", "MipmappedCreate array2")
	check(t, f.d.Close())
}

// kernelOf makes a kernel that has these textures and samplers, without any code.
func (f *textures) kernelOf(handles []abi.Handle, parameters ...abi.Parameter) *kernel {
	return &kernel{device: f.d, name: "k", handles: handles, addresses: variant{parameters: parameters, slots: len(parameters)}, workgroup: [3]uint32{1, 1, 1}}
}

func (f *textures) launch(k *kernel, s *stream, handles ...driver.Handle) []string {
	f.t.Helper()
	return f.l.since(func() { check(f.t, s.Launch(&driver.Launch{Kernel: k, Handles: handles, Grid: [3]uint32{1, 1, 1}})) })
}

var (
	sampled2D = abi.Handle{Name: "t", Texture: &abi.Texture{Shape: texture.Sampled2D, Channel: "f32", Access: abi.Read}}
	sampling  = abi.Handle{Name: "s"}
	skybox    = abi.Handle{Name: "c", Texture: &abi.Texture{Shape: texture.SampledCube, Channel: "f32", Access: abi.Read}}
	written   = abi.Handle{Name: "w", Texture: &abi.Texture{Shape: texture.Storage2DArray, Channel: "f32", Format: texture.RGBA8Unorm, Access: abi.Write}}
)

// TestTextureArguments: numbers, and objects of what the kernel sees: the whole array, a level, or
// a view of some levels. Each is made once.
func TestTextureArguments(t *testing.T) {
	f := openTextures(t)
	m := f.texture(picture(texture.RGBA8UnormSRGB, 40, 20, 1, 4))
	with, err := f.d.NewSampler(&texture.Sampler{Address: [3]texture.AddressMode{texture.Repeat, texture.MirrorRepeat, texture.ClampToEdge},
		Magnify: texture.Nearest, Minify: texture.Linear, Mipmap: texture.Linear, LowestLevel: 0, HighestLevel: 3})
	check(t, err)
	s := driver.Handle{Sampler: with}
	k := f.kernelOf([]abi.Handle{sampled2D, sampling},
		abi.Parameter{Kind: abi.TextureParameter}, abi.Parameter{Kind: abi.WidthParameter}, abi.Parameter{Kind: abi.HeightParameter},
		abi.Parameter{Kind: abi.LayersParameter}, abi.Parameter{Kind: abi.LevelsParameter}, abi.Parameter{Kind: abi.ChannelsParameter},
		abi.Parameter{Kind: abi.SampledParameter, Sampler: 1}, abi.Parameter{Kind: abi.MinifiedParameter, Sampler: 1})
	expect(t, "a launch", f.launch(k, f.s, driver.Handle{Texture: m, Level: 1}, s),
		"TextureCreate texture1", "TextureCreate texture2", "TextureCreate texture3", "StreamWait stream3 event1", "Launch")
	o := f.l.made.(madeTexture)
	if o.resource.kind != resourceMipmapped || o.view == nil || o.view.firstLevel != 1 || o.view.lastLevel != 3 || o.view.width != 40 || o.view.format != 3 {
		t.Errorf("the view is %+v of %+v", o.view, o.resource)
	}
	if w := (samplerDescription{address: [3]uint32{0, 2, 1}, filter: 1, flags: normalizedCoordinates | readAsSRGB, mipmap: 1, highestLevel: 3}); o.sampler != w {
		t.Errorf("the sampler is %+v, want %+v", o.sampler, w)
	}
	if got, want := f.s.arguments.slots[1:6], []uint64{20, 10, 1, 3, 4}; !slices.Equal(got, want) {
		t.Errorf("the numbers are %v, want %v", got, want)
	}
	expect(t, "the second launch", f.launch(k, f.s, driver.Handle{Texture: m, Level: 1}, s), "Launch")
	f.launch(k, f.s, driver.Handle{Texture: m, Level: 2, Levels: 1}, s)
	if o := f.l.made.(madeTexture); o.resource.kind != resourceArray || f.l.handles[o.resource.array-1] != "level3" || o.view != nil {
		t.Errorf("one level is %+v", o)
	}
	f.launch(k, f.s, driver.Handle{Texture: m}, s)
	if o := f.l.made.(madeTexture); o.resource.kind != resourceMipmapped || o.view != nil {
		t.Errorf("all levels are %+v", o)
	}
	f.l.answers["EventQuery event4"] = codeNotReady
	check(t, m.Free())
	f.l.answers["EventQuery event4"] = 0
	calls := f.l.since(func() { check(t, f.d.unloadUnused()) })
	if len(calls) != 1+9+2 || calls[1] != "TextureDestroy texture1" || calls[10] != "MipmappedDestroy array1" {
		t.Errorf("freeing makes the calls %v", calls)
	}
	if err := f.s.Launch(&driver.Launch{Kernel: k, Handles: []driver.Handle{{Texture: m}, s}, Grid: [3]uint32{1, 1, 1}}); !errors.Is(err, driver.ErrClosed) {
		t.Errorf("a freed texture: %v", err)
	}
	check(t, f.d.Close())
}

// TestComparisonArguments: a comparison sampler is a number for the kernel, and an object of the
// level that it compares with.
func TestComparisonArguments(t *testing.T) {
	f := openTextures(t)
	m := f.texture(picture(texture.Depth16Unorm, 8, 8, 1, 3))
	depth := abi.Handle{Name: "t", Texture: &abi.Texture{Shape: texture.Depth2D, Channel: "f32", Access: abi.Read}}
	k := f.kernelOf([]abi.Handle{depth, {Name: "s", Comparison: true}},
		abi.Parameter{Kind: abi.GatheredParameter, Sampler: 1}, abi.Parameter{Kind: abi.ComparedParameter, Sampler: 1})
	for _, c := range []struct {
		s     texture.Sampler
		want  abi.Comparison
		level string
	}{
		{texture.Sampler{Compare: texture.Never, HighestLevel: 32}, abi.ComparesUnorm, "level1"},
		{texture.Sampler{Compare: texture.LessEqual, Magnify: texture.Linear, HighestLevel: 32},
			abi.ComparesLess | abi.ComparesEqual | abi.ComparesLinearly | abi.ComparesUnorm, "level1"},
		{texture.Sampler{Compare: texture.NotEqual, Magnify: texture.Linear, LowestLevel: 1.6, HighestLevel: 32},
			abi.ComparesLess | abi.ComparesGreater | abi.ComparesUnorm | 2<<abi.ComparisonLevel, "level3"},
		{texture.Sampler{Compare: texture.Always, Minify: texture.Linear, LowestLevel: 9, HighestLevel: 32},
			abi.ComparesLess | abi.ComparesEqual | abi.ComparesGreater | abi.ComparesLinearly | abi.ComparesUnorm | 2<<abi.ComparisonLevel, "level3"},
	} {
		with, err := f.d.NewSampler(&c.s)
		check(t, err)
		f.launch(k, f.s, driver.Handle{Texture: m}, driver.Handle{Sampler: with})
		if got := abi.Comparison(f.s.arguments.slots[1]); got != c.want {
			t.Errorf("%+v: %#x, want %#x", c.s, got, c.want)
		}
		object := f.l.handles[f.s.arguments.slots[0]-1]
		if !strings.HasPrefix(object, "texture") || f.l.handles[f.l.made.(madeTexture).resource.array-1] != c.level && object != "texture1" {
			t.Errorf("%+v: %s of %+v", c.s, object, f.l.made)
		}
	}
	check(t, f.d.Close())
}

// TestCubes: a cube's array is copied from the layers where it is bound after a change, and other
// streams wait for that.
func TestCubes(t *testing.T) {
	f := openTextures(t)
	m := f.texture(picture(texture.RGBA8Unorm, 4, 4, 6, 1))
	look := f.kernelOf([]abi.Handle{skybox}, abi.Parameter{Kind: abi.TextureParameter})
	write := f.kernelOf([]abi.Handle{written}, abi.Parameter{Kind: abi.SurfaceParameter})
	cube := driver.Handle{Texture: m}
	expect(t, "the first launch", f.launch(look, f.s, cube), "StreamWait stream3 event1", "MipmappedCreate array2", "MipmappedLevel level2",
		"EventCreate event4", "Copy3D level1 at 0,0 level2 at 0,0 16x4x6 stream3", "EventRecord event4 stream3", "TextureCreate texture1", "Launch")
	if d := f.l.made.(madeTexture); f.l.handles[d.resource.array-1] != "level2" {
		t.Errorf("the object is one of %+v", d.resource)
	}
	expect(t, "the second launch", f.launch(look, f.s, cube), "Launch")
	other, err := f.d.NewStream()
	check(t, err)
	expect(t, "a launch on another stream", f.launch(look, other.(*stream), cube), "StreamWait stream4 event1", "StreamWait stream4 event4", "Launch")
	expect(t, "a store", f.launch(write, f.s, cube), "SurfaceCreate surface1", "Launch")
	if d := f.l.made.(resourceDescription); f.l.handles[d.array-1] != "level1" {
		t.Errorf("the surface is one of %+v", d)
	}
	expect(t, "a launch after a store", f.launch(look, f.s, cube), "Copy3D level1 at 0,0 level2 at 0,0 16x4x6 stream3", "EventRecord event4 stream3", "Launch")
	check(t, f.s.WriteTexture(m, 0, make([]byte, 6*64)))
	expect(t, "a launch after a write", f.launch(look, f.s, cube), "Copy3D level1 at 0,0 level2 at 0,0 16x4x6 stream3", "EventRecord event4 stream3", "Launch")

	f.launch(write, f.s, cube)
	f.l.answers["StreamQuery stream3"] = codeNotReady
	expect(t, "a launch beside a store", f.launch(look, other.(*stream), cube), "StreamQuery stream3",
		"Copy3D level1 at 0,0 level2 at 0,0 16x4x6 stream4", "EventRecord event4 stream4", "Launch")
	f.l.answers["StreamQuery stream3"] = 0
	expect(t, "one after it", f.launch(look, other.(*stream), cube), "StreamQuery stream3",
		"Copy3D level1 at 0,0 level2 at 0,0 16x4x6 stream4", "EventRecord event4 stream4", "Launch")
	expect(t, "the next", f.launch(look, other.(*stream), cube), "Launch")
	check(t, f.d.Close())
}

// TestTextureCopies: levels are copied in pieces that chunks hold, in the formats of arrays.
func TestTextureCopies(t *testing.T) {
	f := openTextures(t)
	// 8 bytes a texel in the array: 2.4 MB a layer
	m := f.texture(picture(texture.RGB10A2Uint, 1024, 300, 2, 1))
	data := make([]byte, m.description.LevelBytes(0))
	expect(t, "a write", f.l.since(func() { check(t, f.s.WriteTexture(m, 0, data)) }), "StreamWait stream3 event1",
		"HostAlloc", "EventCreate event4", "Copy3D host level1 at 0,0 8192x300x1 stream3", "EventRecord event4 stream3",
		"EventQuery event4", "EventSynchronize event4", "Copy3D host level1 at 0,1 8192x300x1 stream3", "EventRecord event4 stream3")
	f.l.answers["Copy3D level1 at 0,1 host 8192x300x1 stream3"] = 719
	if err := f.s.ReadTexture(data, m, 0); !errors.Is(err, driver.ErrDeviceLost) {
		t.Errorf("a read on a device that is lost: %v", err)
	}
	check(t, f.d.Close())
}

// TestPieces: pieces cover a level once.
func TestPieces(t *testing.T) {
	for _, room := range []uintptr{40, 70, 400, 1200, 1 << 20} {
		m := image{description: *picture(texture.R32Uint, 10, 9, 7, 1), held: texture.R32Uint}
		var rows []uintptr
		for p := m.pieces(0); ; {
			c, bytes := p.next(room)
			if c == nil {
				break
			}
			if bytes > room || bytes != c.widthBytes*c.height*c.depth || c.widthBytes != 40 {
				t.Errorf("in %d bytes: a piece of %d: %+v", room, bytes, *c)
			}
			for z := range c.depth {
				for y := range c.height {
					rows = append(rows, (c.target.z+z)*9+c.target.y+y)
				}
			}
		}
		for n, row := range rows {
			if row != uintptr(n) || len(rows) != 63 {
				t.Fatalf("in %d bytes the rows are %v", room, rows)
			}
		}
	}
}

// TestConversions: what arrays hold of a format has its values, and becomes the same bits again,
// NaNs and all spellings of shared exponents included.
func TestConversions(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 32))
	for f := texture.NoFormat + 1; f < texture.Formats; f++ {
		held, convert := abi.ArrayFormat(f), conversionOf(f)
		n, wide := f.Bytes(), held.Bytes()
		from, to, again := make([]byte, 1000*n), make([]byte, 1000*wide), make([]byte, 1000*n)
		for i := range from {
			from[i] = byte(r.Uint32())
		}
		convert.hold(to, from)
		convert.give(again, to)
		if !bytes.Equal(from, again) {
			t.Errorf("%s comes back changed", f)
		}
		for i := range 1000 {
			want, got := f.Decode(from[i*n:]), held.Decode(to[i*wide:])
			for c := range f.Info().Channels {
				if want[c] != got[c] && !(isNaN(want[c]) && isNaN(got[c])) {
					t.Fatalf("%s: %x is %x in channel %d, want %x", f, binary.LittleEndian.Uint32(append(from[i*n:(i+1)*n:(i+1)*n], 0, 0, 0)), got[c], c, want[c])
				}
			}
		}
	}
}

func isNaN(bits uint64) bool { return bits&0x7FFFFFFF > 0x7F800000 }

// Launches with textures and samplers.

package drivertest

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"

	"github.com/gpuc/gpuc/ir/texture"
	"github.com/gpuc/gpuc/runtime/driver"
)

// TextureKernels are the tests' kernels.
const TextureKernels = `
@group(0) @binding(0) var numbers : texture_2d<u32>;
@group(0) @binding(1) var colours : texture_2d<f32>;
@group(0) @binding(2) var volume : texture_3d<f32>;
@group(0) @binding(3) var depths : texture_depth_2d;
@group(0) @binding(4) var cube : texture_cube<f32>;
@group(1) @binding(0) var plain : sampler;
@group(1) @binding(1) var comparing : sampler_comparison;
@group(3) @binding(7) var stored : texture_storage_2d<r32uint, write>;
@group(3) @binding(8) var counted : texture_storage_2d<r32uint, read_write>;
@group(3) @binding(9) var painted : texture_storage_2d<rgba8unorm, write>;
@group(3) @binding(10) var layered : texture_storage_2d_array<rgba16float, write>;
@group(3) @binding(11) var deep : texture_storage_3d<r32float, write>;
@group(2) @binding(1) var<storage, read_write> results : array<vec4<f32>>;
@group(2) @binding(2) var<uniform> step : u32;

// plus stores each texel plus step.
@compute @workgroup_size(8, 8)
fn plus(@builtin(global_invocation_id) id : vec3<u32>) {
  textureStore(stored, id.xy, textureLoad(numbers, id.xy, 0) + step);
}

// count adds step to each texel of one texture.
@compute @workgroup_size(8, 8)
fn count(@builtin(global_invocation_id) id : vec3<u32>) {
  if (all(id.xy < textureDimensions(counted))) {
    textureStore(counted, id.xy, textureLoad(counted, id.xy) + step);
  }
}

// halve stores the sums of squares of two by two texels.
@compute @workgroup_size(8, 8)
fn halve(@builtin(global_invocation_id) id : vec3<u32>) {
  let at = 2u * id.xy;
  textureStore(stored, id.xy, textureLoad(numbers, at, 0) + textureLoad(numbers, at + vec2(1u, 0u), 0)
      + textureLoad(numbers, at + vec2(0u, 1u), 0) + textureLoad(numbers, at + 1u, 0) + 100u * (textureNumLevels(numbers) - 1u));
}

// paint stores a colour, a layer and a slice in each texel.
@compute @workgroup_size(8, 8)
fn paint(@builtin(global_invocation_id) id : vec3<u32>) {
  if (id.z == 0u) {
    textureStore(painted, id.xy, vec4(f32(id.x), 255.0 - f32(id.x), f32(id.y), 255.0) / 255.0);
  }
  textureStore(layered, id.xy, id.z, vec4(f32(id.x), f32(id.y), f32(id.z), -1.0));
  textureStore(deep, id, vec4(f32(id.x + 10u * id.y + 100u * id.z), 0.0, 0.0, 0.0));
}

// sample reads a colour texture between texels and a volume at its middle.
@compute @workgroup_size(8, 8)
fn sample(@builtin(global_invocation_id) id : vec3<u32>) {
  let size = textureDimensions(colours);
  if (all(id.xy < size)) {
    let middle = (vec2<f32>(id.xy) + 1.0) / vec2<f32>(size);
    results[id.x + id.y * size.x] = textureSampleLevel(colours, plain, middle, 0.0)
        + textureSampleLevel(volume, plain, vec3(0.5), 0.0);
  }
}

// shade compares depths with a reference that grows from column to column.
@compute @workgroup_size(8, 8)
fn shade(@builtin(global_invocation_id) id : vec3<u32>) {
  let size = textureDimensions(depths);
  if (all(id.xy < size)) {
    let middle = (vec2<f32>(id.xy) + 0.5) / vec2<f32>(size);
    let lit = textureSampleCompareLevel(depths, comparing, middle, f32(id.x) / 8.0);
    results[id.x + id.y * size.x] = vec4(lit, textureLoad(depths, id.xy, 0), 0.0, 0.0);
  }
}

// look reads a cube in the six directions.
@compute @workgroup_size(8, 8)
fn look(@builtin(global_invocation_id) id : vec3<u32>) {
  if (all(id.yz == vec2(0u)) && id.x < 6u) {
    var direction : vec3<f32>;
    direction[id.x / 2u] = 1.0 - 2.0 * f32(id.x % 2u);
    results[id.x] = textureSampleLevel(cube, plain, direction, 0.0);
  }
}
`

// sampler makes a sampler.
func (f *Fixture) sampler(s texture.Sampler) driver.Sampler {
	f.Helper()
	made, err := f.Device.NewSampler(&s)
	f.Check(err)
	return made
}

// handle binds the levels of a texture from first on, or all by default.
func handle(m driver.Texture, first ...uint32) driver.Handle {
	h := driver.Handle{Texture: m}
	if len(first) > 0 {
		h.Level = first[0]
	}
	return h
}

// launch runs a kernel whose workgroups are of 8 x 8 invocations over all texels.
func (f *Fixture) launch(k driver.Kernel, over texture.Description, bindings []driver.Slice, handles ...driver.Handle) {
	f.Helper()
	f.Check(f.Stream.Launch(&driver.Launch{Kernel: k, Bindings: bindings, Handles: handles, Grid: cover(over)}))
}

func cover(d texture.Description) [3]uint32 {
	return [3]uint32{(d.Width + 7) / 8, (d.Height + 7) / 8, max(d.Depth, d.Layers)}
}

// step makes the uniform of the kernels.
func (f *Fixture) step(n uint32) driver.Slice {
	f.Helper()
	m := f.Alloc(4)
	f.Check(f.Stream.Write(Whole(m), Bytes([]uint32{n})))
	return Whole(m)
}

// numbers returns 0, 1, 2 and so on.
func numbers(n int) []uint32 {
	values := make([]uint32, n)
	for i := range values {
		values[i] = uint32(i)
	}
	return values
}

// stores writes storage textures of several shapes, also outside of them.
func stores(f *Fixture) {
	k := f.Compile(TextureKernels, "paint")
	painted := f.texture(plane(texture.RGBA8Unorm, 19, 11, 2))
	layers := texture.Description{Dimension: texture.D2, Format: texture.RGBA16Float, Width: 5, Height: 4, Depth: 1, Layers: 3, Levels: 1, Samples: 1}
	layered := f.texture(layers)
	volume := texture.Description{Dimension: texture.D3, Format: texture.R32Float, Width: 4, Height: 5, Depth: 6, Layers: 1, Levels: 1, Samples: 1}
	deep := f.texture(volume)
	over := *painted.Description()
	over.Layers = 8 // more than there are
	f.launch(k, over, nil, handle(painted), handle(layered), handle(deep))

	colours := level[byte](f, painted, 0)
	for i := range 19 * 11 {
		x, y := byte(i%19), byte(i/19)
		if got, want := [4]byte(colours[4*i:]), [4]byte{x, 255 - x, y, 255}; got != want {
			f.Fatalf("texel %d, %d: got %v, want %v", x, y, got, want)
		}
	}
	if rest := level[byte](f, painted, 1); len(bytes.Trim(rest, "\x00")) > 0 {
		f.Error("level 1 was written")
	}
	halves := level[uint16](f, layered, 0)
	small := [...]uint16{0, 0x3c00, 0x4000, 0x4200, 0x4400} // 0 to 4 in binary16
	for i := range 5 * 4 * 3 {
		want := [4]uint16{small[i%5], small[i/5%4], small[i/20], 0xbc00}
		if got := [4]uint16(halves[4*i:]); got != want {
			f.Fatalf("layered texel %d: got %x, want %x", i, got, want)
		}
	}
	for i, got := range level[float32](f, deep, 0) {
		if want := float32(i%4 + 10*(i/4%5) + 100*(i/20)); got != want {
			f.Fatalf("deep texel %d: got %v, want %v", i, got, want)
		}
	}
}

// sampling reads with a linear sampler where the result is exact, and with a
// nearest one.
func sampling(f *Fixture) {
	k := f.Compile(TextureKernels, "sample")
	const width, height = 8, 4
	values := make([]byte, 4*width*height)
	for i := range width * height {
		values[4*i], values[4*i+1] = byte(4*(i%width)), byte(4*(i/width))
	}
	colours := upload(f, plane(texture.RGBA8Unorm, width, height, 1), values)
	volume := upload(f, texture.Description{Dimension: texture.D3, Format: texture.R16Float, Width: 1, Height: 1, Depth: 1, Layers: 1, Levels: 1, Samples: 1},
		[]uint16{0x4400}) // 4
	results := f.Alloc(16 * width * height)
	smooth := f.sampler(texture.Sampler{Magnify: texture.Linear, Minify: texture.Linear})
	repeating := f.sampler(texture.Sampler{
		Magnify: texture.Linear, Minify: texture.Linear,
		Address: [3]texture.AddressMode{texture.Repeat, texture.Repeat, texture.Repeat},
	})
	for _, c := range []struct {
		sampler driver.Sampler
		last    float64 // what lies half beyond the last column, in columns
	}{{smooth, width - 1}, {repeating, (width - 1) / 2.0}} {
		f.launch(k, *colours.Description(), []driver.Slice{Whole(results)}, handle(colours), handle(volume), driver.Handle{Sampler: c.sampler})
		got := f.Read(results)
		for y := range height {
			for x := range width {
				want := 4*(float64(x)+0.5)/255 + 4
				if x == width-1 {
					want = 4*c.last/255 + 4
				}
				if v := float64(got[4*(x+y*width)]); math.Abs(v-want) > 1e-3 {
					f.Fatalf("column %d, row %d: got %v, want %v", x, y, v, want)
				}
			}
		}
	}
}

// comparison reads a depth texture with a comparison sampler and plainly.
func comparison(f *Fixture) {
	k := f.Compile(TextureKernels, "shade")
	for _, format := range []texture.Format{texture.Depth32Float, texture.Depth16Unorm} {
		d := plane(format, 8, 8, 1)
		data := make([]byte, d.LevelBytes(0))
		for i := range 64 { // half of the depths of a row, from row to row
			depth := float64(i/8)/8 + 1.0/16
			if format == texture.Depth16Unorm {
				binary.LittleEndian.PutUint16(data[2*i:], uint16(depth*65535))
			} else {
				binary.LittleEndian.PutUint32(data[4*i:], math.Float32bits(float32(depth)))
			}
		}
		m, results := upload(f, d, data), f.Alloc(16*64)
		for _, c := range []struct {
			compare texture.Compare
			lit     func(reference, depth float64) bool
		}{
			{texture.Less, func(r, d float64) bool { return r < d }},
			{texture.Greater, func(r, d float64) bool { return r > d }},
			{texture.Always, func(r, d float64) bool { return true }},
			{texture.Never, func(r, d float64) bool { return false }},
		} {
			f.launch(k, d, []driver.Slice{Whole(results)}, handle(m), driver.Handle{Sampler: f.sampler(texture.Sampler{Compare: c.compare})})
			got := f.Read(results)
			for i := range 64 {
				depth, want := float64(i/8)/8+1.0/16, float32(0)
				if c.lit(float64(i%8)/8, depth) {
					want = 1
				}
				if got[4*i] != want || math.Abs(float64(got[4*i+1])-depth) > 1.0/65535 {
					f.Fatalf("%s, %s, texel %d: got %v and depth %v, want %v and %v", format, c.compare, i, got[4*i], got[4*i+1], want, depth)
				}
			}
		}
	}
}

// cubes gives each face of a cube another colour.
func cubes(f *Fixture) {
	k := f.Compile(TextureKernels, "look")
	d := texture.Description{Dimension: texture.D2, Format: texture.R8Unorm, Width: 4, Height: 4, Depth: 1, Layers: 6, Levels: 1, Samples: 1}
	faces := make([]byte, 6*16)
	for i := range faces {
		faces[i] = byte(i / 16 * 51)
	}
	results := f.Alloc(16 * 6)
	f.launch(k, d, []driver.Slice{Whole(results)}, handle(upload(f, d, faces)), driver.Handle{Sampler: f.sampler(texture.Sampler{})})
	for i, got := range f.Read(results) {
		if want := float64(i/4) / 5; i%4 == 0 && math.Abs(float64(got)-want) > 1e-6 {
			f.Errorf("face %d: got %v, want %v", i/4, got, want)
		}
	}
}

// levelsOfOneAnother computes each level from the previous one, in one texture.
func levelsOfOneAnother(f *Fixture) {
	k := f.Compile(TextureKernels, "halve")
	d := plane(texture.R32Uint, 64, 64, 7)
	m := upload(f, d, numbers(64*64))
	for i := uint32(1); i < d.Levels; i++ {
		w, h, _ := d.LevelSize(i)
		f.launch(k, plane(texture.R32Uint, w, h, 1), nil, driver.Handle{Texture: m, Level: i - 1, Levels: 1}, handle(m, i))
	}
	want := numbers(64 * 64)
	for i := uint32(1); i < d.Levels; i++ {
		w, h, _ := d.LevelSize(i)
		next := make([]uint32, w*h)
		for at := range next {
			x, y := 2*(at%int(w)), 2*(at/int(w))
			row := 2 * int(w)
			next[at] = want[x+y*row] + want[x+1+y*row] + want[x+(y+1)*row] + want[x+1+(y+1)*row]
		}
		want = next
		for at, got := range level[uint32](f, m, i) {
			if got != want[at] {
				f.Fatalf("level %d, texel %d: got %d, want %d", i, at, got, want[at])
			}
		}
	}
}

// order enqueues dependent writes, launches that write one texture and read another, launches that
// update one, and reads, in several batches.
func order(f *Fixture) {
	plus, count := f.Compile(TextureKernels, "plus"), f.Compile(TextureKernels, "count")
	d := plane(texture.R32Uint, 33, 17, 1)
	a, b := upload(f, d, numbers(33*17)), f.texture(d)
	one, two := []driver.Slice{f.step(1)}, []driver.Slice{f.step(2)}
	base := uint32(0)
	for round := range 120 {
		f.launch(plus, d, one, handle(a), handle(b)) // b = a + 1
		f.launch(count, d, two, handle(b))           // b += 2
		f.launch(plus, d, two, handle(b), handle(a)) // a = b + 2
		base += 5
		if round%40 == 17 { // over what was just read and written
			fresh := numbers(33 * 17)
			for i := range fresh {
				fresh[i] += 1000
			}
			f.Check(f.Stream.WriteTexture(a, 0, Bytes(fresh)))
			base = 1000
		}
		if round%30 == 29 {
			for i, got := range level[uint32](f, a, 0) {
				if want := uint32(i) + base; got != want {
					f.Fatalf("round %d, texel %d: got %d, want %d", round, i, got, want)
				}
			}
		}
	}
}

// viewsInOneBatch uses more textures and levels than there are cached descriptor sets, without
// waiting.
func viewsInOneBatch(f *Fixture) {
	k := f.Compile(TextureKernels, "count")
	one := []driver.Slice{f.step(1)}
	const textures, rounds = 7, 300
	var list [textures]driver.Texture
	d := plane(texture.R32Uint, 8, 8, 4)
	for i := range list {
		list[i] = f.texture(d)
	}
	want := map[[2]int]uint32{}
	random := rand.New(rand.NewPCG(15, 16))
	for range rounds {
		i, n := random.IntN(textures), random.IntN(4)
		f.launch(k, d, one, handle(list[i], uint32(n)))
		want[[2]int{i, n}]++
	}
	for i, m := range list {
		for n := range uint32(4) {
			for _, got := range level[uint32](f, m, n) {
				if got != want[[2]int{i, int(n)}] {
					f.Fatalf("texture %d, level %d: got %d, want %d", i, n, got, want[[2]int{i, int(n)}])
				}
			}
		}
	}
}

// freeTexturesInFlight frees textures that a launch uses, and creates new ones at once.
func freeTexturesInFlight(f *Fixture) {
	k := f.Compile(TextureKernels, "sample")
	d := plane(texture.R32Float, 64, 64, 1)
	results := f.Alloc(16 * 64 * 64)
	values := make([]float32, 64*64)
	volume := texture.Description{Dimension: texture.D3, Format: texture.R16Float, Width: 1, Height: 1, Depth: 1, Layers: 1, Levels: 1, Samples: 1}
	for round := range 60 {
		for i := range values {
			values[i] = float32(round)
		}
		m, v, s := upload(f, d, values), f.texture(volume), f.sampler(texture.Sampler{})
		f.launch(k, d, []driver.Slice{Whole(results)}, handle(m), handle(v), driver.Handle{Sampler: s})
		f.Check(m.Free())
		f.Check(v.Free())
		f.Check(s.Free())
		f.Check(m.Free()) // twice is no error
		f.Check(s.Free())
		if round%20 == 19 {
			if got := f.Read(results); got[0] != float32(round) || got[4*64*64-4] != float32(round) {
				f.Fatalf("round %d: got %v and %v", round, got[0], got[4*64*64-4])
			}
		}
	}
}

// textureRefusals are the mistakes that drivers must catch.
func textureRefusals(f *Fixture) {
	k := f.Compile(TextureKernels, "sample")
	plus := f.Compile(TextureKernels, "plus")
	d := plane(texture.RGBA8Unorm, 8, 8, 2)
	m, numbers, s := f.texture(d), f.texture(plane(texture.R32Uint, 8, 8, 1)), f.sampler(texture.Sampler{})
	volume := f.texture(texture.Description{Dimension: texture.D3, Format: texture.R16Float, Width: 1, Height: 1, Depth: 1, Layers: 1, Levels: 1, Samples: 1})
	freed, freedSampler := f.texture(d), f.sampler(texture.Sampler{})
	f.Check(freed.Free())
	f.Check(freedSampler.Free())
	sampler := driver.Handle{Sampler: s}
	results, step := []driver.Slice{Whole(f.Alloc(16 * 64))}, []driver.Slice{f.step(1)}
	for name, c := range map[string]struct {
		kernel   driver.Kernel
		bindings []driver.Slice
		handles  []driver.Handle
		want     error
	}{
		"no handles":          {k, results, nil, driver.ErrUnsupported},
		"too few handles":     {k, results, []driver.Handle{handle(m), handle(volume)}, driver.ErrUnsupported},
		"an empty handle":     {k, results, []driver.Handle{{}, handle(volume), sampler}, driver.ErrUnsupported},
		"a sampler for one":   {k, results, []driver.Handle{sampler, handle(volume), sampler}, driver.ErrUnsupported},
		"a texture for one":   {k, results, []driver.Handle{handle(m), handle(volume), handle(m)}, driver.ErrUnsupported},
		"other dimensions":    {k, results, []driver.Handle{handle(volume), handle(volume), sampler}, driver.ErrUnsupported},
		"another channel":     {k, results, []driver.Handle{handle(numbers), handle(volume), sampler}, driver.ErrUnsupported},
		"a level too high":    {k, results, []driver.Handle{handle(m, 2), handle(volume), sampler}, driver.ErrUnsupported},
		"too many levels":     {k, results, []driver.Handle{{Texture: m, Level: 1, Levels: 2}, handle(volume), sampler}, driver.ErrUnsupported},
		"another format":      {plus, step, []driver.Handle{handle(numbers), handle(m)}, driver.ErrUnsupported},
		"a level not there":   {plus, step, []driver.Handle{handle(numbers), handle(numbers, 1)}, driver.ErrUnsupported},
		"a freed texture":     {k, results, []driver.Handle{handle(freed), handle(volume), sampler}, driver.ErrClosed},
		"a freed sampler":     {k, results, []driver.Handle{handle(m), handle(volume), {Sampler: freedSampler}}, driver.ErrClosed},
		"nothing wrong":       {k, results, []driver.Handle{handle(m, 1), handle(volume), sampler}, nil},
		"nothing wrong there": {k, results, []driver.Handle{{Texture: m, Levels: 2}, handle(volume), sampler}, nil},
	} {
		err := f.Stream.Launch(&driver.Launch{Kernel: c.kernel, Bindings: c.bindings, Handles: c.handles, Grid: [3]uint32{1, 1, 1}})
		if !errors.Is(err, c.want) || (err == nil) != (c.want == nil) {
			f.Errorf("%s: got %v, want %v", name, err, c.want)
		}
	}
	if err := f.Stream.Launch(&driver.Launch{
		Kernel: f.Kernel, Bindings: Launch(f.Kernel, f.Alloc(4), f.Alloc(4), f.Alloc(4)).Bindings,
		Handles: []driver.Handle{handle(m)}, Grid: [3]uint32{1, 1, 1},
	}); !errors.Is(err, driver.ErrUnsupported) {
		f.Errorf("a texture for a kernel that has none: got %v, want ErrUnsupported", err)
	}
	whole := make([]byte, d.LevelBytes(0))
	for name, c := range map[string]struct {
		err, want error
	}{
		"too few bytes":          {f.Stream.WriteTexture(m, 0, whole[4:]), driver.ErrUnsupported},
		"too many bytes":         {f.Stream.WriteTexture(m, 1, whole), driver.ErrUnsupported},
		"no such level":          {f.Stream.WriteTexture(m, 2, whole[:4]), driver.ErrUnsupported},
		"too little room":        {f.Stream.ReadTexture(whole[4:], m, 0), driver.ErrUnsupported},
		"no such level to read":  {f.Stream.ReadTexture(whole, m, 9), driver.ErrUnsupported},
		"a freed texture":        {f.Stream.WriteTexture(freed, 0, whole), driver.ErrClosed},
		"a freed texture's read": {f.Stream.ReadTexture(whole, freed, 0), driver.ErrClosed},
	} {
		if !errors.Is(c.err, c.want) {
			f.Errorf("%s: got %v, want %v", name, c.err, c.want)
		}
	}
	f.Check(f.Stream.Wait(context.Background()))
}

// concurrentTextures runs verified round trips on several streams.
func concurrentTextures(f *Fixture) {
	k := f.Compile(TextureKernels, "plus")
	var workers sync.WaitGroup
	f.onStreams(&workers, 6, func(w *Fixture, worker int) error {
		for round := range 12 {
			if err := w.textureTrip(k, uint32(20+worker*7+round), uint32(worker+1)); err != nil {
				return fmt.Errorf("round %d: %w", round, err)
			}
		}
		return nil
	})
	workers.Wait()
}

// textureTrip writes, launches and reads back. It returns errors, since it runs in other
// goroutines.
func (f *Fixture) textureTrip(k driver.Kernel, size, step uint32) error {
	d := plane(texture.R32Uint, size, size, 1)
	var textures [2]driver.Texture
	for i := range textures {
		var err error
		if textures[i], err = f.Device.NewTexture(&d); err != nil {
			return err
		}
	}
	m, err := f.Device.Alloc(4)
	if err != nil {
		return err
	}
	values := numbers(int(size * size))
	got := make([]uint32, len(values))
	launch := &driver.Launch{Kernel: k, Bindings: []driver.Slice{Whole(m)}, Handles: []driver.Handle{handle(textures[0]), handle(textures[1])}, Grid: cover(d)}
	err = errors.Join(
		f.Stream.Write(Whole(m), Bytes([]uint32{step})),
		f.Stream.WriteTexture(textures[0], 0, Bytes(values)),
		f.Stream.Launch(launch),
		f.Stream.ReadTexture(Bytes(got), textures[1], 0),
		textures[0].Free(), textures[1].Free(), m.Free())
	if err != nil {
		return err
	}
	for i, v := range got {
		if v != values[i]+step {
			return errors.New("wrong result")
		}
	}
	return nil
}

// closedTextures closes the device before its textures.
func closedTextures(f *Fixture) {
	d := plane(texture.RGBA8Unorm, 8, 8, 1)
	m, s := f.texture(d), f.sampler(texture.Sampler{})
	k := f.Compile(TextureKernels, "plus")
	f.launch(k, d, []driver.Slice{f.step(1)}, handle(f.texture(plane(texture.R32Uint, 8, 8, 1))), handle(f.texture(plane(texture.R32Uint, 8, 8, 1))))
	f.Check(f.Device.Close())
	f.Check(m.Free())
	f.Check(s.Free())
	if _, err := f.Device.NewTexture(&d); !errors.Is(err, driver.ErrClosed) {
		f.Errorf("a texture of a closed device: %v", err)
	}
	if _, err := f.Device.NewSampler(new(texture.Sampler)); !errors.Is(err, driver.ErrClosed) {
		f.Errorf("a sampler of a closed device: %v", err)
	}
}

// textureLaunchesDoNotAllocate is launchesDoNotAllocate with textures.
func textureLaunchesDoNotAllocate(f *Fixture) {
	d := plane(texture.R32Uint, 8, 8, 1)
	f.expectNoAllocations(&driver.Launch{
		Kernel: f.Compile(TextureKernels, "plus"), Bindings: []driver.Slice{f.step(1)},
		Handles: []driver.Handle{handle(f.texture(d)), handle(f.texture(d))}, Grid: cover(d),
	})
}

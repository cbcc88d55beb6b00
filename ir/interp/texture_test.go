package interp_test

import (
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/interp"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/ir/texture"
)

// picture makes an image whose texels a function gives: by level, layer or
// slice, row and column, and channel.
func picture(d texture.Description, value func(level, z, y, x, c uint32) float64) *texture.Image {
	if d.Depth == 0 {
		d.Depth = 1
	}
	d.Height, d.Layers, d.Levels, d.Samples = max(d.Height, 1), max(d.Layers, 1), max(d.Levels, 1), max(d.Samples, 1)
	if err := d.Check(); err != nil {
		panic(err)
	}
	m := texture.NewImage(&d)
	info := d.Format.Info()
	for level := range d.Levels {
		w, h, z := d.LevelSize(level)
		bytes := m.Level(level)
		for n := range w * h * z * d.Layers * d.Samples {
			for c := range uint32(info.Channels) {
				x := n % (w * d.Samples) // samples lie side by side
				v := value(level, n/(w*h*d.Samples), n/(w*d.Samples)%h, x, c)
				switch at := (int(n)*info.Channels + int(c)) * info.Bits / 8; {
				case info.Channel == scalar.F32 && info.Bits == 32:
					binary.LittleEndian.PutUint32(bytes[at:], math.Float32bits(float32(v)))
				case info.Bits == 32:
					binary.LittleEndian.PutUint32(bytes[at:], uint32(int64(v)))
				case info.Bits == 8:
					bytes[at] = byte(int(v))
				}
			}
		}
	}
	return m
}

// digits is a texel's value that tells its address: level, layer, row and column.
func digits(level, z, y, x, _ uint32) float64 { return float64(1000*level + 100*z + 10*y + x) }

// eight calls a function for each of the 8 invocations.
func eight(f func(l uint32) uint32) (all []uint32) {
	for l := range uint32(8) {
		all = append(all, f(l))
	}
	return all
}

func eightFloats(f func(l float32) float32) []uint32 {
	return eight(func(l uint32) uint32 { return math.Float32bits(f(float32(l))) })
}

// textureCases are run by TestCoverage in both modes, on images made afresh.
var textureCases = []struct {
	name, body string
	handles    func() []texture.Handle
	want       []uint32
	outside    bool // the checked mode reports something
}{
	{"sizes", `
var @a : ptr<handle, texture_1d<f32>> [group 1, binding 0]
var @b : ptr<handle, texture_2d_array<u32>> [group 1, binding 1]
var @c : ptr<handle, texture_3d<i32>> [group 1, binding 2]
var @d : ptr<handle, texture_cube_array<f32>> [group 1, binding 3]
var @e : ptr<handle, texture_multisampled_2d<f32>> [group 1, binding 4]
var @f : ptr<handle, texture_storage_2d<r32uint, write>> [group 1, binding 5]
----
  %l2 = div %l, 3u : u32
  %a = load @a : texture_1d<f32>
  %b = load @b : texture_2d_array<u32>
  %c = load @c : texture_3d<i32>
  %d = load @d : texture_cube_array<f32>
  %e = load @e : texture_multisampled_2d<f32>
  %f = load @f : texture_storage_2d<r32uint, write>
  %sa = texture_size %a : u32
  %sb = texture_size %b, %l2 : vec2<u32>
  %sc = texture_size %c, %l2 : vec3<u32>
  %sd = texture_size %d : vec2<u32>
  %se = texture_size %e : vec2<u32>
  %sf = texture_size %f : vec2<u32>
  %nb = texture_layers %b : u32
  %nd = texture_layers %d : u32
  %lb = texture_levels %b : u32
  %ne = texture_samples %e : u32
  %b0 = extract %sb, 0u : u32
  %b1 = extract %sb, 1u : u32
  %c2 = extract %sc, 2u : u32
  %d1 = extract %sd, 1u : u32
  %e0 = extract %se, 0u : u32
  %f1 = extract %sf, 1u : u32
  %t1 = mul %sa, 7u : u32
  %t2 = mul %b0, 11u : u32
  %t3 = mul %b1, 13u : u32
  %t4 = mul %c2, 17u : u32
  %t5 = mul %d1, 19u : u32
  %t6 = mul %e0, 23u : u32
  %t7 = mul %f1, 29u : u32
  %t8 = mul %nb, 1000u : u32
  %t9 = mul %nd, 10000u : u32
  %t10 = mul %lb, 100000u : u32
  %t11 = mul %ne, 1000000u : u32
  %s1 = add %t1, %t2 : u32
  %s2 = add %s1, %t3 : u32
  %s3 = add %s2, %t4 : u32
  %s4 = add %s3, %t5 : u32
  %s5 = add %s4, %t6 : u32
  %s6 = add %s5, %t7 : u32
  %s7 = add %s6, %t8 : u32
  %s8 = add %s7, %t9 : u32
  %s9 = add %s8, %t10 : u32
  %s10 = add %s9, %t11 : u32
  store %q, %s10`, func() []texture.Handle {
		return []texture.Handle{
			{Image: picture(texture.Description{Dimension: texture.D1, Format: texture.R8Unorm, Width: 30}, digits)},
			{Image: picture(texture.Description{Dimension: texture.D2, Format: texture.R32Uint, Width: 20, Height: 8, Layers: 5, Levels: 4}, digits), Level: 1},
			{Image: picture(texture.Description{Dimension: texture.D3, Format: texture.R32Sint, Width: 4, Height: 8, Depth: 6, Levels: 4}, digits), Levels: 3},
			{Image: picture(texture.Description{Dimension: texture.D2, Format: texture.R8Unorm, Width: 3, Height: 3, Layers: 12}, digits)},
			{Image: picture(texture.Description{Dimension: texture.D2, Format: texture.R8Unorm, Width: 6, Height: 2, Samples: 4}, digits)},
			{Image: picture(texture.Description{Dimension: texture.D2, Format: texture.R32Uint, Width: 40, Height: 16, Levels: 5}, digits), Level: 2},
		}
	}, eight(func(l uint32) uint32 {
		level := l / 3
		return 30*7 + (10>>level)*11 + (4>>level)*13 + (6>>level)*17 + 3*19 + 6*23 + 4*29 + 5*1000 + 2*10000 + 3*100000 + 4*1000000
	}), false},
	{"loads", `
var @a : ptr<handle, texture_2d_array<u32>> [group 1, binding 0]
var @b : ptr<handle, texture_multisampled_2d<i32>> [group 1, binding 1]
var @c : ptr<handle, texture_depth_2d> [group 1, binding 2]
var @d : ptr<handle, texture_3d<f32>> [group 1, binding 3]
var @e : ptr<handle, texture_1d<u32>> [group 1, binding 4]
----
  %y = and %l, 1u : u32
  %s = bitcast %l : i32
  %ys = bitcast %y : i32
  %a = load @a : texture_2d_array<u32>
  %b = load @b : texture_multisampled_2d<i32>
  %c = load @c : texture_depth_2d
  %d = load @d : texture_3d<f32>
  %e = load @e : texture_1d<u32>
  %xy = construct %l, %y : vec2<u32>
  %xys = construct %s, %ys : vec2<i32>
  %yxy = construct %y, %y, %y : vec3<u32>
  %va = texture_load %a, %xy, %ys, 1u : vec4<u32>
  %vb = texture_load %b, %xys, 2i : vec4<i32>
  %vc = texture_load %c, %xys, 0u : f32
  %vd = texture_load %d, %yxy, 0i : vec4<f32>
  %ve = texture_load %e, %s, 0u : vec4<u32>
  %a0 = extract %va, 0u : u32
  %a3 = extract %va, 3u : u32
  %b0 = extract %vb, 0u : i32
  %bu = bitcast %b0 : u32
  %cu = convert %vc : u32
  %d2 = extract %vd, 2u : f32
  %du = convert %d2 : u32
  %e0 = extract %ve, 0u : u32
  %m1 = mul %a0, 3u : u32
  %m2 = mul %bu, 5u : u32
  %m3 = mul %cu, 7u : u32
  %m4 = mul %du, 11u : u32
  %m5 = mul %e0, 13u : u32
  %s1 = add %m1, %m2 : u32
  %s2 = add %s1, %m3 : u32
  %s3 = add %s2, %m4 : u32
  %s4 = add %s3, %m5 : u32
  %s5 = add %s4, %a3 : u32
  store %q, %s5`, func() []texture.Handle {
		return []texture.Handle{
			{Image: picture(texture.Description{Dimension: texture.D2, Format: texture.R32Uint, Width: 16, Height: 4, Layers: 2, Levels: 2}, digits)},
			{Image: picture(texture.Description{Dimension: texture.D2, Format: texture.RGBA32Sint, Width: 8, Height: 2, Samples: 4}, digits)},
			{Image: picture(texture.Description{Dimension: texture.D2, Format: texture.Depth32Float, Width: 8, Height: 2}, digits)},
			{Image: picture(texture.Description{Dimension: texture.D3, Format: texture.RGBA32Float, Width: 2, Height: 2, Depth: 2}, func(level, z, y, x, c uint32) float64 {
				return digits(level, z, y, x, c) + 4000*float64(c)
			})},
			{Image: picture(texture.Description{Dimension: texture.D1, Format: texture.R32Uint, Width: 8}, digits)},
		}
	}, eight(func(l uint32) uint32 {
		y := l & 1
		return 3*(1000+100*y+10*y+l) + 5*(10*y+4*l+2) + 7*(10*y+l) + 11*(8000+111*y) + 13*l + 1
	}), false},
	{"loads beyond the last", `
var @a : ptr<handle, texture_2d_array<u32>> [group 1, binding 0]
----
  %a = load @a : texture_2d_array<u32>
  %n = bitcast %l : i32
  %m = sub %n, 4i : i32
  %xy = construct %m, 9i : vec2<i32>
  %v = texture_load %a, %xy, %m, 7u : vec4<u32>
  %v0 = extract %v, 0u : u32
  store %q, %v0`, func() []texture.Handle {
		return []texture.Handle{{Image: picture(texture.Description{Dimension: texture.D2, Format: texture.R32Uint, Width: 4, Height: 4, Layers: 3, Levels: 2}, digits)}}
	}, []uint32{1211, 1211, 1211, 1211, 1010, 1111, 1211, 1211}, true},
	{"stores and reads", `
var @a : ptr<handle, texture_storage_2d<r32uint, read_write>> [group 1, binding 0]
var @b : ptr<handle, texture_storage_2d_array<rgba8unorm, write>> [group 1, binding 1]
----
  %a = load @a : texture_storage_2d<r32uint, read_write>
  %b = load @b : texture_storage_2d_array<rgba8unorm, write>
  %xy = construct %l, 1u : vec2<u32>
  %old = texture_read %a, %xy : vec4<u32>
  %o0 = extract %old, 0u : u32
  %new = mul %x, 2u : u32
  %new4 = splat %new : vec4<u32>
  texture_store %a, %xy, %new4
  texture_store %a, vec2<u32>(8u, 0u), vec4<u32>(9u, 9u, 9u, 9u)
  barrier [texture]
  %o = xor %l, 1u : u32
  %xyo = construct %o, 1u : vec2<u32>
  %now = texture_read %a, %xyo : vec4<u32>
  %n0 = extract %now, 0u : u32
  %f = convert %l : f32
  %g = div %f, 10f : f32
  %v = construct %g, 1f, -1f, 0.5f : vec4<f32>
  texture_store %b, %xy, %o, %v
  %t = mul %o0, 100u : u32
  %s = add %t, %n0 : u32
  store %q, %s`, func() []texture.Handle {
		return []texture.Handle{
			{Image: picture(texture.Description{Dimension: texture.D2, Format: texture.R32Uint, Width: 8, Height: 2}, digits)},
			{Image: picture(texture.Description{Dimension: texture.D2, Format: texture.RGBA8Unorm, Width: 8, Height: 2, Layers: 8}, digits)},
		}
	}, eight(func(l uint32) uint32 { return 100*(10+l) + 2*((10+l)^1) }), false},
	{"a sample between texels and levels", `
var @t : ptr<handle, texture_2d<f32>> [group 1, binding 0]
var @s : ptr<handle, sampler> [group 1, binding 1]
fn @at(%t: texture_2d<f32>, %s: sampler, %u: f32, %d: f32) : f32 {
  %uv = construct %u, 0.5f : vec2<f32>
  %v = texture_sample %t, %s, %uv, %d, vec2<i32>(1i, -1i) : vec4<f32>
  %v0 = extract %v, 0u : f32
  return %v0
}
----
  %t = load @t : texture_2d<f32>
  %s = load @s : sampler
  %f = convert %l : f32
  %g = add %f, 3f : f32
  %u = div %g, 16f : f32
  %d = div %f, 8f : f32
  %v = call @at, %t, %s, %u, %d : f32
  %b = bitcast %v : u32
  store %q, %b`, func() []texture.Handle {
		// Levels of planes: a sample lies on the plane through its texels.
		return []texture.Handle{
			{Image: picture(texture.Description{Dimension: texture.D2, Format: texture.R32Float, Width: 16, Height: 16, Levels: 2}, digits)},
			{Sampler: &texture.Smooth},
		}
	}, eightFloats(func(l float32) float32 {
		at := func(level, size float32) float32 { return 1000*level + 10*(size/2-0.5-1) + (l+3)/16*size - 0.5 + 1 }
		return at(0, 16) + (at(1, 8)-at(0, 16))*(l/8)
	}), false},
	{"a sample of a cube and of a layer", `
var @t : ptr<handle, texture_cube<f32>> [group 1, binding 0]
var @a : ptr<handle, texture_depth_2d_array> [group 1, binding 1]
var @s : ptr<handle, sampler> [group 1, binding 2]
----
  %t = load @t : texture_cube<f32>
  %a = load @a : texture_depth_2d_array
  %s = load @s : sampler
  %f = convert %l : f32
  %x1 = sub %f, 3.5f : f32
  %r = construct %x1, 1f, -2f : vec3<f32>
  %v = texture_sample %t, %s, %r, 0f : vec4<f32>
  %v0 = extract %v, 0u : f32
  %i = bitcast %l : i32
  %layer = sub %i, 2i : i32
  %w = texture_sample %a, %s, vec2<f32>(0.9f, 0.1f), %layer, 0f : f32
  %v1 = mul %v0, 1000f : f32
  %sum = add %v1, %w : f32
  %b = convert %sum : u32
  store %q, %b`, func() []texture.Handle {
		return []texture.Handle{
			{Image: picture(texture.Description{Dimension: texture.D2, Format: texture.R32Float, Width: 2, Height: 2, Layers: 6}, digits)},
			{Image: picture(texture.Description{Dimension: texture.D2, Format: texture.Depth32Float, Width: 2, Height: 2, Layers: 4}, digits)},
			{Sampler: &texture.Sampler{}},
		}
	}, []uint32{ // faces -x, -z and +x; the layer is clamped, not wrapped
		1000*(100+0) + 1, 1000*(100+0) + 1,
		1000*(500+1) + 1, 1000*(500+1) + 101, 1000*(500+0) + 201, 1000*(500+0) + 301,
		1000*1 + 301, 1000*1 + 301}, false},
	{"the level of gradients", `
var @t : ptr<handle, texture_2d<f32>> [group 1, binding 0]
var @s : ptr<handle, sampler> [group 1, binding 1]
----
  %t = load @t : texture_2d<f32>
  %s = load @s : sampler
  %one = shl 1u, %l : u32
  %f = convert %one : f32
  %g = div %f, 64f : f32
  %ddx = construct 0f, %g : vec2<f32>
  %v = texture_sample_gradient %t, %s, vec2<f32>(0.1f, 0.1f), %ddx, vec2<f32>(0.01f, 0f) : vec4<f32>
  %v0 = extract %v, 0u : f32
  %b = convert %v0 : u32
  store %q, %b`, func() []texture.Handle {
		return []texture.Handle{
			{Image: picture(texture.Description{Dimension: texture.D2, Format: texture.R32Float, Width: 16, Height: 32, Levels: 6},
				func(level, _, _, _, _ uint32) float64 { return float64(level) })},
			{Sampler: &texture.Sampler{HighestLevel: 4}},
		}
	}, []uint32{0, 0, 1, 2, 3, 4, 4, 4}, false}, // 2^l/64 of 32 rows
	{"comparisons", `
var @t : ptr<handle, texture_depth_2d> [group 1, binding 0]
var @s : ptr<handle, sampler_comparison> [group 1, binding 1]
----
  %t = load @t : texture_depth_2d
  %s = load @s : sampler_comparison
  %f = convert %l : f32
  %r = sub %f, 0.5f : f32
  %v = texture_sample_compare %t, %s, vec2<f32>(0.5f, 0.75f), %r : f32
  %g = texture_gather_compare %t, %s, vec2<f32>(0.5f, 0.5f), %r : vec4<f32>
  %w = dot %g, vec4<f32>(1000f, 100f, 10f, 1f) : f32
  %v4 = mul %v, 40000f : f32
  %sum = add %w, %v4 : f32
  %b = convert %sum : u32
  store %q, %b`, func() []texture.Handle {
		linear := texture.Smooth
		linear.Compare = texture.Less // the reference is less than the texel
		return []texture.Handle{
			// 0 1 in the first row, 2 3 in the second
			{Image: picture(texture.Description{Dimension: texture.D2, Format: texture.Depth32Float, Width: 2, Height: 2},
				func(_, _, y, x, _ uint32) float64 { return float64(2*y + x) })},
			{Sampler: &linear},
		}
	}, []uint32{40000 + 1111, 40000 + 1110, 40000 + 1100, 20000 + 100, 0, 0, 0, 0}, false},
	{"gathers", `
var @t : ptr<handle, texture_2d<u32>> [group 1, binding 0]
var @s : ptr<handle, sampler> [group 1, binding 1]
----
  %t = load @t : texture_2d<u32>
  %s = load @s : sampler
  %f = convert %l : f32
  %u = div %f, 8f : f32
  %uv = construct %u, 0.25f : vec2<f32>
  %v = texture_gather %t, %s, %uv, 1u, vec2<i32>(0i, 1i) : vec4<u32>
  %w = dot %v, vec4<u32>(1u, 50u, 2500u, 125000u) : u32
  store %q, %w`, func() []texture.Handle {
		return []texture.Handle{
			{Image: picture(texture.Description{Dimension: texture.D2, Format: texture.RG32Uint, Width: 8, Height: 4},
				func(_, _, y, x, c uint32) float64 { return float64((10*y + x) * c) })},
			{Sampler: &texture.Sampler{Address: [3]texture.AddressMode{texture.Repeat, texture.Repeat, texture.Repeat}}},
		}
	}, eight(func(l uint32) uint32 { // rows 1 and 2; columns l-1, which wraps, and l
		left, right := (l+7)%8, l
		return (20 + left) + 50*(20+right) + 2500*(10+right) + 125000*(10+left)
	}), false},
}

// runTextureCases runs textureCases and notes which operations they execute.
func runTextureCases(t *testing.T, executed map[op.Op]bool) {
	for _, c := range textureCases {
		t.Run(c.name, func(t *testing.T) {
			text := operationText(c.body)
			m, _, _ := ir.ParseString(text)
			p := compile(t, text)
			var images [2][]texture.Handle
			for mode := range images {
				images[mode] = c.handles()
				got := make([]uint32, len(c.want))
				l := interp.Launch{Buffers: [][]byte{bytesOf(operationInput()), bytesOf(got)}, Handles: images[mode]}
				if mode == 0 {
					run(t, p, l)
				} else if items := checked(t, p, l); (len(items) > 0) != c.outside {
					t.Errorf("reports: %+v", items)
				}
				if d := cmp.Diff(c.want, got); d != "" {
					t.Errorf("mode %d: %s", mode, d)
				}
			}
			for n, h := range images[0] {
				if h.Image != nil && string(h.Image.Level(h.Level)) != string(images[1][n].Image.Level(h.Level)) {
					t.Errorf("texture %d differs between the modes", n)
				}
			}
			for _, f := range m.Funcs {
				note(f, executed)
			}
		})
	}
}

// TestStoredTexels looks at what a kernel leaves in its textures.
func TestStoredTexels(t *testing.T) {
	p := compile(t, operationText(textureCases[3].body))
	handles := textureCases[3].handles()
	run(t, p, interp.Launch{Buffers: [][]byte{bytesOf(operationInput()), bytesOf(make([]uint32, 8))}, Handles: handles})
	a, b := handles[0].Image.Level(0), handles[1].Image.Level(0)
	for l := range 8 {
		if got := binary.LittleEndian.Uint32(a[4*l:]); got != uint32(l) {
			t.Errorf("texel (%d, 0) of a became %d; stores outside have no effect", l, got)
		}
		if got := binary.LittleEndian.Uint32(a[4*(8+l):]); got != uint32(2*(10+l)) {
			t.Errorf("texel (%d, 1) of a is %d", l, got)
		}
		at := 4 * (((l^1)*2+1)*8 + l)
		want := [4]byte{byte(math.Floor(float64(float32(l)/10)*255 + 0.5)), 255, 0, 128}
		if got := [4]byte(b[at:]); got != want {
			t.Errorf("texel (%d, 1) of layer %d of b is %v, want %v", l, l^1, got, want)
		}
	}
}

func TestHandlesAreDescribedInOrder(t *testing.T) {
	p := compile(t, `
var @s : ptr<handle, sampler_comparison> [group 2, binding 0]
var @t : ptr<handle, texture_storage_2d<rgba16float, write>> [group 0, binding 7]
var @unused : ptr<handle, sampler> [group 0, binding 1]
var @d : ptr<handle, texture_depth_cube> [group 0, binding 9]
kernel @k() [workgroup 1u, 1u, 1u] {
  %s = load @s : sampler_comparison
  %d = load @d : texture_depth_cube
  %t = load @t : texture_storage_2d<rgba16float, write>
  %v = texture_sample_compare %d, %s, vec3<f32>(1f, 0f, 0f), 0.5f : f32
  %v4 = splat %v : vec4<f32>
  texture_store %t, vec2<u32>(0u, 0u), %v4
  return
}`)
	want := []interp.Handle{
		{Name: "t", Group: 0, Binding: 7, Shape: texture.Storage2D, Channel: scalar.F32, Format: texture.RGBA16Float, Access: ir.Write},
		{Name: "d", Group: 0, Binding: 9, Shape: texture.DepthCube, Channel: scalar.F32, Access: ir.Read},
		{Name: "s", Group: 2, Binding: 0, Sampler: true, Comparison: true},
	}
	if d := cmp.Diff(want, p.Handles()); d != "" {
		t.Error(d)
	}
}

func TestLaunchRefusesHandlesThatDoNotFit(t *testing.T) {
	p := compile(t, `
var @t : ptr<handle, texture_2d<f32>> [group 0, binding 0]
var @s : ptr<handle, sampler> [group 0, binding 1]
kernel @k() [workgroup 1u, 1u, 1u] {
  %t = load @t : texture_2d<f32>
  %s = load @s : sampler
  %v = texture_sample %t, %s, vec2<f32>(0f, 0f), 0f : vec4<f32>
  return
}`)
	image := func(d texture.Description) texture.Handle {
		d.Width, d.Height = 4, 4
		return texture.Handle{Image: picture(d, digits)}
	}
	good := image(texture.Description{Dimension: texture.D2, Format: texture.R8Unorm})
	plain := texture.Handle{Sampler: &texture.Sampler{}}
	beyond, many := good, good
	beyond.Level, many.Levels = 1, 2
	for _, c := range []struct {
		handles []texture.Handle
		want    string
	}{
		{[]texture.Handle{good, plain}, ""},
		{nil, "0 textures and samplers for the 2"},
		{[]texture.Handle{plain, plain}, "t: it is a texture"},
		{[]texture.Handle{{}, plain}, "t: it is a texture"},
		{[]texture.Handle{good, {}}, "s: it is a sampler"},
		{[]texture.Handle{good, good}, "s: it is a sampler"},
		{[]texture.Handle{good, {Sampler: &texture.Sampler{Compare: texture.Less}}}, "s: the sampler given compares"},
		{[]texture.Handle{beyond, plain}, "t: levels from 1 on of a texture of 1"},
		{[]texture.Handle{many, plain}, "t: levels from 0 on of a texture of 1"},
		{[]texture.Handle{image(texture.Description{Dimension: texture.D2, Format: texture.R8Uint}), plain}, "t: the texture holds u32 (r8uint), and the kernel reads or writes f32"},
		{[]texture.Handle{image(texture.Description{Dimension: texture.D2, Format: texture.R8Unorm, Samples: 4}), plain}, "t: the texture has 4 samples"},
		{[]texture.Handle{image(texture.Description{Dimension: texture.D3, Format: texture.R8Unorm}), plain}, "t: the texture has 3 dimensions"},
	} {
		_, err := p.Run(&interp.Launch{Handles: c.handles, Grid: [3]uint32{1, 1, 1}})
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %q", err, c.want)
		}
	}
}

// lookups is a kernel with a million lookups of one kind.
func lookups(lookup string) string {
	return `
var @y : ptr<storage, f32, read_write> [group 0, binding 0]
var @t : ptr<handle, texture_2d<f32>> [group 0, binding 1]
var @s : ptr<handle, sampler> [group 0, binding 2]
kernel @k() [workgroup 1u, 1u, 1u] {
  %t = load @t : texture_2d<f32>
  %s = load @s : sampler
  %r = loop ^l(%i: u32 = 0u, %f: f32 = 0f) : f32 {
    %x = and %i, 63u : u32
` + lookup + `
    %e = extract %v, 0u : f32
    continue ^l(%e)
  } continuing(%g: f32) {
    %j = add %i, 1u : u32
    %end = eq %j, 1000000u : bool
    next ^l(%j, %g) break_if %end(%g)
  }
  store @y, %r
  return
}`
}

func BenchmarkTexture(b *testing.B) {
	for _, c := range []struct {
		name, lookup string
		sampler      texture.Sampler
	}{
		{"nothing", "    %u = construct %x, %x : vec2<u32>\n %v = construct %f, %f : vec2<f32>", texture.Smooth},
		{"load", "    %xy = construct %x, %x : vec2<u32>\n %v = texture_load %t, %xy, 0u : vec4<f32>", texture.Smooth},
		{"nearest", "    %v = texture_sample %t, %s, vec2<f32>(0.3f, 0.7f), 0f : vec4<f32>", texture.Sampler{}},
		{"bilinear", "    %v = texture_sample %t, %s, vec2<f32>(0.3f, 0.7f), 0f : vec4<f32>", texture.Smooth},
		{"trilinear", "    %v = texture_sample %t, %s, vec2<f32>(0.3f, 0.7f), 0.5f : vec4<f32>", texture.Smooth},
	} {
		b.Run(c.name, func(b *testing.B) {
			p := compile(b, strings.Replace(lookups(c.lookup), "store @y", "%s2 = load @s : sampler\n  %v2 = texture_sample %t, %s2, vec2<f32>(0f, 0f), 0f : vec4<f32>\n  store @y", 1))
			handles := []texture.Handle{
				{Image: picture(texture.Description{Dimension: texture.D2, Format: texture.RGBA8Unorm, Width: 64, Height: 64, Levels: 2}, digits)},
				{Sampler: &c.sampler},
			}
			b.ReportAllocs()
			for b.Loop() {
				run(b, p, interp.Launch{Buffers: [][]byte{bytesOf(make([]float32, 1))}, Handles: handles, Workers: 1})
			}
			b.ReportMetric(b.Elapsed().Seconds()*1e9/1e6/float64(b.N), "ns/lookup")
		})
	}
}

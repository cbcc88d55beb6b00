package exectest_test

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/internal/difftest/campaign"
	"github.com/gpuc/gpuc/internal/emulate/fibers"
	"github.com/gpuc/gpuc/internal/emulate/msl"
	"github.com/gpuc/gpuc/internal/exectest"
	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/interp"
	"github.com/gpuc/gpuc/ir/texture"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/jit"
)

// everySample has every operation with a sampler that Metal spells in a way of its own, on every
// shape: levels between two, derivatives, offsets, layers beyond the last, comparisons, gathers.
const everySample = `
@group(0) @binding(0) var flat: texture_2d<f32>;
@group(0) @binding(1) var flats: texture_2d_array<f32>;
@group(0) @binding(2) var volume: texture_3d<f32>;
@group(0) @binding(3) var cube: texture_cube<f32>;
@group(0) @binding(4) var cubes: texture_cube_array<f32>;
@group(0) @binding(5) var depth: texture_depth_2d;
@group(0) @binding(6) var depths: texture_depth_2d_array;
@group(0) @binding(7) var depth_cube: texture_depth_cube;
@group(0) @binding(8) var depth_cubes: texture_depth_cube_array;
@group(0) @binding(9) var linear: sampler;
@group(0) @binding(10) var mixed: sampler;
@group(0) @binding(11) var less: sampler_comparison;
@group(1) @binding(0) var<storage> places: array<vec4f>;
@group(1) @binding(1) var<storage, read_write> found: array<vec4f>;
@compute @workgroup_size(32) fn main(@builtin(global_invocation_id) id: vec3u) {
  let p = places[id.x];
  let n = u32(abs(p.w) * 2);
  let to = id.x * 20;
  let x = p.yz / 9;
  found[to] = textureSampleLevel(flat, linear, p.xy, p.w);
  found[to + 1] = textureSampleGrad(flat, mixed, p.xy, x, x.yx * 2, vec2i(2, -3));
  found[to + 2] = textureSampleLevel(flats, mixed, p.xy, n, p.w, vec2i(-4, 1));
  found[to + 3] = textureSampleGrad(flats, linear, p.xy, i32(n) - 2, x, x * 3);
  found[to + 4] = textureSampleLevel(volume, linear, p.xyz, p.w, vec3i(1, -1, 2));
  found[to + 5] = textureSampleGrad(volume, linear, p.zxy, p.xyz / 7, p.yzx / 5);
  found[to + 6] = textureSampleLevel(cube, linear, p.xyz, p.w);
  found[to + 7] = textureSampleGrad(cube, linear, p.xyz, p.yzx / 11, p.zxy / 8);
  found[to + 8] = textureSampleLevel(cubes, mixed, p.yzx, n, p.w);
  found[to + 9] = textureSampleGrad(cubes, linear, p.xyz, n, p.yzx / 9, p.zxy / 6);
  found[to + 10] = textureGather(1, flat, linear, p.xy, vec2i(3, -2)) + textureGather(2, flats, mixed, p.yz, n);
  found[to + 11] = textureGather(3, cube, linear, p.xyz) + textureGather(0, cubes, linear, p.zxy, i32(n));
  found[to + 12] = textureGather(depth, linear, p.xy) + textureGather(depths, mixed, p.yz, n, vec2i(1, 1));
  found[to + 13] = textureGather(depth_cube, linear, p.xyz) + textureGather(depth_cubes, linear, p.zxy, n);
  found[to + 14] = textureGatherCompare(depth, less, p.xy, 0.5) + textureGatherCompare(depths, less, p.yz, n, 0.4, vec2i(-2, 0));
  found[to + 15] = textureGatherCompare(depth_cube, less, p.xyz, 0.5) + textureGatherCompare(depth_cubes, less, p.zxy, n, 0.3);
  found[to + 16] = vec4f(textureSampleCompareLevel(depth, less, p.xy, 0.5), textureSampleCompareLevel(depths, less, p.yz, n, 0.4, vec2i(-2, 0)),
    textureSampleCompareLevel(depth_cube, less, p.xyz, 0.5), textureSampleCompareLevel(depth_cubes, less, p.zxy, i32(n), 0.6));
  found[to + 17] = vec4f(textureSampleLevel(depth, linear, p.xy, 1), textureSampleLevel(depths, linear, p.xy, n, i32(n)),
    textureSampleLevel(depth_cube, linear, p.zyx, 0), textureSampleLevel(depth_cubes, linear, p.xyz, n, 1));
  found[to + 18] = vec4f(textureDimensions(cubes, 1).xyxy);
  found[to + 19] = textureLoad(flats, vec2u(x * 100), i32(n), n) + textureLoad(volume, vec3i(p.xyz * 10), i32(p.w));
}
`

// described are the textures of everySample, in the order of their bindings.
var described = []texture.Description{
	{Dimension: texture.D2, Format: texture.RGBA8Unorm, Width: 13, Height: 6, Depth: 1, Layers: 1, Levels: 4, Samples: 1},
	{Dimension: texture.D2, Format: texture.RGBA16Float, Width: 8, Height: 11, Depth: 1, Layers: 3, Levels: 3, Samples: 1},
	{Dimension: texture.D3, Format: texture.RGBA8Snorm, Width: 5, Height: 9, Depth: 7, Layers: 1, Levels: 3, Samples: 1},
	{Dimension: texture.D2, Format: texture.RGBA8UnormSRGB, Width: 7, Height: 7, Depth: 1, Layers: 6, Levels: 2, Samples: 1},
	{Dimension: texture.D2, Format: texture.RGB10A2Unorm, Width: 8, Height: 8, Depth: 1, Layers: 12, Levels: 3, Samples: 1},
	{Dimension: texture.D2, Format: texture.Depth16Unorm, Width: 6, Height: 10, Depth: 1, Layers: 1, Levels: 2, Samples: 1},
	{Dimension: texture.D2, Format: texture.Depth16Unorm, Width: 5, Height: 5, Depth: 1, Layers: 4, Levels: 2, Samples: 1},
	{Dimension: texture.D2, Format: texture.Depth16Unorm, Width: 4, Height: 4, Depth: 1, Layers: 6, Levels: 1, Samples: 1},
	{Dimension: texture.D2, Format: texture.Depth16Unorm, Width: 8, Height: 8, Depth: 1, Layers: 18, Levels: 2, Samples: 1},
}

var samplers = []exectest.Sampler{
	{Name: "linear", Description: texture.Smooth},
	{Name: "mixed", Description: texture.Sampler{Address: [3]texture.AddressMode{texture.Repeat, texture.MirrorRepeat, texture.ClampToEdge},
		Magnify: texture.Linear, Mipmap: texture.Linear, LowestLevel: 0.25, HighestLevel: 1.75}},
	{Name: "less", Description: texture.Sampler{Address: [3]texture.AddressMode{texture.Repeat, texture.ClampToEdge}, Magnify: texture.Linear, Minify: texture.Linear,
		HighestLevel: 32, Compare: texture.Less}},
}

// TestEverySample compares what the bench samples with the interpreter, whose code it does not
// share: rounding apart, both follow the same rules. Coordinates are such that no test of either is
// close.
func TestEverySample(t *testing.T) {
	testmode.Long(t)
	if missing := msl.Missing(); missing != "" {
		t.Skip("skipped: there is no " + missing)
	}
	const invocations, each = 64, 20
	random := rand.New(rand.NewPCG(7, 7))
	position := make([]byte, 16*invocations)
	for n := range 4 * invocations {
		x := random.Float32()*3 - 1
		binary.LittleEndian.PutUint32(position[4*n:], math.Float32bits(x))
	}
	p, err := jit.Parse("every.wgsl", everySample, codegen.Options{})
	if err != nil {
		t.Fatal(err)
	}
	reference, err := p.Compile(abi.Checked, "main")
	if err != nil {
		t.Fatal(err)
	}
	a, err := p.Compile(abi.MSL, "main")
	if err != nil {
		t.Fatal(err)
	}
	c := &exectest.Case{Buffers: []exectest.Buffer{{Name: "places", Data: position}, {Name: "found", Data: make([]byte, 16*each*invocations)}}, Samplers: samplers,
		Dispatches: []exectest.Dispatch{{Entry: "main", Grid: [3]uint32{invocations / 32, 1, 1}}}}
	var handles []texture.Handle
	for n, d := range described {
		if err := d.Check(); err != nil {
			t.Fatal(err)
		}
		image := texture.NewImage(&d)
		data := exectest.Texture{Name: a.Kernel.Handles[n].Name, Description: d}
		for level := range d.Levels {
			texels := image.Level(level)
			for k := range texels {
				texels[k] = byte(random.Uint32())
				if d.Format == texture.RGBA16Float && k%2 == 1 { // numbers up to 2
					texels[k] &= 0x3f
				}
			}
			data.Levels = append(data.Levels, texels)
		}
		c.Textures = append(c.Textures, data)
		handles = append(handles, texture.Handle{Image: image})
	}
	for n := range samplers {
		handles = append(handles, texture.Handle{Sampler: &samplers[n].Description})
	}
	m, _, items := ir.ParseString(string(reference.Code))
	if m == nil {
		t.Fatal(items[0].Message)
	}
	program, err := interp.Compile(m, m.Kernels()[0])
	if err != nil {
		t.Fatal(err)
	}
	contents := c.Contents()
	if _, err := program.Run(&interp.Launch{Buffers: contents[:2], Handles: handles, Grid: c.Dispatches[0].Grid}); err != nil {
		t.Fatal(err)
	}
	x := &execution{c: c, artefacts: []*abi.Artefact{a}}
	for _, mode := range []msl.Mode{msl.Checked, msl.Spaces} {
		bench := campaign.MSLBench(mode)
		j := x.job(bench, []int{0})
		if err := bench.Run(x.artefacts, []*fibers.Job{j}); err != nil {
			t.Fatal(err)
		}
		if j.Err != nil {
			t.Fatal(j.Err)
		}
		differ, different := [each]int{}, map[uint32]bool{}
		for n := range 4 * each * invocations {
			bits := binary.LittleEndian.Uint32(contents[1][4*n:])
			want, got := math.Float32frombits(bits), math.Float32frombits(binary.LittleEndian.Uint32(j.Data[1][4*n:]))
			different[bits] = true
			if !(math.Abs(float64(want-got)) <= 1e-4) {
				if differ[n/4%each]++; differ[n/4%each] < 4 {
					t.Errorf("%s: invocation %d, result %d, component %d: the bench has %v, the interpreter %v", mode, n/4/each, n/4%each, n%4, got, want)
				}
			}
		}
		if len(different) < 2000 {
			t.Errorf("only %d results differ from each other", len(different))
		}
	}
}

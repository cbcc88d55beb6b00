package sampling_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/cpu/jit"
	"github.com/gpuc/gpuc/codegen/cpu/lower"
	"github.com/gpuc/gpuc/codegen/cpu/sampling"
	"github.com/gpuc/gpuc/codegen/cpu/vector"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/interp"
	"github.com/gpuc/gpuc/ir/texture"
	"github.com/gpuc/gpuc/runtime/abi"
	programs "github.com/gpuc/gpuc/runtime/jit"
)

// The kernels take four floats and four integers from each element of x and put four words, or a
// scalar, into y. T is the type of a texture, C what it holds.
const prelude = `
@group(0) @binding(0) var<storage, read> x: array<array<vec4f, 3>>;
@group(0) @binding(1) var<storage, read> n: array<vec4i>;
@group(0) @binding(2) var<storage, read_write> y: array<vec4u>;
@group(1) @binding(0) var t: T;
@group(1) @binding(1) var s: SAMPLER;
@compute @workgroup_size(32) fn main(@builtin(global_invocation_id) id: vec3u) {
  let f = x[id.x]; let i = n[id.x];
  y[id.x] = WHAT;
}`

// operations are what kernels do, with the shape of their texture.
var operations = []struct {
	texture, sampler, what string
	shape                  texture.Shape
}{
	{"texture_1d<f32>", "sampler", "bitcast<vec4u>(textureSampleLevel(t, s, f[0].x, 0))", texture.Sampled1D},
	{"texture_2d<f32>", "sampler", "bitcast<vec4u>(textureSampleLevel(t, s, f[0].xy, f[0].w, vec2i(3, -2)))", texture.Sampled2D},
	{"texture_2d<f32>", "sampler", "bitcast<vec4u>(textureSampleGrad(t, s, f[0].xy, f[1].xy, f[2].xy))", texture.Sampled2D},
	{"texture_2d<f32>", "sampler", "bitcast<vec4u>(textureGather(2, t, s, f[0].xy))", texture.Sampled2D},
	{"texture_2d<f32>", "sampler", "bitcast<vec4u>(textureLoad(t, i.xy, i.w))", texture.Sampled2D},
	{"texture_2d_array<f32>", "sampler", "bitcast<vec4u>(textureSampleLevel(t, s, f[0].xy, i.z, f[0].w))", texture.Sampled2DArray},
	{"texture_2d_array<f32>", "sampler", "bitcast<vec4u>(textureLoad(t, i.xy, i.z, i.w))", texture.Sampled2DArray},
	{"texture_3d<f32>", "sampler", "bitcast<vec4u>(textureSampleLevel(t, s, f[0].xyz, f[0].w))", texture.Sampled3D},
	{"texture_cube<f32>", "sampler", "bitcast<vec4u>(textureSampleLevel(t, s, f[0].xyz, f[0].w))", texture.SampledCube},
	{"texture_cube<f32>", "sampler", "bitcast<vec4u>(textureSampleGrad(t, s, f[0].xyz, f[1].xyz, f[2].xyz))", texture.SampledCube},
	{"texture_cube_array<f32>", "sampler", "bitcast<vec4u>(textureGather(1, t, s, f[0].xyz, i.z))", texture.SampledCubeArray},
	{"texture_depth_2d", "sampler_comparison", "vec4u(bitcast<u32>(textureSampleCompareLevel(t, s, f[0].xy, f[0].z)))", texture.Depth2D},
	{"texture_depth_cube", "sampler_comparison", "vec4u(bitcast<u32>(textureSampleCompareLevel(t, s, f[0].xyz, f[0].w)))", texture.DepthCube},
	{"texture_depth_2d", "sampler_comparison", "bitcast<vec4u>(textureGatherCompare(t, s, f[0].xy, f[0].z))", texture.Depth2D},
	{"texture_2d<i32>", "sampler", "bitcast<vec4u>(textureGather(0, t, s, f[0].xy))", texture.Sampled2D},
	{"texture_2d<u32>", "sampler", "textureLoad(t, i.xy, i.w)", texture.Sampled2D},
	{"texture_multisampled_2d<f32>", "sampler", "bitcast<vec4u>(textureLoad(t, i.xy, i.w))", texture.Multisampled2D},
	{"texture_2d<f32>", "sampler", "vec4u(textureDimensions(t, i.w), textureNumLevels(t), 0)", texture.Sampled2D},
}

const invocations = 256

// TestLower executes lowered kernels on random images, samplers and operands, and compares the bits
// with what package texture makes of the operations. NaNs count as alike.
func TestLower(t *testing.T) {
	for k, o := range operations {
		t.Run(fmt.Sprintf("%d %s", k, o.texture), func(t *testing.T) {
			m, f := kernelOf(t, prelude, "T", o.texture, "SAMPLER", o.sampler, "WHAT", o.what)
			reference, err := interp.Compile(m, f)
			if err != nil {
				t.Fatal(err)
			}
			random := rand.New(rand.NewPCG(uint64(k), 7))
			for format := texture.NoFormat + 1; format < texture.Formats; format++ {
				d := o.shape.Describe(format, 1+random.Uint32N(9), 1+random.Uint32N(9), 1+random.Uint32N(5), 1+random.Uint32N(3), 1+random.Uint32N(4))
				if i := format.Info(); i.Channel != reference.Handles()[0].Channel || i.Depth != o.shape.IsDepth() || d.Check() != nil {
					continue
				}
				image := texture.NewImage(&d)
				for n := range image.Memory() {
					image.Memory()[n] = byte(random.Uint32())
				}
				handles := []texture.Handle{{Image: image}, {Sampler: randomSampler(random, o.shape)}}
				run(t, m, f, reference, &interp.Launch{Handles: handles[:len(reference.Handles())]}, random)
			}
		})
	}
}

// run executes a launch in both engines and compares with the reference.
func run(t *testing.T, m *ir.Module, f *ir.Func, reference *interp.Program, launch *interp.Launch, random *rand.Rand) {
	t.Helper()
	states, ok := sampling.AppendStates(nil, launch.Handles)
	if !ok {
		t.Fatal("the textures have no states")
	}
	lowered := sampling.Lower(m, f, states)
	p, err := lower.Build(lowered.Module, lowered.Func)
	if err != nil {
		t.Fatal(err)
	}
	engines := map[string]func(*interp.Launch) ([]diag.Diagnostic, error){}
	v, err := vector.Compile(p)
	if err != nil {
		t.Fatal(err)
	}
	engines["vector"] = v.Run
	if jit.Available() == nil {
		k, err := jit.Load(p, jit.Options{Verify: random.IntN(8) == 0})
		if err != nil {
			t.Fatal(err)
		}
		engines["jit"] = k.Run
	}
	launch.Grid = [3]uint32{invocations / 32, 1, 1}
	floats, integers := make([]byte, 48*invocations), make([]byte, 16*invocations)
	for n := range 12 * invocations {
		binary.LittleEndian.PutUint32(floats[4*n:], math.Float32bits(randomFloat(random)))
	}
	for n := range 4 * invocations {
		binary.LittleEndian.PutUint32(integers[4*n:], random.Uint32N(12)-3)
	}
	execute := func(run func(*interp.Launch) ([]diag.Diagnostic, error), bind func(*interp.Launch) *interp.Launch) []byte {
		out := make([]byte, 16*invocations)
		l := *launch
		for _, b := range reference.Bindings() {
			l.Buffers = append(l.Buffers, [...][]byte{floats, integers, out}[b.Binding])
		}
		if _, err := run(bind(&l)); err != nil {
			t.Fatal(err)
		}
		return out
	}
	want := execute(reference.Run, func(l *interp.Launch) *interp.Launch { return l })
	for name, run := range engines {
		got := execute(run, func(l *interp.Launch) *interp.Launch { return lowered.Bind(l, new(sampling.Bound)) })
		for n := range 4 * invocations {
			g, w := binary.LittleEndian.Uint32(got[4*n:]), binary.LittleEndian.Uint32(want[4*n:])
			if x, y := math.Float32frombits(g), math.Float32frombits(w); g != w && (x == x || y == y) {
				t.Errorf("%s, %v: word %d is %#x (%g), expected %#x (%g), for coordinates %x", name, states, n, g, x, w, y, floats[48*(n/4):][:16])
				return
			}
		}
	}
}

func randomFloat(random *rand.Rand) float32 {
	switch random.IntN(12) {
	case 0:
		return math.Float32frombits(random.Uint32())
	case 1:
		return float32(random.IntN(9)-4) / 2
	case 2:
		return 0
	}
	return float32(random.NormFloat64())
}

func randomSampler(random *rand.Rand, shape texture.Shape) *texture.Sampler {
	s := &texture.Sampler{Magnify: texture.Filter(random.IntN(2)), Minify: texture.Filter(random.IntN(2)), Mipmap: texture.Filter(random.IntN(2)),
		LowestLevel: random.Float32(), HighestLevel: 1 + 3*random.Float32()}
	for n := range s.Address {
		s.Address[n] = texture.AddressMode(random.IntN(int(texture.AddressModes)))
	}
	if shape.IsDepth() {
		s.Compare = 1 + texture.Compare(random.IntN(int(texture.Compares)-1))
	}
	return s
}

// kernelOf returns the kernel of a WGSL text with some words replaced, as the device loads it.
func kernelOf(t *testing.T, text string, words ...string) (*ir.Module, *ir.Func) {
	t.Helper()
	p, err := programs.Parse("k.wgsl", strings.NewReplacer(words...).Replace(text), codegen.Options{})
	if err != nil {
		t.Fatal(err)
	}
	a, err := p.Compile(abi.CPU, "main")
	if err != nil {
		t.Fatal(err)
	}
	m, f, _, err := lower.Read("main", a.Code)
	if err != nil {
		t.Fatal(err)
	}
	return m, f
}

// stored is a kernel that stores a texel for each invocation; FORMAT is the texture's.
const stored = `
@group(0) @binding(0) var<storage, read> x: array<vec4u>;
@group(1) @binding(0) var t: texture_storage_2d<FORMAT, write>;
@compute @workgroup_size(32) fn main(@builtin(global_invocation_id) id: vec3u) {
  textureStore(t, vec2u(id.x % 37, id.x / 37), VALUE);
}`

// TestStore stores random texels, some of them outside, in each format.
func TestStore(t *testing.T) {
	for format := texture.NoFormat + 1; format < texture.StorageFormats; format++ {
		value := "bitcast<vec4f>(x[id.x])"
		switch format.Info().Channel.String() {
		case "u32":
			value = "x[id.x]"
		case "i32":
			value = "bitcast<vec4i>(x[id.x])"
		}
		m, f := kernelOf(t, stored, "FORMAT", format.String(), "VALUE", value)
		reference, err := interp.Compile(m, f)
		if err != nil {
			t.Fatal(err)
		}
		random := rand.New(rand.NewPCG(uint64(format), 9))
		words := make([]byte, 16*invocations)
		for n := range 4 * invocations {
			bits := math.Float32bits(randomFloat(random))
			if random.IntN(2) == 0 {
				bits = math.Float32bits(float32(random.IntN(600)-300) / 510)
			}
			binary.LittleEndian.PutUint32(words[4*n:], bits)
		}
		d := texture.Storage2D.Describe(format, 35, 6, 1, 1, 1)
		images := [2]*texture.Image{texture.NewImage(&d), texture.NewImage(&d)}
		launch := func(n int) *interp.Launch {
			return &interp.Launch{Grid: [3]uint32{invocations / 32, 1, 1}, Buffers: [][]byte{words}, Handles: []texture.Handle{{Image: images[n]}}}
		}
		if _, err := reference.Run(launch(0)); err != nil {
			t.Fatal(err)
		}
		states, _ := sampling.AppendStates(nil, launch(1).Handles)
		lowered := sampling.Lower(m, f, states)
		p, err := lower.Build(lowered.Module, lowered.Func)
		if err != nil {
			t.Fatal(err)
		}
		v, err := vector.Compile(p)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := v.Run(lowered.Bind(launch(1), new(sampling.Bound))); err != nil {
			t.Fatal(err)
		}
		got, want := images[1].Level(0), images[0].Level(0)
		for n := range want {
			if got[n] != want[n] {
				at := n / format.Bytes()
				t.Errorf("%s: byte %d of texel %d is %#x, expected %#x, of %x", format, n%format.Bytes(), at, got[n], want[n], words[16*(at%35+at/35*37):][:16])
				break
			}
		}
	}
}

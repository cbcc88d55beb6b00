package spirv

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/ir/texture"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/abi"
)

// handle declares a texture or sampler and loads it.
func (k *buffers) handle(t ir.Type) ir.Value {
	n := uint32(len(k.m.Globals))
	return k.b.Load(k.m.AddGlobal(ir.Global{Name: "h", Type: k.m.PointerTo(ir.Handle, t, ir.Read), Group: 1, Binding: n, Bound: true}))
}

// vector returns the type of n components.
func (k *buffers) vector(kind scalar.Kind, n int) ir.Type {
	if n == 1 {
		return ir.Type(kind)
	}
	return k.m.VectorOf(ir.Type(kind), n)
}

// textureOp applies an operation and stores what it yields.
func (k *buffers) textureOp(o op.Op, args ...ir.Value) {
	t := k.m.TextureResult(o, k.b.F.TypeOf(args[0]))
	if o == op.TextureStore {
		k.b.Emit(o, ir.Void, 0, args...)
		return
	}
	k.store(k.b.Emit(o, t, 0, args...))
}

// queries applies the operations that ask for the numbers of a texture.
func (k *buffers) queries(s texture.Shape, t ir.Value) {
	k.textureOp(op.TextureSize, t)
	if s.HasLevels() {
		k.textureOp(op.TextureLevels, t)
		k.textureOp(op.TextureSize, t, k.m.ConstU32(0))
		k.textureOp(op.TextureSize, t, k.load(ir.U32))
		k.textureOp(op.TextureSize, t, k.load(ir.I32))
	}
	if s.Info().Arrayed {
		k.textureOp(op.TextureLayers, t)
	}
	if s.Info().Multisampled {
		k.textureOp(op.TextureSamples, t)
	}
}

// texels applies the operations that take integer coordinates, once for each
// pair of kinds of coordinates and layer.
func (k *buffers) texels(s texture.Shape, access ir.Access, channel scalar.Kind, t ir.Value) {
	for _, kinds := range [][2]scalar.Kind{{scalar.U32, scalar.U32}, {scalar.I32, scalar.U32}, {scalar.U32, scalar.I32}, {scalar.I32, scalar.I32}} {
		args := []ir.Value{t, k.load(k.vector(kinds[0], s.SizeComponents()))}
		if s.Info().Arrayed {
			args = append(args, k.load(ir.Type(kinds[1])))
		}
		if access != ir.Read {
			k.textureOp(op.TextureStore, append(slices.Clone(args), k.load(k.vector(channel, 4)))...)
		}
		if access == ir.ReadWrite {
			k.textureOp(op.TextureRead, args...)
		}
		if s.HasLevels() || s.Info().Multisampled {
			args = append(args, k.load(ir.Type(kinds[1])))
		}
		if access == ir.Read {
			k.textureOp(op.TextureLoad, args...)
			for n := range args[1:] { // and at the origin of the first layer and level
				args[n+1] = k.m.Zero(k.b.F.TypeOf(args[n+1]))
			}
			k.textureOp(op.TextureLoad, args...)
		}
	}
}

// samples applies the operations that take a sampler, with and without an offset
// where the shape has one.
func (k *buffers) samples(s texture.Shape, t ir.Value) {
	sampler, comparison := k.handle(k.m.SamplerOf(false)), k.handle(k.m.SamplerOf(true))
	f32 := k.vector(scalar.F32, s.Coordinates())
	info := s.Info()
	offsets := [][]ir.Value{nil}
	if info.Dimension != texture.Cube && s != texture.Sampled1D {
		integers := k.vector(scalar.I32, s.SizeComponents())
		offsets = append(offsets, []ir.Value{k.m.ConstInt(integers, -3)}, []ir.Value{k.m.ConstInt(integers, 0)})
	}
	for n, offset := range offsets {
		with := func(sampler ir.Value, more ...ir.Value) []ir.Value {
			args := []ir.Value{t, sampler, k.load(f32)}
			if info.Arrayed {
				args = append(args, k.load([]ir.Type{ir.U32, ir.I32, ir.U32}[n]))
			}
			return append(append(args, more...), offset...)
		}
		k.textureOp(op.TextureSample, with(sampler, k.load(ir.F32))...)
		k.textureOp(op.TextureSample, with(sampler, k.m.ConstF32(0))...)
		k.textureOp(op.TextureSampleGradient, with(sampler, k.load(f32), k.load(f32))...)
		if s.IsDepth() {
			k.textureOp(op.TextureSampleCompare, with(comparison, k.load(ir.F32))...)
			k.textureOp(op.TextureGatherCompare, with(comparison, k.load(ir.F32))...)
		}
		if info.Dimension == texture.D2 || info.Dimension == texture.Cube {
			for component := range uint32(4) {
				k.textureOp(op.TextureGather, with(sampler, k.m.ConstU32(component))...)
			}
		}
	}
}

// capabilitiesOf returns the words of a module's capabilities.
func capabilitiesOf(t *testing.T, code []byte) []string {
	t.Helper()
	text, err := assemble(code)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for line := range strings.Lines(text) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "OpCapability "); ok {
			list = append(list, name)
		}
	}
	return list
}

// compile compiles the kernel as `gpuc build` does and has spirv-val look at it.
func (k *buffers) compile(t *testing.T, bounds opt.Bounds, plain bool) *abi.Artefact {
	t.Helper()
	var list diag.List
	ir.Verify(k.m, &list)
	if list.Errors() > 0 {
		t.Fatalf("does not verify: %v\n%s", list.Items(), k.m.Text())
	}
	o := codegen.Options{Bounds: bounds, NoOptimize: plain, Context: &opt.Context{Verify: true}}
	a := codegen.Compile(k.m, "", &Target, &o, &list)
	if a == nil {
		t.Fatalf("does not compile: %v\n%s", list.Items(), k.m.Text())
	}
	validate(t, a.Code)
	return a
}

// everyWay compiles in the modes of bounds, optimised and not.
func (k *buffers) everyWay(t *testing.T) (a *abi.Artefact) {
	t.Helper()
	k.b.Return(0)
	for _, plain := range []bool{true, false} {
		for _, bounds := range []opt.Bounds{opt.BoundsOff, opt.BoundsTrap, opt.BoundsRobust} {
			a = k.compile(t, bounds, plain)
		}
	}
	return a
}

// TestTextureOperations builds each operation on every shape that takes it, and
// on every scalar that such textures yield.
func TestTextureOperations(t *testing.T) {
	capabilities := map[texture.Shape][]string{
		texture.Sampled1D: {"Sampled1D"}, texture.Storage1D: {"Image1D"},
		texture.SampledCubeArray: {"SampledCubeArray"}, texture.DepthCubeArray: {"SampledCubeArray"},
	}
	for s := range texture.Shapes {
		t.Run(s.String(), func(t *testing.T) {
			channels := []scalar.Kind{scalar.F32}
			if s.Typed() {
				channels = append(channels, scalar.I32, scalar.U32)
			}
			for _, channel := range channels {
				k := newBuffers()
				if s.IsStorage() {
					for _, access := range []ir.Access{ir.Read, ir.Write, ir.ReadWrite} {
						image := k.handle(k.m.StorageTextureOf(s, texture.R32Float, access))
						k.queries(s, image)
						k.texels(s, access, channel, image)
					}
				} else {
					image := k.handle(k.m.TextureOf(s, channel))
					k.queries(s, image)
					if s.Info().Dimension != texture.Cube {
						k.texels(s, ir.Read, channel, image)
					}
					if !s.Info().Multisampled {
						k.samples(s, image)
					}
				}
				a := k.everyWay(t)
				want := append([]string{"Shader"}, capabilities[s]...)
				want = append(want, "ImageQuery")
				if got := capabilitiesOf(t, a.Code); !slices.Equal(got, want) {
					t.Errorf("capabilities %v, want %v", got, want)
				}
				var requires []abi.Feature
				if slices.Contains(want, "SampledCubeArray") {
					requires = []abi.Feature{abi.CubeArrays}
				}
				if !slices.Equal(a.Kernel.Requires, requires) {
					t.Errorf("requires %v, want %v", a.Kernel.Requires, requires)
				}
			}
		})
	}
}

// TestStorageFormats builds storage textures of every format in every access
// mode, and holds their needs against Vulkan's list of formats that every device
// has for storage images (VkPhysicalDeviceFeatures, shaderStorageImageExtendedFormats).
func TestStorageFormats(t *testing.T) {
	basic := "rgba8unorm rgba8snorm rgba8uint rgba8sint rgba16uint rgba16sint rgba16float r32uint r32sint r32float " +
		"rgba32uint rgba32sint rgba32float"
	for format := texture.NoFormat + 1; format < texture.StorageFormats; format++ {
		for _, access := range []ir.Access{ir.Read, ir.Write, ir.ReadWrite} {
			t.Run(format.String()+" "+access.String(), func(t *testing.T) {
				k := newBuffers()
				image := k.handle(k.m.StorageTextureOf(texture.Storage2D, format, access))
				k.texels(texture.Storage2D, access, format.Info().Channel, image)
				k.b.Return(0)
				a := k.compile(t, opt.BoundsOff, false)
				var want []abi.Feature
				capabilities := []string{"Shader"}
				switch {
				case format == texture.BGRA8Unorm:
					if access != ir.Read { // the store is built first
						want = append(want, abi.StorageWriteWithoutFormat)
						capabilities = append(capabilities, "StorageImageWriteWithoutFormat")
					}
					if access != ir.Write {
						want = append(want, abi.StorageReadWithoutFormat)
						capabilities = append(capabilities, "StorageImageReadWithoutFormat")
					}
				case !slices.Contains(strings.Fields(basic), format.String()):
					want = append(want, abi.StorageFormats)
					capabilities = append(capabilities, "StorageImageExtendedFormats")
				}
				if !slices.Equal(a.Kernel.Requires, want) {
					t.Errorf("requires %v, want %v", a.Kernel.Requires, want)
				}
				if got := capabilitiesOf(t, a.Code); !slices.Equal(got, capabilities) {
					t.Errorf("capabilities %v, want %v", got, capabilities)
				}
				text, _ := assemble(a.Code)
				for decoration, wanted := range map[string]bool{"NonWritable": access == ir.Read, "NonReadable": access == ir.Write, "Coherent": access == ir.ReadWrite} {
					if strings.Contains(text, "OpDecorate %h "+decoration) != wanted {
						t.Errorf("decoration %s is wrong in\n%s", decoration, text)
					}
				}
			})
		}
	}
}

// TestSharedImageTypes: textures whose types are one in SPIR-V share it: a module may not declare a
// type twice.
func TestSharedImageTypes(t *testing.T) {
	k := newBuffers()
	m := k.m
	at := k.load(k.vector(scalar.U32, 2))
	k.textureOp(op.TextureLoad, k.handle(m.TextureOf(texture.External, scalar.F32)), at)
	k.textureOp(op.TextureLoad, k.handle(m.TextureOf(texture.Sampled2D, scalar.F32)), at, m.ConstU32(0))
	k.textureOp(op.TextureRead, k.handle(m.StorageTextureOf(texture.Storage2D, texture.R32Float, ir.ReadWrite)), at)
	k.textureOp(op.TextureLoad, k.handle(m.StorageTextureOf(texture.Storage2D, texture.R32Float, ir.Read)), at)
	text, err := assemble(k.everyWay(t).Code)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(text, "OpTypeImage"); n != 2 {
		t.Errorf("%d types of images, want 2:\n%s", n, text)
	}
}

// throughCalls passes handles to a function.
const throughCalls = `
var @t : ptr<handle, texture_2d_array<f32>> [group 0, binding 0]
var @s : ptr<handle, sampler> [group 0, binding 1]
var @u : ptr<handle, texture_2d_array<f32>> [group 0, binding 2]
var @out : ptr<storage, array<vec4<f32>, 8u>, read_write> [group 0, binding 3]
fn @inner(%t: texture_2d_array<f32>, %s: sampler, %x: f32) : vec4<f32> {
  %p = construct %x, 0.5f : vec2<f32>
  %v = texture_sample %t, %s, %p, 1u, 0f : vec4<f32>
  return %v
}
fn @outer(%t: texture_2d_array<f32>, %s: sampler, %x: f32) : vec4<f32> {
  %a = call @inner, %t, %s, %x : vec4<f32>
  %b = call @inner, %t, %s, 0.25f : vec4<f32>
  %c = add %a, %b : vec4<f32>
  return %c
}
kernel @main() [workgroup 1u, 1u, 1u] {
  %t = load @t : texture_2d_array<f32>
  %s = load @s : sampler
  %u = load @u : texture_2d_array<f32>
  %a = call @outer, %t, %s, 1f : vec4<f32>
  %b = call @outer, %u, %s, 2f : vec4<f32>
  %p = access @out, 0u : ptr<storage, vec4<f32>, read_write>
  store %p, %a
  %q = access @out, 1u : ptr<storage, vec4<f32>, read_write>
  store %q, %b
  return
}
`

// throughManyCalls passes a texture down a chain of functions each of which calls
// the next twice: more than inlining may copy.
func throughManyCalls() string {
	var b strings.Builder
	b.WriteString(`
var @t : ptr<handle, texture_1d<u32>> [group 0, binding 0]
var @out : ptr<storage, vec4<u32>, read_write> [group 0, binding 1]
fn @f0(%t: texture_1d<u32>, %x: u32) : vec4<u32> {
  %v = texture_load %t, %x, 0u : vec4<u32>
  return %v
}
`)
	const depth = 15
	for n := 1; n <= depth; n++ {
		fmt.Fprintf(&b, `fn @f%d(%%t: texture_1d<u32>, %%x: u32) : vec4<u32> {
  %%y = mul %%x, 3u : u32
  %%a = call @f%d, %%t, %%x : vec4<u32>
  %%b = call @f%d, %%t, %%y : vec4<u32>
  %%c = xor %%a, %%b : vec4<u32>
  return %%c
}
`, n, n-1, n-1)
	}
	fmt.Fprintf(&b, `kernel @main(%%i: u32 [local_invocation_index]) [workgroup 1u, 1u, 1u] {
  %%t = load @t : texture_1d<u32>
  %%v = call @f%d, %%t, %%i : vec4<u32>
  store @out, %%v
  return
}
`, depth)
	return b.String()
}

// TestTooManyCallsToInline: functions with handles that stay functions are
// specialised for the variables.
func TestTooManyCallsToInline(t *testing.T) {
	m, _, items := ir.ParseString(throughManyCalls())
	if m == nil {
		t.Fatalf("does not parse: %+v", items)
	}
	var list diag.List
	a := codegen.Compile(m, "", &Target, &codegen.Options{NoOptimize: true}, &list)
	if a == nil {
		t.Fatal(list.Items())
	}
	validate(t, a.Code)
	text, err := assemble(a.Code)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text, "OpFunctionCall") {
		t.Error("everything is inlined")
	}
	noHandles(t, text)
}

// noHandles reports the parameters of functions that are no numbers.
func noHandles(t *testing.T, text string) {
	t.Helper()
	for line := range strings.Lines(text) {
		if _, kind, ok := strings.Cut(line, "OpFunctionParameter "); ok && !slices.Contains([]string{"%u32", "%i32", "%f32"}, strings.TrimSpace(kind)) {
			t.Errorf("a handle is a parameter: %s", line)
		}
	}
}

// TestHandlesAsParameters: handles that reach the emitter as parameters are
// values, and the pipelines leave none of them.
func TestHandlesAsParameters(t *testing.T) {
	validate(t, compileText(t, throughCalls, true))
	m, _, items := ir.ParseString(throughCalls)
	if m == nil {
		t.Fatalf("does not parse: %+v", items)
	}
	for _, plain := range []bool{false, true} {
		for _, bounds := range []opt.Bounds{opt.BoundsRobust, opt.BoundsTrap, opt.BoundsOff} {
			var list diag.List
			o := codegen.Options{Bounds: bounds, NoOptimize: plain, Context: &opt.Context{Verify: true}}
			a := codegen.Compile(m, "", &Target, &o, &list)
			if a == nil {
				t.Fatal(list.Items())
			}
			validate(t, a.Code)
			text, _ := assemble(a.Code)
			noHandles(t, text)
		}
	}
}

package spirv

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/spirv/grammar"
	"github.com/gpuc/gpuc/codegen/workaround"
	"github.com/gpuc/gpuc/frontend"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/abi"
)

// compileFragments compiles a module in text form for a profile.
func compileFragments(t *testing.T, text, profile string, o codegen.Options) *abi.Artefact {
	t.Helper()
	m, _, items := ir.ParseString(text)
	if m == nil {
		t.Fatalf("does not parse: %+v", items)
	}
	target, err := Target.With(profile)
	if err != nil {
		t.Fatal(err)
	}
	var list diag.List
	o.Context = &opt.Context{Verify: true}
	a := codegen.Compile(m, "main", target, &o, &list)
	if a == nil {
		t.Fatalf("does not compile: %v", list.Items())
	}
	validateFor(t, environments[profile], a.Code)
	return a
}

// fragmentLines returns the instructions on matrices and on the array that holds them, without
// their results.
func fragmentLines(t *testing.T, a *abi.Artefact) (lines []string) {
	text, err := assemble(a.Code)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(text, "\n") {
		_, after, found := strings.Cut(line, " = ")
		if !found {
			after = strings.TrimSpace(line)
		}
		if name, _, _ := strings.Cut(after, " "); strings.Contains(name, "CooperativeMatrix") && !strings.HasPrefix(name, "OpType") {
			lines = append(lines, after)
		}
	}
	return lines
}

// tileProgram has what the lowering of tiles makes: fragments in an array with constant indices,
// and workgroup arrays at positions that are aligned and inside.
const tileProgram = `
var @a : ptr<workgroup, array<f16, 1024u>>
var @b : ptr<workgroup, array<f16, 1024u>>
var @c : ptr<workgroup, array<f32, 512u>>
var @in : ptr<storage, array<f16>> [group 0, binding 0]
var @out : ptr<storage, array<f32>, read_write> [group 0, binding 1]

kernel @main(%lane: u32 [local_invocation_index]) [workgroup 32u, 1u, 1u] {
  %sums = var : ptr<function, array<fragment<result, f32, 16, 16>, 2u>>
  store %sums, zero<array<fragment<result, f32, 16, 16>, 2u>>
  loop ^fill(%n: u32 = %lane) {
    %from = access @in, %n : ptr<storage, f16>
    %h = load %from : f16
    %toa = access @a, %n : ptr<workgroup, f16>
    store %toa, %h
    %tob = access @b, %n : ptr<workgroup, f16>
    store %tob, %h
    continue ^fill()
  } continuing {
    %m = add %n, 32u : u32
    %filled = ge %m, 1024u : bool
    next ^fill(%m) break_if %filled()
  }
  barrier [workgroup]
  loop ^depth(%k: u32 = 0u) {
    %row = mul %k, 256u : u32
    %left = fragment_load @a, %row, false, 16u : fragment<left, f16, 16, 16>
    %column = mul %k, 16u : u32
    %right = fragment_load @b, %column, true, 64u : fragment<right, f16, 16, 16>
    %first = access %sums, 0u : ptr<function, fragment<result, f32, 16, 16>>
    %x = load %first : fragment<result, f32, 16, 16>
    %y = fragment_mul_add %left, %right, %x : fragment<result, f32, 16, 16>
    store %first, %y
    %second = access %sums, 1u : ptr<function, fragment<result, f32, 16, 16>>
    %z = load %second : fragment<result, f32, 16, 16>
    %w = fragment_add %z, %y : fragment<result, f32, 16, 16>
    store %second, %w
    continue ^depth()
  } continuing {
    %next = add %k, 1u : u32
    %done = ge %next, 4u : bool
    next ^depth(%next) break_if %done()
  }
  %one = access %sums, 0u : ptr<function, fragment<result, f32, 16, 16>>
  %sum = load %one : fragment<result, f32, 16, 16>
  fragment_store @c, 0u, %sum, false, 16u
  %two = access %sums, 1u : ptr<function, fragment<result, f32, 16, 16>>
  %total = load %two : fragment<result, f32, 16, 16>
  fragment_store @c, 256u, %total, true, 16u
  barrier [workgroup]
  loop ^empty(%e: u32 = %lane) {
    %p = access @c, %e : ptr<workgroup, f32>
    %v = load %p : f32
    %to = access @out, %e : ptr<storage, f32, read_write>
    store %to, %v
    continue ^empty()
  } continuing {
    %f = add %e, 32u : u32
    %emptied = ge %f, 512u : bool
    next ^empty(%f) break_if %emptied()
  }
  return
}
`

// TestFragments compiles fragments at known offsets, which need no tests and no other memory.
func TestFragments(t *testing.T) {
	a := compileFragments(t, tileProgram, cooperativeProfile, codegen.Options{Strip: true})
	var names []string
	for _, line := range fragmentLines(t, a) {
		name, _, _ := strings.Cut(line, " ")
		names = append(names, strings.TrimSuffix(strings.TrimPrefix(name, "OpCooperativeMatrix"), "KHR"))
	}
	if got := strings.Join(names, " "); got != "Load Load MulAdd Store Store" {
		t.Errorf("the module has %s", got)
	}
	k := &a.Kernel
	if k.WorkgroupBytes != 1024*2*2+512*4 || k.SubgroupSize != 32 || !slices.Contains(k.Requires, abi.CooperativeMatrices) {
		t.Errorf("described as %d bytes, subgroups of %d, requiring %v", k.WorkgroupBytes, k.SubgroupSize, k.Requires)
	}
	if a := compileFragments(t, tileProgram, "1.6", codegen.Options{}); declares(a.Code, grammar.CapabilityVulkanMemoryModel) || a.Kernel.SubgroupSize != 0 {
		t.Error("a module without matrices has the memory model of Vulkan")
	}
}

// TestMatrixKernels validates the kernels with the shapes of matrix units.
func TestMatrixKernels(t *testing.T) {
	paths, err := filepath.Glob("../../testdata/matrices/*.wgsl")
	if err != nil || len(paths) == 0 {
		t.Fatal("no kernels", err)
	}
	target, err := Target.With(cooperativeProfile)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		m := loadText(t, string(text))
		for _, o := range []codegen.Options{{}, {NoOptimize: true}, {Bounds: opt.BoundsOff, Strip: true}} {
			var list diag.List
			o.Context = &opt.Context{Verify: true}
			// the barrier of NVNestedLoop is one that newer validators refuse
			o.Workarounds = new(workaround.Set)
			a := codegen.Compile(m, "main", target, &o, &list)
			if a == nil || !declares(a.Code, grammar.CapabilityCooperativeMatrixKHR) {
				t.Fatalf("%s has no matrices: %v", path, list.Items())
			}
			validateFor(t, environments[cooperativeProfile], a.Code)
		}
	}
}

// loadText loads a module in WGSL.
func loadText(t *testing.T, text string) *ir.Module {
	t.Helper()
	var set source.Set
	var list diag.List
	file, err := set.Add("k.wgsl", text)
	if err != nil {
		t.Fatal(err)
	}
	m, err := frontend.Load(&set, file, frontend.Options{}, &list)
	if err != nil || m == nil {
		t.Fatal(err, list.Items())
	}
	return m
}

// TestMemoryModel looks at what is emitted for other accesses of a module with matrices.
func TestMemoryModel(t *testing.T) {
	const text = `enable f16; enable subgroups; enable chromium_experimental_subgroup_matrix;
		struct Shared { count: atomic<u32>, last: u32, rows: array<vec4u, 4> }
		@group(0) @binding(0) var<storage, read> given: Shared2;
		@group(0) @binding(1) var<storage, read_write> written: Shared;
		@group(0) @binding(2) var<uniform> uniforms: vec4u;
		@group(0) @binding(3) var image: texture_storage_2d<r32uint, read_write>;
		@group(0) @binding(4) var picture: texture_storage_2d<rgba32uint, write>;
		@group(0) @binding(5) var<storage, read_write> halves: array<f16, 256>;
		struct Shared2 { last: u32, rows: array<vec4u, 4> }
		var<workgroup> shared_word: u32;
		var<workgroup> shared_count: atomic<u32>;
		var<private> own: u32;
		@compute @workgroup_size(32) fn main(@builtin(local_invocation_index) i: u32) {
			if i == 0 { shared_word = uniforms.x; }
			workgroupBarrier();
			own = shared_word + atomicAdd(&shared_count, 1) + atomicLoad(&written.count);
			textureStore(image, vec2u(i), textureLoad(image, vec2u(i)));
			textureBarrier();
			textureStore(picture, vec2u(i), vec4u(own));
			if i == 0 { written.last = given.last; written.rows = given.rows; }
			storageBarrier();
			subgroupMatrixStore(&halves, 0, subgroup_matrix_left<f16, 16, 16>(f16(uniforms.y)), false, 16);
		}`
	m := loadText(t, text)
	var list diag.List
	target, err := Target.With(cooperativeProfile)
	if err != nil {
		t.Fatal(err)
	}
	for _, plain := range []bool{false, true} {
		a := codegen.Compile(m, "main", target, &codegen.Options{NoOptimize: plain}, &list)
		if a == nil {
			t.Fatal(list.Items())
		}
		validateFor(t, environments[cooperativeProfile], a.Code)
		code, err := assemble(a.Code)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range []string{
			`OpMemoryModel Logical Vulkan`,
			`OpStore %shared_word %\d+ NonPrivatePointer`,
			`OpLoad %u32 %shared_word NonPrivatePointer`,
			`OpImageRead %v4u32 %\d+ %\d+ NonPrivateTexel`,
			`OpImageWrite %\d+ %\d+ %\d+ NonPrivateTexel`,
			`OpImageWrite %\d+ %\d+ %\d+`, // of what no invocation reads
			`OpAtomicIAdd %u32 %shared_count %u32_2 %u32_0 %u32_1`,
			`OpAtomicLoad %u32 %\d+ %u32_5 %u32_0`,      // the queue family
			`OpControlBarrier %u32_2 %u32_2 %u32_24840`, // 0x6108: workgroup memory is made visible
			`OpControlBarrier %u32_2 %u32_2 %u32_24648`, // 0x6048: storage buffers are
			`OpControlBarrier %u32_2 %u32_2 %u32_26632`, // 0x6808: images are
			`OpCooperativeMatrixStoreKHR %\d+ %\d+ %u32_0 %u32_16 NonPrivatePointer`,
		} {
			if !regexp.MustCompile(`(?m)(^ *|= )` + line + `$`).MatchString(code) {
				t.Errorf("no line is %s", line)
			}
		}
		for _, part := range []string{"Coherent", "DeviceScope", `OpStore %own .*NonPrivate`, `OpLoad .* %given.*NonPrivate`} {
			if found := regexp.MustCompile(part).FindString(code); found != "" {
				t.Errorf("the module has %s", found)
			}
		}
	}
}

// TestFragmentElements compiles a kernel that sees which elements an invocation holds: it has arrays.
func TestFragmentElements(t *testing.T) {
	const text = `
var @c : ptr<storage, array<f32, 512u>, read_write> [group 0, binding 0]

kernel @main(%lane: u32 [local_invocation_index]) [workgroup 32u, 1u, 1u] {
  %sum = fragment_load @c, 0u, false, 16u : fragment<result, f32, 16, 16>
  %first = fragment_get %sum, 0u : f32
  %at = add %lane, 256u : u32
  %p = access @c, %at : ptr<storage, f32, read_write>
  store %p, %first
  return
}
`
	if a := compileFragments(t, text, cooperativeProfile, codegen.Options{}); declares(a.Code, grammar.CapabilityCooperativeMatrixKHR) {
		t.Error("elements of a cooperative matrix belong to an invocation")
	}
}

// TestFragmentOffsets stores at known offsets. Those that are not aligned, or not inside,
// go through workgroup memory.
func TestFragmentOffsets(t *testing.T) {
	const text = `
var @c : ptr<storage, array<f32, 512u>, read_write> [group 0, binding 2]
struct S [size 2064, align 4] { n: array<u32, 4u> [offset 0], c: array<f32, 512u> [offset 16] }
struct T [size 2052, align 4] { n: u32 [offset 0], c: array<f32, 512u> [offset 4] }
var @s : ptr<storage, S, read_write> [group 0, binding 0]
var @t : ptr<storage, T, read_write> [group 0, binding 1]

kernel @main(%group: vec3<u32> [workgroup_id]) [workgroup 32u, 1u, 1u] {
  %x = extract %group, 0u : u32
  %four = mul %x, 4u : u32
  %few = and %four, 15u : u32
  %sum = fragment_splat 1.0f : fragment<result, f32, 16, 16>
  %in_s = access @s, 1u : ptr<storage, array<f32, 512u>, read_write>
  %in_t = access @t, 1u : ptr<storage, array<f32, 512u>, read_write>
  fragment_store ARRAY, OFFSET, %sum, false, STRIDE
  return
}
`
	for _, test := range []struct {
		array, offset, stride string
		proved                bool
	}{
		{"@c", "0u", "16u", true},
		{"@c", "256u", "16u", true},
		{"@c", "260u", "16u", false}, // four elements are outside
		{"@c", "255u", "16u", false}, // not aligned
		{"@c", "4u", "32u", true},    // the last element is 499
		{"@c", "20u", "32u", false},
		{"@c", "0u", "18u", false},             // not aligned
		{"@c", "0u", "0u", false},              // no stride
		{"@c", "0u", "286331156u", false},      // wraps
		{"@c", "%few", "32u", true},            // up to 12
		{"@c", "%four", "32u", false},          // anywhere
		{"@c", "0u", "%few", false},            // may be 0
		{"%in_s", "0u", "16u", true},           // 16 bytes after the binding
		{"%in_t", "0u", "16u", false},          // 4 bytes after it
		{"%in_t", "3u", "16u", true},           // 16
		{"%in_t", "4294967295u", "16u", false}, // aligned, and far outside
	} {
		text := strings.NewReplacer("ARRAY", test.array, "OFFSET", test.offset, "STRIDE", test.stride).Replace(text)
		a := compileFragments(t, text, cooperativeProfile, codegen.Options{})
		if proved := a.Kernel.WorkgroupBytes == 0; proved != test.proved || proved && len(fragmentLines(t, a)) != 1 {
			t.Errorf("a store in %s from %s with a stride of %s takes %d bytes of workgroup memory", test.array, test.offset, test.stride, a.Kernel.WorkgroupBytes)
		}
	}
}

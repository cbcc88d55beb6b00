package spirv

import (
	"encoding/binary"
	"math"
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
	"github.com/gpuc/gpuc/internal/emulate"
	emulator "github.com/gpuc/gpuc/internal/emulate/spirv"
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

// TestFragmentElements compiles a kernel that sees which elements an invocation holds. It has
// arrays.
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

// brainKernel multiplies matrices of bfloat16, whose patterns its buffers have. One is at an offset
// that nothing proves to be aligned, and one has equal elements.
const brainKernel = `
var @a : ptr<storage, array<u16>> [group 0, binding 0]
var @b : ptr<storage, array<u16>, read_write> [group 0, binding 1]
var @c : ptr<storage, array<f32>, read_write> [group 0, binding 2]
kernel @main(%group: vec3<u32> [workgroup_id]) [workgroup 32u, 1u, 1u] {
  %at = extract %group, 0u : u32
  %l = fragment_load @a, %at, false, 16u : fragment<left, bf16, 16, 16>
  %r = fragment_load @a, 256u, true, 16u : fragment<right, bf16, 16, 16>
  %f = fragment_splat 16384su : fragment<right, bf16, 16, 16>
  %s = fragment_mul_add %l, %r, zero<fragment<result, f32, 16, 16>> : fragment<result, f32, 16, 16>
  %t = fragment_mul_add %l, %f, %s : fragment<result, f32, 16, 16>
  %to = mul %at, 256u : u32
  fragment_store @b, %to, %l, true, 16u
  fragment_store @c, %to, %t, false, 16u
  return
}
`

// TestBFloat16 runs products of bfloat16 in the emulator. Two workgroups load from offsets 0 and 1.
func TestBFloat16(t *testing.T) {
	number := func(n int) float32 { return float32(n*5%9) - 4 }
	var a []byte
	for n := range 512 {
		a = binary.LittleEndian.AppendUint16(a, uint16(math.Float32bits(number(n))>>16))
	}
	for _, o := range []codegen.Options{{}, {NoOptimize: true}, {Bounds: opt.BoundsOff}} {
		x := compileFragments(t, brainKernel, brainProfile, o)
		if k := &x.Kernel; !slices.Contains(k.Requires, abi.BFloat16Matrices) || !slices.Contains(k.Requires, abi.CooperativeMatrices) || !slices.Contains(k.Requires, abi.Int16) {
			t.Errorf("the kernel requires %v", k.Requires)
		}
		text, err := assemble(x.Code)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range []string{"OpCapability BFloat16TypeKHR", "OpCapability BFloat16CooperativeMatrixKHR", `OpExtension "SPV_KHR_bfloat16"`, "OpTypeFloat 16 BFloat16KHR"} {
			if !strings.Contains(text, line+"\n") {
				t.Errorf("no line has %s", line)
			}
		}
		if strings.Contains(text, "OpCapability Float16\n") {
			t.Error("the module has binary16")
		}
		b, c := make([]byte, 2*512), make([]byte, 4*512)
		l := &emulate.Launch{Entry: "main", Grid: [3]uint32{2, 1, 1}, Steps: 1 << 24,
			Buffers: []emulate.Buffer{{Binding: 0, Data: a}, {Binding: 1, Data: b}, {Binding: 2, Data: c}}}
		if err := emulator.Run(x.Code, l); err != nil {
			t.Fatal(err)
		}
		for group := range 2 {
			for row := range 16 {
				for column := range 16 {
					sum := float32(0)
					for k := range 16 { // the second matrix is loaded by column, and 0x4000 is 2
						sum += number(group+16*row+k) * (number(256+16*column+k) + 2)
					}
					if got := math.Float32frombits(binary.LittleEndian.Uint32(c[4*(256*group+16*row+column):])); got != sum {
						t.Errorf("group %d: row %d, column %d is %v, want %v", group, row, column, got, sum)
					}
					want := number(group + 16*row + column)
					if got := math.Float32frombits(uint32(binary.LittleEndian.Uint16(b[2*(256*group+16*column+row):])) << 16); got != want {
						t.Errorf("group %d: element (%d, %d) is stored as %v, want %v", group, row, column, got, want)
					}
				}
			}
		}
	}
	for _, o := range []codegen.Options{{Math: opt.MathStrict}, {Bounds: opt.BoundsTrap}} {
		if x := compileFragments(t, brainKernel, brainProfile, o); declares(x.Code, grammar.CapabilityBFloat16TypeKHR) {
			t.Errorf("%+v has matrices of bfloat16", o)
		}
	}
	if x := compileFragments(t, brainKernel, cooperativeProfile, codegen.Options{}); declares(x.Code, grammar.CapabilityCooperativeMatrixKHR) {
		t.Error("the profile without matrices of bfloat16 has matrices")
	}
}

// TestBFloat16IsNoNumber has the emulator refuse bfloat16 where no matrix unit has it, and modules
// that do not declare it.
func TestBFloat16IsNoNumber(t *testing.T) {
	const (
		typeBFloat16 = 22 | 4<<16 // OpTypeFloat with an encoding
		extension    = 10
	)
	x := compileFragments(t, brainKernel, brainProfile, codegen.Options{})
	for _, test := range []struct {
		name   string
		change func(words []uint32) bool // of an instruction
		want   string
	}{
		{"no capability", func(w []uint32) bool {
			return w[0]&0xffff == grammar.OpCapability && replaced(&w[1], grammar.CapabilityBFloat16TypeKHR, grammar.CapabilityShader)
		}, "lacks the capability BFloat16TypeKHR"},
		{"no capability for matrices", func(w []uint32) bool {
			return w[0]&0xffff == grammar.OpCapability && replaced(&w[1], grammar.CapabilityBFloat16CooperativeMatrixKHR, grammar.CapabilityShader)
		}, "lacks the capability BFloat16CooperativeMatrixKHR"},
		{"another encoding", func(w []uint32) bool { return w[0] == typeBFloat16 && replaced(&w[3], 0, 1) }, "floats of encoding 1"},
		{"another width", func(w []uint32) bool { return w[0] == typeBFloat16 && replaced(&w[2], 16, 32) }, "floats of 32 bits"},
		{"no extension", func(w []uint32) bool {
			return w[0]&0xffff == extension && len(w) == 6 && replaced(&w[4], w[4], w[4]^0x10)
		}, "not supported: extension"},
	} {
		code := slices.Clone(x.Code)
		words := make([]uint32, len(code)/4)
		for n := range words {
			words[n] = binary.LittleEndian.Uint32(code[4*n:])
		}
		changed := false
		for at := headerWords; at < len(words); at += int(words[at] >> 16) {
			changed = test.change(words[at:at+int(words[at]>>16)]) || changed
		}
		if !changed {
			t.Errorf("%s: nothing is changed", test.name)
		}
		code = code[:0]
		for _, w := range words {
			code = binary.LittleEndian.AppendUint32(code, w)
		}
		err := emulator.Run(code, &emulate.Launch{Entry: "main", Grid: [3]uint32{1, 1, 1}, Steps: 1 << 20})
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.name, err, test.want)
		}
	}
}

// replaced replaces a word that has a value.
func replaced(word *uint32, was, by uint32) bool {
	if *word != was {
		return false
	}
	*word = by
	return true
}

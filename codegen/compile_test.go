package codegen_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/all"
	"github.com/gpuc/gpuc/codegen/cpu"
	"github.com/gpuc/gpuc/codegen/spirv"
	"github.com/gpuc/gpuc/codegen/workaround"
	"github.com/gpuc/gpuc/frontend"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
	"github.com/gpuc/gpuc/ir/texture"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/abi"
)

// compiler is what a program keeps that compiles many kernels.
type compiler struct {
	context opt.Context
}

// load makes IR of a program that is right.
func (c *compiler) load(t testing.TB, name, text string) (*ir.Module, *diag.List) {
	var set source.Set
	list := new(diag.List)
	file, err := set.Add(name, text)
	if err != nil {
		t.Fatal(err)
	}
	m, err := frontend.Load(&set, file, frontend.Options{}, list)
	if err != nil || m == nil {
		t.Fatal(name, err, list.Items())
	}
	return m, list
}

// compile compiles all kernels of a program for a target, from text to code. A
// kernel that needs overrides gives nil.
func (c *compiler) compile(t testing.TB, name, text string, target *codegen.Target) (codes [][]byte, instructions int) {
	m, list := c.load(t, name, text)
	for _, f := range m.Funcs {
		instructions += f.InstCount() - 1
	}
	for _, k := range m.Kernels() {
		var code []byte
		if a := codegen.Compile(m, k.Name, target, &codegen.Options{Context: &c.context}, list); a != nil {
			code = a.Code
		}
		codes = append(codes, code)
	}
	frontend.Recycle(m)
	for _, d := range list.Items() {
		if d.Code != diag.MissingOverride && d.Code != diag.TargetUnsupported {
			t.Fatal(name, d.Message)
		}
	}
	return codes, instructions
}

// TestInterface compiles a kernel whose resources the source only names: the
// description has them, in each mode and for each target that can have them.
func TestInterface(t *testing.T) {
	const text = `
@group(0) @binding(0) var<storage> pointed: array<u32>;
@group(0) @binding(1) var<uniform> valued: vec4u;
@group(0) @binding(2) var<storage, read_write> out: array<u32>;
@group(1) @binding(0) var<storage> in_function: array<u32>;
@group(1) @binding(1) var<storage> untyped: buffer;
@group(1) @binding(2) var<storage> not_used: u32;
var<immediate> given: vec2u;
fn names() { _ = &in_function; _ = given; }
@compute @workgroup_size(1) fn main() { _ = &pointed; _ = valued; _ = &untyped; names(); out[0] = 1u; }
`
	for _, target := range all.Targets {
		for _, plain := range []bool{false, true} {
			var c compiler
			m, list := c.load(t, "interface.wgsl", text)
			a := codegen.Compile(m, "", target, &codegen.Options{NoOptimize: plain}, list)
			if a == nil {
				t.Fatal(target.Name, list.Items())
			}
			got := ""
			for _, b := range a.Kernel.Bindings {
				got += fmt.Sprintf("%d.%d %s, %d + %d; ", b.Group, b.Binding, b.Name, b.Size, b.Stride)
			}
			const want = "0.0 pointed, 0 + 4; 0.1 valued, 16 + 0; 0.2 out, 0 + 4; 1.0 in_function, 0 + 4; 1.1 untyped, 0 + 4; "
			if got != want {
				t.Errorf("%s: the bindings are %s", target.Name, got)
			}
			if i := a.Kernel.Immediates; i == nil || i.Name != "given" || i.Size != 8 {
				t.Errorf("%s: the immediates are %v", target.Name, i)
			}
		}
	}
}

// programs are the texts of the kernels under testdata/exec, by name.
func programs(t testing.TB) (names, texts []string) {
	names, err := filepath.Glob("../testdata/exec/*.wgsl")
	if err != nil || len(names) == 0 {
		t.Fatal("no programs", err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(text))
	}
	return names, texts
}

// TestReusedMemoryChangesNothing: memory that is used again leaves no trace. A compiler that has
// compiled all programs before writes the bytes that a new one writes.
func TestReusedMemoryChangesNothing(t *testing.T) {
	names, texts := programs(t)
	for _, target := range all.Targets {
		t.Run(string(target.Name), func(t *testing.T) {
			var old compiler
			for k := len(texts) - 1; k >= 0; k-- {
				old.compile(t, names[k], texts[k], target)
			}
			for k, text := range texts {
				again, _ := old.compile(t, names[k], text, target)
				fresh, _ := new(compiler).compile(t, names[k], text, target)
				for n := range fresh {
					if !bytes.Equal(again[n], fresh[n]) {
						t.Errorf("%s, kernel %d: other code from a compiler that was used before", names[k], n)
					}
				}
			}
		})
	}
}

// TestCheckedIsAsWritten: the checked device runs the program as it is written. Options about
// passes change nothing.
func TestCheckedIsAsWritten(t *testing.T) {
	names, texts := programs(t)
	compared := 0
	for k, text := range texts {
		m, list := new(compiler).load(t, names[k], text)
		for _, kernel := range m.Kernels() {
			fast := codegen.Compile(m, kernel.Name, &cpu.Checked, &codegen.Options{Lines: true}, list)
			plain := codegen.Compile(m, kernel.Name, &cpu.Checked, &codegen.Options{Lines: true, NoOptimize: true}, list)
			if fast == nil || plain == nil {
				continue // it needs overrides
			}
			if compared++; !bytes.Equal(fast.Code, plain.Code) {
				t.Errorf("%s, kernel %s: the code depends on whether to optimise", names[k], kernel.Name)
			}
		}
	}
	if compared < len(texts) {
		t.Errorf("%d kernels of %d programs were compared", compared, len(texts))
	}
}

// rounds is a kernel of n rounds of what real kernels do: loops, branches,
// calls, vectors, arrays, local and workgroup memory.
func rounds(n int) string {
	var b strings.Builder
	b.WriteString(`
struct Item { key: u32, weight: f32 }
@group(0) @binding(0) var<storage, read_write> items: array<Item>;
@group(0) @binding(1) var<uniform> scale: vec4f;
var<workgroup> shared_sums: array<f32, 64>;
fn mix_in(at: u32, x: f32) -> f32 { if at > 7u { return x * scale.x; } return fma(x, scale.y, scale.z); }
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) lane: u32) {
  var sum = vec4f(0);
  var parts: array<f32, 4>;
`)
	for k := range n {
		fmt.Fprintf(&b, `  {
    let item = items[id.x + %[1]du];
    for (var i = 0u; i < item.key; i++) {
      sum += vec4f(item.weight, f32(i), mix_in(i, %[1]d.5), 1) * scale;
      if sum.x > %[1]d { break; }
    }
    parts[item.key %% 4u] += sqrt(sum.y) / sum.z;
    shared_sums[lane] = parts[lane & 3u];
    workgroupBarrier();
    items[id.x].weight = shared_sums[63u - lane] + sum.w;
    workgroupBarrier();
  }
`, k)
	}
	b.WriteString("}\n")
	return b.String()
}

// TestAllocationsDoNotGrowWithInstructions: nothing is allocated per instruction in steady state.
// A kernel eight times as large, of thousands of instructions, makes at most a quarter more
// allocations, for what grows with the logarithm of the size, such as a slice. There is less than
// one allocation for ten instructions.
func TestAllocationsDoNotGrowWithInstructions(t *testing.T) {
	var c compiler
	measure := func(n int) (allocations float64, instructions int) {
		text := rounds(n)
		run := func() { _, instructions = c.compile(t, "rounds.wgsl", text, &spirv.Target) }
		run()
		return testing.AllocsPerRun(5, run), instructions
	}
	measure(80) // grows the memory
	small, few := measure(10)
	large, many := measure(80)
	t.Logf("%d instructions: %v allocations; %d instructions: %v allocations", few, small, many, large)
	if many < 7*few {
		t.Fatalf("the large kernel has %d instructions, the small one %d", many, few)
	}
	if large > 1.25*small || large > float64(many)/10 {
		t.Errorf("%d instructions take %v allocations, %d take %v", few, small, many, large)
	}
}

// TestSharedMemory: goroutines that compile different programs for different targets, each
// with contexts of its own, use the same memory one after the other, and
// write what one alone does.
func TestSharedMemory(t *testing.T) {
	files, err := filepath.Glob("../testdata/exec/[a-m]*.wgsl")
	if err != nil || len(files) < 40 {
		t.Fatal(files, err)
	}
	texts, want := make([]string, len(files)), make([][][]byte, len(files))
	targetOf := func(n int) *codegen.Target { return all.Targets[n%len(all.Targets)] }
	compile := func(n int) [][]byte {
		codes, _ := new(compiler).compile(t, files[n], texts[n], targetOf(n))
		return codes
	}
	for n, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		texts[n] = string(data)
		want[n] = compile(n)
	}
	var group sync.WaitGroup
	for g := range 8 {
		group.Go(func() {
			for k := range files {
				n := (k*7 + g*11) % len(files)
				if d := cmp.Diff(want[n], compile(n)); d != "" {
					t.Errorf("%s: (-alone +together)\n%s", files[n], d)
				}
			}
		})
	}
	group.Wait()
}

// BenchmarkCompile compiles one kernel of middle size, from text to SPIR-V.
func BenchmarkCompile(b *testing.B) {
	text, err := os.ReadFile("../testdata/exec/ray_tracer.wgsl")
	if err != nil {
		b.Fatal(err)
	}
	var c compiler
	_, instructions := c.compile(b, "ray_tracer.wgsl", string(text), &spirv.Target)
	b.ReportAllocs()
	for b.Loop() {
		c.compile(b, "ray_tracer.wgsl", string(text), &spirv.Target)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*instructions), "ns/inst")
}

// BenchmarkStages says where the time behind the front end goes: the copy of the
// kernel, each pass, each legaliser, the verifier and the emitter. Figures are
// for an instruction of the input.
func BenchmarkStages(b *testing.B) {
	text, err := os.ReadFile("../testdata/exec/ray_tracer.wgsl")
	if err != nil {
		b.Fatal(err)
	}
	var c compiler
	m, list := c.load(b, "ray_tracer.wgsl", string(text))
	kernel := m.Kernels()[0]
	instructions := 0
	for _, f := range m.Funcs {
		instructions += f.InstCount() - 1
	}
	var x ir.Extractor
	c.context.List, c.context.Timed = list, true
	names := []string{"extract"}
	for _, p := range opt.Standard() {
		names = append(names, p.Name)
	}
	for _, p := range spirv.Target.Lowering(workaround.All) {
		names = append(names, p.Name)
	}
	names = append(names, "verify", "emit")
	times := make([]time.Duration, len(names))
	b.ReportAllocs()
	for b.Loop() {
		start := time.Now()
		m, f := x.Extract(m, kernel)
		times[0] += time.Since(start)
		c.context.Times = c.context.Times[:0]
		c.context.Run(m, spirv.Target.Lowering(workaround.All), c.context.Run(m, opt.Standard(), ir.Initial))
		for k, t := range c.context.Times {
			times[1+k] += t.Time
		}
		start = time.Now()
		ir.Verify(m, list)
		times[len(times)-2] += time.Since(start)
		start = time.Now()
		spirv.Target.Emit(&codegen.Emission{Context: &c.context, Module: m, Kernel: f, Profile: &spirv.Target.Profiles[0], Workarounds: workaround.All})
		times[len(times)-1] += time.Since(start)
	}
	for k, name := range names {
		b.ReportMetric(float64(times[k].Nanoseconds())/float64(instructions*b.N), fmt.Sprintf("%02d.%s-ns/inst", k, name))
	}
	if list.Errors() > 0 {
		b.Fatal(list.Items())
	}
}

// TestDescriptionOfRewrittenUniforms: a uniform buffer that SPIR-V reads as words
// is described as the source declares it, so that a launch takes a buffer of its
// size.
func TestDescriptionOfRewrittenUniforms(t *testing.T) {
	const text = `enable f16;
		struct S { a: mat2x2<f16> }
		@group(0) @binding(0) var<uniform> s: S;
		@group(0) @binding(1) var<storage, read_write> o: vec2<f16>;
		@compute @workgroup_size(1) fn main() { o = s.a[0] + s.a[1]; }`
	for _, target := range all.Targets {
		var c compiler
		m, list := c.load(t, "uniform.wgsl", text)
		a := codegen.Compile(m, "main", target, &codegen.Options{}, list)
		if a == nil {
			t.Fatal(target.Name, list.Items())
		}
		b := a.Kernel.Bindings[0]
		if b.Size != 8 || b.Element != "f16" || b.Type != "S" {
			t.Errorf("target %s describes the uniform buffer as %d bytes of %q, type %s; want 8 of f16, type S",
				target.Name, b.Size, b.Element, b.Type)
		}
	}
}

// TestDescriptionOfPrivateMemory: what each invocation keeps is described from 8 KiB
// on, with the largest variable. In SPIR-V what is beyond 7 KiB together is scratch memory.
func TestDescriptionOfPrivateMemory(t *testing.T) {
	for _, test := range []struct {
		words   int
		want    *abi.Private
		scratch *abi.Scratch // of SPIR-V, which has no more then
	}{
		{896, nil, nil},
		{897, nil, &abi.Scratch{Stride: 3600, Name: "t", NameBytes: 3588}},
		{1025, &abi.Private{Bytes: 8200, Name: "t", NameBytes: 4100}, &abi.Scratch{Stride: 4112, Name: "t", NameBytes: 4100}},
		{4096, &abi.Private{Bytes: 32768, Name: "t", NameBytes: 16384}, &abi.Scratch{Stride: 32768, Name: "t", NameBytes: 16384}},
	} {
		text := fmt.Sprintf(`
			var<private> t: array<u32, %[1]d>;
			@group(0) @binding(0) var<storage, read_write> o: array<u32>;
			@compute @workgroup_size(1) fn main() {
				var v: array<u32, %[1]d>;
				for (var i = 0u; i < %[1]d; i++) { t[o[i]] ^= i; v[t[i]] += o[i]; }
				o[0] = v[o[1]];
			}`, test.words)
		for _, target := range all.Targets {
			if target.AsWritten {
				continue // its code has all the variables of the source
			}
			var c compiler
			m, list := c.load(t, "private.wgsl", text)
			a := codegen.Compile(m, "main", target, &codegen.Options{}, list)
			if a == nil {
				t.Fatal(target.Name, list.Items())
			}
			want, scratch := test.want, (*abi.Scratch)(nil)
			if target == &spirv.Target {
				want, scratch = nil, test.scratch
			}
			if d := cmp.Diff(want, a.Kernel.Private) + cmp.Diff(scratch, a.Kernel.Scratch); d != "" {
				t.Errorf("%d words for %s: (-want +got)\n%s", test.words, target.Name, d)
			}
		}
	}
}

// TestDescriptionOfText: the text of what a target's passes leave has all that they
// tell the description, and passes that come over it again change nothing of that. The
// types are those that the passes have left.
func TestDescriptionOfText(t *testing.T) {
	text := `
		requires buffer_view;
		struct Uneven { m: mat3x2f, a: array<vec2f, 3> }
		@group(0) @binding(0) var<storage> untyped: buffer;
		@group(0) @binding(1) var<uniform> uneven: Uneven;
		@group(0) @binding(2) var<storage, read_write> out: array<f32, 8>;
		const table = array(` + strings.Repeat("7u, 0x12345, ", 300) + `);
		var<private> large: array<u32, 4096>;
		@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {
			large[i] = table[i * 11];
			out[i32(i) - 1] = uneven.a[i].x + *bufferView<f32>(&untyped, 4) + f32(large[i * 99]);
		}`
	for _, target := range all.Targets {
		for _, way := range target.Ways() {
			if strings.HasSuffix(way.Name, "with views") {
				continue // Prepare replaces them
			}
			if way.Name == "large launches" {
				continue // its description has what the host checks
			}
			options := codegen.Options{NoOptimize: strings.HasSuffix(way.Name, "-O0")}
			if strings.HasPrefix(way.Name, "trap") {
				options.Bounds = opt.BoundsTrap
			}
			var c compiler
			m, list := c.load(t, "text.wgsl", text)
			want := codegen.Compile(m, "", target, &options, list)
			codegen.Prepare(m, "", nil, &codegen.DeviceLimits, list)
			c.context.Bounds, c.context.List = options.Bounds, list
			c.context.Run(m, way.Passes, ir.Initial)
			again, list := c.load(t, "text.ir", string(m.AppendText(nil, ir.PrintOptions{Spans: true})))
			got := codegen.Compile(again, "", target, &options, list)
			if want == nil || got == nil {
				t.Fatal(target.Name, way.Name, list.Items())
			}
			for _, k := range []*abi.Kernel{&want.Kernel, &got.Kernel} {
				k.Parameters = nil // what the code reads
				k.Structs = nil
				for n := range k.Bindings {
					k.Bindings[n].Type, k.Bindings[n].Element = "", ""
				}
				if has := target == &spirv.Target; (k.Scratch != nil) != has || (k.Tables != nil) != has || (k.Fault != nil) != (options.Bounds == opt.BoundsTrap) {
					t.Errorf("%s, %s: the description is %+v", target.Name, way.Name, k)
				}
			}
			if d := cmp.Diff(want.Kernel, got.Kernel); d != "" {
				t.Errorf("%s, %s: the text is described in another way (-want +got)\n%s", target.Name, way.Name, d)
			}
		}
	}
}

// TestProfileLimits: a kernel that needs more than its profile grants is refused with the least
// later profile that grants it, or else the least; without a profile the device decides.
func TestProfileLimits(t *testing.T) {
	for _, test := range []struct {
		title string
		words int
		note  string // "" means accepted
	}{
		{"ptx", 227 << 8, ""}, {"ptx:sm_90", 227 << 8, ""}, {"ptx:sm_80", 163 << 8, ""}, {"ptx:sm_70", 96 << 8, ""},
		{"ptx:sm_80", 163<<8 + 1, "ptx:sm_90 has as much"},
		{"ptx:sm_75", 64<<8 + 1, "ptx:sm_80 has as much"},
		{"ptx:sm_120", 100 << 8, "ptx:sm_80 has as much"},
		{"spirv:1.3", 227 << 8, ""},
	} {
		target, err := all.Find(test.title)
		if err != nil {
			t.Fatal(err)
		}
		var c compiler
		m, list := c.load(t, "memory.wgsl", fmt.Sprintf(`
			@group(0) @binding(0) var<storage, read_write> o: array<u32>;
			var<workgroup> w: array<u32, %d>;
			@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {
				w[i * 5] = o[i]; workgroupBarrier(); o[i] = w[i * 7];
			}`, test.words))
		a := codegen.Compile(m, "", target, &codegen.Options{}, list)
		switch {
		case test.note == "":
			if a == nil {
				t.Errorf("%s, %d words: %v", test.title, test.words, list.Items())
			}
		case a != nil || list.Errors() != 1:
			t.Errorf("%s, %d words: %v, want an error", test.title, test.words, list.Items())
		default:
			items := list.Items() // the front end's warning first
			if notes := items[len(items)-1].Notes; len(notes) != 1 || notes[0].Message != test.note {
				t.Errorf("%s, %d words: notes %v, want %q", test.title, test.words, notes, test.note)
			}
		}
	}
	for title, want := range map[string]string{
		"ptx:sm_1": "target ptx has no profile `sm_1`; its profiles are sm_70, ",
		"cpu:fast": "target cpu has no profiles, found `fast`",
		"metal:3":  "there is no target `metal`; the targets are spirv, ptx, ",
	} {
		if _, err := all.Find(title); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %q", title, err, want)
		}
	}
}

// TestStructs: a description has the layouts of the structures in buffers, as the source
// declares them, whatever the target's passes make of them.
func TestStructs(t *testing.T) {
	const text = `
		struct Inner { @align(16) a: f32, b: vec3<u32>, c: array<mat2x3<f32>, N> }
		struct Uneven { m: mat3x2<f32>, a: array<vec2<f32>, 3>, i: array<Inner, 2> }
		struct Tail { count: atomic<u32>, rest: array<array<Inner, 3>> }
		struct Constants { x: vec2<f32>, y: u32 }
		struct Unused { x: u32 }
		const N = 4;
		override O = 2u;
		@group(0) @binding(2) var<storage, read_write> tail: Tail;
		@group(0) @binding(1) var<uniform> uneven: Uneven;
		@group(1) @binding(0) var<storage, read_write> plain: array<f32>;
		var<immediate> constants: Constants;
		var<workgroup> w: array<Unused, O>;
		@compute @workgroup_size(1) fn main(@builtin(local_invocation_index) i: u32) {
			w[i].x = i;
			plain[i] = uneven.i[i].a + tail.rest[i][1].a + constants.x.y + f32(w[i ^ 1].x);
			atomicAdd(&tail.count, constants.y);
		}`
	// sizes and offsets by WGSL §14.4.1, worked out by hand
	inner := abi.Struct{Name: "Inner", Size: 160, Align: 16, Members: []abi.Member{
		{Name: "a", Type: "f32", Offset: 0, Size: 4},
		{Name: "b", Type: "vec3<u32>", Offset: 16, Size: 12},
		{Name: "c", Type: "array<mat2x3<f32>, 4u>", Offset: 32, Size: 128, Stride: 32},
	}}
	want := []abi.Struct{
		inner,
		{Name: "Uneven", Size: 368, Align: 16, Members: []abi.Member{
			{Name: "m", Type: "mat3x2<f32>", Offset: 0, Size: 24, Stride: 8},
			{Name: "a", Type: "array<vec2<f32>, 3u>", Offset: 24, Size: 24, Stride: 8},
			{Name: "i", Type: "array<Inner, 2u>", Offset: 48, Size: 320, Stride: 160},
		}},
		{Name: "Tail", Size: 496, Align: 16, Members: []abi.Member{
			{Name: "count", Type: "atomic<u32>", Offset: 0, Size: 4},
			{Name: "rest", Type: "array<array<Inner, 3u>>", Offset: 16, Size: 0, Stride: 480},
		}},
		{Name: "Constants", Size: 16, Align: 8, Members: []abi.Member{
			{Name: "x", Type: "vec2<f32>", Offset: 0, Size: 8},
			{Name: "y", Type: "u32", Offset: 8, Size: 4},
		}},
	}
	for _, target := range all.Targets {
		var c compiler
		m, list := c.load(t, "structs.wgsl", text)
		a := codegen.Compile(m, "", target, &codegen.Options{}, list)
		if a == nil {
			t.Fatal(target.Name, list.Items())
		}
		if d := cmp.Diff(want, a.Kernel.Structs); d != "" {
			t.Errorf("%s: (-want +got)\n%s", target.Name, d)
		}
		for n, b := range []abi.Binding{
			{Name: "uneven", Binding: 1, Access: abi.Uniform, Size: 368, Type: "Uneven"},
			{Name: "tail", Binding: 2, Access: abi.ReadWrite, Size: 16, Stride: 480, Type: "Tail"},
			{Name: "plain", Group: 1, Access: abi.ReadWrite, Stride: 4, Element: "f32", Type: "array<f32>"},
		} {
			if d := cmp.Diff(b, a.Kernel.Bindings[n]); d != "" {
				t.Errorf("%s: (-want +got)\n%s", target.Name, d)
			}
		}
	}
}

// TestDescriptionOfRoles: what the runtime provides comes behind the program's bindings
// in the order in which the description says which is which, wherever it lies.
func TestDescriptionOfRoles(t *testing.T) {
	const text = `struct S [size 32, align 4] { a: u32 [offset 0] }
		var @tables : ptr<storage, u32> [group 0, binding 0] [role tables] = 7u
		var @x : ptr<storage, u32, read_write> [group 0, binding 1]
		var @scratch : ptr<storage, array<S>, read_write> [group 0, binding 2] [role scratch]
		var @record : ptr<storage, S, read_write> [group 1, binding 0] [role fault_record]
		var @y : ptr<storage, u32, read_write> [group 2, binding 0]
		kernel @main() [workgroup 1u, 1u, 1u] {
			%a = load @tables : u32
			%b = load @x : u32
			%c = array_length @scratch : u32
			%d = load @y : u32
			%r = access @record, 0u : ptr<storage, u32, read_write>
			%e = load %r : u32
			return
		}`
	for _, target := range all.Targets {
		var c compiler
		m, list := c.load(t, "roles.ir", text)
		var reached []string
		// what a launch on the CPU binds
		for _, v := range ir.ReachOf(m, m.Kernels()[0]).Resources {
			reached = append(reached, m.Global(v).Name)
		}
		a := codegen.Compile(m, "", target, &codegen.Options{}, list)
		if a == nil {
			t.Fatal(target.Name, list.Items())
		}
		var names []string
		for _, b := range a.Kernel.Bindings {
			names = append(names, b.Name)
		}
		want := []string{"x", "y", "record", "scratch", "tables"}
		if _, fault, scratch, tables := a.Kernel.Hidden(); fault != 2 || scratch != 3 || tables != 4 {
			t.Errorf("%s: hidden are %d, %d and %d", target.Name, fault, scratch, tables)
		}
		if d := cmp.Diff(want, names) + cmp.Diff(want, reached); d != "" {
			t.Errorf("%s: (-want +got)\n%s", target.Name, d)
		}
	}
}

// TestDescriptionOfHandles: textures and samplers are listed by group and
// binding, each as its type says, and are no buffers.
func TestDescriptionOfHandles(t *testing.T) {
	const text = `
var @storage : ptr<handle, texture_storage_2d_array<rgba16float, write>> [group 1, binding 2]
var @compare : ptr<handle, sampler_comparison> [group 1, binding 0]
var @other : ptr<handle, texture_3d<u32>> [group 0, binding 9]
var @integers : ptr<handle, texture_multisampled_2d<i32>> [group 0, binding 7]
var @both : ptr<handle, texture_storage_1d<r32uint, read_write>> [group 0, binding 4]
var @out : ptr<storage, array<vec4<f32>>, read_write> [group 0, binding 3]
var @shadow : ptr<handle, texture_depth_cube_array> [group 0, binding 2]
var @linear : ptr<handle, sampler> [group 0, binding 1]
var @video : ptr<handle, texture_external> [group 0, binding 0]
kernel @main() [workgroup 1u, 1u, 1u] {
  %storage = load @storage : texture_storage_2d_array<rgba16float, write>
  %shadow = load @shadow : texture_depth_cube_array
  %video = load @video : texture_external
  %linear = load @linear : sampler
  %compare = load @compare : sampler_comparison
  %integers = load @integers : texture_multisampled_2d<i32>
  %both = load @both : texture_storage_1d<r32uint, read_write>
  %a = texture_sample %video, %linear, vec2<f32>(0.5f, 0.5f), 0f : vec4<f32>
  %b = texture_sample_compare %shadow, %compare, vec3<f32>(0f, 0f, 1f), 1u, 0.5f : f32
  %c = texture_load %integers, vec2<u32>(0u, 0u), 3u : vec4<i32>
  %d = convert %c : vec4<f32>
  %e = splat %b : vec4<f32>
  %f = add %a, %d : vec4<f32>
  %g = add %e, %f : vec4<f32>
  texture_store %storage, vec2<u32>(1u, 1u), 2u, %g
  texture_store %both, 3u, vec4<u32>(1u, 2u, 3u, 4u)
  %p = access @out, 0u : ptr<storage, vec4<f32>, read_write>
  store %p, %g
  return
}
`
	f32, i32, u32 := "f32", "i32", "u32"
	want := []abi.Handle{
		{Name: "video", Group: 0, Binding: 0, Type: "texture_external",
			Texture: &abi.Texture{Shape: texture.External, Channel: f32, Access: abi.Read}},
		{Name: "linear", Group: 0, Binding: 1, Type: "sampler"},
		{Name: "shadow", Group: 0, Binding: 2, Type: "texture_depth_cube_array",
			Texture: &abi.Texture{Shape: texture.DepthCubeArray, Channel: f32, Access: abi.Read}},
		{Name: "both", Group: 0, Binding: 4, Type: "texture_storage_1d<r32uint, read_write>",
			Texture: &abi.Texture{Shape: texture.Storage1D, Channel: u32, Format: texture.R32Uint, Access: abi.ReadWrite}},
		{Name: "integers", Group: 0, Binding: 7, Type: "texture_multisampled_2d<i32>",
			Texture: &abi.Texture{Shape: texture.Multisampled2D, Channel: i32, Access: abi.Read}},
		{Name: "compare", Group: 1, Binding: 0, Type: "sampler_comparison", Comparison: true},
		{Name: "storage", Group: 1, Binding: 2, Type: "texture_storage_2d_array<rgba16float, write>",
			Texture: &abi.Texture{Shape: texture.Storage2DArray, Channel: f32, Format: texture.RGBA16Float, Access: abi.Write}},
	}
	for _, target := range all.Targets {
		m, _, items := ir.ParseString(text)
		if m == nil {
			t.Fatal(items)
		}
		var list diag.List
		a := codegen.Compile(m, "main", target, &codegen.Options{}, &list)
		if target.Handles == "" {
			placed := 0 // of the notes; another may say why
			for _, d := range list.Items() {
				for _, n := range d.Notes {
					if n.Span.Valid() {
						placed++
					}
				}
			}
			if items := list.Items(); a != nil || len(items) != 1 || placed != len(want)-1 {
				t.Errorf("target %s compiles textures, or says other than once that it does not, with a note for each further one: %v", target.Name, items)
			}
			continue
		}
		if a == nil {
			t.Fatal(target.Name, list.Items())
		}
		if d := cmp.Diff(want, a.Kernel.Handles); d != "" {
			t.Errorf("target %s describes other handles (-want +got):\n%s", target.Name, d)
		}
		if len(a.Kernel.Bindings) != 1 || a.Kernel.Bindings[0].Name != "out" {
			t.Errorf("target %s describes the buffers %v", target.Name, a.Kernel.Bindings)
		}
		data, err := a.Kernel.Marshal()
		if err != nil {
			t.Fatal(err)
		}
		again, err := abi.Unmarshal(data)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(a.Kernel.Handles, again.Handles); d != "" {
			t.Errorf("the description changes on its way through JSON (-want +got):\n%s\n%s", d, data)
		}
	}
}

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
	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/abi"
)

// compiler is a compiler that compiles many kernels with one context.
type compiler struct {
	context opt.Context
}

// load parses and lowers a valid program.
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

// compile compiles all kernels of a program for a target, from text to code. The code of a kernel
// that needs overrides is nil.
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

// TestReusedMemoryChangesNothing: a compiler that has compiled all programs before writes the same
// bytes as a new one.
func TestReusedMemoryChangesNothing(t *testing.T) {
	names, texts := programs(t)
	for _, target := range all.Targets {
		t.Run(string(target.Name), func(t *testing.T) {
			var old compiler
			for k := len(texts) - 1; k >= 0; k-- {
				old.compile(t, names[k], texts[k], target)
			}
			for k, text := range texts {
				if !testmode.Picked(names[k]) {
					continue
				}
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

// TestCheckedIsAsWritten: the checked device runs the program as it is written, so that options
// about passes do not matter.
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

// rounds is a kernel of n rounds of typical code: loops, branches, calls, vectors, arrays, local
// and workgroup memory.
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

// TestAllocationsDoNotGrowWithInstructions: in steady state, nothing is allocated per instruction.
// A kernel that is eight times as large, with thousands of instructions, may have a quarter more
// allocations, for slices that grow. There is less than one allocation for ten instructions.
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

// TestSharedMemory: goroutines with separate contexts compile different programs for different
// targets. They reuse the same memory one after the other, and write the same code as one alone.
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
	for g := range testmode.Count(3, 8, 8) {
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

// BenchmarkStages measures the stages after the front end per instruction of the input: the copy
// of the kernel, each pass, the verifier and the emitter.
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

// TestDescriptionOfText: the text of a module after a target's passes has all that the description
// needs, and another compilation of it does not change the description. The types are those after
// the passes.
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

// TestProfileLimits: a kernel that needs more than its profile has is refused. The note names the
// lowest later profile that has it, or else the lowest. Without a profile the device decides.
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

package opt

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
)

func parseModule(t testing.TB, text string) *ir.Module {
	t.Helper()
	m, _, items := ir.ParseString(text)
	if m == nil {
		t.Fatalf("does not parse: %+v\n%s", items, text)
	}
	verifyModule(t, m)
	return m
}

func verifyModule(t testing.TB, m *ir.Module) {
	t.Helper()
	var list diag.List
	if ir.Verify(m, &list); list.Errors() > 0 {
		t.Fatalf("invalid: %s %v", list.Items()[0].Message, list.Items()[0].Notes)
	}
}

// chain is a module in which each of n functions calls the next twice.
func chain(n int, param, argument, leaf string) string {
	var s strings.Builder
	s.WriteString("var @data : ptr<storage, array<u32>, read_write> [group 0, binding 0]\n")
	fmt.Fprintf(&s, "fn @f%d(%%p: %s) : u32 {\n%s  return %%r\n}\n", n, param, leaf)
	for k := n - 1; k >= 0; k-- {
		fmt.Fprintf(&s, "fn @f%d(%%p: %s) : u32 {\n  %%a = call @f%d, %%p : u32\n  %%b = call @f%d, %%p : u32\n  %%r = add %%a, %%b : u32\n  return %%r\n}\n", k, param, k+1, k+1)
	}
	fmt.Fprintf(&s, "kernel @main(%%i: u32 [local_invocation_index]) [workgroup 1u, 1u, 1u] {\n%s  %%r = call @f0, %%x : u32\n"+
		"  %%q = access @data, 0u : ptr<storage, u32, read_write>\n  store %%q, %%r\n  return\n}\n", argument)
	return s.String()
}

// TestInlineIsBounded compiles chains of 2^60 calls.
func TestInlineIsBounded(t *testing.T) {
	for _, test := range []struct{ name, param, argument, leaf string }{
		{"values", "u32", "  %x = add %i, 1u : u32\n", "  %r = mul %p, %p : u32\n"},
		{"pointers to variables", "ptr<function, u32>", "  %x = var : ptr<function, u32>\n  store %x, %i\n",
			"  %r = load %p : u32\n  store %p, 3u\n"},
		{"pointers into buffers", "ptr<storage, u32, read_write>", "  %x = access @data, %i : ptr<storage, u32, read_write>\n",
			"  %r = load %p : u32\n  store %p, 3u\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := parseModule(t, chain(60, test.param, test.argument, test.leaf))
			c := &Context{List: new(diag.List)}
			n := Scratch[inliner](c, "inline")
			n.limits = limits{function: 300, growth: 2000}
			n.run(c, m)
			c.Run(m, []Pass{Specialize}, ir.Initial)
			verifyModule(t, m)
			total := 0
			for _, f := range m.Funcs {
				total += instCount(f)
				if size := instCount(f); size > 300 {
					t.Errorf("@%s has %d instructions", f.Name, size)
				}
			}
			if total > 3000 {
				t.Errorf("the module has %d instructions", total)
			}
			if text := m.Text(); strings.Contains(text, "%p: ptr<storage") {
				t.Errorf("a function still takes a pointer into a buffer:\n%s", text)
			}
			c.Run(m, Standard(), ir.Initial)
			verifyModule(t, m)
		})
	}
}

// TestSpecialize gives a function pointers into two buffers and shares the copy
// among calls that differ only in their dynamic indices.
func TestSpecialize(t *testing.T) {
	m := parseModule(t, `var @a : ptr<storage, array<vec2<u32>>, read_write> [group 0, binding 0]
var @b : ptr<storage, array<vec2<u32>>, read_write> [group 0, binding 1]

fn @bump(%p: ptr<storage, u32, read_write>, %n: u32) {
  %x = load %p : u32
  %y = add %x, %n : u32
  store %p, %y
  return
}

fn @both(%p: ptr<storage, vec2<u32>, read_write>) {
  %p0 = access %p, 0u : ptr<storage, u32, read_write>
  call @bump, %p0, 1u
  %p1 = access %p, 1u : ptr<storage, u32, read_write>
  call @bump, %p1, 2u
  return
}

kernel @main(%i: u32 [local_invocation_index]) [workgroup 1u, 1u, 1u] {
  %pa = access @a, %i : ptr<storage, vec2<u32>, read_write>
  call @both, %pa
  %j = add %i, 1u : u32
  %pb = access @a, %j : ptr<storage, vec2<u32>, read_write>
  call @both, %pb
  %pc = access @b, 3u : ptr<storage, vec2<u32>, read_write>
  call @both, %pc
  return
}
`)
	c := &Context{List: new(diag.List), Verify: true}
	c.Run(m, []Pass{Specialize}, ir.Initial)
	want := `fn @both.3(%.0: u32) {
  %.1 = access @a, %.0 : ptr<storage, vec2<u32>, read_write>
  %p0 = access %.1, 0u : ptr<storage, u32, read_write>
  call @bump.5, %.0, 0u, 1u
  %p1 = access %.1, 1u : ptr<storage, u32, read_write>
  call @bump.5, %.0, 1u, 2u
  return
}
`
	text := m.Text()
	if !strings.Contains(text, want) {
		t.Errorf("no specialised function as wanted:\n%s", text)
	}
	// both and bump for each of @a and @b
	if got := len(m.Funcs); got != 1+2+2 {
		t.Errorf("%d functions, want 5:\n%s", got, text)
	}
	if strings.Contains(text, "@both,") || strings.Contains(text, "@bump,") {
		t.Errorf("an unspecialised function is still called:\n%s", text)
	}
}

// TestSpecializeHandles gives a function textures and a sampler, through another
// one: what is left takes neither, and there is one copy for each texture.
func TestSpecializeHandles(t *testing.T) {
	m := parseModule(t, `var @a : ptr<handle, texture_2d<f32>> [group 0, binding 0]
var @b : ptr<handle, texture_2d<f32>> [group 0, binding 1]
var @s : ptr<handle, sampler> [group 0, binding 2]
var @w : ptr<handle, texture_storage_1d<r32float, write>> [group 0, binding 3]

fn @fetch(%t: texture_2d<f32>, %at: vec2<f32>, %s: sampler) : f32 {
  %x = texture_sample %t, %s, %at, 0f : vec4<f32>
  %r = extract %x, 0u : f32
  return %r
}

fn @put(%to: texture_storage_1d<r32float, write>, %from: texture_2d<f32>, %s: sampler, %i: u32) {
  %f = convert %i : f32
  %at = splat %f : vec2<f32>
  %r = call @fetch, %from, %at, %s : f32
  %v = splat %r : vec4<f32>
  texture_store %to, %i, %v
  return
}

kernel @main(%i: u32 [local_invocation_index]) [workgroup 1u, 1u, 1u] {
  %ta = load @a : texture_2d<f32>
  %tb = load @b : texture_2d<f32>
  %s = load @s : sampler
  %w = load @w : texture_storage_1d<r32float, write>
  call @put, %w, %ta, %s, %i
  call @put, %w, %tb, %s, 1u
  call @put, %w, %ta, %s, 2u
  return
}
`)
	c := &Context{List: new(diag.List), Verify: true}
	c.Run(m, []Pass{Specialize}, ir.Initial)
	want := `fn @put.3(%i: u32) {
  %.0 = load @w : texture_storage_1d<r32float, write>
  %.1 = load @a : texture_2d<f32>
  %.2 = load @s : sampler
  %f = convert %i : f32
  %at = splat %f : vec2<f32>
  %r = call @fetch.5, %at : f32
  %v = splat %r : vec4<f32>
  texture_store %.0, %i, %v
  return
}
`
	text := m.Text()
	if !strings.Contains(text, want) {
		t.Errorf("no specialised function as wanted:\n%s", text)
	}
	// put and fetch for each of two textures
	if got := len(m.Funcs); got != 1+2+2 {
		t.Errorf("%d functions, want 5:\n%s", got, text)
	}
	for _, f := range m.Funcs {
		for _, p := range f.Params(f.Entry) {
			if k := m.KindOf(f.TypeOf(p)); k == ir.TextureType || k == ir.SamplerType {
				t.Errorf("@%s still takes %s", f.Name, m.TypeString(f.TypeOf(p)))
			}
		}
	}
}

// TestInlineGrowsWithTheProgram calls a function of 100 instructions several times. Large functions
// may add 512 instructions, or the program's size if that is more. Either all calls of a function
// are inlined or none.
func TestInlineGrowsWithTheProgram(t *testing.T) {
	for _, k := range []struct{ calls, more, left int }{
		{1, 0, 0},
		{5, 0, 0},
		{6, 0, 6},      // 600 instructions, beside a program of 108
		{6, 500, 0},    // beside one of 608
		{40, 3000, 40}, // 4000 and 3142
		{40, 4000, 0},
	} {
		var s strings.Builder
		s.WriteString("var @data : ptr<storage, array<u32>, read_write> [group 0, binding 0]\nfn @f(%x0: u32) : u32 {\n")
		for n := range 99 {
			fmt.Fprintf(&s, "  %%x%d = mul %%x%d, %%x%d : u32\n", n+1, n, n)
		}
		s.WriteString("  return %x99\n}\nkernel @main(%r0: u32 [local_invocation_index]) [workgroup 1u, 1u, 1u] {\n")
		for n := range k.calls {
			fmt.Fprintf(&s, "  %%r%d = call @f, %%r%d : u32\n", n+1, n)
		}
		for n := range k.more {
			fmt.Fprintf(&s, "  %%r%d = mul %%r%d, %%r%d : u32\n", k.calls+n+1, k.calls+n, k.calls+n)
		}
		fmt.Fprintf(&s, "  %%p = access @data, 0u : ptr<storage, u32, read_write>\n  store %%p, %%r%d\n  return\n}\n", k.calls+k.more)
		m := parseModule(t, s.String())
		c := &Context{List: new(diag.List), Verify: true}
		c.Run(m, []Pass{Inline}, ir.Initial)
		if left := strings.Count(m.Text(), "call @f"); left != k.left {
			t.Errorf("%d calls beside %d instructions: %d are left, want %d", k.calls, k.more, left, k.left)
		}
	}
}

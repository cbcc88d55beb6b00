package opt

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/internal/irtest"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
)

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
			m := irtest.Parse(t, chain(60, test.param, test.argument, test.leaf))
			c := &Context{List: new(diag.List)}
			n := Scratch[inliner](c, "inline")
			n.limits = limits{function: 300, growth: 2000}
			n.run(c, m)
			c.Run(m, []Pass{Specialize}, ir.Initial)
			irtest.Verify(t, m, 0)
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
			irtest.Verify(t, m, 0)
		})
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
		m := irtest.Parse(t, s.String())
		c := &Context{List: new(diag.List), Verify: true}
		c.Run(m, []Pass{Inline}, ir.Initial)
		if left := strings.Count(m.Text(), "call @f"); left != k.left {
			t.Errorf("%d calls beside %d instructions: %d are left, want %d", k.calls, k.more, left, k.left)
		}
	}
}

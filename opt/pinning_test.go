package opt

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/internal/irtest"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
)

// TestInlinePinned calls functions that are too large for the budget of Inline, with variables that
// the calls keep in memory. Where these can become values, all calls are inlined, up to a limit.
func TestInlinePinned(t *testing.T) {
	const buffer = "var @data : ptr<storage, array<u32>, read_write> [group 0, binding 0]\n"
	long := func(n int) string { // %x0 to %xn
		var s strings.Builder
		for k := range n {
			fmt.Fprintf(&s, "  %%x%d = mul %%x%d, %%x%d : u32\n", k+1, k, k)
		}
		return s.String()
	}
	pointer := func(n int) string {
		return buffer + "fn @f(%s: ptr<function, array<u32, 16u>>, %i: u32) {\n" +
			"  %p = access %s, %i : ptr<function, u32>\n  %x0 = load %p : u32\n" + long(n) +
			fmt.Sprintf("  store %%p, %%x%d\n  return\n}\n", n)
	}
	const array = "  %s = var : ptr<function, array<u32, 16u>>\n"
	// iterations, each of which indexes a variable of the function's own
	loop := func(outer, inner int) string {
		return buffer + "fn @f(%s: ptr<function, array<u32, 16u>>, %i: u32) {\n" +
			"  %t = var : ptr<function, array<u32, 16u>>\n" +
			fmt.Sprintf("  loop ^l(%%k: u32 = 0u) {\n    %%c = lt %%k, %du : bool\n", outer) +
			"    if ^in %c {\n      exit ^in()\n    } else {\n      exit ^l()\n    }\n" +
			"    %k16 = rem %k, 16u : u32\n    %q = access %t, %k16 : ptr<function, u32>\n    %x0 = load %q : u32\n" +
			strings.ReplaceAll(long(inner), "  %x", "    %x") + fmt.Sprintf("    store %%q, %%x%d\n", inner) +
			"    continue ^l()\n  } continuing {\n    %k1 = add %k, 1u : u32\n    next ^l(%k1)\n  }\n" +
			"  %p = access %s, %i : ptr<function, u32>\n  %u = access %t, 3u : ptr<function, u32>\n" +
			"  %y = load %u : u32\n  store %p, %y\n  return\n}\n"
	}
	for _, k := range []struct {
		name, functions, before, call string
		calls, left                   int
	}{
		{"an array", pointer(100), array, "  call @f, %s, 3u\n", 40, 0},
		{"indices that are loaded", pointer(100), array + "  %a = access @data, 0u : ptr<storage, u32, read_write>\n  %n = load %a : u32\n",
			"  call @f, %s, %n\n", 40, 40},
		{"indices that are the kernel's", pointer(100), array, "  call @f, %s, %id\n", 40, 40},
		{"an array that is too large", strings.ReplaceAll(pointer(100), "16u", "1000u"),
			strings.ReplaceAll(array, "16u", "1000u"), "  call @f, %s, 3u\n", 40, 40},
		{"more than the limit", pointer(500), array, "  call @f, %s, 3u\n", 40, 40},
		{"another use keeps it in memory", pointer(100), array + "  %d = access %s, %id : ptr<function, u32>\n  store %d, 1u\n",
			"  call @f, %s, 3u\n", 40, 40},
		{"a scalar", buffer + "fn @f(%p: ptr<function, u32>) {\n  %x0 = load %p : u32\n" + long(100) + "  store %p, %x100\n  return\n}\n",
			"  %s = var : ptr<function, u32>\n", "  call @f, %s\n", 40, 0},
		{"a private variable", buffer + "var @v : ptr<private, array<u32, 16u>>\nfn @f(%i: u32) {\n" +
			"  %p = access @v, %i : ptr<private, u32>\n  %x0 = load %p : u32\n" + long(100) + "  store %p, %x100\n  return\n}\n",
			"", "  call @f, 3u\n", 40, 0},
		{"a private table", buffer + "var @v : ptr<private, array<u32, 16u>>\nfn @f(%i: u32) : u32 {\n" +
			"  %p = access @v, %i : ptr<private, u32>\n  %x0 = load %p : u32\n" + long(100) + "  return %x100\n}\n",
			"", "  %r# = call @f, %id : u32\n", 40, 40},
		{"through two levels", pointer(100) + "fn @g(%s: ptr<function, array<u32, 16u>>, %n: u32) {\n  %m = add %n, 1u : u32\n" +
			strings.Repeat("  call @f, %s, %n\n  call @f, %s, %m\n", 10) + "  return\n}\n", array, "  call @g, %s, 3u\n", 3, 0},
		{"an array as a value", buffer + "fn @f(%v: array<u32, 16u>) : array<u32, 16u> {\n  %x0 = extract %v, 3u : u32\n" + long(100) +
			"  %r = insert %v, %x100, 4u : array<u32, 16u>\n  return %r\n}\n", array,
			"  %a# = load %s : array<u32, 16u>\n  %b# = call @f, %a# : array<u32, 16u>\n  store %s, %b#\n", 40, 0},
		{"an array of its own, unrolled", loop(16, 20), array, "  call @f, %s, 3u\n", 12, 0},
		{"too much to unroll", loop(64, 20), array, "  call @f, %s, 3u\n", 24, 24},
	} {
		t.Run(k.name, func(t *testing.T) {
			var s strings.Builder
			s.WriteString(k.functions + "kernel @main(%id: u32 [local_invocation_index]) [workgroup 1u, 1u, 1u] {\n" + k.before)
			for n := range k.calls {
				s.WriteString(strings.ReplaceAll(k.call, "#", fmt.Sprint(n)))
			}
			s.WriteString("  return\n}\n")
			m := irtest.Parse(t, s.String())
			c := &Context{List: new(diag.List), Verify: true}
			c.Run(m, []Pass{Inline}, ir.Initial)
			if left := strings.Count(m.Text(), "call @"); left != k.left {
				t.Errorf("%d calls are left, want %d", left, k.left)
			}
		})
	}
}

// TestInlinePinnedIsBounded compiles chains of 2^60 calls whose pointers could become values.
func TestInlinePinnedIsBounded(t *testing.T) {
	m := irtest.Parse(t, chain(60, "ptr<function, u32>", "  %x = var : ptr<function, u32>\n  store %x, %i\n", "  %r = load %p : u32\n  store %p, 3u\n"))
	c := &Context{List: new(diag.List), Survey: new(Survey)}
	c.Run(m, Standard(), ir.Initial)
	total := 0
	for _, f := range m.Funcs {
		total += instCount(f)
	}
	if total > 3*maxPinned {
		t.Errorf("the module has %d instructions", total)
	}
	if len(c.Survey.Calls) == 0 {
		t.Error("nothing is said of the calls that stay")
	}
}

package spirv

import (
	"fmt"
	"strings"
	"testing"
)

// TestInlining builds chains of functions that call the one before twice: what comes to
// much when it is inlined says DontInline, and only that, unless one of the functions
// changes a private variable.
func TestInlining(t *testing.T) {
	for _, k := range []struct {
		functions, marked int
		first             string
	}{
		{1, 0, ""}, {8, 0, ""}, {15, 0, ""},
		{16, 16, ""}, {20, 20, ""}, {64, 64, ""}, // 2^64 instructions are too many to be counted
		{20, 20, "  %y = load @p : u32\n"},
		{20, 0, "  store @p, %x\n"},
		{20, 0, "  if ^i true {\n    store @p, %x\n    exit ^i()\n  } else {\n    exit ^i()\n  }\n"},
	} {
		t.Run(fmt.Sprint(k.functions), func(t *testing.T) {
			var b strings.Builder
			b.WriteString("var @o : ptr<storage, u32, read_write> [group 0, binding 0]\nvar @p : ptr<private, u32>\n")
			called := k.first + "  %v = add %x, 1u : u32\n  return %v\n"
			for n := range k.functions {
				fmt.Fprintf(&b, "fn @f%d(%%x: u32) : u32 {\n%s}\n", n, called)
				called = fmt.Sprintf("  %%a = call @f%d, %%x : u32\n  %%b = call @f%d, %%a : u32\n  return %%b\n", n, n)
			}
			fmt.Fprintf(&b, "kernel @main() [workgroup 1u, 1u, 1u] {\n  %%x = load @o : u32\n  store @p, 1u\n  %%y = call @f%d, %%x : u32\n  store @o, %%y\n  return\n}\n", k.functions-1)
			code := compileText(t, b.String(), false)
			validate(t, code)
			text, err := assemble(code)
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Count(text, "DontInline"); got != k.marked || strings.Count(text, "OpFunctionEnd") != k.functions+1 {
				t.Errorf("%d of %d functions are not to be inlined, expected %d", got, k.functions+1, k.marked)
			}
		})
	}
}

// TestKnownBranches writes no branch on a constant: NVIDIA's Vulkan driver ended on some.
func TestKnownBranches(t *testing.T) {
	code := compileText(t, `
		var @o : ptr<storage, array<u32, 8u>, read_write> [group 0, binding 0]
		kernel @main(%i: u32 [local_invocation_index]) [workgroup 8u, 1u, 1u] {
		  %p = access @o, %i : ptr<storage, u32, read_write>
		  %r = loop ^l(%k: u32 = 0u) : u32 {
		    if ^never false {
		      store %p, 1u
		      exit ^l(7u)
		    } else {
		      exit ^never()
		    }
		    %v = if ^always true : u32 {
		      if ^inner true {
		        store %p, 2u
		        exit ^always(%k)
		      } else {
		        exit ^inner()
		      }
		      exit ^always(3u)
		    } else {
		      return
		    }
		    continue ^l()
		  } continuing() {
		    %n = add %k, 1u : u32
		    %e = eq %n, 3u : bool
		    next ^l(%n) break_if %e(%n)
		  }
		  store %p, %r
		  return
		}`, false)
	validate(t, code)
	text, err := assemble(code)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(text, "OpBranchConditional"); got != 1 {
		t.Errorf("%d conditional branches, expected the loop's:\n%s", got, text)
	}
	if got := strings.Count(text, "OpReturn"); got != 1 {
		t.Errorf("%d returns, expected the one that runs:\n%s", got, text)
	}
}

package all_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/all"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/jit"
)

// calling is a short kernel with some calls of a large function.
func calling(body string) string {
	var s strings.Builder
	s.WriteString("@group(0) @binding(0) var<storage, read_write> d: array<u32, 4096>;\nfn work(x: u32) -> u32 {\n  var r = x;\n")
	for k := range 40 {
		fmt.Fprintf(&s, "  r = r * 31u + d[(r >> %du) %% 4099u];\n", k%13)
	}
	s.WriteString("  return r;\n}\n@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {\n  var s = 0u;\n" + body + "  d[i] = s;\n}\n")
	return s.String()
}

// callsIn counts the calls of functions in the PTX of a program.
func callsIn(t *testing.T, text string, o codegen.Options) int {
	t.Helper()
	p, err := jit.Parse("calling.wgsl", text, o)
	if err != nil {
		t.Fatal(err)
	}
	a, err := compile(p.Module(), all.Lookup("ptx"), o)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Count(string(a.Code), "\tcall ")
}

// TestTrapInlinesOnce: the checks of the trap mode make functions several times as large. Inlining
// is limited by the size of the original program, and does not run again after the checks.
func TestTrapInlinesOnce(t *testing.T) {
	text := calling(strings.Repeat("  s += work(s + i);\n", 20))
	robust := callsIn(t, text, codegen.Options{})
	trap := callsIn(t, text, codegen.Options{Bounds: opt.BoundsTrap})
	if robust == 0 || trap != robust {
		t.Errorf("%d calls with trap, %d without", trap, robust)
	}
}

// TestPartialCallsAreInlined: calls by a part of a warp are inlined, since ptxas preserves uniform
// registers only for the invocations that call (workaround.Choices).
func TestPartialCallsAreInlined(t *testing.T) {
	for _, c := range []struct {
		name, body string
		calls      int
	}{
		{"by all", "  s = work(i);\n", 1},
		{"by some", "  if (i == 3u) { s = work(i); } else { s = d[7]; }\n", 0},
		{"by the rest", "  if (i == 3u) { return; }\n  s = work(i);\n", 0},
		{"in a loop that some leave", "  for (var k = 0u; k < d[i]; k++) { s += work(k); }\n", 0},
	} {
		if n := callsIn(t, calling(c.body), codegen.Options{NoOptimize: true}); n != c.calls {
			t.Errorf("%s: %d calls, want %d", c.name, n, c.calls)
		}
	}
}

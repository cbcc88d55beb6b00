package mir

import (
	"strings"
	"testing"

	"github.com/gpuc/gpuc/internal/irtest"
	"github.com/gpuc/gpuc/ir"
)

// TestReturned lets a caller name what the function it calls always returns, and nothing else.
func TestReturned(t *testing.T) {
	m := irtest.Parse(t, `
		var @o : ptr<storage, vec3<u32>, read_write> [group 0, binding 0]
		fn @f(%x: u32) : vec3<u32> {
		  %c = lt %x, 5u : bool
		  if ^i %c {
		    %v = construct 15u, %x, 7u : vec3<u32>
		    return %v
		  } else {
		    exit ^i()
		  }
		  %w = construct 15u, 3u, 8u : vec3<u32>
		  return %w
		}
		kernel @main(%id: vec3<u32> [global_invocation_id]) [workgroup 8u, 1u, 1u] {
		  %n = extract %id, 0u : u32
		  %r = call @f, %n : vec3<u32>
		  store @o, %r
		  return
		}`)
	reach := ir.ReachOf(m, m.Funcs[1])
	var b Builder
	b.Begin(Settings{}, m, plain{}, &roomy, &reach, reach.Resources, 0)
	for _, f := range reach.Funcs {
		if err := b.Lower(f).Verify(); err != nil {
			t.Fatal(err)
		}
	}
	if text := b.Out.Text(); !strings.Contains(text, "%r2, %r3, %r4 = call @f %r1\n") || !strings.Contains(text, "align 16 15u, %r3\n") ||
		!strings.Contains(text, "+8] align 8 %r4\n") {
		t.Errorf("found\n%s", text)
	}
}

package ptx_test

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen"
)

// TestGuards: stores that a condition guards, one for each block, have guards and no branches where
// there are several of them, and store where the condition holds. What must not be executed without
// the condition stays after a branch.
func TestGuards(t *testing.T) {
	const head = `var @out : ptr<storage, array<u32>, read_write> [group 0, binding 0]

kernel @main(%lane: u32 [local_invocation_index]) [workgroup 1u, 1u, 1u] {
  %in = access @out, 0u : ptr<storage, u32, read_write>
  %x = load %in : u32
`
	block := func(n, limit int, body string) string {
		return fmt.Sprintf("  %%c%[1]d = gt %%x, %[2]du : bool\n  if ^i%[1]d %%c%[1]d {\n%[3]s    exit ^i%[1]d()\n  } else {\n    exit ^i%[1]d()\n  }\n", n, limit, body)
	}
	// stores x + n there if x, which is 5, is above the limit
	store := func(n, limit int) string {
		return block(n, limit, fmt.Sprintf("    %%s%[1]d = add %%x, %[1]du : u32\n    %%p%[1]d = access @out, %%s%[1]d : ptr<storage, u32, read_write>\n    store %%p%[1]d, %%s%[1]d [inbounds]\n", n))
	}
	three := store(1, 2) + store(2, 5) + store(3, 8)
	loads := block(5, 1, `    %l = access @out, 1u : ptr<storage, u32, read_write>
    %v = load %l : u32
    %w = access @out, 12u : ptr<storage, u32, read_write>
    store %w, %v
`)
	for _, test := range []struct {
		name, body       string
		guards, branches int
		want             [16]uint32
	}{
		{"few", three, 0, 3, [16]uint32{0: 5, 1: 7, 6: 6}},
		{"several", three + store(4, 4), 4, 0, [16]uint32{0: 5, 1: 7, 6: 6, 9: 9}},
		{"several, of which one loads", three + store(4, 4) + loads, 4, 1, [16]uint32{0: 5, 1: 7, 6: 6, 9: 9, 12: 7}},
		{"negated", strings.ReplaceAll(three+store(4, 4), "= gt", "= le"), 4, 0, [16]uint32{0: 5, 1: 7, 7: 7, 8: 8}},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, o := range []codegen.Options{{Bounds: codegen.BoundsOff}, {Bounds: codegen.BoundsOff, NoOptimize: true}} {
				text := compile(t, head+test.body+"  %e = access @out, 15u : ptr<storage, u32, read_write>\n  store %e, 1u\n  return\n}\n", o)
				guards := strings.Count(text, " st.global")
				branches := strings.Count(text, " bra $L")
				if guards != test.guards || (branches > 0) != (test.branches > 0) {
					t.Errorf("%d stores have guards, want %d; %d branches, want %d\n%s", guards, test.guards, branches, test.branches, numbered(text))
				}
				p, err := read(text)
				if err != nil {
					t.Fatalf("%v\n%s", err, numbered(text))
				}
				out := make([]byte, 64)
				binary.LittleEndian.PutUint32(out, 5)
				binary.LittleEndian.PutUint32(out[4:], 7)
				if err := p.launch("main", [3]uint32{1, 1, 1}, [][]byte{out}, []int64{16}, nil); err != nil {
					t.Fatal(err)
				}
				test.want[15] = 1
				for n, want := range test.want {
					if got := binary.LittleEndian.Uint32(out[4*n:]); got != want {
						t.Errorf("element %d is %d, want %d\n%s", n, got, want, numbered(text))
					}
				}
			}
		})
	}
}

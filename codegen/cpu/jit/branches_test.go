package jit

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/cpu/lower"
	"github.com/gpuc/gpuc/ir/interp"
)

// TestManyBranches: in a kernel with more branches than are analysed everything is taken to vary,
// but for the lengths and addresses of buffers. It is refused if lanes have to meet.
func TestManyBranches(t *testing.T) {
	needCode(t)
	const accesses, lanes = 700, 8
	for _, behind := range []string{"", "workgroupBarrier();"} {
		var text strings.Builder
		text.WriteString("@group(0) @binding(0) var<storage, read> in: array<u32>;\n@group(0) @binding(1) var<storage, read_write> out: array<u32>;\n" +
			"@compute @workgroup_size(8) fn main(@builtin(local_invocation_index) lane: u32) {\nvar x = lane;\n")
		for n := range accesses {
			fmt.Fprintf(&text, "if x %% %du != 1u { x = x * 3u + in[lane + %du]; }\n", n%7+2, n)
		}
		fmt.Fprintf(&text, "%s\nout[lane] = x;\n}\n", behind)
		p, _, err := compiled(t, parsed(t, text.String()), "main", &codegen.Options{Bounds: codegen.BoundsTrap})
		if behind != "" {
			if refused := (*lower.Refused)(nil); !errors.As(err, &refused) || !strings.Contains(err.Error(), "so many branches") {
				t.Errorf("with a barrier: %v", err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		k, err := Load(p, Options{})
		if err != nil {
			t.Fatal(err)
		}
		in, out := make([]byte, 4*(accesses+lanes)), make([]byte, 4*lanes)
		for n := range accesses + lanes {
			binary.LittleEndian.PutUint32(in[4*n:], uint32(n*n))
		}
		buffers := make([][]byte, len(p.Bindings))
		for n, b := range p.Bindings {
			// the last one is where faults are recorded
			buffers[n] = [...][]byte{in, out, make([]byte, 64)}[b.Binding]
		}
		if _, err := k.Run(&interp.Launch{Grid: [3]uint32{1, 1, 1}, Buffers: buffers}); err != nil {
			t.Fatal(err)
		}
		for lane := range uint32(lanes) {
			x := lane
			for n := range uint32(accesses) {
				if x%(n%7+2) != 1 {
					x = x*3 + (lane+n)*(lane+n)
				}
			}
			if got := binary.LittleEndian.Uint32(out[4*lane:]); got != x {
				t.Errorf("lane %d has %d, want %d", lane, got, x)
			}
		}
	}
}

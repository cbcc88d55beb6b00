package ptx_test

import (
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/ptx"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/opt"
)

// TestAbsoluteHalves checks that abs clears the sign in both halves of a pair that is converted
// together (see workaround.PTXASAbsF16).
func TestAbsoluteHalves(t *testing.T) {
	const source = `enable f16;
@group(0) @binding(0) var<storage, read_write> own: array<array<vec2h, 4>>;
@compute @workgroup_size(1)
fn main(@builtin(workgroup_id) g: vec3u) {
  own[g.x][0] = abs(clamp(own[g.x][3], vec2h(-6), vec2h(3.25)));
}
`
	var list diag.List
	a := codegen.Compile(loadText(t, "halves.wgsl", source, opt.MathWGSL), "main", &ptx.Target, new(codegen.Options), &list)
	if a == nil {
		t.Fatal(list.Items())
	}
	if code := machineCode(t, string(a.Code)); code != "" {
		if n := strings.Count(code, "|R") + strings.Count(code, "0x7fff"); n < 2 {
			t.Errorf("%d of two signs are taken away\n%s", n, code)
		}
	}
}

package ptx_test

import (
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/ptx"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/opt"
)

// TestNegativeShifts checks that signed shifts keep the sign of a value whose sign bit is known
// (see workaround.PTXASSignShift).
func TestNegativeShifts(t *testing.T) {
	for _, y := range []string{
		"x | -1272209273i", "~(x & 0x7fffffff)", "(x & 0x7fffffff) ^ (-0x7fffffff - 1)", "(x & 0x7fffffff) + (-0x7fffffff - 1)",
		"(x | 64i) << 25u", "select(x | -9i, x | -77i, x < 7i)", "(x | -256i) & -16i", "(x | -256i) >> 2u",
	} {
		source := `@group(0) @binding(0) var<storage, read_write> own: array<i32, 2>;
@compute @workgroup_size(1)
fn main() {
  let x = own[0];
  let y = ` + y + `;
  own[1] = i32(u32(y >> 3u) >> 31u);
}
`
		var list diag.List
		a := codegen.Compile(loadText(t, "shifts.wgsl", source, opt.MathWGSL), "main", &ptx.Target, new(codegen.Options), &list)
		if a == nil {
			t.Fatal(list.Items())
		}
		if code := machineCode(t, string(a.Code)); strings.Contains(code, "], RZ") {
			t.Errorf("%s: the sign is lost\n%s", y, code)
		}
	}
}

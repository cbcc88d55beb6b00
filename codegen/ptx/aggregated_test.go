package ptx_test

import (
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/ptx"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/opt"
)

// TestAggregatedAtomics checks that ptxas aggregates atomic accesses of a warp to one address, as
// it does in nvcc's code. One elected lane adds the number of active lanes, or the sum that REDUX
// makes of their values. Counters in workgroup memory have an instruction. gpuc has no pass for
// that, so ptxas has to recognise the pattern in gpuc's code.
func TestAggregatedAtomics(t *testing.T) {
	const head = "@group(0) @binding(0) var<storage, read> a: array<u32>;\n@group(0) @binding(1) var<storage, read_write> n: array<atomic<u32>>;\n" +
		"@group(0) @binding(2) var<storage, read_write> b: array<u32>;\nvar<workgroup> w: atomic<u32>;\n@compute @workgroup_size(256)\n" +
		"fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) t: u32, @builtin(workgroup_id) g: vec3u) {\nlet v = a[id.x];\n"
	// of machine code, if there is one
	for _, test := range []struct{ name, body, operation string }{
		{"a constant", "atomicAdd(&n[0], 1);", "POPC"},
		{"a constant behind a condition", "if v > 7 { atomicAdd(&n[0], 1); }", "POPC"},
		{"an index behind a condition", "if v > 7 { b[atomicAdd(&n[0], 1)] = v; }", "SHFL"},
		{"a counter of each workgroup", "if v > 7 { atomicAdd(&n[g.x], 1); }", "POPC"},
		{"a sum", "atomicAdd(&n[1], v);", "REDUX"},
		{"a maximum", "atomicMax(&n[2], v);", "REDUX"},
		{"bits", "atomicOr(&n[3], v);", "REDUX"},
		{"in workgroup memory", "if v > 7 { atomicAdd(&w, 1); }\nworkgroupBarrier();\nif t == 0 { atomicStore(&n[g.x], atomicLoad(&w)); }", "ATOMS.POPC.INC"},
		{"any address", "atomicAdd(&n[v], 1);", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			var list diag.List
			a := codegen.Compile(loadText(t, "aggregated.wgsl", head+test.body+"\n}\n", opt.MathWGSL), "main", &ptx.Target, new(codegen.Options), &list)
			if a == nil {
				t.Fatal(list.Items())
			}
			code := machineCode(t, string(a.Code))
			if code == "" {
				return
			}
			// the latter counts a warp's lanes itself
			together := strings.Contains(code, "VOTE") || strings.Contains(code, "ATOMS.POPC.INC")
			if together != (test.operation != "") || !strings.Contains(code, test.operation) {
				t.Errorf("%q is looked for; lanes access memory together: %t\n%s", test.operation, together, code)
			}
		})
	}
}

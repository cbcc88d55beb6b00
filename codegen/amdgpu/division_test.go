package amdgpu_test

import (
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/jit"
)

// TestDivisionsStay checks that a loop-invariant remainder is not hoisted if only the loop's
// condition excludes a divisor of zero. LLVM would conclude that the divisor is not zero, and the
// condition true.
func TestDivisionsStay(t *testing.T) {
	const source = `
		@group(0) @binding(0) var<storage, read_write> out: array<atomic<u32>>;
		@compute @workgroup_size(5)
		fn main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u) {
			for (var n = 0u; 0u < group.y; n++) {
				atomicAdd(&out[0], 1u);
				if (groups.x % group.y == 2u - n) { break; }
			}
		}`
	// with optimisation it is hoisted with a guard
	p, err := jit.Parse("loop.wgsl", source, codegen.Options{NoOptimize: true})
	if err != nil {
		t.Fatal(err)
	}
	a, err := p.Compile(abi.AMDGPU, "main")
	if err != nil {
		t.Fatal(err)
	}
	text := string(a.Code)
	remainder, branch := strings.Index(text, "urem i32"), strings.Index(text, "br i1")
	if remainder < 0 || branch < 0 || remainder < branch {
		t.Errorf("the remainder is before the first branch:\n%s", text)
	}
}

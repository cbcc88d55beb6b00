package lower_test

// Indices that overrides give: what a pipeline refuses (WGSL §8.5.3).

import (
	"strings"
	"testing"

	"github.com/gpuc/gpuc/frontend/wgsl/lower"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
)

func TestIndexOverrides(t *testing.T) {
	const declarations = `
override n = 1u;
override i = 1i;
override size = 4u;
@group(0) @binding(0) var<storage, read_write> sized: array<u32, 4>;
@group(0) @binding(1) var<storage, read_write> open: array<u32>;
var<workgroup> group: array<u32, size>;
`
	for _, test := range []struct {
		body  string
		key   string
		x     float64
		valid bool
	}{
		{"sized[n] = 1u;", "n", 3, true},
		{"sized[n] = 1u;", "n", 4, false},
		{"sized[n] = 1u;", "n", 3e9, false},
		{"sized[i] = 1u;", "i", -1, false},
		{"group[n] = 1u;", "n", 3, true},
		{"group[n] = 1u;", "n", 4, false},
		{"group[i] = 1u;", "i", -1, false},
		// A runtime-sized array has its elements at run time only; what is negative is known.
		{"open[n] = 1u;", "n", 3e9, true},
		{"open[i] = 1u;", "i", 2e9, true},
		{"open[i] = 1u;", "i", -1, false},
		{"open[select(n, 4u, false)] = 1u;", "n", 3e9, true},
	} {
		text := declarations + "@compute @workgroup_size(1) fn main() { " + test.body + " }\n"
		m := load(t, "indices.wgsl", text, lower.Options{})
		var list diag.List
		ir.BindOverrides(m, []ir.Setting{{Key: test.key, Value: test.x}}, &list)
		if valid := len(list.Items()) == 0; valid != test.valid {
			t.Errorf("%s with %s = %v: valid is %t: %v", test.body, test.key, test.x, valid, list.Items())
		}
	}
}

// TestConditionMessages tests the errors of pipelines for values that they reject.
func TestConditionMessages(t *testing.T) {
	const declarations = `enable subgroups;
override n = 1u;
override i = 1i;
override size = 4u;
override edge = 0f;
@group(0) @binding(0) var<storage, read_write> sized: array<u32, 4>;
@group(0) @binding(1) var<storage, read_write> open: array<u32>;
var<workgroup> group: array<u32, size>;
`
	for _, test := range []struct {
		body string
		key  string
		x    float64
		want string
	}{
		{"sized[n] = 1u;", "n", 4, "this is 4 and must be below 4"},
		{"sized[i] = 1u;", "i", -1, "this is -1 and must be below 4"},
		{"group[2] = n;", "size", 2, "this is 2 and must be below 2"},
		{"open[i] = 1u;", "i", -1, "this is -1 and must be at least 0"},
		{"let x = 1f; _ = smoothstep(edge, 1, x);", "edge", 1, "the edges of smoothstep are equal"},
		{"let x = vec2f(); _ = smoothstep(vec2f(edge, 1), vec2f(2), x);", "edge", 2, "the edges of smoothstep are equal"},
		{"_ = subgroupShuffle(1u, n);", "n", 128, "this is 128 and must be below 128"},
	} {
		text := declarations + "@compute @workgroup_size(1) fn main() { " + test.body + " }\n"
		m := load(t, "conditions.wgsl", text, lower.Options{})
		var list diag.List
		ir.BindOverrides(m, []ir.Setting{{Key: test.key, Value: test.x}}, &list)
		if items := list.Items(); len(items) != 1 || !strings.HasSuffix(items[0].Message, "with the values given, "+test.want) {
			t.Errorf("%s with %s = %v: %v, want %q", test.body, test.key, test.x, list.Items(), test.want)
		}
	}
}

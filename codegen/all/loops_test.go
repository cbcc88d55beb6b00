package all_test

import (
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/all"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/jit"
)

// work is 24 instructions, of which none folds.
var work = strings.Repeat("x = (x * 1664525u + 1013904223u) ^ (x >> 3u); ", 6)

// worthLoops are loops that are worth their size in code or not (opt/growth.go). Unrolled, each
// exceeds the budget of its kernel, but for those that say otherwise.
var worthLoops = []struct {
	about, global, body string
	loops               int // that are left
	whole               bool
}{
	{"a short loop", "", "for (var i = 0u; i < 4; i++) { x = x * 5u + i; }", 0, false},
	{"thirteen turns of work", "", "for (var i = 0u; i < 13; i++) { " + work + "}", 1, false},
	{"the same by a count that indexes an array", "",
		"var a: array<u32, 13>; for (var i = 0u; i < 13; i++) { " + work + "a[i] = x; } x = a[3] ^ a[9] ^ a[11];", 0, true},
	{"the same by a count that is divided by", "", "for (var i = 1u; i < 14; i++) { " + work + "x = x / i; }", 1, false},
	{"the same by a count that is divided", "", "for (var i = 1u; i < 14; i++) { " + work + "x ^= i / 3u; }", 1, false},
	{"the same that reads what nobody writes, but once", "@group(0) @binding(1) var<storage, read> r: array<u32>;",
		"for (var i = 0u; i < 13; i++) { " + work + "x += r[i]; }", 1, false},
	{"the same in a loop", "@group(0) @binding(1) var<storage, read> r: array<u32>;",
		"for (var k = 0u; k < b[0]; k++) { for (var i = 0u; i < 13; i++) { " + work + "x += r[i]; } }", 2, false},
	{"rounds that go around an array", "", "var a: array<u32, 16>; for (var i = 0u; i < 16; i++) { a[i] = b[i]; } " +
		"for (var i = 0u; i < 64; i++) { x = x * 5u + a[i % 16]; a[(i + 3) % 16] ^= x; }", 1, false},
	{"rounds that end in a period", "", "var a: array<u32, 16>; for (var i = 0u; i < 16; i++) { a[i] = b[i]; } " +
		"for (var i = 0u; i < 56; i++) { x = x * 5u + a[i % 16]; a[(i + 3) % 16] ^= x; }", 0, true},
	{"a tile of one result", "var<workgroup> tile: array<u32, 32>;",
		"tile[t] = x; workgroupBarrier(); for (var i = 0u; i < 32; i++) { " + work + "x += tile[i]; }", 1, false},
	{"a tile of four results in values", "var<workgroup> tile: array<u32, 64>;",
		"var s: array<u32, 4>; tile[t] = x; workgroupBarrier(); for (var i = 0u; i < 32; i++) { for (var j = 0u; j < 4; j++) { s[j] = (s[j] ^ tile[i + j]) * 5u; } } x = s[0] ^ s[1] ^ s[2] ^ s[3];", 0, true},
	{"a switch by what nobody knows", "", "for (var i = 0u; i < 4; i++) { switch x { case 1u: { x = 5u; } case 2u: { x = 9u; } default: { x = b[0]; } } }", 1, false},
	{"a switch by what is counted", "", "for (var i = 0u; i < 4; i++) { switch i { case 1u: { x = 5u; } case 2u: { x = 9u; } default: { x = b[0]; } } }", 0, false},
	{"steps of a tree", "var<workgroup> s: array<u32, 32>;",
		"s[t] = x; workgroupBarrier(); for (var w = 16u; w > 0; w /= 2) { if t < w { s[t] += s[t + w]; } workgroupBarrier(); } x = s[0];", 0, false},
	{"steps with much in them", "var<workgroup> s: array<u32, 32>;",
		"s[t] = x; workgroupBarrier(); for (var w = 16u; w > 0; w /= 2) { if t < w { " + work + "s[t] = s[t + w] + x; } workgroupBarrier(); } x = s[0];", 1, false},
}

// TestGrowingLoops compiles each for PTX and looks at which loops Unroll leaves, and whether it
// says that they are worth more than the budget.
func TestGrowingLoops(t *testing.T) {
	target := all.Lookup("ptx")
	for _, g := range worthLoops {
		text := "@group(0) @binding(0) var<storage, read_write> b: array<u32>;\n" + g.global +
			"\n@compute @workgroup_size(32) fn main(@builtin(local_invocation_index) t: u32) { var x = b[t]; " + g.body + " b[t] = x; }\n"
		p, err := jit.Parse("loops.wgsl", text, codegen.Options{})
		if err != nil {
			t.Fatal(err)
		}
		loops := -1
		c := &opt.Context{Verify: true, Watch: func(pass *opt.Pass, m *ir.Module) {
			if pass != nil && pass.Name == opt.Unroll.Name {
				loops = strings.Count(m.Text(), "loop ^")
			}
		}}
		if codegen.Compile(p.Module(), "main", target, &codegen.Options{Context: c}, nil) == nil {
			t.Fatalf("%s: PTX does not take it", g.about)
		}
		if loops != g.loops || c.OverBudget != g.whole {
			t.Errorf("%s: %d loops are left, want %d; worth more than the budget: %t, want %t", g.about, loops, g.loops, c.OverBudget, g.whole)
		}
	}
}

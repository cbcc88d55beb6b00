package interp

import (
	"testing"

	"github.com/gpuc/gpuc/ir"
)

// TestElements: what a variable has at an offset, worked out by hand.
func TestElements(t *testing.T) {
	m, _, problems := ir.ParseString(`
struct S [size 80, align 16] { n: u32 [offset 0], at: vec3<f32> [offset 16], axes: mat2x2<f32> [offset 32], rest: array<vec2<u32>, 3u> [offset 48] }
struct T [size 96, align 16] { count: u32 [offset 0], list: array<S> [offset 16] }
var @x : ptr<storage, T, read_write> [group 0, binding 0]
`)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	c := &compiler{m: m}
	r := root{name: "x", part: c.partOf(m.Element(m.Globals[0].Type))}
	for offset, want := range map[uint64]string{
		0: "x.count", 8: "x", 16: "x.list[0].n", 16 + 24: "x.list[0].at.z", 16 + 80 + 32 + 12: "x.list[1].axes[1].y",
		16 + 160 + 48 + 8: "x.list[2].rest[1].x", 16 + 80000: "x.list[1000].n", 20: "x.list[0]",
	} {
		if got := r.elementAt(offset); got != want {
			t.Errorf("%d: %s, want %s", offset, got, want)
		}
	}
	if got := (&root{name: "y"}).elementAt(12); got != "y" {
		t.Error(got)
	}
}

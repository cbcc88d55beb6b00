package codegen_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/all"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/runtime/abi"
)

// TestImmediates: immediates are described in full words. Too many are an error at the variable.
func TestImmediates(t *testing.T) {
	const text = `enable f16;
struct Two { a: mat4x4f, b: mat4x4f }
struct Three { a: Two, b: f32 }
var<immediate> odd: vec3<f16>;
var<immediate> plain: vec3f;
var<immediate> most: Two;
var<immediate> more: Three;
@group(0) @binding(0) var<storage, read_write> o: f32;
@compute @workgroup_size(1) fn use_odd() { o = f32(odd.z); }
@compute @workgroup_size(1) fn use_plain() { o = plain.y; }
@compute @workgroup_size(1) fn use_most() { o = most.b[3].w; }
@compute @workgroup_size(1) fn use_more() { o = more.b; }
@compute @workgroup_size(1) fn none() { o = 1; }
`
	for _, c := range []struct {
		kernel string
		want   *abi.Immediates
		error  string
		line   int
	}{
		{"use_odd", &abi.Immediates{Name: "odd", Size: 8, Element: "f16", Type: "vec3<f16>"}, "", 0},
		{"use_plain", &abi.Immediates{Name: "plain", Size: 12, Element: "f32", Type: "vec3<f32>"}, "", 0},
		{"use_most", &abi.Immediates{Name: "most", Size: 128, Element: "f32", Type: "Two"}, "", 0},
		{"use_more", nil, "`more` has 144 bytes of immediates; at most 128 are allowed", 7},
		{"none", nil, "", 0},
	} {
		for _, target := range all.Targets {
			t.Run(c.kernel+" for "+string(target.Name), func(t *testing.T) {
				var p compiler
				m, list := p.load(t, "immediates.wgsl", text)
				list.Reset() // the checker's warnings
				a := codegen.Compile(m, c.kernel, target, &codegen.Options{}, list)
				if c.error == "" {
					if a == nil {
						t.Fatal(list.Items())
					}
					if d := cmp.Diff(c.want, a.Kernel.Immediates); d != "" {
						t.Errorf("the description (-want +got):\n%s", d)
					}
					if len(a.Kernel.Bindings) != 1 {
						t.Errorf("%d bindings, want 1", len(a.Kernel.Bindings))
					}
					return
				}
				if a != nil || len(list.Items()) != 1 {
					t.Fatal("reported:", list.Items())
				}
				d := list.Items()[0]
				if at := m.Sources.Position(d.Span.Start); d.Code != diag.TargetLimit || !strings.Contains(d.Message, c.error) || at.Line != c.line {
					t.Errorf("got %q in line %d, want %q in line %d", d.Message, at.Line, c.error, c.line)
				}
			})
		}
	}
}

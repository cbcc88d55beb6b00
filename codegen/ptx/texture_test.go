package ptx_test

import (
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/ptx"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/abi"
)

// refused reports whether a kernel has textures or samplers, and holds its
// compilation to one diagnostic, with a note for each further one.
func refused(t *testing.T, m *ir.Module, kernel string, a *abi.Artefact, list *diag.List) bool {
	t.Helper()
	handles := ir.ReachOf(m, m.Func(kernel)).Handles
	if len(handles) == 0 {
		return false
	}
	if a != nil || len(list.Items()) != 1 || len(list.Items()[0].Notes) != len(handles)-1 {
		t.Errorf("%s has %d textures and samplers, and is compiled, or refused for other reasons: %v", kernel, len(handles), list.Items())
	}
	for _, d := range list.Items() {
		if d.Code != diag.TargetUnsupported {
			t.Errorf("%s is refused for another reason: %s", kernel, d.Message)
		}
	}
	return true
}

// TestTexturesAreRefused: one diagnostic at the first texture or sampler that the
// kernel uses with notes at the others, and none for unused ones or for the operations.
func TestTexturesAreRefused(t *testing.T) {
	const text = `
var @image : ptr<handle, texture_2d<f32>> [group 0, binding 0]
var @unused : ptr<handle, texture_3d<f32>> [group 0, binding 1]
var @linear : ptr<handle, sampler> [group 0, binding 2]
var @out : ptr<storage, vec4<f32>, read_write> [group 0, binding 3]
kernel @main() [workgroup 1u, 1u, 1u] {
  %t = load @image : texture_2d<f32>
  %s = load @linear : sampler
  %v = texture_sample %t, %s, vec2<f32>(0.5f, 0.5f), 0f : vec4<f32>
  %w = texture_load %t, vec2<u32>(1u, 2u), 0u : vec4<f32>
  %sum = add %v, %w : vec4<f32>
  store @out, %sum
  return
}
`
	want := []string{
		"target ptx has no textures and samplers, found variable `image`",
		"target ptx has no textures and samplers, found variable `linear`",
	}
	for _, plain := range []bool{false, true} {
		m, _, items := ir.ParseString(text)
		if m == nil {
			t.Fatal(items)
		}
		var list diag.List
		if codegen.Compile(m, "", &ptx.Target, &codegen.Options{NoOptimize: plain, Context: &opt.Context{Verify: true}}, &list) != nil {
			t.Fatal("it compiles")
		}
		if len(list.Items()) != 1 || len(list.Items()[0].Notes) != 1 {
			t.Fatalf("want one diagnostic with one note: %+v", list.Items())
		}
		d := list.Items()[0]
		if note := d.Notes[0]; d.Code != diag.TargetUnsupported || d.Message != want[0] || !d.Span.Valid() || note.Message != want[1] || !note.Span.Valid() {
			t.Errorf("%v at %v: %s\n%s\nwant: %s", d.Code, d.Span, d.Message, note.Message, want)
		}
	}
}

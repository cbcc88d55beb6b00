package frontend_test

import (
	"testing"

	"github.com/gpuc/gpuc/frontend"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
)

// TestLoad tests that the extension of a file selects its language, and that invalid programs and
// invalid IR give diagnostics and no module.
func TestLoad(t *testing.T) {
	for _, test := range []struct {
		name, text string
		kernels    int // -1: no module
		problem    string
	}{
		{"a.wgsl", "@compute @workgroup_size(1) fn a() {}", 1, ""},
		{"A.WGSL", "@compute @workgroup_size(1) fn a() {}", 1, ""},
		{"a.wgsl", "@compute @workgroup_size(1) fn a() {", -1, ""},
		{"a.ir", "kernel @a() [workgroup 1u, 1u, 1u] {\n  return\n}\n", 1, ""},
		{"a.ir", "kernel @a() [workgroup 1u, 1u, 1u] {\n  return 1u\n}\n", -1, ""},
		{"a.ir", "kernel", -1, ""},
		{"a.txt", "", -1, "a.txt: the language is not known; the file's name should end in .wgsl or .ir"},
	} {
		var set source.Set
		var list diag.List
		file, err := set.Add(test.name, test.text)
		if err != nil {
			t.Fatal(err)
		}
		m, err := frontend.Load(&set, file, frontend.Options{}, &list)
		switch {
		case err != nil || test.problem != "":
			if err == nil || err.Error() != test.problem {
				t.Errorf("%s: error %v, want %q", test.name, err, test.problem)
			}
		case m == nil && list.Errors() == 0:
			t.Errorf("%s %q: neither a module nor an error", test.name, test.text)
		case (m == nil) != (test.kernels < 0):
			t.Errorf("%s %q: module %v, diagnostics %v", test.name, test.text, m, list.Items())
		case m != nil && len(m.Kernels()) != test.kernels:
			t.Errorf("%s %q: %d kernels, want %d", test.name, test.text, len(m.Kernels()), test.kernels)
		}
	}
}

// TestRecycle tests that a recycled module is reused by another load, with the same result as a new
// one.
func TestRecycle(t *testing.T) {
	texts := []string{
		"struct S { a: vec4f, b: array<u32, 3> } @group(0) @binding(1) var<storage, read_write> s: S; @compute @workgroup_size(8, 2) fn a() { s.b[1] = 7u; }",
		"override n = 4u; fn f(x: f32) -> f32 { return x * 2.0; } var<private> v = 3.0; @compute @workgroup_size(n) fn b() { v = f(v); }",
		"@compute @workgroup_size(1) fn c() {}",
	}
	load := func(text string) *ir.Module {
		var set source.Set
		var list diag.List
		file, err := set.Add("a.wgsl", text)
		if err != nil {
			t.Fatal(err)
		}
		m, err := frontend.Load(&set, file, frontend.Options{}, &list)
		if err != nil || m == nil {
			t.Fatal(err, list.Items())
		}
		return m
	}
	var want []string
	for _, text := range texts {
		want = append(want, load(text).Text())
	}
	for range 3 {
		for n, text := range texts {
			m := load(text)
			if got := m.Text(); got != want[n] {
				t.Errorf("in the memory of another module\n%s\nbecomes\n%s, want\n%s", text, got, want[n])
			}
			frontend.Recycle(m)
		}
	}
}

package codegen_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/all"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/runtime/abi"
)

// TestSubgroupSize: the subgroup size that a kernel requires is described. An invalid size is
// reported at its position.
func TestSubgroupSize(t *testing.T) {
	const text = `enable subgroup_size_control;
override n = 32u;
override width = 64u;
@compute @workgroup_size(width) @subgroup_size(n) fn main() {}
`
	for _, c := range []struct {
		n, width float64
		want     string // of the error; "" means none
		fixed    string // of targets whose subgroups have 32, where it differs
	}{
		{32, 64, "", ""},
		{8, 64, "", "the subgroup size of `main` is 8; subgroups of target TARGET have 32"},
		{128, 256, "", "the subgroup size of `main` is 128; subgroups of target TARGET have 32"},
		{0, 64, "the subgroup size of `main` is 0; it must be a power of two", ""},
		{24, 48, "the subgroup size of `main` is 24; it must be a power of two", ""},
		{256, 256, "the subgroup size of `main` is 256; it must be between 1 and 128", "the subgroup size of `main` is 256; subgroups of target TARGET have 32"},
		{32, 48, "the workgroup size of `main` in x is 48, which is no multiple of its subgroup size 32", ""},
	} {
		for _, target := range all.Targets {
			want := c.want
			fixed := target.Subgroup == 32 || len(target.Profiles) > 0 && target.Profiles[0].Subgroup == 32
			if fixed && c.fixed != "" {
				want = strings.Replace(c.fixed, "TARGET", string(target.Name), 1)
			}
			t.Run(fmt.Sprintf("%v of %v for %s", c.n, c.width, target.Name), func(t *testing.T) {
				var p compiler
				m, list := p.load(t, "subgroups.wgsl", text)
				settings := []ir.Setting{{Key: "n", Value: c.n}, {Key: "width", Value: c.width}}
				a := codegen.Compile(m, "main", target, &codegen.Options{Settings: settings}, list)
				if want == "" {
					if a == nil {
						t.Fatal(list.Items())
					}
					if got := a.Kernel.SubgroupSize; got != uint32(c.n) {
						t.Errorf("the description says %d", got)
					}
					if target.Name == abi.CPU && !strings.Contains(string(a.Code), fmt.Sprintf("[subgroup_size %vu", c.n)) {
						t.Errorf("the code does not say it:\n%s", a.Code)
					}
					return
				}
				if a != nil || len(list.Items()) != 1 {
					t.Fatal("reported:", list.Items())
				}
				d := list.Items()[0]
				at := m.Sources.Position(d.Span.Start)
				if d.Severity != diag.Error || d.Message != want || at.Line != 4 || at.Column != 33 {
					t.Errorf("got %q at line %d, column %d, want %q", d.Message, at.Line, at.Column, want)
				}
			})
		}
	}
}

// TestSubgroupOfProfile: if the profile defines the size of subgroups, a kernel can require only
// that.
func TestSubgroupOfProfile(t *testing.T) {
	const text = "enable subgroup_size_control;\n@compute @workgroup_size(64) @subgroup_size(N) fn main() {}\n"
	for _, c := range []struct{ profile, n, want string }{
		{"gfx90a", "64", ""}, {"gfx1100", "32", ""},
		{"gfx90a", "32", "the subgroup size of `main` is 32; subgroups of target amdgpu:gfx90a have 64"},
		{"gfx1100", "64", "the subgroup size of `main` is 64; subgroups of target amdgpu:gfx1100 have 32"},
	} {
		target, err := all.Lookup(string(abi.AMDGPU)).With(c.profile)
		if err != nil {
			t.Fatal(err)
		}
		var p compiler
		m, list := p.load(t, "profile.wgsl", strings.Replace(text, "N", c.n, 1))
		a := codegen.Compile(m, "main", target, &codegen.Options{}, list)
		if c.want == "" && a == nil || c.want != "" && (a != nil || list.Items()[0].Message != c.want) {
			t.Errorf("%s with %s: %v, want %q", c.profile, c.n, list.Items(), c.want)
		}
	}
}

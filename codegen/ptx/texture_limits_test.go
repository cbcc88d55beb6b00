package ptx_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/ptx"
	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/opt"
)

// manyTextures is a kernel that reads so many textures and buffers, each of which is a parameter of
// 8 bytes once no bounds are kept.
func manyTextures(textures, buffers int) string {
	var b strings.Builder
	b.WriteString("\n\n")
	for n := range textures {
		fmt.Fprintf(&b, "@group(0) @binding(%d) var t%d: texture_storage_2d<r32uint, read>;\n", n, n)
	}
	for n := range buffers {
		fmt.Fprintf(&b, "@group(1) @binding(%d) var<storage, read_write> b%d: u32;\n", n, n)
	}
	b.WriteString("@compute @workgroup_size(1) fn main() {\n")
	for n := range textures {
		fmt.Fprintf(&b, "  b0 += textureLoad(t%d, vec2u(0)).x;\n", n)
	}
	for n := range buffers {
		fmt.Fprintf(&b, "  b%d += %d;\n", n, n)
	}
	b.WriteString("}\n")
	return b.String()
}

// TestParameterLimit has kernels with as many bytes of parameters as there may be, and with more.
func TestParameterLimit(t *testing.T) {
	testmode.Long(t)
	ptxas := findAssembler()
	for _, c := range []struct {
		profile, architecture string
		textures, buffers     int
		message, elsewhere    string
	}{
		{"sm_70", "sm_75", 272, 272, "", ""},
		{"sm_70", "sm_75", 273, 272, "`main` needs 4360 bytes of parameters; PTX for sm_70 has at most 4352", "ptx:sm_100 has 32764"},
		{"sm_90", "sm_90", 273, 272, "`main` needs 4360 bytes of parameters; PTX for sm_90 has at most 4352", "ptx:sm_100 has 32764"},
		{"sm_100", "sm_100", 2048, 2047, "", ""},
		{"sm_100", "sm_100", 2048, 2048, "`main` needs 32768 bytes of parameters; PTX for sm_100 has at most 32764", ""},
	} {
		m := loadText(t, "many.wgsl", manyTextures(c.textures, c.buffers), opt.MathWGSL)
		target := ptx.Target
		for n := range target.Profiles {
			if target.Profiles[n].Name == c.profile {
				target.Profile = &target.Profiles[n]
			}
		}
		var list diag.List
		a := codegen.Compile(m, "main", &target, &codegen.Options{Bounds: opt.BoundsOff}, &list)
		if c.message == "" {
			if a == nil {
				t.Errorf("%s does not take %d textures and %d buffers: %v", c.profile, c.textures, c.buffers, list.Items())
				continue
			}
			if p, err := a.Kernel.PassedParameters(); err != nil || len(p) != c.textures+c.buffers {
				t.Errorf("%s: %d parameters, of %d: %v", c.profile, len(p), c.textures+c.buffers, err)
			}
			if ptxas != "" {
				assemble(t, ptxas, c.profile, string(a.Code), c.architecture)
			}
			continue
		}
		items := list.Items()
		if a != nil || len(items) != 1 {
			t.Errorf("%s takes %d textures and %d buffers, or says more: %v", c.profile, c.textures, c.buffers, items)
			continue
		}
		notes := ""
		for _, n := range items[0].Notes {
			notes += n.Message + "\n"
		}
		if d := items[0]; d.Code != diag.TargetLimit || d.Message != c.message || !strings.Contains(notes, c.elsewhere) ||
			m.Sources.Position(d.Span.Start).Line != 3+c.textures+c.buffers {
			t.Errorf("%s: %s at %v (%s), want %s", d.Code, d.Message, m.Sources.Position(d.Span.Start), notes, c.message)
		}
	}
}

// TestLargeTextureFunction: a large function that uses a texture is inlined into the kernel that
// calls it twice. It is refused once, where it uses the texture, if its copies are beyond the
// budget of inlining.
func TestLargeTextureFunction(t *testing.T) {
	for _, calls := range []int{2, 8} {
		var b strings.Builder
		b.WriteString("@group(0) @binding(0) var t: texture_2d<u32>;\n@group(0) @binding(1) var<storage, read_write> o: array<u32>;\nfn large(n: u32) -> u32 {\n  var x = n;\n")
		for n := range 22000 {
			fmt.Fprintf(&b, "  x = (x ^ %du) * 3u + n;\n", n)
		}
		b.WriteString("  x += textureLoad(t, vec2u(x), 0).x;\n  return x + textureLoad(t, vec2u(n), 0).x;\n}\n@compute @workgroup_size(1) fn main() { o[0] = 0")
		for n := range calls {
			fmt.Fprintf(&b, " + large(o[%d])", n)
		}
		b.WriteString("; }\n")
		m := loadText(t, "large.wgsl", b.String(), opt.MathWGSL)
		var list diag.List
		a := codegen.Compile(m, "main", &ptx.Target, &codegen.Options{NoOptimize: true}, &list)
		items := list.Items()
		if calls == 2 {
			if a == nil || len(items) != 0 {
				t.Errorf("two calls: %v", items)
			}
		} else if a != nil || len(items) != 1 || items[0].Code != diag.TargetLimit || m.Sources.Position(items[0].Span.Start).Line != 22005 {
			t.Errorf("%d calls: it compiles, or is refused for other reasons: %v", calls, items)
		}
	}
}

package all_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/ptx"
	"github.com/gpuc/gpuc/codegen/spirv"
	"github.com/gpuc/gpuc/frontend/wgsl"
	"github.com/gpuc/gpuc/internal/peak"
	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
)

// growing are programs that a generator may write, of any size.
var growing = []struct {
	name string
	text func(n int) string
}{
	{"cases of a switch", func(n int) string {
		return kernelOf("switch x {" + numbered(n, "case §u: { o[1] = §u + x; }\n") + "default: {} }")
	}},
	{"functions", func(n int) string {
		return "@group(0) @binding(0) var<storage, read_write> o: array<u32>;\n" + numbered(n, "fn f§(x: u32) -> u32 { return x * §u + o[x]; }\n") +
			"@compute @workgroup_size(1) fn main() {\n" + numbered(n, "o[§] = f§(§u);\n") + "}\n"
	}},
}

// numbered repeats a unit, in which § is its number.
func numbered(n int, unit string) string {
	var b strings.Builder
	for k := range n {
		b.WriteString(strings.ReplaceAll(unit, "§", fmt.Sprint(k)))
	}
	return b.String()
}

// TestGrowth: an eight times larger program takes about eight times as long, and not 64 times, as
// quadratic work would. The fastest of three rounds counts, of both sizes alternately. The bound
// lies between the two: linear work takes 9 to 21 times on a busy machine, whose collector works
// more in the larger run.
func TestGrowth(t *testing.T) {
	testmode.Long(t)
	const small, times, most = 4000, 8, 36
	for _, g := range growing {
		for _, target := range []*codegen.Target{&spirv.Target, &ptx.Target} {
			best := [2]time.Duration{time.Hour, time.Hour}
			for range 3 {
				for k, n := range []int{small, small * times} {
					text := g.text(n)
					best[k] = min(best[k], peak.Processor(func() { build(t, text, target) }))
				}
			}
			if ratio := float64(best[1]) / float64(best[0]); ratio > most {
				t.Errorf("%s for %s: %d take %v, %d take %v, %.1f times as long", g.name, target.Name, small, best[0], small*times, best[1], ratio)
			} else {
				t.Logf("%s for %s: %.1f times as long", g.name, target.Name, ratio)
			}
		}
	}
}

func build(t *testing.T, text string, target *codegen.Target) {
	var set source.Set
	var list diag.List
	file, err := set.Add("growing.wgsl", text)
	if err != nil {
		t.Fatal(err)
	}
	m := wgsl.NewCompiler().Load(&set, file, wgsl.Options{}, &list)
	if m == nil || codegen.Compile(m, "", target, &codegen.Options{}, &list) == nil {
		t.Fatalf("refused: %v", list.Items())
	}
}

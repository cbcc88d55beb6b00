package lower_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen/lower"
	"github.com/gpuc/gpuc/internal/irtest"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/interp"
	"github.com/gpuc/gpuc/opt"
)

// sumForms are loops around a product, and whether it can be deferred. They have more than the
// product: before it, where %s is the sum, or after it, where it is %p. Iterations have numbers %n.
var sumForms = []struct {
	name          string
	before, after string
	deferred      bool
}{
	{name: "plain", deferred: true},
	{name: "left in the middle", before: "%q = ge %n, 3i : bool\n if ^q %q {\n exit ^l(%s)\n } else {\n exit ^q()\n }", deferred: true},
	{name: "left at the end", after: "%q = ge %n, 3i : bool\n if ^q %q {\n exit ^l(%p)\n } else {\n exit ^q()\n }", deferred: true},
	{name: "an iteration without", before: "%q = eq %n, 1i : bool\n if ^q %q {\n continue ^l(%s)\n } else {\n exit ^q()\n }", deferred: true},
	{name: "another store", after: "tile_store @out_KIND, 480i, 1i, 1i, 1i, 1i, 0i, %n, zero<tile<KIND, 1, 1>>", deferred: true},
	{name: "stored", after: "tile_store @out_KIND, 480i, COLUMNSi, 1i, ROWSi, COLUMNSi, 0i, 0i, %p"},
	{name: "stored before", before: "tile_store @out_KIND, 480i, COLUMNSi, 1i, ROWSi, COLUMNSi, 0i, 0i, %s"},
	{name: "reset", after: "%q = eq %n, 1i : bool\n if ^q %q {\n continue ^l(zero<TYPE>)\n } else {\n exit ^q()\n }"},
	{name: "left without", after: "%q = ge %n, 2i : bool\n if ^q %q {\n exit ^l(zero<TYPE>)\n } else {\n exit ^q()\n }"},
	{name: "another product", after: "%o = tile_mul_add %a, %b, zero<TYPE> : TYPE\n tile_store @out_KIND, 480i, COLUMNSi, 1i, ROWSi, COLUMNSi, 0i, 0i, %o"},
	{name: "a reduction", after: "%f = tile_convert %a : tile<KIND, ROWS, DEPTH>\n %o = tile_reduce %f [add] : tile<KIND, ROWS, 1>\n tile_store @out_KIND, 480i, 1i, 1i, ROWSi, 1i, 0i, 0i, %o"},
	{name: "left outward", after: "%q = ge %n, 2i : bool\n if ^q %q {\n exit ^around(%p)\n } else {\n exit ^q()\n }"},
}

// sumKernel writes a kernel with such a loop, of a count that is an element of @uniform.
func sumKernel(r *rand.Rand, form int, depth int) string {
	rows, columns := 1+r.IntN(20), []int{8, 16, 24, 5, 17}[r.IntN(5)]
	kinds := [][2]string{{"f32", "f32"}, {"f16", "f32"}, {"f64", "f64"}, {"i8", "i32"}}[r.IntN(4)]
	contract := []string{"", " [contract]"}[r.IntN(2)]
	if kinds[1] == "i32" {
		contract = ""
	}
	strides := func() string {
		if r.IntN(3) == 0 {
			return fmt.Sprintf("1i, %di", 17+r.IntN(20))
		}
		return fmt.Sprintf("%di, 1i", 17+r.IntN(20))
	}
	x := &sumForms[form]
	text := `
var @in_OPERAND : ptr<storage, array<OPERAND, 900u>> [group 0, binding 0]
var @out_KIND : ptr<storage, array<KIND, 960u>, read_write> [group 0, binding 1]
var @uniform : ptr<uniform, array<vec4<u32>, 4u>> [group 1, binding 0]
kernel @main() [workgroup 8u, 1u, 1u] {
  %v = access @uniform, WHICHu, 1u : ptr<uniform, u32>
  %w = load %v : u32
  %count = convert %w : i32
  %start = tile_splat THREE : TYPE
  %t = scope ^around : TYPE {
    %r = loop ^l(%n: i32 = 0i, %s: TYPE = %start) : TYPE {
      %c = lt %n, %count : bool
      if ^i %c {
        exit ^i()
      } else {
        exit ^l(%s)
      }
      BEFORE
      %k = mul %n, DEPTHi : i32
      %a = tile_load @in_OPERAND, 1i, LEFT, 100i, LIMITi, 0i, %k : tile<OPERAND, ROWS, DEPTH>
      %b = tile_load @in_OPERAND, 2i, RIGHT, LIMITi, 100i, %k, 0i : tile<OPERAND, DEPTH, COLUMNS>
      %p = tile_mul_add %a, %b, %sCONTRACT : TYPE
      AFTER
      continue ^l(%p)
    } continuing(%z: TYPE) {
      %m = add %n, 1i : i32
      next ^l(%m, %z)
    }
    exit ^around(%r)
  }
  tile_store @out_KIND, 0i, COLUMNSi, 1i, ROWSi, COLUMNSi, 0i, 0i, %t
  return
}
`
	text = strings.NewReplacer("BEFORE", x.before, "AFTER", x.after).Replace(text)
	return strings.NewReplacer("TYPE", fmt.Sprintf("tile<%s, %d, %d>", kinds[1], rows, columns), "OPERAND", kinds[0], "KIND", kinds[1], "THREE", map[string]string{"f32": "3f", "f64": "3lf", "i32": "3i"}[kinds[1]], "ROWS", fmt.Sprint(rows),
		"COLUMNS", fmt.Sprint(columns), "DEPTH", fmt.Sprint(depth), "LIMIT", fmt.Sprint(4*depth-1), "WHICH", fmt.Sprint(r.IntN(4)),
		"CONTRACT", contract, "LEFT", strides(), "RIGHT", strides()).Replace(text)
}

// TestDeferredProducts compares sums of loops with their lowering, which multiplies the operands of
// several iterations at once where nothing else is done with the sum.
func TestDeferredProducts(t *testing.T) {
	defer func(depth int) { *lower.DeferredDepth = depth }(*lower.DeferredDepth)
	for form := range sumForms {
		t.Run(sumForms[form].name, func(t *testing.T) {
			for seed := range max(seedCount()/10, 8) {
				r := rand.New(rand.NewPCG(seed, uint64(form)))
				depth := []int{1, 3, 4, 8, 10}[r.IntN(5)]
				*lower.DeferredDepth = depth * (2 + r.IntN(2))
				m := irtest.Parse(t, sumKernel(r, form, depth))
				before := m.Clone()
				c := &opt.Context{List: new(diag.List), Verify: true}
				c.Run(m, tilePasses(seed, lower.PackedTiles), ir.Initial)
				if got := strings.Contains(m.Text(), "%filled"); got != sumForms[form].deferred && seed%8 != 2 {
					t.Fatalf("seed %d: the product is deferred: %v\n%s", seed, got, before.Text())
				}
				compareTiles(t, seed, before, m, m.Text(), interp.Launch{})
			}
		})
	}
}

package ptx_test

import (
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/ptx"
	"github.com/gpuc/gpuc/internal/fragmenttest"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
)

// TestFragments compares products by instructions with the portable form, in the interpreter. It
// reads what is loaded by ldmatrix: what is aligned, in workgroup memory.
func TestFragments(t *testing.T) {
	ptxas := findAssembler()
	for _, product := range []fragmenttest.Case{
		{Element: scalar.F16, Sum: scalar.F32, Depth: 16},
		{Element: scalar.F16, Sum: scalar.F16, Depth: 16},
		{Element: scalar.BF16, Sum: scalar.F32, Depth: 16},
		{Element: scalar.I8, Sum: scalar.I32, Depth: 32},
		{Element: scalar.U8, Sum: scalar.U32, Depth: 32},
	} {
		for n := range 2 * 2 * 2 * 2 * 3 {
			c := product
			c.Subgroup = 32
			c.Shared = n&1 != 0
			c.ByColumn = [3]bool{n&2 != 0, n&4 != 0, n&8 != 0}
			matrices := 0
			switch n / 16 {
			case 0: // rows of 16 bytes
				c.Offset, c.More = 16, 16
				if c.Shared && c.Element.Bytes() == 2 {
					matrices = 2
				}
				if c.Shared && c.Element.Bytes() == 1 && !c.ByColumn[0] {
					matrices++
				}
				if c.Shared && c.Element.Bytes() == 1 && c.ByColumn[1] {
					matrices++
				}
			case 1: // words
				c.Offset, c.More = 4, 4
			case 2:
				c.Offset, c.More = 3, 1
			}
			text, sizes := c.Text()
			want := c.Interpreted(t, text, c.Fill(sizes))
			for _, o := range []codegen.Options{{}, {NoOptimize: true}, {Bounds: opt.BoundsOff}} {
				target, err := ptx.Target.With("sm_80")
				if err != nil {
					t.Fatal(err)
				}
				code := compileFor(t, target, text, o)
				if !strings.Contains(code, "mma.sync") || (strings.Contains(code, "ldmatrix") != (matrices > 0)) {
					t.Errorf("%+v: no product, or not %d matrices are loaded:\n%s", c, matrices, code)
				}
				if ptxas != "" && n%7 == 0 {
					assembleAll(t, ptxas, "fragments", code, "sm_80")
				}
				p, err := read(code)
				if err != nil {
					t.Fatalf("%+v: %v\n%s", c, err, numbered(code))
				}
				got := c.Fill(sizes)
				lengths := []int64{}
				for n, data := range got {
					each := 4
					if n != 2 && c.Element.Bytes() == 2 || n == 2 && c.Sum.Bytes() == 2 {
						each = 2
					}
					lengths = append(lengths, int64(len(data)/each))
				}
				if err := p.launch("main", [3]uint32{1, 1, 1}, got, lengths, nil); err != nil {
					t.Fatalf("%+v: %v\n%s", c, err, numbered(code))
				}
				for n := range got {
					if string(got[n]) != string(want[n]) {
						t.Fatalf("%+v, %+v: buffer %d is\n%x, want\n%x\n%s", c, o, n, got[n], want[n], numbered(code))
					}
				}
			}
		}
	}
}

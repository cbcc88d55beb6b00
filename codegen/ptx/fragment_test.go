package ptx_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/ptx"
	"github.com/gpuc/gpuc/internal/fragmenttest"
	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
)

// emulated returns the buffers after code was run by the emulator.
func emulated(c *fragmenttest.Case, code string, sizes [5]int) ([][]byte, error) {
	p, err := read(code)
	if err != nil {
		return nil, err
	}
	buffers := c.Fill(sizes)
	var lengths []int64
	for n, data := range buffers {
		each := 4
		if n != 2 && c.Element.Bytes() == 2 || n == 2 && c.Sum.Bytes() == 2 {
			each = 2
		}
		lengths = append(lengths, int64(len(data)/each))
	}
	return buffers, p.launch("main", [3]uint32{1, 1, 1}, buffers, lengths, nil)
}

// loadedMatrices returns how many factors of a case ldmatrix loads: of those in workgroup memory
// whose rows begin at multiples of 16 bytes.
func loadedMatrices(c *fragmenttest.Case) (count int) {
	switch {
	case !c.Shared || c.Offset%16 != 0:
	case c.Element.Bytes() == 2:
		count = 2
	default: // those with the depth in words
		for _, depthFirst := range [...]bool{!c.ByColumn[0], c.ByColumn[1]} {
			if depthFirst {
				count++
			}
		}
	}
	return count
}

// TestFragments compares products by instructions with the portable form, in the interpreter. It
// reads what is loaded by ldmatrix: what is aligned, in workgroup memory.
func TestFragments(t *testing.T) {
	ptxas := findAssembler()
	target, err := ptx.Target.With("sm_80")
	if err != nil {
		t.Fatal(err)
	}
	for _, product := range fragmentProductCases {
		for n := range fragmenttest.Variants {
			c := product.Variant(n)
			matrices := loadedMatrices(&c)
			text, sizes := c.Text()
			var want [][]byte
			for _, o := range []codegen.Options{{}, {NoOptimize: true}, {Bounds: opt.BoundsOff}} {
				if !testmode.Shared(fmt.Sprint(c, o.NoOptimize, o.Bounds), 8) {
					continue
				}
				if want == nil {
					want = c.Interpreted(t, text, c.Fill(sizes))
				}
				code := compileFor(t, target, text, o)
				if !strings.Contains(code, "mma.sync") || (strings.Contains(code, "ldmatrix") != (matrices > 0)) {
					t.Errorf("%+v: no product, or not %d matrices are loaded:\n%s", c, matrices, code)
				}
				if ptxas != "" {
					assemble(t, ptxas, fmt.Sprint("fragments", c, o.NoOptimize), code, "sm_80")
				}
				got, err := emulated(&c, code, sizes)
				if err != nil {
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

// fragmentProductCases are a case for each product of the table.
var fragmentProductCases = []fragmenttest.Case{
	{Subgroup: 32, Element: scalar.F16, Sum: scalar.F32, Depth: 16},
	{Subgroup: 32, Element: scalar.F16, Sum: scalar.F16, Depth: 16},
	{Subgroup: 32, Element: scalar.BF16, Sum: scalar.F32, Depth: 16},
	{Subgroup: 32, Element: scalar.I8, Sum: scalar.I32, Depth: 32},
	{Subgroup: 32, Element: scalar.U8, Sum: scalar.U32, Depth: 32},
}

// TestFragmentMutants exchanges two bits of a layout, which must show: in the sums if the emulator's
// lanes hold other elements than the table says.
func TestFragmentMutants(t *testing.T) {
	target, err := ptx.Target.With("sm_80")
	if err != nil {
		t.Fatal(err)
	}
	table := target.Profile.FragmentTable
	for n := range table.Instructions {
		x := &table.Instructions[n]
		c := fragmentProductCases[slices.IndexFunc(fragmentProductCases, func(c fragmenttest.Case) bool { return c.Element == x.Left && c.Sum == x.Sum })]
		c.More = 1
		text, sizes := c.Text()
		var want [][]byte
		for operand, l := range [...]ir.FragmentLayout{x.LeftLayout, x.RightLayout, x.ResultLayout} {
			bits := l.Rows + l.Columns
			for k := 1; k < len(bits); k++ {
				name := fmt.Sprintf("%s·%s, operand %d, bits %c and %c", x.Left, x.Sum, operand, bits[k-1], bits[k])
				if !testmode.Shared(name, 4) {
					continue
				}
				changed := bits[:k-1] + string([]byte{bits[k], bits[k-1]}) + bits[k+1:]
				mutant, profile, with := *table, *target.Profile, *target
				mutant.Instructions = slices.Clone(table.Instructions)
				for other := range mutant.Instructions {
					m := &mutant.Instructions[other]
					if operand < 2 && m.Left != x.Left || operand == 2 && other != n {
						continue // fragments of one type have one layout
					}
					to := [...]*ir.FragmentLayout{&m.LeftLayout, &m.RightLayout, &m.ResultLayout}[operand]
					to.Rows, to.Columns = changed[:len(l.Rows)], changed[len(l.Rows):]
				}
				profile.FragmentTable, with.Profile = &mutant, &profile
				if want == nil {
					want = c.Interpreted(t, text, c.Fill(sizes))
				}
				got, err := emulated(&c, compileFor(t, &with, text, codegen.Options{}), sizes)
				if err == nil && slices.EqualFunc(got, want, bytes.Equal) {
					t.Errorf("%s: nothing shows that they are exchanged", name)
				}
			}
		}
	}
}

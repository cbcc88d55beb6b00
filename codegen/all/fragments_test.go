package all_test

import (
	"math/bits"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/all"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/scalar"
)

// TestFragmentTables checks the tables of all profiles. There is an instruction for each product.
// Layouts have each bit once, and as many as their shape needs. All fragments of a type have one
// layout. The words of an instruction's operands are those of its intrinsic.
func TestFragmentTables(t *testing.T) {
	for _, target := range all.Targets {
		for n := range target.Profiles {
			if p := &target.Profiles[n]; p.FragmentTable != nil {
				checkFragmentTable(t, target, p)
			}
		}
	}
}

func checkFragmentTable(t *testing.T, target *codegen.Target, profile *codegen.Profile) {
	table := profile.FragmentTable
	known := map[[4]int]ir.FragmentLayout{}
	for _, p := range profile.Fragments {
		x := table.Multiplies(p)
		if x == nil {
			t.Errorf("%s:%s has no instruction for %+v", target.Name, profile.Name, p)
			continue
		}
		left, right, result := x.Layouts(p)
		for use, l := range [...]ir.FragmentLayout{left, right, result} {
			kind := [...]scalar.Kind{p.Left, p.Right, p.Sum}[use]
			rows, columns := [...]int{p.Rows, p.Depth, p.Rows}[use], [...]int{p.Depth, p.Columns, p.Columns}[use]
			checkLayout(t, table, l, kind, rows, columns)
			key := [4]int{use, int(kind), rows, columns}
			if other, ok := known[key]; ok && other != l {
				t.Errorf("%s:%s has layouts %v and %v of a fragment of %s", target.Name, profile.Name, other, l, kind)
			}
			known[key] = l
		}
	}
	for n := range table.Instructions {
		x := &table.Instructions[n]
		words := 0
		for _, l := range [...]ir.FragmentLayout{x.LeftLayout, x.RightLayout, x.ResultLayout} {
			words += l.Elements() / l.Packed
		}
		info := x.Intrinsic.Info()
		if got := len(strings.TrimPrefix(info.Operands, "c")); got != words {
			t.Errorf("%s of %s:%s has %d words, its layouts have %d", info.Name, target.Name, profile.Name, got, words)
		}
		if got := x.ResultLayout.Elements() / x.ResultLayout.Packed; got != len(info.Results) {
			t.Errorf("%s of %s:%s has %d results, its layout has %d", info.Name, target.Name, profile.Name, len(info.Results), got)
		}
	}
}

// checkLayout checks a layout of so many rows and columns.
func checkLayout(t *testing.T, table *ir.FragmentTable, l ir.FragmentLayout, kind scalar.Kind, rows, columns int) {
	if len(l.Rows) != bits.Len(uint(rows))-1 || len(l.Columns) != bits.Len(uint(columns))-1 {
		t.Errorf("layout %v does not have %d rows and %d columns", l, rows, columns)
	}
	if l.Packed != 1 && l.Packed*kind.Bits() != 32 {
		t.Errorf("layout %v does not pack words of %s", l, kind)
	}
	both := l.Rows + l.Columns
	elements := bits.Len(uint(l.Elements())) - 1
	for n := range elements {
		if strings.Count(both, string(rune(ir.FirstElementBit+n))) != 1 {
			t.Errorf("layout %v does not have bit %d of an element once", l, n)
		}
	}
	for n, c := range both {
		if c >= ir.FirstLaneBit && (int(c-ir.FirstLaneBit) >= bits.Len(uint(table.Subgroup))-1 || strings.ContainsRune(both[:n], c)) {
			t.Errorf("layout %v has a bit of an invocation twice, or one that there is not", l)
		}
	}
}

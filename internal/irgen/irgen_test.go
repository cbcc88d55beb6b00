package irgen_test

import (
	"testing"

	"github.com/gpuc/gpuc/internal/irgen"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// variants are the tested options.
var variants = []irgen.Options{
	{},
	{Instructions: 1000},
	{NoCalls: true, NoBarriers: true},
	{Exact: true, NoMultiLevelExits: true},
	{Subgroups: true},
	{Kinds: []scalar.Kind{scalar.I32, scalar.F32, scalar.F16, scalar.I64, scalar.U64}},
}

// TestGeneratedModulesAreValid verifies modules, prints and parses them, and checks that a seed
// determines the module.
func TestGeneratedModulesAreValid(t *testing.T) {
	for n, options := range variants {
		for seed := range uint64(60) {
			m := irgen.Generate(seed, options)
			var list diag.List
			ir.Verify(m, &list)
			for _, d := range list.Items() {
				t.Fatalf("variant %d, seed %d: %s %v\n%s", n, seed, d.Message, d.Notes, m.Text())
			}
			text := m.Text()
			if text != irgen.Generate(seed, options).Text() {
				t.Fatalf("variant %d, seed %d: a second module differs", n, seed)
			}
			again, _, items := ir.ParseString(text)
			if again == nil {
				t.Fatalf("variant %d, seed %d: does not parse: %+v\n%s", n, seed, items, text)
			}
			if again.Text() != text {
				t.Fatalf("variant %d, seed %d: parses to another module", n, seed)
			}
		}
	}
}

// TestEveryPureOperationOccurs compares the generated operations with the op table.
func TestEveryPureOperationOccurs(t *testing.T) {
	var seen [op.Count]bool
	for seed := range uint64(40) {
		for _, f := range irgen.Generate(seed, irgen.Options{Instructions: 2000}).Funcs {
			for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
				seen[f.Op(i)] = true
			}
		}
	}
	for o := op.Invalid + 1; o < op.Count; o++ {
		if op.SignatureOf(o).Special == "texture" {
			continue // generated kernels bind buffers only; internal/exectest has textures
		}
		if op.Tiles.Has(o) {
			continue // codegen/lower generates kernels with tiles
		}
		if op.Fragments.Has(o) {
			continue // internal/exectest has subgroup matrices
		}
		if o.Pure() && o != op.View && o != op.Address && o != op.ArrayLength && !seen[o] {
			t.Errorf("%s never occurs", o)
		}
	}
}

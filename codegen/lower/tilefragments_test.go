package lower_test

import (
	"testing"

	"github.com/gpuc/gpuc/codegen/lower"
	"github.com/gpuc/gpuc/internal/irtest"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/interp"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
)

// randomProducts are those of the fragments that random kernels are lowered to. Most products of
// tiles have one of a seed's.
func randomProducts(seed uint64) (list []ir.FragmentProduct) {
	for _, k := range [...][3]scalar.Kind{{scalar.F32, scalar.F32, scalar.F32}, {scalar.F16, scalar.F16, scalar.F32}, {scalar.I8, scalar.I8, scalar.I32}} {
		for _, side := range [...]int{4, 3, 2, 1} {
			p := ir.FragmentProduct{Left: k[0], Right: k[1], Sum: k[2], Rows: side, Columns: side, Depth: side}
			if seed%3 == 0 && side == 2 {
				p.Depth = 1
			}
			list = append(list, p)
		}
	}
	return list
}

// TestTilesAsFragments compares random kernels with their lowering to fragments, which the pass for
// those then lowers, too. In the checked mode there must be no race.
func TestTilesAsFragments(t *testing.T) {
	native := 0
	for seed := range 4 * seedCount() {
		m := irtest.Parse(t, randomTiles(seed))
		before := m.Clone()
		c := &opt.Context{List: new(diag.List), Verify: true, FragmentSubgroup: 1 + uint32(seed%2), Fragments: randomProducts(seed)}
		c.Run(m, tilePasses(seed, lower.Tiles), ir.Initial)
		if m.HasFragments() {
			native++
		}
		fragments := m.Text()
		size := int(c.FragmentSubgroup)
		c.FragmentSubgroup = 0
		c.Run(m, []opt.Pass{lower.Fragments}, ir.Initial)
		compareTiles(t, seed, before, m, fragments, interp.Launch{SubgroupSize: size})
	}
	if native == 0 {
		t.Error("no kernel has fragments")
	}
	t.Logf("%d kernels have fragments", native)
}

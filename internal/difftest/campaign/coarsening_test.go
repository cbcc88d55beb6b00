package campaign

import (
	"testing"

	"github.com/gpuc/gpuc/internal/difftest"
	"github.com/gpuc/gpuc/internal/testmode"
)

// TestCoarsening checks that most programs of the family have a coarsened version. Programs in
// which items leave loops after different iterations have none.
func TestCoarsening(t *testing.T) {
	count := testmode.Count(40, 40, 200)
	for _, way := range emulators[:2] {
		coarse, factors := 0, map[uint32]int{}
		for seed := range uint64(count) {
			a, err := compile(way.target, familyCase(t, "coarsening", seed), Configuration{Coarse: true})
			if err != nil {
				t.Fatalf("%s: seed %d: %v", way.Name, seed, err)
			}
			if c := a.Coarse; c != nil {
				coarse++
				factors[c.Factor[0]*c.Factor[1]]++
			}
		}
		if coarse < count/2 || factors[2] == 0 || factors[4] == 0 {
			t.Errorf("%s: %d of %d programs are coarse, by factor %v", way.Name, coarse, count, factors)
		}
	}
}

func familyCase(t *testing.T, name string, seed uint64) *difftest.Case {
	t.Helper()
	for _, f := range difftest.Families {
		if f.Name == name {
			return f.Case(seed)
		}
	}
	t.Fatal("there is no family " + name)
	return nil
}

package campaign

import (
	"testing"

	"github.com/gpuc/gpuc/internal/difftest"
)

// TestItems asserts that the family is about what it is for: that most of its programs have a
// coarse form. In some, items leave loops at different times, which have none.
func TestItems(t *testing.T) {
	const count = 200
	for _, way := range emulators[:2] {
		coarse, factors := 0, map[uint32]int{}
		for seed := range uint64(count) {
			a, err := compile(way.target, familyCase(t, "items", seed), Configuration{Coarse: true})
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

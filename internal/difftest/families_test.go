package difftest

import (
	"strings"
	"testing"

	"github.com/gpuc/gpuc/internal/testmode"
)

// TestFamilies checks that each family makes well-defined programs that write something, most of
// them at the first attempts. Where a family has programs with out-of-bounds accesses and without,
// both have to occur.
func TestFamilies(t *testing.T) {
	count := testmode.Count(20, 60, 60)
	for n := range Families {
		f := &Families[n]
		robust, attempts := 0, uint64(0)
		for seed := range uint64(count) {
			c := f.Case(seed)
			if !c.writes() && f.program == nil || !strings.HasPrefix(c.Name, f.Name+"-") {
				t.Errorf("%s writes nothing:\n%s", c.Name, c.Code)
			}
			if c.Robust {
				robust++
			}
			for attempt := uint64(0); f.write != nil; attempt++ {
				if again, err := f.draft(seed, attempt).Case(); err == nil && again.writes() {
					attempts += attempt
					if again.Code != c.Code {
						t.Errorf("%s is made differently the second time", c.Name)
					}
					break
				}
			}
		}
		if attempts > 3*uint64(count) {
			t.Errorf("%s: %d drafts of %d programs are not well-defined", f.Name, attempts, count)
		}
		switch f.Name {
		case "arithmetic", "unrolling", "coarsening", "pipelining", "bounds":
			if robust < count/12 || robust > count*11/12 {
				t.Errorf("%s: %d of %d programs access memory out of bounds", f.Name, robust, count)
			}
		}
	}
}

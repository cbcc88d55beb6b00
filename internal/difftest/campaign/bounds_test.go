package campaign

import (
	"bytes"
	"testing"

	"github.com/gpuc/gpuc/internal/testmode"
)

// TestBounds checks that a third of the family's programs have partly unrolled loops, and that in
// about half of them every access is in bounds, which the checked device requires.
func TestBounds(t *testing.T) {
	count := testmode.Count(20, 50, 300)
	for _, way := range emulators[:2] {
		unrolled, inside := 0, 0
		for seed := range uint64(count) {
			c := familyCase(t, "bounds", seed)
			if !c.Robust {
				inside++
			}
			var code [2][]byte
			for n, o := range []Configuration{{}, {Without: "runtime-unroll"}} {
				a, err := compile(way.target, c, o)
				if err != nil {
					t.Fatalf("%s: seed %d: %v", way.Name, seed, err)
				}
				code[n] = a.Code
			}
			if !bytes.Equal(code[0], code[1]) {
				unrolled++
			}
		}
		if t.Logf("%s: %d of %d programs have other code, %d are in bounds", way.Name, unrolled, count, inside); unrolled < count/3 || inside < count/3 || inside > count*2/3 {
			t.Errorf("%s: %d of %d programs have other code, %d are in bounds", way.Name, unrolled, count, inside)
		}
	}
}

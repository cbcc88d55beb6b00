package campaign

import (
	"bytes"
	"testing"
)

// TestStrides asserts that the family is about what it is for: that a third of its programs have
// loops of which several turns stand behind one test, and that in half of them no access lies
// outside, so that the checked device takes them, too.
func TestStrides(t *testing.T) {
	const count = 300
	for _, way := range emulators[:2] {
		written, inside := 0, 0
		for seed := range uint64(count) {
			c := familyCase(t, "strides", seed)
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
				written++
			}
		}
		if t.Logf("%s: %d of %d programs have other code, %d are in bounds", way.Name, written, count, inside); written < count/3 || inside < count/2 || inside > count*2/3 {
			t.Errorf("%s: %d of %d programs have other code, %d are in bounds", way.Name, written, count, inside)
		}
	}
}

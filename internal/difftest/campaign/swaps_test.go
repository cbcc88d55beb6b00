package campaign

import (
	"bytes"
	"slices"
	"testing"

	"github.com/gpuc/gpuc/internal/difftest"
	"github.com/gpuc/gpuc/internal/testmode"
)

// TestSwapsKeepMeaning swaps neighbours among the emulated targets' legalisers. Where
// their contracts do not object, the code has to compute the same.
func TestSwapsKeepMeaning(t *testing.T) {
	testmode.Long(t)
	var cases []*difftest.Case
	for seed := range uint64(15) {
		if c, err := difftest.Generate(seed + 1).Case(); err == nil {
			cases = append(cases, c)
		}
		for _, family := range difftest.Families {
			cases = append(cases, family.Case(seed+1))
		}
	}
	refused, other := 0, 0
	for _, way := range emulators {
		// The one ends this process, and the other has two forms of a kernel.
		if way.Name == deadly.Name || way.tensor != nil {
			continue
		}
		plain := way.target
		before := make([][]byte, len(cases))
		for i, c := range cases {
			a, err := compile(plain, c, Configuration{})
			if err != nil {
				t.Fatal(err)
			}
			before[i] = a.Code
		}
		for n := range plain.Lower[1:] {
			swapped := *plain
			swapped.Lower = slices.Clone(plain.Lower)
			swapped.Lower[n], swapped.Lower[n+1] = plain.Lower[n+1], plain.Lower[n]
			if swapped.Check() != nil {
				refused++
				continue
			}
			for i, c := range cases {
				after, err := compile(&swapped, c, Configuration{})
				if err == nil && bytes.Equal(before[i], after.Code) {
					continue
				}
				other++
				w := Way{target: &swapped, execute: way.execute}
				if err := w.Run(c, Configuration{}); err != nil {
					t.Errorf("%s: %s before %s: %s: %v", way.Name, plain.Lower[n+1].Name, plain.Lower[n].Name, c.Name, err)
				}
			}
		}
	}
	t.Logf("%d swaps are refused; %d programs have other code", refused, other)
	if refused < 6 || other < 10 {
		t.Errorf("%d swaps are refused; %d programs have other code", refused, other)
	}
}

package all_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/gpuc/gpuc/codegen/all"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/opt"
)

var update = flag.Bool("update", false, "write testdata/swaps.md and the golden files")

const swapsHead = `# Adjacent passes that may not be swapped

For every pair of adjacent passes in every pipeline, the test swaps the two and checks the contracts of the
result: what each pass needs, gives, breaks and keeps (ir/prop.go), and what the target needs in the end. The table lists the
swaps that break a contract, with the complaint. All other swaps give different code with the same meaning:
TestSwapsKeepMeaning runs generated programs through them.

| target | mode | first | second | broken contract |
| --- | --- | --- | --- | --- |
`

// TestSwaps swaps adjacent passes in every pipeline and compares the contracts that break with
// testdata/swaps.md.
func TestSwaps(t *testing.T) {
	var table bytes.Buffer
	table.WriteString(swapsHead)
	seen := map[string]bool{}
	for _, target := range all.Targets {
		for _, way := range target.Ways() {
			for n := range way.Passes[1:] {
				first, second := &way.Passes[n], &way.Passes[n+1]
				passes := slices.Clone(way.Passes)
				passes[n], passes[n+1] = passes[n+1], passes[n]
				err := target.Prove(passes)
				if err == nil {
					continue
				}
				row := fmt.Sprintf("`%s` | `%s` | %s |\n", first.Name, second.Name, err)
				if key := string(target.Name) + row; !seen[key] {
					seen[key] = true
					fmt.Fprintf(&table, "| %s | %s | %s", target.Name, way.Name, row)
				}
			}
		}
	}
	const file = "testdata/swaps.md"
	if *update {
		if err := os.WriteFile(file, table.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), table.String()); diff != "" {
		t.Errorf("%s is stale (-file +table):\n%s", file, diff)
	}
}

// TestContracts removes each property that a pass gives, and each that a target needs: every
// declaration has to matter to some pipeline.
func TestContracts(t *testing.T) {
	given := map[ir.Property]bool{}
	for _, target := range all.Targets {
		if err := target.Check(); err != nil {
			t.Error(err)
		}
		for _, way := range target.Ways() {
			for n := range way.Passes {
				for p := ir.Property(1); p <= way.Passes[n].Gives; p <<= 1 {
					if way.Passes[n].Gives&p == 0 {
						continue
					}
					passes := slices.Clone(way.Passes)
					passes[n].Gives &^= p
					if err := target.Prove(passes); err != nil {
						given[p] = true
					} else if !given[p] {
						given[p] = false
					}
				}
			}
		}
	}
	for p, matters := range given {
		if !matters && p != ir.Promoted { // which makes code fast, and nobody needs it
			t.Errorf("nothing needs %s", p)
		}
	}
	if len(given) < 8 {
		t.Errorf("%d properties are given", len(given))
	}
	// without contracts, only a golden file would notice this
	for _, target := range all.Targets {
		for _, way := range target.Ways() {
			robust := slices.IndexFunc(way.Passes, func(p opt.Pass) bool { return p.Name == "robustness" })
			addresses := slices.IndexFunc(way.Passes, func(p opt.Pass) bool { return p.Name == "lower-access" })
			if robust < 0 || addresses < 0 {
				continue
			}
			passes := slices.Insert(slices.Clone(way.Passes), addresses+1, way.Passes[robust])
			passes = slices.Delete(passes, robust, robust+1)
			if err := target.Prove(passes); err == nil || err.Error() != "pass lower-access needs robust" {
				t.Errorf("%s: bounds checks behind addresses: %v", target.Name, err)
			}
		}
	}
}

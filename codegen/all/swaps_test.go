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

var update = flag.Bool("update", false, "write docs/swaps.md and the golden files")

const swapsHead = `# Neighbours that may not change places

Each pass says what it needs, gives, breaks and keeps (ir/prop.go), and each target what it needs
in the end. Here two neighbours change places, in every pipeline, and what the proof of the
pipeline then says stands beside them. Swaps without a complaint give other code of the same meaning:
TestSwapsKeepMeaning runs generated programs through them.

| target | mode | first | then | swapped |
| --- | --- | --- | --- | --- |
`

// TestSwaps swaps neighbours in every pipeline and holds the complaints against
// docs/swaps.md.
func TestSwaps(t *testing.T) {
	var table bytes.Buffer
	table.WriteString(swapsHead)
	seen := map[string]bool{}
	for _, target := range all.Targets {
		for _, way := range target.Ways() {
			for n := range way.Passes[1:] {
				first, then := &way.Passes[n], &way.Passes[n+1]
				passes := slices.Clone(way.Passes)
				passes[n], passes[n+1] = passes[n+1], passes[n]
				said := ""
				if err := target.Prove(passes); err != nil {
					said = err.Error()
				}
				key := fmt.Sprint(target.Name, first.Name, then.Name, said)
				if seen[key] || first.Name == then.Name {
					continue
				}
				seen[key] = true
				fmt.Fprintf(&table, "| %s | %s | `%s` | `%s` | %s |\n", target.Name, way.Name, first.Name, then.Name, said)
			}
		}
	}
	const file = "../../docs/swaps.md"
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
		t.Errorf("docs/swaps.md is stale (-page +table):\n%s", diff)
	}
}

// TestContracts takes from each pass what it declares to give, and from each target
// what it needs: whatever is declared has to matter to some way through the passes.
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
	// the case that a golden file alone noticed before there were contracts
	for _, target := range all.Targets {
		for _, way := range target.Ways() {
			robust := slices.IndexFunc(way.Passes, func(p opt.Pass) bool { return p.Name == "robust" })
			addresses := slices.IndexFunc(way.Passes, func(p opt.Pass) bool { return p.Name == "addresses" })
			if robust < 0 || addresses < 0 {
				continue
			}
			passes := slices.Insert(slices.Clone(way.Passes), addresses+1, way.Passes[robust])
			passes = slices.Delete(passes, robust, robust+1)
			if err := target.Prove(passes); err == nil || err.Error() != "pass addresses needs robust" {
				t.Errorf("%s: bounds checks behind addresses: %v", target.Name, err)
			}
		}
	}
}

package lower

import (
	"strings"
	"testing"

	"github.com/gpuc/gpuc/frontend/wgsl/check"
)

// TestEveryExpansionIsMade names the rows of the checker's table of which neither a formula nor
// a function here makes anything, and that are not refused with a reason either.
func TestEveryExpansionIsMade(t *testing.T) {
	for n := 1; n < len(check.Builtins); n++ {
		if row := &check.Builtins[n]; !isMade(row) {
			t.Errorf("%s: %s has an expansion without a formula, without a function in lowering and without a reason", row.Name, row.Signature)
		}
	}
	if isMade(&check.Builtin{Name: "erf", Expansion: new(check.Expansion)}) {
		t.Error("an expansion that nothing makes passes")
	}
}

func isMade(row *check.Builtin) bool {
	e := row.Expansion
	switch {
	case row.Flags&check.FragmentOnly != 0: // no compute shader calls it
		return true
	case e == check.ExpandShortCircuit: // control flow, which expressions make
		return strings.Trim(row.Name, "&|") == ""
	}
	return e == nil || e.HasFormula() || expansions[e] != nil || unsupported[e] != ""
}

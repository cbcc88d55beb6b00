package lower

import (
	"strings"
	"testing"

	"github.com/gpuc/gpuc/frontend/wgsl/formula"
	"github.com/gpuc/gpuc/frontend/wgsl/semantics"
)

// TestEveryExpansionIsMade names the rows of the checker's table of which neither a formula nor
// a function here makes anything, and that are not refused with a reason either.
func TestEveryExpansionIsMade(t *testing.T) {
	var used [formula.ExpansionCount]bool
	for n := 1; n < len(semantics.Builtins); n++ {
		row := &semantics.Builtins[n]
		used[row.Expansion] = true
		if !isMade(row) {
			t.Errorf("%s: %s has an expansion without a formula, without a function in lowering and without a reason", row.Name, row.Signature)
		}
	}
	for e := formula.NoExpansion + 1; e < formula.ExpansionCount; e++ {
		if !used[e] {
			t.Errorf("no builtin has expansion %d of package formula", e)
		}
	}
	if isMade(&semantics.Builtin{Name: "erf", Expansion: formula.ExpandDerivative}) {
		t.Error("an expansion that nothing makes passes")
	}
}

func isMade(row *semantics.Builtin) bool {
	e := row.Expansion
	switch {
	case row.Flags&semantics.FragmentOnly != 0: // no compute shader calls it
		return true
	case e == formula.ExpandShortCircuit: // control flow, which expressions make
		return strings.Trim(row.Name, "&|") == ""
	}
	return e == formula.NoExpansion || e.HasFormula() || expansions[e] != nil || unsupported[e] != ""
}

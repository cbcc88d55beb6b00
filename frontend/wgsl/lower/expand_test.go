package lower

import (
	"strings"
	"testing"

	"github.com/gpuc/gpuc/frontend/wgsl/expand"
	"github.com/gpuc/gpuc/frontend/wgsl/sem"
)

// TestEveryExpansionIsMade names the rows of the checker's table of which neither a formula nor
// a function here makes anything, and that are not refused with a reason either.
func TestEveryExpansionIsMade(t *testing.T) {
	var used [expand.Count]bool
	for n := 1; n < len(sem.Builtins); n++ {
		row := &sem.Builtins[n]
		used[row.Expansion] = true
		if !isMade(row) {
			t.Errorf("%s: %s has an expansion without a formula, without a function in lowering and without a reason", row.Name, row.Signature)
		}
	}
	for e := expand.None + 1; e < expand.Count; e++ {
		if !used[e] {
			t.Errorf("no builtin has expansion %d of package formula", e)
		}
	}
	if isMade(&sem.Builtin{Name: "erf", Expansion: expand.Derivative}) {
		t.Error("an expansion that nothing makes passes")
	}
}

func isMade(row *sem.Builtin) bool {
	e := row.Expansion
	switch {
	case row.Flags&sem.FragmentOnly != 0: // no compute shader calls it
		return true
	case e == expand.ShortCircuit: // control flow, which expressions make
		return strings.Trim(row.Name, "&|") == ""
	case e == expand.TileMap: // a loop with calls
		return row.Name == "tileMap"
	}
	return e == expand.None || e.HasFormula() || expansions[e] != nil || unsupported[e] != ""
}

package op

import "testing"

// TestEveryOperationHasARow names the place of a constant without a row, which has no name of its
// own, and rows that share a name or lack a part.
func TestEveryOperationHasARow(t *testing.T) {
	named := map[string]Op{}
	for o := Invalid; o < Count; o++ {
		row := o.Info()
		switch other, taken := named[row.Name]; {
		case row.Name == "":
			t.Errorf("the constant behind %s has no row in the table", o-1)
		case taken:
			t.Errorf("two operations are called %s: %d and %d", row.Name, other, o)
		case row.Signature == "" || row.Doc == "":
			t.Errorf("%s has no signature or no meaning", o)
		}
		named[row.Name] = o
	}
}

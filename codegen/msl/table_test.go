package msl

import (
	"testing"

	"github.com/gpuc/gpuc/ir/op"
)

// TestEveryOperationHasARow holds the table against the operations: one without a row is written
// elsewhere, or refused.
func TestEveryOperationHasARow(t *testing.T) {
	for o := op.Neg; o < op.Count; o++ {
		r := &table[o]
		elsewhere := o >= op.Var && o <= op.ControlBarrier || o >= op.TileLoad || o == op.Insert || textureOperations[o] != nil
		if has := r.emit != nil || r.function != "" || r.operator != "" || r.helper != "" || r.polyfill; has == elsewhere {
			t.Errorf("%s: a row is there: %v, and it is written elsewhere: %v", o, has, elsewhere)
		}
		if r.helper != "" && (r.operands == 0 || r.helps == nil || r.formula == "" && r.formulaOf == nil) {
			t.Errorf("%s: its helper has no formula, no operands or no types", o)
		}
	}
}

// TestPolyfilled: the rows that leave an operation to lower.Polyfill are those of the target's
// list.
func TestPolyfilled(t *testing.T) {
	listed := op.SetOf(polyfilled[:]...)
	for o := range table {
		if o := op.Op(o); table[o].polyfill != listed.Has(o) {
			t.Errorf("%s: the row leaves it to Polyfill: %v, the target lists it: %v", o, table[o].polyfill, listed.Has(o))
		}
	}
}
